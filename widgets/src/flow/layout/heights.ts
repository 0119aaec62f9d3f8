// How high everything stands in some columns. Items that want to be level with each other form blocks; blocks move to the
// heights of what they are linked to, as far as their neighbors in the columns leave room.

import type { Columns } from "./columns.js";
import { EM } from "./forms.js";

/** Pixels above and below the middle of each item, and where links leave and enter nodes, from there. */
export interface Extents {
  readonly up: (item: number) => number;
  readonly down: (item: number) => number;
  readonly out: (item: number, next: number) => number;
  readonly into: (item: number, before: number) => number;
}

export interface Heights {
  readonly y: ReadonlyMap<number, number>;
  readonly height: number;
}

/** Between nodes; a gate and a node; two gates, with room for an equation; two of one node; an edge and a box; two edges. */
const [NODES, GATE, EQUATION, GATES, PASSING, LINES] = [1.2 * EM, 0.8 * EM, 1.25 * EM, 0.6 * EM, 0.75 * EM, 0.9 * EM];
/** By how much the height may grow so that something is level: a share, or pixels. */
const [HIGHER, MORE] = [1.12, 1.5 * EM];
const ROUNDS = 60;
/** How much a gate wants to be level with its head, an edge with itself, the only edge of a node, and others. */
const [TO_HEAD, PASSES, ONLY, OTHER] = [30, 6, 3, 1.5];
/** What is off by less becomes level where there is room. */
const NEARLY = 0.8 * EM;

interface Link {
  readonly from: number;
  readonly to: number;
  /** How much lower the middle of the second item is than that of the first where they are level. */
  readonly drop: number;
  readonly weight: number;
  /** Those with the least become level first. */
  readonly rank: number;
}

/** One item above another, and the least distance of their middles. */
interface Apart {
  readonly above: number;
  readonly below: number;
  readonly least: number;
}

export function heightsOf({ items, level }: Columns, columns: readonly (readonly number[])[], extents: Extents, air: number): Heights {
  const all = columns.flat();
  const present = new Set(all);
  const links = all.flatMap((from) => items[from]!.outs.filter((to) => present.has(to)).map((to) => linkOf(from, to)));

  function linkOf(from: number, to: number): Link {
    const [a, b] = [items[from]!, items[to]!];
    const drop = extents.out(from, to) - extents.into(to, from);
    const edge = a.kind === "node" ? b.of : a.of;
    const weight = b.kind === "node" ? TO_HEAD : a.kind !== "node" ? PASSES : a.outs.length === 1 ? ONLY : OTHER;
    const rank = level.has(edge) ? 0 : b.kind === "node" ? 2 : a.kind !== "node" ? 1 : 3;
    return { from, to, drop, weight, rank };
  }

  const aparts = columns.flatMap((column) =>
    column.slice(1).map((below, k): Apart => {
      const above = column[k]!;
      return { above, below, least: extents.down(above) + extents.up(below) + gap(above, below) };
    }),
  );

  function gap(above: number, below: number): number {
    const [a, b] = [items[above]!, items[below]!];
    const kinds = new Set([a.kind, b.kind]);
    if (kinds.has("slot")) return kinds.size === 1 ? LINES : PASSING + air / 2;
    if (!kinds.has("gate")) return NODES + air;
    if (kinds.size > 1) return GATE + air / 2;
    return a.ins.some((u) => b.ins.includes(u)) || a.outs.some((u) => b.outs.includes(u)) ? GATES + air / 2 : EQUATION + air / 2;
  }

  const blocks = new Blocks(all, aparts, extents);
  const least = blocks.height();
  const most = Math.max(HIGHER * least, least + MORE);
  for (const link of [...links].filter(({ rank }) => rank < 3).sort((one, other) => one.rank - other.rank)) blocks.join(link, most);
  return blocks.settle(links);
}

class Blocks {
  /** The block of each item, named by one of its items, and how far below that item it is. */
  readonly #block = new Map<number, number>();
  readonly #within = new Map<number, number>();
  readonly #members = new Map<number, number[]>();

  constructor(
    readonly items: readonly number[],
    readonly aparts: readonly Apart[],
    readonly extents: Extents,
  ) {
    for (const v of items) {
      this.#block.set(v, v);
      this.#within.set(v, 0);
      this.#members.set(v, [v]);
    }
  }

  /** The height with every block as high as it can be; infinite where they cannot stand at all. */
  height(): number {
    const top = this.#compact(1);
    return top ? this.#extent(top) : Infinity;
  }

  /** Make the ends of a link level, unless that is impossible or makes everything higher than ``most``. */
  join({ from, to, drop }: Link, most: number): void {
    const [one, other] = [this.#block.get(from)!, this.#block.get(to)!];
    if (one === other) return;
    const shift = this.#within.get(from)! + drop - this.#within.get(to)!;
    const moved = this.#members.get(other)!;
    const before = this.#members.get(one)!;
    this.#put(moved, one, shift);
    this.#members.set(one, [...before, ...moved]);
    this.#members.delete(other);
    if (this.height() <= most) return;
    this.#put(moved, other, -shift);
    this.#members.set(one, before);
    this.#members.set(other, moved);
  }

  #put(members: readonly number[], block: number, shift: number): void {
    for (const v of members) {
      this.#block.set(v, block);
      this.#within.set(v, this.#within.get(v)! + shift);
    }
  }

