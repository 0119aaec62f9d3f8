// What a panel of the Player is, and which class shows which kind. A panel knows its description and its context only.

import type { Graph } from "./graph.js";
import type { Panel, Show, Step } from "./scene.js";
import type { Stage } from "./stage.js";

/** What there is to show at a cursor. */
export interface Moment {
  readonly cursor: number;
  /** What is on stage; it changes with the next moment. */
  readonly stage: Stage;
  /** The step just taken; null at the start. */
  readonly step: Step | null;
  /** The step to come; null at the end. */
  readonly next: Step | null;
  /** The keys that differ from the last moment shown; null: anything may. */
  readonly changed: ReadonlySet<string> | null;
  /** Whether the step may be shown as motion: it was taken forward, by one, and the reader wants motion. */
  readonly motion: boolean;
}

export interface PlayerPanel {
  readonly element: HTMLElement;
  show(moment: Moment): void;
  /** Mark the selected nodes. */
  mark(nodes: readonly number[]): void;
  dispose?(): void;
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
}

/** A description of one kind. */
export type PanelOf<K extends Panel["kind"]> = Extract<Panel, { kind: K }>;
