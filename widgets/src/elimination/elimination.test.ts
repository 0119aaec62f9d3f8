import { expect, test } from "vitest";
import { whyIllegal } from "./elimination-words.js";
import { type Elementary, Elimination, endsOf, isInterior } from "./elimination.js";
import { timelineOf } from "./own-order.js";
import type { EliminationMove } from "../host.js";
import { apply, unapply } from "../playback/stage.js";
import { plus, product } from "../scene/labels.js";
import type { Label, Own, Show } from "../scene/scene.js";
import { LION, NAUMANN, movesOf, numbers, ownOf, randomEdges } from "../testing/elimination-shows.js";

/** The sum over all paths of the products of their labels, which is the Jacobian. */
function bauer({ edges }: Own, x: number, y: number): Label | null {
  if (x === y) return 1;
  return edges
    .filter(([tail]) => tail === x)
    .map(([, head, label]) => [bauer({ edges } as Own, head, y), label] as const)
    .filter(([rest]) => rest !== null)
    .map(([rest, label]) => product(rest!, label))
    .reduce<Label | null>((sum, term) => (sum === null ? term : plus(sum, term)), null);
}

/** Make moves by chance until none is left; all that was done. */
function finish(graph: Elimination, draw: () => number): Elementary[] {
  const steps: Elementary[] = [];
  for (let moves = movesOf(graph); moves.length; moves = movesOf(graph))
    steps.push(...graph.make(moves[Math.floor(moves.length * draw())]!));
  return steps;
}

const CASES = Array.from({ length: 40 }, (_, seed) => seed + 1).flatMap((seed) =>
  (["vertex", "edge", "face"] as const).map((technique) => [technique, seed] as const),
);

test.each(CASES)("by %s, in an order drawn with the seed %i, the labels become the Jacobian", (technique, seed) => {
  const generator = numbers(seed);
  const draw = (): number => generator.next().value as number;
  const own = ownOf(randomEdges(draw), technique);
  const graph = new Elimination(own);
  finish(graph, draw);
  expect(graph.isFinished).toBe(true);
  own.outputs.forEach((y, row) =>
    own.inputs.forEach((x, column) => {
      const entry = bauer(own, x, y);
      expect(graph.stage.get(`edge/${x}.${y}`) ?? null).toEqual(entry);
      expect(graph.stage.get(`cell/${row}/${column}`) ?? null).toEqual(entry);
    }),
  );
});

test.each(CASES)("by %s, with the seed %i, what was done can be taken back and done again", (technique, seed) => {
  const generator = numbers(seed);
  const draw = (): number => generator.next().value as number;
  const own = ownOf(randomEdges(draw), technique);
  const graph = new Elimination(own);
  const start = new Map(graph.stage);
  const steps = finish(graph, draw);
  const stage = new Map(start);
  for (const { edits } of steps) apply(stage, edits);
  expect(stage).toEqual(graph.stage);
  for (const { edits } of [...steps].reverse()) unapply(stage, edits);
  expect(stage).toEqual(start);
});

/** What the line graph of the c-graph on stage would be. */
function lineGraph(graph: Elimination): { nodes: string[]; faces: string[] } {
  const edges = [...graph.stage.keys()].filter((key) => key.startsWith("edge/")).map((key) => key.slice(5));
  const { inputs, outputs } = graph.own;
  const nodes = [...edges, ...inputs.map((x) => `s.${x}`), ...outputs.map((y) => `${y}.t`)];
  const follows = (e: string, f: string): boolean => endsOf(e)[1] === endsOf(f)[0];
  return { nodes: nodes.sort(), faces: nodes.flatMap((e) => nodes.filter((f) => follows(e, f)).map((f) => `face/${e}/${f}`)).sort() };
}

