import { expect, test } from "vitest";
import { MemoryPlan, memoryMarks } from "./memory-marks.js";
import type { Box, Mark } from "../motion/marks.js";
import type { MemoryPanel } from "../scene/document.js";

const SIZE = { width: 400, height: 200 };
const block = (name: string, first: number, last: number, more: object = {}) => ({ node: first, name, first, last, offset: 0, bytes: 16, ...more });
const PANEL: MemoryPanel = {
  id: "memory",
  kind: "memory",
  run: "a",
  running: ["a", "b"],
  at: [0, 1, 2],
  layouts: [{ method: "in place", words: "", bytes: 16, blocks: [block("a", 0, 1), block("b", 1, 2, { before: 0, in_place: true })] }],
  chosen: 0,
  peak: 0,
  bound: 16,
};

const boxes = (marks: readonly Mark[]): Box[] => marks.filter((mark) => mark.type === "box");
const words = (marks: readonly Mark[]): string[] => marks.flatMap((mark) => (mark.type === "text" ? mark.text : []));

test("who writes in place takes over in the middle of its turn", () => {
  expect(new MemoryPlan(PANEL, 0, SIZE).blocks.map(({ from, to }) => [from, to])).toEqual([[0, 1.5], [1.5, 3]]);
});

test("what is still to come is dashed, what lives is filled, what is over is faint", () => {
  const looks = [0, 1, 2].map((cursor) => boxes(memoryMarks(PANEL, cursor, SIZE)).map(({ fill, dashed }) => [fill, dashed]));
  expect(looks).toEqual([
    [["paper", true], ["paper", true]],
    [["ink 16", false], ["paper", true]],
    [["ink 16", false], ["ink 16", false]],
  ]);
});

test("all is inside the picture, and the name of what is computed stands where there is room", () => {
  for (const cursor of PANEL.at) {
    const marks = memoryMarks(PANEL, cursor, SIZE);
    for (const { x, y, w, h } of boxes(marks)) expect([x >= 0, y >= 0, x + w <= SIZE.width, y + h <= SIZE.height]).toEqual([true, true, true, true]);
    expect(words(marks).at(-1)).toBe(["", "a", "b"][cursor]);
  }
  expect(memoryMarks(PANEL, 2, SIZE).at(-1)).toMatchObject({ anchor: "end" });
});
