// The Scene (version 1), the one document between Python and the front end: its types, and a reader that checks it.

import {
  type Check,
  type Fault,
  anything,
  at,
  bezier,
  describe,
  either,
  headed,
  integer,
  list,
  nullable,
  number,
  oneOf,
  optional,
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
  /** The height kept free at the bottom, for what a run writes there. */
  room?: number;
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
  /** What arrow keys walk along, where that is not the edges; `key` is the edge. */
  links?: { key: string; tail: string; head: string }[];
  /** The run whose state the picture shows, in a show. */
  run?: string;
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

/** The functions that a program was compiled from; `span_of` has for each node its place among `spans`, or -1. */
export interface FunctionPanel {
  id: string;
  kind: "function";
  files: SourceFile[];
  spans: Span[];
  span_of: number[];
}

/** The Wengert list of a run, top to bottom. */
export interface TapePanel {
  id: string;
  kind: "tape";
  run: string;
  rows: { node: number; label: string; detail: string; dead: boolean }[];
}

/** The evaluation trace of a run: for each node what is on stage under some words, as "value" or "cotangent". */
export interface TablePanel {
  id: string;
  kind: "table";
  run: string;
  columns: { what: string; label: string }[];
  rows: { node: number; label: string }[];
}

export interface MatrixPanel {
  id: string;
  kind: "matrix";
  run: string;
  rows: string[];
  columns: string[];
  /** Of each row and of each column the node whose entry it is. */
  row_nodes?: (number | null)[];
  column_nodes?: (number | null)[];
  label: string;
}

export interface FormulaPanel {
  id: string;
  kind: "formula";
}

export interface MetersPanel {
  id: string;
  kind: "meters";
  /** What other orders take, or none can do without. */
  references?: Reference[];
  /** Where the run ends is not known: the reader is making it. */
  isOpen?: boolean;
}

export interface Reference {
  label: string;
  multiplications: number;
  kind: "forward" | "reverse" | "markowitz" | "optimum" | "bound";
}

/** A vertex of a c-graph, or a node of its line graph; `thing` is its number "3", or the edge "1.3" it stands for. */
export interface EliminationNode {
  key: string;
  thing: string;
  role: "input" | "intermediate" | "output" | "source" | "sink" | "edge";
  label: string;
  detail: string;
  x: number;
  y: number;
  w: number;
  h: number;
  /** The node of the traced program. */
  node?: number;
  /** What it is called where its label is not its own. */
  name?: string;
}

/** An edge with the place of its label, or a face with the vertex it goes by. */
export interface EliminationEdge {
  key: string;
  thing: string;
  tail: string;
  head: string;
  points: number[];
  at?: [x: number, y: number];
  via?: string;
}

/** A c-graph or its line graph, with all that will ever be there. */
export interface EliminationPanel {
  id: string;
  kind: "elimination";
  run: string;
  side: "cgraph" | "linegraph";
  /** Of a large line graph there are vertices, each for its biclique, and edges, each for a node. */
  folded?: boolean;
  direction: "data flow" | "dependence";
  width: number;
  height: number;
  note: string | null;
  nodes: EliminationNode[];
  edges: EliminationEdge[];
}

export type Panel =
  | GraphPanel
  | CodePanel
  | FunctionPanel
  | SizesPanel
  | TapePanel
  | TablePanel
  | MatrixPanel
  | FormulaPanel
  | MetersPanel
  | EliminationPanel;

export type Edit = [key: string, before: unknown, after: unknown];

/** What every step of a timeline has. */
export interface Move {
  kind: string;
  caption: string;
  focus: string[];
  cost: { multiplications: number; additions: number };
  edits: Edit[];
}

/** Arithmetic as data, which becomes MathML elements. */
export type Formula =
  | readonly ["row", ...Formula[]]
  | readonly ["id", string]
  | readonly ["num", string]
  | readonly ["op", string]
  | readonly ["text", string]
  | readonly ["sub", base: Formula, index: Formula]
  | readonly ["bar", Formula]
  | readonly ["dot", Formula]
  | readonly ["frac", top: Formula, bottom: Formula]
  | readonly ["matrix", Formula[][]];

/** An edge that something travels along: head, operand, and which operand of the head it is. */
export type EdgeOf = [head: number, operand: number, place: number];

export interface Cost {
  multiplications: number;
  additions: number;
  comparisons: number;
  /** How often a node had its turn; several where moves are folded into one step. */
  visits: number;
}

/** What a step is to one run. */
export interface Part {
  run: string;
  kind: string;
  node: number | null;
  edge: EdgeOf | null;
  formula: Formula | null;
  cost: Cost;
  /** What the run keeps alive after the step. */
  bytes: number;
  /** The most that the run has kept alive up to here, also between the moves folded into one step. */
  peak: number;
  /** Two labels are multiplied: keys without the run. */
  product?: Product | null;
  /** A twin joins another. */
  merge?: { from: string; into: string } | null;
}

/** Asked before a step reveals the answer. */
export interface Question {
  kind: "number" | "node" | "choice";
  prompt: string;
  answer: number | string;
  choices?: string[];
  tolerance?: number;
  hint: string;
}

/** A step of a show. */
export interface Step extends Omit<Move, "cost">, Part {
  /** A coarse step begins here. */
  coarse: boolean;
  /** The whole coarse step that begins here, in one sentence, where it is of several steps. */
  whole?: string;
  question: Question | null;
  /** Where runs advance together, what the step is to each of them; the step's own fields are those of the first. */
  parts?: Part[];
}

export interface Product {
  /** The label of the head, and that of the tail. */
  factors: [head: string, tail: string];
  result: string;
  /** Whether the product makes a new edge, or else adds to one. */
  fresh: boolean;
}

/** A label: a number, or a small matrix by rows. */
export type Label = number | { shape: [rows: number, columns: number]; data: number[] };

/** What the reader's own order begins with, and is measured by. */
export interface Own {
  technique: "vertex" | "edge" | "face";
  sizes: number[];
  inputs: number[];
  outputs: number[];
  /** How many rows of the Jacobian belong to each output, and how many columns to each input. */
  rows: number[];
  columns: number[];
  edges: [tail: number, head: number, label: Label][];
  count: "scalar" | "block" | "sparse";
  units: boolean;
  optimum: { cost: number; proved: boolean; lower_bound: number } | null;
  names: string[];
  /** What Python calls the vertices; else by their numbers. */
  texts?: string[];
}

export interface Run {
  id: string;
  label: string;
  kind: "forward" | "reverse" | "evaluation";
}

/** A number of the program that may be changed. */
export interface Input {
  name: string;
  node: number;
  value: number;
  min: number;
  max: number;
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
  steps: Move[];
  source: { files: SourceFile[] };
  tables: Tables;
  columns: ColumnEntry[];
}

/** A Scene that the Player plays; what is on stage has keys "run/what/node" or "run/what/node/place". */
export interface Show extends Scene {
  steps: Step[];
  runs: Run[];
  inputs: Input[];
  teach: boolean;
  /** What is on stage before the first step, where that is more than what the steps touch. */
  start?: Record<string, unknown>;
  own?: Own | null;
  /** Why the reader can make no order, and what to write to be able to. */
  why_not_own?: string | null;
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
  /** From how many of the entries mean, norm and histogram are estimated, if not from all, and the sentence about it. */
  sample?: number;
  note?: string;
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
  room: optional(number),
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
  run: optional(text),
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

const tapePanel = record({
  id: text,
  run: text,
  rows: list(record({ node: integer, label: text, detail: text, dead: truth })),
});

const tablePanel = record({
  id: text,
  run: text,
  columns: list(record({ what: text, label: text })),
  rows: list(record({ node: integer, label: text })),
});

const eliminationPanel = record({
  id: text,
  run: text,
  side: oneOf("cgraph", "linegraph"),
  folded: optional(truth),
  direction: oneOf("data flow", "dependence"),
  width: number,
  height: number,
  note: nullable(text),
  nodes: list(
    record({
      key: text,
      thing: text,
      role: oneOf("input", "intermediate", "output", "source", "sink", "edge"),
      label: text,
      detail: text,
      x: number,
      y: number,
      w: number,
      h: number,
      node: optional(nullable(integer)),
      name: optional(text),
    }),
  ),
  edges: list(
    record({
      key: text,
      thing: text,
      tail: text,
      head: text,
      points: bezier,
      at: optional(tuple(number, number)),
      via: optional(nullable(text)),
    }),
  ),
});

const reference = record({
  label: text,
  multiplications: number,
  kind: oneOf("forward", "reverse", "markowitz", "optimum", "bound"),
});

const label = either(number, record({ shape: tuple(integer, integer), data: list(number) }));

const own = record({
  technique: oneOf("vertex", "edge", "face"),
  sizes: list(integer),
  inputs: list(integer),
  outputs: list(integer),
  edges: list(tuple(integer, integer, label)),
  count: oneOf("scalar", "block", "sparse"),
  units: truth,
  optimum: nullable(record({ cost: integer, proved: truth, lower_bound: number })),
  names: list(text),
  texts: optional(list(text)),
});

const matrixPanel = record({
  id: text,
  run: text,
  rows: list(text),
  columns: list(text),
  row_nodes: optional(list(nullable(integer))),
  column_nodes: optional(list(nullable(integer))),
  label: text,
});

const move = record({
  kind: text,
  caption: text,
  focus: list(text),
  cost: record({ multiplications: integer, additions: integer }),
  edits: list(tuple(text, anything, anything)),
});

const tree: Check = (value) => formula(value);

const formula = headed({
  row: tree,
  id: [text],
  num: [text],
  op: [text],
  text: [text],
  sub: [tree, tree],
  bar: [tree],
  dot: [tree],
  frac: [tree, tree],
  matrix: [list(list(tree))],
});

const part = {
  run: text,
  kind: text,
  node: nullable(integer),
  edge: nullable(tuple(integer, integer, integer)),
  formula: nullable(formula),
  cost: record({ multiplications: integer, additions: integer, comparisons: integer, visits: integer }),
  bytes: number,
  peak: number,
  product: optional(nullable(record({ factors: tuple(text, text), result: text, fresh: truth }))),
  merge: optional(nullable(record({ from: text, into: text }))),
};

const question = record({
  kind: oneOf("number", "node", "choice"),
  prompt: text,
  answer: either(number, text),
  choices: optional(list(text)),
  tolerance: optional(number),
  hint: text,
});

const step = record({
  ...part,
  caption: text,
  focus: list(text),
  edits: list(tuple(text, anything, anything)),
  coarse: truth,
  whole: optional(text),
  question: nullable(question),
  parts: optional(list(record(part))),
});

const show = record({
  steps: list(step),
  runs: list(record({ id: text, label: text, kind: oneOf("forward", "reverse", "evaluation") })),
  inputs: list(record({ name: text, node: integer, value: number, min: number, max: number })),
  teach: truth,
  start: optional(record({})),
  own: optional(nullable(own)),
  why_not_own: optional(nullable(text)),
});

const files = list(record({ name: text, path: text, line: integer, text }));

const spans = list(tuple(integer, integer, integer, integer, integer, nullable(text)));

const tables = record({
  blocks: list(record({ name: text, family: text, symbol: text })),
  scope_labels: list(text),
  spans,
  names: record({}),
});

const scene = record({
  version: oneOf(1),
  title: text,
  panels: list(
    tagged("kind", {
      graph: graphPanel,
      code: record({ id: text }),
      function: record({ id: text, files, spans, span_of: list(integer) }),
      sizes: sizesPanel,
      tape: tapePanel,
      table: tablePanel,
      matrix: matrixPanel,
      formula: record({ id: text }),
      meters: record({ id: text, references: optional(list(reference)) }),
      elimination: eliminationPanel,
    }),
  ),
  steps: list(move),
  source: record({ files }),
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

const sameValue = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));

/** The first thing for which a test fails, with its index. */
function firstFault<T>(things: readonly T[], place: string, fault: (thing: T) => Fault | null): Fault | null {
  for (let i = 0; i < things.length; i++) {
    const found = fault(things[i]!);
    if (found) return at(`${place}[${i}]${found.place}`, found.message);
  }
  return null;
}

/** What the parts of a show say of each other: runs and nodes exist, and each edit finds what the last one left. */
function agreement({ runs, panels, steps, inputs, columns, start }: Show): Fault | null {
  const known = new Set(runs.map(({ id }) => id));
  const size = columns.find(({ name }) => name === "first")?.length ?? 0;
  const stage = new Map<string, unknown>(Object.entries(start ?? {}));
  const run = (id: string, place: string): Fault | null =>
    known.has(id) ? null : at(place, `expected a run of this show, found ${describe(id)}`);
  const node = (number: number | null, place: string): Fault | null =>
    number === null || (number >= 0 && number < size) ? null : at(place, `there is no node ${number} among ${size}`);
  const edit = ([key, before, after]: Edit): Fault | null => {
    if (stage.has(key) && !sameValue(stage.get(key), before))
      return at("[1]", `${describe(before)} is not what the step before left at ${key}`);
    stage.set(key, after);
    return run(key.split("/", 1)[0]!, "[0]");
  };
  const part = (part: Part): Fault | null =>
    run(part.run, ".run") ??
    node(part.node, ".node") ??
    node(part.edge && part.edge[0], ".edge[0]") ??
    node(part.edge && part.edge[1], ".edge[1]");
  const panel = (panel: Panel): Fault | null => {
    if ("run" in panel && run(panel.run!, ".run")) return run(panel.run!, ".run");
    if (panel.kind === "tape" || panel.kind === "table")
      return firstFault(panel.rows as { node: number }[], ".rows", (row) => node(row.node, ".node"));
    if (panel.kind !== "graph" && panel.kind !== "elimination") return null;
    const items = new Set(panel.nodes.map(({ key }) => key));
    const end = (key: string, place: string): Fault | null =>
      items.has(key) ? null : at(place, `there is no item ${describe(key)}`);
    return (
      firstFault<{ node?: number | null }>(panel.nodes, ".nodes", (item) => node(item.node ?? null, ".node")) ??
      firstFault<{ tail: string; head: string }>(
        panel.edges,
        ".edges",
        ({ tail, head }) => end(tail, ".tail") ?? end(head, ".head"),
      )
    );
  };
  return (
    firstFault(panels, ".panels", panel) ??
    firstFault(inputs, ".inputs", (input) => node(input.node, ".node")) ??
    firstFault(
      steps,
      ".steps",
      (step) => part(step) ?? firstFault(step.parts ?? [], ".parts", part) ?? firstFault(step.edits, ".edits", edit),
    )
  );
}

/** The document as a Scene, and as a Show where it has runs. Throws SceneError. */
export function readScene(value: unknown): Scene {
  const found = read<Scene>(scene, value, "scene");
  return isShow(found) ? read<Show>((whole) => show(whole) ?? agreement(whole as Show), found, "scene") : found;
}

/** Whether a Scene is one for the Player. */
export const isShow = (document: Scene): document is Show => "runs" in document && (document.runs as Run[]).length > 0;

/** Whether a panel is a picture of a graph. */
export const isGraph = ({ kind }: Pick<Panel, "kind">): boolean => kind === "graph" || kind === "elimination";

/** One opened scope as Python sends it on request. Throws SceneError. */
export const readView = (value: unknown): GraphPanel => read(graphPanel, value, "view");

/** The first panel of a kind, or null. */
export function panelOf<K extends Panel["kind"]>(document: Scene, kind: K): Extract<Panel, { kind: K }> | null {
  return (document.panels.find((panel) => panel.kind === kind) as Extract<Panel, { kind: K }> | undefined) ?? null;
}
