// Operands and users: adjacency in compressed rows, reachability, and the paths between two nodes.
// Nodes stand in evaluation order, so an operand's number is always smaller than its user's.

import type { Columns } from "../scene/columns.js";

/** Row i of the adjacency is targets[starts[i]] … targets[starts[i + 1] - 1]; repeats are kept. */
export interface Links {
  readonly starts: Int32Array;
  readonly targets: Int32Array;
}

const rowCount = ({ starts }: Links): number => starts.length - 1;

export const row = ({ starts, targets }: Links, i: number): Int32Array => targets.subarray(starts[i]!, starts[i + 1]!);

/** Rows from pairs (from, to) that `visit` lists twice in the same order: once to count, once to fill. */
function collect(rows: number, visit: (link: (from: number, to: number) => void) => void): Links {
  const starts = new Int32Array(rows + 1);
  visit((from) => {
    starts[from + 1]!++;
  });
  for (let i = 0; i < rows; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const targets = new Int32Array(starts[rows]!);
  visit((from, to) => {
    targets[next[from]!++] = to;
  });
  return { starts, targets };
}

/** The node operands of every node, in order and with repeats. */
export function operandLinks({ first, second, rest_node, rest_operand }: Columns): Links {
  return collect(first.length, (link) => {
    for (let node = 0; node < first.length; node++) {
      if (first[node]! >= 0) link(node, first[node]!);
      if (second[node]! >= 0) link(node, second[node]!);
    }
    for (let i = 0; i < rest_node.length; i++) link(rest_node[i]!, rest_operand[i]!);
  });
}

/** The same links seen from the other end: the users of every node. */
export function reversed(links: Links): Links {
  return collect(rowCount(links), (link) => {
    for (let from = 0; from < rowCount(links); from++) {
      for (const to of row(links, from)) link(to, from);
    }
  });
}

/** 1 for every node that the links lead to from `start`, itself included. */
export function reach(links: Links, start: number): Uint8Array {
  const reached = new Uint8Array(rowCount(links));
  const waiting = [start];
  reached[start] = 1;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const next of row(links, node)) {
      if (reached[next]) continue;
      reached[next] = 1;
      waiting.push(next);
    }
  }
  return reached;
}

/** The number of entries that are set. */
export const countSet = (set: Uint8Array): number => set.reduce((sum, one) => sum + one, 0);

export interface Paths {
  /** The node where the paths start and the one where they end, in evaluation order. */
  readonly from: number;
  readonly to: number;
  /** 1 for every node on a path, both ends included. */
  readonly on: Uint8Array;
  /** The number of paths, where a repeated operand counts twice; null if it exceeds `MOST_PATHS`. */
  readonly count: bigint | null;
}

/** Counting stops here, so that a long recurrence does not fill the memory with thousands of digits per node. */
export const MOST_PATHS = 10n ** 300n;

/** All paths between two nodes, given in either order. */
export function pathsBetween(operands: Links, users: Links, one: number, other: number): Paths {
  const [from, to] = one <= other ? [one, other] : [other, one];
  const on = reach(users, from);
  const back = reach(operands, to);
  for (let node = 0; node < on.length; node++) on[node]! &= back[node]!;
  return { from, to, on, count: countPaths(operands, from, to, on) };
}

/** Sums over operands in evaluation order. Every partial sum is at most the result, so it may stop at the first excess. */
function countPaths(operands: Links, from: number, to: number, on: Uint8Array): bigint | null {
  const counts = new Map<number, bigint>([[from, 1n]]);
  for (let node = from + 1; node <= to; node++) {
    if (!on[node]) continue;
    let count = 0n;
    for (const operand of row(operands, node)) if (on[operand]) count += counts.get(operand)!;
    if (count > MOST_PATHS) return null;
    counts.set(node, count);
  }
  return counts.get(to) ?? 0n;
}
