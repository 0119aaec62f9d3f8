// The columns of a sweep, which depend on its graph alone: nodes in even ones, gates in those between them, and in all the
// places where longer edges pass. An edge that passes a column of nodes has its gate there, where it costs no width.

/** An edge: the numbers of its operand and of the node computed from it. */
export type Ends = readonly [tail: number, head: number];

export interface Item {
  readonly kind: "node" | "gate" | "slot";
  /** The number of the node, or of the edge. */
  readonly of: number;
  readonly column: number;
  /** The items before and after it on edges. */
  readonly ins: number[];
  readonly outs: number[];
}

export interface Columns {
  readonly items: readonly Item[];
  /** The items of each column, from top to bottom. */
  readonly columns: readonly (readonly number[])[];
  /** The item of each node; of a satellite none. */
  readonly itemOf: ReadonlyMap<number, number>;
  /** The items of each edge, from operand to result; of that of a satellite none. */
  readonly chains: ReadonlyMap<number, readonly number[]>;
  /** The edges of inputs that stand above or below the node that uses them, by that node. */
  readonly satellites: ReadonlyMap<number, readonly number[]>;
  /** Edges that want to be level. */
  readonly level: ReadonlySet<number>;
  readonly crossings: number;
}

const STARTS = 12;
const ROUNDS = 8;

/** The edges of each node: those that enter it, and those that leave it. */
export function incidence(count: number, edges: readonly Ends[]): { ins: number[][]; outs: number[][] } {
  const [ins, outs] = [0, 1].map(() => Array.from({ length: count }, (): number[] => [])) as [number[][], number[][]];
  edges.forEach(([tail, head], k) => (ins[head]!.push(k), outs[tail]!.push(k)));
  return { ins, outs };
}

/** So many nodes may begin with one that has all its inputs above and below it. */
const MANY = 9;

/**
 * The ways to let inputs stand beside the only node that uses them: none, those beside other operands, also those of a
 * node that has no other operands, but for the first one, and of many nodes that one, too.
 */
export function satelliteWays(count: number, edges: readonly Ends[]): number[][] {
  const { ins, outs } = incidence(count, edges);
  const isAlone = (k: number): boolean => !ins[edges[k]![0]]!.length && outs[edges[k]![0]]!.length === 1;
  const [beside, all, every]: [number[], number[], number[]] = [[], [], []];
  for (const entering of ins) {
    const alone = entering.filter(isAlone);
    if (alone.length < entering.length) beside.push(...alone.slice(0, 2));
    all.push(...alone.slice(Number(alone.length === entering.length)).slice(0, 2));
    every.push(...alone.slice(0, 2));
  }
  return [[], beside, all, ...(count >= MANY ? [every] : [])].filter((way, k, ways) => !ways.slice(0, k).some((other) => other.length === way.length));
}

/** Columns of a graph whose edges come from nodes of smaller numbers; some of them lead from satellites. */
export function columnsOf(count: number, edges: readonly Ends[], apart: readonly number[]): Columns {
  const isApart = new Set(apart);
  const satellites = new Map<number, number[]>();
  for (const k of apart) satellites.set(edges[k]![1], [...(satellites.get(edges[k]![1]) ?? []), k]);
  const beside = new Set(apart.map((k) => edges[k]![0]));
  const within = edges.map((ends, k) => ({ ends, k })).filter(({ k }) => !isApart.has(k));
  const layer = layers(count, within.map(({ ends }) => ends), beside);
  const gate = ([tail, head]: Ends): number => 2 * layer[head]! - (layer[head]! - layer[tail]! > 1 ? 2 : 1);
  return { ...columnsIn(layer.map((each, v) => (beside.has(v) ? null : each)), within.map((each) => ({ ...each, gate: gate(each.ends) }))), satellites };
}

/** An edge with its number, and the column of its gate. */
export interface Gated {
  readonly ends: Ends;
  readonly k: number;
  readonly gate: number;
}

