import { expect, test } from "vitest";
import { Drawing } from "./drawing.js";
import type { Mark } from "./marks.js";

const box = (key: string, changes: object = {}): Mark => ({
  ...({ type: "box", key, x: 1, y: 2, w: 30, h: 10, corner: 3, fill: "paper", line: "ink", thickness: 1.5 } as const),
  ...{ dashed: false, opacity: 1 },
  ...changes,
});
const words = (key: string, text: string): Mark => ({
  ...({ type: "text", key, x: 5, y: 6, text, size: 18, fill: "positive", font: "bold", opacity: 0.5 } as const),
});

test("an element stays from one moment to the next, and what differs is written", () => {
  const drawing = new Drawing();
  drawing.show([box("a"), words("b", "2")]);
  const [rect, text] = [...drawing.element.children];
  expect([rect!.getAttribute("width"), rect!.getAttribute("stroke-dasharray"), text!.textContent]).toEqual(["30", "none", "2"]);
  drawing.show([box("a", { w: 40, dashed: true }), words("b", "3")]);
  expect([...drawing.element.children]).toEqual([rect, text]);
  expect([rect!.getAttribute("width"), rect!.getAttribute("stroke-dasharray"), text!.textContent]).toEqual(["40", "5 4", "3"]);
});

test("what is not shown any more goes, and the order is that of the marks", () => {
  const drawing = new Drawing();
  drawing.show([box("a"), box("b"), box("c")]);
  const [a, , c] = [...drawing.element.children];
  drawing.show([box("c"), words("d", "new"), box("a")]);
  expect([...drawing.element.children].map(({ tagName }) => tagName)).toEqual(["rect", "text", "rect"]);
  expect([drawing.element.children[0], drawing.element.children[2]]).toEqual([c, a]);
  drawing.show([]);
  expect(drawing.element.children.length).toBe(0);
});

test("a key that becomes another shape gets another element, and text stays text", () => {
  const drawing = new Drawing();
  drawing.show([box("a")]);
  drawing.show([words("a", "<b>1</b>")]);
  expect([...drawing.element.children].map(({ tagName }) => tagName)).toEqual(["text"]);
  expect([drawing.element.textContent, drawing.element.querySelector("b")]).toEqual(["<b>1</b>", null]);
});
