// Places for labels that Python did not foresee, as the reader's own order makes them: free ones between their ends.
// Nothing else moves.

import { type Beat, type State, placesAt, stateAt } from "./elimination-steps.js";
import { endsOf, isInterior } from "./elimination.js";
import type { Point } from "../motion/curves.js";
import type { EliminationPanel, Place } from "../scene/document.js";

/** How near to each other the middles of labels are that touch, and how far labels stay from the borders. */
const TOUCHING = [104, 64] as const;
const BORDER = 34;
/** Places that are tried: heights, and shares of the way between the ends. */
const HEIGHTS = 30;
const SHARES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
/** What it costs to touch something, to lie on it, and to have a label between the new one and the nearer border. */
const TOUCHED = 150;
const COVERED = 3000;
const INSIDE = 40;

/** The places of a panel, and those of labels that have none when they appear. */
export function foreseen({ places, width, height }: EliminationPanel, start: State, beats: readonly Beat[]): Place[] {
  const found = [...places];
  beats.forEach(({ edits }, k) => {
    const fresh = edits.filter(([key, before, after]) => key.startsWith("node/") && before === null && after !== null).map(([key]) => key.slice(5));
    for (const thing of fresh) {
      const known = placesAt(found, k + 1);
      if (!isInterior(thing) || known.has(`label/${thing}`)) continue;
      const state = stateAt(start, beats, k + 1);
      const taken = [...known].filter(([key]) => state.has(key.replace("label", "node"))).map(([, place]) => place);
      const [[x, y], [u, v]] = endsOf(thing).map((end) => known.get(`vertex/${end}`)!) as [Point, Point];
      const tried = SHARES.flatMap((share) =>
        Array.from({ length: HEIGHTS + 1 }, (_, row): Point => [x + share * (u - x), BORDER + (row * (height - 2 * BORDER)) / HEIGHTS]),
      );
      const cost = ([atX, atY]: Point): number => {
        const column = taken.filter(([x]) => Math.abs(x - atX) < TOUCHING[0]);
        const above = column.filter(([, y]) => y < atY).length;
        const touched = column.filter(([, y]) => Math.abs(y - atY) < TOUCHING[1]);
        const covered = touched.reduce((sum, [x, y]) => sum + (1 - Math.abs(x - atX) / TOUCHING[0]) * (1 - Math.abs(y - atY) / TOUCHING[1]), 0);
        const out = Number(atX < BORDER || atX > width - BORDER);
        return TOUCHED * touched.length + COVERED * (covered + out) + INSIDE * Math.min(above, column.length - above) + Math.abs(atY - (y + v) / 2) / 2;
      };
      const costs = tried.map(cost);
      found.push([k + 1, `label/${thing}`, ...tried[costs.indexOf(Math.min(...costs))]!]);
    }
  });
  return found;
}
