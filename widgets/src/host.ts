// What a place that shows an Explorer or a Player must offer: a notebook through widget.ts, a saved page through page.ts.

import type { Detail, GraphPanel } from "./scene/scene.js";

export interface Host {
  /** The Scene, not yet checked. */
  readonly scene: unknown;
  readonly columns: ArrayBuffer | ArrayBufferView;
  readonly selection: readonly number[];
  /** Tell the selection to everyone who shares it. */
  select(nodes: readonly number[]): void;
  /** Hear of the selection, also of one's own; returns how to stop. */
  onSelection(listener: (nodes: readonly number[]) => void): () => void;
  /** An opened scope, placed. Rejects with a plain sentence. */
  view(scope: number): Promise<GraphPanel>;
  /** All about a node. Rejects with a plain sentence. */
  detail(node: number): Promise<Detail>;
  /**
   * The show of the evaluation: where its Scene is other than that of the graph. Rejects with a plain sentence; absent
   * where there is no such show.
   */
  play?(): Promise<object>;
  /** Save the page with the order that was made on it; absent where Python does that. */
  keep?(): Promise<void>;
  /** Let go of everything held. */
  dispose(): void;
}

export type Given = number | string;

/** What came of one question: the last answer (null: skipped), whether it was right, and all that was tried. */
export interface Answer {
  step: number;
  prompt: string;
  given: number | string | null;
  right: boolean;
  tries: readonly Given[];
}

/** A vertex; an edge at its front or back; a face: "3"; "1.3"; "0.1", "1.3". */
export type EliminationMove =
  | readonly ["vertex", vertex: string]
  | readonly ["front" | "back", edge: string]
  | readonly ["face", tail: string, head: string];

/** What a Player shares with Python and with other views of itself, both ways. */
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
}

export interface PlayerHost extends Host {
  /** Whether somebody computes anew when inputs change. */
  readonly live: boolean;
  /** Hear that nobody will any more, and why; absent where nobody ever did. */
  onLost?(listener: (why: string) => void): void;
  /** Whether this view keeps the time: of several views of one show, one does. */
  readonly conducts: boolean;
  trait<K extends keyof Traits>(name: K): Traits[K] | undefined;
  tell<K extends keyof Traits>(name: K, value: Traits[K]): void;
  /** Hear of a trait, also of what one told oneself; returns how to stop. */
  hear(name: keyof Traits | "scene", listener: () => void): () => void;
}
