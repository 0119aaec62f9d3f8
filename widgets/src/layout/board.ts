// Boxes in columns and curves between them: what a picture costs, and better heights for its boxes. Everything has one
// place for as long as it is there; what is never there together does not meet.

import { bezier } from "../motion/curves.js";

/** From the first cursor at which something is there to the first at which it is not any more. */
export interface Life {
  readonly from: number;
  readonly until: number;
}

export interface Box extends Life {
  readonly key: string;
  readonly w: number;
  readonly up: number;
  readonly down: number;
  column: number;
  y: number;
}

export interface Line extends Life {
  readonly tail: Box;
  readonly head: Box;
}

/** Between boxes, at least; and between a box and a curve that passes it. */
export const ROOM = 8;
const BESIDE = 5;
/** Between columns, for which curves are judged. */
export const AIR = 40;
/** What things cost: overlapping, at all and for each pixel; crossing; passing under a box; being near above one another. */
const [OVERLAP, DEEPER, CROSSING, THROUGH, CLOSE, NEAR] = [3000, 20, 120, 150, 40, 150];
/** A rise, squared, by its width; a curve that is not straight; each pixel outside of the picture, and of one that is as high as it is. */
const [SLOPE, BENT, OUTSIDE, BEYOND] = [0.03, 0.5, 2, 20];
const STEPS = [-20, -6, 6, 20];
const SAME = 0.01;

/** Whether two things are there together, if only while one comes in the step in which the other goes. */
export const isMet = (one: Life, other: Life): boolean => one.from <= other.until && other.from <= one.until;

/** From the top of the highest box to the bottom of the lowest. */
export const rangeOf = (boxes: readonly Box[]): [top: number, bottom: number] =>
  boxes.length ? [Math.min(...boxes.map(({ y, up }) => y - up)), Math.max(...boxes.map(({ y, down }) => y + down))] : [0, 0];

/** Two curves with the shares of their rises that they have made where they begin, and end, to be beside each other. */
type Pair = readonly [one: Line, other: Line, begin: readonly [number, number], end: readonly [number, number]];
/** A curve that passes a box, with the shares of its rise at the two sides of it. */
type Pass = readonly [line: Line, box: Box, shares: readonly [number, number]];

/** What a box meets: others in its column, its own curves, what they may cross and pass, and what passes the box. */
interface Around {
  readonly mates: readonly Box[];
  readonly own: readonly Line[];
  readonly pairs: readonly Pair[];
  readonly passes: readonly Pass[];
  /** The boxes on which its cost depends, or whose cost depends on it. */
  readonly met: ReadonlySet<Box>;
}

/** Between which heights of a box something costs so much, three numbers for each. */
type Ranges = number[];

export class Board {
  readonly boxes: Box[] = [];
  readonly #lines: Line[] = [];
  readonly #left: number[] = [];
  readonly #right: number[] = [];
  readonly #shares = new Map<number, number>();
  readonly #around = new Map<Box, Around>();
  top = 0;
  bottom = 0;
  #outside = OUTSIDE;

  constructor(widths: readonly number[]) {
    let x = 0;
    for (const width of widths) {
      this.#left.push(x);
      this.#right.push(x + width);
      x += width + AIR;
    }
  }

  add(boxes: readonly Box[], lines: readonly Line[]): void {
    this.boxes.push(...boxes);
    this.#lines.push(...lines);
    this.#around.clear();
    this.#enclose();
  }

  /** Have the picture as high as that of other boxes, and not higher. */
  bound(boxes: readonly Box[]): void {
    [this.top, this.bottom] = rangeOf(boxes);
    this.#outside = BEYOND;
  }

  /** The picture reaches from the top of the highest box to the bottom of the lowest. */
  #enclose(): void {
    if (this.#outside === OUTSIDE) [this.top, this.bottom] = rangeOf(this.boxes);
  }

