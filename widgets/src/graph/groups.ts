// Nodes counted by line, function, scope, iteration, Block or shape: the rows of graph.by in Python, see
// adviz/graph/queries/aggregates.py; both are tested with the same tables.

import type { Graph } from "./graph.js";
import type { SourceFile } from "../scene/scene.js";
import { fileName } from "../ui/format.js";

export const CRITERIA = ["line", "function", "scope", "iteration", "block", "shape"] as const;
export type Criterion = (typeof CRITERIA)[number];

export const SUMS = ["nodes", "bytes", "operations", "uses", "seconds"] as const;
export type Sum = (typeof SUMS)[number];

const ENDS = "inputs and outputs";
const ELSEWHERE = "outside the source";
const OUTSIDE = "outside loops";

/** How nodes are grouped: the group of each, and what a group is called. */
interface Grouping {
  readonly size: number;
  readonly of: (node: number) => number;
  readonly label: (group: number) => string;
  /** A further text, such as the source of a line. */
  readonly further?: (group: number) => string;
  /** The label in two parts where it is long: what tells it apart, and what is around that. */
  readonly parts?: (group: number) => readonly [string, string];
}

/** A row for each group of nodes; the one with most nodes first, of equal ones the one with the first node. */
export interface Groups {
  readonly rows: readonly Row[];
  /** The nodes of a row. */
  readonly nodes: (row: Row) => number[];
  /** Of all rows together. */
  readonly total: Readonly<Record<Sum, number>>;
}

export interface Row extends Readonly<Record<Sum, number>> {
  readonly group: number;
  readonly label: string;
  readonly further: string;
  /** The label and the further text as they are shown, the part that tells rows apart before the rest. */
  readonly shown: readonly [string, string];
}

/** Count the nodes in a scope, and in those inside it. */
export function grouped(graph: Graph, criterion: Criterion, scope = 0): Groups {
  const { columns } = graph;
  const { size, of, label, further = () => "", parts } = GROUPINGS[criterion](graph);
  const [low, high] = [scope, graph.scopes.end(scope)];
  const all = scope === 0;
  const first = new Int32Array(size).fill(-1);
  const sums = SUMS.map(() => new Float64Array(size));
  const [nodes, bytes, operations, uses, seconds] = sums as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  const isIn = (node: number): boolean => all || (columns.scope[node]! >= low && columns.scope[node]! < high);
  for (let node = 0; node < graph.size; node++) {
    if (!isIn(node)) continue;
    const group = of(node);
    if (first[group] === -1) first[group] = node;
    nodes[group]!++;
    bytes[group]! += columns.held[node]!;
    operations[group]! += columns.operations[node]!;
    uses[group]! += columns.uses[node]!;
    seconds[group]! += columns.seconds[node]!;
  }
  const found = Array.from({ length: size }, (_, group) => group).filter((group) => first[group]! >= 0);
  found.sort((one, other) => nodes[other]! - nodes[one]! || first[one]! - first[other]!);
  const numbers = (read: (sum: Float64Array) => number) =>
    Object.fromEntries(SUMS.map((name, k) => [name, read(sums[k]!)])) as Record<Sum, number>;
  return {
    rows: found.map((group) => ({
      group,
      label: label(group),
      further: further(group),
      shown: parts?.(group) ?? [label(group), further(group)],
      ...numbers((sum) => sum[group]!),
    })),
    nodes: ({ group }) => graph.where((node) => isIn(node) && of(node) === group),
    total: numbers((sum) => sum.reduce((a, b) => a + b, 0)),
  };
}

// ---- by what ----

const GROUPINGS: Record<Criterion, (graph: Graph) => Grouping> = {
  line: lines,
  function: functions,
  scope: (graph) => {
    const { columns, scopes } = graph;
    return {
      size: scopes.groups.length,
      of: (node) => columns.scope_group[columns.scope[node]!]!,
      label: (group) => scopes.groupPath(group),
      parts: (group) => {
        const [name, around] = scopes.groups[group]!;
        return [name, around < 0 ? "" : `in ${scopes.groupPath(around)}`];
      },
    };
  },
  iteration: ({ scene, columns }) => {
    const rows = scene.tables.iterations ?? [];
    return {
      size: rows.length + 1,
      of: (node) => columns.scope_iteration[columns.scope[node]!]!,
      label: (group) => (rows[group] ? `${rows[group][1]} › ${rows[group][0]}` : OUTSIDE),
      parts: (group) => (rows[group] ? [rows[group][0], `of ${rows[group][1]}`] : [OUTSIDE, ""]),
    };
  },
  block: ({ scene, columns }) => texts(scene.tables.blocks.map(({ name }) => name), columns.block),
  shape: ({ scene, columns }) => texts(scene.tables.shapes ?? [""], columns.shape),
};

