// How high everything stands in some columns. Items that want to be level with each other form blocks; blocks move to the
// heights of what they are linked to, as far as their neighbors in the columns leave room.

import type { Columns } from "./ordering.js";
import { EM } from "./lengths.js";

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
/** Pixels: blocks that move less have found their places. */
const STILL = 0.1;
/** How much a gate wants to be level with its head, an edge with itself, the only edge of a node, and others. */
const [TO_HEAD, PASSES, ONLY, OTHER] = [30, 6, 3, 1.5];
/** What is off by less becomes level where there is room. */
const NEARLY = 0.8 * EM;

interface Link {
  readonly from: number;
  readonly to: number;
  readonly edge: number;
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
    return { from, to, edge, drop, weight, rank };
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
  for (const rank of [0, 1, 2]) {
    const edges = new Map<number, Link[]>();
    for (const link of links) if (link.rank === rank) edges.set(link.edge, [...(edges.get(link.edge) ?? []), link]);
    for (const alike of edges.values()) if (!blocks.join(alike, most)) for (const link of alike) blocks.join([link], most);
  }
  return blocks.settle(links);
}

/** Items by their places in a list, so that everything about them stands in arrays. */
class Blocks {
  readonly #count: number;
  /** The block of each item, named by one of its items, and how far below that item it is. */
  #block: number[];
  #within: number[];
  readonly #up: readonly number[];
  readonly #down: readonly number[];
  readonly #index: ReadonlyMap<number, number>;
  readonly #aparts: readonly Apart[];
  /** The places of the blocks as near to the top as they can be. */
  #top: number[];

