// Place an elimination: vertices in even columns by their longest paths, labels in odd ones. What there is at the start, or
// when there is most, is placed first, and everything else where it costs least. So nothing moves while steps are played.
// Nothing of that depends on the window (fitting.ts).

import { Board, type Box, type Life, type Line } from "./board.js";
import { heightsOf } from "./heights.js";
import { columnsIn } from "./ordering.js";

interface Part extends Life {
  readonly key: string;
  readonly w: number;
  readonly up: number;
  readonly down: number;
}

export interface VertexPart extends Part {
  readonly role: "input" | "intermediate" | "output";
}

/** A label, with the keys of the vertices at its ends. */
export interface LabelPart extends Part {
  readonly tail: string;
  readonly head: string;
}

export interface Parts {
  readonly vertices: readonly VertexPart[];
  readonly labels: readonly LabelPart[];
  /** By the key of what comes out of something else the key of that. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The widths of the columns, and everything in its column at some height. */
export interface Plan {
  readonly widths: readonly number[];
  readonly boxes: readonly Box[];
}

/** How often things are moved to better heights, and again once some labels are in other columns. */
const [PASSES, AGAIN] = [4, 2];
/** How much higher a picture is made in which copies come in between what there is. */
const AIRIER = 1.6;
/** What it costs a new label to have another one between itself and the nearer border, and a pixel from its kin. */
const [INSIDE, APART] = [25, 0.5];

/** Where parts stand; what there is first is where it is in another plan. */
export const planned = (parts: Parts, known: Plan | null = null): Plan => new Placing(parts).plan(known);

class Placing {
  readonly #layer: ReadonlyMap<string, number>;
  readonly #widths: readonly number[];
  readonly #board: Board;
  readonly #boxes = new Map<string, Box>();
  /** Intermediates and labels: inputs and outputs have fixed heights. */
  readonly #free: Box[] = [];
  /** The cursor at which everything is there that is placed first. */
  readonly #base: number;

