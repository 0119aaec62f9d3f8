// What a panel of the Player is, and which class shows which kind. A panel knows its description and its context only.

import { CodePanel } from "./code-panel.js";
import { EliminationPanel, type Sort } from "../elimination/elimination-panel.js";
import { FormulaPanel } from "./formula-panel.js";
import type { Graph } from "../graph/graph.js";
import { MatrixPanel } from "./matrix-panel.js";
import { MetersPanel } from "./meters-panel.js";
import type { Panel, Show, Step } from "../scene/scene.js";
import type { Stage } from "../playback/stage.js";
import { StageGraph } from "./graph-panel.js";
import { TablePanel } from "./table-panel.js";
import { TapePanel } from "./tape-panel.js";

/** What there is to show at a cursor. */
export interface Moment {
  readonly cursor: number;
  /** What is on stage; it changes with the next moment. */
  readonly stage: Stage;
  /** The step just taken; null at the start. */
  readonly step: Step | null;
  /** The steps that it is made of: a coarse one is of several. */
  readonly taken?: readonly Step[];
  /** The step to come; null at the end. */
  readonly next: Step | null;
  /** The keys that differ from the last moment shown; null: anything may. */
  readonly changed: ReadonlySet<string> | null;
  /** Whether the step may be shown as motion: it was taken forward, by one, and the reader wants motion. */
  readonly motion: boolean;
  /** Milliseconds that motion may take. */
  readonly pace?: number;
}

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface PlayerPanel {
  readonly element: HTMLElement;
  /** Whether it needs moments only, so that it stays when a show gets other steps. */
  readonly isLasting?: boolean;
  /** Where nothing need be scrolled to, if that depends on what is shown. */
  readonly size?: Size;
  show(moment: Moment): void;
  /** Mark the selected nodes. */
  mark(nodes: readonly number[]): void;
  /** Show at which nodes, and at which lines of the source, playing stops. */
  breaks?(nodes: ReadonlySet<number>, names: readonly string[]): void;
  /** Take over how the reader looked at another panel of the same kind. */
  adopt?(other: PlayerPanel): void;
  /** Before an audience everything is so many times as large; 1 is for one reader. */
  enlarge?(times: number): void;
}

export interface PanelContext {
  readonly scene: Show;
  readonly graph: Graph;
  /** Ends when the Player does. */
  readonly signal: AbortSignal;
  select(nodes: readonly number[]): void;
  /** Go on to where a node has its next turn. */
  runTo(node: number): void;
  /** "node:3", "block:multiply", "line:12" */
  toggleBreakpoint(name: string): void;
  /** Take hold of something, as "vertex" "3", for the reader's own order; false where there is none. */
  take?(sort: Sort, thing: string): boolean;
}

const MAKERS: {
  [K in Panel["kind"]]?: new (panel: Extract<Panel, { kind: K }>, context: PanelContext) => PlayerPanel;
} = {
  graph: StageGraph,
  tape: TapePanel,
  table: TablePanel,
  matrix: MatrixPanel,
  code: CodePanel,
  formula: FormulaPanel,
  meters: MetersPanel,
  elimination: EliminationPanel,
};

/** The panel that a description asks for; null for a kind that the Player does not show. */
export function makePanel(description: Panel, context: PanelContext): PlayerPanel | null {
  const Maker = MAKERS[description.kind] as (new (panel: Panel, context: PanelContext) => PlayerPanel) | undefined;
  return Maker ? new Maker(description, context) : null;
}
