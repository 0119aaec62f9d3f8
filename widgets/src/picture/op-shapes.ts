// How ops look that are no operations: storage is a drum, a constant has sharp corners, an assignment points into storage,
// and what makes others run is a hexagon. A part of a derivative has a bar above it, as adjoints have in formulas. And the
// boxes around ops that belong together.

import type { Group, Item } from "../scene/scene.js";
import { svg } from "../ui/dom.js";

/** Pixels: the height of the lid of a drum, and the length of a point. */
const LID = 4;
/** Pixels that a lid is above its box, so that the name below it has its room. */
const RAISED = 3;
const POINT = 9;

type Box = Pick<Item, "w" | "h">;

const PATHS: Record<NonNullable<Item["sort"]>, (x: number, y: number) => string> = {
  storage: (x, y) => `M${-x} ${LID - RAISED - y}A${x} ${LID} 0 0 1 ${x} ${LID - RAISED - y}V${y - LID}A${x} ${LID} 0 0 1 ${-x} ${y - LID}Z`,
  constant: (x, y) => `M${-x} ${-y}H${x}V${y}H${-x}Z`,
  assign: (x, y) => `M${-x} ${-y}H${x - POINT}L${x} 0L${x - POINT} ${y}H${-x}Z`,
  order: (x, y) => `M${POINT - x} ${-y}H${x - POINT}L${x} 0L${x - POINT} ${y}H${POINT - x}L${-x} 0Z`,
};

/** The outline of an op that is no operation, by what it is. */
export function outlineOf(sort: NonNullable<Item["sort"]>, { w, h }: Box): SVGElement[] {
  const [x, y] = [w / 2, h / 2];
  const lid = `M${-x} ${LID - RAISED - y}A${x} ${LID} 0 0 0 ${x} ${LID - RAISED - y}`;
  const shape = svg("path.adviz-shape", { d: PATHS[sort](x, y) });
  return sort === "storage" ? [shape, svg("path.adviz-inner", { d: lid })] : [shape];
}

/** The bar above a part of a derivative. */
export const barOf = ({ w, h }: Box): SVGElement => svg("path.adviz-bar-above", { d: `M${4 - w / 2} ${-h / 2 - 4}H${w / 2 - 4}` });

/** A box around ops, with its label in its upper left corner; one that can be folded has a minus. */
export const drawGroup = ({ label, x, y, w, h, parent, composite }: Group): SVGGElement =>
  svg(
    "g.adviz-group",
    { "data-inner": parent >= 0, "data-composite": composite, transform: `translate(${x},${y})` },
    svg("rect", { width: w, height: h, rx: 8 }),
    svg("text", { x: 9, y: 16 }, label),
    composite
      ? svg("g.adviz-open", { "data-close": true, transform: `translate(${w - 11},${11})` }, svg("circle", { r: 8 }), svg("path", { d: "M-4 0h8" }))
      : null,
  );