test.each(CASES.filter(([technique]) => technique !== "face"))(
  "by %s, with the seed %i, each move leaves the line graph of what it leaves of the c-graph",
  (technique, seed) => {
    const generator = numbers(seed);
    const draw = (): number => generator.next().value as number;
    const graph = new Elimination(ownOf(randomEdges(draw), technique));
    for (let moves = movesOf(graph); moves.length; moves = movesOf(graph)) {
      graph.make(moves[Math.floor(moves.length * draw())]!);
      const faces = [...graph.stage.keys()].filter((key) => key.startsWith("face/")).sort();
      expect({ nodes: [...graph.nodes].sort(), faces }).toEqual(lineGraph(graph));
      for (const e of graph.nodes.filter(isInterior))
        expect(graph.stage.get(`node/${e}`)).toEqual(graph.stage.get(`edge/${e}`));
    }
  },
);

const cost = (own: Own, moves: readonly EliminationMove[]): number => {
  const graph = new Elimination(own);
  return moves.flatMap((move) => graph.make(move)).reduce((sum, step) => sum + step.cost.multiplications, 0);
};

const vertices = (...order: number[]): EliminationMove[] => order.map((j) => ["vertex", String(j)]);

test("the orders of Naumann's figure 1 take from 7 to 14 multiplications", () => {
  const own = ownOf(NAUMANN, "vertex");
  expect(cost(own, vertices(3, 2, 4))).toBe(7);
  const orders = [[2, 3, 4], [2, 4, 3], [3, 2, 4], [3, 4, 2], [4, 2, 3], [4, 3, 2]];
  const costs = orders.map((order) => cost(own, vertices(...order)));
  expect([Math.min(...costs), Math.max(...costs)]).toEqual([7, 14]);
});

test("on the lion an edge first takes 11 multiplications, where vertices take 12", () => {
  const sizes = [2, 1, 1, 2, 1, 1];
  const label = (i: number, j: number): Label =>
    sizes[i]! * sizes[j]! === 1 ? 2 : { shape: [sizes[j]!, sizes[i]!], data: Array.from({ length: sizes[i]! * sizes[j]! }, (_, k) => k + 1) };
  const edges = LION.map(([i, j]): Own["edges"][number] => [i, j, label(i, j)]);
  const [byVertex, byEdge, byFace] = (["vertex", "edge", "face"] as const).map((technique) => ownOf(LION, technique, { sizes, edges }));
  expect(cost(byVertex!, vertices(1, 2))).toBe(12);
  expect(cost(byVertex!, vertices(2, 1))).toBe(12);
  expect(cost(byEdge!, [["back", "2.5"], ["front", "0.1"], ["front", "0.2"]])).toBe(11);
  const faces = [["1.2", "2.5"], ["0.1", "1.2"], ["0.1", "1.5"], ["0.2", "2.4"], ["0.2", "2.3"]] as const;
  expect(cost(byFace!, faces.map(([e, f]) => ["face", e, f]))).toBe(11);
});

test("products of matrices take rows times columns times what is between, or one each, or what numbers save", () => {
  const matrix = (rows: number, columns: number): Label => ({ shape: [rows, columns], data: Array(rows * columns).fill(2) });
  const chain = (head: Label, tail: Label, count: Own["count"], sizes = [2, 3, 4]): number =>
    cost(ownOf([[0, 1], [1, 2]], "vertex", { sizes, edges: [[0, 1, tail], [1, 2, head]], count }), vertices(1));
  expect(chain(matrix(4, 3), matrix(3, 2), "scalar")).toBe(24);
  expect(chain(matrix(4, 3), matrix(3, 2), "block")).toBe(1);
  expect(chain(matrix(4, 3), matrix(3, 2), "sparse")).toBe(24);
  expect(chain(matrix(3, 3), 5, "sparse", [3, 3, 3])).toBe(9);
  expect(chain(7, matrix(3, 3), "sparse", [3, 3, 3])).toBe(9);
  expect(chain(7, matrix(3, 3), "scalar", [3, 3, 3])).toBe(27);
});

test("a multiple of the identity is added to the diagonal", () => {
  const matrix: Label = { shape: [2, 2], data: [1, 2, 3, 4] };
  expect(plus(10, matrix)).toEqual({ shape: [2, 2], data: [11, 2, 3, 14] });
  expect(plus(matrix, 10)).toEqual(plus(10, matrix));
  expect(product(10, matrix)).toEqual({ shape: [2, 2], data: [10, 20, 30, 40] });
});

test("rows times columns are a number", () => {
  expect(product({ shape: [1, 2], data: [3, 4] }, { shape: [2, 1], data: [5, 6] })).toBe(39);
});

