// What travels along an edge while a step is shown: a token with its number.

import { bezier } from "../motion/curves.js";
import { type Mark, box, text } from "../motion/marks.js";

/** A curve as a chain of short straight pieces; `lengths` are measured along it, from its start to each corner. */
export interface Line {
  readonly corners: readonly (readonly [x: number, y: number])[];
  readonly lengths: readonly number[];
}

/** Px: a character of a token, and its height. */
const CHARACTER = 6.6;
export const HEIGHT = 20;
/** Straight pieces per Bezier curve. */
const PIECES = 8;

/** A chain of cubic Bezier curves (x, y of the start and then three points per curve) as a line. */
export function lineOf(points: readonly number[]): Line {
  const corners: [number, number][] = [[points[0]!, points[1]!]];
  for (let i = 0; i + 7 < points.length; i += 6) {
    const [x0, y0, x1, y1, x2, y2, x3, y3] = points.slice(i, i + 8) as [number, number, number, number, number, number, number, number];
    for (let piece = 1; piece <= PIECES; piece++)
      corners.push([bezier(x0, x1, x2, x3, piece / PIECES), bezier(y0, y1, y2, y3, piece / PIECES)]);
  }
  const lengths = [0];
  for (let i = 1; i < corners.length; i++)
    lengths.push(
      lengths[i - 1]! + Math.hypot(corners[i]![0] - corners[i - 1]![0], corners[i]![1] - corners[i - 1]![1]),
    );
  return { corners, lengths };
}

/** The place at a share of a line's length. */
export function pointOn({ corners, lengths }: Line, share: number): readonly [x: number, y: number] {
  const along = Math.min(Math.max(share, 0), 1) * lengths.at(-1)!;
  const next = Math.max(
    1,
    lengths.findIndex((length) => length >= along),
  );
  const [before, after] = [corners[next - 1]!, corners[next]!];
  const t = (along - lengths[next - 1]!) / (lengths[next]! - lengths[next - 1]! || 1);
  return [before[0] + (after[0] - before[0]) * t, before[1] + (after[1] - before[1]) * t];
}

/** A token with a number at a place on a line; a name tells it from others. */
export function tokenMarks(name: string, words: string, line: Line, share: number): Mark[] {
  const [x, y] = pointOn(line, share);
  const w = CHARACTER * Array.from(words).length + 14;
  return [box(`token-shape/${name}`, { x, y, w, h: HEIGHT }, HEIGHT / 2, "accent", "paper", 1.5), text(`token-number/${name}`, words, x, y + 4, 11.5, "mono", "paper")];
}
