// What a panel of the Player is. It knows its description and its context only.

import type { Graph } from "../graph/graph.js";
import type { Size } from "../picture/camera.js";
import type { Level } from "../playback/playback.js";
import type { Stage } from "../playback/stage.js";
import type { Nudge, ProgramLine, Question, Rest, Show, Step } from "../scene/scene.js";
import { html } from "../ui/dom.js";

/** What a click eliminates or selects: "vertex", "3", "edge", "1.3" or its "front" or "back", "face", "0.1/1.3". */
export type Sort = "vertex" | "edge" | "front" | "back" | "face";

/** A show, in another of which the reader makes an order: the steps of that one. */
export interface Staged extends Show {
  readonly shown?: readonly Step[];
}

/** What there is to show at a cursor. */
export interface Moment {
  readonly cursor: number;
  /** What is on stage; it changes with the next moment. */
  readonly stage: Stage;
  /** The step just taken; null at the start. */
  readonly step: Step | null;
  /** All steps of the show. */
  readonly steps: readonly Step[];
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
  /** How many times as fast as usual a sweep moves; where it is left out, nothing moves. */
  readonly speed?: number | undefined;
  /** Where the show rests, and what it says there; engines say it themselves. */
  readonly level?: Level;
  /** The lines that are open, by the numbers of their boxes. */
  readonly opened?: readonly number[];
  readonly rest?: Rest | null;
  /** The caption. */
  readonly words?: string;
}

export interface PlayerPanel {
  readonly element: HTMLElement;
  /** Whether it needs moments only, so that it stays when a show gets other steps. */
  readonly isLasting?: boolean;
  /** The size at which nothing scrolls, if it depends on the content; of a sweep also the width with which it can be read. */
  readonly size?: Size & { readonly legible?: number };
  /** Whether it is drawn so much larger on a stage than on another one that it should stand there. */
  prefers?(stage: Size, to: Size): boolean;
  /** How many times as large as it must be its text is on a stage, and in how many rows it stands there. */
  sizeOn?(stage: Size): readonly [size: number, rows: number];
  /** The height that it takes of a stage: of a part of it, if its text is there so many times as large as it must be. */
  heightAt?(stage: Size, enough?: number): number;
  show(moment: Moment): void;
  /** Milliseconds at the speed 1 that the motion to a moment takes. */
  duration?(moment: Moment): number;
  /** Show what the reader points at in another panel, or the paths between two nodes; none: at nothing. */
  point?(nodes: readonly number[], isPath?: boolean): void;
  /** Show which entry of an input is nudged. */
  nudge?(input: number, entry: number): void;
  /** Mark the selected nodes. */
  mark(nodes: readonly number[]): void;
  /** Show at which nodes, and at which lines of the source, playing stops. */
  breaks?(nodes: ReadonlySet<number>, names: readonly string[]): void;
  /** Mark what a question asks about; null: none waits. As long as questions are asked, do not tell what they ask for. */
  ask?(question: Question | null, isQuiz: boolean): void;
  /** Take over how the reader looked at another panel of the same kind. */
  adopt?(other: PlayerPanel): void;
  /** Show what these steps, which would come next, would do; none: nothing. */
  foresee?(steps: readonly Step[]): void;
  /** Turn to the other reading of a picture that has two. */
  turn?(): void;
  /** Whether it does something with a key, before the Player does. */
  takesKey?(event: KeyboardEvent): boolean;
  /** Scale everything for presenter view; 1 is the usual size. */
  enlarge?(times: number): void;
}

/** The keys of a panel that a step looks at, the most important first. */
export function focusOf(step: Step | null, panel: string): string[] {
  const start = `${panel}/`;
  return (step?.focus ?? []).filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
}

/** What signs in a picture mean. */
export const signList = (signs: readonly (readonly [sign: string, words: string])[]): HTMLElement =>
  html("ul.adviz-signs", { "aria-label": "Signs" }, ...signs.map(([sign, words]) => html("li", { "data-sign": sign }, words)));

export interface PanelContext {
  readonly scene: Staged;
  readonly graph: Graph;
  /** Ends when the Player does. */
  readonly signal: AbortSignal;
  select(nodes: readonly number[]): void;
  /** The reader points at nodes, or at the paths between two, or no longer at any. */
  point?(nodes: readonly number[], isPath?: boolean): void;
  /** The reader has chosen an entry of an input, counted row by row. */
  nudge?(input: number, entry: number): void;
  /** The result along an entry of an input; absent where nothing computes it. Rejects with a sentence for the reader. */
  nudged?(input: number, entry: number): Promise<Nudge>;
  /** The program of the backward pass; absent where nothing writes it. */
  program?(): Promise<readonly ProgramLine[]>;
  /** Go to the next visit of a node. */
  runTo(node: number): void;
  /** Fold the composite ops of an op graph, each into one box, or open them; nodes are those of the one it was asked for at. */
  fold?(isFolded: boolean, nodes?: readonly number[]): void;
  /** Open the box of a line, or close it. */
  open?(box: number): void;
  /** "node:3", "block:multiply", "line:12" */
  toggleBreakpoint(name: string): void;
  /** Choose something, such as "vertex" "3", for the reader's own order; false where there is none. */
  take?(sort: Sort, thing: string): boolean;
  /** In which order matrices are multiplied, shared with Python and with other views. */
  readonly association?: {
    now(): readonly unknown[];
    tell(order: readonly unknown[]): void;
    hear(listener: () => void): () => void;
  };
  /** Show what choosing something would do; null: nothing is pointed at any more. */
  foresee?(sort: Sort | null, thing: string): void;
}
