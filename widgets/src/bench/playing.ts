// Which operation lies on the bench: the products of a step come one after the other, the last one stays. Pure.

import { ADDED, MULTIPLIED, TIMES, timed } from "../motion/schedule.js";
import type { Bench, FlowPanel } from "../scene/document.js";

/** The operations of the steps between two cursors; where there are none, the last one before. */
export function inPlay(benches: readonly Bench[], from: number, to: number): readonly Bench[] {
  const played = benches.filter(({ step }) => step >= from && step < to);
  return played.length ? played : benches.filter(({ step }) => step < to).slice(-1);
}

/** When a result is known that another operation waits for. */
const HALF = 0.5;

/** What is shown from a time on, in milliseconds: one of the operations in play, and whether its result is known. */
export interface Scene {
  readonly at: number;
  readonly operation: number;
  readonly done: boolean;
}

/** When each of some operations comes and has its result while a step is played. */
export function scenes(flow: FlowPanel, benches: readonly Bench[], from: number, to: number): Scene[] {
  return timed(flow, from, to).moves.flatMap(({ move, start }): Scene[] => {
    const own = [...benches.keys()].filter((k) => benches[k]!.step === move.step);
    // An edge through a fold has several, which share the time until its product is there.
    const each = ((move.kind === "send" ? MULTIPLIED : ADDED) * TIMES[move.kind]) / own.length;
    const known = (k: number): number => (k < own.length - 1 ? HALF : 1);
    return own.flatMap((operation, k) => [{ at: start + k * each, operation, done: false }, { at: start + (k + known(k)) * each, operation, done: true }]);
  });
}
