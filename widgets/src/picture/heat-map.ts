// Signed numbers: blue is positive, orange negative, grey zero, and hue says nothing else. A number is a pill, an array a
// heat map with a scale of its own.

import { drawMarks } from "../motion/drawing.js";
import { type Point, straight } from "../motion/curves.js";
import { type Mark, type Paint, box, curve, text } from "../motion/marks.js";
import type { HeatMap } from "../scene/scene.js";
import { svg } from "../ui/dom.js";
import { number } from "../ui/format.js";

export type { Paint };

/** The paint of a derivative by its sign; one that is not finite is grey like zero, and its text says what it is. */
export const hue = (sign: number | null): Paint => (sign === 1 ? "positive" : sign === -1 ? "negative" : "zero");

/** Whether the text of a number says that it is not finite. */
export const isUnknown = (text: string): boolean => /nan|inf|∞/i.test(text);

/** The line around a cell, which an entry of next to nothing needs: its paint is that of the ground, faint in the dark. */
export const lineOf = (paint: Paint): Paint => (paint.endsWith(" 0") ? "zero" : "");

/** Px that a heat map may take, and the most that a cell takes. */
export type Room = readonly [width: number, height: number, cell: number];

/** What Python keeps free for it in a node. */
export const NODE_ROOM: Room = [36, 20, 9];

/** The sign as the style sheet has it: "1", "-1", "0", and "NaN" of what is not finite. */
export const signOf = (value: number): string => String(Number.isFinite(value) ? Math.sign(value) : NaN);

/** A number in some seven characters. */
export function short(value: number): string {
  const text = number(Number(value.toPrecision(4)));
  return text.length > 7 ? value.toExponential(1) : text;
}

export const pillWidth = (value: number): number => 6.2 * short(value).length + 12;

/** A derivative on a filled pill whose left end is at (x, y). One that is neither a number nor a sign has an outline. */
export function pillMarks(value: number, x: number, y: number): Mark[] {
  const [w, isFinite] = [pillWidth(value), Number.isFinite(value)];
  const at = { x: x + w / 2, y, w, h: 16 };
  return [
    box("pill-shape", at, 8, hue(isFinite ? Math.sign(value) : null), isFinite ? "" : "ink", 1, 1, !isFinite),
    text("pill-number", short(value), at.x, y + 4, 10.5, "mono", "on-hue"),
  ];
}

/** Lines across a cell, in shares of its side. */
const HATCH = [[0, 0.5], [0.5, 0], [1, 0], [0, 1], [0.5, 1], [1, 0.5]] as const;

/** A cell with its paint: the sign of the entry, and its share of the scale in percent. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  readonly paint: Paint;
}

export const cells = ({ columns, data, scale }: HeatMap): Cell[] =>
  data.map((entry, k) => ({
    row: Math.floor(k / columns.length),
    column: k % columns.length,
    // What is not finite is a text.
    paint: typeof entry === "string" ? "hatched" : `${hue(Math.sign(entry))} ${Math.floor(100 * (Math.abs(entry) / (scale || 1)) + 0.5)}`,
  }));

/** The number of a cell's entry in the whole array, row by row. */
export function entryOf({ shape, rows, columns }: HeatMap, cell: number): number {
  const [row, column] = [rows[Math.floor(cell / columns.length)]!, columns[cell % columns.length]!];
  return shape.length > 1 ? row * shape.at(-1)! + column : row + column; // a vector lies or stands
}

/** Shape and scale of a heat map in words, and how much of the array it shows. */
export function noteOf({ shape, rows, columns, data, scale }: HeatMap): string {
  const some = data.length < shape.reduce((a, b) => a * b, 1) ? `, of which ${rows.length} × ${columns.length} are shown` : "";
  return `${shape.join(" × ") || "number"}${some}, full color is ±${number(scale)}`;
}

const cellOf = ({ rows, columns }: HeatMap, [width, height, most]: Room): number =>
  Math.min(most, height / rows.length, width / columns.length);

/** Width and height of a heat map. */
export function sizeOf(map: HeatMap, room: Room): [number, number] {
  const cell = cellOf(map, room);
  return [map.columns.length * cell || 0, map.rows.length * cell || 0];
}

/** The marks of each cell of a map with its upper left corner at (x, y). */
export const cellMarks = (map: HeatMap, room: Room, x = 0, y = 0): Mark[][] => marksOf(map, cellOf(map, room), x, y);

/** The same in cells of some size, of which a square leaves something free. */
export function marksOf(map: HeatMap, cell: number, x: number, y: number, free = 0.1 * cell, corner = 0, opacity = 1, key = ""): Mark[][] {
  const side = cell - free;
  return cells(map).map(({ row, column, paint }, k) => {
    const [atX, atY] = [x + cell * column, y + cell * row];
    const square = box(`${key}heat/${k}`, { x: atX + side / 2, y: atY + side / 2, w: side, h: side }, corner, paint, lineOf(paint), cell / 15, opacity);
    if (paint !== "hatched") return [square];
    const corners = HATCH.map(([across, down]): Point => [atX + side * across, atY + side * down]);
    return [square, curve(`${key}hatch/${k}`, straight(corners), "zero", cell / 12, { opacity })];
  });
}

/** The map with its upper left corner at (x, y); a cell tells its place, its number and the scale when hovered. */
export function drawMap(map: HeatMap, room: Room, x = 0, y = 0): SVGGElement {
  const note = noteOf(map);
  const drawn = cellMarks(map, room, x, y).flatMap((marks, k) => {
    const elements = drawMarks(marks);
    const { row, column } = { row: Math.floor(k / map.columns.length), column: k % map.columns.length };
    const place = map.shape.length > 1 ? `${map.rows[row]}, ${map.columns[column]}` : map.columns[column];
    elements[0]!.append(svg("title", `[${place}] = ${map.data[k]} · ${note}`));
    return elements;
  });
  return svg("g", ...drawn);
}

/** A heat map by itself. */
export function figureOf(map: HeatMap, room: Room, what = "Heat map"): SVGSVGElement {
  const [width, height] = sizeOf(map, room);
  return svg("svg", { width, height, role: "img", "aria-label": `${what}, ${noteOf(map)}` }, drawMap(map, room));
}
