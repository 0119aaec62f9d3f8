// A row of columns with places: all columns of a small sweep, or some of those of a larger one.

import type { Columns, Item } from "./ordering.js";
import type { Sizes } from "./forms.js";
import { EM } from "./lengths.js";
import { heightsOf } from "./heights.js";

/** Between a node and a gate; between a gate and the node it leads to; and at least in front of what passes a gap. */
const [TO_GATE, FROM_GATE, THROUGH] = [1.25 * EM, 0.95 * EM, 1.5 * EM];
/** Above and below the gate of a satellite. */
const UPRIGHT = 0.95 * EM;
/** Room for a bend: at least so much, and more for each pixel that it rises or falls, up to a limit. */
const [BEND, SLANT, STEEPEST] = [0.6 * EM, 0.3, 7 * EM];
/** Between ports where edges leave, and where they enter; what is left of a side beyond the outermost. */
const [LEAVING, ENTERING, WIDEST] = [2.2 * EM, 2 * EM, 3.5 * EM];
const [LEFT_OUT, LEFT_IN] = [0.5 * EM, 0.4 * EM];
/** Where edges carry nothing, all leave a node at one place; the room of one that enters. */
const PORT = 0.5;
/** Between a gate in play and the next node. */
const OPENED = 0.3 * EM;
/** The height of a parked number, for a satellite of a node where several contributions wait. */
const PARKED = 1.6 * EM;

export interface Size {
  readonly w: number;
  readonly h: number;
}

/** The sizes of all items, and where links leave and enter nodes: what rows need of a graph in a form. */
export class Plan {
  readonly #nodes: readonly Size[];
  readonly #ports = new Map<string, number>();

