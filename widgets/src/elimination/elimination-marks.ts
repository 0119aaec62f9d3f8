// A moment of an elimination as marks: vertices, labels, the faces between them, and the product in play. A face is drawn between two curves: through its vertex, along both
// edges, and straight from label to label. Every point of it lies between the points of the two, and so do the control
// points of their Bezier curves.

import { type Context, isWhole, labels, lanes } from "./elimination-standing.js";
import type { State } from "./elimination-steps.js";
import { chip, extent, isTall, plaque, plaqueExtent, symbol, written } from "./elimination-values.js";
import { isInterior } from "./elimination.js";
import type { PlacedVertex } from "../layout/placed.js";
import { type Chain, type Point, cut, headed, overlap, reversed, straight } from "../motion/curves.js";
import { type Item, type Mark, box, curve, text } from "../motion/marks.js";
import { eased, within } from "../motion/schedule.js";
import type { Paint } from "../picture/heat-map.js";

/** The box of a label in a graph, and in a line graph; and pixels more where it holds several rows. */
const LABEL = [80, 30] as const;
const NODE = [92, 50] as const;
const TALLER = [8, 12] as const;
/** The height of a vertex; of an end in a line graph, and its corner there; the radius of a vertex that has lost faces. */
const DISC = 44;
const NARROW = 34;
const SQUARE = 7;
const RING = 46;
/** The height that its ports take, and the most between two of them. */
const PORTS = 60;
const PORT = 30;
/** The thickness of lines. */
const LINE = 2.1;
const WAITING = 3;
const GROWN = 3.2;
const PLAYED = 5.5;
const HALO = 20;
/** The length and the width of the head of an arrow; what a vertex has faded by in a line graph. */
const HEAD = [12, 11] as const;
const FADED = 0.86;
/** The edge that begins at an input or ends at an output of a line graph. */
const STUB = 18;
/** Pixels between a label and the arithmetic beside it, and to the next place that is tried. */
const CLEAR = 8;
const FARTHER = 22;

export function items(context: Context): Item[] {
  const { there, panel } = context;
  const faces = [...there.keys()].filter((key) => key.startsWith("face/")).map((key) => key.slice(5));
  const vertices = panel.vertices.filter(({ thing }) => there.has(`vertex/${thing}`));
  return [
    ...faces.map((key) => ({ kind: "face", key, title: "", marks: faceMarks(key, context) })),
    ...vertices.map((vertex) => ({ kind: "vertex", key: vertex.thing, title: vertex.name, marks: vertexMarks(vertex, context) })),
    ...labels(there).map((thing) => ({ kind: "label", key: thing, title: titleOf(thing, context), marks: labelMarks(thing, context) })),
    { kind: "product", key: "", title: "", marks: productMarks(context) },
    { kind: "product", key: "note", title: "", marks: noteMarks(context) },
  ].filter(({ marks }) => marks.length);
}

export const moment = (context: Context): Mark[] => items(context).flatMap(({ marks }) => marks);

/** The letter of an edge that has one, or else the symbol of its number. */
function titleOf(thing: string, { panel, after, before }: Context): string {
  const value = valueOf(after, before, thing);
  return typeof value === "string" && /^[eX]/.test(value) ? value : symbol(panel, thing);
}

/** What is not on a page is pale while the page is looked at. */
const PALE = 0.22;

export function paled(items: readonly Item[], page: ReadonlySet<string>): Item[] {
  const isThere = ({ kind, key }: Item): boolean => !["label", "face"].includes(kind) || key.split("/").every((thing) => page.has(thing) || !isInterior(thing));
  return items.map((item) => (isThere(item) ? item : { ...item, marks: item.marks.map((mark) => ({ ...mark, opacity: PALE * mark.opacity })) }));
}

// ---- labels ----

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly swollen: number;
}

const valueOf = (one: State, other: State, thing: string): unknown => one.get(`node/${thing}`) ?? other.get(`node/${thing}`);

/** The box of a label, which is larger where it is a node of a line graph, or in play. */
export function frameOf(thing: string, { spots, product, on, pointed, landed, gone, morph, after, before, merge }: Context): Frame {
  const part = !product || !on ? 0 : [product.head, product.tail].includes(thing) ? on * pointed : thing === product.result ? on * landed : 0;
  const swollen = Math.max(morph, part);
  const more = isTall(valueOf(after, before, thing)) ? TALLER : [0, 0];
  let [x, y] = spots.get(`label/${thing}`)!;
  if (merge?.[0] === thing) {
    const [u, v] = spots.get(`label/${merge[1]}`)!;
    [x, y] = [x + gone * (u - x), y + gone * (v - y)];
  }
  const low = LABEL[1] + more[0]!;
  return { x, y, w: LABEL[0] + swollen * (NODE[0] - LABEL[0]), h: low + swollen * (NODE[1] + more[1]! - low), swollen };
}