/** Columns of nodes in given layers, null: in none, and of edges; some columns keep their order. */
export function columnsIn(layer: readonly (number | null)[], edges: readonly Gated[], kept: readonly number[] = []): Columns {
  const items: Item[] = [];
  const add = (kind: Item["kind"], of: number, column: number): number => items.push({ kind, of, column, ins: [], outs: [] }) - 1;
  const itemOf = new Map<number, number>();
  layer.forEach((each, v) => each !== null && itemOf.set(v, add("node", v, 2 * each)));
  const chains = new Map<number, number[]>();
  for (const { ends: [tail, head], k, gate } of edges) {
    const chain = [itemOf.get(tail)!];
    for (let column = 2 * layer[tail]! + 1; column < 2 * layer[head]!; column++) chain.push(add(column === gate ? "gate" : "slot", k, column));
    chain.push(itemOf.get(head)!);
    chain.slice(1).forEach((v, i) => (items[chain[i]!]!.outs.push(v), items[v]!.ins.push(chain[i]!)));
    chains.set(k, chain);
  }
  return { items, itemOf, chains, satellites: new Map(), level: levels(layer.length, edges), ...ordered(items, kept) };
}

/** The same columns cut into rows that begin with these layers: no gate stands in a row that its edge only passes. */
export function inRows(graph: Columns, begins: readonly number[]): Columns {
  const rowOf = (v: number): number => begins.filter((begin) => graph.items[v]!.column >= 2 * begin - 1).length;
  const items = [...graph.items];
  for (const chain of graph.chains.values()) {
    const [first, last] = [rowOf(chain[0]!), rowOf(chain.at(-1)!)];
    const gate = chain.find((v) => items[v]!.kind === "gate")!;
    if (rowOf(gate) === first || rowOf(gate) === last) continue;
    const slot = chain.find((v) => rowOf(v) === last)!;
    [items[gate], items[slot]] = [{ ...items[gate]!, kind: "slot" }, { ...items[slot]!, kind: "gate" }];
  }
  return { ...graph, items };
}

/** The layer of each node: its longest path from the inputs; inputs, and what is computed from inputs that nothing before needs, just before their use. */
function layers(count: number, edges: readonly Ends[], beside: ReadonlySet<number>): number[] {
  const { ins, outs } = incidence(count, edges);
  const layer = Array<number>(count).fill(0);
  for (let v = 0; v < count; v++) for (const k of ins[v]!) layer[v] = Math.max(layer[v]!, layer[edges[k]![0]]! + 1);
  for (let v = count - 1; v >= 0; v--) {
    if (!outs[v]!.length) continue;
    const last = Math.min(...outs[v]!.map((k) => layer[edges[k]![1]]!)) - 1;
    const isFree = (input: number): boolean => !ins[input]!.length && outs[input]!.every((k) => edges[k]![1] === v || layer[edges[k]![1]]! >= last);
    if (ins[v]!.every((k) => isFree(edges[k]![0]))) layer[v] = last;
  }
  const used = [...new Set(layer.filter((_, v) => !beside.has(v)))].sort((one, other) => one - other);
  return layer.map((each) => used.indexOf(each));
}

/** The edges that want to be level: from the deepest operand of their heads to the highest user of their tails. */
function levels(count: number, within: readonly { readonly ends: Ends; readonly k: number }[]): Set<number> {
  const edges = within.map(({ ends }) => ends);
  const { ins, outs } = incidence(count, edges);
  const [depth, height] = [Array<number>(count).fill(0), Array<number>(count).fill(0)];
  for (let v = 0; v < count; v++) for (const k of ins[v]!) depth[v] = Math.max(depth[v]!, depth[edges[k]![0]]! + 1);
  for (let v = count - 1; v >= 0; v--) for (const k of outs[v]!) height[v] = Math.max(height[v]!, height[edges[k]![1]]! + 1);
  const isMost = (own: number, all: readonly number[], of: (k: number) => number): boolean => all.every((k) => k === own || of(k) < of(own));
  return new Set(
    within.flatMap(({ ends: [tail, head], k }, i) =>
      isMost(i, ins[head]!, (j) => depth[edges[j]![0]]!) && isMost(i, outs[tail]!, (j) => height[edges[j]![1]]!) ? [k] : [],
    ),
  );
}

