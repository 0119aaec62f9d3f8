import { expect, test } from "vitest";
import { NARROW, WIDE, type Wish, aboveAll, across, arrange, shares } from "./arrange.js";
import type { Panel } from "../scene/scene.js";

const kinds = (...names: Panel["kind"][]): Wish[] => 
  names.map((kind) => (kind === "meters" ? { kind, height: 160 } : { kind }));
const all = kinds("table", "graph", "code", "formula", "meters");
const wide = (width: number, height = 0) => ({ width, height });

test("a narrow show is one column: the graph, the formula, and the others in their order", () => {
  expect(arrange(all, wide(NARROW - 1))).toEqual([[1, 3, 0, 2, 4]]);
});

test("a wider one has the others beside the graph, and a wide one in two columns of like height", () => {
  const two = [
    [1, 3],
    [0, 2, 4],
  ];
  expect(arrange(all, wide(NARROW))).toEqual(two);
  expect(arrange(all, wide(WIDE))).toEqual([[1, 3], [0, 2], [4]]);
});

test("one column beside the graph is enough where all panels have their height in it", () => {
  const high = all.map((wish) => (wish.kind === "table" ? { ...wish, width: 300, height: 400 } : wish));
  expect(arrange(high, wide(WIDE, 670)).length).toBe(3);
  expect(arrange(high, wide(WIDE, 680)).length).toBe(2);
});

test("a slim graph leaves room for two columns as soon as there is any", () => {
  const beside = (width: number): Wish[] => [{ kind: "graph", width, height: 1500 }, ...kinds("tape", "code", "table")];
  expect(arrange(beside(650), wide(1040)).length).toBe(3);
  expect(arrange(beside(650), wide(1039)).length).toBe(2);
  expect(arrange(beside(700), wide(1040)).length).toBe(2);
});

test("graphs and rows that need the width leave room for one column, however wide the show is", () => {
  const rows: Wish[] = [{ kind: "graph" }, { kind: "tape", width: 500 }, { kind: "table", width: 400 }];
  expect(arrange(rows, wide(1360)).length).toBe(3);
  expect(arrange(rows, wide(1359))).toEqual([[0], [1, 2]]);
  const graphs = kinds("graph", "graph", "graph", "graph", "tape", "table");
  expect(arrange(graphs, wide(1700)).map(({ length }) => length)).toEqual([4, 2]);
});

test("several graphs stand together, and nothing leaves a column empty", () => {
  expect(arrange(kinds("graph", "tape", "graph"), wide(900))).toEqual([[0, 2], [1]]);
  expect(arrange(kinds("graph"), wide(1600))).toEqual([[0]]);
  expect(arrange(kinds("tape", "table"), wide(1600))).toEqual([[0], [1]]);
  expect(arrange([], wide(900))).toEqual([]);
});

test("pictures of two eliminations stand in a row above everything else, of three in two columns", () => {
  const pictures = (count: number): Wish[] => [...Array(count).keys()].map((k) => ({ kind: "elimination", run: `order-${k}` }));
  const two = [...pictures(2), ...kinds("formula", "meters")];
  expect(aboveAll(two, NARROW, false)).toEqual([0, 1]);
  expect(arrange(two, wide(NARROW), [0, 1])).toEqual([[2], [3]]);
  const three = [...pictures(3), ...kinds("meters")];
  expect(aboveAll(three, WIDE, false)).toEqual([]);
  expect(arrange(three, wide(NARROW))).toEqual([[0, 2], [1, 3]]);
  expect(shares(three, [[0, 2], [1, 3]], WIDE)).toEqual([0.5, 0.5]);
  expect(arrange(three, wide(NARROW - 1))).toEqual([[0, 1, 2, 3]]);
});

test("both readings of one elimination stand in one column", () => {
  const readings: Wish[] = [0, 1].map(() => ({ kind: "elimination", run: "order-0" }));
  expect(arrange([...readings, ...kinds("matrix")], wide(WIDE))).toEqual([[0, 1], [2]]);
});

