// Captions of eliminations made in the page: the same sentences as Python's, which goldens pin.

import { type Elementary, type Elimination, endsOf, isInterior } from "./elimination.js";
import type { EliminationMove } from "../host.js";
import { product as multiplied } from "../scene/labels.js";
import type { Formula, Label, Own } from "../scene/scene.js";
import { kind, short } from "../scene/values.js";
import { lowered, minus, plural } from "../ui/format.js";

/** "v1 → v3"; a dash for each twin before. */
function namedEdge({ names }: Own, thing: string): string {
  const [tail, head, twin = "1"] = thing.split(".");
  const name = (end: string): string => (end === "s" || end === "t" ? "" : names[Number(end)]!);
  return `${name(tail!)} → ${name(head!)}`.trim() + "′".repeat(Number(twin) - 1);
}

/** A sentence that says why a move is not possible; null where it is. */
export function whyIllegal(graph: Elimination, move: EliminationMove): string | null {
  if (move[0] === "vertex") return whyNotVertex(graph, move[1]);
  return move[0] === "face" ? whyNotFace(graph, move[1], move[2]) : whyNotEdge(graph, move[0], move[1]);
}

const endOf = (graph: Elimination, j: string): string => (graph.isInput(j) ? "input" : "output");

function whyNotVertex(graph: Elimination, j: string): string | null {
  const name = graph.own.names[Number(j)];
  if (!graph.stage.has(`vertex/${j}`)) return `${name} has been eliminated already.`;
  return graph.isIntermediate(j) ? null : `${name} is an ${endOf(graph, j)}: only intermediates are eliminated.`;
}

function whyNotEdge(graph: Elimination, side: "front" | "back", edge: string): string | null {
  const ends = endsOf(edge);
  for (const j of ends) if (!graph.stage.has(`vertex/${j}`)) return whyNotVertex(graph, j);
  const words = namedEdge(graph.own, edge);
  if (!graph.stage.has(`edge/${edge}`)) return `There is no edge ${words}, or no longer.`;
  const middle = ends[side === "front" ? 1 : 0];
  if (graph.isIntermediate(middle)) return null;
  const nothing = side === "front" ? "no edge leads on from it" : "no edge leads into it";
  const end = `${graph.own.names[Number(middle)]} is an ${endOf(graph, middle)}`;
  return `The edge ${words} cannot be ${side}-eliminated: ${end}, so ${nothing}.`;
}

function whyNotFace(graph: Elimination, e: string, f: string): string | null {
  for (const node of [e, f]) {
    if (!graph.stage.has(`node/${node}`))
      return `There is no node ${namedEdge(graph.own, node)}, or no longer: nodes are removed and merged.`;
    if (!isInterior(node))
      return `${namedEdge(graph.own, node)} is a source or sink edge: only interior faces are eliminated.`;
  }
  if (graph.stage.has(`face/${e}/${f}`)) return null;
  return `There is no face from ${namedEdge(graph.own, e)} to ${namedEdge(graph.own, f)}, or no longer.`;
}

/** "31" of "edge/1.3", "10,3" of "edge/3.10": what stands for the vertices, head before tail. */
function indexOf({ texts }: Own, key: string): string {
  const isWhole = texts?.every((text) => /^\d+$/.test(text));
  const [tail, head] = endsOf(thingOf(key)).map((end) => (isWhole ? texts![Number(end)]! : end)) as [string, string];
  return tail.length + head.length > 2 ? `${head},${tail}` : head + tail;
}

const thingOf = (key: string): string => key.slice(key.indexOf("/") + 1);

/** "c", with a dash for each twin before. */
const letterOf = (key: string): string => `c${"′".repeat(Number(thingOf(key).split(".")[2] ?? 1) - 1)}`;

/** "edge/1.3" → "c₃₁". */
const symbol = (own: Own, key: string): string => letterOf(key) + lowered(indexOf(own, key));

const variable = (own: Own, key: string): Formula => ["sub", ["id", letterOf(key)], ["num", indexOf(own, key)]];

