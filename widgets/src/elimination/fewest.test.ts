import { expect, test } from "vitest";
import { Elimination } from "./elimination.js";
import { Fewest } from "./fewest.js";
import type { EliminationMove } from "../host.js";
import type { Own } from "../scene/scene.js";
import { LION, NAUMANN, movesOf, numbers, ownOf, randomEdges } from "../testing/elimination-shows.js";

const LONG = 60_000;

const after = (own: Own, moves: readonly EliminationMove[]): Elimination => {
  const graph = new Elimination(own);
  for (const move of moves) graph.make(move);
  return graph;
};

const costOf = (graph: Elimination, move: EliminationMove): number => graph.make(move).reduce((sum, { cost }) => sum + cost.multiplications, 0);

const CASES = Array.from({ length: 10 }, (_, seed) => seed + 1).flatMap((seed) =>
  (["vertex", "edge"] as const).map((technique) => [technique, seed] as const),
);

test.each(CASES)("by %s, what is needed is what the best next move and the rest take: seed %i", (technique, seed) => {
  const generator = numbers(seed);
  const draw = (): number => generator.next().value as number;
  const edges = randomEdges(draw).slice(0, 10);
  const plain = ownOf(edges, technique);
  const own = { ...plain, sizes: plain.sizes.map(() => 1 + Math.floor(3 * draw())) };
  const fewest = new Fewest(own);
  const made: EliminationMove[] = [];
  for (let moves = movesOf(after(own, made)); moves.length; moves = movesOf(after(own, made))) {
    const totals = moves.map((move) => {
      const graph = after(own, made);
      return costOf(graph, move) + fewest.from(graph, LONG)!;
    });
    expect(fewest.from(after(own, made), LONG)).toBe(Math.min(...totals));
    made.push(moves[Math.floor(moves.length * draw())]!);
  }
  expect(fewest.from(after(own, made), LONG)).toBe(0);
});

test.each([["vertex", 7], ["edge", 7]] as const)("Naumann's graph needs, by %s, %i multiplications", (technique, count) => {
  const own = ownOf(NAUMANN, technique);
  expect(new Fewest(own).from(new Elimination(own), LONG)).toBe(count);
});

test("where a product of blocks counts as one, sizes do not matter", () => {
  const own = ownOf(LION, "vertex", { sizes: [2, 1, 1, 2, 1, 1], count: "block" });
  expect(new Fewest(own).from(new Elimination(own), LONG)).toBe(5);
});

test("a search without patience says that it does not know, and goes on when it is asked again", () => {
  const own = ownOf(LION, "edge");
  const fewest = new Fewest(own);
  expect(fewest.from(new Elimination(own), -1)).toBeNull();
  expect(fewest.from(new Elimination(own), LONG)).toBe(5);
});

test("where what a product costs depends on its labels, nothing is said", () => {
  const own = ownOf(LION, "vertex", { sizes: [2, 2, 2, 2, 2, 2], count: "sparse" });
  expect(new Fewest(own).from(new Elimination(own), LONG)).toBeNull();
});

test("of faces nothing is said: they have too many orders", () => {
  const own = ownOf(LION, "face");
  expect(new Fewest(own).from(new Elimination(own), LONG)).toBeNull();
});
