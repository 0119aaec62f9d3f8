// What an elimination looks like at an instant: what is there, where it stands, what is in play.

import { type Beat, LANDED, MET, type Multiplied, POINTED, type State, instant, stateAt } from "./elimination-steps.js";
import { isInterior } from "./elimination.js";
import type { PlacedElimination } from "../layout/placed.js";
import type { Point } from "../motion/curves.js";
import { eased, within } from "../motion/schedule.js";

/** How far the vertex in play is opened, whatever the reading; and the opacity of what is not in play. */
const OPENED = 0.92;
const DIMMED = 0.55;

/** An instant; a step is among those of its move. */
export interface Context {
  readonly panel: PlacedElimination;
  readonly morph: number;
  /** What is there around the step, and around its move. */
  readonly before: State;
  readonly after: State;
  readonly rested: State;
  readonly rests: State;
  /** What is there before or after the step. */
  readonly there: State;
  readonly spots: ReadonlyMap<string, Point>;
  /** How much a move is in play, and how far the parts of its step are. */
  readonly on: number;
  readonly ending: number;
  readonly gone: number;
  readonly pointed: number;
  readonly met: number;
  readonly landed: number;
  /** How far copies have moved from where they came out, and labels at the end to the Jacobian. */
  readonly moved: number;
  readonly product: Multiplied | null;
  readonly isPlayed: boolean;
  /** The opacity of what is not in play. */
  readonly dim: number;
  /** The hues of the faces to come, and of the labels that products have gone to. */
  readonly waiting: ReadonlyMap<string, string>;
  readonly results: ReadonlyMap<string, string>;
  readonly merge: Beat["merge"];
  /** How far the faces at a vertex are apart: 0 in a graph, 1 in a line graph. */
  opened(vertex: string): number;
  /** How far a vertex is a ring with the faces that it has left, instead of a disc. */
  ring(vertex: string): number;
  /** The opacity of something that comes or goes in this step. */
  presence(key: string): number;
}

const REST: Beat = { kind: "", edits: [], product: null, merge: null, first: 0, last: -1 };

/** The instant when so much (0 to 1) of the way between two cursors is done. */
export function stand(panel: PlacedElimination, start: State, beats: readonly Beat[], from: number, to: number, progress: number, morph: number): Context {
  const [k, share, moved] = instant(beats, from, to, progress);
  const { first, last, merge } = beats[k] ?? REST;
  const state = (cursor: number): State => stateAt(start, beats, cursor);
  const [before, after, rested, rests] = [state(Math.max(k, 0)), state(k + 1), state(first), state(last + 1)];
  const spots = new Map(panel.places);
  for (const [after, copy, of] of panel.copies ?? []) {
    if (after !== k + 1) continue;
    const [[x, y], [u, v]] = [of, copy].map((key) => panel.places.get(key)!) as [Point, Point];
    spots.set(copy, [x + moved * (u - x), y + moved * (v - y)]);
  }
  const made = beats.slice(first, last + 1).flatMap(({ product }, i) => (product ? [{ i: first + i, product }] : []));
  const done = made.filter(({ i }) => i <= k);
  const product = done.at(-1)?.product ?? null;
  const isPlayed = done.at(-1)?.i === k;
  const ending = k === last ? share : 0;
  const phase = (begins: number, ends: number): number => (isPlayed ? within(share, begins, ends) : 1);
  const [on, pointed, landed, gone] = [done.length ? 1 - ending : 0, phase(0, POINTED), eased(phase(MET, LANDED)), isPlayed ? 0 : eased(share)];
  const isFirst = done.length === 1 && isPlayed;
  return {
    panel, morph, before, after, rested, rests, spots, moved, on, ending, gone, pointed, landed, product, isPlayed, merge,
    there: new Map([...before, ...after]),
    met: phase(POINTED, MET),
    dim: 1 + on * (DIMMED - 1),
    waiting: new Map(made.filter(({ i }) => i > k).map(({ product: { face, hue } }) => [face, hue])),
    results: new Map(done.map(({ product: { result, hue } }) => [result, hue])),
    opened: (vertex) => (vertex === product?.via ? Math.max(morph, OPENED * on * (isFirst ? pointed : 1)) : morph),
    ring: (vertex) => {
      const [one, other] = [rested, rests].map((state) => (isWhole(state, vertex) ? 0 : 1)) as [number, number];
      return one + ending * (other - one);
    },
    presence: (key) => (!before.has(key) ? landed : after.has(key) ? 1 : 1 - gone),
  };
}

/** The labels that are there: the nodes of the line graph that stand for edges. */
export const labels = (state: State): string[] =>
  [...state.keys()].flatMap((key) => (key.startsWith("node/") && isInterior(key.slice(5)) ? [key.slice(5)] : []));

/** How many faces there are at a vertex, and how many there would be of all its edges. */
export function lanes(state: State, vertex: string): [number, number] {
  const ends = labels(state).map((thing) => thing.split("."));
  const count = (end: number): number => ends.filter((each) => each[end] === vertex).length;
  const faces = [...state.keys()].map((key) => key.split("/")).filter(([sort, tail, head]) => sort === "face" && isInterior(tail!) && isInterior(head!) && tail!.split(".")[1] === vertex);
  return [faces.length, count(1) * count(0)];
}

/** Whether every edge into a vertex has a face with every edge out of it. */
export function isWhole(state: State, vertex: string): boolean {
  const [found, all] = lanes(state, vertex);
  return found === all;
}
