// What travels along an edge while a step is shown: a token with its number. Where nothing can be animated, or the reader
// asked for less motion, it arrives at once.

import { svg } from "../ui/dom.js";

/** A curve as a chain of short straight pieces; `lengths` are measured along it, from its start to each corner. */
export interface Line {
  readonly corners: readonly (readonly [x: number, y: number])[];
  readonly lengths: readonly number[];
}

/** Straight pieces per Bezier curve. */
const PIECES = 8;

/** A chain of cubic Bezier curves (x, y of the start and then three points per curve) as a line. */
export function lineOf(points: readonly number[]): Line {
  const corners: [number, number][] = [[points[0]!, points[1]!]];
  for (let i = 0; i + 7 < points.length; i += 6)
    for (let piece = 1; piece <= PIECES; piece++)
      corners.push([bezier(points, i, piece / PIECES), bezier(points, i + 1, piece / PIECES)]);
  const lengths = [0];
  for (let i = 1; i < corners.length; i++)
    lengths.push(
      lengths[i - 1]! + Math.hypot(corners[i]![0] - corners[i - 1]![0], corners[i]![1] - corners[i - 1]![1]),
    );
  return { corners, lengths };
}

/** One coordinate of the curve whose points begin at `i`. */
function bezier(points: readonly number[], i: number, t: number): number {
  const s = 1 - t;
  return (
    s * s * s * points[i]! +
    3 * s * s * t * points[i + 2]! +
    3 * s * t * t * points[i + 4]! +
    t * t * t * points[i + 6]!
  );
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

/** A token with a number, at a place on a line. */
export function drawToken(words: string, line: Line, share: number): SVGGElement {
  const width = 6.6 * Array.from(words).length + 14;
  const [x, y] = pointOn(line, share);
  return svg(
    "g",
    { class: "adviz-token", transform: `translate(${x},${y})` },
    svg("rect", { x: -width / 2, y: -10, width, height: 20, rx: 10 }),
    svg("text", { y: 4, "text-anchor": "middle" }, words),
  );
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
