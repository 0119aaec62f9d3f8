// Cells that say what stands on stage: not yet there, there, just written, or freed.

import type { Moment } from "./panel.js";
import { firstTimes, partials } from "../playback/runs.js";
import { type Stage, startStage } from "../playback/stage.js";
import type { Show } from "../scene/scene.js";
import { brief, exact } from "../scene/values.js";
import { setAttribute, setText } from "../ui/dom.js";

/** The most characters that cells of one kind, such as "tape/value/", will ever hold; their word is above them. */
export function widest({ steps }: Pick<Show, "steps">, prefix: string, read: (value: unknown) => string): number {
  let most = prefix.split("/")[1]!.length;
  for (const { edits } of steps)
    for (const [key, before, after] of edits)
      if (key.startsWith(prefix))
        for (const value of [before, after]) if (value !== null) most = Math.max(most, read(value).length);
  return most;
}

export class StageCells {
  /** When each key first got a value: what is absent after that has been freed. */
  readonly #times: ReadonlyMap<string, number>;
  readonly #isPartial: (key: string, cursor: number) => boolean;
  #cursor = 0;
  #stage: Stage;
  #written: ReadonlySet<string> = new Set();

  constructor(scene: Show) {
    this.#times = firstTimes(scene);
    this.#isPartial = partials(scene);
    this.#stage = startStage(scene.steps);
  }

  /** Whether a key has had a value by now, or never gets one. */
  reached(key: string): boolean {
    return (this.#times.get(key) ?? 0) <= this.#cursor;
  }

  take({ cursor, stage, step, taken = step ? [step] : [] }: Moment): void {
    this.#cursor = cursor;
    this.#stage = stage;
    this.#written = new Set(taken.flatMap(({ edits }) => edits.map(([key]) => key)));
  }

  /** Write the value at a key: empty if there is none yet, unlike zero. */
  write(cell: HTMLElement, key: string, read: (value: unknown) => string = brief): void {
    const value = this.#stage.get(key);
    const present = value !== undefined;
    const freed = !present && (this.#times.get(key) ?? Infinity) < this.#cursor;
    const words = present ? read(value) : freed ? "freed" : "";
    setText(cell, words);
    setAttribute(cell, "title", present ? exact(value) : null);
    setAttribute(cell, "data-freed", freed);
    setAttribute(cell, "data-partial", present && this.#isPartial(key, this.#cursor));
    setAttribute(cell, "data-lit", present && this.#written.has(key));
  }
}
