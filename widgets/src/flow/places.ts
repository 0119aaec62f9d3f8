// Where numbers stand that have no place of their own: contributions that wait at a node, and equations at gates. Each takes
// the place of a few where it covers least.

import { type Chain, type Rectangle, overlap, pointAt } from "../motion/curves.js";
import { PILL, extent } from "../layout/lengths.js";
import { stripHeight } from "../layout/lengths.js";
import type { Placed, PlacedEdge, PlacedNode } from "../layout/placed.js";

/** Contributions to a node that are shown one by one; further ones share a place. */
export const MOST_PARKED = 6;
/** Between a node and a number that is parked at it: it lies over the border. */
const PARKED = -0.4 * PILL;
/** How far from its port a number may be parked. */
const SHIFTS = [0, 16, -16, 32, -32, 48, -48, 64, -64];
/** What a point of a curve counts that is covered. */
const COVERED = 60;
/** What a square px of a node, a gate or another number counts that is covered. */
const WEIGHT = 4;
/** What an equation counts that is as near to the gate of another edge as to its own. */
const MISLEADING = 4000;
/** What an engine notes below a node: how far below it, how wide and how high. */
const [NOTE, NOTED, TALL] = [13, 120, 16];
/** Bold letters are wider than those that were measured. */
const BOLD = 1.1;
const SAMPLES = 12;
/** So many moves may be seen at once. */
const TOGETHER = 8;

/** The center, the width and the height. */
type Place = readonly [x: number, y: number];

export interface Places {
  /** By the key of the edge. */
  readonly parked: ReadonlyMap<string, Place>;
  readonly equations: ReadonlyMap<string, Place>;
  /** By the key of the node. */
  readonly totals: ReadonlyMap<string, Place>;
}

const known = new WeakMap<Placed, Places>();

export function places(panel: Placed): Places {
  const found = known.get(panel) ?? placed(panel);
  known.set(panel, found);
  return found;
}

function placed(panel: Placed): Places {
  const boxes: Rectangle[] = panel.nodes.map(({ x, y, w, h }): Rectangle => [x, y, w + 4, h + 4]);
  const gates = panel.edges.map(({ gate: { x, y, w, h, whole = [w, h] } }): Rectangle => [x, y, whole[0] + 8, whole[1] + 4]);
  const notes = panel.nodes.map(({ x, y, h }): Rectangle => [x, y + h / 2 + NOTE, NOTED, TALL]);
  const taken = [...boxes, ...gates];
  const curve = panel.edges.flatMap(({ before, after }) => [...sampled(before), ...sampled(after)]);
  const bottom = panel.height - stripHeight(panel);
  const free: Free = (w, h, places, covers, seen = taken, own = null) => {
    const inside = places.map(([x, y]): Place => [clamp(x, w / 2 + 3, panel.width - w / 2 - 3), clamp(y, h / 2 + 3, bottom - h / 2 - 3)]);
    let [best, least] = [inside[0]!, Infinity];
    for (const [k, [x, y]] of inside.entries()) {
      if (4 * k >= least) break; // what comes later costs more
      const points = covers.filter(([u, v]) => Math.abs(u - x) < w / 2 + 3 && Math.abs(v - y) < h / 2 + 3).length;
      const near = own && gates.some((gate) => gate !== own && gap([x, y, w, h], gate) <= gap([x, y, w, h], own));
      const cost = seen.reduce((sum, other) => sum + WEIGHT * overlap([x, y, w, h], other), COVERED * points) + 4 * k + (near ? MISLEADING : 0);
      if (cost < least) [best, least] = [inside[k]!, cost];
    }
    seen.push([...best, w, h]);
    return best;
  };
  // A number that is parked lies over the border of its node.
  const parked = parkings(panel, (node, w, h, places) => {
    const place = free(w, h, places, [], taken.filter((other) => other !== boxes[panel.nodes.indexOf(node)]));
    taken.push([...place, w, h]);
    return place;
  });
  const [totals, equations] = [new Map<string, Place>(), new Map<string, Place>()];
  const nodes = new Map(panel.nodes.map((node) => [node.node, node]));
  const numbers = new Map(panel.edges.map(({ key }, k) => [key, k]));
  // What one node sends is seen together, and moves that follow each other may be.
  const labels: [head: number, place: Rectangle][] = [];
  const seen = (head: number): Rectangle[] => [...taken, ...labels.filter(([other], k) => other === head || k >= labels.length - TOGETHER).map(([, place]) => place)];
  const add = (node: PlacedNode | undefined): void => {
    if (!node?.total[0] || totals.has(node.key)) return;
    const wide = labelled(node.total[1]);
    const place = free(wide, 22, sides(node, wide), curve, [...seen(node.node), ...notes]);
    totals.set(node.key, place);
    labels.push([node.node, [...place, wide, 22]]);
  };
  for (const { kind, nodes: acting, edge: key } of panel.moves) {
    const edge = panel.edges[numbers.get(key)!];
    if (kind === "sum") add(nodes.get(acting[0]!));
    if (!edge?.equation[0]) continue;
    add(nodes.get(edge.head)); // for which there are fewer places
    const wide = labelled(edge.equation[1]);
    const place = free(wide, 22, around(edge), curve, seen(edge.head), gates[numbers.get(key)!]);
    equations.set(key, place);
    labels.push([edge.head, [...place, wide, 22]]);
  }
  return { parked, equations, totals };
}