  constructor(
    readonly items: readonly number[],
    aparts: readonly Apart[],
    extents: Extents,
  ) {
    this.#count = items.length;
    const index = (this.#index = new Map(items.map((v, k) => [v, k])));
    this.#aparts = aparts.map(({ above, below, least }) => ({ above: index.get(above)!, below: index.get(below)!, least }));
    this.#block = items.map((_, k) => k);
    this.#within = items.map(() => 0);
    this.#up = items.map((v) => extents.up(v));
    this.#down = items.map((v) => extents.down(v));
    this.#top = compact(this.#aparts, this.#block, this.#within, 1, this.#free(1))!;
  }

  /** The height with every block as high as it can be. */
  height(): number {
    return this.#extent(this.#top);
  }

  /** Make the ends of links level; false, and nothing, where that is impossible or makes everything higher than ``most``. */
  join(links: readonly Link[], most: number): boolean {
    const [block, within, top] = [[...this.#block], [...this.#within], [...this.#top]];
    for (const { from, to, drop } of links) {
      const [a, b] = [this.#index.get(from)!, this.#index.get(to)!];
      const [one, other] = [block[a]!, block[b]!];
      if (one === other) continue;
      const shift = within[a]! + drop - within[b]!;
      for (let v = 0; v < this.#count; v++) if (block[v] === other) (block[v] = one), (within[v]! += shift);
      // The highest places sink when more is level: they are sought from where they were.
      top[one] = Math.max(top[one]!, top[other]! - shift);
    }
    const found = compact(this.#aparts, block, within, 1, top, most);
    if (!found || this.#extent(found, block, within) > most) return false;
    [this.#block, this.#within, this.#top] = [block, within, found];
    return true;
  }

  /** The places of the blocks if none is above the top, or below the bottom at 0, and nothing else counts. */
  #free(side: 1 | -1): number[] {
    const at = Array<number>(this.#count).fill(-side * Infinity);
    this.#block.forEach((block, v) => {
      if (side > 0) at[block] = Math.max(at[block]!, this.#up[v]! - this.#within[v]!);
      else at[block] = Math.min(at[block]!, -this.#down[v]! - this.#within[v]!);
    });
    return at;
  }

  #extent(at: readonly number[], block = this.#block, within = this.#within): number {
    let [top, bottom] = [Infinity, 0];
    for (let v = 0; v < this.#count; v++) {
      const y = at[block[v]!]! + within[v]!;
      bottom = Math.max(bottom, y + this.#down[v]!);
      top = Math.min(top, y - this.#up[v]!);
    }
    return Math.max(0, bottom - top);
  }

  /** Move the blocks between their highest and their lowest places to where their links want them. */
  settle(links: readonly Link[]): Heights {
    const [top, bottom] = [this.#top, compact(this.#aparts, this.#block, this.#within, -1, this.#free(-1))!];
    const height = Math.max(this.#extent(top), this.#extent(bottom));
    const at = top.map((y, block) => (y + bottom[block]! + height) / 2);
    const pulls = this.items.map((): { other: number; drop: number; weight: number }[] => []);
    for (const { from, to, drop, weight } of links) {
      const [u, v] = [this.#index.get(from)!, this.#index.get(to)!];
      const [a, b] = [this.#block[u]!, this.#block[v]!];
      if (a === b) continue;
      const offset = this.#within[u]! + drop - this.#within[v]!;
      pulls[b]!.push({ other: a, drop: offset, weight });
      pulls[a]!.push({ other: b, drop: -offset, weight });
    }
    const limits = this.#limits(height);
    const pulled = [...pulls.keys()].filter((block) => pulls[block]!.length);
    for (let round = 0, moved = 1; round < ROUNDS && moved > STILL; round++) {
      moved = 0;
      for (const block of pulled) {
        let [sum, total] = [0, 0];
        for (const { other, drop, weight } of pulls[block]!) (sum += weight * (at[other]! + drop)), (total += weight);
        const [low, high] = limits(block, at);
        const wish = Math.min(Math.max(sum / total, low), high);
        moved = Math.max(moved, Math.abs(wish - at[block]!));
        at[block] = wish;
      }
      pulled.reverse();
    }
    for (const block of pulled)
      for (const { other, drop } of pulls[block]!) {
        const wish = at[other]! + drop;
        const [low, high] = limits(block, at);
        if (Math.abs(wish - at[block]!) < NEARLY && wish >= low && wish <= high) at[block] = wish;
      }
    const y = this.items.map((_, v) => at[this.#block[v]!]! + this.#within[v]!);
    const highest = Math.min(0, ...y.map((each, v) => each - this.#up[v]!));
    return { y: new Map(this.items.map((item, v) => [item, y[v]! - highest])), height };
  }

  /** Between which heights a block may move where the others stand. */
  #limits(height: number): (block: number, at: readonly number[]) => [low: number, high: number] {
    const [over, under] = [0, 1].map(() => this.items.map((): { block: number; apart: number }[] => [])) as [
      { block: number; apart: number }[][],
      { block: number; apart: number }[][],
    ];
    for (const { above, below, least } of this.#aparts) {
      const [a, b] = [this.#block[above]!, this.#block[below]!];
      if (a === b) continue;
      const apart = least + this.#within[above]! - this.#within[below]!;
      over[b]!.push({ block: a, apart });
      under[a]!.push({ block: b, apart });
    }
    const [tops, bottoms] = [this.items.map(() => -Infinity), this.items.map(() => Infinity)];
    this.#block.forEach((block, v) => {
      tops[block] = Math.max(tops[block]!, this.#up[v]! - this.#within[v]!);
      bottoms[block] = Math.min(bottoms[block]!, height - this.#down[v]! - this.#within[v]!);
    });
    return (block, at) => {
      let [low, high] = [tops[block]!, bottoms[block]!];
      for (const { block: other, apart } of over[block]!) low = Math.max(low, at[other]! + apart);
      for (const { block: other, apart } of under[block]!) high = Math.min(high, at[other]! - apart);
      return [low, Math.max(low, high)];
    };
  }
}

/** The places next to these that are as near to the top (1) or to the bottom (-1) as they can be; null where there are none. */
function compact(aparts: readonly Apart[], block: readonly number[], within: readonly number[], side: 1 | -1, at: number[], most = Infinity): number[] | null {
  for (let pass = 0; pass <= block.length + 1; pass++) {
    let isStill = true;
    for (const { above, below, least } of aparts) {
      const [a, b] = [block[above]!, block[below]!];
      const apart = least + within[above]! - within[below]!;
      if (a === b) {
        if (apart > 1e-6) return null;
      } else if (at[b]! - at[a]! < apart - 1e-9) {
        if (side > 0) at[b] = at[a]! + apart;
        else at[a] = at[b]! - apart;
        if (at[b]! + within[below]! > most) return null;
        isStill = false;
      }
    }
    if (isStill) return at;
  }
  return null;
}
