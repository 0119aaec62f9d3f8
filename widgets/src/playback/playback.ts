// The cursor of a show, and where it can move: to the next move of the engine, edge or node. Pure: no clock, no DOM.

import { partsOf } from "./runs.js";
import { type Stage, type Start, apply, startStage, takenAt, unapply } from "./stage.js";
import type { Graph } from "../graph/graph.js";
import type { Edit, Question, Rest, Step } from "../scene/scene.js";

/** Where a show rests: after every move of the engine, after each contribution, or once for each node or line that acts. */
export type Level = "engine" | "edges" | "nodes" | "lines";

/** The levels that a show has, the coarsest first. */
export function levelsOf(steps: readonly Step[]): readonly Level[] {
  const has = (level: "lines" | "edges"): boolean => steps.some(({ rests }) => rests?.[level]);
  return [...(has("lines") ? ["lines" as const] : []), "nodes", ...(has("edges") ? ["edges" as const] : []), "engine"];
}

interface Asked {
  readonly step: number;
  readonly question: Question;
  readonly at: number;
}

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
  /** The cursors at which a level rests, ascending. */
  readonly #stops: Record<"edges" | "nodes" | "lines", readonly number[]>;
  /** How deep inside of lines nodes are seen: 0 where no line around is open, -1 as operations. */
  #depthOf: (node: number) => number = () => 0;

  constructor(
    readonly steps: readonly Step[],
    start?: Start,
    readonly opening: Rest | null = null,
  ) {
    this.stage = startStage(steps, start);
    this.#stretches = new Stretches(steps);
    const rests = (level: "edges" | "nodes"): number[] =>
      [...steps.keys()].filter((k) => steps[k]!.rests?.[level]).map((k) => k + 1);
    const coarse = [...steps.keys()].filter((k) => k && steps[k]!.coarse).concat(steps.length);
    const isTold = steps.some(({ rests }) => rests);
    this.#stops = isTold ? { edges: rests("edges"), nodes: rests("nodes"), lines: [] } : { edges: coarse, nodes: coarse, lines: [] };
    this.open(() => 0);
  }

  /** Rest where lines are told, and what is inside of those that are open. */
  open(depthOf: (node: number) => number): void {
    this.#depthOf = depthOf;
    const stops = [...this.steps.keys()].filter((k) => this.#restOf(this.steps[k]!, "lines")).map((k) => k + 1);
    (this.#stops as Record<Level, readonly number[]>).lines = stops;
  }

  /** What a level says after a step. */
  #restOf({ rests }: Step, level: "edges" | "nodes" | "lines"): Rest | null {
    if (level !== "lines") return rests?.[level] ?? null;
    const told = [rests?.lines, ...(rests?.inner ?? [])].map((rest, depth) => [rest, depth] as const);
    const all = [[rests?.nodes, -1] as const, ...told.reverse()]; // of two that end together the one inside of the other
    return all.find(([rest, depth]) => rest && this.#depthOf(rest.nodes[0] ?? NaN) === depth)?.[0] ?? null;
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
  after(level: Level, cursor = this.cursor): number {
    if (level === "engine") return Math.min(cursor + 1, this.length);
    return this.#stops[level][above(this.#stops[level], cursor)] ?? this.length;
  }

  /** What a level says: at the cursor, or where it rested last before it; at the start what the show opens with. */
  rest(level: Level, cursor = this.cursor): Rest | null {
    if (level === "engine" || !this.opening) return null;
    const stop = this.before(level, cursor + 1);
    return stop ? this.#restOf(this.steps[stop - 1]!, level) : this.opening;
  }

  /**
   * What is asked first between two cursors, of what the reader is not done with: before which step, and where the show rests
   * meanwhile. Where a level does not tell of the engine, this is edge by edge.
   */
  question(level: Level, from: number, to: number, isDone: (step: number, question: Question) => boolean): Asked | null {
    const isTold = level !== "engine" && this.opening !== null;
    for (let step = from; step < to; step++) {
      const { question, rests } = this.steps[step]!;
      const asked = isTold ? rests?.edges?.question : question;
      if (asked && !isDone(step, asked)) return { step, question: asked, at: isTold ? Math.max(from, this.before("edges", step + 1)) : step };
    }
    return null;
  }

  /** The cursors at which a level rests, with the start, and what is said there; none where that is not known. */
  rests(level: Level): readonly (readonly [cursor: number, rest: Rest | null])[] {
    if (level === "engine" || !this.opening) return [];
    return [0, ...this.#stops[level]].map((stop) => [stop, this.rest(level, stop)]);
  }

  /** The sentence of the coarse step that ends at the cursor; null inside one, and where it has none. */
  whole(): string | null {
    const from = this.before("nodes");
    return this.after("nodes", from) === this.cursor ? (this.steps[from]?.whole ?? null) : null;
  }

  /** Where the step back leads. */
  before(level: Level, cursor = this.cursor): number {
    if (level === "engine") return Math.max(cursor - 1, 0);
    return this.#stops[level][above(this.#stops[level], cursor - 1) - 1] ?? 0;
  }

  /**
   * The first cursor after `from`, up to `to`, whose step is the first in its coarse step that is about one of the
   * nodes, or at which the level rests to tell of one of them; null where there is none.
   */
  turn(nodes: ReadonlySet<number>, from: number, to = this.length, level: Level = "engine"): number | null {
    if (!nodes.size) return null;
    if (level !== "engine" && this.opening) {
      const tells = (stop: number): boolean => this.rest(level, stop)?.nodes.some((node) => nodes.has(node)) ?? false;
      return this.#stops[level].find((stop) => stop > from && stop <= to && tells(stop)) ?? null;
    }
    let met = takenAt(this.steps, from).some((step) => hits(nodes, step));
    for (let k = from; k < to; k++) {
      const step = this.steps[k]!;
      met &&= !step.coarse;
      if (!met && hits(nodes, step)) return k + 1;
    }
    return null;
  }

  /** The target of "run to here": the next visit of a node, or its first if all are past. */
  turnOf(node: number, level: Level = "engine"): number | null {
    const nodes = new Set([node]);
    return this.turn(nodes, this.cursor, this.length, level) ?? this.turn(nodes, 0, this.cursor, level);
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

/** The breakpoints with one more, or without it where it is among them, and what is said of that. */
export function toggled(names: readonly string[], name: string): { names: string[]; words: string } {
  const others = names.filter((other) => other !== name);
  const isNew = others.length === names.length;
  const words = `${isNew ? "Playing stops at" : "Playing no longer stops at"} ${name.replace(":", " ")}.`;
  return { names: isNew ? [...others, name] : others, words };
}

const split = (name: string): [string, string] => {
  const at = name.indexOf(":");
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
};
