// Where the panels of a show stand: in columns, as many as there is width for.

import type { Panel } from "./scene.js";

/** Below the first width everything stands in one column; from the second on, what is not the graph has two. */
export const NARROW = 700;
export const WIDE = 1240;

/** So many graphs need the room of the second column. */
const CROWDED = 3;

/** How much height a kind asks for. */
const WEIGHTS: Partial<Record<Panel["kind"], number>> = { tape: 3, table: 3, code: 2, matrix: 2, meters: 2 };

/** Columns of indices into the panels. The graph leads, with the formula below it; each column keeps the given order. */
export function arrange(panels: readonly Pick<Panel, "kind">[], width: number): number[][] {
  const of = (holds: (kind: Panel["kind"]) => boolean): number[] =>
    [...panels.keys()].filter((i) => holds(panels[i]!.kind));
  const stage = [...of((kind) => kind === "graph"), ...of((kind) => kind === "formula")];
  const others = of((kind) => kind !== "graph" && kind !== "formula");
  if (width < NARROW) return [[...stage, ...others]];
  const crowded = of((kind) => kind === "graph").length >= CROWDED;
  const beside =
    width < WIDE || others.length < 2 || crowded ? [others] : halves(others, (i) => WEIGHTS[panels[i]!.kind] ?? 1);
  return [stage, ...beside].filter((column) => column.length);
}

/** Cut a list in two where the weights of both parts differ least. */
function halves(list: readonly number[], weight: (item: number) => number): number[][] {
  const sum = (part: readonly number[]): number => part.reduce((total, item) => total + weight(item), 0);
  const cuts = list.slice(1).map((_, i) => [list.slice(0, i + 1), list.slice(i + 1)] as const);
  const difference = ([one, other]: (typeof cuts)[number]): number => Math.abs(sum(one) - sum(other));
  return [...cuts.reduce((best, cut) => (difference(cut) < difference(best) ? cut : best))];
}
