// How items and edges look, as marks around the middle of an item: in files and in the page, where the style sheet says
// how what is selected or pointed at stands out.

import { Drawing, drawMarks } from "../motion/drawing.js";
import { type Look, barOf, outlineOf, signMarks } from "./op-shapes.js";
import { type Point, headed, pointAt, reversed, straight } from "../motion/curves.js";
import { type Area, type Mark, type Paint, box, curve, moved, text } from "../motion/marks.js";
import type { Edge, Item } from "../scene/scene.js";
import { type Child, svg } from "../ui/dom.js";
import { count } from "../ui/format.js";

/** What a drawn item has that stands for no node and no scope. */
export const NOTHING = { node: null, span: null, count: 1, repeat: 1, uses: 0, dead: false, title: "" } as const;

// ---- items ----

/** The radius of its corners. */
export const corner = ({ kind, h }: Item): number => (kind === "input" || kind === "output" || kind === "outside" ? h / 2 : 6);

const frame = (key: string, item: Item, { fill, line, thickness, dashed }: Look, grow = 0, shift = 0): Mark => {
  const at: Area = { x: shift, y: shift, w: item.w + 2 * grow, h: item.h + 2 * grow };
  return box(key, at, corner(item) + grow, fill, line, thickness, 1, dashed);
};

/** The border around an item that shows what is ready, or in the page what is selected; nothing else fills its place. */
export const ringOf = (item: Item, line: Paint = ""): Mark => frame("ring", item, { fill: "", line, thickness: line ? 2 : 3, dashed: line !== "" }, 4);

/** Sheets behind a repeated scope, in px to the lower right. */
const SHEETS = [7, 3.5];

/** One outline per kind, so that kinds are told apart without color. */
function outline(item: Item, look: Look): Mark[] {
  if (item.sort) return outlineOf(item.sort, item, look);
  const thin = { ...look, thickness: 1, dashed: false };
  const sheets = item.kind === "scope" && item.repeat > 1 ? SHEETS : [];
  return [
    ...sheets.map((shift, k) => frame(`stack/${k}`, item, thin, 0, shift)),
    frame("shape", item, look),
    ...(item.kind === "output" ? [frame("inner", item, { ...thin, fill: "" }, -3)] : []),
  ];
}

/** The one or two lines of an item, above the room that a show needs. */
export function wordMarks({ kind, label, detail, room = 0 }: Item, isMuted = false): Mark[] {
  if (!label) return [];
  const [size, font] = kind === "outside" ? [12, "sans" as const] : [13, "bold" as const];
  const name = text("label", label, 0, (detail ? -3 : 4.5) - room / 2, size, font, isMuted ? "muted" : "ink");
  return detail ? [name, text("detail", detail, 0, 12.5 - room / 2, 11, "mono", isMuted ? "muted" : "ink 88")] : [name];
}

/** "×3" at the top right corner: how often the value is used. */
export function badgeMarks({ w, h, uses }: Item): Mark[] {
  if (uses <= 1) return [];
  const words = `×${count(uses)}`;
  const width = 6 * words.length + 8;
  const [x, y] = [w / 2 + 6 - width / 2, -h / 2 - 1];
  return [box("badge-shape", { x, y, w: width, h: 15 }, 7.5, "paper", "neutral-line", 1), text("badge-number", words, x, y + 3.5, 10.5, "sans", "ink")];
}

/** What differs of an item in two graphs, at its upper left corner. */
export function changeMarks({ w, h, change }: Item, paint: Paint = ""): Mark[] {
  if (!change) return [];
  const wide = 8.4 * change.sign.length + 10;
  const [x, y] = [wide / 2 - w / 2 - 6, -h / 2 - 1];
  return [box("change-shape", { x, y, w: wide, h: 17 }, 8.5, "paper", paint, 1.4), text("change-sign", change.sign, x, y + 4.2, 12, "bold", paint)];
}

/** What an item is drawn with behind its words. */
export const shapeMarks = (item: Item, look: Look): Mark[] => [...outline(item, look), ...(item.derived ? [barOf(item)] : [])];

/** The plus at the lower right corner of a folded scope. */
export const openerMarks = ({ w, h }: Item): Mark[] => signMarks(true).map((mark) => moved(mark, w / 2 + 1, h / 2 + 1));

/** What an item is drawn with, from below; parts of it are drawn anew, and the others stay. */
const PARTS = ["ring", "shape", "bar", "words", "badge", "more"] as const;
export type Parts = { readonly [Part in (typeof PARTS)[number]]?: readonly Mark[] };

export const partsOf = (item: Item, look: Look): Parts => ({ ring: [ringOf(item)], shape: shapeMarks(item, look), words: wordMarks(item, item.dead), badge: badgeMarks(item) });

/** The group of an item or an edge in the page, and how to draw its parts. */
export interface Drawn {
  readonly element: SVGGElement;
  put(parts: Parts): void;
}

