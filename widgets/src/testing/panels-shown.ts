// For tests of the Player's panels only: a small show, what a cursor shows of it, and a context that remembers.

import { goldenGraph, goldenScene } from "./explorers.js";
import type { Moment, PanelContext } from "../panels/panel.js";
import type { Cost, Edit, Part, Run, Show, Step } from "../scene/scene.js";
import { stageAt } from "./stages.js";

const NOTHING: Cost = { multiplications: 0, additions: 0, comparisons: 0, visits: 0 };

export const part = (changes: Partial<Part>): Part => ({
  run: "a",
  kind: "visit",
  node: null,
  edge: null,
  formula: null,
  cost: NOTHING,
  bytes: 0,
  peak: 0,
  caption: "",
  ...changes,
});

export const step = (changes: Partial<Step> & { edits: Edit[] }): Step => ({
  ...part({}),
  focus: [],
  question: null,
  coarse: true,
  ...changes,
});

/** A backward pass over v2 = v0 * v1, where both have values: seeded, a product each, freed. */
export const STEPS: Step[] = [
  step({
    kind: "seed",
    edits: [
      ["a/stored/2", null, 16],
      ["a/adjoint/2", null, 1],
    ],
    bytes: 16,
    peak: 16,
  }),
  step({ kind: "visit", node: 2, edits: [], cost: { ...NOTHING, visits: 1 }, bytes: 16, peak: 16 }),
  step({
    kind: "product",
    node: 2,
    edge: [2, 0, 0],
    edits: [["a/product/2/0", null, -3]],
    cost: { ...NOTHING, multiplications: 1 },
    bytes: 24,
    peak: 24,
  }),
  step({
    kind: "accumulate",
    node: 0,
    edge: [2, 0, 0],
    edits: [
      ["a/product/2/0", -3, null],
      ["a/adjoint/0", null, -3],
    ],
    cost: { ...NOTHING, additions: 2 },
    bytes: 24,
    peak: 24,
  }),
  step({
    kind: "free",
    node: 2,
    edits: [
      ["a/adjoint/2", 1, null],
      ["a/stored/2", 16, null],
    ],
    bytes: 8,
    peak: 24,
  }),
];

const REVERSE: Run = { id: "a", label: "tape", kind: "reverse" };

export const showOf = (steps: Step[], runs: Run[] = [REVERSE]): Show => ({
  ...goldenScene(),
  steps,
  runs,
  inputs: [],
  teach: false,
});

export function contextOf(scene: Show) {
  const ending = new AbortController();
  const selected: (readonly number[])[] = [];
  const runs: number[] = [];
  const context: PanelContext = {
    scene,
    graph: goldenGraph(),
    signal: ending.signal,
    select: (nodes) => void selected.push(nodes),
    runTo: (node) => void runs.push(node),
    toggleBreakpoint: () => {},
  };
  return { context, ending, selected, runs };
}

export const momentAt = (scene: Show, cursor: number): Moment => ({
  cursor,
  stage: stageAt(scene, cursor),
  step: scene.steps[cursor - 1] ?? null,
  steps: scene.steps,
  next: scene.steps[cursor] ?? null,
  changed: null,
  motion: false,
});

export function press(target: Element, key: string): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  target.dispatchEvent(event);
  return event;
}