  constructor(
    readonly graph: Columns,
    readonly sizes: Sizes,
    readonly ends: readonly (readonly [tail: number, head: number])[],
  ) {
    this.#nodes = sizes.nodes.map(({ w, h }, v) => {
      const item = graph.items[graph.itemOf.get(v) ?? -1];
      const [out, into] = sizes.tight ? [0, PORT] : [2, 1.3];
      return { w, h: item ? Math.max(h, 0.5 * EM + out * EM * item.outs.length, 0.4 * EM + into * EM * item.ins.length) : h };
    });
    const place = new Map(graph.columns.flatMap((column) => column.map((v, k) => [v, k] as const)));
    graph.items.forEach((item, v) => {
      if (item.kind !== "node") return;
      this.#spread(v, [...item.outs], place, "out");
      this.#spread(v, [...item.ins], place, "in");
    });
  }

  /** Spread the ports of a side about its middle, or one of two about that of the link that is to be level. */
  #spread(v: number, others: number[], place: ReadonlyMap<number, number>, side: "in" | "out"): void {
    const { items, level } = this.graph;
    others.sort((one, other) => place.get(one)! - place.get(other)!);
    const half = this.size(v).h / 2 - (side === "in" ? LEFT_IN : LEFT_OUT);
    const straight = others.findIndex((u) => level.has(items[u]!.of));
    const middle = straight < 0 || others.length > 2 ? (others.length - 1) / 2 : straight;
    const high = Math.max(0, ...others.map((u) => (items[u]!.kind === "gate" ? this.high(items[u]!.of) : 0)));
    const wanted = side === "out" ? LEAVING : Math.min(WIDEST, Math.max(ENTERING, high + 0.6 * EM));
    const pitch = side === "out" && this.sizes.tight ? 0 : Math.min(wanted, half / Math.max(1, middle, others.length - 1 - middle));
    others.forEach((u, k) => this.#ports.set(side === "out" ? `${v}>${u}` : `${u}>${v}`, (k - middle) * pitch));
  }

  /** How far from its middle a node is left on the way from one item to another, or entered. */
  port(from: number, to: number, of: number): number {
    return this.graph.items[of]!.kind === "node" ? this.#ports.get(`${from}>${to}`)! : 0;
  }

  size(v: number): Size {
    const { kind, of } = this.graph.items[v]!;
    return kind === "node" ? this.#nodes[of]! : kind === "gate" ? this.sizes.gates[of]! : { w: 0, h: 0 };
  }

  /** The height of a gate while its edge is in play. */
  high(edge: number): number {
    const { h, whole } = this.sizes.gates[edge]!;
    return whole?.[1] ?? h;
  }

  /** The size of a node; it is at least as high as its edges need. */
  node(v: number): Size {
    return this.#nodes[v]!;
  }

  satellites(v: number): readonly number[] {
    const { kind, of } = this.graph.items[v]!;
    return kind === "node" ? this.graph.satellites.get(of) ?? [] : [];
  }

  /** The width of a gate while its edge is in play. */
  wide(edge: number): number {
    const { w, whole } = this.sizes.gates[edge]!;
    return Math.max(w, whole?.[0] ?? 0);
  }

  /** The width of an item with its satellites. */
  width(v: number): number {
    return Math.max(this.size(v).w, ...this.satellites(v).flatMap((k) => [this.wide(k), this.#nodes[this.ends[k]![0]]!.w]));
  }

  /** How far from the border of its node the gate of a satellite begins, and the satellite itself. */
  upright(k: number): { gate: number; node: number } {
    const gate = UPRIGHT + (this.sizes.rooms[this.ends[k]![1]]![0] ? PARKED : 0);
    return { gate, node: gate + this.high(k) + UPRIGHT };
  }

  /** How far an item reaches with its satellites on a side. */
  reach(v: number, side: -1 | 1): number {
    const above = this.satellites(v).filter((_, i) => this.side(v, i) === side);
    const { kind, of } = this.graph.items[v]!;
    const half = (kind === "gate" ? this.high(of) : this.size(v).h) / 2;
    return half + above.reduce((sum, k) => sum + this.upright(k).node + this.#nodes[this.ends[k]![0]]!.h, 0);
  }

  /** Whether a satellite stands above its node (-1) or below it. */
  side(v: number, i: number): -1 | 1 {
    const column = this.graph.columns[this.graph.items[v]!.column]!;
    const isLowest = column.length > 1 && column.at(-1) === v;
    return (i === 0) === isLowest ? 1 : -1;
  }
}

export class Row {
  readonly y: ReadonlyMap<number, number>;
  readonly height: number;
  readonly x = new Map<number, number>();
  /** The left and the right side of each column, by its number. */
  readonly sides = new Map<number, readonly [left: number, right: number]>();
  width = 0;
  /** The gaps between columns of nodes: so many can grow. */
  readonly gaps: number;
  readonly columns: readonly (readonly number[])[];

  constructor(
    readonly plan: Plan,
    readonly first: number,
    readonly last: number,
    air = 0,
  ) {
    const { graph } = plan;
    this.columns = graph.columns.slice(first, last + 1);
    this.gaps = [...this.columns.keys()].filter((k) => (first + k) % 2).length;
    const { y, height } = heightsOf(
      graph,
      this.columns,
      {
        up: (v) => plan.reach(v, -1),
        down: (v) => plan.reach(v, 1),
        out: (v, next) => plan.port(v, next, v),
        into: (v, before) => plan.port(before, v, v),
      },
      air,
    );
    this.y = y;
    this.height = height;
    this.spread(0);
  }

  holds(v: number): boolean {
    return this.y.has(v);
  }

  /** Give each item its x; every lead is longer by so many pixels than it must be. */
  spread(air: number): void {
    let at = 0;
    this.columns.forEach((column, k) => {
      const number = this.first + k;
      let middle: number;
      const left = at;
      if (number % 2) {
        const { before, gates, after } = this.#gap(number, column);
        middle = at + before + air + gates / 2;
        at = middle + gates / 2 + after + air;
      } else {
        const wide = Math.max(0, ...column.map((v) => this.plan.width(v)));
        middle = at + wide / 2;
        at += wide;
      }
      this.sides.set(number, [left, at]);
      for (const v of column) this.x.set(v, middle);
    });
    this.width = at;
  }

  /** The leads of a gap, and the width of its gates. */
  #gap(number: number, column: readonly number[]): { before: number; gates: number; after: number } {
    const { plan } = this;
    const { items } = plan.graph;
    const gates = Math.max(0, ...column.map((v) => plan.size(v).w));
    let [before, after, through] = [number === this.first ? EM : 0, 0, 0];
    for (const v of column) {
      const { kind, ins: [from], outs: [to] } = items[v]! as Item & { ins: [number]; outs: [number] };
      const [start, end] = [this.leaves(from, v), this.enters(v, to)];
      const [own, other] = [this.#room(from, 1), this.#room(to, 0)];
      const rise = (a: number | null, b: number | null): number => (a === null || b === null ? 0 : Math.abs(a - b));
      // A narrow node leaves room in its column, but not for a bend beside wider ones.
      const slack = (u: number, risen: number): number => (risen < 1 || plan.graph.columns[items[u]!.column]!.length === 1 ? (this.#wide(u) - plan.size(u).w) / 2 : 0);
      if (kind === "gate") {
        const aside = (gates - plan.size(v).w) / 2;
        const opened = (plan.wide(items[v]!.of) - plan.size(v).w) / 2 + OPENED;
        if (start !== null) before = Math.max(before, Math.max(lead(TO_GATE, rise(start, this.y.get(v)!)), own, opened) - aside - slack(from, rise(start, this.y.get(v)!)));
        if (end !== null) after = Math.max(after, Math.max(lead(FROM_GATE, rise(end, this.y.get(v)!)), other, opened) - aside - slack(to, rise(end, this.y.get(v)!)));
      } else through = Math.max(through, lead(THROUGH, rise(start ?? this.y.get(v)!, end)), own, other);
    }
    const missing = Math.max(0, through - before - gates - after);
    const { tight = 1 } = plan.sizes;
    return { before: tight * (before + missing / 2), gates, after: tight * (after + missing / 2) };
  }

  /** The width of the column of an item. */
  #wide(v: number): number {
    return Math.max(...this.plan.graph.columns[this.plan.graph.items[v]!.column]!.map((u) => this.plan.width(u)));
  }

  #room(v: number, side: 0 | 1): number {
    const { kind, of } = this.plan.graph.items[v]!;
    return kind === "node" ? this.plan.sizes.rooms[of]![side] : 0;
  }

  /** The height at which a link leaves an item, if that stands in this row. */
  leaves(v: number, to: number): number | null {
    return this.holds(v) ? this.y.get(v)! + this.plan.port(v, to, v) : null;
  }

  /** The height at which a link enters an item, if that stands in this row. */
  enters(from: number, v: number): number | null {
    return this.holds(v) ? this.y.get(v)! + this.plan.port(from, v, v) : null;
  }
}

const lead = (least: number, rise: number): number => Math.max(least, rise < 1 ? 0 : BEND + SLANT * Math.min(rise, STEEPEST));
