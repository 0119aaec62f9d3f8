// Which operation lies on the bench: the products of a step come one after the other, the last one stays. Pure.

import { ADDED, MULTIPLIED, TIMES, timed } from "../motion/schedule.js";
import type { Bench, FlowPanel } from "../scene/document.js";

/** The operations of the steps between two cursors; where there are none, the last one before. */
export function inPlay(benches: readonly Bench[], from: number, to: number): readonly Bench[] {
  const played = benches.filter(({ step }) => step >= from && step < to);
  return played.length ? played : benches.filter(({ step }) => step < to).slice(-1);
}

/** What is shown from a time on, in milliseconds: one of the operations in play, and whether its result is known. */
export interface Scene {
  readonly at: number;
  readonly operation: number;
  readonly done: boolean;
}

/** When each of some operations comes and has its result while a step is played. */
export function scenes(flow: FlowPanel, benches: readonly Bench[], from: number, to: number): Scene[] {
  let next = 0; // they are in the order of the moves
  return timed(flow, from, to).moves.flatMap(({ move, start }): Scene[] => {
    const operation = benches.findIndex(({ step }, k) => k >= next && step === move.step);
    if (operation < 0) return [];
    next = operation + 1;
    const share = move.kind === "send" ? MULTIPLIED : ADDED;
    return [{ at: start, operation, done: false }, { at: start + share * TIMES[move.kind], operation, done: true }];
  });
}
