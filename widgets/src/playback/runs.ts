// What a step is to each of the runs that advance with it, and what each run has done by every cursor.

import type { Part, Show, Step } from "../scene/scene.js";

/** A step as each run sees it: one part, or several where runs advance together. */
export const partsOf = (step: Step): readonly Part[] => step.parts ?? [step];

/** What a run does in a step; null where it waits. */
export const partOf = (step: Step | null, run: string): Part | null =>
  (step && partsOf(step).find((part) => part.run === run)) ?? null;

/** When a key first got a value: after how many steps; 0 if it is there from the start. */
export function firstTimes({ steps }: Pick<Show, "steps">): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  steps.forEach(({ edits }, k) => {
    for (const [key, before, after] of edits) {
      if (times.has(key)) continue;
      if (before !== null) times.set(key, 0);
      else if (after !== null) times.set(key, k + 1);
    }
  });
  return times;
}

/** Whether the value at a key is a partial sum after so many steps: more is added before it is freed. */
export function partials({ steps }: Pick<Show, "steps">): (key: string, cursor: number) => boolean {
  const changes = new Map<string, [step: number, isAdded: boolean][]>();
  steps.forEach(({ edits }, k) => {
    for (const [key, before, after] of edits) {
      if (before === null) continue;
      if (!changes.has(key)) changes.set(key, []);
      changes.get(key)!.push([k, after !== null]);
    }
  });
  return (key, cursor) => changes.get(key)?.find(([step]) => step >= cursor)?.[1] ?? false;
}

/** After how many steps a run first visited each node. */
export function firstTurns({ steps }: Pick<Show, "steps">, run: string): ReadonlyMap<number, number> {
  const turns = new Map<number, number>();
  steps.forEach((step, k) => {
    const part = partOf(step, run);
    if (part?.node != null && part.kind !== "count" && !turns.has(part.node)) turns.set(part.node, k + 1);
  });
  return turns;
}