// ---- the order in the columns ----

type Order = number[][];

/** The order of the items in their columns with the fewest crossings of all that are tried; the first is that of the source. */
function ordered(items: readonly Item[], kept: readonly number[]): { columns: Order; crossings: number } {
  const last = Math.max(-1, ...items.map(({ column }) => column));
  const given = Array.from({ length: last + 1 }, (_, column) => [...items.keys()].filter((v) => items[v]!.column === column));
  let best: { columns: Order; crossings: number } = { columns: given, crossings: Infinity };
  for (let start = 0; start < STARTS && best.crossings; start++) {
    const columns = given.map((column, k) => (start && !kept.includes(k) ? shuffled(column, start) : [...column]));
    const free = columns.filter((_, k) => !kept.includes(k));
    for (let round = 0; round < ROUNDS; round++) {
      const forth = round % 2 === 0;
      const place = placesIn(columns, items);
      for (const column of forth ? free : [...free].reverse()) sortByNeighbors(column, place, items, forth ? "ins" : "outs");
      for (const column of free) exchange(column, place, items);
      const crossings = crossingsOf(columns, place, items);
      if (crossings < best.crossings) best = { columns: columns.map((column) => [...column]), crossings };
      if (!crossings) break;
    }
  }
  return best.crossings === Infinity ? { columns: given, crossings: 0 } : best;
}

/** The same order for the same start, in every run: a generator of its own. */
function shuffled(column: readonly number[], start: number): number[] {
  const result = [...column];
  let state = start * 7919;
  for (let k = result.length - 1; k > 0; k--) {
    state = (state * 48271 + 11) % 2147483647;
    const other = state % (k + 1);
    [result[k], result[other]] = [result[other]!, result[k]!];
  }
  return result;
}

const placesIn = (columns: Order, items: readonly Item[]): number[] => {
  const place = Array<number>(items.length).fill(0);
  for (const column of columns) column.forEach((v, k) => (place[v] = k));
  return place;
};

function sortByNeighbors(column: number[], place: number[], items: readonly Item[], side: "ins" | "outs"): void {
  const center = new Map(
    column.map((v) => {
      const near = items[v]![side];
      return [v, near.length ? near.reduce((sum, u) => sum + place[u]!, 0) / near.length : place[v]!];
    }),
  );
  column.sort((one, other) => center.get(one)! - center.get(other)!);
  column.forEach((v, k) => (place[v] = k));
}

/** Exchange neighbors in a column as long as that takes away crossings. */
function exchange(column: number[], place: number[], items: readonly Item[]): void {
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (let k = 0; k + 1 < column.length; k++) {
      const [a, b] = [items[column[k]!]!, items[column[k + 1]!]!];
      const count = (upper: Item, lower: Item): number =>
        pairsOutOfOrder(upper.ins, lower.ins, place) + pairsOutOfOrder(upper.outs, lower.outs, place);
      if (count(b, a) >= count(a, b)) continue;
      [column[k], column[k + 1]] = [column[k + 1]!, column[k]!];
      [place[column[k]!], place[column[k + 1]!]] = [k, k + 1];
      isBetter = true;
    }
  }
}

const pairsOutOfOrder = (upper: readonly number[], lower: readonly number[], place: readonly number[]): number =>
  upper.reduce((sum, u) => sum + lower.filter((v) => place[v]! < place[u]!).length, 0);

function crossingsOf(columns: Order, place: readonly number[], items: readonly Item[]): number {
  return columns.reduce(
    (sum, column) => sum + column.reduce((all, v, k) => all + column.slice(k + 1).reduce((more, u) => more + pairsOutOfOrder(items[v]!.outs, items[u]!.outs, place), 0), 0),
    0,
  );
}
