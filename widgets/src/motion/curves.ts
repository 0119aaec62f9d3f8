// Chains of cubic Bezier curves as flat lists: x, y of the start, and then three points per curve.

export type Chain = readonly number[];
export type Point = readonly [x: number, y: number];
/** A rectangle by its middle and its size. */
export type Rectangle = readonly [x: number, y: number, w: number, h: number];

/** The common area of two rectangles. */
export const overlap = ([x, y, w, h]: Rectangle, [u, v, wide, high]: Rectangle): number =>
  Math.max(0, (w + wide) / 2 - Math.abs(x - u)) * Math.max(0, (h + high) / 2 - Math.abs(y - v));

/** The same chain from its end to its start. */
export function reversed(points: Chain): number[] {
  const turned: number[] = [];
  for (let i = points.length - 2; i >= 0; i -= 2) turned.push(points[i]!, points[i + 1]!);
  return turned;
}

/** Straight lines from corner to corner. */
export const straight = (corners: readonly Point[]): number[] => corners.flatMap((to, k) => (k ? [...corners[k - 1]!, ...to, ...to] : to));

const between = (one: number, other: number, t: number): number => one + (other - one) * t;

/** One coordinate of a cubic Bezier curve. */
export function bezier(a: number, b: number, c: number, d: number, t: number): number {
  const s = 1 - t;
  return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

/** The point after a share (0 to 1) of the curves of a chain. */
export function pointAt(points: Chain, share: number): Point {
  return cut(points, share).slice(-2) as unknown as Point;
}

/** The first share (0 to 1) of a chain: so many of its curves, the last one cut where it must be. */
export function cut(points: Chain, share: number): number[] {
  const curves = (points.length - 2) / 6;
  const along = Math.min(Math.max(share, 0), 1) * curves;
  const whole = Math.min(Math.floor(along), curves - 1);
  const t = along - whole;
  const kept = points.slice(0, 6 * whole + 2);
  const [x0, y0, x1, y1, x2, y2, x3, y3] = points.slice(6 * whole, 6 * whole + 8) as [number, number, number, number, number, number, number, number];
  const [ax, ay, bx, by, cx, cy] = [between(x0, x1, t), between(y0, y1, t), between(x1, x2, t), between(y1, y2, t), between(x2, x3, t), between(y2, y3, t)];
  const [dx, dy, ex, ey] = [between(ax, bx, t), between(ay, by, t), between(bx, cx, t), between(by, cy, t)];
  return [...kept, ax, ay, dx, dy, between(dx, ex, t), between(dy, ey, t)];
}

/** Which way a chain leads after a share of its curves, as a vector of length 1. */
export function directionAt(points: Chain, share: number): Point {
  const [[x, y], [toX, toY]] = [pointAt(points, share - STEP), pointAt(points, Math.max(share, STEP))];
  const length = Math.hypot(toX - x, toY - y);
  return length ? [(toX - x) / length, (toY - y) / length] : [1, 0];
}

const STEP = 0.02;

/** A chain that ends in the head of an arrow, as long as there is room for: the line up to the head, and the head. */
export function headed(points: Chain, long: number, wide: number): { stem: number[]; head: number[] } {
  const [x, y] = points.slice(-2) as [number, number];
  const length = Math.min(long, 0.6 * Math.hypot(x - points[0]!, y - points[1]!));
  const [x0, y0, x1, y1, x2, y2] = points.slice(-8) as [number, number, number, number, number, number];
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 12; halving++) {
    const share = (low + high) / 2;
    if (Math.hypot(x - bezier(x0, x1, x2, x, share), y - bezier(y0, y1, y2, y, share)) > length) low = share;
    else high = share;
  }
  const curves = (points.length - 2) / 6;
  const stem = cut(points, (curves - 1 + low) / curves);
  const [nearX, nearY, fromX, fromY] = stem.splice(-4) as [number, number, number, number];
  // The line arrives as the head points: the end of a wide one would else reach over the base of the head.
  const far = Math.hypot(fromX - nearX, fromY - nearY) / (Math.hypot(x - fromX, y - fromY) || 1);
  stem.push(fromX - far * (x - fromX), fromY - far * (y - fromY), fromX, fromY);
  return { stem, head: triangle(x, y, x - fromX, y - fromY, length, wide) };
}

/** A triangle with its tip at a point, in a direction, so long and so wide: the tip and the two other corners. */
export function triangle(x: number, y: number, toX: number, toY: number, long: number, wide: number): number[] {
  const length = Math.hypot(toX, toY) || 1;
  const [dx, dy] = [toX / length, toY / length];
  const [backX, backY, half] = [x - long * dx, y - long * dy, wide / 2];
  return [x, y, backX - half * dy, backY + half * dx, backX + half * dy, backY - half * dx];
}