function drawnIn(element: SVGGElement, parts: Parts): Drawn {
  const drawing = new Drawing(element, true);
  let all: Parts = {};
  const put = (some: Parts): void => {
    all = { ...all, ...some };
    drawing.show(PARTS.flatMap((part) => all[part] ?? []));
  };
  put(parts);
  return { element, put };
}

/** An item with what it is drawn with, and more above it. */
export function drawItem(item: Item, parts: Parts, more: readonly Child[] = []): Drawn {
  const { key, kind, family, node, dead, title, x, y, sort } = item;
  const element = svg(
    "g",
    {
      class: `adviz-node adviz-${kind}`,
      "data-key": key,
      "data-node": node ?? "",
      "data-family": family,
      "data-dead": dead,
      "data-sort": sort,
      role: "img",
      tabindex: -1,
      "aria-label": title,
      transform: `translate(${x},${y})`,
    },
    ...more,
    svg("title", title),
  );
  return drawnIn(element, parts);
}

/** The plus of a folded scope, to be pressed. */
export const drawOpener = (item: Item): SVGGElement => svg("g.adviz-open", { "data-open": true }, ...drawMarks(openerMarks(item)));

// ---- edges ----

/** The length and the width of the head of an arrow, on a thin line. */
const HEAD = [8, 6.4] as const;
const THIN = 1.25;

/** What an edge is drawn with. */
export interface EdgeLook {
  readonly paint: Paint;
  readonly thickness: number;
  readonly dashed: boolean;
  readonly dotted?: true;
}

/** The middle of the middle curve of a chain. */
export function middleOf(points: readonly number[]): Point {
  const first = 6 * Math.floor(((points.length - 2) / 6 - 1) / 2);
  return pointAt(points.slice(first, first + 8), 0.5);
}

/** Thicker where an edge stands for several. */
export const lineWidth = ({ count: folded }: Edge): number => Math.min(4, THIN + 0.4 * Math.log2(Math.max(1, folded)));

/** Whether values go along an edge. */
export const isUse = ({ kind }: Edge): boolean => kind === "data" || kind === "target";

/** The line of an edge with the head of its arrow, which is hollow where no value is used; and how many it stands for. */
export function edgeMarks(edge: Edge, { paint, thickness, ...look }: EdgeLook): Mark[] {
  const points = edge.kind === "target" ? reversed(edge.points) : edge.points;
  const more = lineWidth(edge) - THIN;
  const { stem, head } = headed(points, HEAD[0] + more, HEAD[1] + more);
  return [curve("line", stem, paint, thickness, look), ...headMarks(head, paint, !isUse(edge) && edge.kind !== "initializer"), ...countMarks(points, edge.count)];
}

function headMarks(head: readonly number[], paint: Paint, isHollow: boolean): Mark[] {
  if (!isHollow) return [{ type: "arrow", key: "head", points: head, fill: paint, opacity: 1 }];
  const [x, y, u, v, w, z] = head as [number, number, number, number, number, number];
  return [curve("head", straight([[x, y], [u, v], [w, z], [x, y]]), paint, 1, { fill: "paper" })];
}

function countMarks(points: readonly number[], folded: number): Mark[] {
  if (folded < 2) return [];
  const [[x, y], words] = [middleOf(points), `×${count(folded)}`];
  return [box("count-ground", { x, y, w: 6 * words.length + 6, h: 15 }, 7.5, "paper", "", 0), text("count", words, x, y + 3.5, 10.5, "sans", "ink")];
}

export function drawEdge(edge: Edge, marks: readonly Mark[], width = lineWidth(edge)): Drawn {
  const { key, kind } = edge;
  return drawnIn(svg("g", { class: "adviz-edge", "data-edge": key, "data-kind": kind, style: `--width:${width}px` }), { shape: marks });
}

// ---- words that fit ----

/** Make texts fit their room: condensed a little, then cut. Only text in a document has a length. */
export function squeeze(labels: readonly (readonly [label: SVGTextElement, room: number])[]): void {
  // All are measured before any is changed, or each would wait for a new layout of the page.
  const lengths = labels.map(([label]) => label.getComputedTextLength?.() ?? 0);
  labels.forEach(([label, room], i) => {
    label.dataset["fitted"] = "true";
    condense(label, lengths[i]!, room);
  });
}

function condense(label: SVGTextElement, length: number, room: number): void {
  if (length <= room) return;
  const characters = Array.from(label.textContent ?? "");
  const most = 1.12 * room;
  if (length > most)
    label.textContent = `${characters.slice(0, Math.max(1, Math.floor((most * characters.length) / length) - 1)).join("")}…`;
  label.setAttribute("textLength", String(room));
  label.setAttribute("lengthAdjust", "spacingAndGlyphs");
}