function labelMarks(thing: string, context: Context): Mark[] {
  const { x, y, w, h, swollen } = frameOf(thing, context);
  const { product, on, merge, results, dim, landed, gone, after, before } = context;
  const key = `label/${thing}`;
  const presence = context.presence(`node/${thing}`);
  const isFactor = product !== null && on > 0 && [product.head, product.tail].includes(thing);
  const hue = isFactor ? product.hue : on ? results.get(thing) : undefined;
  const isMerged = merge?.includes(thing) ?? false;
  const line = hue ?? (isMerged ? "ink" : swollen > 0.5 ? "edge" : "faint");
  const marks: Mark[] = [box(key, { x, y, w, h }, 6, isFactor ? `${hue} 14` : "paper", line, hue || isMerged ? 3 : 1 + 0.6 * swollen, presence)];
  const strength = presence * (hue || isMerged ? 1 : dim);
  const isNew = (landed > 0.5 && gone === 0) || gone > 0.5;
  const named = within(swollen, 0.6, 1);
  if (named) marks.push(text(`${key}/symbol`, symbol(context.panel, thing), x, y - h / 2 + 19, 17, "serif", "ink", named * strength));
  const value = isNew ? valueOf(after, before, thing) : valueOf(before, after, thing);
  return [...marks, ...written(key, value, x, y + swollen * 10, w - 4, strength)];
}

/** The way of an edge through the picture, from vertex to vertex. */
export function roadOf(thing: string, context: Context): string {
  const [tail, head] = thing.split(".").map((end) => ({ at: context.spots.get(`vertex/${end}`)!, half: vertexOf(context, end).w / 2 })) as [Post, Post];
  const { x, y, w } = frameOf(thing, context);
  const [left, right] = [cubic(tail.at[0] + tail.half, tail.at[1], x - w / 2, y), cubic(x + w / 2, y, head.at[0] - head.half, head.at[1])];
  return [left, right].map(([u, v, ...rest]) => `M${u} ${v}C${rest}`).join("");
}

interface Post {
  readonly at: Point;
  readonly half: number;
}

// ---- vertices ----

/** A disc, a ring where a vertex has lost faces, and an end of a line graph a square. */
export function vertexMarks(vertex: PlacedVertex, context: Context): Mark[] {
  const { thing, label, detail } = vertex;
  const key = `vertex/${thing}`;
  const [x, y] = context.spots.get(key)!;
  if (vertex.role !== "intermediate") return endMarks(vertex, x, y, context.morph);
  const presence = context.presence(key);
  const opacity = presence * (1 - FADED * context.opened(thing));
  const ring = context.ring(thing);
  const [half, tall] = halves(vertex, ring);
  const marks = [
    box(key, { x, y, w: 2 * half, h: 2 * tall }, tall, ring > 0.5 ? "" : "cell", "edge", 2, opacity, ring > 0),
    text(`${key}/name`, label, x, y + 6 - ring * (tall + 16), 17, "bold", "ink", Math.max(opacity, 0.35 * presence)),
  ];
  if (detail && ring < 1) marks.push(text(`${key}/size`, detail, x, y + tall + 18, 16, "sans", "muted", opacity * (1 - ring)));
  return marks;
}

/** Half of the width and half of the height of a vertex. */
const halves = ({ w }: PlacedVertex, ring: number): Point => [w / 2 + ring * (RING - w / 2), DISC / 2 - 2 + ring * (RING - DISC / 2 + 2)];

/** An input or an output, in a line graph with the edge that begins or ends there. */
function endMarks({ thing, role, label, detail, w }: PlacedVertex, x: number, y: number, morph: number): Mark[] {
  const key = `vertex/${thing}`;
  const h = DISC + morph * (NARROW - DISC);
  const side = role === "input" ? -1 : 1;
  const [from, to] = [x + (side * w) / 2, x + side * (w / 2 + STUB)];
  const stub: Mark[] = morph
    ? [
        curve(`${key}/stub`, straight([[from, y], [to, y]]), "edge", 2, { opacity: morph }),
        text(`${key}/one`, "1", x + side * (w / 2 + STUB / 2), y - 8, 16, "sans", "muted", morph),
      ]
    : [];
  return [
    ...stub,
    box(key, { x, y, w, h }, h / 2 + morph * (SQUARE - h / 2), "cell", "edge", side < 0 ? 1.8 : 3, 1),
    text(`${key}/name`, label, x, y + 6, 17, "bold", "ink", 1),
    ...(detail ? [text(`${key}/size`, detail, x, y + DISC / 2 + 19, 16, "sans", "muted", 1)] : []),
  ];
}