/** Nodes whose texts are equal. */
function texts(table: readonly string[], column: ArrayLike<number>): Grouping {
  const { keys, numbers } = numbered(table);
  return { size: keys.length, of: (node) => numbers[column[node]!]!, label: (group) => keys[group]! };
}

/** The different texts, and the number of each one. */
function numbered(all: readonly string[]): { keys: string[]; numbers: number[] } {
  const known = new Map<string, number>();
  const numbers = all.map((text) => {
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    return number;
  });
  return { keys: [...known.keys()], numbers };
}

/** The groups of the spans, and after them those of nodes without one: inputs and outputs, and what no line made. */
function placed(graph: Graph, groups: readonly number[], size: number): Grouping["of"] {
  const { columns } = graph;
  return (node) => {
    if (graph.is("input", node) || graph.is("output", node)) return size;
    return groups[columns.span[node]!] ?? size + 1;
  };
}

const withEnds = (labels: readonly string[]): Grouping["label"] => {
  const all = [...labels, ENDS, ELSEWHERE];
  return (group) => all[group]!;
};

function lines(graph: Graph): Grouping {
  const { files } = graph.scene.source;
  const { spans } = graph.scene.tables;
  const { keys, numbers } = numbered(spans.map(([file, line]) => `${line}:${files[file]?.path ?? ""}`));
  const spanOf = new Map(numbers.map((group, span) => [group, spans[span]!]));
  const names = shortNames([...spanOf.values()].map(([file]) => files[file]?.path ?? ""));
  const labels = keys.map((_, group) => {
    const [file, line] = spanOf.get(group)!;
    return `${names.get(files[file]?.path ?? "")!}:${line}`;
  });
  return {
    size: keys.length + 2,
    of: placed(graph, numbers, keys.length),
    label: withEnds(labels),
    further: (group) => (group < keys.length ? graph.lineText(spanOf.get(group)!) : ""),
  };
}

function functions(graph: Graph): Grouping {
  const { files } = graph.scene.source;
  const { keys, numbers } = numbered(graph.scene.tables.spans.map(([file]) => String(file)));
  const found = keys.map((file) => files[Number(file)] ?? { name: "", path: "", line: 0, text: "" });
  const names = shortNames(found.map(({ path }) => path));
  const places = found.map((file) => `${names.get(file.path)!}:${headLine(file)}`);
  const labels = toldApart(
    found.map(({ name }) => name),
    places,
    places.map((place, k) => `${place}, function ${k + 1}`),
  );
  return { size: keys.length + 2, of: placed(graph, numbers, keys.length), label: withEnds(labels) };
}

/** The line with the `def` of a function, below its decorators, which may take several lines each. */
function headLine({ line, text }: SourceFile): number {
  const below = text.trimStart().startsWith("@") ? text.split("\n").findIndex((each) => HEAD.test(each)) : 0;
  return line + Math.max(below, 0);
}

const HEAD = /^\s*(async\s+)?(def|class)\b/;

/** Names of files without their folders, where that is enough to tell them apart. */
function shortNames(paths: readonly string[]): Map<string, string> {
  const unique = [...new Set(paths)];
  const names = unique.map((path) => (path.startsWith("Cell In[") ? path : fileName(path)));
  return new Map(unique.map((path, k) => [path, names.filter((name) => name === names[k]).length > 1 ? path : names[k]!]));
}

/** Names; those that are equal together with the first of the details in which they all differ, or with the last one. */
function toldApart(names: readonly string[], ...details: readonly (readonly string[])[]): string[] {
  const places = new Map<string, number[]>();
  names.forEach((name, k) => places.set(name, [...(places.get(name) ?? []), k]));
  const found = [...names];
  for (const [name, equal] of places) {
    if (equal.length < 2) continue;
    const told = details.find((each) => new Set(equal.map((k) => each[k])).size === equal.length) ?? details.at(-1)!;
    for (const k of equal) if (told[k]) found[k] = `${name} (${told[k]})`;
  }
  return found;
}
