// What is seen of a sweep that is too large to be read as a whole: a window that follows what is in play, signs to nodes
// beyond it, and a map of the whole. Pure.

import { type Point, pointAt, reversed } from "../motion/curves.js";
import { type Mark, box, text } from "../motion/marks.js";
import { nameOf } from "./notes.js";
import { PILL, extent } from "../layout/lengths.js";
import { GHOST, pill } from "./pills.js";
import { EQUATION, labelled, places } from "./places.js";
import { ARRIVES, eased, timed } from "../motion/schedule.js";
import { type Context, isComplete } from "./standing.js";
import { type Box, type Size, around } from "../picture/camera.js";
import type { Paint } from "../picture/heat-map.js";
import type { Move } from "../scene/document.js";
import type { Placed, PlacedEdge } from "../layout/placed.js";

/** So few nodes are always seen together, as long as the smallest letters have this share of what is asked for. */
const FEW = 12;
const STILL = 2 / 3;
/** Where more nodes are nearly legible as a whole, nothing is gained by hiding a few. */
const NEARLY = 0.9;
/** Milliseconds until the window is where it belongs; numbers travel then. */
const GLIDE = 700;
/** What the window leaves free around what is in play, and the largest shares of its sides that the map takes. */
const AROUND = 16;
const WIDE = 0.24;
const HIGH = 0.26;
/** A window that shows so much of the whole needs no map. */
const MOST = 0.95;
/** The size of a name beyond the window, the height of its sign, and the places that are tried for it. */
const NAME = 18;
const SIGN = 30;
const TRIED = 40;
const ASIDE = [0, 1, -1, 2, -2];

/** The least window, so that the smallest letters have so many pixels; null where the whole can be read. */
export function windowOf(panel: Placed, { width, height }: Size, letters: number): Size | null {
  const seen = GHOST * Math.min(width / panel.width, height / panel.height);
  const times = GHOST / letters;
  return seen >= letters * (panel.nodes.length > FEW ? NEARLY : STILL) ? null : { width: times * width, height: times * height };
}

/** What happens between two cursors, or where that is nothing, what happened last before. */
export function inPlay({ moves }: Placed, from: number, to: number): Move[] {
  const last = Math.max(-1, ...moves.filter(({ step }) => step < to).map(({ step }) => step));
  return moves.filter(({ step }) => step >= Math.min(from, last) && step < to);
}

/** What must be seen of moves; and beyond that, for each edge, its other end with the way there. */
function played(panel: Placed, moves: readonly Move[]): { core: Box[]; far: Box[][] } {
  const { parked, equations, totals } = places(panel);
  const edges = new Map(panel.edges.map((edge) => [edge.key, edge]));
  const nodes = new Map(panel.nodes.map((node) => [node.node, node]));
  const core: Box[] = [];
  const far: Box[][] = [];
  const at = (place: Point | undefined, w: number, h: number): Box[] => (place ? [{ x: place[0], y: place[1], w, h }] : []);
  const parking = ({ key, product }: PlacedEdge): Box[] => (product ? at(parked.get(key), ...extent(product, PILL)) : []);
  for (const { kind, nodes: acting, edge: key } of moves) {
    const edge = edges.get(key);
    if (edge) {
      core.push(nodes.get(edge.head)!, edge.gate, ...at(equations.get(key), labelled(edge.equation[1]), 22));
      const way = edge.before.flatMap((x, k) => (k % 2 ? [] : at([x, edge.before[k + 1]!], 0, 0)));
      far.push([nodes.get(edge.tail)!, ...way, ...parking(edge)]);
      continue;
    }
    for (const node of acting.map((each) => nodes.get(each)!)) {
      core.push(node);
      if (kind !== "sum") continue;
      core.push(...at(totals.get(node.key), labelled(node.total[1] * (EQUATION / PILL)), 22));
      core.push(...panel.edges.filter(({ head, tail }) => (panel.reverse ? tail : head) === node.node).flatMap(parking));
    }
  }
  return { core, far };
}

