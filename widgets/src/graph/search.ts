// The query language: terms separated by blanks, all of which must hold.
//
//   sin "for k"            the words stand in a block, a name, a scope label or the source
//   block:sin  name:h*     fields; * stands for anything
//   scope:layer  line:12
//   times_used > 3         conditions on numbers: bytes, node, times_used, value
//   isnan  dead            states

import type { Graph } from "./graph.js";

type Predicate = (node: number) => boolean;
type Term = (graph: Graph) => Predicate;

/** The terms, or why the query cannot be parsed. */
export type Query = { terms: Term[] } | { error: string };

const state =
  (flag: Parameters<Graph["is"]>[0]): Term =>
  (graph) =>
  (node) =>
    graph.is(flag, node);

const STATES: Record<string, Term> = {
  dead: (graph) => (node) => !graph.is("live", node),
  live: state("live"),
  isnan: state("nan"),
  isinf: state("inf"),
  input: state("input"),
  output: state("output"),
};

const NUMBERS: Record<string, (columns: Graph["columns"], node: number) => number> = {
  bytes: ({ bytes }, node) => bytes[node]!,
  node: (_, node) => node,
  times_used: ({ uses }, node) => uses[node]!,
  value: ({ value }, node) => value[node]!,
};

const COMPARISONS: Record<string, (value: number, bound: number) => boolean> = {
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
  "=": (value, bound) => value === bound,
  "==": (value, bound) => value === bound,
  "!=": (value, bound) => value !== bound,
};

const FIELDS: Record<string, (wanted: string) => Term> = {
  block: (wanted) => {
    const matches = pattern(wanted);
    return blockTerm(({ name, symbol }) => matches(name) || matches(symbol));
  },
  name: (wanted) => {
    const matches = pattern(wanted);
    return (graph) => (node) => matches(graph.name(node) ?? "");
  },
  scope: (wanted) => {
    const holds = containing(wanted);
    return (graph) => scopeTerm(graph, holds, 0);
  },
  line: (wanted) => (graph) => {
    const made = new Set(graph.atLine(Number(wanted)));
    return (node) => made.has(node);
  },
};

/** Equality that ignores case, with * for anything. */
function pattern(wanted: string): (text: string) => boolean {
  const parts = wanted
    .toLowerCase()
    .split("*")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  return (text) => expression.test(text.toLowerCase());
}

function containing(wanted: string): (text: string) => boolean {
  const word = wanted.toLowerCase();
  return (text) => text.toLowerCase().includes(word);
}

const blockTerm =
  (holds: (block: { name: string; symbol: string }) => boolean): Term =>
  ({ scene, columns }) => {
    const held = scene.tables.blocks.map(holds);
    return (node) => held[columns.block[node]!] === true;
  };

/** Nodes in the scopes that hold and in all scopes inside them; scopes before `first` are not tested. */
function scopeTerm({ scopes, columns }: Graph, holds: (label: string) => boolean, first: number): Predicate {
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
const wordTerm =
  (word: string): Term =>
  (graph) => {
    const holds = containing(word);
    const block = blockTerm(({ name, symbol }) => holds(name) || symbol === word)(graph);
    const scope = scopeTerm(graph, holds, 1);
    const source = new Set(graph.whereSpan((_, span) => holds(graph.spanText(span))));
    return (node) => block(node) || scope(node) || source.has(node) || holds(graph.name(node) ?? "");
  };

/** One condition, one field, one quoted text or one word at the start of what is left. */
const TERM = /^\s*(?:([a-z_]+)\s*(<=|>=|==|!=|<|>|=)\s*([^\s]*)|([a-z_]+):(?:"([^"]*)"|([^\s]*))|"([^"]*)"|([^\s]+))/i;

const listed = (table: object): string => Object.keys(table).join(", ");

function condition(name: string, comparison: string, bound: string): Term | string {
  const quantity = Object.hasOwn(NUMBERS, name) ? NUMBERS[name]! : null;
  if (!quantity) return `There is no number “${name}” to compare; there are ${listed(NUMBERS)}.`;
  if (bound === "" || Number.isNaN(Number(bound))) {
    return `“${name} ${comparison}” wants a number after it, as in ${name} ${comparison} 3.`;
  }
  const holds = COMPARISONS[comparison]!;
  return (graph) => (node) => holds(quantity(graph.columns, node), Number(bound));
}

function field(name: string, wanted: string): Term | string {
  if (!Object.hasOwn(FIELDS, name)) return `There is no field “${name}:”; there are ${listed(FIELDS)}.`;
  if (wanted === "") return `“${name}:” wants a text after it.`;
  if (name === "line" && !/^\d+$/.test(wanted)) return "“line:” wants the number of a line, as in line:12.";
  return FIELDS[name]!(wanted);
}

/** Read a query. An empty one has no terms. */
export function parse(query: string): Query {
  const terms: Term[] = [];
  let rest = query.trim();
  while (rest) {
    const [whole, quantity, comparison, bound, name, quoted, plain, words, word] = TERM.exec(rest)!;
    const term =
      quantity !== undefined
        ? condition(quantity.toLowerCase(), comparison!, bound!)
        : name !== undefined
          ? field(name.toLowerCase(), quoted ?? plain!)
          : words !== undefined
            ? wordTerm(words)
            : Object.hasOwn(STATES, word!.toLowerCase())
              ? STATES[word!.toLowerCase()]!
              : wordTerm(word!);
    if (typeof term === "string") return { error: term };
    terms.push(term);
    rest = rest.slice(whole.length).trim();
  }
  return { terms };
}

/** The nodes for which all terms hold; none without terms. */
export function matches(graph: Graph, terms: readonly Term[]): number[] {
  if (!terms.length) return [];
  const predicates = terms.map((term) => term(graph));
  return graph.where((node) => predicates.every((holds) => holds(node)));
}
