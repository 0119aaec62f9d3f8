// What travels along an edge while a step is shown: a token with its number. Where nothing can be animated, or the reader
// asked for less motion, it arrives at once.

import { drawMarks } from "./drawn.js";
import { bezier } from "../motion/curves.js";
import { type Mark, box, text } from "../motion/marks.js";
import { svg } from "../ui/dom.js";

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

/** A token with a number, around its middle. */
export function tokenMarks(words: string): Mark[] {
  const w = CHARACTER * Array.from(words).length + 14;
  return [box("token-shape", { x: 0, y: 0, w, h: HEIGHT }, HEIGHT / 2, "accent", "paper", 1.5), text("token-number", words, 0, 4, 11.5, "mono", "paper")];
}

/** A token at a place on a line. */
export function drawToken(words: string, line: Line, share: number): SVGGElement {
  const [x, y] = pointOn(line, share);
  return svg("g.adviz-token", { transform: `translate(${x},${y})` }, ...drawMarks(tokenMarks(words)));
}

/** Number of keyframes along a path. */
const STAGES = 12;

/** The places of a token on its way along a line, as keyframes. */
export function way(line: Line, from: number, to: number): Keyframe[] {
  return Array.from({ length: STAGES + 1 }, (_, i) => {
    const [x, y] = pointOn(line, from + ((to - from) * i) / STAGES);
    return { transform: `translate(${x}px, ${y}px)` };
  });
}

export class Motion {
  #running = new Map<Animation, () => void>();

  /** Move an element by keyframes; `arrive` is called once, at the end or as soon as motion is cut short. */
  play(element: Element, keyframes: Keyframe[], duration: number, arrive: () => void): void {
    if (!element.animate) return arrive();
    const animation = element.animate(keyframes, { duration, easing: "ease-in-out" });
    this.#running.set(animation, arrive);
    animation.onfinish = () => this.#end(animation);
  }

  /** End all motion now. */
  finish(): void {
    for (const animation of [...this.#running.keys()]) this.#end(animation);
  }

  #end(animation: Animation): void {
    const arrive = this.#running.get(animation);
    if (!this.#running.delete(animation)) return;
    animation.cancel();
    arrive!();
  }
}