export const middle = ({ width, height }: Size): Box => ({ x: width / 2, y: height / 2, w: width, h: height });

const whole = (panel: Placed, window: Size): Box => {
  const times = Math.max(panel.width / window.width, panel.height / window.height);
  return { ...middle(panel), w: times * window.width, h: times * window.height };
};

/** Where the map lies in a frame. */
export function mapOf({ width, height }: Placed, { x, y, w, h }: Box): Box {
  const times = Math.min((WIDE * w) / width, (HIGH * h) / height);
  const [wide, high] = [times * width, times * height];
  return { x: x + w / 2 - wide / 2 - AROUND / 2, y: y + h / 2 - high / 2 - AROUND / 2, w: wide, h: high };
}

const shared = (one: Box, other: Box): boolean =>
  2 * Math.abs(one.x - other.x) < one.w + other.w && 2 * Math.abs(one.y - other.y) < one.h + other.h;

const holds = (frame: Box, { x, y, w, h }: Box): boolean =>
  2 * Math.abs(x - frame.x) <= frame.w - w + 0.01 && 2 * Math.abs(y - frame.y) <= frame.h - h + 0.01;

const inside = (center: number, room: number, size: number): number =>
  room >= size ? size / 2 : Math.max(room / 2, Math.min(center, size - room / 2));

/** What is seen where moves are in play: all of it, legible, and beside the map; all of the picture where there are none. */
export function frameOf(panel: Placed, window: Size, moves: readonly Move[]): Box {
  const all = whole(panel, window);
  if (!moves.length || moves.some(({ kind }) => kind === "result")) return all;
  const { core, far } = played(panel, moves);
  const [wide, high] = [window.width - 2 * AROUND, (1 - HIGH) * window.height - 3 * AROUND];
  const seen = far.reduce((kept, end) => {
    const { w, h } = around([...kept, ...end]);
    return w <= wide && h <= high ? [...kept, ...end] : kept;
  }, core);
  const { x, y, w, h } = around(seen);
  const times = Math.max(1, w / wide, h / high);
  if (times * window.width >= all.w) return all;
  const size = { w: times * window.width, h: times * window.height };
  const frame = { ...size, x: inside(x, size.w, panel.width), y: inside(y, size.h, panel.height) };
  const map = mapOf(panel, frame);
  const covered = seen.filter((box) => shared(box, { ...map, w: map.w + AROUND, h: map.h + AROUND }));
  return { ...frame, y: frame.y + Math.max(0, ...covered.map((box) => box.y + box.h / 2 + AROUND - map.y + map.h / 2)) };
}

export type Cursors = readonly [before: number, from: number, to: number];

/** What is seen when so much of the time of a step is over, how far its moves are then, and when they begin. */
export function framed(panel: Placed, window: Size, [before, from, to]: Cursors, progress: number): { frame: Box; share: number; lead: number } {
  const [start, end] = [[before, from], [from, to]].map(([one, other]) => frameOf(panel, window, inPlay(panel, one!, other!))) as [Box, Box];
  const lead = start.x === end.x && start.y === end.y && start.w === end.w ? 0 : GLIDE;
  if (progress >= 1) return { frame: end, share: 1, lead };
  const { total } = timed(panel, from, to);
  const time = progress * (lead + total);
  const t = lead ? eased(Math.min(1, time / lead)) : 1;
  const mix = (side: keyof Box): number => (t < 1 ? start[side] + t * (end[side] - start[side]) : end[side]);
  return { frame: { x: mix("x"), y: mix("y"), w: mix("w"), h: mix("h") }, share: total ? Math.max(0, time - lead) / total : 1, lead };
}