// ---- faces ----

/** A curve that begins and ends level. */
export const cubic = (x: number, y: number, u: number, v: number): number[] => [x, y, (x + u) / 2, y, (x + u) / 2, v, u, v];

/** A lane from label to label, or a line between a label and an end. */
function faceMarks(name: string, context: Context): Mark[] {
  const { product, on, results, waiting, dim, rested } = context;
  const [tail, head] = name.split("/") as [string, string];
  const inner = isInterior(tail) && isInterior(head);
  const opened = inner ? context.opened(tail.split(".")[1]!) : context.morph;
  const chain = inner ? laneOf(tail, head, opened, context) : outerOf(tail, head, context);
  const key = `face/${name}`;
  const presence = context.presence(key);
  /** A line with the head of an arrow after a share of it. */
  const drawn = (line: Paint, thickness: number, opacity: number, share: number): Mark[] => {
    const isBack = context.panel.direction === "dependence";
    const { head: points } = headed(cut(isBack ? reversed(chain) : chain, share), ...HEAD);
    return [curve(key, chain, line, thickness, { opacity }), { type: "arrow", key: `${key}/head`, points, fill: line, opacity }];
  };
  if (on && name === product?.face) {
    const strength = on * (context.isPlayed ? 1 : 1 - context.gone);
    return [curve(`${key}/halo`, chain, `${product.hue} 16`, HALO, { opacity: strength }), ...drawn(product.hue, PLAYED, strength * (0.25 + 0.75 * context.pointed), 1)];
  }
  const share = inner ? 1 / 3 + (2 / 3) * opened : 1;
  const hue = on ? (results.get(head) ?? results.get(tail)) : undefined;
  if (hue && !rested.has(key)) return [curve(key, cut(results.has(head) ? reversed(chain) : chain, presence * share), hue, GROWN, { opacity: presence })];
  const waits = waiting.get(name);
  return drawn(waits ?? "edge", waits ? WAITING : LINE, presence * (waits ? 1 : dim), share);
}

const vertexOf = ({ panel }: Context, thing: string): PlacedVertex => panel.vertices.find((each) => each.thing === thing)!;

/** The line between an end and a label. */
function outerOf(tail: string, head: string, context: Context): number[] {
  const isInput = !isInterior(tail);
  const end = isInput ? tail.slice(2) : head.slice(0, -2);
  const [x, y] = context.spots.get(`vertex/${end}`)!;
  const half = vertexOf(context, end).w / 2;
  const label = frameOf(isInput ? head : tail, context);
  return isInput ? cubic(x + half, y, label.x - label.w / 2, label.y) : cubic(label.x + label.w / 2, label.y, x - half, y);
}

/** The curve between the one through the vertex and the straight one. */
export function laneOf(tail: string, head: string, opened: number, context: Context): number[] {
  const vertex = tail.split(".")[1]!;
  const [x, y] = context.spots.get(`vertex/${vertex}`)!;
  const ring = context.ring(vertex);
  const [one, other] = [frameOf(tail, context), frameOf(head, context)];
  const [half] = halves(vertexOf(context, vertex), ring);
  const [port, gate] = [y + ring * portOf(tail, vertex, 1, context), y + ring * portOf(head, vertex, 0, context)];
  const [from, to] = [one.x + one.w / 2, other.x - other.w / 2];
  const through = [...cubic(from, one.y, x - half, port), ...cubic(x - half, port, x + half, gate).slice(2), ...cubic(x + half, gate, to, other.y).slice(2)];
  const straight = inThree(cubic(from, one.y, to, other.y), within(x - half, from, to), within(x + half, from, to));
  return through.map((a, i) => a + opened * (straight[i]! - a));
}

/** How far below the middle of a ring the line of a label enters or leaves it. */
function portOf(thing: string, vertex: string, end: 0 | 1, { rested, before, spots }: Context): number {
  const there = labels(new Map([...rested, ...before])).filter((each) => each.split(".")[end] === vertex);
  const ordered = there.sort((a, b) => spots.get(`label/${a}`)![1] - spots.get(`label/${b}`)![1]);
  if (!ordered.includes(thing) || ordered.length < 2) return 0;
  return (ordered.indexOf(thing) - (ordered.length - 1) / 2) * Math.min(PORT, PORTS / (ordered.length - 1));
}

