// How statements look: a box with name, shape and heat map, with how often its value is used where its edges leave it.

import type { Box, StatementsPanel, Use } from "./statements.js";
import { EM } from "../layout/lengths.js";
import { type Point, headed } from "../motion/curves.js";
import { drawMarks } from "../motion/drawing.js";
import { type Mark, type Paint, type Words, box, curve, text } from "../motion/marks.js";
import { drawMap } from "../picture/heat-map.js";
import { signMarks } from "../picture/op-shapes.js";
import type { Styled } from "../picture/picture.js";
import { type Drawn, drawEdge, drawItem, ringOf } from "../picture/shapes.js";
import type { Edge, Item } from "../scene/scene.js";
import { svg } from "../ui/dom.js";
import { count, cut } from "../ui/format.js";

/** Sizes of text: of a name, of the number in a port. */
const [NAME, TIMES] = [22, 16];
const PORT = 23;
/** The radius of the plus of a closed box. */
const OPENER = 10.5;
/** By how much the outline behind a box stands out. */
const BEHIND = 5;
const [LONG, WIDE] = [12, 11];
/** The thickness of the line around a box, and of what lies between the two lines of an edge that stands for several uses. */
const [LINE, GAP] = [1.6, 2.6];
/** The width of a letter of a statement. */
const LETTER = 10.9;

const corner = ({ kind, h }: Item): number => (kind === "input" ? Math.min(h / 2, 24) : 9);

function wordMarks({ label, detail, map, kind, dead, form: { head, slot, at } }: Box): Mark[] {
  const beside = slot[1] === head;
  return [
    text("label", label, beside ? at[0] : 0, head, NAME, "serif", dead ? "muted" : "ink"),
    text("detail", detail, slot[0], slot[1], EM, "sans", dead || kind === "input" ? "muted" : "ink"),
    text("measured", "", 0, map ? at[1] + 7 : slot[1], EM, "sans", "ink"),
  ];
}

/** A number on a round ground: how often a value is used, or how many matches are inside. */
export function countOf(name: "uses" | "matches", number: number, [x, y]: Point): SVGGElement {
  const words = count(number);
  const at = { x, y, w: Math.max(PORT, 11 * words.length + 10), h: PORT };
  const isMany = number > 1;
  const [ground, ink]: [Paint, Paint] = name === "matches" ? ["ink", "paper"] : ["paper", isMany ? "ink" : "muted"];
  const marks = [box("port", at, PORT / 2, ground, isMany ? "ink" : "faint", isMany ? 2 : 1.5), text("times", words, x, y + 5.7, TIMES, isMany ? "bold" : "sans", ink)];
  return svg("g", { class: `adviz-${name}`, "data-many": isMany, "aria-hidden": "true" }, ...drawMarks(marks));
}

function itemOf(each: Box): Drawn {
  const { w, h, map, form, box: number, isReturned, uses, port, times, dead } = each;
  const frame = (name: string, grow: number, shift = 0): Mark => box(name, { x: shift, y: -shift, w: w + 2 * grow, h: h + 2 * grow }, corner(each) + grow, grow ? "" : "paper", "edge", grow ? 1 : LINE, 1, dead && !shift);
  const isClosed = number >= 0;
  const behind = isClosed ? [times > 1 ? 2 : 0, 1].filter(Boolean).map((far) => frame(`behind/${far}`, 0, far * BEHIND)) : [];
  const [wide, high] = map ? [form.size * map.columns.length, form.size * map.rows.length] : [0, 0];
  return drawItem(each, { ring: [ringOf(each)], shape: [...behind, frame("shape", 0), ...(isReturned ? [frame("inner", -4)] : [])], words: wordMarks(each) }, [
    map ? svg("g.adviz-cells", drawMap(map, [wide, high, form.size], -wide / 2, form.at[1] - high / 2)) : null,
    uses ? countOf("uses", uses, port) : null,
    isClosed ? svg("g.adviz-open", { "data-open": true, transform: `translate(${w / 2 - 1},${-h / 2 - 1})` }, ...drawMarks(signMarks(true, OPENER))) : null,
  ]);
}

/** An edge, which is drawn twice where it stands for several uses. */
function useOf({ at: [x, y], ...edge }: Use): Drawn {
  const { stem, head } = headed(edge.points, LONG, WIDE);
  const isMany = edge.count > 1;
  const width = isMany ? 6 : 2;
  const isUpright = Math.abs(edge.points[0]! - edge.points.at(-2)!) < 1;
  const marks: Mark[] = [curve("line", stem, "edge", width), ...(isMany ? [curve("gap", stem, "paper", GAP)] : []), { type: "arrow", key: "head", points: head, fill: "edge", opacity: 1 }];
  if (isMany) marks.push({ ...text("count", `×${count(edge.count)}`, isUpright ? x + 20 : x, isUpright ? y + 6 : y - 9, EM, "bold", "ink") } satisfies Words);
  return drawEdge(edge, marks, width);
}

/** The statements with how they are drawn. */
export const drawn = (panel: StatementsPanel): StatementsPanel & Styled => ({
  ...panel,
  draw: {
    item: (item: Item) => itemOf(item as Box),
    edge: (edge: Edge) => useOf(edge as Use),
    frames: () =>
      panel.hulls.map((hull) => {
        const { x, y, w, h, label, number } = hull;
        const words: Words = { ...text("hull-label", `${cut(label, Math.floor(w / LETTER) - 2)} ×`, x - w / 2, y - h / 2 - 4, EM, "mono", "muted"), anchor: "start" };
        return svg("g", { "data-box": number }, ...drawMarks([box("hull", hull, 16, "", "ink", 2), ...(label ? [words] : [])]));
      }),
  },
});
