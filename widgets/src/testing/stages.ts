// For tests only: stages step by step, with which those reached by stretches are compared.

import { type Edits, type Stage, type Start, apply, startStage, unapply } from "../playback/stage.js";

/** Bring a stage from one cursor to another, forwards or backwards. */
export function move(stage: Stage, steps: readonly Edits[], from: number, to: number): void {
  for (let k = from; k < to; k++) apply(stage, steps[k]!.edits);
  for (let k = from; k > to; k--) unapply(stage, steps[k - 1]!.edits);
}

/** The stage after the first `cursor` steps. Throws RangeError outside 0 … steps.length. */
export function stageAt(
  { steps, start }: { readonly steps: readonly Edits[]; readonly start?: Start },
  cursor: number,
): Stage {
  if (!Number.isInteger(cursor) || cursor < 0 || cursor > steps.length) {
    throw new RangeError(`cursor ${cursor} is outside 0 … ${steps.length}`);
  }
  const stage = startStage(steps, start);
  move(stage, steps, 0, cursor);
  return stage;
}