/** The place, of some, where something of this size covers least; it is taken then. */
type Free = (w: number, h: number, places: readonly Place[], covers: readonly Place[], seen?: Rectangle[], own?: Rectangle | null) => Place;

/** Where contributions wait at their targets: at the port, or a little above or below. */
function parkings(panel: Placed, park: (node: PlacedNode, w: number, h: number, places: readonly Place[]) => Place): Map<string, Place> {
  const found = new Map<string, Place>();
  const nodes = new Map(panel.nodes.map((node) => [node.node, node]));
  for (const [node, edges] of arrivals(panel)) {
    edges.forEach((edge, k) => {
      if (edges.length > MOST_PARKED && k >= MOST_PARKED) return found.set(edge.key, found.get(edges[MOST_PARKED - 1]!.key)!);
      const port = panel.reverse ? edge.before.slice(0, 2) : edge.after.slice(-2);
      const [w, h] = extent(edge.product!, PILL);
      const target = nodes.get(node)!;
      return found.set(edge.key, park(target, w, h, outside(target, port[0]!, port[1]!, w, h)));
    });
  }
  return found;
}

/** The places for a number of this size outside a node, near a port at any of its sides. */
function outside(node: PlacedNode, x: number, y: number, w: number, h: number): Place[] {
  const [across, down] = [x - node.x, y - node.y];
  if (Math.abs(across) >= node.w / 2 - 1) return SHIFTS.map((shift): Place => [x + Math.sign(across) * (w / 2 + PARKED), y + shift]);
  return SHIFTS.map((shift): Place => [x + shift, y + Math.sign(down) * (h / 2 + PARKED)]);
}

/** The edges that bring contributions to each node that adds several, in the order of their arrival. */
export function arrivals(panel: Placed): Map<number, PlacedEdge[]> {
  const edges = new Map(panel.edges.map((edge) => [edge.key, edge]));
  const found = new Map(panel.nodes.filter(({ total }) => total[0]).map((node: PlacedNode) => [node.node, [] as PlacedEdge[]]));
  for (const { kind, nodes, edge } of panel.moves) if (kind === "send" && edges.get(edge)?.product) found.get(nodes[0]!)?.push(edges.get(edge)!);
  return found;
}

/** The places for the sum of a node, the best first. */
function sides({ x, y, w, h, total }: PlacedNode, wide: number): Place[] {
  const [half, corner] = [total[1] / 2, (w + wide) / 2 + 8];
  return [[14, 0, half, -half], [36, 0, half, -half], [0, corner, -corner]].flatMap(([up, ...asides]) =>
    asides.flatMap((aside) => [-1, 1].map((side): Place => [x + aside, y + side * (h / 2 + up!)])),
  );
}

/** The places around a gate, the best first. */
function around({ gate: { x, y, whole, ...own }, equation: [, wide] }: PlacedEdge): Place[] {
  const [w, h] = whole ?? [own.w, own.h];
  const [up, aside, shift] = [h / 2 + 15, w / 2 + wide / 2 + 12, wide / 2 - w / 2 + 4];
  const level = [x, x + shift / 2, x - shift / 2, x + shift, x - shift, x + aside, x - aside];
  const rows = [0, 14, 28, 42, 56, 70].flatMap((more) => [y - up - more, y + up + more].flatMap((row) => level.map((at): Place => [at, row])));
  return [rows[0]!, rows[level.length]!, [x + aside, y], [x - aside, y], ...rows];
}

/** The width of an equation with its ground. */
export const labelled = (wide: number): number => BOLD * wide + 6;

const sampled = (points: Chain): Place[] => Array.from({ length: SAMPLES }, (_, k) => pointAt(points, (k + 0.5) / SAMPLES));

const clamp = (x: number, low: number, high: number): number => Math.max(low, Math.min(x, high));

/** How far apart two rectangles are. */
const gap = ([x, y, w, h]: Rectangle, [u, v, wide, high]: Rectangle): number =>
  Math.hypot(Math.max(0, Math.abs(x - u) - (w + wide) / 2), Math.max(0, Math.abs(y - v) - (h + high) / 2));
