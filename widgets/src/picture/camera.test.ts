import { expect, test } from "vitest";
import { around, between, beyond, bringIn, centerOn, filling, fit, hasRoom, opening, zoomAt } from "./camera.js";

const screen = { width: 800, height: 500 };

test("fit shows all of the world", () => {
  const { x, y, scale } = fit({ width: 3000, height: 900 }, screen);
  expect(x).toBeGreaterThan(0);
  expect(x + 3000 * scale).toBeLessThan(800);
  expect(y + 900 * scale).toBeLessThan(500);
});

test("the world under the cursor stays there while zooming", () => {
  const at = { x: 300, y: 200 };
  const before = { x: 10, y: 20, scale: 0.5 };
  const after = zoomAt(before, 1.7, at);
  expect((at.x - after.x) / after.scale).toBeCloseTo((at.x - before.x) / before.scale);
  expect((at.y - after.y) / after.scale).toBeCloseTo((at.y - before.y) / before.scale);
});

test("zooming ends somewhere", () => {
  let camera = { x: 0, y: 0, scale: 1 };
  for (let i = 0; i < 100; i++) camera = zoomAt(camera, 2, { x: 0, y: 0 });
  expect(camera.scale).toBe(4);
});

test("a world too large to read opens readable", () => {
  expect(opening({ width: 300, height: 300, nodes: [] }, screen).scale).toBe(1.25);
  expect(opening({ width: 9000, height: 9000, nodes: [] }, screen).scale).toBe(0.7);
});

test("a tall world opens smaller where nothing then lies beside the screen, but not too small", () => {
  const of = (width: number): number => opening({ width, height: 9000, nodes: [] }, screen, 0.55, 0.7).scale;
  expect(of(1000)).toBe(0.7);
  expect(of(1300)).toBeCloseTo(0.6);
  expect(of(1500)).toBe(0.55);
});

test("a large world opens where its first items are", () => {
  const nodes = [
    { x: 8000, y: 30 },
    { x: 8100, y: 60 },
    { x: 100, y: 8000 },
  ];
  const { x, scale } = opening({ width: 9000, height: 9000, nodes }, screen);
  expect(x + scale * 8000).toBeGreaterThan(0);
  expect(x + scale * 8100).toBeLessThan(800);
});

test("an item is brought in by the smallest pan", () => {
  const camera = { x: 0, y: 0, scale: 1 };
  expect(bringIn(camera, { x: 400, y: 250, w: 50, h: 30 }, screen)).toEqual(camera);
  expect(bringIn(camera, { x: 1000, y: 250, w: 50, h: 30 }, screen)).toEqual({ x: 800 - 1053, y: 0, scale: 1 });
  expect(bringIn(camera, { x: 400, y: -100, w: 50, h: 30 }, screen)).toEqual({ x: 0, y: 143, scale: 1 });
});

test("filling puts the world into a box", () => {
  expect(filling({ width: 200, height: 100 }, { x: 50, y: 50, w: 20, h: 20 })).toEqual({ scale: 0.1, x: 40, y: 45 });
});

test("between two cameras", () => {
  expect(between({ x: 0, y: 0, scale: 1 }, { x: 10, y: 20, scale: 3 }, 0.5)).toEqual({ x: 5, y: 10, scale: 2 });
});

test("before an audience a world is seen larger, and whole only where its labels can be read", () => {
  const world = { width: 300, height: 200, nodes: [] };
  expect(opening(world, screen).scale).toBe(1.25);
  expect(opening(world, screen, 1.8, 1.8).scale).toBeCloseTo(2.4);
  expect(opening({ ...world, height: 400 }, screen, 1.8, 1.8).scale).toBe(1.8);
});

test("the box around boxes holds them all", () => {
  const boxes = [
    { x: 0, y: 0, w: 10, h: 4 },
    { x: 20, y: 5, w: 2, h: 6 },
  ];
  expect(around(boxes)).toEqual({ x: 8, y: 3, w: 26, h: 10 });
});

test("the sides are told at which there is more of the picture than is seen", () => {
  expect(beyond({ x: 0, y: 0, scale: 1 }, screen, screen)).toEqual([]);
  expect(beyond({ x: 0, y: 0, scale: 2 }, { width: 100, height: 300 }, screen)).toEqual(["bottom"]);
  expect(beyond({ x: -50, y: -50, scale: 1 }, { width: 900, height: 540 }, screen)).toEqual(["top", "left", "right"]);
});

test("a box is brought into the middle, but not where there is no world to see around it", () => {
  const world = { width: 2000, height: 300 };
  const at = (x: number): number => centerOn({ x: 0, y: 0, scale: 1 }, { x, y: 50, w: 100, h: 40 }, world, screen).x;
  expect([at(1000), at(60), at(1990)]).toEqual([-600, 0, -1200]);
  expect(centerOn({ x: 0, y: 0, scale: 1 }, { x: 60, y: 50, w: 100, h: 40 }, world, screen).y).toBe(100);
  expect([hasRoom({ x: 0, y: 0, scale: 1 }, { x: 0, y: 0, w: 800, h: 1 }, screen), hasRoom({ x: 0, y: 0, scale: 2 }, { x: 0, y: 0, w: 800, h: 1 }, screen)]).toEqual([true, false]);
});
