import { expect, test } from "vitest";
import { drawn, heightOf } from "./tables.js";
import type { Mark } from "../motion/marks.js";
import type { Bench, BenchTable } from "../scene/document.js";

const SHOWN = [0, 1, 2, 63];

const table = (lit: BenchTable["lit"], rows: number[], columns: number[], scale = 16): BenchTable => ({
  name: ["W", 18],
  mark: "bar",
  shape: ["64×50", 50],
  map: { shape: [64, 50], rows, columns, data: rows.flatMap((_, i) => columns.map((_, j) => i * columns.length + j + 0.5)), scale },
  lit,
});

const benchOf = (tables: BenchTable[], sums: Bench["sums"] = []): Bench => ({
  step: 0, node: 0, title: ["text", ""], tables, signs: tables.map((_, k) => [k ? "=" : "", k ? 12 : 0]), at: ["row", "column"], sums,
});

const entry = { terms: [], others: 0, rest: 0 };
const of = (marks: readonly Mark[], start: string): Mark[] => marks.filter(({ key }) => key.startsWith(start));
const areaOf = (mark: Mark | undefined): number[] => (mark?.type === "box" ? [mark.x, mark.y, mark.w, mark.h] : []);

test("rows and columns that are left out are dots between those that are shown", () => {
  const { marks, cells } = drawn(benchOf([table(["row", "all"], SHOWN, SHOWN)]), null, true);
  expect(cells).toHaveLength(16);
  expect(of(marks, "dots")).toHaveLength(8);
  expect(cells[3]!.x - cells[2]!.x).toBeGreaterThan(cells[2]!.x - cells[1]!.x);
  expect(cells[12]!.y - cells[8]!.y).toBeGreaterThan(cells[8]!.y - cells[4]!.y);
  expect(of(drawn(benchOf([table(["row", "all"], [0, 1], [0, 1])]), null, true).marks, "dots")).toHaveLength(0);
});

test("a row of the one operand, a column of the other, and the entry are outlined", () => {
  const tables = [table(["row", "all"], SHOWN, [0, 1]), table(["all", "column"], [0, 1], SHOWN), table(["row", "column"], SHOWN, SHOWN)];
  const bench = benchOf(tables, Array(16).fill(entry));
  const { marks, cells } = drawn(bench, 6, true); // row 1, column 2
  const around = (t: number, ...numbers: number[]): number[] => {
    const [first, last] = [numbers[0]!, numbers.at(-1)!].map((k) => cells.filter((cell) => cell.table === t)[k]!);
    return [first!.x - 1, first!.y - 1, last!.x + last!.w - first!.x + 2, last!.y + last!.h - first!.y + 2];
  };
  const expected = [around(0, 2, 3), around(1, 2, 6), around(2, 6)];
  expected.forEach((area, t) => areaOf(of(marks, `lit/${t}`)[0]).forEach((side, k) => expect(side).toBeCloseTo(area[k]!)));
});

test("where there is only one row or column, it takes part", () => {
  const bench = benchOf([table(["row", "column"], [0], [0]), table(["row", "column"], [0, 1], [0, 1])], Array(4).fill(entry));
  expect(of(drawn(bench, 3, true).marks, "lit/")).toHaveLength(2);
});

test("entries that are named are outlined each, and none where the terms are not known", () => {
  const tables = [table(["all", "all"], [0, 1], [0, 1]), table(["row", "column"], [0], [0])];
  const named = drawn(benchOf(tables, [{ ...entry, places: [0, 3] }]), 0, true).marks;
  expect(of(named, "lit/0")).toHaveLength(2);
  const unknown = drawn(benchOf(tables), 0, true).marks;
  expect([of(unknown, "lit/0").length, of(unknown, "lit/1").length]).toEqual([0, 1]);
});

test("before the product is there its places are empty", () => {
  const bench = benchOf([table(["row", "column"], [0, 1], [0, 1]), table(["row", "column"], [0, 1], [0, 1])], Array(4).fill(entry));
  const { marks } = drawn(bench, 0, false);
  expect([of(marks, "slot/1").length, of(marks, "number/1").length, of(marks, "lit/1").length]).toEqual([4, 0, 0]);
  expect([of(marks, "number/0").length, of(marks, "lit/0").length]).toEqual([4, 1]);
});

test("tables stand beside each other, no number wider than its cell, and all within the height of all", () => {
  const bench = benchOf([table(["row", "all"], SHOWN, SHOWN), table(["all", "column"], [0, 1], SHOWN)], Array(8).fill(entry));
  const { cells, width, marks } = drawn(bench, 0, true);
  const [one, other] = [0, 1].map((t) => cells.filter((cell) => cell.table === t));
  expect(Math.max(...one!.map(({ x, w }) => x + w))).toBeLessThan(Math.min(...other!.map(({ x }) => x)));
  expect(Math.max(...other!.map(({ x, w }) => x + w))).toBeLessThanOrEqual(width);
  const ys = marks.flatMap((mark) => ("y" in mark ? [mark.y] : []));
  expect(Math.max(...ys) - Math.min(...ys)).toBeLessThan(heightOf([bench]));
});

test("on a strong cell the number is in the other color", () => {
  const fills = of(drawn(benchOf([table(["row", "column"], [0], SHOWN, 4)]), null, true).marks, "number/0").map((mark) => (mark as { fill: string }).fill);
  expect(fills).toEqual(["ink", "ink", "ink", "on-hue"]);
});

test("of several matrices, one for each row of the result, that of the entry is shown", () => {
  const own = { ...table(["all", "column"], [0, 1, 2, 3], [0, 1]), shape: ["2×2 in row 9", 90] as [string, number], by_row: 2 };
  const result = table(["row", "column"], [0, 9], [0, 1]);
  const bench = benchOf([own, result], Array(4).fill(entry));
  const numbers = [1, 3].map((at) => drawn(bench, at, true).cells.filter((cell) => cell.table === 0).map(({ entry, value }) => [entry, value]));
  expect(numbers).toEqual([[[0, 0.5], [1, 1.5], [2, 2.5], [3, 3.5]], [[4, 4.5], [5, 5.5], [6, 6.5], [7, 7.5]]]);
  const shapes = [1, 3].map((at) => (of(drawn(bench, at, true).marks, "shape/0")[0] as { text: string }).text);
  expect(shapes).toEqual(["2×2 in row 0", "2×2 in row 9"]);
});
