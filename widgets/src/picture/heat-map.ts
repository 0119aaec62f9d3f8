// Signed numbers: blue is positive, orange negative, grey zero, and hue says nothing else. A number is a pill, an array a
// heat map with a scale of its own.

import type { HeatMap } from "../scene/scene.js";
import { svg } from "../ui/dom.js";
import { number } from "../ui/format.js";

/** A color by the name of its use: "positive", or "positive 63", so many percent of it on the ground of a heat map. */
export type Paint = string;

/** The paint of a derivative by its sign; one that is not finite is grey like zero, and its text says what it is. */
export const hue = (sign: number | null): Paint => (sign === 1 ? "positive" : sign === -1 ? "negative" : "zero");

/** Whether the text of a number says that it is not finite. */
export const isUnknown = (text: string): boolean => /nan|inf|∞/i.test(text);

/** The line around a cell, which an entry of next to nothing needs: its paint is that of the ground, faint in the dark. */
export const lineOf = (paint: Paint): Paint => (paint.endsWith(" 0") ? "zero" : "");

/** A paint in CSS. */
export function color(paint: Paint): string {
  const [name, share] = paint.split(" ");
  if (!name) return "none";
  return share ? `color-mix(in oklab,var(--${name}) ${share}%,var(--cell))` : `var(--${name})`;
}

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

/** A derivative: a filled pill with its left end at (x, y). */
export function pill(value: number, x: number, y: number): SVGGElement {
  const width = pillWidth(value);
  return svg(
    "g.adviz-pill",
    { "data-value": signOf(value), transform: `translate(${x},${y})` },
    svg("rect", { y: -8, width, height: 16, rx: 8 }),
    svg("text", { x: width / 2, y: 4, "text-anchor": "middle" }, short(value)),
  );
}

/** Lines across a cell of side 1. */
const HATCH = "M0 .5.5 0H1L0 1H.5L1 .5";

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

/** The map with its upper left corner at (x, y); a cell tells its place, its number and the scale when hovered. */
export function drawMap(map: HeatMap, room: Room, x = 0, y = 0): SVGGElement {
  const cell = cellOf(map, room);
  const side = 0.9 * cell;
  const note = noteOf(map);
  return svg(
    "g",
    ...cells(map).flatMap(({ row, column, paint }, k) => {
      const place = map.shape.length > 1 ? `${map.rows[row]}, ${map.columns[column]}` : map.columns[column];
      const [atX, atY] = [x + cell * column, y + cell * row];
      const drawn = svg(
        "rect.adviz-heat",
        { x: atX, y: atY, width: side, height: side, style: `fill:${color(paint)};stroke:${color(lineOf(paint))}`, "stroke-width": cell / 15 },
        svg("title", `[${place}] = ${map.data[k]} · ${note}`),
      );
      return paint === "hatched" ? [drawn, svg("path.adviz-hatch", { d: HATCH, transform: `translate(${atX},${atY})scale(${side})` })] : [drawn];
    }),
  );
}

/** A heat map by itself. */
export function figureOf(map: HeatMap, room: Room, what = "Heat map"): SVGSVGElement {
  const [width, height] = sizeOf(map, room);
  return svg("svg", { width, height, role: "img", "aria-label": `${what}, ${noteOf(map)}` }, drawMap(map, room));
}
