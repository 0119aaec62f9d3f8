// What is said of eliminations that are made in the page: the same sentences as Python's, which goldens pin.

import { type EliminationMove, type Elementary, type Elimination, endsOf, isInterior } from "./elimination.js";
import { plural } from "./format.js";
import type { Formula, Own } from "./scene.js";
import { short } from "./values.js";

/** "v1 → v3"; a dash for each twin before. */
export function namedEdge({ names }: Own, thing: string): string {
  const [tail, head, twin = "1"] = thing.split(".");
  const name = (end: string): string => (end === "s" || end === "t" ? "" : names[Number(end)]!);
  return `${name(tail!)} → ${name(head!)}`.trim() + "′".repeat(Number(twin) - 1);
}

/** A sentence that says why a move is not possible; null where it is. */
export function whyIllegal(graph: Elimination, move: EliminationMove): string | null {
  switch (move[0]) {
    case "vertex":
      return whyNotVertex(graph, move[1]);
    case "face":
      return whyNotFace(graph, move[1], move[2]);
    default:
      return whyNotEdge(graph, move[0], move[1]);
  }
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

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const subscript = (digits: string): string => digits.replace(/\d/g, (digit) => SUBSCRIPTS[Number(digit)]!);

/** "edge/1.3" → "c₃₁": head before tail, a dash for each twin before. */
function symbol(key: string): string {
  const [tail, head, twin = "1"] = key.slice(key.indexOf("/") + 1).split(".") as [string, string, string?];
  const comma = tail.length + head.length > 2 ? "," : "";
  return `c${subscript(head + comma + tail)}${"′".repeat(Number(twin) - 1)}`;
}

const listed = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : (words[0] ?? "");

/** The label that an edit leaves under a key. */
const after = ({ edits }: Elementary, key: string): unknown => edits.find(([name]) => name === key)?.[2];

/** What an elementary move did. */
export function fineCaption(own: Own, step: Elementary): string {
  const { product, merge, focus } = step;
  if (product) {
    const [head, tail] = product.factors.map(symbol);
    const result = symbol(product.result);
    return product.fresh
      ? `${result} = ${head} · ${tail}: a fill-in.`
      : `${result} += ${head} · ${tail}: absorbed.`;
  }
  if (merge) return `${symbol(merge.into)} += ${symbol(merge.from)}: twins merge.`;
  const [sort, ...things] = focus[0]!.split("/") as [string, ...string[]];
  const words: Record<string, () => string> = {
    vertex: () => `${own.names[Number(things[0])]} is gone, with its edges.`,
    edge: () => `The edge ${namedEdge(own, things[0]!)} is gone.`,
    node: () => `${symbol(focus[0]!)} is gone: no path leads through it any more.`,
    face: () => `The face from ${symbol(`/${things[0]}`)} to ${symbol(`/${things[1]}`)} is gone.`,
  };
  return words[sort]!();
}

const MOVES: Record<EliminationMove[0], (own: Own, move: EliminationMove) => string> = {
  vertex: ({ names }, [, j]) => `${names[Number(j)]} is eliminated`,
  front: (own, [, edge]) => `The edge ${namedEdge(own, edge)} is front-eliminated`,
  back: (own, [, edge]) => `The edge ${namedEdge(own, edge)} is back-eliminated`,
  face: (_own, [, e, f = ""]) => `The face from ${symbol(`/${e}`)} to ${symbol(`/${f}`)} is eliminated`,
};

/** What a whole move did. */
export function wholeCaption(own: Own, move: EliminationMove, steps: readonly Elementary[]): string {
  const work = steps.reduce((sum, { cost }) => sum + cost.multiplications, 0);
  const count = (kind: string): number => steps.filter((step) => step.kind === kind).length;
  const parts = [
    plural(work, "multiplication"),
    ...(["fill_in", "absorb", "merge"] as const).filter(count).map((kind) => plural(count(kind), NOUNS[kind])),
  ];
  return `${MOVES[move[0]](own, move)}: ${listed(parts)}.`;
}

const NOUNS = { fill_in: "fill-in", absorb: "absorption", merge: "merge" };

/** The arithmetic of an elementary move with its numbers. */
export function formulaOf(_own: Own, step: Elementary): Formula | null {
  const { product } = step;
  if (!product) return null;
  const id = (key: string): Formula => ["id", symbol(key)];
  const total = after(step, product.result);
  const [head, tail] = product.factors;
  return [
    "row",
    id(product.result),
    ["op", product.fresh ? "=" : "+="],
    id(head),
    ["op", "·"],
    id(tail),
    ["op", "→"],
    ["num", short(total, 24)],
  ];
}

/** The running score against the best possible. */
export function scoreOf({ optimum }: Own, cost: number, isEnd: boolean): string {
  const done = plural(cost, "multiplication");
  if (!optimum) return isEnd ? `Done: ${done}.` : `${done} so far.`;
  const best = optimum.proved
    ? `the best possible is ${optimum.cost} (proved)`
    : `the best known is ${optimum.cost}, and at least ${optimum.lower_bound} are needed`;
  if (!isEnd) return `${done} so far; ${best}.`;
  const over = cost - optimum.cost;
  if (over > 0)
    return `Done: ${plural(over, "multiplication")} from the best ${optimum.proved ? "possible" : "known"}, which is ${optimum.cost}.`;
  if (over < 0) return `Done: ${done}, better than the best known, which is ${optimum.cost}!`;
  return optimum.proved ? `Done: ${done}, the best possible!` : `Done: ${done}, as good as the best known.`;
}
