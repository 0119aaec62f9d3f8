import { expect, test } from "vitest";
import { lineOf, pointOn, tokenMarks } from "./motion.js";

const straight = [0, 0, 0, 10, 0, 20, 0, 30];
/** A short curve and one nine times as long, one behind the other. */
const uneven = [0, 0, 1, 0, 2, 0, 3, 0, 12, 0, 21, 0, 30, 0];

test("a place on a line is a share of its length, however unequal its curves are", () => {
  expect([0, 0.25, 0.5, 1].map((share) => pointOn(lineOf(straight), share)[1])).toEqual([0, 7.5, 15, 30]);
  for (const share of [0, 0.1, 0.5, 0.9, 1]) expect(pointOn(lineOf(uneven), share)[0]).toBeCloseTo(30 * share, 9);
});

test("a curved line lies on its Bezier curve", () => {
  const [x, y] = pointOn(lineOf([0, 0, 0, 40, 100, 40, 100, 0]), 0.5);
  expect([x, y]).toEqual([50, 30]);
});

test("shares outside stay on the line, and a line without length has its one place", () => {
  expect([pointOn(lineOf(straight), -1), pointOn(lineOf(straight), 2)]).toEqual([
    [0, 0],
    [0, 30],
  ]);
  expect(pointOn(lineOf([5, 6, 5, 6, 5, 6, 5, 6]), 0.5)).toEqual([5, 6]);
});

test("a token has its number for text, at its place", () => {
  expect(tokenMarks("a", "<b>1</b>", lineOf(straight), 0.5).map((mark) => [mark.key, "x" in mark && mark.x, "text" in mark && mark.text])).toEqual([
    ["token-shape/a", -33.4, false],
    ["token-number/a", 0, "<b>1</b>"],
  ]);
});
