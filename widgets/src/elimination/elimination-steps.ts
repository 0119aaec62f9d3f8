// The steps of an elimination as they are seen: how long each takes, what is multiplied, and what is there, by keys without
// the run.

import { eased, within } from "../motion/schedule.js";
import { partOf } from "../playback/runs.js";
import { apply } from "../playback/stage.js";
import type { Edit, Step } from "../scene/document.js";

/** Milliseconds that a step takes; more, where copies move to their places, and at the end, where labels fly to the Jacobian. */
const TIMES: Readonly<Record<string, number>> = { fill_in: 2100, absorb: 2100, merge: 1000 };
const REMOVING = 600;
const MOVING = 800;
const HUES = 6;

/** The parts of a product's time, as the shares at which they end: its factors are pointed out, meet, and land. */
export const POINTED = 0.12;
export const MET = 0.55;
export const LANDED = 0.85;

export type State = ReadonlyMap<string, unknown>;

/** What is on stage of one run, by keys without it. */
export function ownOf(stage: Iterable<readonly [string, unknown]>, run: string): Map<string, unknown> {
  const start = `${run}/`;
  return new Map([...stage].filter(([key]) => key.startsWith(start)).map(([key, value]) => [key.slice(start.length), value]));
}

/** A product: its labels by the edges they stand for, its face, the vertex they share, and the hue it wears. */
export interface Multiplied {
  readonly head: string;
  readonly tail: string;
  readonly result: string;
  readonly face: string;
  readonly via: string;
  readonly hue: string;
  readonly fresh: boolean;
}

/** A step of one run: its edits without the run, and the first and the last step of its move. */
export interface Beat {
  readonly kind: string;
  readonly edits: readonly Edit[];
  readonly product: Multiplied | null;
  readonly merge: readonly [from: string, into: string] | null;
  readonly first: number;
  last: number;
}

const thingOf = (key: string): string => key.slice(key.indexOf("/") + 1);

export function beatsOf(steps: readonly Step[], run: string): Beat[] {
  const found: Beat[] = [];
  let [first, products] = [0, 0];
  for (const step of steps) {
    const part = partOf(step, run);
    if (!part) continue;
    if (step.coarse) first = found.length;
    const edits = step.edits.filter(([key]) => key.startsWith(`${run}/`)).map(([key, old, now]): Edit => [key.slice(run.length + 1), old, now]);
    let product: Multiplied | null = null;
    if (part.product) {
      const [head, tail] = part.product.factors.map(thingOf) as [string, string];
      const hue = `pair-${(products++ % HUES) + 1}`;
      product = { head, tail, result: thingOf(part.product.result), face: `${tail}/${head}`, via: tail.split(".")[1]!, hue, fresh: part.product.fresh };
    }
    const { merge } = part;
    found.push({ kind: part.kind, edits, product, merge: merge ? [thingOf(merge.from), thingOf(merge.into)] : null, first, last: first });
    for (const beat of found.slice(first)) beat.last = found.length - 1;
  }
  return found;
}

const ownTime = ({ kind }: Beat): number => TIMES[kind] ?? REMOVING;

function timeOf(beats: readonly Beat[], k: number): number {
  const { first, last } = beats[k]!;
  const isMoving = k === beats.length - 1 || (k === last && beats.slice(first, k + 1).every(({ product, merge }) => !product && !merge));
  return ownTime(beats[k]!) + (isMoving ? MOVING : 0);
}

/** Milliseconds that the steps between two cursors take. */
export function duration(beats: readonly Beat[], from: number, to: number): number {
  let total = 0;
  for (let k = from; k < to; k++) total += timeOf(beats, k);
  return total;
}

/** Which step is on its way, how far it is, and how far what moves has moved to its place; -1 is the start. */
export function instant(beats: readonly Beat[], from: number, to: number, progress: number): [step: number, share: number, moved: number] {
  if (progress >= 1 || to <= from) return [to - 1, 1, 1];
  let time = progress * duration(beats, from, to);
  let k = from;
  while (k < to - 1 && time >= timeOf(beats, k)) time -= timeOf(beats, k++);
  const own = ownTime(beats[k]!);
  return [k, within(time, 0, own), eased(within(time, own, own + MOVING))];
}

/** What is there after so many steps of the run. */
export function stateAt(start: State, beats: readonly Beat[], cursor: number): Map<string, unknown> {
  const state = new Map(start);
  for (const { edits } of beats.slice(0, cursor)) apply(state, edits);
  return state;
}
