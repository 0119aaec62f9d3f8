// Requests to Python, which may be busy: the last of a sort wins, and where it fails nothing changes but what is said.

import { atEnd } from "./dom.js";

/** After this time it is said that the answer is pending. */
const PATIENCE = 400;

export class Requests {
  /** What is said while a request of a sort waits for its answer. */
  readonly awaited = ["", ""];
  readonly #asked = [0, 0];
  #hasEnded = false;

  constructor(
    readonly waits: () => void,
    readonly failed: (why: string) => void,
    signal: AbortSignal,
  ) {
    atEnd(signal, () => (this.#hasEnded = true));
  }

  /** Drop the request of a sort: its answer is not wanted any more. */
  forget(sort = 0): void {
    this.#asked[sort]!++;
    this.awaited[sort] = "";
  }

  async ask<T>(meanwhile: string, ask: () => Promise<T>, arrive: (answer: T) => void, sort = 0): Promise<void> {
    const asked = ++this.#asked[sort]!;
    const waiting = setTimeout(() => {
      this.awaited[sort] = meanwhile;
      this.waits();
    }, PATIENCE);
    const answered = (): boolean => {
      clearTimeout(waiting);
      if (asked !== this.#asked[sort]) return false;
      this.awaited[sort] = "";
      return !this.#hasEnded;
    };
    try {
      const answer = await ask();
      if (answered()) arrive(answer);
    } catch (error) {
      if (answered()) this.failed((error as Error).message);
    }
  }
}

/** Answers kept, of each kind. */
const MOST_REMEMBERED = 300;

/** The answer for a key, asked for once; a failure is forgotten, so that it can be asked again. */
export function remember<T>(known: Map<number, Promise<T>>, key: number, ask: () => Promise<T>): Promise<T> {
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  answer.catch(() => known.delete(key));
  if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!);
  return answer;
}
