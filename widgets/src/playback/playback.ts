// The cursor of a show, and where it can move: single steps, coarse steps, any cursor. Pure: no clock, no DOM.

import { partsOf } from "./runs.js";
import { type Stage, type Start, apply, startStage, unapply } from "./stage.js";
import type { Graph } from "../graph/graph.js";
import type { Edit, Step } from "../scene/scene.js";

export type Grain = "fine" | "coarse";

/** So many stretches make up one of the next length. */
const FAN = 16;

/**
 * Stretches of steps taken as one: each key with what it held before the stretch and after it. Stretches are of 1, 16,
 * 256 … steps, so that a move of any length takes few of them, and costs as many edits as it changes keys.
 */
export class Stretches {
  readonly #levels: Map<number, readonly Edit[]>[] = [];

  constructor(readonly steps: readonly { readonly edits: readonly Edit[] }[]) {}

  /** The stretches that lead from one cursor to a later one, in order. */
  *between(from: number, to: number): Generator<readonly Edit[]> {
    for (let at = from, level: number, size: number; at < to; at += size) {
      for (level = 0, size = 1; at % (size * FAN) === 0 && at + size * FAN <= to; level++) size *= FAN;
      yield this.#stretch(level, at / size);
    }
  }

  #stretch(level: number, index: number): readonly Edit[] {
    if (!level) return this.steps[index]!.edits;
    const known = (this.#levels[level] ??= new Map());
    const found = known.get(index) ?? net(this.#children(level, index));
    known.set(index, found);
    return found;
  }

  *#children(level: number, index: number): Generator<readonly Edit[]> {
    for (let i = 0; i < FAN; i++) yield this.#stretch(level - 1, index * FAN + i);
  }
}

/** Many lists of edits as one, with a single edit per key. */
function net(lists: Iterable<readonly Edit[]>): Edit[] {
  const first = new Map<string, Edit>();
  for (const edits of lists)
    for (const [key, before, after] of edits) {
      const edit = first.get(key);
      if (edit) edit[2] = after;
      else first.set(key, [key, before, after]);
    }
  return [...first.values()];
}

export class Playback {
  readonly stage: Stage;
  cursor = 0;
  readonly #stretches: Stretches;
  /** The cursors that a coarse step leads to, ascending. */
  readonly #stops: readonly number[];

  constructor(
    readonly steps: readonly Step[],
    start?: Start,
  ) {
    this.stage = startStage(steps, start);
    this.#stretches = new Stretches(steps);
    this.#stops = [...steps.keys()].filter((k) => k && steps[k]!.coarse).concat(steps.length);
  }

  get length(): number {
    return this.steps.length;
  }

  /** Move to a cursor, clamped to the show; returns the keys that may have changed. */
  seek(to: number): ReadonlySet<string> {
    const target = Math.min(Math.max(0, Math.round(to) || 0), this.length);
    const forward = target >= this.cursor;
    const way = [...this.#stretches.between(Math.min(this.cursor, target), Math.max(this.cursor, target))];
    const changed = new Set<string>();
    for (const edits of forward ? way : way.reverse()) {
      (forward ? apply : unapply)(this.stage, edits);
      for (const [key] of edits) changed.add(key);
    }
    this.cursor = target;
    return changed;
  }

  /** Where the next step leads. */
  after(grain: Grain, cursor = this.cursor): number {
    if (grain === "fine") return Math.min(cursor + 1, this.length);
    return this.#stops[above(this.#stops, cursor)] ?? this.length;
  }

  /** The sentence of the coarse step that ends at the cursor; null inside one, and where it has none. */
  whole(): string | null {
    const from = this.before("coarse");
    return this.after("coarse", from) === this.cursor ? (this.steps[from]?.whole ?? null) : null;
  }

  /** Where the step back leads. */
  before(grain: Grain, cursor = this.cursor): number {
    if (grain === "fine") return Math.max(cursor - 1, 0);
    return this.#stops[above(this.#stops, cursor - 1) - 1] ?? 0;
  }

  /**
   * The first cursor after `from`, up to `to`, whose step is the first in its coarse step that is about one of the
   * nodes; null where there is none.
   */
  turn(nodes: ReadonlySet<number>, from: number, to = this.length): number | null {
    if (!nodes.size) return null;
    let met = this.steps.slice(this.before("coarse", from), from).some((step) => hits(nodes, step));
    for (let k = from; k < to; k++) {
      const step = this.steps[k]!;
      met &&= !step.coarse;
      if (!met && hits(nodes, step)) return k + 1;
    }
    return null;
  }

  /** The target of "run to here": the next visit of a node, or its first if all are past. */
  turnOf(node: number): number | null {
    const nodes = new Set([node]);
    return this.turn(nodes, this.cursor) ?? this.turn(nodes, 0, this.cursor);
  }
}

/** Where in an ascending list the first entry above a bound stands, or would stand. */
function above(ascending: readonly number[], bound: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether a step is about one of the nodes. Counting uses beforehand is not a visit. */
const hits = (nodes: ReadonlySet<number>, step: Step): boolean =>
  partsOf(step).some(({ node, kind }) => node !== null && kind !== "count" && nodes.has(node));

/** The nodes that each kind of breakpoint is about. */
const BREAKS: Record<string, (graph: Graph, rest: string) => number[]> = {
  node: (graph, rest) => [Number(rest)].filter((node) => graph.has(node)),
  block: (graph, rest) => graph.where((node) => graph.block(node).name === rest),
  line: (graph, rest) => graph.atLine(Number(rest)),
};

/** The nodes at which breakpoints stop: "node:3", "block:multiply", "line:12". Others stop nowhere. */
export function breakNodes(graph: Graph, names: readonly string[]): Set<number> {
  const found = names.flatMap((name) => {
    const [kind, rest] = split(name);
    return Object.hasOwn(BREAKS, kind) ? BREAKS[kind]!(graph, rest) : [];
  });
  return new Set(found);
}

const split = (name: string): [string, string] => {
  const at = name.indexOf(":");
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
};
