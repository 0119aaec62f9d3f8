import { expect, test } from "vitest";
import { TapePanel } from "./tape-panel.js";
import type { TapePanel as Description } from "../scene/scene.js";
import { HOSTILE } from "../testing/explorers.js";
import { STEPS, contextOf, momentAt, press, showOf, step } from "../testing/panels-shown.js";

const description = (label = "x"): Description => ({
  id: "tape",
  kind: "tape",
  run: "a",
  rows: [
    { node: 0, label, detail: "2", dead: false },
    { node: 1, label: "y", title: "v1 = y", detail: "-3", dead: true },
    { node: 2, label: "v2 = v0 · v1", detail: "-6", dead: false },
  ],
});

function open(label?: string) {
  const show = showOf(STEPS);
  const { context, selected, runs } = contextOf(show);
  const panel = new TapePanel(description(label), context);
  const line = (row: number) => panel.element.querySelector<HTMLElement>(`[data-row="${row}"]`)!;
  const texts = (row: number) => [...line(row).children].map(({ textContent }) => textContent);
  return { panel, show, line, texts, selected, runs };
}

test("before the first step nothing is stored and nobody has had a turn", () => {
  const { texts, panel } = open();
  expect(texts(2)).toEqual(["", "v2 = v0 · v1 -6", "", ""]);
  expect(panel.element.querySelector("[data-passed], [data-current], [data-lit]")).toBeNull();
});

test("a step shows its node with the arrow of direction, what is stored, and where it goes", () => {
  const { panel, show, texts, line } = open();
  panel.show(momentAt(show, 3));
  expect(texts(2)).toEqual(["▲", "v2 = v0 · v1 -6", "16 B", "1"]);
  expect(line(0).hasAttribute("data-partner")).toBe(true);
  expect(line(2).hasAttribute("data-partner")).toBe(false);
});

test("the last column is headed by what the sweep carries, and a title says what a name does not", () => {
  const { panel, line } = open();
  const heads = [...panel.element.querySelectorAll('[role="columnheader"]')].map(({ textContent }) => textContent);
  expect(heads).toEqual(["▲", "node", "stored", "adjoint"]);
  expect([1, 2].map((row) => line(row).querySelector<HTMLElement>(".adviz-row-node")!.title)).toEqual(["v1 = y", "v2 = v0 · v1"]);
});

test("what has just been written is lit; what was freed says so; what never was is empty", () => {
  const { panel, show, line, texts } = open();
  panel.show(momentAt(show, 4));
  expect(line(0).lastElementChild!.hasAttribute("data-lit")).toBe(true);
  panel.show(momentAt(show, 5));
  expect(texts(2)).toEqual(["▲", "v2 = v0 · v1 -6", "freed", "freed"]);
  expect(texts(0).slice(2)).toEqual(["", "−3"]);
  expect(line(0).lastElementChild!.hasAttribute("data-lit")).toBe(false);
  expect(line(1).hasAttribute("data-dead")).toBe(true);
});

test("going back shows the same as coming from the start", () => {
  const { panel, show } = open();
  const pictures = show.steps.map((_, k) => {
    panel.show(momentAt(show, k));
    return panel.element.innerHTML;
  });
  for (let k = show.steps.length - 1; k >= 0; k--) {
    panel.show(momentAt(show, k));
    expect(panel.element.innerHTML).toBe(pictures[k]);
  }
});

test("rows select their node by keyboard", () => {
  const { panel, selected } = open();
  press(panel.element.querySelector("[role=grid]")!, "ArrowDown");
  expect(selected).toEqual([[0]]);
});

test("where playing stops is shown, and gone when it is not", () => {
  const { panel, line } = open();
  panel.breaks(new Set([2]));
  expect([line(2).hasAttribute("data-break"), line(0).hasAttribute("data-break")]).toEqual([true, false]);
  panel.breaks(new Set());
  expect(line(2).hasAttribute("data-break")).toBe(false);
});

test("a value that is not computed yet is not told", () => {
  const show = showOf([step({ edits: [["a/value/2", null, -6]], node: 2 })]);
  const panel = new TapePanel(description(), contextOf(show).context);
  const hidden = () => [...panel.element.querySelectorAll("small")].map((value) => value.hidden);
  expect(hidden()).toEqual([false, false, true]);
  panel.show(momentAt(show, 1));
  expect(hidden()).toEqual([false, false, false]);
});

test("hostile labels stay text", () => {
  const { texts, panel } = open(HOSTILE);
  expect(texts(0)[1]).toBe(`${HOSTILE} 2`);
  expect(panel.element.querySelector("img, script")).toBeNull();
});
