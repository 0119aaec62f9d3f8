import { expect, test } from "vitest";
import { NARROW, WIDE, arrange } from "./arrange.js";
import type { Panel } from "./scene.js";

const kinds = (...names: Panel["kind"][]): { kind: Panel["kind"] }[] => names.map((kind) => ({ kind }));
const all = kinds("table", "graph", "code", "formula", "meters");

test("a narrow show is one column: the graph, the formula, and the others in their order", () => {
  expect(arrange(all, NARROW - 1)).toEqual([[1, 3, 0, 2, 4]]);
});

test("a wider one has the others beside the graph, and a wide one in two columns of like height", () => {
  expect(arrange(all, NARROW)).toEqual([
    [1, 3],
    [0, 2, 4],
  ]);
  expect(arrange(all, WIDE)).toEqual([[1, 3], [0], [2, 4]]);
});

test("three graphs leave room for one column more, however wide the show is", () => {
  expect(arrange(kinds("graph", "graph", "graph", "tape", "table"), 2000)).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
});

test("several graphs stand together, and nothing leaves a column empty", () => {
  expect(arrange(kinds("graph", "tape", "graph"), 900)).toEqual([[0, 2], [1]]);
  expect(arrange(kinds("graph"), 1600)).toEqual([[0]]);
  expect(arrange(kinds("tape", "table"), 1600)).toEqual([[0], [1]]);
  expect(arrange([], 900)).toEqual([]);
});