/** One curve as three, cut at two shares of it: as wide as their counterparts, so that all between them are smooth. */
function inThree(points: Chain, one: number, two: number): number[] {
  const back = (chain: Chain, share: number): number[] => reversed(cut(reversed(chain), 1 - share)).slice(2);
  return [...cut(points, one), ...back(cut(points, two), one / two || 0), ...back(points, two)];
}

// ---- the product in play ----

/** Two factors that meet beside the label that takes their product, and their arithmetic. */
function productMarks(context: Context): Mark[] {
  const { product, isPlayed, on, before, after, met: way, landed } = context;
  if (!product || !isPlayed || !on) return [];
  const factors = [product.head, product.tail];
  const values = factors.map((each) => before.get(`node/${each}`));
  const [now, old] = [after.get(`node/${product.result}`), before.get(`node/${product.result}`)];
  const said = old === undefined ? [...values, now] : [old, gained(old, now), now];
  const place = beside(context, factors, product.result, plaqueExtent(said));
  const [met, fused] = [eased(within(way, 0, 0.8)), within(way, 0.8, 1)];
  const marks: Mark[] = [];
  if (way > 0 && way < 1) {
    const wide = values.map((value) => extent(value)[0] + 16) as [number, number];
    factors.forEach((thing, k) => {
      const at = frameOf(thing, context);
      const to = place[0] + ((2 * k - 1) * (wide[1 - k]! + 14)) / 2;
      marks.push(...chip(`factor/${k}`, values[k], at.x + met * (to - at.x), at.y + met * (place[1] - at.y), product.hue, 1 - fused));
    });
    if (met > 0.95) marks.push(text("factor/times", "·", place[0] + (wide[0] - wide[1]) / 2, place[1] + 7, 24, "bold", "ink", 1 - fused));
  }
  if (!fused) return marks;
  const count = old !== undefined && landed <= 0.5 ? 2 : 3;
  const signs = [old === undefined ? "·" : "+", "="].slice(0, count - 1);
  return [...marks, ...plaque(said.slice(0, count), signs, old === undefined ? 2 : 1, place, product.hue, fused)];
}

/** The nearest place over or under the result where arithmetic covers neither it nor its factors. */
function beside({ spots, panel }: Context, factors: readonly string[], result: string, [w, h]: Point): Point {
  const [wide, high] = [NODE[0], NODE[1] + TALLER[1]];
  const boxes = [result, ...factors].map((thing) => spots.get(`label/${thing}`)!);
  const [x, y] = boxes[0]!;
  const inside = (at: number, size: number, most: number): number => Math.min(Math.max(at, size / 2 + 2), most - size / 2 - 2);
  let [best, least]: [Point, number] = [[0, 0], Infinity];
  for (const step of [0, 1, 2, 3, 4, 5])
    for (const side of [-1, 1])
      for (const aside of [0, -1, 1]) {
        const u = inside(x + (aside * Math.abs(w - wide)) / 2, w, panel.width);
        const v = inside(y + side * ((high + h) / 2 + CLEAR + FARTHER * step), h, panel.height);
        const covered = boxes.reduce((sum, [left, top]) => sum + overlap([u, v, w, h], [left, top, wide, high]), 0);
        if (covered < least) [best, least] = [[u, v], covered];
      }
  return best;
}

/** What a label has gained. */
function gained(old: unknown, now: unknown): unknown {
  if (typeof old === "number" && typeof now === "number") return now - old;
  const [one, other] = [old, now] as { shape: number[]; data?: number[] }[];
  return one?.data && other?.data ? { shape: other.shape, data: other.data.map((entry, k) => Number(entry) - Number(one.data![k])) } : now;
}

/** What a graph can no longer show: vertices that keep only some of their faces. */
function noteMarks({ panel, morph, ending, rested, rests }: Context): Mark[] {
  const state = ending > 0.5 ? rests : rested;
  const broken = panel.vertices.filter(({ role, thing }) => role === "intermediate" && !isWhole(state, thing));
  if (morph >= 0.5 || !broken.length) return [];
  const kept = broken.map(({ label, thing }) => `${label} keeps ${lanes(state, thing).join(" of ")} lanes`);
  return [text("note", `no c-graph any more: ${kept.join(", ")}`, panel.width / 2, 18, 16, "sans", "ink", 1)];
}