  /** The places of the blocks, as near to the top (1) or to the bottom (-1) as they can be; null where there are none. */
  #compact(side: 1 | -1): Map<number, number> | null {
    const at = new Map<number, number>();
    for (const [block, members] of this.#members)
      at.set(block, side * Math.max(...members.map((v) => (side > 0 ? this.extents.up(v) : this.extents.down(v)) - side * this.#within.get(v)!)));
    for (let pass = 0; pass <= this.#members.size + 1; pass++) {
      let isStill = true;
      for (const { above, below, least } of this.aparts) {
        const [a, b] = [this.#block.get(above)!, this.#block.get(below)!];
        const apart = least + this.#within.get(above)! - this.#within.get(below)!;
        if (a === b) {
          if (apart > 1e-6) return null;
          continue;
        }
        if (at.get(b)! - at.get(a)! >= apart - 1e-9) continue;
        if (side > 0) at.set(b, at.get(a)! + apart);
        else at.set(a, at.get(b)! - apart);
        isStill = false;
      }
      if (isStill) return at;
    }
    return null;
  }

  #extent(at: ReadonlyMap<number, number>): number {
    const y = (v: number): number => at.get(this.#block.get(v)!)! + this.#within.get(v)!;
    const bottom = Math.max(0, ...this.items.map((v) => y(v) + this.extents.down(v)));
    return bottom - Math.min(bottom, ...this.items.map((v) => y(v) - this.extents.up(v)));
  }

  /** Move the blocks between their highest and their lowest places to where their links want them. */
  settle(links: readonly Link[]): Heights {
    const [top, bottom] = [this.#compact(1)!, this.#compact(-1)!];
    const height = Math.max(this.#extent(top), this.#extent(bottom));
    const at = new Map([...top].map(([block, y]) => [block, (y + bottom.get(block)! + height) / 2]));
    const pulls = new Map([...this.#members.keys()].map((block) => [block, [] as { other: number; drop: number; weight: number }[]]));
    for (const { from, to, drop, weight } of links) {
      const [a, b] = [this.#block.get(from)!, this.#block.get(to)!];
      if (a === b) continue;
      const offset = this.#within.get(from)! + drop - this.#within.get(to)!;
      pulls.get(b)!.push({ other: a, drop: offset, weight });
      pulls.get(a)!.push({ other: b, drop: -offset, weight });
    }
    const limits = this.#limits(height);
    for (let round = 0; round < ROUNDS; round++) {
      const blocks = [...pulls];
      for (const [block, near] of round % 2 ? blocks.reverse() : blocks) {
        if (!near.length) continue;
        const total = near.reduce((sum, { weight }) => sum + weight, 0);
        const wish = near.reduce((sum, { other, drop, weight }) => sum + weight * (at.get(other)! + drop), 0) / total;
        at.set(block, between(wish, ...limits(block, at)));
      }
    }
    for (const [block, near] of pulls)
      for (const { other, drop } of near) {
        const wish = at.get(other)! + drop;
        const [low, high] = limits(block, at);
        if (Math.abs(wish - at.get(block)!) < NEARLY && wish >= low && wish <= high) at.set(block, wish);
      }
    const y = new Map(this.items.map((v) => [v, at.get(this.#block.get(v)!)! + this.#within.get(v)!]));
    const highest = Math.min(0, ...this.items.map((v) => y.get(v)! - this.extents.up(v)));
    return { y: new Map([...y].map(([v, place]) => [v, place - highest])), height };
  }

  /** Between which heights a block may move where the others stand. */
  #limits(height: number): (block: number, at: ReadonlyMap<number, number>) => [low: number, high: number] {
    const over = new Map<number, { block: number; apart: number }[]>();
    const under = new Map<number, { block: number; apart: number }[]>();
    for (const { above, below, least } of this.aparts) {
      const [a, b] = [this.#block.get(above)!, this.#block.get(below)!];
      if (a === b) continue;
      const apart = least + this.#within.get(above)! - this.#within.get(below)!;
      over.set(b, [...(over.get(b) ?? []), { block: a, apart }]);
      under.set(a, [...(under.get(a) ?? []), { block: b, apart }]);
    }
    const ends = new Map([...this.#members].map(([block, members]) => {
      const top = Math.max(...members.map((v) => this.extents.up(v) - this.#within.get(v)!));
      const bottom = Math.min(...members.map((v) => height - this.extents.down(v) - this.#within.get(v)!));
      return [block, [top, bottom] as const];
    }));
    return (block, at) => {
      const [top, bottom] = ends.get(block)!;
      const low = Math.max(top, ...(over.get(block) ?? []).map(({ block: other, apart }) => at.get(other)! + apart));
      const high = Math.min(bottom, ...(under.get(block) ?? []).map(({ block: other, apart }) => at.get(other)! - apart));
      return [low, Math.max(low, high)];
    };
  }
}

const between = (wish: number, low: number, high: number): number => Math.min(Math.max(wish, low), high);
