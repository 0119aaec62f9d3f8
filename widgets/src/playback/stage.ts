// What is on stage is a pure function of the scene and the cursor. A stage maps keys "panel/item" to values; an absent
// key has no value. Going back applies what was there before, so every cursor has the same stage, however it is reached.

import type { Edit } from "../scene/scene.js";

export type Stage = Map<string, unknown>;

export interface Edits {
  readonly edits: readonly Edit[];
}

/** The last of so many steps, with those of its coarse step before it. */
export function takenAt<Each extends { readonly coarse: boolean }>(steps: readonly Each[], cursor: number): readonly Each[] {
  let first = cursor - 1;
  while (first > 0 && !steps[first]!.coarse) first--;
  return steps.slice(Math.max(first, 0), cursor);
}

function put(stage: Stage, key: string, value: unknown): void {
  if (value === null) stage.delete(key);
  else stage.set(key, value);
}

/** What is on stage before the first step, where that is more than what the steps touch. */
export type Start = Readonly<Record<string, unknown>>;

/** The stage before the first step: each key that the steps touch holds what its first edit found there. */
export function startStage(steps: readonly Edits[], start: Start = {}): Stage {
  const stage: Stage = new Map(Object.entries(start));
  const met = new Set<string>();
  for (const { edits } of steps) {
    for (const [key, before] of edits) {
      if (met.has(key)) continue;
      met.add(key);
      put(stage, key, before);
    }
  }
  return stage;
}

/** Do the edits of one step, in order. */
export function apply(stage: Stage, edits: readonly Edit[]): void {
  for (const [key, , after] of edits) put(stage, key, after);
}

/** Undo the edits of one step, last first. */
export function unapply(stage: Stage, edits: readonly Edit[]): void {
  for (let i = edits.length - 1; i >= 0; i--) put(stage, edits[i]![0], edits[i]![1]);
}

/** The stage at any cursor; it changes with the next cursor that is asked for. */
export function sought(steps: readonly Edits[], start: Start = {}): (cursor: number) => Stage {
  let [stage, at]: [Stage | null, number] = [null, 0];
  return (cursor) => {
    stage ??= startStage(steps, start);
    while (at < cursor) apply(stage, steps[at++]!.edits);
    while (at > cursor) unapply(stage, steps[--at]!.edits);
    return stage;
  };
}
