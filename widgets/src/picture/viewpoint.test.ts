import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Viewpoint } from "./viewpoint.js";

const far = { x: 100, y: 50, scale: 2 };
let frames: ((now: number) => void)[] = [];

beforeEach(() => {
  frames = [];
  vi.spyOn(performance, "now").mockReturnValue(0);
  vi.stubGlobal("requestAnimationFrame", (frame: (now: number) => void) => frames.push(frame));
  vi.stubGlobal("cancelAnimationFrame", () => frames.splice(0));
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const run = (now: number): void => frames.splice(0).forEach((frame) => frame(now));

test("a glide arrives in time, and its target is known before", () => {
  const moved = vi.fn();
  const view = new Viewpoint(moved);
  view.look(far, "glide");
  expect([view.target, view.chosen, view.camera.scale]).toEqual([far, true, 1]);
  [90, 180].forEach(run);
  expect(view.camera).toEqual(far);
  expect(moved.mock.calls.map(([camera]) => camera.scale)).toEqual([1, 1.875, 2]);
  expect(frames).toEqual([]);
});

test("a jump ends a glide", () => {
  const view = new Viewpoint(() => undefined);
  view.glide(far);
  run(0);
  view.jump({ x: 0, y: 0, scale: 3 });
  run(500);
  expect([view.camera.scale, view.target.scale]).toEqual([3, 3]);
});

test("who asked for less motion gets none", () => {
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  const view = new Viewpoint(() => undefined);
  view.glide(far);
  expect([view.camera, frames]).toEqual([far, []]);
});
