// What shows an Explorer or a Player, and what both share with it: a notebook (widget.ts) or a saved page (page.ts).

import type { Adjoints, Detail, GraphPanel, Nudge, ProgramLine } from "./scene/scene.js";

export interface Host {
  /** The Scene, not yet checked. */
  readonly scene: unknown;
  readonly columns: ArrayBuffer | ArrayBufferView;
  readonly selection: readonly number[];
  /** Set the selection for all views. */
  select(nodes: readonly number[]): void;
  /** Subscribe to the selection, also to one's own; returns how to unsubscribe. */
  onSelection(listener: (nodes: readonly number[]) => void): () => void;
  /** Release all resources. */
  dispose(): void;
}

export interface GraphHost extends Host {
  /** An opened scope, placed. Rejects with a sentence for the reader. */
  view(scope: number): Promise<GraphPanel>;
  /** All about a node. Rejects with a sentence for the reader. */
  detail(node: number): Promise<Detail>;
  /** The derivatives of one of the outputs to choose from. Rejects with a sentence for the reader; an Explorer asks. */
  adjoints?(output: number): Promise<Adjoints>;
  /**
   * The show of the evaluation: where its Scene is other than that of the graph. Rejects with a sentence for the reader; absent
   * where there is no such show.
   */
  play?(): Promise<object>;
}

export type Given = number | string;

/**
 * What came of one question: the last answer (null: shown unanswered), whether it was right, all that was tried, and what was said
 * about mistakes.
 */
export interface Answer {
  step: number;
  prompt: string;
  given: number | string | null;
  right: boolean;
  tries: readonly Given[];
  mistakes?: readonly string[];
}

/** A vertex; an edge at its front or back; a face: "3"; "1.3"; "0.1", "1.3". */
export type EliminationMove =
  | readonly ["vertex", vertex: string]
  | readonly ["front" | "back", edge: string]
  | readonly ["face", tail: string, head: string];

/** The state that a Player shares with Python and with its other views. */
export interface Traits {
  cursor: number;
  playing: boolean;
  speed: number;
  breakpoints: readonly string[];
  answers: readonly Answer[];
  /** Numbers of the program by name, as the reader has changed them. */
  inputs: Readonly<Record<string, number>>;
  /** The moves of the reader's own order, and what they cost. */
  order: readonly EliminationMove[];
  cost: number;
  /** Products of local Jacobians, from left to right: `[[0, 1], 2]`. */
  association: readonly unknown[];
}

export interface PlayerHost extends Host {
  /** Save the page with the order that was made on it; absent where Python does that. */
  keep?(): Promise<void>;
  /** The result along an entry of an input; absent where there is no kernel. Rejects with a sentence for the reader. */
  nudge?(node: number, entry: number): Promise<Nudge>;
  /** The program of the backward pass; absent where there is no kernel. */
  program?(): Promise<readonly ProgramLine[]>;
  /** Whether a kernel recomputes when inputs change. */
  readonly live: boolean;
  /** Subscribe to the loss of the kernel, with the reason; absent where there is none. */
  onLost?(listener: (why: string) => void): void;
  /** Whether this view runs the clock: of several views of one show, one does. */
  readonly conducts: boolean;
  trait<K extends keyof Traits>(name: K): Traits[K] | undefined;
  tell<K extends keyof Traits>(name: K, value: Traits[K]): void;
  /** Subscribe to a trait, also to one's own changes; returns how to unsubscribe. */
  hear(name: keyof Traits | "scene", listener: () => void): () => void;
}
