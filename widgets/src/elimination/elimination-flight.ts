// At the end of an elimination each label is an entry of the Jacobian, and flies to its cells there, with its value.

import { frameOf } from "./elimination-marks.js";
import { type Context, labels } from "./elimination-standing.js";
import { written } from "./elimination-values.js";
import { endsOf } from "./elimination.js";
import { Drawing } from "../motion/drawing.js";
import { eased } from "../motion/schedule.js";
import { html, svg } from "../ui/dom.js";

type Bounds = Pick<DOMRect, "left" | "top" | "width" | "height">;

/** Draw the labels on their way from a picture to the cells of a matrix in the same show; none before or after it. */
export function fly(air: HTMLElement, picture: SVGSVGElement, context: Context, nodeOf: (vertex: string) => number): void {
  const isLast = [...context.rests.keys()].every((key) => !key.startsWith("vertex/") || isEnd(key.slice(7), context));
  const share = isLast && context.moved > 0 && context.moved < 1 ? eased(context.moved) : 0;
  const show = share ? picture.closest<HTMLElement>(".adviz-show") : null;
  const matrix = show?.querySelector<HTMLElement>(".adviz-matrix");
  const toScreen = picture.getScreenCTM?.();
  if (!show || !matrix || !toScreen) return air.replaceChildren();
  if (air.parentElement !== show) show.append(air);
  const origin = show.getBoundingClientRect();
  const ghosts = labels(context.after).flatMap((thing) => {
    const [tail, head] = endsOf(thing).map(nodeOf) as [number, number];
    const to = cellsOf(matrix, head, tail);
    if (!to) return [];
    const { x, y, w, h } = frameOf(thing, context);
    const [left, top] = [toScreen.a * (x - w / 2) + toScreen.e, toScreen.d * (y - h / 2) + toScreen.f];
    const from = { left, top, width: toScreen.a * w, height: toScreen.d * h };
    const at = (side: keyof Bounds): number => from[side] + share * (to[side] - from[side]);
    const value = new Drawing();
    value.show(written("value", context.after.get(`node/${thing}`), 0, 0, w - 4, 1));
    const ghost = html("div.adviz-flying", svg("svg.adviz-flow", { viewBox: `${-w / 2} ${-h / 2} ${w} ${h}` }, value.element));
    const place = `left:${at("left") - origin.left}px;top:${at("top") - origin.top}px;width:${at("width")}px;height:${at("height")}px`;
    ghost.style.cssText = place;
    return [ghost];
  });
  air.replaceChildren(...ghosts);
}

const isEnd = (vertex: string, { panel }: Context): boolean =>
  panel.vertices.some(({ thing, role }) => thing === vertex && role !== "intermediate");

/** Where the entries of a row and a column stand: of arrays several. */
function cellsOf(matrix: HTMLElement, row: number, column: number): Bounds | null {
  const bounds = (heads: string): DOMRect[] => [...matrix.querySelectorAll(heads)].map((head) => head.getBoundingClientRect());
  const [rows, columns] = [bounds(`tbody th[data-of="${row}"]`), bounds(`thead th[data-of="${column}"]`)];
  if (!rows.length || !columns.length) return null;
  const [left, top] = [columns[0]!.left, rows[0]!.top];
  return { left, top, width: columns.at(-1)!.right - left, height: rows.at(-1)!.bottom - top };
}
