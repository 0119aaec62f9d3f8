import { expect, test } from "vitest";
import { NODE_ROOM, cells, drawMap, figureOf, noteOf, pillMarks, short, signOf, sizeOf } from "./heat-map.js";
import { color } from "../motion/marks.js";
import type { HeatMap } from "../scene/scene.js";

const map = (changes: Partial<HeatMap> = {}): HeatMap => ({
  shape: [2, 3],
  rows: [0, 1],
  columns: [0, 1, 2],
  data: [1, -2, 0, "NaN", 0.5, "-inf"],
  scale: 2,
  ...changes,
});

const paints = (of: HeatMap): string[] => cells(of).map(({ paint }) => paint);

test("hue is the sign, strength the magnitude on the scale of the array; what is not finite has neither", () => {
  expect([3, -1e-9, 0, -0, NaN, -Infinity].map(signOf)).toEqual(["1", "-1", "0", "0", "NaN", "NaN"]);
  expect(paints(map())).toEqual(["positive 50", "negative 100", "zero 0", "hatched", "positive 25", "hatched"]);
  expect(paints(map({ data: [0, -0], scale: 0 }))).toEqual(["zero 0", "zero 0"]);
  expect(paints(map({ data: [1.7e308, "NaN"], scale: 1.7976931348623157e308 }))).toEqual(["positive 95", "hatched"]);
});

test("a paint is a color of the style sheet, or mixed with the ground of heat maps", () => {
  expect(color("hatched")).toBe("var(--hatched)");
  const drawn = drawMap(map({ rows: [0], data: [0.5, 0, -2] }), NODE_ROOM);
  const paintsOf = (cell: number): (string | null)[] => ["fill", "stroke"].map((name) => drawn.querySelectorAll("rect")[cell]!.getAttribute(name));
  expect(paintsOf(0)).toEqual(["color-mix(in oklab,var(--positive) 25%,var(--cell))", "none"]);
  // An entry of next to nothing has the color of the ground, and a line around it.
  expect(paintsOf(1)).toEqual(["color-mix(in oklab,var(--zero) 0%,var(--cell))", "var(--zero)"]);
  // Kinds of operations: what color they have is said for each item.
  expect(["power", "power-line", "power 45"].map(color)).toEqual(["var(--tint)", "var(--edge)", "color-mix(in oklab,var(--tint) 45%,var(--ground))"]);
});

test("what is not finite is hatched, and nothing else is", () => {
  expect(drawMap(map(), NODE_ROOM).querySelectorAll(".adviz-hatch")).toHaveLength(2);
  expect(drawMap(map({ data: [0, 1, -1, 2, -2, 1] }), NODE_ROOM).querySelector(".adviz-hatch")).toBeNull();
});

test("a cell tells its place in the array, its number and the scale", () => {
  const titles = (of: HeatMap): (string | null)[] =>
    [...drawMap(of, NODE_ROOM).querySelectorAll("rect")].map(({ textContent }) => textContent);
  expect(titles(map({ rows: [0, 9] }))[4]).toBe("[9, 1] = 0.5 · 2 × 3, full color is ±2");
  expect(titles(map())[5]).toContain("[1, 2] = -inf");
  expect(titles(map({ shape: [3], rows: [0], data: [1, 2, 3] }))[2]).toContain("[2] = 3");
});

test("what is left out of a large array is told", () => {
  expect(noteOf(map({ shape: [9, 3] }))).toBe("9 × 3, of which 2 × 3 are shown, full color is ±2");
  expect(noteOf(map({ shape: [], rows: [0], columns: [0], data: [1] }))).toBe("number, full color is ±2");
});

test("a map by itself is named, and the name is text", () => {
  const figure = figureOf(map(), [Infinity, Infinity, 5], "<b>value</b>");
  expect(figure.getAttribute("aria-label")).toBe("<b>value</b>, 2 × 3, full color is ±2");
  expect(figure.querySelector("b")).toBeNull();
  expect(["width", "height"].map((name) => figure.getAttribute(name))).toEqual(["15", "10"]);
});

test("a map fits its room, with square cells", () => {
  expect(sizeOf(map(), NODE_ROOM)).toEqual([27, 18]);
  expect(sizeOf(map({ rows: Array(12).fill(0), columns: [0] }), NODE_ROOM)).toEqual([20 / 12, 20]);
  expect(sizeOf(map({ rows: [], columns: [], data: [] }), NODE_ROOM)).toEqual([0, 0]);
});

test.each([
  [2.5403, "2.54"],
  [-0.123456, "-0.1235"],
  [123456, "123500"],
  [-1.93e21, "-1.9e+21"],
  [1.5e-8, "1.5e-8"],
  [Number.NaN, "NaN"],
  [-Infinity, "-inf"],
])("a number in little space: %d", (value, text) => {
  expect(short(value)).toBe(text);
  expect(pillMarks(value, 0, 0)).toContainEqual(expect.objectContaining({ type: "text", text }));
});