test.each<[Own["technique"], EliminationMove, string]>([
  ["vertex", ["vertex", "0"], "v0 is an input: only intermediates are eliminated."],
  ["vertex", ["vertex", "6"], "v6 is an output: only intermediates are eliminated."],
  ["edge", ["back", "0.2"], "The edge v0 → v2 cannot be back-eliminated: v0 is an input, so no edge leads into it."],
  ["edge", ["front", "4.5"], "The edge v4 → v5 cannot be front-eliminated: v5 is an output, so no edge leads on from it."],
  ["edge", ["front", "0.5"], "There is no edge v0 → v5, or no longer."],
  ["face", ["face", "0.2", "4.5"], "There is no face from v0 → v2 to v4 → v5, or no longer."],
  ["face", ["face", "s.0", "0.2"], "→ v0 is a source or sink edge: only interior faces are eliminated."],
  ["face", ["face", "0.2.2", "2.3"], "There is no node v0 → v2′, or no longer: nodes are removed and merged."],
])("why a move by %s is not possible is said: %j", (technique, move, sentence) => {
  expect(whyIllegal(new Elimination(ownOf(NAUMANN, technique)), move)).toBe(sentence);
});

test("what was eliminated is not eliminated again", () => {
  const graph = new Elimination(ownOf(NAUMANN, "vertex"));
  graph.make(["vertex", "3"]);
  expect(whyIllegal(graph, ["vertex", "3"])).toBe("v3 has been eliminated already.");
});

interface Golden {
  own: Own;
  start: Record<string, unknown>;
  illegal: [EliminationMove, string][];
  moves: EliminationMove[];
  steps: {
    kind: string;
    caption: string;
    whole?: string;
    coarse: boolean;
    product: unknown;
    merge: unknown;
    formula?: unknown;
    cost: { multiplications: number; additions: number };
    edits: Record<string, [before: unknown, after: unknown]>;
  }[];
  end: Record<string, unknown>;
}

const files = import.meta.glob<Golden>("../../../tests/goldens/eliminations/*.json", { eager: true, import: "default" });
const goldens = Object.entries(files).map(([path, golden]): [string, Golden] => [path.split("/").at(-1)!, golden]);

test("there are goldens of every technique", () => {
  expect(new Set(goldens.map(([, { own }]) => own.technique))).toEqual(new Set(["vertex", "edge", "face"]));
});

/** Numbers of matrices, each to the last digits, which may differ by a fused multiply-add. */
const loosely = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "data" in value
    ? { ...value, data: (value.data as number[]).map((entry) => expect.closeTo(entry, 12)) }
    : Array.isArray(value)
      ? value.map(loosely)
      : value;

const looselyAll = (record: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, loosely(value)]));

test.each(goldens)("%s: the page makes the moves that Python makes, and says the same", (_, golden) => {
  const { own, moves, steps, start, end } = golden;
  expect(Object.fromEntries(new Elimination(own).stage)).toEqual(looselyAll(start));
  const show = { own, runs: [{ id: "a", label: "", kind: "forward" }], panels: [] } as unknown as Show;
  const timeline = timelineOf(show, moves);
  expect(timeline.steps).toHaveLength(steps.length);
  timeline.steps.forEach(({ edits, cost, formula, ...made }, k) => {
    const { edits: wanted, cost: work, formula: tree, ...rest } = steps[k]!;
    expect(made).toMatchObject(rest);
    expect(cost).toMatchObject(work);
    if (tree !== undefined) expect(formula).toEqual(tree);
    const changed = edits.map(([key, before, after]) => [key.slice(2), [before, after]]);
    expect(Object.fromEntries(changed)).toEqual(looselyAll(wanted));
  });
  expect(Object.fromEntries(timeline.graph.stage)).toEqual(looselyAll(end));
});

test.each(goldens)("%s: the page says why a move is not possible as Python does", (_, { own, illegal }) => {
  const graph = new Elimination(own);
  expect(illegal.length).toBeGreaterThan(0);
  for (const [move, sentence] of illegal) expect(whyIllegal(graph, move)).toBe(sentence);
});