/** What lies over a part of the picture: signs to what is in play beyond it, and the map. */
export function overlay(context: Context, window: Size, frame: Box, moves: readonly Move[]): Mark[] {
  const { panel, edges, standings } = context;
  if (frame.w > MOST * whole(panel, window).w) return [];
  const map = mapOf(panel, frame);
  const times = map.w / panel.width;
  const { x, y, w, h } = middle(panel);
  const inMap = (key: string, area: Box, fill: Paint, line: Paint, thickness: number): Mark =>
    box(`map/${key}`, { x: map.x + times * (area.x - x), y: map.y + times * (area.y - y), w: times * area.w, h: times * area.h }, 2, fill, line, (thickness * frame.w) / window.width);
  const acting = moves.flatMap(({ nodes, edge }) => (edge ? [edges.get(edge)!.head, edges.get(edge)!.tail] : nodes));
  const side = (center: number, room: number, size: number): [number, number] => {
    const [low, high] = [Math.max(0, center - room / 2), Math.min(size, center + room / 2)];
    return [(low + high) / 2, high - low];
  };
  const [[hereX, hereW], [hereY, hereH]] = [side(frame.x, frame.w, w), side(frame.y, frame.h, h)];
  return [
    ...signs(context, frame, moves, map),
    inMap("ground", { x, y, w, h }, "paper", "muted", 1.4),
    // Nodes are filled where the sweep has been, and in ink where it is.
    ...[...standings.values()].map((standing) => {
      const [fill, line] = acting.includes(standing.node.node) ? ["ink", "ink"] : isComplete(standing) ? ["faint", "muted"] : ["", "faint"];
      return inMap(standing.node.key, standing.node, fill!, line!, 1.2);
    }),
    inMap("here", { x: hereX, y: hereY, w: hereW, h: hereH }, "", "ink", 2),
  ];
}

function signs({ panel, edges, standings, sends }: Context, frame: Box, moves: readonly Move[], map: Box): Mark[] {
  const { parked } = places(panel);
  const waiting = panel.edges.flatMap(({ key, product }): Box[] => {
    const [place, size] = [parked.get(key), product && extent(product, PILL)];
    return place && size ? [{ x: place[0], y: place[1], w: size[0], h: size[1] }] : [];
  });
  const taken = [map, ...played(panel, moves).core, ...waiting];
  return moves.flatMap(({ edge: key }) => {
    const edge = edges.get(key);
    const node = edge && standings.get(edge.tail)!.node;
    if (!node || holds(frame, node)) return [];
    const amount = !panel.reverse ? edge.given : (sends.get(key)?.share ?? 0) < ARRIVES ? null : edge.product;
    const name = nameOf(node);
    const [pillW, pillH] = edge.product ? extent(edge.product, PILL) : [0, 0];
    const w = Math.max(((node.name_w * NAME) / 22) * (name.length / node.name.length) + 40, pillW + 8);
    const h = SIGN + pillH;
    const room = { ...frame, w: frame.w - w - AROUND, h: frame.h - h - AROUND };
    const way = Array.from({ length: TRIED }, (_, k) => pointAt(reversed(edge.before), (k + 1) / TRIED));
    const out = way.findIndex(([x, y]) => !holds(room, { x, y, w: 0, h: 0 }));
    const seen = way.slice(0, out < 0 ? TRIED : out + 1).reverse();
    const near = (at: number, middle: number, size: number): number => Math.max(middle - size / 2, Math.min(at, middle + size / 2));
    const tried = ASIDE.flatMap((aside) => seen.map(([x, y]): Box => ({ x: near(x, room.x, room.w), y: near(y + aside * h, room.y, room.h), w, h })));
    const place = tried.find((one) => !taken.some((other) => shared(one, other))) ?? tried[0]!;
    taken.push(place);
    const { x, y } = place;
    const words = panel.reverse ? `→ ${name}` : `${name} →`;
    return [
      box(`sign/${key}`, place, 12, "paper", "ink", 1.6, 1, true),
      text(`sign/${key}/name`, words, x, y - h / 2 + 21, NAME, "serif", "ink"),
      ...(amount ? pill(`sign/${key}/pill`, amount, x, y + h / 2 - pillH / 2 - 3, PILL, 1) : []),
    ];
  });
}
