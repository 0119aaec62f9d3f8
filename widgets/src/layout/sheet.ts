// The rows of a sweep one below the other, and the curves between all places. An edge to a later row goes around the end of
// its row, back below it, and down beside the rows between.

import type { Chain } from "../motion/curves.js";
import { EM } from "./lengths.js";
import { type Stop, goingAround, smooth, straight } from "./bends.js";
import { type Plan, Row } from "./row.js";

/** Beyond the end of a row, of the innermost edge that goes around; between such edges; between rows. */
const [TURN, APART, BETWEEN] = [0.9 * EM, 1.5 * EM, 2.6 * EM];
/** What a curve keeps free of boxes that are not its own, on either side. */
const FREE = 0.35 * EM;
const SAMPLES = 8;
/** What the four points of a curve count at places along it. */
const SHARES = Array.from({ length: SAMPLES }, (_, k) => (k + 1) / SAMPLES).map((t) => [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3] as const);

export type Place = readonly [x: number, y: number];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** An edge that goes around: its last item in its row, the first in a later one, and both rows. */
interface Return {
  readonly edge: number;
  readonly last: number;
  readonly first: number;
  readonly row: number;
  readonly later: number;
}

interface Route {
  readonly gate: Place;
  readonly before: number[];
  readonly after: number[];
}

export class Sheet {
  readonly rows: readonly Row[];
  readonly returns: readonly Return[];
  readonly width: number;
  readonly height: number;
  readonly #tops: number[] = [];
  readonly #left: number;
  readonly #lanes = new Map<number, number>();

