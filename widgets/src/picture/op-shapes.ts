// How ops look that are no operations: storage is a drum, a constant has sharp corners, an assignment points into storage,
// and what makes others run is a hexagon. A part of a derivative has a bar above it, as adjoints have in formulas. And the
// boxes around ops that belong together.

import { drawMarks } from "../motion/drawing.js";
import { type Point, straight } from "../motion/curves.js";
import { type Curve, type Mark, type Paint, box, curve, text } from "../motion/marks.js";
import type { Group, Item } from "../scene/scene.js";
import { svg } from "../ui/dom.js";

/** Pixels: the height of the lid of a drum, and the length of a point. */
const LID = 4;
/** Pixels that a lid is above its box, so that the name below it has its room. */
const RAISED = 3;
const POINT = 9;
/** Between an op and the bar above it. */
const ABOVE = 4;

type Box = Pick<Item, "w" | "h">;
type Sort = NonNullable<Item["sort"]>;
/** What an outline is filled and drawn with. */
export type Look = Readonly<{ fill: Paint; line: Paint; thickness: number; dashed: boolean }>;

const CORNERS: Record<Exclude<Sort, "storage">, (x: number, y: number) => Point[]> = {
  constant: (x, y) => [[-x, -y], [x, -y], [x, y], [-x, y]],
  assign: (x, y) => [[-x, -y], [x - POINT, -y], [x, 0], [x - POINT, y], [-x, y]],
  order: (x, y) => [[POINT - x, -y], [x - POINT, -y], [x, 0], [x - POINT, y], [POINT - x, y], [-x, 0]],
};

/** Half of an ellipse from (-x, y) to (x, y), or to the left, that rises by so much: the points after its start. */
function half(x: number, y: number, rise: number): number[] {
  const [k, top] = [0.5523 * x, y - rise];
  const near = y - 0.5523 * rise;
  return [-x, near, -k, top, 0, top, k, top, x, near, x, y];
}

/** The outline of an op that is no operation, by what it is. */
export function outlineOf(sort: Sort, { w, h }: Box, { line, ...look }: Look): Curve[] {
  const [x, y] = [w / 2, h / 2];
  if (sort !== "storage") {
    const corners = CORNERS[sort](x, y);
    return [curve("shape", straight([...corners, corners[0]!]), line, look.thickness, look)];
  }
  const [top, bottom] = [LID - RAISED - y, y - LID];
  const side = [x, top, x, bottom, x, bottom];
  const back = [-x, bottom, -x, top, -x, top];
  const drum = [-x, top, ...half(x, top, LID), ...side, ...half(-x, bottom, -LID), ...back];
  return [curve("shape", drum, line, look.thickness, look), curve("inner", [-x, top, ...half(x, top, -LID)], line, 1)];
}

/** The bar above a part of a derivative. */
export function barOf({ w, h }: Box): Curve {
  const y = -h / 2 - ABOVE;
  return curve("bar-above", straight([[4 - w / 2, y], [w / 2 - 4, y]]), "ink", 1.6);
}

/** A sign in a circle of some radius: a plus, or without its upright line a minus. */
export function signMarks(upright: boolean, radius = 8): Mark[] {
  const half = radius / 2;
  const lines = [curve("plus/level", straight([[-half, 0], [half, 0]]), "ink", 1.5), curve("plus/upright", straight([[0, -half], [0, half]]), "ink", 1.5)];
  return [box("circle", { x: 0, y: 0, w: 2 * radius, h: 2 * radius }, radius, "paper", "edge", 1.2), ...lines.slice(0, upright ? 2 : 1)];
}

/** A box around ops, with its label in its upper left corner. */
export const groupMarks = ({ label, w, h, composite }: Group): Mark[] => [
  box("group-box", { x: w / 2, y: h / 2, w, h }, 8, "cell", composite ? "edge" : "faint", composite ? 1.6 : 1),
  { ...text("group-label", label, 9, 16, 12, "sans", "muted"), anchor: "start" },
];

/** A box around ops; one that can be folded has a minus. */
export const drawGroup = (group: Group): SVGGElement =>
  svg(
    "g.adviz-group",
    { "data-inner": group.parent >= 0, "data-composite": group.composite, transform: `translate(${group.x},${group.y})` },
    ...drawMarks(groupMarks(group)),
    group.composite
      ? svg("g.adviz-open", { "data-close": true, transform: `translate(${group.w - 11},${11})` }, ...drawMarks(signMarks(false)))
      : null,
  );
