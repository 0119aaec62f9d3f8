// Labels of edges as marks: numbers, small arrays as heat maps with their shape, and the arithmetic of a product.

import { heat } from "../flow/pills.js";
import type { Point } from "../motion/curves.js";
import { type Mark, box, text } from "../motion/marks.js";
import type { Paint } from "../picture/heat-map.js";
import type { EliminationPanel, HeatMap } from "../scene/document.js";
import { type SmallArray, short } from "../scene/values.js";
import { lowered, minus } from "../ui/format.js";

/** The sizes of a number, and of the shape of an array; and the width of a bold digit of a wide font as a share of them. */
const NUMBER = 17;
const SHAPE = 16;
const CHARACTER = 0.7;
/** Pixels of the cells of a heat map in a label, and on its way; how many rows or columns there may be, and their room. */
const CELL = 15;
const SMALL_CELL = 12;
const MOST_CELLS = 5;
const TALL = 34;
/** Where the cells of a heat map would be smaller, there is none. */
const LEAST_CELL = 5.5;
const GAP = 6;
const SIGN = 24;
/** The least height of a plaque, and what it is wider than its content. */
const PLAQUE = 34;
const AROUND = 20;

/** A number in four figures, or the shape of an array. */
export const told = (value: unknown): string =>
  typeof value === "object" ? (value as SmallArray).shape.join("×") : minus(short(value, Infinity));

/** What is drawn of an array, of a large one evenly spaced entries; null for a number. */
function mapOf(value: unknown): HeatMap | null {
  if (typeof value !== "object" || !value || !("data" in value)) return null;
  const { shape, data } = value as SmallArray;
  const across = shape.at(-1)!;
  const [rows, columns] = [data.length / across, across].map(spaced) as [number[], number[]];
  const scale = Math.max(0, ...data.map((entry) => Math.abs(Number(entry))).filter(Number.isFinite));
  return { shape, rows, columns, data: rows.flatMap((row) => columns.map((column) => data[row * across + column]!)), scale };
}

const spaced = (count: number): number[] =>
  Array.from({ length: Math.min(count, MOST_CELLS) }, (_, k) => Math.floor((k * count) / Math.min(count, MOST_CELLS)));

/** Whether a label needs more height than a number. */
export const isTall = (value: unknown): boolean => (mapOf(value)?.rows.length ?? 0) > 1;

/** The value of a label around a center, no wider than there is room; among others, in the size of all. */
export function written(key: string, value: unknown, x: number, y: number, room: number, opacity: number, longest = 0): Mark[] {
  const [map, words] = [mapOf(value), told(value)];
  const fitting = room / (CHARACTER * Math.max(words.length, longest));
  if (typeof value !== "object") {
    const size = Math.min(NUMBER, fitting);
    // A reference, as in formulas.
    const ink = typeof value === "string" && value.startsWith("X") ? "accent" : "ink";
    return [text(`${key}/value`, words, x, y + 0.35 * size, size, "bold", ink, opacity)];
  }
  const across = map?.columns.length ?? 1;
  const wide = CHARACTER * SHAPE * words.length;
  const cell = Math.min(CELL, TALL / (map?.rows.length ?? 1), (room - GAP - wide) / across);
  const shape = (from: number, size: number): Mark => text(`${key}/value`, words, from, y + 0.35 * size, size, "sans", "muted", opacity);
  if (!map || cell < LEAST_CELL) return [shape(x, Math.min(SHAPE, fitting))];
  return [...heat(`${key}/map`, map, x - (GAP + wide) / 2, y, cell, opacity), shape(x + (cell * across + GAP) / 2, SHAPE)];
}

/** "1.3.2" → "c′₃₁": the symbol of a label, with a dash for each twin before. */
export function symbol({ vertices }: Pick<EliminationPanel, "vertices">, thing: string): string {
  const [tail, head, twin = "1"] = thing.split(".");
  const [into, out] = [head, tail].map((end) => vertices.find((each) => each.thing === end)!.index) as [string, string];
  const digits = `${into}${into.length + out.length > 2 ? "," : ""}${out}`;
  return `c${"′".repeat(Number(twin) - 1)}${lowered(digits)}`;
}

/** The width and the height of a value on its way. */
export function extent(value: unknown, words = told(value)): Point {
  const map = mapOf(value);
  return map ? [SMALL_CELL * map.columns.length, SMALL_CELL * map.rows.length] : [CHARACTER * NUMBER * words.length, NUMBER];
}

/** A factor on its way. */
export function chip(key: string, value: unknown, x: number, y: number, hue: Paint, opacity: number): Mark[] {
  const [w, h] = extent(value);
  return [box(key, { x, y, w: w + 16, h: h + 14 }, 7, "paper", hue, 2.5, opacity), ...small(key, value, told(value), x, y, hue, opacity)];
}

function small(key: string, value: unknown, words: string, x: number, y: number, fill: Paint, opacity: number): Mark[] {
  const map = mapOf(value);
  if (map) return heat(`${key}/map`, map, x, y, SMALL_CELL, opacity);
  return [text(`${key}/value`, words, x, y + 0.35 * NUMBER, NUMBER, "bold", fill, opacity)];
}

/** The values on a plaque in words, a negative one after a sign in brackets, and their extents. */
function terms(values: readonly unknown[]): readonly [words: string[], sizes: Point[]] {
  const words = values.map((each, k) => (k && told(each).startsWith("−") ? `(${told(each)})` : told(each)));
  return [words, values.map((each, k) => extent(each, words[k]))];
}

/** The width and the height of a plaque. */
export function plaqueExtent(values: readonly unknown[]): Point {
  const [, sizes] = terms(values);
  const wide = sizes.reduce((sum, [w]) => sum + w, SIGN * (values.length - 1));
  return [wide + AROUND, Math.max(PLAQUE, ...sizes.map(([, high]) => high + 14))];
}

/** Values with signs between them around a place; the one that is `hued` wears a hue. */
export function plaque(values: readonly unknown[], signs: readonly string[], hued: number, [x, y]: Point, hue: Paint, opacity: number): Mark[] {
  const [words, sizes] = terms(values);
  const [w, h] = plaqueExtent(values);
  const marks: Mark[] = [box("plaque", { x, y, w, h }, 7, "paper", hue, 2, opacity)];
  let left = x - (w - AROUND) / 2;
  values.forEach((value, k) => {
    marks.push(...small(`plaque/${k}`, value, words[k]!, left + sizes[k]![0] / 2, y, k === hued ? hue : "ink", opacity));
    left += sizes[k]![0] + SIGN;
    if (signs[k]) marks.push(text(`plaque/${k}/sign`, signs[k], left - SIGN / 2, y + 0.35 * NUMBER, NUMBER, "bold", "ink", opacity));
  });
  return marks;
}
