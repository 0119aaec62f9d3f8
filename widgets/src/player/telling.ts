// Captions of the steps just taken.

import type { Step } from "../scene/scene.js";

/** Sentences of a coarse step that are shown. */
const MOST_SENTENCES = 4;

/** The step that represents several: the last product, since a coarse step is about the node of its products. */
export function leading(taken: readonly Step[]): Step | null {
  const last = (holds: (step: Step) => boolean): Step | undefined => taken.filter(holds).at(-1);
  return last(({ kind }) => kind === "product") ?? last(({ formula }) => formula !== null) ?? taken.at(-1) ?? null;
}

/** The captions of several steps, each sentence once. */
export function sentences(taken: readonly Step[]): string {
  const told = taken.filter(({ kind }, i) => i === 0 || kind === "accumulate");
  const captions = [...new Set((taken.length === told.length ? taken : told).map(({ caption }) => caption))];
  const left = captions.length - MOST_SENTENCES;
  return [...captions.slice(0, MOST_SENTENCES), left > 0 ? `And ${left} more.` : ""].join(" ").trim();
}
