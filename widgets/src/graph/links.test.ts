import { expect, test } from "vitest";
import { MOST_PATHS, countSet, pathsBetween, reach, row } from "./links.js";
import { goldenGraph, graphOf } from "../testing/explorers.js";

const chainOfSquares = (length: number) =>
  graphOf([{}, ...Array.from({ length }, (_, node) => ({ operands: [node, node] }))]);

test("operands keep order and repeats, also beyond two", () => {
  const graph = graphOf([{}, {}, {}, { operands: [2, 0, 1, 0] }]);
  expect([...row(graph.operands, 3)]).toEqual([2, 0, 1, 0]);
  expect([...row(graph.users, 0)]).toEqual([3, 3]);
  expect([...row(graph.users, 3)]).toEqual([]);
});

test("reach goes along all links and includes its start", () => {
  const graph = graphOf([{}, {}, { operands: [0, 1] }, { operands: [1] }, { operands: [2] }]);
  expect([...reach(graph.users, 0)]).toEqual([1, 0, 1, 0, 1]);
  expect([...reach(graph.operands, 4)]).toEqual([1, 1, 1, 0, 1]);
});

test("the golden loop has 2 × 2 × 2 paths", () => {
  const { operands, users } = goldenGraph();
  expect(pathsBetween(operands, users, 0, 3)).toMatchObject({ from: 0, to: 3, count: 8n });
});

test("paths are counted without loss, whichever end is named first", () => {
  const { operands, users } = chainOfSquares(100);
  expect(pathsBetween(operands, users, 100, 0).count).toBe(2n ** 100n);
  expect(countSet(pathsBetween(operands, users, 0, 100).on)).toBe(101);
});

test("nodes beside the paths are left out", () => {
  const { operands, users } = graphOf([{}, { operands: [0] }, { operands: [0] }, { operands: [1] }]);
  expect([...pathsBetween(operands, users, 0, 3).on]).toEqual([1, 1, 0, 1]);
});

test("no path is none", () => {
  const { operands, users } = graphOf([{}, {}]);
  expect(pathsBetween(operands, users, 0, 1)).toMatchObject({ count: 0n, on: Uint8Array.of(0, 0) });
});

test("counting stops at a number that nobody reads", () => {
  const { operands, users } = chainOfSquares(20_000);
  expect(pathsBetween(operands, users, 0, 20_000).count).toBeNull();
  expect(pathsBetween(operands, users, 0, 990).count).toBeLessThan(MOST_PATHS);
});