const written = (value: number): string => short(value, Infinity);
const signed = (value: number): string => minus(written(value));
const bracketed = (words: string): string => (words.startsWith("−") ? `(${words})` : words);

const listed = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : (words[0] ?? "");

/** What an elementary move did. */
export function fineCaption(own: Own, { product, merge, focus, factors, change }: Elementary): string {
  const name = (key: string): string => symbol(own, key);
  if (product) {
    const [head, tail] = product.factors;
    const gain = `${name(head)} · ${name(tail)}${times(factors!)}`;
    const result = name(product.result);
    return product.fresh ? `${result} is filled in: ${gain}.` : `${result} absorbs ${gain}${sum(change!, ": ")}.`;
  }
  if (merge) {
    const twins = `${name(merge.into)} + ${name(merge.from)}`;
    return `Twins merge, since they have the same neighbors now: ${twins}${sum(change!, " = ")}.`;
  }
  const [sort, thing, other] = focus[0]!.split("/") as [string, string, string];
  if (sort === "vertex") return `${own.names[Number(thing)]} is eliminated; its remaining edges are removed.`;
  if (sort === "edge") return `The edge ${namedEdge(own, thing)} is removed: its products are computed.`;
  if (sort === "face")
    return `The face from ${name(`/${thing}`)} to ${name(`/${other}`)} is removed: its product is computed.`;
  return `${name(`/${thing}`)} is removed: no path leads through it any more.`;
}

/** " = 3 · (−2) = −6", or what a product of matrices is. */
function times([head, tail]: readonly [Label, Label]): string {
  const result = multiplied(head, tail);
  if (typeof result === "object") {
    const words = kind(result.shape);
    return `, ${/^(8|1[18]\b)/.test(words) ? "an" : "a"} ${words}`;
  }
  const figures = typeof head === "number" ? ` = ${[head, tail as number].map(signed).map(bracketed).join(" · ")}` : "";
  return `${figures} = ${signed(result)}`;
}

/** ": 5 + 24 = 29", where a label that is a number became another. */
function sum([before, after]: NonNullable<Elementary["change"]>, start: string): string {
  if (typeof before !== "number" || typeof after !== "number") return "";
  return `${start}${signed(before)} + ${bracketed(signed(after - before))} = ${signed(after)}`;
}

const NOUNS = { fill_in: "fill-in", absorb: "absorption", merge: "merge" } as const;

/** What a whole move did. */
export function wholeCaption(own: Own, move: EliminationMove, steps: readonly Elementary[]): string {
  const total = steps.reduce((all, { cost }) => all + cost.multiplications, 0);
  const work = plural(total, "multiplication");
  const kinds = Object.keys(NOUNS) as (keyof typeof NOUNS)[];
  const counts = kinds.map((kind) => [steps.filter((step) => step.kind === kind).length, NOUNS[kind]] as const);
  const parts = counts.filter(([count]) => count).map(([count, noun]) => plural(count, noun));
  const [what, verb] = told(own, move);
  return `${what.replace(/^the /, "The ")} is ${verb}d: ${listed([around(move, steps, work), ...parts])}.`;
}

/** What a move would do; and the best totals that can be reached before and after it, where they are known. */
export function foreseenCaption(own: Own, move: EliminationMove, steps: readonly Elementary[], totals: readonly [number, number] | null): string {
  const total = steps.reduce((all, { cost }) => all + cost.multiplications, 0);
  const named = (kind: Elementary["kind"], noun: string): string[] => {
    const things = new Set(steps.flatMap((step) => (step.kind === kind ? (step.product ?? []) : [])).map(({ result }) => result));
    return things.size ? [`${plural(things.size, noun)} (${[...things].map((key) => symbol(own, key)).join(", ")})`] : [];
  };
  const parts = [...named("fill_in", "fill-in"), ...named("absorb", "absorption")];
  const merges = steps.filter(({ kind }) => kind === "merge").length;
  const what = listed([around(move, steps, plural(total, "multiplication")), ...parts, ...(merges ? [plural(merges, "merge")] : [])]);
  const [thing, verb] = told(own, move);
  return `${verb[0]!.toUpperCase()}${verb.slice(1)} ${thing}: ${what}.${totals ? ` ${outlook(...totals)}` : ""}`;
}

