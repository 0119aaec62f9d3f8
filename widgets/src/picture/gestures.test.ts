import { beforeEach, expect, test, vi } from "vitest";
import { Gestures } from "./gestures.js";

const events = { pan: vi.fn(), zoom: vi.fn(), scrolledPast: vi.fn() };
let surface: HTMLElement;
let gestures: Gestures;

beforeEach(() => {
  vi.clearAllMocks();
  surface = document.createElement("button");
  document.body.replaceChildren(surface);
  gestures = new Gestures(surface, events, new AbortController().signal);
});

const pointer = (type: string, pointerId: number, clientX: number, clientY: number): boolean =>
  surface.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY, button: 0, bubbles: true }));

function wheel({ deltaY = 100, ctrlKey = false }): Event {
  const event = new WheelEvent("wheel", { deltaY, bubbles: true, cancelable: true });
  Object.defineProperty(event, "ctrlKey", { value: ctrlKey }); // happy-dom leaves it out of wheel events
  surface.dispatchEvent(event);
  return event;
}

test("a press that trembles is a click, a press that moves is a drag", () => {
  pointer("pointerdown", 1, 10, 10);
  pointer("pointermove", 1, 12, 11);
  pointer("pointerup", 1, 12, 11);
  expect([gestures.dragged, events.pan.mock.calls]).toEqual([false, []]);
  pointer("pointerdown", 1, 10, 10);
  pointer("pointermove", 1, 30, 10);
  pointer("pointermove", 1, 30, 25);
  pointer("pointerup", 1, 30, 25);
  expect([gestures.dragged, gestures.pressed]).toEqual([true, false]);
  expect(events.pan.mock.calls).toEqual([
    [20, 0],
    [0, 15],
  ]);
});

test("two fingers zoom about their middle", () => {
  pointer("pointerdown", 1, 100, 100);
  pointer("pointerdown", 2, 200, 100);
  pointer("pointermove", 2, 300, 100);
  expect(events.zoom).toHaveBeenCalledWith(2, { x: 200, y: 100 });
  expect(events.pan).toHaveBeenCalledWith(50, 0);
});

test("the wheel is the page's, unless the picture has the focus or Control is held", () => {
  expect(wheel({}).defaultPrevented).toBe(false);
  expect([events.scrolledPast.mock.calls.length, events.zoom.mock.calls.length]).toEqual([1, 0]);
  expect(wheel({ ctrlKey: true }).defaultPrevented).toBe(true);
  surface.focus();
  expect(wheel({ deltaY: -100 }).defaultPrevented).toBe(true);
  const [out, back] = events.zoom.mock.calls.map(([factor]) => factor as number);
  expect(out).toBeLessThan(1);
  expect(out! * back!).toBeCloseTo(1);
});
