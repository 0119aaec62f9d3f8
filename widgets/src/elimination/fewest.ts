// The fewest multiplications that a graph still needs: all orders of its moves are tried. What is found of a state is kept
// for the next question. A search that takes too long stops, and the next goes on from there. Orders of faces are too many
// (Naumann's graph of 7 edges takes half a minute). Pure: no DOM.

import type { Elimination } from "./elimination.js";
import type { Own } from "../scene/scene.js";

/** Milliseconds that an answer may take, and vertices whose sets are written as the bits of a number. */
const PATIENCE = 50;
const MOST = 30;

/** The masks of the successors of each vertex. */
type State = readonly number[];
type Move = readonly [cost: number, next: State];

const bit = (j: number): number => 1 << j;

export class Fewest {
  readonly #known = new Map<string, number>();
  readonly #inner: ReadonlySet<number>;
  readonly #goesBySize: boolean;

  constructor(readonly own: Own) {
    const { sizes, inputs, outputs, edges, count } = own;
    this.#inner = new Set([...sizes.keys()].filter((j) => !inputs.includes(j) && !outputs.includes(j)));
    // A number between vertices of several entries is a multiple of the identity: what that costs depends on labels.
    const isDense = edges.every(([i, j, label]) => typeof label !== "number" || sizes[i]! * sizes[j]! === 1);
    this.#goesBySize = sizes.length <= MOST && (count !== "sparse" || isDense);
  }

  /** The multiplications that the best order takes from here on; null where that is not known, or not yet. */
  from(graph: Elimination, patience = PATIENCE): number | null {
    if (!this.#goesBySize || this.own.technique === "face") return null;
    const state = this.own.sizes.map((_, j) => graph.successors(String(j)).reduce((mask, k) => mask | bit(Number(k)), 0));
    return this.#search(state, performance.now() + patience);
  }

  #search(state: State, until: number): number | null {
    const key = state.join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (performance.now() > until) return null;
    let best = Infinity;
    for (const [cost, next] of this.own.technique === "vertex" ? this.#vertices(state) : this.#edges(state)) {
      const rest = this.#search(next, until);
      if (rest === null) return null;
      best = Math.min(best, cost + rest);
    }
    const found = best === Infinity ? 0 : best;
    this.#known.set(key, found);
    return found;
  }

  #cost(i: number, j: number, k: number): number {
    const { count, sizes } = this.own;
    return count === "block" ? 1 : sizes[i]! * sizes[j]! * sizes[k]!;
  }

  *#vertices(state: State): Iterable<Move> {
    for (const j of this.#inner) {
      if (!state[j]) continue;
      const next = [...state];
      let cost = 0;
      for (const i of heads(state, j)) {
        for (const k of bits(state[j]!)) cost += this.#cost(i, j, k);
        next[i] = (next[i]! & ~bit(j)) | state[j]!;
      }
      next[j] = 0;
      yield [cost, next];
    }
  }

  *#edges(state: State): Iterable<Move> {
    for (const i of state.keys())
      for (const j of bits(state[i]!)) {
        if (this.#inner.has(j)) yield this.#front(state, i, j);
        if (this.#inner.has(i)) yield this.#back(state, i, j);
      }
  }

  #front(state: State, i: number, j: number): Move {
    const next = [...state];
    next[i] = (state[i]! & ~bit(j)) | state[j]!;
    if (!heads(next, j).length) next[j] = 0;
    return [sum(bits(state[j]!).map((k) => this.#cost(i, j, k))), next];
  }

  #back(state: State, i: number, j: number): Move {
    const next = [...state];
    const before = heads(state, i);
    next[i] = state[i]! & ~bit(j);
    for (const h of before) next[h] = (state[h]! | bit(j)) & (next[i] ? -1 : ~bit(i));
    return [sum(before.map((h) => this.#cost(h, i, j))), next];
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

function bits(mask: number): number[] {
  const found: number[] = [];
  for (let j = 0; mask >> j; j++) if (mask & bit(j)) found.push(j);
  return found;
}

const heads = (state: State, j: number): number[] => [...state.keys()].filter((i) => state[i]! & bit(j));
