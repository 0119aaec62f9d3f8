// Elimination on a c-graph and on its line graph, one elementary move at a time, with what it did: the same edits and
// costs as Python's, which goldens of both test suites pin. Pure: no DOM.

import type { EliminationMove } from "../host.js";
import { additions, entry, multiplications, plus, product } from "../scene/labels.js";
import type { Edit, Label, Own, Product } from "../scene/scene.js";
import { alike } from "../scene/values.js";

/** What one elementary move did; keys are without a run. */
export interface Elementary {
  readonly kind: "fill_in" | "absorb" | "merge" | "remove";
  readonly edits: readonly Edit[];
  readonly focus: readonly string[];
  readonly cost: { readonly multiplications: number; readonly additions: number };
  readonly product: Product | null;
  /** The labels of the product, head and tail. */
  readonly factors: readonly [head: Label, tail: Label] | null;
  /** The label that takes up a product or a twin, before and after. */
  readonly change: readonly [before: Label | null, after: Label] | null;
  readonly merge: { readonly from: string; readonly into: string } | null;
}

/** "1.3" of 1 and 3; twins end in their number. */
const edgeKey = (i: string, j: string): string => `edge/${i}.${j}`;
const nodeKey = (e: string): string => `node/${e}`;
const faceKey = (e: string, f: string): string => `face/${e}/${f}`;

/** The ends of an edge or of a node of the line graph. */
export const endsOf = (thing: string): [tail: string, head: string] =>
  thing.split(".", 2) as [tail: string, head: string];

/** Whether a node of the line graph carries a factor: it is neither a source nor a sink edge. */
export const isInterior = (thing: string): boolean => !thing.startsWith("s.") && !thing.endsWith(".t");

export class Elimination {
  /** What is there, by keys without a run: vertices and edges, nodes and faces, entries of the Jacobian. */
  readonly stage = new Map<string, unknown>();
  readonly #inputs: ReadonlySet<string>;
  readonly #outputs: ReadonlySet<string>;
  readonly #vertices: readonly string[];
  #edits: Edit[] = [];

  constructor(readonly own: Own) {
    this.#inputs = new Set(own.inputs.map(String));
    this.#outputs = new Set(own.outputs.map(String));
    this.#vertices = own.sizes.map((_, j) => String(j));
    for (const j of this.#vertices) this.#put(`vertex/${j}`, true);
    for (const [i, j, label] of own.edges) this.#put(edgeKey(String(i), String(j)), label);
    const line = [...this.#edges.map(nodeKey), ...own.inputs.map((x) => `node/s.${x}`), ...own.outputs.map((y) => `node/${y}.t`)];
    for (const key of line) this.#put(key, this.stage.get(key.replace("node", "edge")) ?? 1);
    for (const e of this.nodes) for (const f of this.nodes) if (endsOf(e)[1] === endsOf(f)[0]) this.#put(faceKey(e, f), true);
    this.#fillCells();
  }

  // ---- asking ----

  /** The intermediates that are there, in topological order. */
  get intermediates(): string[] {
    return this.#vertices.filter((j) => this.stage.has(`vertex/${j}`) && this.isIntermediate(j));
  }

  isIntermediate(j: string): boolean {
    return !this.#inputs.has(j) && !this.#outputs.has(j);
  }

  isInput(j: string): boolean {
    return this.#inputs.has(j);
  }

  predecessors(j: string): string[] {
    return this.#vertices.filter((i) => this.stage.has(edgeKey(i, j)));
  }

  successors(j: string): string[] {
    return this.#vertices.filter((k) => this.stage.has(edgeKey(j, k)));
  }

  get #edges(): string[] {
    return this.#named("edge/");
  }

  #named(sort: string): string[] {
    return [...this.stage.keys()].filter((key) => key.startsWith(sort)).map((key) => key.slice(sort.length));
  }

  /** The nodes of the line graph, by head and then by tail in topological order, twins one after the other. */
  get nodes(): string[] {
    const rank = (end = "1"): number => (end === "s" ? -1 : end === "t" ? Infinity : Number(end));
    return this.#named("node/")
      .map((name) => ({ name, ends: name.split(".") }))
      .sort(({ ends: a }, { ends: b }) => compare(rank(a[1]), rank(b[1])) || compare(rank(a[0]), rank(b[0])) || compare(rank(a[2]), rank(b[2])))
      .map(({ name }) => name);
  }

  before(e: string): string[] {
    return this.nodes.filter((d) => this.stage.has(faceKey(d, e)));
  }

  behind(e: string): string[] {
    return this.nodes.filter((f) => this.stage.has(faceKey(e, f)));
  }

