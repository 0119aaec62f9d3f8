import { expect, test } from "vitest";
import { barOf, drawGroup, outlineOf } from "./op-shapes.js";

const BOX = { w: 100, h: 40 };
const LOOK = { fill: "paper", line: "ink", thickness: 1, dashed: false };

test("each kind of op has an outline of its own, inside its box", () => {
  const outlines = (["storage", "constant", "assign", "order"] as const).map((sort) => outlineOf(sort, BOX, LOOK)[0]!.points);
  expect(new Set(outlines.map(String)).size).toBe(4);
  for (const outline of outlines) {
    expect(Math.max(...outline.map(Math.abs))).toBeLessThanOrEqual(50);
    expect(outline.slice(-2)).toEqual(outline.slice(0, 2));
  }
});

test("storage has a lid, and a part of a derivative a bar above it", () => {
  expect(outlineOf("storage", BOX, LOOK)).toHaveLength(2);
  expect(barOf(BOX).points).toEqual([-46, -24, -46, -24, 46, -24, 46, -24]);
});

test("a box around ops says what they have in common, as text", () => {
  const drawn = drawGroup({ label: "<b>layer</b>", parent: 0, nodes: [], x: 10, y: 20, w: 100, h: 60 });
  expect(drawn.querySelector("text")!.textContent).toBe("<b>layer</b>");
  expect(drawn.querySelector("b")).toBeNull();
  expect(drawn.getAttribute("transform")).toBe("translate(10,20)");
});

test("a box that can be folded has a minus", () => {
  const box = { label: "softmax", parent: -1, nodes: [], x: 0, y: 0, w: 100, h: 60 };
  expect(drawGroup({ ...box, composite: true }).querySelector("[data-close]")).not.toBeNull();
  expect(drawGroup(box).querySelector("[data-close]")).toBeNull();
});
