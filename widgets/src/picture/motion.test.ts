import { expect, test, vi } from "vitest";
import { Motion, drawToken, lineOf, pointOn, way } from "./motion.js";

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

test("a way begins and ends where it should, and may be gone backwards", () => {
  const places = way(lineOf(straight), 1, 0.5).map(({ transform }) => transform);
  expect([places[0], places.at(-1)]).toEqual(["translate(0px, 30px)", "translate(0px, 15px)"]);
});

test("a token has its number for text", () => {
  const token = drawToken("<b>1</b>", lineOf(straight), 0.5);
  expect([token.textContent, token.querySelector("b"), token.getAttribute("transform")]).toEqual([
    "<b>1</b>",
    null,
    "translate(0,15)",
  ]);
});

function animated() {
  const animation = { cancel: vi.fn(), onfinish: null as (() => void) | null };
  return { animation, element: { animate: () => animation } as unknown as Element };
}

test("what moves arrives once: at its end, or when it is cut short", () => {
  const motion = new Motion();
  const [one, other, arrive] = [animated(), animated(), vi.fn()];
  motion.play(one.element, [], 100, arrive);
  motion.play(other.element, [], 100, arrive);
  one.animation.onfinish!();
  expect(arrive).toHaveBeenCalledTimes(1);
  motion.finish();
  motion.finish();
  expect(arrive).toHaveBeenCalledTimes(2);
  expect(other.animation.cancel).toHaveBeenCalledTimes(1);
});

test("where nothing can be animated it has arrived at once", () => {
  const arrive = vi.fn();
  new Motion().play({} as Element, [], 100, arrive);
  expect(arrive).toHaveBeenCalledOnce();
});
