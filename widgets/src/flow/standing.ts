// How far a sweep is: what every node has received and sent, and what every edge carries.

import { type Chain, reversed } from "../motion/curves.js";
import { type Places, places } from "./places.js";
import { type Phase, ADDED, phases } from "../motion/schedule.js";
import type { Placed, PlacedEdge, PlacedNode } from "../layout/placed.js";

/** The edges on a path that the reader looks at; null where all are shown alike. */
export type Lit = ReadonlySet<string> | null;

/** A node: its contributions, and how far they are. */
export interface Standing {
  readonly node: PlacedNode;
  arriving: Phase[];
  sending: Phase[];
  sum: Phase | null;
  seed: Phase | null;
  /** How far its derivative is changed, after it was complete. */
  change: Phase | null;
  /** In an evaluation, how far its value is; null where values are there from the start. */
  value: Phase | null;
}

export interface Context {
  readonly panel: Placed;
  readonly places: Places;
  readonly edges: ReadonlyMap<string, PlacedEdge>;
  readonly standings: ReadonlyMap<number, Standing>;
  /** What is sent along edges, by their keys. */
  readonly sends: ReadonlyMap<string, Phase>;
  readonly isEnded: boolean;
  readonly lit: Lit;
}

export function stand(panel: Placed, from: number, to: number, progress: number, lit: Lit): Context {
  const edges = new Map(panel.edges.map((edge) => [edge.key, edge]));
  const standings = new Map<number, Standing>(panel.nodes.map((node) => [node.node, { node, arriving: [], sending: [], sum: null, seed: null, change: null, value: unvalued(panel) }]));
  const sends = new Map<string, Phase>();
  let isEnded = false;
  for (const phase of phases(panel, from, to, progress)) {
    const { kind, nodes, edge } = phase.move;
    if (kind === "result") isEnded = phase.share > 0;
    else if (kind === "send") {
      sends.set(edge, phase);
      standings.get(targetOf(panel, edges.get(edge)!))?.arriving.push(phase);
      standings.get(sourceOf(panel, edges.get(edge)!))?.sending.push(phase);
    } else for (const node of nodes) standings.get(node)![kind] = phase;
  }
  return { panel, places: places(panel), edges, standings, sends, isEnded, lit };
}

/** Where values come one by one, a node that never has a turn has none. */
const unvalued = ({ moves }: Placed): Phase | null => {
  const move = moves.find(({ kind }) => kind === "value");
  return move ? { move, share: 0, isPlayed: false } : null;
};

export const sourceOf = (panel: Placed, edge: PlacedEdge): number => (panel.reverse ? edge.head : edge.tail);
export const targetOf = (panel: Placed, edge: PlacedEdge): number => (panel.reverse ? edge.tail : edge.head);

/** The way of a derivative along an edge: up to the gate, and from there on. */
export const ways = ({ reverse }: Placed, { before, after }: PlacedEdge): [Chain, Chain] =>
  reverse ? [reversed(after), reversed(before)] : [before, after];

/** Whether all that a sweep gives to a node is there. */
export function isComplete({ node, arriving, sum, seed }: Standing): boolean {
  if (node.total[0]) return sum !== null && sum.share >= ADDED;
  if (seed) return seed.share >= 1;
  return arriving.length > 0 && arriving.every(({ share }) => share >= 1);
}