  /** Improve one box after the other, there and back, as long as any moves; again only where what it meets has moved. */
  descend(boxes: readonly Box[], passes: number): void {
    const due = new Set(boxes);
    for (let pass = 0; pass < passes && due.size; pass++)
      for (const box of pass % 2 ? [...boxes].reverse() : boxes) {
        if (!due.delete(box)) continue;
        const [y, least, now] = this.#best(box, () => 0);
        if (least > now - SAME) continue;
        box.y = y;
        for (const other of this.#aroundOf(box).met) due.add(other);
      }
    this.#enclose();
  }

  /** Give a box the place that costs least, in one of some columns, also by what else counts. */
  settle(box: Box, columns: readonly number[], more: (y: number, inside: number) => number): void {
    const [before, wish, { met }] = [box.column, box.y, this.#aroundOf(box)];
    let [place, least]: [readonly [number, number], number] = [[columns[0]!, wish], Infinity];
    for (const column of columns) {
      [box.column, box.y] = [column, wish];
      this.#around.delete(box);
      const { mates } = this.#aroundOf(box);
      const [y, cost] = this.#best(box, (y) => {
        const above = mates.filter((other) => other.y < y).length;
        return more(y, Math.min(above, mates.length - above));
      });
      if (cost < least - SAME) [place, least] = [[column, y], cost];
    }
    [box.column, box.y] = place;
    this.#around.delete(box);
    if (place[0] !== before) for (const other of [...met, ...this.#aroundOf(box).met]) this.#around.delete(other);
    this.#enclose();
  }

  /** Whether a box, or a curve of it, crosses, covers or overlaps something. */
  isFaulty(box: Box): boolean {
    return this.#best(box, () => 0)[2] >= CROSSING;
  }

  /** The height of a box that costs least, what it costs, and what its own height does. */
  #best(box: Box, more: (y: number) => number): readonly [y: number, least: number, now: number] {
    const { mates, own, pairs, passes } = this.#aroundOf(box);
    const clear: Ranges = [];
    for (const pass of passes) covering(box, pass, clear);
    const ranges = [...clear];
    for (const pair of pairs) crossing(box, pair, ranges);
    const ends = own.map(({ tail, head }) => ({ y: tail === box ? head.y : tail.y, width: this.#left[head.column]! - this.#right[tail.column]! }));
    /** What a height costs, or at least so much that it is too much. */
    const cost = (y: number, enough: number): number => {
      let sum = more(y) + this.#outside * (Math.max(0, this.top - y + box.up) + Math.max(0, y + box.down - this.bottom));
      for (const end of ends) {
        const rise = Math.abs(end.y - y);
        if (rise > SAME) sum += BENT + (SLOPE * rise * rise) / end.width;
      }
      for (let k = 0; k < mates.length && sum < enough; k++) sum += apart(box, y, mates[k]!);
      for (let k = 0; k < ranges.length && sum < enough; k += 3) if (ranges[k]! < y && y < ranges[k + 1]!) sum += ranges[k + 2]!;
      return sum;
    };
    const now = cost(box.y, Infinity);
    let [best, least] = [box.y, now];
    for (const y of heightsFor(box, ends.map((end) => end.y), mates, clear)) {
      const found = cost(y, least);
      if (found < least - SAME) [best, least] = [y, found];
    }
    return [best, least, now];
  }

  #aroundOf(box: Box): Around {
    const known = this.#around.get(box) ?? this.#look(box);
    this.#around.set(box, known);
    return known;
  }

  #look(box: Box): Around {
    const mates = this.boxes.filter((other) => other !== box && other.column === box.column && isMet(box, other));
    const own = this.#lines.filter(({ tail, head }) => tail === box || head === box);
    const pairs = own.flatMap((line) => this.#lines.flatMap((other) => (other !== line && isMet(line, other) ? this.#pair(line, other) : [])));
    const passed = own.flatMap((line) => this.boxes.flatMap((other) => this.#pass(line, other)));
    const passes = [...passed, ...this.#lines.flatMap((line) => this.#pass(line, box))];
    const lines = [...own, ...pairs.map(([, other]) => other), ...passes.map(([line]) => line)];
    const met = new Set([...mates, ...passes.map(([, other]) => other), ...lines.flatMap(({ tail, head }) => [tail, head])]);
    return { mates, own, pairs, passes, met };
  }

  #pair(one: Line, other: Line): Pair[] {
    const [begin, end] = [Math.max(one.tail.column, other.tail.column), Math.min(one.head.column, other.head.column)];
    if (begin >= end) return [];
    const shares = (x: number) => [this.#share(one, x), this.#share(other, x)] as const;
    return [[one, other, shares(this.#right[begin]!), shares(this.#left[end]!)]];
  }

  #pass(line: Line, box: Box): Pass[] {
    const { tail, head } = line;
    if (box.column <= tail.column || head.column <= box.column || !isMet(line, box)) return [];
    return [[line, box, [this.#share(line, this.#left[box.column]!), this.#share(line, this.#right[box.column]!)]]];
  }

  /** The share of its rise that a curve has made at a place on its way. */
  #share({ tail, head }: Line, x: number): number {
    const [start, end] = [this.#right[tail.column]!, this.#left[head.column]!];
    if (x <= start || x >= end) return Number(x >= end);
    const along = Math.round((1024 * (x - start)) / (end - start));
    const known = this.#shares.get(along) ?? riseAt(along / 1024);
    this.#shares.set(along, known);
    return known;
  }
}

/** The share of its rise that a curve has made after a share of its width. */
function riseAt(wanted: number): number {
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 12; halving++) {
    const t = (low + high) / 2;
    if (bezier(0, 0.5, 0.5, 1, t) < wanted) low = t;
    else high = t;
  }
  return bezier(0, 0, 1, 1, low);
}

/** What two boxes of a column cost that are there together, one of them at a height. */
function apart(box: Box, y: number, other: Box): number {
  const [upper, lower] = y < other.y ? [box, other] : [other, box];
  const [far, least] = [Math.abs(y - other.y), upper.down + lower.up + ROOM];
  return CLOSE * Math.max(0, 1 - far / NEAR) ** 2 + (far < least ? OVERLAP + DEEPER * (least - far) : 0);
}

/** At which heights of a box two curves cross: where one is above the other at one end, and not at the other. */
function crossing(box: Box, [one, other, ...sides]: Pair, ranges: Ranges): void {
  let [sign, low, high] = [1, Infinity, -Infinity];
  for (const [own, others] of sides) {
    const height = heightOf(one, box, own) - heightOf(other, box, others);
    const slope = slopeOf(one, box, own) - slopeOf(other, box, others);
    if (Math.abs(slope) < SAME && Math.abs(height) < SAME) return;
    const root = Math.abs(slope) < SAME ? -Infinity * height : -height / slope;
    if (slope <= -SAME) sign = -sign;
    [low, high] = [Math.min(low, root), Math.max(high, root)];
  }
  if (sign > 0) ranges.push(low + SAME, high - SAME, CROSSING);
  else ranges.push(-Infinity, low - SAME, CROSSING, high + SAME, Infinity, CROSSING);
}

/** At which heights of a box it, or one that its curve passes, is over the curve. */
function covering(box: Box, [line, other, shares]: Pass, ranges: Ranges): void {
  const [one, two] = shares.map((share) => heightOf(line, box, share)) as [number, number];
  if (other === box) return void ranges.push(Math.min(one, two) - box.down - BESIDE, Math.max(one, two) + box.up + BESIDE, THROUGH);
  const [by, along] = shares.map((share) => slopeOf(line, box, share)) as [number, number];
  const [top, bottom] = [other.y - other.up - BESIDE, other.y + other.down + BESIDE];
  ranges.push(Math.min((top - one) / by, (top - two) / along), Math.max((bottom - one) / by, (bottom - two) / along), THROUGH);
}

/** The height of a curve after a share of its rise where a box is at height 0, and how much it grows with that of the box. */
const heightOf = ({ tail, head }: Line, box: Box, share: number): number => (tail === box ? 0 : (1 - share) * tail.y) + (head === box ? 0 : share * head.y);
const slopeOf = ({ tail, head }: Line, box: Box, share: number): number => (tail === box ? 1 - share : head === box ? share : 0);

/** The heights that may be good for a box: those of its neighbors, and beside what is in its column or passes it. */
function heightsFor(box: Box, level: readonly number[], mates: readonly Box[], ranges: Ranges): Set<number> {
  const mean = level.reduce((sum, y) => sum + y, 0) / level.length;
  const beside = mates.flatMap(({ y, up, down }) => [y - up - ROOM - box.down, y + down + ROOM + box.up]);
  const clear = ranges.flatMap((y, k) => [[Math.floor(y)], [Math.ceil(y)], []][k % 3]!);
  return new Set([...level, ...(level.length > 1 ? [Math.round(mean)] : []), ...beside, ...clear, ...STEPS.map((step) => Math.round(box.y) + step)]);
}
