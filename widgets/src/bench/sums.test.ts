import { expect, test } from "vitest";
import { figure, isComputed, largest, nameOf, placeOf, spoken, sumOf } from "./sums.js";
import type { Bench, BenchTable } from "../scene/document.js";

const table = (name: string, mark: BenchTable["mark"], rows: number[], columns: number[], data: (number | string)[]): BenchTable => ({
  name: [name, 10],
  mark,
  shape: ["", 0],
  map: { shape: [rows.length, columns.length], rows, columns, data, scale: 1 },
  lit: ["row", "column"],
});

/** Wᵀ (2×3) · ȳ (3) = x̄ (2), with two entries. */
const PRODUCT: Bench = {
  step: 3,
  node: 2,
  title: ["text", "a product"],
  tables: [table("Wᵀ", "", [0, 1], [0, 1, 2], [0.617, -0.537, 0.363, 1, 2, 3]), table("y", "bar", [0, 1, 2], [0], [0.203, -0.043, 0.066]), table("x", "bar", [0, 1], [0], [0.172, 0.31])],
  signs: [["", 0], ["·", 5], ["=", 9]],
  at: ["row"],
  sums: [
    { terms: [[0.617, 0.203], [-0.537, -0.043], [0.363, 0.066]], others: 0, rest: 0 },
    { terms: [[1, 0.203], [2, -0.043]], others: 30, rest: 0.193 },
  ],
};

test("numbers have three decimals, and what has none of them two digits", () => {
  expect([0.13149, -0.5, 2, 0, 1234.56, 123.456].map(figure)).toEqual(["0.131", "−0.500", "2", "0", "1234.6", "123.46"]);
  expect([2.34e-5, -1.2e12, "NaN", "-inf"].map(figure)).toEqual(["2.3e−5", "−1.2e12", "NaN", "−∞"]);
});

test("the entry to begin with is the largest in magnitude, or what is not finite", () => {
  expect(largest(PRODUCT)).toBe(1);
  const strange = { ...PRODUCT, tables: [table("x", "bar", [0, 1], [0, 1], [1, -7, "NaN", 3])] };
  expect(largest(strange)).toBe(2);
  expect(placeOf(strange, 2)).toEqual([1, 0]);
});

test("a result without entries is shown, and none of its sums is written", () => {
  expect(isComputed(PRODUCT)).toBe(true);
  expect(isComputed({ ...PRODUCT, tables: [...PRODUCT.tables.slice(0, -1), table("x", "bar", [], [0, 1], [])] })).toBe(false);
});

test("a sum is written out with its factors, negative ones in brackets, derivatives by their sign", () => {
  const { name, mark, text, marks } = sumOf(PRODUCT, 0);
  expect([name, mark]).toEqual(["x", "bar"]);
  expect(text).toBe("[0] = 0.617·0.203 + (−0.537)·(−0.043) + 0.363·0.066 = 0.172");
  expect(marks.map(([start, end, sign]) => [text.slice(start, end), sign])).toEqual([
    ["[0]", null],
    ["0.203", 1],
    ["(−0.043)", -1],
    ["0.066", 1],
    ["0.172", 1],
  ]);
});

test("of a long sum the further terms are added up, and what digits leave out is approximate", () => {
  expect(sumOf(PRODUCT, 1).text).toBe("[1] = 1·0.203 + 2·(−0.043) + 0.193 from 30 smaller terms = 0.310");
  const rounded = { ...PRODUCT, sums: [{ terms: [[0.6174, 0.2034]], others: 0, rest: 0 }, PRODUCT.sums[1]!] };
  expect(sumOf(rounded, 0).text).toBe("[0] = 0.617·0.203 ≈ 0.172");
});

test("what is passed on as it is, and what receives nothing, is said once", () => {
  const passed = { ...PRODUCT, sums: [{ terms: [[0.172]], others: 0, rest: 0 }, { terms: [], others: 0, rest: 0 }] };
  expect(sumOf(passed, 0).text).toBe("[0] = 0.172");
  expect(sumOf(passed, 1).text).toBe("[1] = 0.310");
  expect(sumOf({ ...PRODUCT, sums: [] }, 1).text).toBe("[1] = 0.310");
});

test("an entry of a local Jacobian, which has no table, is no derivative on its way", () => {
  const [, given, result] = PRODUCT.tables;
  const { text, marks } = sumOf({ ...PRODUCT, tables: [given!, result!], sums: [{ terms: [[0.203, 0.5]], others: 0, rest: 0 }] }, 0);
  expect(marks.filter(([, , sign]) => sign !== null).map(([start, end]) => text.slice(start, end))).toEqual(["0.203", "0.172"]);
});

test("an entry is read out with its place and its terms", () => {
  expect(spoken(PRODUCT, 1)).toBe("x adjoint, row 1: 0.310 = 1 times 0.203 plus 2 times −0.043 plus 0.193 from 30 smaller terms");
});

test("tangents have a dot, and contributions the node that they come by", () => {
  const names = (["x", "loss", "x·y"] as const).map((name) => nameOf(table(name, "dot", [0], [0], [1])));
  expect(names).toEqual(["x\u0307", "loss˙", "(x·y)˙"]);
  expect(nameOf(table("e", "via", [0], [0], [1]))).toBe("via e");
});