  /** The faces that can be eliminated. */
  get faces(): [tail: string, head: string][] {
    const interior = this.nodes.filter(isInterior);
    return interior.flatMap((f) => interior.filter((e) => this.stage.has(faceKey(e, f))).map((e): [string, string] => [e, f]));
  }

  get isFinished(): boolean {
    return !this.intermediates.length && !this.faces.length;
  }

  // ---- moves ----

  /** Make a move that is possible. */
  make(move: EliminationMove): Elementary[] {
    if (move[0] === "vertex") return this.#eliminateVertex(move[1]);
    if (move[0] === "face") return this.#eliminateFace(move[1], move[2]);
    return this.#eliminateEdge(move[0], ...endsOf(move[1]));
  }

  #eliminateVertex(j: string): Elementary[] {
    const products = this.successors(j).flatMap((k) => this.predecessors(j).map((i) => this.#multiply(i, j, k)));
    return [...products, this.#removeVertex(j)];
  }

  #eliminateEdge(side: "front" | "back", i: string, j: string): Elementary[] {
    const products =
      side === "front"
        ? this.successors(j).map((k) => this.#multiply(i, j, k))
        : this.predecessors(i).map((h) => this.#multiply(h, i, j));
    const removed = this.#step("remove", [edgeKey(i, j)], () => this.#removeEdge(i, j));
    const [left, vertex] = side === "front" ? [this.predecessors(j), j] : [this.successors(i), i];
    return [...products, removed, ...(left.length ? [] : [this.#removeVertex(vertex)])];
  }

  /** c_ki gains c_kj c_ji. */
  #multiply(i: string, j: string, k: string): Elementary {
    const keys = [edgeKey(j, k), edgeKey(i, j)] as [head: string, tail: string];
    return this.#product(keys, edgeKey(i, k), (total, isFresh) => {
      this.#put(edgeKey(i, k), total);
      const [tail, head, made] = [`${i}.${j}`, `${j}.${k}`, `${i}.${k}`];
      if (isFresh) this.#addNode(made, total, this.before(tail), this.behind(head));
      else this.#put(nodeKey(made), total);
      this.#put(faceKey(tail, head), null);
    });
  }

  /** A product of two labels under a key: made anew, or added to what is there. */
  #product(factors: [head: string, tail: string], result: string, set: (total: Label, isFresh: boolean) => void): Elementary {
    const [head, tail] = factors.map((key) => this.#label(key)!) as [Label, Label];
    const present = this.#label(result);
    const gain = product(head, tail);
    const total = present === null ? gain : plus(present, gain);
    const [, columns] = this.#sizes(factors[1]);
    const cost = {
      multiplications: multiplications(this.own.count, head, tail, [...this.#sizes(factors[0]), columns]),
      additions: present === null ? 0 : additions(this.own.count, present, gain, this.#sizes(result)),
    };
    const fresh = present === null;
    const step = this.#step(fresh ? "fill_in" : "absorb", [result, ...factors], () => set(total, fresh), cost);
    return { ...step, product: { factors, result, fresh }, factors: [head, tail], change: [present, total] };
  }

  #removeVertex(j: string): Elementary {
    return this.#step("remove", [`vertex/${j}`], () => {
      for (const i of this.predecessors(j)) this.#removeEdge(i, j);
      for (const k of this.successors(j)) this.#removeEdge(j, k);
      this.#put(`vertex/${j}`, null);
    });
  }

  #removeEdge(i: string, j: string): void {
    this.#put(edgeKey(i, j), null);
    this.#removeNode(`${i}.${j}`);
  }

  // ---- faces ----

  #eliminateFace(e: string, f: string): Elementary[] {
    const [before, behind] = [this.before(e), this.behind(f)];
    const made = this.#twin(before, behind) ?? this.#freshName(endsOf(e)[0], endsOf(f)[1]);
    const put = (total: Label, isFresh: boolean): void =>
      isFresh ? this.#addNode(made, total, before, behind) : this.#put(nodeKey(made), total);
    return [
      this.#product([nodeKey(f), nodeKey(e)], nodeKey(made), put),
      this.#step("remove", [faceKey(e, f)], () => this.#put(faceKey(e, f), null)),
      ...this.#tidy([e, f]),
    ];
  }

  /** Remove what lost its last predecessor or successor, with what that touches, and merge twins. */
  #tidy(waiting: string[]): Elementary[] {
    const steps: Elementary[] = [];
    for (let e = waiting.shift(); e !== undefined; e = waiting.shift()) {
      if (!this.stage.has(nodeKey(e)) || !isInterior(e)) continue;
      const [node, before, behind] = [e, this.before(e), this.behind(e)];
      if (!before.length || !behind.length) {
        waiting.push(...before, ...behind);
        steps.push(this.#step("remove", [nodeKey(e)], () => this.#removeNode(node)));
      } else {
        const twin = this.#twin(before, behind, e);
        if (twin) steps.push(this.#mergeTwins(twin, e));
      }
    }
    return steps;
  }

  /** The first node with these predecessors and successors. */
  #twin(before: readonly string[], behind: readonly string[], other?: string): string | undefined {
    return this.nodes.find(
      (node) => node !== other && isInterior(node) && same(this.before(node), before) && same(this.behind(node), behind),
    );
  }

  #mergeTwins(from: string, into: string): Elementary {
    const [one, two] = [this.#label(nodeKey(into))!, this.#label(nodeKey(from))!];
    const total = plus(one, two);
    const cost = { multiplications: 0, additions: additions(this.own.count, one, two, this.#sizes(nodeKey(into))) };
    const merge = { from: nodeKey(from), into: nodeKey(into) };
    const act = (): void => {
      this.#put(merge.into, total);
      this.#removeNode(from);
    };
    return { ...this.#step("merge", [merge.into, merge.from], act, cost), merge, change: [one, total] };
  }

  #freshName(i: string, k: string): string {
    const name = (twin: number): string => (twin > 1 ? `${i}.${k}.${twin}` : `${i}.${k}`);
    let twin = 1;
    while (this.stage.has(nodeKey(name(twin)))) twin++;
    return name(twin);
  }

  #addNode(e: string, label: Label, into: readonly string[], out: readonly string[]): void {
    this.#put(nodeKey(e), label);
    for (const d of into) this.#put(faceKey(d, e), true);
    for (const f of out) this.#put(faceKey(e, f), true);
  }

  #removeNode(e: string): void {
    for (const d of this.before(e)) this.#put(faceKey(d, e), null);
    for (const f of this.behind(e)) this.#put(faceKey(e, f), null);
    this.#put(nodeKey(e), null);
  }

  // ---- edits ----

  /** Rows and columns of a label: the sizes of the head and of the tail of an edge, or of a node of the line graph. */
  #sizes(key: string): [rows: number, columns: number] {
    const [tail, head] = endsOf(key.slice(key.indexOf("/") + 1));
    return [this.own.sizes[Number(head)]!, this.own.sizes[Number(tail)]!];
  }

