import { expect, test } from "vitest";
import { MemoryPanel } from "./memory-panel.js";
import type { MemoryBlock, MemoryPanel as Description } from "../scene/document.js";
import { contextOf, momentAt, showOf, step } from "../testing/panels-shown.js";

const block = (name: string, node: number, first: number, last: number, offset: number, more: Partial<MemoryBlock> = {}): MemoryBlock => ({
  ...{ node, name, first, last, offset, bytes: 16 },
  ...more,
});

/** Three values one after the other: a is read by b, and b by c. */
const PANEL: Description = {
  id: "memory",
  kind: "memory",
  run: "a",
  running: ["a", "b", "c"],
  at: [0, 1, 2, 3],
  layouts: [
    { method: "naive", words: "a buffer for each value", bytes: 48, blocks: [block("a", 0, 0, 1, 0), block("b", 1, 1, 2, 16), block("c", 2, 2, 3, 32)] },
    { method: "planned", words: "buffers are shared", bytes: 32, blocks: [block("a", 0, 0, 1, 0), block("b", 1, 1, 2, 16), block("c", 2, 2, 3, 0, { before: 0 })] },
    { method: "in place", words: "written over", bytes: 16, blocks: [block("a", 0, 0, 1, 0), block("b", 1, 1, 2, 0, { before: 0, in_place: true }), block("c", 2, 2, 3, 0, { before: 1, in_place: true })] },
  ],
  chosen: 1,
  peak: 1,
  bound: 32,
};

const SHOW = showOf([step({ edits: [] }), step({ edits: [] }), step({ edits: [] })]);

function shown() {
  const { context, selected, ending } = contextOf(SHOW);
  const panel = new MemoryPanel(PANEL, context);
  const at = (cursor: number): void => panel.show(momentAt(SHOW, cursor));
  const all = (selector: string): Element[] => [...panel.element.querySelectorAll(selector)];
  return { panel, at, all, selected, ending };
}

const lives = (all: (selector: string) => Element[]): string[] => all("[data-block]").map((one) => (one as SVGElement).dataset["life"]!);

test("a value lives from when it is computed until it was read last", () => {
  const { at, all } = shown();
  const found = [0, 1, 2, 3].map((cursor) => (at(cursor), lives(all)));
  expect(found).toEqual([
    ["later", "later", "later"],
    ["now", "later", "later"],
    ["now", "now", "later"],
    ["over", "now", "now"],
  ]);
});

test("the switch has the bytes of each plan, and a share that is seen", () => {
  const { all } = shown();
  expect(all("[data-way]").map(({ textContent }) => textContent)).toEqual(["naive48 B", "planned32 B", "in place16 B"]);
  expect(all("[data-way]").map((one) => (one as HTMLElement).style.getPropertyValue("--share"))).toEqual(["1", String(2 / 3), String(1 / 3)]);
  expect(all("[aria-pressed=true]").map(({ textContent }) => textContent)).toEqual(["planned32 B"]);
});

test("the switch turns to another plan, in which bytes are handed over", () => {
  const { panel, at, all } = shown();
  const turn = (way: number): unknown => all("[data-way]")[way]!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  at(2);
  expect(all(".adviz-memory-hand").length).toBe(1);
  turn(2);
  expect(all("[aria-pressed=true]").map(({ textContent }) => textContent)).toEqual(["in place16 B"]);
  expect(all(".adviz-memory-hand").length).toBe(2);
  expect(panel.element.querySelector(".adviz-memory-words")!.textContent).toContain("in place: written over. 16 B");
  turn(0);
  expect(all(".adviz-memory-hand").length).toBe(0);
});

test("going back shows the same as going on", () => {
  const { panel, at } = shown();
  at(1);
  const before = panel.element.innerHTML;
  at(3);
  at(1);
  expect(panel.element.innerHTML).toBe(before);
});

test("a click selects the op, and what is selected elsewhere is marked", () => {
  const { panel, all, selected } = shown();
  all("[data-block]")[2]!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(selected).toEqual([[2]]);
  panel.mark([1]);
  expect(all("[data-mark=selected] title").map(({ textContent }) => textContent)).toEqual(["b: 16 bytes from byte 16 on; computed as number 2, read last by c"]);
});

test("while questions are asked, what is still to come is not told", () => {
  const { panel } = shown();
  panel.ask(null, true);
  expect(panel.element.dataset["quiz"]).toBe("");
  panel.ask(null, false);
  expect(panel.element.dataset["quiz"]).toBeUndefined();
});