function outlook(before: number, after: number): string {
  if (after === before) return `The best total is still ${after}.`;
  return `The best total is then ${after}, ${after - before} more than before.`;
}

/** What a move is made with, and what is done to that. */
function told(own: Own, [technique, thing, head]: EliminationMove): [what: string, verb: string] {
  if (technique === "vertex") return [own.names[Number(thing)]!, "eliminate"];
  if (technique === "face") return [`the face from ${symbol(own, `/${thing}`)} to ${symbol(own, `/${head}`)}`, "eliminate"];
  return [`the edge ${namedEdge(own, thing)}`, `${technique}-eliminate`];
}

/** "2 × 2 = 4 multiplications": a vertex has as many products as edges into it times edges out of it. */
function around([technique]: EliminationMove, steps: readonly Elementary[], work: string): string {
  if (technique !== "vertex") return work;
  const products = steps.flatMap(({ product }) => product ?? []);
  const [out, into] = [0, 1].map((place) => new Set(products.map(({ factors }) => factors[place as 0 | 1])).size);
  const all = plural(products.length, "multiplication");
  return `${into} × ${out} = ${all === work ? work : `${plural(products.length, "product")}, ${work}`}`;
}

/** The arithmetic of an elementary move, with its numbers; matrices are in the picture. */
export function formulaOf(own: Own, { product, merge, factors, change }: Elementary): Formula | null {
  const name = (key: string): Formula => variable(own, key);
  if (merge) return ["row", name(merge.into), ["op", "+="], name(merge.from)];
  if (!product) return null;
  const row = (sign: string, ...[head, tail]: Formula[]): Formula => ["row", head!, ["op", sign], tail!];
  const number = (value: unknown): Formula => ["num", written(value as number)];
  const [head, tail] = factors!;
  const [old, now] = change!;
  const result = name(product.result);
  const signs = row("·", ...product.factors.map(name));
  const isNumber = typeof head === "number" && typeof tail === "number";
  const figures = (): Formula => row("·", ...[head, tail].map((label) => figure(label as number)));
  const sum = (gain: Formula, start = number(old)): Formula => row("+", start, gain);
  const made = isNumber ? [signs, figures(), number(head * tail)] : [signs];
  const added = isNumber ? [sum(signs, result), sum(figures()), sum(figure(head * tail)), number(now)] : [sum(signs, result)];
  const chain = (sides: Formula[]): Formula[] => sides.flatMap((side, k): Formula[] => (k ? [["op", "="], side] : [side]));
  return product.fresh ? ["row", ...chain([result, ...made])] : row("←", result, ["row", ...chain(added)]);
}

function figure(value: number): Formula {
  const number: Formula = ["num", written(value)];
  return number[1].startsWith("-") ? ["row", ["op", "("], number, ["op", ")"]] : number;
}

/** The running score against the best possible. */
export function scoreOf({ optimum }: Own, cost: number, isEnd: boolean): string {
  const done = plural(cost, "multiplication");
  if (!optimum) return isEnd ? `Done: ${done}.` : `${done} so far.`;
  const [over, bound] = [cost - optimum.cost, optimum.lower_bound];
  const best = `the best ${optimum.proved ? "possible" : "known"}, which is ${optimum.cost}`;
  if (isEnd && over > 0) return `Done: ${plural(over, "multiplication")} from ${best}.`;
  if (!isEnd && over > 0) return `${done} so far: ${over} more than ${best}.`;
  if (!isEnd)
    return optimum.proved
      ? `${done} so far; the best possible is ${optimum.cost} (proved).`
      : `${done} so far; the best known is ${optimum.cost}${bound ? `, and at least ${bound} are needed` : ""}.`;
  if (over < 0) return `Done: ${done}, better than the best known, which is ${optimum.cost}!`;
  return optimum.proved ? `Done: ${done}, the best possible!` : `Done: ${done}, as good as the best known.`;
}