  /** Rows that begin with these layers; ``air`` is added to the gaps between boxes above each other. */
  constructor(
    readonly plan: Plan,
    readonly begins: readonly number[],
    air = 0,
  ) {
    const last = plan.graph.columns.length - 1;
    this.rows = begins.map((begin, k) => new Row(plan, k ? 2 * begin - 1 : 0, k + 1 < begins.length ? 2 * begins[k + 1]! - 2 : last, air));
    this.returns = [...plan.graph.chains].flatMap(([edge, chain]) => {
      const [row, later] = [this.#rowOf(chain[0]!), this.#rowOf(chain.at(-1)!)];
      if (row === later) return [];
      const inside = chain.filter((v) => this.rows[row]!.holds(v));
      return [{ edge, last: inside.at(-1)!, first: chain.find((v) => this.rows[later]!.holds(v))!, row, later }];
    });
    let at = 0;
    this.rows.forEach((row, k) => {
      this.#tops.push(at);
      const around = this.#around(k).length;
      at += row.height + (k + 1 < this.rows.length ? BETWEEN + APART * Math.max(0, around - 1) : 0);
    });
    this.height = at;
    this.#placeLanes();
    const lanes = Math.max(-1, ...this.#lanes.values());
    this.#left = lanes < 0 ? 0 : TURN + APART * lanes;
    const right = (k: number): number => (this.#around(k).length ? TURN + APART * (this.#around(k).length - 1) : 0);
    this.width = this.#left + Math.max(0, ...this.rows.map((row, k) => row.width + right(k)));
  }

  /** Make every lead longer, so that the picture is so much wider at most. */
  widen(pixels: number, most: number): Sheet {
    if (this.rows.length > 1) return this;
    const [row] = this.rows as [Row];
    if (row.gaps) row.spread(Math.min(most, pixels / (2 * row.gaps)));
    return Object.assign(this, { width: row.width });
  }

  #rowOf(v: number): number {
    return this.rows.findIndex((row) => row.holds(v));
  }

  /** The edges that go around the end of a row, the innermost first. */
  #around(k: number): Return[] {
    const height = ({ edge, last }: Return): number => this.#at(last, edge, 1).y;
    return this.returns.filter(({ row }) => row === k).sort((one, other) => height(other) - height(one));
  }

  /** How far to the left each edge goes that goes around: longer ones lie outside. */
  #placeLanes(): void {
    const lanes: [number, number][][] = [];
    const spans = this.returns.map((line) => [this.#back(line), this.#tops[line.later]! + this.rows[line.later]!.y.get(line.first)!, line.edge] as const);
    for (const [start, end, edge] of [...spans].sort((one, other) => one[1] - one[0] - (other[1] - other[0]))) {
      const isFree = (lane: readonly [number, number][]): boolean => lane.every(([a, b]) => end < a || b < start);
      const found = lanes.findIndex(isFree);
      const lane = found < 0 ? lanes.push([]) - 1 : found;
      for (let k = 0; k <= lane; k++) lanes[k]!.push([start, end]);
      this.#lanes.set(edge, lane);
    }
  }

  /** The height at which an edge goes back. */
  #back(line: Return): number {
    const inner = this.#around(line.row).findIndex(({ edge }) => edge === line.edge);
    return this.#tops[line.row]! + this.rows[line.row]!.height + BETWEEN / 2 + APART * inner;
  }

  center(v: number): Place {
    const k = this.#rowOf(v);
    return [(this.#left ?? 0) + this.rows[k]!.x.get(v)!, this.#tops[k]! + this.rows[k]!.y.get(v)!];
  }

  /** Where an edge leaves an item (1) or enters it (-1). */
  #at(v: number, edge: number, side: 1 | -1): Stop {
    const chain = this.plan.graph.chains.get(edge)!;
    const i = chain.indexOf(v);
    const [x, y] = this.#tops.length ? this.center(v) : [0, this.rows[this.#rowOf(v)]!.y.get(v)!];
    const port = side > 0 ? this.plan.port(v, chain[i + 1]!, v) : this.plan.port(chain[i - 1]!, v, v);
    return { x: x + (side * this.plan.size(v).w) / 2, y: y + port };
  }

  /** The left and the right side of the column of an item. */
  #sides(v: number): readonly [number, number] {
    const [left, right] = this.rows[this.#rowOf(v)]!.sides.get(this.plan.graph.items[v]!.column)!;
    return [this.#left + left, this.#left + right];
  }

  /** The boxes of all nodes, gates and satellites, with what each belongs to. */
  boxes(): { nodes: Map<number, Box>; gates: Map<number, Box> } {
    const { graph, sizes, ends } = this.plan;
    const [nodes, gates] = [new Map<number, Box>(), new Map<number, Box>()];
    graph.items.forEach(({ kind, of }, v) => {
      if (kind === "slot") return;
      const [x, y] = this.center(v);
      (kind === "node" ? nodes : gates).set(of, { x, y, ...this.plan.size(v) });
      this.plan.satellites(v).forEach((k, i) => {
        const [side, start] = [this.plan.side(v, i), this.plan.size(v).h / 2];
        const [upright, gate, node] = [this.plan.upright(k), sizes.gates[k]!, this.plan.node(ends[k]![0])];
        gates.set(k, { x, y: y + side * (start + upright.gate + this.plan.high(k) / 2), w: gate.w, h: gate.h });
        nodes.set(ends[k]![0], { x, y: y + side * (start + upright.node + node.h / 2), ...node });
      });
    });
    return { nodes, gates };
  }

  /** The gate of each edge, and its curves before and after that. */
  routes(): Map<number, Route> {
    const { nodes, gates } = this.boxes();
    const result = new Map<number, Route>();
    for (const [edge, chain] of this.plan.graph.chains) {
      const own = new Set([nodes.get(this.plan.graph.items[chain[0]!]!.of), nodes.get(this.plan.graph.items[chain.at(-1)!]!.of), gates.get(edge)]);
      const others = [...nodes.values(), ...gates.values()].filter((box) => !own.has(box));
      const direct = this.#route(edge, chain, false);
      result.set(edge, covers(direct, others) ? this.#route(edge, chain, true) : direct);
    }
    for (const k of [...this.plan.graph.satellites.values()].flat()) {
      const [tail, head] = this.plan.ends[k]!.map((v) => nodes.get(v)!) as [Box, Box];
      const gate = gates.get(k)!;
      const side = Math.sign(tail.y - head.y);
      const [start, end] = [{ x: tail.x, y: tail.y - (side * tail.h) / 2 }, { x: head.x, y: head.y + (side * head.h) / 2 }];
      result.set(k, { gate: [gate.x, gate.y], before: straight(start, gate), after: straight(gate, end) });
    }
    return result;
  }

  /** The way through the items of an edge; if it is ``flat``, level as far as the boxes of each column reach. */
  #route(edge: number, chain: readonly number[], flat: boolean): Route {
    const line = this.returns.find((each) => each.edge === edge);
    const seen = chain.filter((v) => this.#rowOf(v) >= 0 && (!line || [line.row, line.later].includes(this.#rowOf(v))));
    let run: Stop[] = [];
    let path: number[] = [];
    let cut = 0;
    let gate: Place = [0, 0];
    const finish = (): void => {
      path = path.length ? [...path, ...smooth(run)] : [run[0]!.x, run[0]!.y, ...smooth(run)];
    };
    for (const v of seen) {
      if (line && v === line.first) {
        const end = this.#sides(line.last)[1] + this.#beyond(line);
        const last = { x: end, y: run.at(-1)!.y };
        if (last.x > run.at(-1)!.x) run.push(last);
        finish();
        const begin = { x: this.#left, y: this.center(v)[1] };
        const inner = this.#around(line.row).findIndex((each) => each.edge === edge);
        path.push(...goingAround(last, begin, TURN + APART * inner, TURN + APART * this.#lanes.get(edge)!, this.#back(line)));
        run = [begin];
      }
      const { kind } = this.plan.graph.items[v]!;
      const [x, y] = this.center(v);
      const [left, right] = this.#sides(v);
      if (kind === "node") {
        const isTail = v === chain[0];
        const port = this.#at(v, edge, isTail ? 1 : -1);
        const side = { x: isTail ? right : left, y: port.y };
        const stops = flat && Math.abs(side.x - port.x) > 1 ? [port, side] : [port];
        run.push(...(isTail ? stops : stops.reverse()));
      } else if (kind === "gate") {
        const half = this.plan.size(v).w / 2;
        const isBetween = this.plan.graph.items[v]!.column % 2 === 1;
        const [from, to] = isBetween ? [x - half, x + half] : [left, right];
        gate = [x, y];
        run.push({ x: from, y }, { x, y });
        finish();
        cut = path.length;
        run = [{ x, y }, { x: to, y }];
      } else if (this.plan.graph.items[v]!.column % 2 === 0) run.push({ x: left, y }, { x: right, y });
      else if (flat) run.push({ x, y });
    }
    finish();
    return { gate, before: path.slice(0, cut), after: path.slice(cut - 2) };
  }

  /** How far the end of its row lies beyond the column of an edge's last item. */
  #beyond({ row, last }: Return): number {
    return this.rows[row]!.width + this.#left - this.#sides(last)[1];
  }

  /** How much longer the edges are than straight lines between their ends. */
  stretch(): number {
    let [long, least] = [0, 0];
    for (const [edge, chain] of this.plan.graph.chains) {
      const { before, after } = this.#route(edge, chain, false);
      const points = [...sampled(before), ...sampled(after)];
      const [first, last] = [points[0]!, points.at(-1)!];
      least += Math.hypot(last[0] - first[0], last[1] - first[1]);
      long += points.slice(1).reduce((sum, [x, y], k) => sum + Math.hypot(x - points[k]![0], y - points[k]![1]), 0);
    }
    return least ? long / least : 1;
  }
}

/** Places on a chain of curves: so many on each. */
function sampled(path: Chain): Place[] {
  const result: Place[] = [[path[0]!, path[1]!]];
  for (let i = 0; i + 8 <= path.length; i += 6)
    for (const [p, q, r, s] of SHARES)
      result.push([
        p * path[i]! + q * path[i + 2]! + r * path[i + 4]! + s * path[i + 6]!,
        p * path[i + 1]! + q * path[i + 3]! + r * path[i + 5]! + s * path[i + 7]!,
      ]);
  return result;
}

const covers = ({ before, after }: Route, boxes: readonly Box[]): boolean =>
  [before, after].some((path) =>
    sampled(path).some(([x, y]) => boxes.some((box) => Math.abs(x - box.x) < box.w / 2 + FREE && Math.abs(y - box.y) < box.h / 2 + FREE)),
  );
