import { beforeEach, expect, test } from "vitest";
import { html } from "./dom.js";
import { onSwipe } from "./swipe.js";

beforeEach(() => {
  document.body.replaceChildren();
});

/** Strokes on an element with a slider and a plain place in it; what they were taken for. */
function surface() {
  const [plain, slider] = [html("div"), html("input", { type: "range" })];
  const element = html("div", plain, slider);
  document.body.append(element);
  const told: string[] = [];
  const ending = new AbortController();
  onSwipe(element, (direction) => told.push(direction), ending.signal);
  const touch = (type: string, target: HTMLElement, points: number[][], timeStamp: number): void => {
    const touches = points.map(([clientX, clientY]) => ({ clientX, clientY }));
    const event = Object.assign(new Event(type, { bubbles: true }), { touches, changedTouches: touches });
    Object.defineProperty(event, "timeStamp", { value: timeStamp });
    target.dispatchEvent(event);
  };
  const stroke = (dx: number, dy = 0, time = 100, target: HTMLElement = plain): void => {
    touch("touchstart", target, [[200, 200]], 0);
    touch("touchend", target, [[200 + dx, 200 + dy]], time);
  };
  return { told, stroke, touch, plain, slider, ending };
}

test("a quick stroke sideways is a swipe, by its direction", () => {
  const { told, stroke } = surface();
  stroke(-80);
  stroke(80, 10);
  expect(told).toEqual(["left", "right"]);
});

test("a short, slow or slanting stroke, one on a slider and one of two fingers is none", () => {
  const { told, stroke, touch, plain, slider } = surface();
  stroke(-20);
  stroke(-80, 0, 900);
  stroke(-80, 60);
  stroke(-80, 0, 100, slider);
  touch(
    "touchstart",
    plain,
    [
      [0, 0],
      [9, 9],
    ],
    0,
  );
  touch("touchend", plain, [[90, 0]], 50);
  expect(told).toEqual([]);
});

test("after the end there are no swipes", () => {
  const { told, stroke, ending } = surface();
  ending.abort();
  stroke(-80);
  expect(told).toEqual([]);
});
