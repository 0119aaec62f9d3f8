// The curves of edges, and of those that lead to a later row.

export interface Stop {
  readonly x: number;
  readonly y: number;
}

/** How far a curve keeps its direction, as a share of the distance. */
const KEPT = 0.55;
/** How far a control point lies beyond the farthest point of a half turn. */
const ROUND = 4 / 3;

/** Curves through some places, level at each of them, without the start: six numbers for each curve. */
export function smooth(stops: readonly Stop[]): number[] {
  return stops.slice(1).flatMap((to, k) => {
    const from = stops[k]!;
    const reach = KEPT * (to.x - from.x);
    return [from.x + reach, from.y, to.x - reach, to.y, to.x, to.y];
  });
}

/** Curves from the end of a row to the beginning of a lower one: so far to the right, back at a height, and to the left. */
export function goingAround(start: Stop, end: Stop, right: number, left: number, back: number): number[] {
  const [out, into, third] = [start.x + ROUND * right, end.x - ROUND * left, (end.x - start.x) / 3];
  return [out, start.y, out, back, start.x, back, start.x + third, back, end.x - third, back, end.x, back, into, back, into, end.y, end.x, end.y];
}

/** A straight line as a curve. */
export function straight(start: Stop, end: Stop): number[] {
  const [right, down] = [(end.x - start.x) / 3, (end.y - start.y) / 3];
  return [start.x, start.y, start.x + right, start.y + down, end.x - right, end.y - down, end.x, end.y];
}
