// How statements look: a box with name, shape and heat map, with how often its value is used where its edges leave it.

import type { Box, StatementsPanel, Use } from "./statements.js";
import { hullMarks } from "../layout/boxes.js";
import { EM } from "../layout/lengths.js";
import { type Point, headed } from "../motion/curves.js";
import { type Mark, type Words, box, curve, text } from "../motion/marks.js";
import { drawMark, drawMarks } from "../picture/drawn.js";
import { drawMap } from "../picture/heat-map.js";
import { drawEdge, drawItem, ringOf } from "../picture/shapes.js";
import type { Drawn } from "../picture/picture.js";
import type { Edge, Item } from "../scene/scene.js";
import { type Child, svg } from "../ui/dom.js";
import { count, cut, mathematics } from "../ui/format.js";

/** Sizes of text: of a name, of the number in a port. */
const [NAME, TIMES] = [22, 16];
const PORT = 23;
/** By how much the outline behind a box stands out. */
const BEHIND = 5;
const [LONG, WIDE] = [12, 11];
/** The width of a letter of a statement. */
const LETTER = 10.9;

const corner = ({ kind, h }: Item): number => (kind === "input" ? Math.min(h / 2, 24) : 9);

function wordsOf({ label, detail, form: { head, slot, at } }: Box): SVGElement[] {
  const beside = slot[1] === head;
  const name = text("label", "", beside ? at[0] : 0, head, NAME, "serif", "ink");
  const element = drawMark(name);
  element.append(...mathematics(label, (part) => svg("tspan.adviz-italic", {}, part)));
  return [element, drawMark(text("detail", detail, slot[0], slot[1], EM, "sans", "ink"))];
}

/** A number on a round ground: how often a value is used, or how many matches are inside. */
export function countOf(name: string, number: number, [x, y]: Point): SVGGElement {
  const words = count(number);
  const at = { x, y, w: Math.max(PORT, 11 * words.length + 10), h: PORT };
  return svg("g", { class: `adviz-${name}`, "data-many": number > 1, "aria-hidden": "true" }, ...drawMarks([box("port", at, PORT / 2, "", "", 1.4), text("times", words, x, y + 5.7, TIMES, "sans", "ink")]));
}

function itemOf(each: Box): SVGGElement {
  const { w, h, map, form, box: number, isReturned, uses, port, times } = each;
  const frame = (name: string, grow: number, shift = 0): Mark => box(name, { x: shift, y: -shift, w: w + 2 * grow, h: h + 2 * grow }, corner(each) + grow, "", "", 1.4);
  const isClosed = number >= 0;
  const [wide, high] = map ? [form.size * map.columns.length, form.size * map.rows.length] : [0, 0];
  const opener = (): SVGGElement => svg("g.adviz-open", { "data-open": true, transform: `translate(${w / 2 - 1},${-h / 2 - 1})` }, ...drawMarks([box("circle", { x: 0, y: 0, w: 21, h: 21 }, 10.5, "", "", 1)]), svg("path.adviz-plus", { d: "M-5 0h10M0 -5v10" }));
  const parts: Child[] = [
    drawMark(ringOf(each)),
    ...(isClosed ? [times > 1 ? 2 : 0, 1].filter(Boolean).map((far) => drawMark(frame("behind", 0, far * BEHIND))) : []),
    drawMark(frame("shape", 0)),
    ...(isReturned ? [drawMark(frame("inner", -4))] : []),
    ...wordsOf(each),
    map ? svg("g.adviz-cells", drawMap(map, [wide, high, form.size], -wide / 2, form.at[1] - high / 2)) : null,
    drawMark(text("measured", "", 0, map ? form.at[1] + 7 : form.slot[1], EM, "sans", "ink")),
    uses ? countOf("uses", uses, port) : null,
    isClosed ? opener() : null,
  ];
  return drawItem(each, parts);
}

/** An edge, which is drawn twice where it stands for several uses. */
function useOf({ at: [x, y], ...edge }: Use): SVGGElement {
  const { stem, head } = headed(edge.points, LONG, WIDE);
  const isMany = edge.count > 1;
  const isUpright = Math.abs(edge.points[0]! - edge.points.at(-2)!) < 1;
  const marks: Mark[] = [curve("line", stem, "", 0), ...(isMany ? [curve("gap", stem, "", 0)] : []), { type: "arrow", key: "head", points: head, fill: "", opacity: 1 }];
  if (isMany) marks.push({ ...text("count", `×${count(edge.count)}`, isUpright ? x + 20 : x, isUpright ? y + 6 : y - 9, EM, "bold", "ink") } satisfies Words);
  return drawEdge(edge, isMany ? 6 : 2, marks);
}

/** The statements with how they are drawn. */
export const drawn = (panel: StatementsPanel): StatementsPanel & Drawn => ({
  ...panel,
  draw: {
    item: (item: Item) => itemOf(item as Box),
    edge: (edge: Edge) => useOf(edge as Use),
    frames: () =>
      panel.hulls.map((hull, i) => {
        const [frame, label] = hullMarks(hull, i).map((mark) => drawMark(mark)) as [SVGElement, SVGElement?];
        frame.setAttribute("class", "adviz-hull");
        if (label) {
          label.textContent = `${cut(hull.label, Math.floor(hull.w / LETTER) - 2)} ×`;
          label.setAttribute("x", String(hull.x - hull.w / 2));
          label.setAttribute("class", "adviz-hull-label");
        }
        return svg("g", { "data-box": hull.number }, frame, label ?? null);
      }),
  },
});