  #label(key: string): Label | null {
    return (this.stage.get(key) as Label | undefined) ?? null;
  }

  #put(key: string, after: unknown): void {
    const before = this.stage.get(key) ?? null;
    if (alike(before, after)) return;
    this.#edits.push([key, before, after]);
    if (after === null) this.stage.delete(key);
    else this.stage.set(key, after);
  }

  #step(
    kind: Elementary["kind"],
    focus: readonly string[],
    act: () => void,
    cost = { multiplications: 0, additions: 0 },
  ): Elementary {
    this.#edits = [];
    act();
    if (this.own.technique === "face") this.#sumTwins();
    this.#fillCells();
    return { kind, edits: this.#edits, focus, cost, product: null, factors: null, change: null, merge: null };
  }

  /** Bring the c-graph to what is left of it on the line graph: an edge is the sum of its twins. */
  #sumTwins(): void {
    const sums = new Map<string, Label>();
    for (const node of this.nodes.filter(isInterior)) {
      const key = edgeKey(...endsOf(node));
      const label = this.#label(nodeKey(node))!;
      sums.set(key, sums.has(key) ? plus(sums.get(key)!, label) : label);
    }
    for (const key of this.#edges.map((edge) => `edge/${edge}`)) if (!sums.has(key)) this.#put(key, null);
    for (const [key, label] of sums) this.#put(key, label);
    for (const j of this.intermediates)
      if (!this.predecessors(j).length && !this.successors(j).length) this.#put(`vertex/${j}`, null);
  }

  /** Entries of the Jacobian: those of labels from inputs to outputs. */
  #fillCells(): void {
    const { inputs, outputs, rows, columns } = this.own;
    outputs.forEach((y, k) =>
      inputs.forEach((x, l) => {
        const label = this.#label(edgeKey(String(x), String(y)));
        if (label === null) return;
        for (let i = 0; i < rows[k]!; i++)
          for (let j = 0; j < columns[l]!; j++)
            this.#put(`cell/${before(rows, k) + i}/${before(columns, l) + j}`, rows[k]! * columns[l]! > 1 ? entry(label, i, j) : label);
      }),
    );
  }
}

/** The sum of the first numbers. */
const before = (numbers: readonly number[], count: number): number => numbers.slice(0, count).reduce((one, other) => one + other, 0);
const compare = (one: number, other: number): number => (one < other ? -1 : one > other ? 1 : 0);
const same = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();
