// Written by widgets/scene_types.py from the types in adviz/stage/scene, where each is described.

export interface SourceFile { name: string; path: string; line: number; text: string; }

export interface Item {
  key: string;
  kind: "input" | "output" | "block" | "scope" | "outside";
  label: string;
  detail: string;
  family: string;
  node: number | null;
  span: [number, number] | null;
  count: number;
  repeat: number;
  uses: number;
  dead: boolean;
  title: string;
  room?: number;
  w: number;
  h: number;
  x: number;
  y: number;
}

export interface Edge { key: string; tail: string; head: string; count: number; kind: string; points: Bezier; }

export interface Siblings { index: number; first: number; stride: number; count: number; }

export interface ScopeLabel { scope: number; label: string; }

export interface GraphPanel {
  id: string;
  kind: "graph";
  scope: number;
  path: ScopeLabel[];
  siblings: Siblings | null;
  direction?: string;
  width: number;
  height: number;
  note: string | null;
  nodes: Item[];
  edges: Edge[];
  run?: string;
}

export interface CodePanel { id: string; kind: "code"; }

export interface FunctionPanel { id: string; kind: "function"; files: SourceFile[]; spans: Span[]; span_of: number[]; }

export interface BlockCount { block: number; count: number; }

export interface UseCount { uses: number; upto: number; count: number; }

export interface NodeUses { node: number; uses: number; label: string; }

export interface ScopeCount { scope: number; count: number; }

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
  blocks: BlockCount[];
  uses: UseCount[];
  most_used: NodeUses[];
  scopes: ScopeCount[];
}

export interface TapeRow { node: number; label: string; detail: string; dead: boolean; }

export interface TapePanel { id: string; kind: "tape"; run: string; rows: TapeRow[]; }

export interface TableColumn { what: string; label: string; }

export interface TableRow { node: number; label: string; }

export interface TablePanel { id: string; kind: "table"; run: string; columns: TableColumn[]; rows: TableRow[]; }

export interface MatrixPanel {
  id: string;
  kind: "matrix";
  run: string;
  rows: string[];
  columns: string[];
  row_nodes?: (number | null)[];
  column_nodes?: (number | null)[];
  label: string;
}

export interface FormulaPanel { id: string; kind: "formula"; }

export interface Reference {
  label: string;
  multiplications: number;
  kind: "forward" | "reverse" | "markowitz" | "optimum" | "bound";
}

export interface MetersPanel { id: string; kind: "meters"; references?: Reference[]; }

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
  node?: number;
  name?: string;
}

export interface EliminationEdge {
  key: string;
  thing: string;
  tail: string;
  head: string;
  points: Bezier;
  at?: [number, number];
  via?: string;
}

export interface EliminationPanel {
  id: string;
  kind: "elimination";
  run: string;
  side: "cgraph" | "linegraph";
  folded?: boolean;
  direction: "data flow" | "dependence";
  width: number;
  height: number;
  note: string | null;
  nodes: EliminationNode[];
  edges: EliminationEdge[];
}

export interface SourceFiles { files: SourceFile[]; }

export interface Block { name: string; family: string; symbol: string; }

export interface Tables {
  blocks: Block[];
  scope_labels: string[];
  spans: Span[];
  names: Record<string, string>;
}

export interface ColumnEntry {
  name: string;
  type: "u8" | "u16" | "u32" | "i32" | "f32" | "f64";
  offset: number;
  length: number;
}

export interface Cost { multiplications: number; additions: number; comparisons: number; visits: number; }

export interface Product { factors: [string, string]; result: string; fresh: boolean; }

export interface Merge { from: string; into: string; }

export interface Part {
  run: string;
  kind: string;
  node: number | null;
  edge: EdgeOf | null;
  formula: Formula | null;
  cost: Cost;
  bytes: number;
  peak: number;
  product?: Product | null;
  merge?: Merge | null;
}

export interface Question {
  kind: "number" | "node" | "choice";
  prompt: string;
  answer: number | string;
  choices?: string[];
  tolerance?: number;
  hint: string;
}

export interface Step {
  run: string;
  kind: string;
  node: number | null;
  edge: EdgeOf | null;
  formula: Formula | null;
  cost: Cost;
  bytes: number;
  peak: number;
  product?: Product | null;
  merge?: Merge | null;
  caption: string;
  focus: string[];
  edits: Edit[];
  coarse: boolean;
  whole?: string;
  moves?: number;
  question: Question | null;
  parts?: Part[];
}

export interface Matrix { shape: [number, number]; data: number[]; }

export interface Optimum { cost: number; proved: boolean; lower_bound: number; }

export interface Own {
  technique: "vertex" | "edge" | "face";
  sizes: number[];
  inputs: number[];
  outputs: number[];
  rows: number[];
  columns: number[];
  edges: [number, number, Label][];
  count: "scalar" | "block" | "sparse";
  units: boolean;
  optimum: Optimum | null;
  names: string[];
  texts?: string[];
}

export interface Run { id: string; label: string; kind: "forward" | "reverse" | "evaluation"; }

export interface Input { name: string; node: number; value: number; min: number; max: number; }

export interface Scene {
  version: 1;
  title: string;
  panels: Panel[];
  steps: Step[];
  source: SourceFiles;
  tables: Tables;
  columns: ColumnEntry[];
}

export interface Show {
  version: 1;
  title: string;
  panels: Panel[];
  steps: Step[];
  source: SourceFiles;
  tables: Tables;
  columns: ColumnEntry[];
  runs: Run[];
  inputs: Input[];
  teach: boolean;
  start?: Record<string, unknown>;
  own?: Own | null;
  why_not_own?: string | null;
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

export interface Histogram { low: number; high: number; counts: number[]; }

export interface Figures {
  min?: number | null;
  max?: number | null;
  mean?: number | null;
  norm?: number | null;
  nan?: number;
  inf?: number;
  histogram?: Histogram | null;
  sample?: number;
  note?: string;
}

export interface Value {
  min?: number | null;
  max?: number | null;
  mean?: number | null;
  norm?: number | null;
  nan?: number;
  inf?: number;
  histogram?: Histogram | null;
  sample?: number;
  note?: string;
  shape: number[];
  dtype: string;
  bytes: number;
  text: string | null;
}

export interface LocalJacobian {
  structure: string;
  shape: number[];
  nonzeros: number;
  rule: string;
  text: string | null;
}

export interface NodeOperand { node: number; label: string; jacobian: LocalJacobian | null; }

export interface LiteralOperand { literal: string; }

export interface User { node: number; label: string; times: number; }

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
  operands: (NodeOperand | LiteralOperand)[];
  users: User[];
  users_total: number;
}

export type Bezier = number[];

export type Edit = [string, unknown, unknown];

export type EdgeOf = [number, number, number];

export type Formula = ["row", ...Formula[]] | ["id", string] | ["num", string] | ["op", string] | ["text", string] | ["sub", Formula, Formula] | ["bar", Formula] | ["dot", Formula] | ["frac", Formula, Formula] | ["matrix", Formula[][]];

export type Label = number | Matrix;

export type Panel = GraphPanel | CodePanel | FunctionPanel | SizesPanel | TapePanel | TablePanel | MatrixPanel | FormulaPanel | MetersPanel | EliminationPanel;

export type Span = [number, number, number, number, number, string | null];
