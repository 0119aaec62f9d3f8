// Derivatives as marks: numbers on filled pills, arrays as small maps, and what is left of them once they are added.

import { type Chain, straight, triangle } from "../motion/curves.js";
import { AROUND, CELL, HIGH, PILL, SMALL_CELL, extent } from "../layout/lengths.js";
import { type Mark, box, text } from "../motion/marks.js";
import { entryOf, hue, isUnknown, marksOf } from "../picture/heat-map.js";
import type { PlacedNode } from "../layout/placed.js";
import type { Amount, HeatMap } from "../scene/document.js";

/** The width of a digit, as a multiple of its size. */
const DIGIT = 0.64;
/** The height of the band below a number that is not finite. */
const BAND = 6;

/** The size of text with which a pill is no wider than there is room. */
export const fitting = (wide: number, room: number, most: number): number => Math.min(most, room / (wide / PILL + AROUND));

/** A derivative: a number on a filled pill, or the map of an array. */
export function pill(key: string, amount: Amount, x: number, y: number, size: number, opacity: number, words = amount.text, wide = amount.w): Mark[] {
  if (amount.map && words === amount.text) return packet(key, amount, x, y, opacity);
  const [w, h] = [(wide * size) / PILL + AROUND * size, HIGH * size];
  return [
    box(key, { x, y, w, h }, h / 2, hue(amount.sign), "paper", 1.5, opacity),
    text(`${key}/text`, words, x, y + 0.35 * size, size, "bold", "on-hue", opacity),
  ];
}

/** A derivative on its way in a direction, which the head of an arrow shows. */
export function moving(key: string, amount: Amount, x: number, y: number, [dx, dy]: readonly [number, number]): Mark[] {
  const [w, h] = extent(amount, PILL);
  const out = Math.min(dx ? w / 2 / Math.abs(dx) : Infinity, dy ? h / 2 / Math.abs(dy) : Infinity) + 10;
  const points = triangle(x + out * dx, y + out * dy, dx, dy, 14, 16);
  return [{ type: "arrow", key: `${key}/head`, points, fill: hue(amount.sign), opacity: 1 }, ...pill(key, amount, x, y, PILL, 1)];
}

/** An array on its way: a small map in a frame. */
function packet(key: string, amount: Amount, x: number, y: number, opacity: number): Mark[] {
  const [w, h] = extent(amount, PILL);
  return [
    box(key, { x, y, w, h }, 5, "paper", hue(amount.sign), 2.4, opacity),
    ...heat(`${key}/map`, amount.map!, x, y, SMALL_CELL, opacity),
  ];
}

/** A contribution that has been added: only its outline is left. */
export function ghost(key: string, amount: Amount, x: number, y: number, opacity: number): Mark[] {
  if (amount.map) return packet(key, amount, x, y, opacity / 2);
  const [w, h] = extent(amount, PILL);
  return [
    box(key, { x, y, w, h }, h / 2, "paper", hue(amount.sign), 1.6, opacity),
    text(`${key}/text`, amount.text, x, y + 0.35 * PILL, PILL, "bold", hue(amount.sign), opacity),
  ];
}

/** Several contributions for which there is no room side by side. */
export function stacked(count: number): Amount {
  const text = `+${count}`;
  return { text, w: DIGIT * PILL * text.length, sign: null, ribbon: 0 };
}

/** The cells of an array around a center. */
export const heat = (key: string, map: HeatMap, x: number, y: number, cell: number, opacity: number): Mark[] =>
  marksOf(map, cell, x - (cell * map.columns.length) / 2 + 0.5, y - (cell * map.rows.length) / 2 + 0.5, 1, 0.5, opacity, `${key}/`).flat();

/** The maps of a node, of its value and of its derivative, with their middles. */
const maps = ({ x, y, map, at, slot, result }: PlacedNode): [HeatMap, number, number][] =>
  [[map, at] as const, [result?.map, slot] as const].flatMap(([each, [across, down]]) => (each ? [[each, x + across, y + down]] : []));

/** The entry of an array that is drawn at a point of its node; null where there is none. */
export function entryAt(node: PlacedNode, x: number, y: number): number | null {
  for (const [map, middle, level] of maps(node)) {
    const column = Math.floor((x - middle) / CELL + map.columns.length / 2);
    const row = Math.floor((y - level) / CELL + map.rows.length / 2);
    if (column in map.columns && row in map.rows) return entryOf(map, row * map.columns.length + column);
  }
  return null;
}

/** Outlines around the cells of an entry. */
export const picked = (node: PlacedNode, entry: number): Mark[] =>
  maps(node).flatMap(([map, x, y], k): Mark[] => {
    const cell = map.data.findIndex((_, number) => entryOf(map, number) === entry);
    const { length } = map.columns;
    const place = { x: x + CELL * ((cell % length) + 0.5 - length / 2), y: y + CELL * (Math.floor(cell / length) + 0.5 - map.rows.length / 2), w: CELL + 1, h: CELL + 1 };
    return cell < 0 ? [] : [box(`picked/${node.key}/${k}`, place, 2, "", "ink", 2.4)];
  });

/** A hatched band below a number if it is NaN or infinite. */
export const band = (key: string, number: string, x: number, y: number, wide: number, opacity: number): Mark[] =>
  isUnknown(number) ? hatched(`${key}/band`, straight([[x - wide / 2, y], [x + wide / 2, y]]), BAND, opacity) : [];

/** A line of bars on a grey ground, as it stands for what is not finite. */
export const hatched = (key: string, points: Chain, thickness: number, opacity: number): Mark[] =>
  ["hatched", "zero"].map((line) => ({ type: "curve", key: `${key}/${line}`, points, line, thickness, dashed: line === "zero", opacity }));
