// The Scene (version 1), the one document between Python and the front end: its types, and a reader that checks it.

import {
  type Check,
  anything,
  bezier,
  integer,
  list,
  nullable,
  number,
  oneOf,
  record,
  tagged,
  text,
  truth,
  tuple,
} from "./check.js";

export type ItemKind = "input" | "output" | "block" | "scope" | "outside";

/** A node or a folded scope in the picture; x and y are the center. */
export interface Item {
  key: string;
  kind: ItemKind;
  label: string;
  detail: string;
  family: string;
  x: number;
  y: number;
  w: number;
  h: number;
  node: number | null;
  span: [number, number] | null;
  count: number;
  repeat: number;
  uses: number;
  dead: boolean;
  title: string;
}

export interface Edge {
  key: string;
  tail: string;
  head: string;
  points: number[];
  count: number;
  kind: string;
}

/** Repeated iterations: sibling k, counted from 0, is the scope first + k * stride; the opened one is `index`. */
export interface Siblings {
  index: number;
  first: number;
  stride: number;
  count: number;
}

/** One opened scope, placed. */
export interface GraphPanel {
  id: string;
  kind: "graph";
  scope: number;
  path: { scope: number; label: string }[];
  siblings: Siblings | null;
  width: number;
  height: number;
  note: string | null;
  nodes: Item[];
  edges: Edge[];
}

export interface SizesPanel {
  id: string;
  kind: "sizes";
  nodes: number;
  edges: number;
  depth: number;
  width: number;
  bytes: number;
  dead: number;
  inputs: number;
  outputs: number;
  literals: number;
  blocks: { block: number; count: number }[];
  uses: { uses: number; upto: number; count: number }[];
  most_used: { node: number; uses: number; label: string }[];
  scopes: { scope: number; count: number }[];
}

export interface CodePanel {
  id: string;
  kind: "code";
}

export type Panel = GraphPanel | CodePanel | SizesPanel;

export type Edit = [key: string, before: unknown, after: unknown];

export interface Step {
  kind: string;
  caption: string;
  focus: string[];
  cost: { multiplications: number; additions: number };
  edits: Edit[];
}

/** One user function: its text and the number of its first line. */
export interface SourceFile {
  name: string;
  path: string;
  line: number;
  text: string;
}

export interface Block {
  name: string;
  family: string;
  symbol: string;
}

/** A sub-expression: columns count characters from 0, the end is exclusive; name is the variable it was assigned to. */
export type Span = [
  file: number,
  line: number,
  column: number,
  endLine: number,
  endColumn: number,
  name: string | null,
];

export interface Tables {
  blocks: Block[];
  scope_labels: string[];
  spans: Span[];
  names: Record<string, string>;
}

export type ColumnType = "u8" | "u16" | "u32" | "i32" | "f32" | "f64";

export interface ColumnEntry {
  name: string;
  type: ColumnType;
  offset: number;
  length: number;
}

export interface Scene {
  version: 1;
  title: string;
  panels: Panel[];
  steps: Step[];
  source: { files: SourceFile[] };
  tables: Tables;
  columns: ColumnEntry[];
}

/** What the inspector shows of one node. */
export interface Detail {
  node: number;
  block: string;
  family: string;
  name: string | null;
  formula: string;
  times_used: number;
  live: boolean;
  scope: string;
  origin: Origin | null;
  value: Value | null;
  operands: (NodeOperand | { literal: string })[];
  users: { node: number; label: string; times: number }[];
  users_total: number;
}

export interface Origin {
  file: number;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  text: string;
  path: string;
}

export interface Value {
  shape: number[];
  dtype: string;
  bytes: number;
  text: string | null;
  min?: number | null;
  max?: number | null;
  mean?: number | null;
  norm?: number | null;
  nan?: number;
  inf?: number;
  histogram?: { low: number; high: number; counts: number[] } | null;
}

export interface NodeOperand {
  node: number;
  label: string;
  jacobian: Jacobian | null;
}

export interface Jacobian {
  structure: string;
  shape: number[];
  nonzeros: number;
  rule: string;
  text: string | null;
}

const item = record({
  key: text,
  kind: oneOf("input", "output", "block", "scope", "outside"),
  label: text,
  detail: text,
  family: text,
  x: number,
  y: number,
  w: number,
  h: number,
  node: nullable(integer),
  span: nullable(tuple(integer, integer)),
  count: integer,
  repeat: integer,
  uses: integer,
  dead: truth,
  title: text,
});

const edge = record({ key: text, tail: text, head: text, points: bezier, count: integer, kind: text });

const graphPanel = record({
  id: text,
  scope: integer,
  path: list(record({ scope: integer, label: text })),
  siblings: nullable(record({ index: integer, first: integer, stride: integer, count: integer })),
  width: number,
  height: number,
  note: nullable(text),
  nodes: list(item),
  edges: list(edge),
});

const sizesPanel = record({
  id: text,
  nodes: integer,
  edges: integer,
  depth: integer,
  width: integer,
  bytes: number,
  dead: integer,
  inputs: integer,
  outputs: integer,
  literals: integer,
  blocks: list(record({ block: integer, count: integer })),
  uses: list(record({ uses: integer, upto: integer, count: integer })),
  most_used: list(record({ node: integer, uses: integer, label: text })),
  scopes: list(record({ scope: integer, count: integer })),
});

const step = record({
  kind: text,
  caption: text,
  focus: list(text),
  cost: record({ multiplications: integer, additions: integer }),
  edits: list(tuple(text, anything, anything)),
});

const tables = record({
  blocks: list(record({ name: text, family: text, symbol: text })),
  scope_labels: list(text),
  spans: list(tuple(integer, integer, integer, integer, integer, nullable(text))),
  names: record({}),
});

const scene = record({
  version: oneOf(1),
  title: text,
  panels: list(tagged("kind", { graph: graphPanel, code: record({ id: text }), sizes: sizesPanel })),
  steps: list(step),
  source: record({ files: list(record({ name: text, path: text, line: integer, text })) }),
  tables,
  columns: list(
    record({
      name: text,
      type: oneOf("u8", "u16", "u32", "i32", "f32", "f64"),
      offset: integer,
      length: integer,
    }),
  ),
});

/** A document that is not what this front end can draw; the message names the place. */
export class SceneError extends Error {
  override name = "SceneError";
}

function read<T>(check: Check, value: unknown, root: string): T {
  const found = check(value);
  if (found) throw new SceneError(`${root}${found.place}: ${found.message}`);
  return value as T;
}

/** The document as a Scene. Throws SceneError. */
export const readScene = (value: unknown): Scene => read(scene, value, "scene");

/** One opened scope as Python sends it on request. Throws SceneError. */
export const readView = (value: unknown): GraphPanel => read(graphPanel, value, "view");

/** The first panel of a kind, or null. */
export function panelOf<K extends Panel["kind"]>(document: Scene, kind: K): Extract<Panel, { kind: K }> | null {
  return (document.panels.find((panel) => panel.kind === kind) as Extract<Panel, { kind: K }> | undefined) ?? null;
}
