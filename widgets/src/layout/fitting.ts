// An elimination on a stage: the columns of its plan as far apart, and its heights as far up and down, as there is room.

import { AIR, type Box, ROOM, isMet, rangeOf } from "./board.js";
import type { Plan } from "./plans.js";
import type { Point } from "../motion/curves.js";
import type { Size } from "../picture/camera.js";

export interface Fitted extends Size {
  /** Pixels of the stage for one of the picture. */
  readonly scale: number;
  readonly places: ReadonlyMap<string, Point>;
}

/** Between columns at least; from the sides to the middles of inputs and outputs; above and below everything. */
const [GAP, EDGE, RIM] = [18, 40, 6];
/** How many times as wide as high a picture wants to be at most. */
const LONGEST = 3.4;
/** The scale that is large enough where there is little room for air, and the largest. */
const [COMFORT, LARGEST] = [1.05, 2.4];
/** The stage on which pictures have their natural size, where they have room. */
const USUAL = { width: 780, height: 430 };

/** The size that a plan wants, with so much room above it. */
export function wanted(plan: Plan, above: number): Size {
  const [top, bottom] = rangeOf(plan.boxes);
  const { width, height } = least(plan, above);
  return { width, height: Math.max(bottom - top + 2 * RIM + above, height) };
}

/** The size of the smallest picture with air between the columns. */
export const least = (plan: Plan, above: number): Size => {
  const width = widthOf(plan, AIR);
  return { width, height: Math.max(heightOf(plan) + 2 * RIM, width / LONGEST) + above };
};

/**
 * A plan on a stage, as large as there is room, with air where that is large enough. One that begins like another is not
 * larger than that, and what both have at the start stands where it stands there.
 */
export function fitted(plan: Plan, stage: Size, above: number, known: Plan | null = null): Fitted {
  const { widths, boxes } = plan;
  const other = known && fitted(known, stage, above);
  const scale = Math.min(most(plan, stage, above), other?.scale ?? enough(plan, stage, above));
  const size = { width: stage.width / scale, height: stage.height / scale };
  const gap = GAP + (size.width - widthOf(plan, GAP)) / Math.max(1, widths.length - 1);
  const [first, last] = rangeOf((known ?? plan).boxes);
  const [top, bottom] = [above + RIM, size.height - RIM];
  const wish = ({ y }: Box): number => top + ((bottom - top) * (y - first)) / (last - first);
  const places = new Map<string, Point>();
  let x = sideOf(widths[0]!);
  widths.forEach((wide, column) => {
    const inside = boxes.filter((box) => box.column === column);
    const y = (other?.scale === scale ? added(inside, other.places, wish, top, bottom) : null) ?? stacked(inside, wish, top, bottom);
    for (const [{ key }, at] of y) places.set(key, [tenth(x + wide / 2), tenth(at)]);
    x += wide + gap;
  });
  return { ...size, scale, places };
}

const tenth = (number: number): number => Math.round(10 * number) / 10;

/** The largest scale for which a stage has room. */
const most = (plan: Plan, { width, height }: Size, above: number): number =>
  Math.min(width / widthOf(plan, GAP), height / (heightOf(plan) + 2 * RIM + above));

/** A scale that leaves air, unless that would be smaller than usual. */
function enough(plan: Plan, { width, height }: Size, above: number): number {
  const sizes = [wanted(plan, above), USUAL];
  return Math.min(LARGEST, Math.max(COMFORT, ...sizes.map((size) => Math.min(width / size.width, height / size.height))));
}

/** The width of the columns with such gaps, and with what is beside them. */
const widthOf = ({ widths }: Plan, gap: number): number =>
  widths.reduce((sum, width) => sum + width + gap, -gap) + sideOf(widths[0]!) + sideOf(widths.at(-1)!);

const sideOf = (width: number): number => Math.max(width / 2 + GAP, EDGE) - width / 2;

/** How high the columns are at least. */
function heightOf({ boxes, widths }: Plan): number {
  const heights = widths.map((_, column) => {
    const y = stacked(boxes.filter((box) => box.column === column), () => 0, 0, Infinity);
    return [...y].map(([{ down }, at]) => at + down);
  });
  return Math.max(0, ...heights.flat());
}

/** How far apart the middles of two boxes are at least, if they are there together. */
const distance = (upper: Box, lower: Box): number => (isMet(upper, lower) ? upper.down + lower.up + ROOM : -Infinity);

/** Heights in a column next to some, in their order: no two that are there together touch. */
function stacked(boxes: readonly Box[], wish: (box: Box) => number, top: number, bottom: number): Map<Box, number> {
  const ordered = [...boxes].sort((one, other) => one.y - other.y);
  const y = new Map<Box, number>();
  for (const box of ordered) y.set(box, Math.max(wish(box), top + box.up, ...[...y].map(([other, at]) => at + distance(other, box))));
  for (const [k, box] of [...ordered.entries()].reverse())
    y.set(box, Math.min(y.get(box)!, bottom - box.down, ...ordered.slice(k + 1).map((other) => y.get(other)! - distance(box, other))));
  return y;
}

/** Heights in a column where what is there at the start has its place, and each other box the nearest that is free; null: there is none. */
function added(boxes: readonly Box[], places: ReadonlyMap<string, Point>, wish: (box: Box) => number, top: number, bottom: number): Map<Box, number> | null {
  const y = new Map(boxes.filter(({ from }) => !from).map((box) => [box, places.get(box.key)![1]]));
  for (const box of boxes) {
    if (y.has(box)) continue;
    const isFree = (at: number): boolean =>
      at >= top + box.up && at <= bottom - box.down && [...y].every(([other, its]) => at <= its - distance(box, other) || at >= its + distance(other, box));
    const nearby = [...y].flatMap(([other, its]) => (isMet(box, other) ? [its - distance(box, other), its + distance(other, box)] : []));
    const free = [wish(box), ...nearby].filter(isFree).sort((one, other) => Math.abs(one - wish(box)) - Math.abs(other - wish(box)));
    if (!free.length) return null;
    y.set(box, free[0]!);
  }
  return y;
}
