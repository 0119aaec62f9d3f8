import { expect, test } from "vitest";
import { told, written } from "./elimination-values.js";
import type { Words } from "../motion/marks.js";

const SMALL = { shape: [1, 8], data: Array(8).fill(0.5) };
const LARGE = { shape: [1, 32], norm: 1 };

const texts = (value: unknown, room: number, longest = 0): Words[] => written("a", value, 0, 0, room, 1, longest).filter((mark): mark is Words => mark.type === "text");

test("a number has four figures, an array its shape", () => {
  expect([told(-1.00512), told({ shape: [2, 1], data: [1, 2] })]).toEqual(["−1.005", "2×1"]);
});

test("among others all values have the size that the longest needs", () => {
  const sizes = [-0.05644, -0.713, SMALL, LARGE].flatMap((value) => texts(value, 47, "−0.05644".length)).map(({ size }) => size);
  expect(new Set(sizes).size).toBe(1);
});

test("shapes look the same whether there is data or not", () => {
  expect([...texts(SMALL, 40), ...texts(LARGE, 40)].map(({ fill, font }) => [fill, font])).toEqual([["muted", "sans"], ["muted", "sans"]]);
});

test.each([1, -0.1007, -1.005e-8])("%d is no wider than its room in a wide font", (value) => {
  const [mark] = texts(value, 76) as [Words];
  expect(mark.size).toBeLessThanOrEqual(17);
  expect(0.7 * mark.size * mark.text.length).toBeLessThanOrEqual(76.001);
});