  constructor(readonly parts: Parts) {
    const { vertices, labels, sources } = parts;
    this.#base = sources.size ? fullest([...vertices, ...labels]) : 0;
    this.#layer = layersOf(parts);
    const columns = Array.from({ length: 2 * Math.max(0, ...this.#layer.values()) + 1 }, (): number[] => [0]);
    for (const { key, w } of vertices) columns[2 * this.#layer.get(key)!]!.push(w);
    for (const label of labels) for (const column of this.#columnsOf(label)) columns[column]!.push(label.w);
    this.#widths = columns.map((each) => Math.max(...each));
    this.#board = new Board(this.#widths);
  }

  plan(known: Plan | null): Plan {
    const { vertices, labels, sources } = this.parts;
    const isFirst = ({ from, until }: Life): boolean => from <= this.#base && this.#base < until;
    this.#placeFirst(vertices.filter(isFirst), labels.filter(isFirst), known);
    const later = [...vertices, ...labels].filter((part) => !isFirst(part));
    const distance = ({ from, until }: Life): number => (from > this.#base ? from - this.#base : this.#base - until + 1);
    later.sort((one, other) => distance(one) - distance(other));
    if (sources.size) for (const box of this.#board.boxes) box.y *= AIRIER;
    for (const part of later) this.#insert(part);
    if (!known) {
      this.#spreadEnds();
      this.#improve(labels);
    }
    return { widths: this.#widths, boxes: this.#board.boxes };
  }

  /** The columns in which a label may stand, those in the middle between its ends first. */
  #columnsOf({ tail, head }: LabelPart): number[] {
    const [from, to] = [2 * this.#layer.get(tail)!, 2 * this.#layer.get(head)!];
    const far = (column: number): number => Math.abs(2 * column - from - to);
    return Array.from({ length: (to - from) / 2 }, (_, k) => from + 1 + 2 * k).sort((one, other) => far(one) - far(other));
  }

  #box(part: Part, column: number, y: number): Box {
    const box = { ...part, column, y };
    this.#boxes.set(part.key, box);
    if (isFree(part)) this.#free.push(box);
    return box;
  }

  #lines({ key, tail, head, from, until }: LabelPart): Line[] {
    const [one, label, other] = [tail, key, head].map((each) => this.#boxes.get(each)!) as [Box, Box, Box];
    return [{ tail: one, head: label, from, until }, { tail: label, head: other, from, until }];
  }

  /** Place what there is first as sweeps are placed, and then where curves cross less. */
  #placeFirst(vertices: readonly VertexPart[], labels: readonly LabelPart[], known: Plan | null): void {
    const inOrder = [...vertices].sort((one, other) => this.#layer.get(one.key)! - this.#layer.get(other.key)!);
    const number = new Map(inOrder.map(({ key }, v) => [key, v]));
    const load = this.#widths.map(() => 0);
    const earlier = new Map(known?.boxes.map((box) => [box.key, box]));
    const edges = labels.map((label, k) => {
      const gate = earlier.get(label.key)?.column ?? this.#columnsOf(label).reduce((best, each) => (load[each]! < load[best]! - 1 ? each : best));
      load[gate]!++;
      return { ends: [number.get(label.tail)!, number.get(label.head)!] as const, k, gate };
    });
    const columns = columnsIn(inOrder.map(({ key }) => this.#layer.get(key)!), edges, [0, this.#widths.length - 1]);
    const partOf = (item: number): Part | null => {
      const { kind, of } = columns.items[item]!;
      return kind === "node" ? inOrder[of]! : kind === "gate" ? labels[of]! : null;
    };
    const extents = { up: (item: number) => partOf(item)?.up ?? 0, down: (item: number) => partOf(item)?.down ?? 0, out: () => 0, into: () => 0 };
    const { y } = heightsOf(columns, columns.columns, extents, 0);
    columns.items.forEach(({ column }, item) => {
      const part = partOf(item);
      if (part) this.#box(part, column, earlier.get(part.key)?.y ?? y.get(item)!);
    });
    this.#board.add([...this.#boxes.values()], labels.flatMap((label) => this.#lines(label)));
    if (known) return this.#board.bound(known.boxes);
    this.#spreadEnds();
    this.#improve(labels);
  }

  /** Have inputs, and outputs, as far apart as the picture is high. */
  #spreadEnds(): void {
    const { top, bottom } = this.#board;
    for (const role of ["input", "output"]) {
      const ends = this.parts.vertices.filter((vertex) => vertex.role === role);
      ends.forEach(({ key }, k) => (this.#boxes.get(key)!.y = top + ((bottom - top) * (k + 0.5)) / ends.length));
    }
  }

  /** Have curves cross less, and pass fewer boxes; some labels may move to other columns. */
  #improve(labels: readonly LabelPart[]): void {
    this.#board.descend(this.#free, PASSES);
    for (const label of labels) {
      const [box, columns] = [this.#boxes.get(label.key)!, this.#columnsOf(label)];
      if (columns.length > 1 && this.#board.isFaulty(box)) this.#board.settle(box, columns, () => 0);
    }
    this.#board.descend(this.#free, AGAIN);
  }

  /** Add something where it costs least, near to what it comes out of or becomes: a label in any of its columns. */
  #insert(part: VertexPart | LabelPart): void {
    const isLabel = "tail" in part;
    const kin = this.#meanOf(this.#kinOf(part.key));
    const beside = this.#meanOf(isLabel ? [part.tail, part.head] : this.#neighborsOf(part.key));
    const wish = (isLabel ? (kin ?? beside) : (beside ?? kin)) ?? 0;
    const columns = isLabel ? this.#columnsOf(part) : [2 * this.#layer.get(part.key)!];
    const box = this.#box(part, columns[0]!, wish);
    this.#board.add([box], isLabel ? this.#lines(part) : []);
    this.#board.settle(box, columns, (y, inside) => (isLabel && kin === null ? INSIDE * inside : APART * Math.abs(y - wish)));
  }

  /** What a thing comes out of, and what comes out of it. */
  #kinOf(key: string): string[] {
    return [...this.parts.sources].flatMap(([copy, of]) => (of === key ? copy : copy === key ? of : []));
  }

  /** The vertices at the other ends of the labels of one. */
  #neighborsOf(key: string): string[] {
    return this.parts.labels.flatMap(({ tail, head }) => (tail === key ? head : head === key ? tail : []));
  }

  /** The mean height of those of some things that have one. */
  #meanOf(keys: readonly string[]): number | null {
    const heights = keys.flatMap((key) => this.#boxes.get(key)?.y ?? []);
    return heights.length ? heights.reduce((sum, y) => sum + y, 0) / heights.length : null;
  }
}

const isFree = (part: Part): boolean => !["input", "output"].includes((part as Partial<VertexPart>).role ?? "");

/** The cursor at which most is there, the first of several. */
function fullest(lives: readonly Life[]): number {
  const count = (cursor: number): number => lives.filter(({ from, until }) => from <= cursor && cursor < until).length;
  return lives.map(({ from }) => from).sort((one, other) => count(other) - count(one) || one - other)[0] ?? 0;
}

/** The layer of each vertex: the labels on its longest path from the inputs; outputs are last. */
function layersOf({ vertices, labels }: Parts): Map<string, number> {
  const layer = new Map(vertices.map(({ key, role }) => [key, Number(role !== "input")]));
  for (let isStill = false, round = 0; !isStill && round < vertices.length; round++) {
    isStill = true;
    for (const { tail, head } of labels)
      if (layer.get(head)! <= layer.get(tail)!) {
        layer.set(head, layer.get(tail)! + 1);
        isStill = false;
      }
  }
  const inner = vertices.flatMap(({ key, role }) => (role === "intermediate" ? layer.get(key)! + 1 : layer.get(key)!));
  for (const { key, role } of vertices) if (role === "output") layer.set(key, Math.max(...inner));
  return layer;
}
