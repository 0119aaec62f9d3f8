// What the terms of a query mean: each is a test of a node. Those of adviz/graph/queries/query_terms.py are the same.

import type { Graph } from "./graph.js";
import type { Comparison, Expression, NumberName, StateName, Term, TextName } from "./query-language.js";
import type { Column } from "../scene/columns.js";

type Predicate = (node: number) => boolean;
type Holds = (text: string) => boolean;

const flag =
  (name: Parameters<Graph["is"]>[0]) =>
  (graph: Graph): Predicate =>
  (node) =>
    graph.is(name, node);

const STATES: Record<StateName, (graph: Graph) => Predicate> = {
  dead: (graph) => (node) => !graph.is("live", node),
  input: flag("input"),
  isinf: flag("inf"),
  isnan: flag("nan"),
  live: flag("live"),
  output: flag("output"),
};

const read =
  (column: Column) =>
  (node: number): number =>
    column[node]!;

/** How a number of each node is read; lines are apart, as a sub-expression may be on several. */
const NUMBERS: Record<Exclude<NumberName, "line">, (graph: Graph) => (node: number) => number> = {
  bytes: ({ columns }) => read(columns.bytes),
  cost: ({ columns }) => read(columns.operations),
  depth: (graph) => read(graph.depths()),
  node: () => (node) => node,
  operations: ({ columns }) => read(columns.operations),
  times_used: ({ columns }) => read(columns.uses),
  value: ({ columns }) => read(columns.value),
};

const COMPARISONS: Record<Exclude<Comparison, "~">, (value: number, bound: number) => boolean> = {
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
  "=": (value, bound) => value === bound,
  "==": (value, bound) => value === bound,
  "!=": (value, bound) => value !== bound,
};

/** Texts that each node, or the place in the source that made it, has. */
const TEXTS: Record<Exclude<TextName, "block" | "scope">, (graph: Graph, holds: Holds) => Predicate> = {
  dtype: ({ scene, columns }, holds) => tabled(scene.tables.dtypes ?? [], columns.dtype, holds),
  file: (graph, holds) => spanned(graph, (span) => holds(graph.scene.source.files[span[0]]?.path ?? ""), holds("")),
  function: (graph, holds) => spanned(graph, (span) => holds(graph.scene.source.files[span[0]]?.name ?? ""), holds("")),
  name: (graph, holds) => (node) => holds(graph.name(node) ?? ""),
  shape: ({ scene, columns }, holds) => tabled(scene.tables.shapes ?? [], columns.shape, holds),
};

function tabled(table: readonly string[], column: Column, holds: Holds): Predicate {
  const held = table.map(holds);
  return (node) => held[column[node]!] === true;
}

/** Test the span of each node, once per span; the answer for nodes without one is given. */
function spanned({ scene, columns }: Graph, holds: Parameters<Graph["whereSpan"]>[0], without: boolean): Predicate {
  const held = scene.tables.spans.map(holds);
  return (node) => held[columns.span[node]!] ?? without;
}

/** Equality that ignores case, with * for anything. */
function pattern(wanted: string): Holds {
  const parts = wanted
    .toLowerCase()
    .split("*")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  return (text) => expression.test(text.toLowerCase());
}

function containing(wanted: string): Holds {
  const word = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(word);
}

/** Blocks by name or symbol; where a symbol is given it must be all of theirs. */
function blockTerm({ scene, columns }: Graph, holds: Holds, symbol?: string): Predicate {
  const held = scene.tables.blocks.map(
    (block) => holds(block.name) || (symbol === undefined ? holds(block.symbol) : block.symbol === symbol),
  );
  return (node) => held[columns.block[node]!] === true;
}

/** Nodes in the scopes that hold and in all scopes inside them; scopes before `first` are not tested. */
function scopeTerm({ scopes, columns }: Graph, holds: Holds, first: number): Predicate {
  const held = new Uint8Array(scopes.size);
  for (let scope = 0; scope < scopes.size; scope++) {
    const label = scopes.label(scope);
    // "iteration 1,000" is also found as people type it.
    held[scope] = Number(
      held[scopes.parent(scope)] === 1 || (scope >= first && (holds(label) || holds(label.replaceAll(",", "")))),
    );
  }
  return (node) => held[columns.scope[node]!] === 1;
}

/** A plain word. The root scope is left out, as its name would match every node. */
function wordTerm(graph: Graph, word: string): Predicate {
  const holds = containing(word);
  const block = blockTerm(graph, holds, word);
  const scope = scopeTerm(graph, holds, 1);
  const source = spanned(graph, (_, span) => holds(graph.spanText(span)), holds(""));
  return (node) => block(node) || scope(node) || source(node) || holds(graph.name(node) ?? "");
}

function textTerm(graph: Graph, { name, comparison, wanted }: Term & { kind: "text" }): Predicate {
  const holds = comparison === "~" ? containing(wanted) : pattern(wanted);
  const found =
    name === "block"
      ? blockTerm(graph, holds, comparison === "~" ? wanted : undefined)
      : name === "scope"
        ? scopeTerm(graph, holds, 0)
        : TEXTS[name](graph, holds);
  return comparison === "!=" ? (node) => !found(node) : found;
}

/** A sub-expression of several lines is on each of them. */
function lineTerm(graph: Graph, comparison: Exclude<Comparison, "~">, bound: number): Predicate {
  const holds = COMPARISONS[comparison];
  if (comparison === "!=") return spanned(graph, ([, first, , last]) => first > bound || last < bound, true);
  if (comparison === "=" || comparison === "==") return rangeOfLines(graph, bound, bound);
  return spanned(graph, ([, first, , last]) => holds(comparison.startsWith("<") ? first : last, bound), false);
}

const rangeOfLines = (graph: Graph, low: number, high: number): Predicate =>
  spanned(graph, ([, first, , last]) => first <= high && last >= low, false);

function numberTerm(graph: Graph, { name, comparison, bound }: Term & { kind: "number" }): Predicate {
  if (name === "line") return lineTerm(graph, comparison, bound);
  const [value, holds] = [NUMBERS[name](graph), COMPARISONS[comparison]];
  return (node) => holds(value(node), bound);
}

function rangeTerm(graph: Graph, { name, low, high }: Term & { kind: "range" }): Predicate {
  if (name === "line") return rangeOfLines(graph, low, high);
  const value = NUMBERS[name](graph);
  return (node) => value(node) >= low && value(node) <= high;
}

function predicate(graph: Graph, expression: Expression): Predicate {
  switch (expression.kind) {
    case "word":
      return wordTerm(graph, expression.word);
    case "state":
      return STATES[expression.name](graph);
    case "number":
      return numberTerm(graph, expression);
    case "range":
      return rangeTerm(graph, expression);
    case "text":
      return textTerm(graph, expression);
    case "not": {
      const part = predicate(graph, expression.part);
      return (node) => !part(node);
    }
    case "and": {
      const parts = expression.parts.map((part) => predicate(graph, part));
      return (node) => parts.every((holds) => holds(node));
    }
    case "or": {
      const parts = expression.parts.map((part) => predicate(graph, part));
      return (node) => parts.some((holds) => holds(node));
    }
  }
}

/** The nodes for which an expression holds. */
export const matches = (graph: Graph, expression: Expression): number[] => graph.where(predicate(graph, expression));
