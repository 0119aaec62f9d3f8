import { expect, test } from "vitest";
import { inReadingOrder, walk } from "./walk.js";
import type { GraphPanel, Item } from "../scene/scene.js";

const item = (key: string, x: number, y: number) => ({ key, x, y, w: 40, h: 30 }) as Item;
const [a, b, c, d, e] = [
  item("a", 100, 0),
  item("b", 50, 60),
  item("c", 150, 60),
  item("d", 220, 120),
  item("e", 50, 120),
] as const;
const edge = (tail: string, head: string) => ({ key: `${tail}>${head}`, tail, head });
const panel = {
  nodes: [d, c, b, a, e],
  edges: [edge("a", "b"), edge("a", "c"), edge("a", "d"), edge("b", "e")],
} as unknown as GraphPanel;

test("down goes to the nearest user, up to the operand", () => {
  expect(walk(panel, c, "up", null)).toBe(a);
  expect(walk(panel, a, "down", null)).toBe(b);
  expect(walk(panel, e, "down", null)).toBeNull();
});

test("sideways goes along the row", () => {
  expect(walk(panel, b, "right", null)).toBe(c);
  expect(walk(panel, c, "right", null)).toBeNull();
  expect(walk(panel, e, "right", null)).toBe(d);
});

test("after a step along an edge, sideways goes among all that it could have reached", () => {
  expect(walk(panel, c, "right", { from: "a", direction: "down" })).toBe(d);
});

test("reading order is from top to bottom", () => {
  expect(inReadingOrder(panel).map(({ key }) => key)).toEqual(["a", "b", "c", "e", "d"]);
});
