// How items and edges look: SVG elements from one item or one edge. Colors are in the style sheet, by data-family.

import { barOf, outlineOf } from "./op-shapes.js";
import type { Edge, Item } from "../scene/scene.js";
import { svg } from "../ui/dom.js";
import { count } from "../ui/format.js";

/** What a drawn item has that stands for no node and no scope. */
export const NOTHING = { node: null, span: null, count: 1, repeat: 1, uses: 0, dead: false, title: "" } as const;

type Box = { w: number; h: number };

const box = ({ w, h }: Box, radius: number, className: string, grow = 0, shift = 0): SVGElement =>
  svg("rect", {
    class: className,
    x: -w / 2 - grow + shift,
    y: -h / 2 - grow + shift,
    width: w + 2 * grow,
    height: h + 2 * grow,
    rx: radius + grow,
  });

/** The radius of its corners. */
export const corner = ({ kind, h }: Item): number => (kind === "input" || kind === "output" || kind === "outside" ? h / 2 : 6);

/** One outline per kind, so that kinds are told apart without color. */
const OUTLINES: Record<Item["kind"], (item: Item) => SVGElement[]> = {
  input: (item) => [box(item, corner(item), "adviz-shape")],
  output: (item) => [box(item, corner(item), "adviz-shape"), box(item, corner(item), "adviz-inner", -3)],
  block: (item) => [box(item, corner(item), "adviz-shape")],
  outside: (item) => [box(item, corner(item), "adviz-shape")],
  scope: (item) => [
    ...(item.repeat > 1
      ? [box(item, corner(item), "adviz-stack", 0, 7), box(item, corner(item), "adviz-stack", 0, 3.5)]
      : []),
    box(item, corner(item), "adviz-shape"),
  ],
};

const words = (className: string, y: number, content: string, size: number): SVGElement =>
  svg("text", { class: className, y, "text-anchor": "middle", "data-room": size, "aria-hidden": "true" }, content);

function labels({ label, detail, w, room = 0 }: Item): SVGElement[] {
  const width = w - 16;
  const up = room / 2;
  if (!label) return [];
  return detail
    ? [words("adviz-label", -3 - up, label, width), words("adviz-detail", 12.5 - up, detail, width)]
    : [words("adviz-label", 4.5 - up, label, width)];
}

/** "×3" at the top right corner: how often the value is used. */
function badge({ w, h, uses }: Item): SVGElement | null {
  if (uses <= 1) return null;
  const content = `×${count(uses)}`;
  const width = 6 * content.length + 8;
  return svg(
    "g",
    { class: "adviz-badge", "aria-hidden": "true", transform: `translate(${w / 2 + 6 - width / 2},${-h / 2 - 1})` },
    box({ w: width, h: 15 }, 7.5, "adviz-badge-shape"),
    svg("text", { y: 3.5, "text-anchor": "middle" }, content),
  );
}

/** The plus at the lower right corner of a folded scope. */
const opener = ({ w, h }: Item): SVGElement =>
  svg(
    "g",
    { class: "adviz-open", "data-open": true, transform: `translate(${w / 2 + 1},${h / 2 + 1})` },
    svg("circle", { r: 8 }),
    svg("path", { d: "M-4 0h8M0 -4v8" }),
  );

export function drawItem(item: Item): SVGGElement {
  const { key, kind, family, node, dead, title, x, y, sort, derived } = item;
  return svg(
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
    box(item, corner(item), "adviz-ring", 4),
    ...(sort ? outlineOf(sort, item) : OUTLINES[kind](item)),
    derived ? barOf(item) : null,
    ...labels(item),
    badge(item),
    kind === "scope" ? opener(item) : null,
    svg("title", title),
  );
}

/** The path of a Bezier chain: x, y of the start and then three points per curve. */
export function pathOf(points: readonly number[]): string {
  let path = `M${points[0]},${points[1]}`;
  for (let i = 2; i < points.length; i += 6) path += `C${points.slice(i, i + 6).join(" ")}`;
  return path;
}

/** A chain of curves from its end to its start. */
export function backwards(points: readonly number[]): number[] {
  const pairs = Array.from({ length: points.length / 2 }, (_, i) => points.slice(2 * i, 2 * i + 2));
  return pairs.reverse().flat();
}

/** A triangle with its tip at the end of the chain, along its last direction. */
export function arrowOf(points: readonly number[], length = 8, halfWidth = 3.2): string {
  const [x, y] = points.slice(-2) as [number, number];
  let [dx, dy] = [0, 0];
  // The last control point may lie on the end; the direction is then that of the point before.
  for (let i = points.length - 4; i >= 0 && Math.hypot(dx, dy) < 1e-6; i -= 2)
    [dx, dy] = [x - points[i]!, y - points[i + 1]!];
  const norm = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / norm, dy / norm];
  const [bx, by] = [x - length * ux, y - length * uy];
  const place = (value: number): string => String(Math.round(100 * value) / 100);
  return (
    `M${place(x)},${place(y)}L${place(bx - halfWidth * uy)},${place(by + halfWidth * ux)}` +
    `L${place(bx + halfWidth * uy)},${place(by - halfWidth * ux)}Z`
  );
}

/** The middle of the middle curve of a chain. */
export function middleOf(points: readonly number[]): [number, number] {
  const curve = Math.floor(((points.length - 2) / 6 - 1) / 2);
  const at = (i: number, axis: number): number => points[6 * curve + 2 * i + axis]!;
  const middle = (axis: number): number => (at(0, axis) + 3 * at(1, axis) + 3 * at(2, axis) + at(3, axis)) / 8;
  return [middle(0), middle(1)];
}

/** Thicker where an edge stands for several. */
const lineWidth = (folded: number): number => Math.min(4, 1.25 + 0.4 * Math.log2(Math.max(1, folded)));

export function drawEdge({ key, points: given, count: folded, kind }: Edge): SVGGElement {
  const points = kind === "target" ? backwards(given) : given;
  const [x, y] = middleOf(points);
  return svg(
    "g",
    { class: "adviz-edge", "data-edge": key, "data-kind": kind, style: `--width:${lineWidth(folded)}px` },
    svg("path.adviz-line", { d: pathOf(points) }),
    svg("path.adviz-head", { d: arrowOf(points) }),
    folded > 1 ? svg("text.adviz-count", { x, y: y + 3.5, "text-anchor": "middle" }, `×${count(folded)}`) : null,
  );
}

/** Make texts fit their room: condensed a little, then cut. Only text in a document has a length. */
export function squeeze(labels: readonly SVGTextElement[]): void {
  const waiting = labels.filter((label) => !label.dataset["fitted"]);
  // All are measured before any is changed, or each would wait for a new layout of the page.
  const lengths = waiting.map((label) => label.getComputedTextLength?.() ?? 0);
  waiting.forEach((label, i) => {
    label.dataset["fitted"] = "true";
    condense(label, lengths[i]!, Number(label.dataset["room"]));
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