test("many graphs stand above everything else, where there is width and anything else", () => {
  const three = kinds("graph", "tape", "graph", "formula", "graph", "meters");
  expect(aboveAll(three, NARROW, false)).toEqual([0, 2, 4]);
  expect(arrange(three, wide(NARROW), [0, 2, 4])).toEqual([[3], [1, 5]]);
  expect(aboveAll(three, NARROW - 1, false)).toEqual([]);
  expect(aboveAll(kinds("graph", "graph", "graph"), WIDE, false)).toEqual([]);
});

test("two graphs stand above everything else where everything is enlarged", () => {
  const two = kinds("graph", "graph", "tape");
  expect(aboveAll(two, WIDE, false)).toEqual([]);
  expect(aboveAll(two, WIDE, true)).toEqual([0, 1]);
  expect(aboveAll(kinds("graph", "tape"), WIDE, true)).toEqual([]);
});

test("rows get the width that they want, and the graph keeps enough", () => {
  const of = (tape: number, width: number): number[] =>
    shares([{ kind: "graph" }, { kind: "tape", width: tape }], [[0], [1]], width);
  expect(of(400, 1000)).toEqual([0.6, 0.4]);
  expect(of(900, 1000)).toEqual([expect.closeTo(0.46), expect.closeTo(0.54)]);
  expect(of(100, 1000)).toEqual([0.64, 0.36]);
  expect(shares(kinds("tape", "table"), [[0], [1]], 1000)).toEqual([0.5, 0.5]);
});

test("a sweep that cannot be read beside a column of the usual width has a narrower one beside it", () => {
  const of = (legible: number): number => shares([{ kind: "flow", legible }, { kind: "tape" }], [[0], [1]], 1250)[1]! * 1250;
  expect(of(700)).toBeCloseTo(450);
  expect(of(800)).toBeCloseTo(1250 - 10 - 880);
  expect(of(1200)).toBeCloseTo(300);
});

test("pictures stand so that they are seen largest: tall ones in a row, flat ones below each other", () => {
  expect(across(4, { width: 300, height: 500 }, { width: 1000, height: 460 })).toBe(4);
  expect(across(4, { width: 400, height: 300 }, { width: 1000, height: 700 })).toBe(2);
  expect(across(2, { width: 900, height: 200 }, { width: 600, height: 500 })).toBe(1);
});

test("the picture of an elimination of long paths has all the width, where there is enough", () => {
  const others = kinds("matrix", "meters");
  const long: Wish = { kind: "elimination", run: "a", width: 1400, height: 430 };
  expect(aboveAll([long, ...others], 1200, false)).toEqual([0]);
  expect(aboveAll([long, ...others], 900, false)).toEqual([]);
  expect(aboveAll([{ ...long, width: 1103, height: 608 }, ...others], 1200, false)).toEqual([]);
});

test("a sweep that could not be read beside a column has all the width, and what is beside it stands below", () => {
  const others = kinds("bench", "code", "nudge");
  const sweep: Wish = { kind: "flow", isLong: true };
  expect(aboveAll([{ ...sweep, isLong: false }, ...others], 1200, false)).toEqual([]);
  expect(aboveAll([sweep, ...others], 1200, false)).toEqual([0]);
  expect(aboveAll([sweep, ...others], 900, false)).toEqual([]);
  const columns = arrange([sweep, ...others], wide(1200, 500), [0]);
  expect(columns).toEqual([[1], [2], [3]]);
  expect(shares([sweep, ...others], columns, 1200)).toEqual([0.52, 0.25, expect.closeTo(0.23)]);
  expect(shares([sweep, ...others], [[1], [2, 3]], 1200)).toEqual([0.52, 0.48]);
  expect(shares([sweep, ...kinds("formula", "code", "nudge")], columns, 1200)).toEqual([0.36, 0.36, expect.closeTo(0.28)]);
});
