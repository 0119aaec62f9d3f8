import { expect, test } from "vitest";
import { MatrixPanel, linesOf, placeOf } from "./matrix-panel.js";
import { HOSTILE } from "../testing/explorers.js";
import { contextOf, momentAt, press, showOf, step } from "../testing/panels-shown.js";

const STEPS = [
  step({
    edits: [
      ["a/cell/0/0", null, 2.5],
      ["a/cell/1/0", null, 0],
      ["b/cell/0/1", null, 9],
    ],
  }),
  step({ edits: [["a/cell/0/1", null, -1 / 3]] }),
];

function open() {
  const show = showOf(STEPS);
  const { context } = contextOf(show);
  const description = {
    id: "m",
    kind: "matrix",
    run: "a",
    rows: ["f", HOSTILE],
    columns: ["x", "y"],
    label: "Jacobian",
  };
  const panel = new MatrixPanel(description as ConstructorParameters<typeof MatrixPanel>[0], context);
  document.body.replaceChildren(panel.element);
  const cell = (i: number, j: number) => panel.element.querySelector<HTMLElement>(`[data-cell="${i}/${j}"]`)!;
  const lit = () => [...panel.element.querySelectorAll("[data-lit]")].map((at) => at.textContent);
  return { panel, show, cell, lit, readout: () => panel.element.querySelector(".adviz-readout")!.textContent };
}

test("a key names a place of its run; a row or column that all places share is the one being filled", () => {
  expect(placeOf("a/cell/3/14", "a")).toEqual([3, 14]);
  expect(placeOf("b/cell/3/14", "a")).toBeNull();
  expect(placeOf("a/value/3", "a")).toBeNull();
  expect(
    linesOf([
      [0, 0],
      [1, 0],
    ]),
  ).toEqual({ row: null, column: 0 });
  expect(linesOf([[3, 4]])).toEqual({ row: 3, column: 4 });
  expect(linesOf([])).toEqual({ row: null, column: null });
});

test("the unknown, zeros and numbers look different", () => {
  const { panel, show, cell } = open();
  panel.show(momentAt(show, 1));
  expect([cell(0, 0), cell(1, 0), cell(1, 1)].map(({ textContent }) => textContent)).toEqual(["2.5", "·", ""]);
  expect([cell(0, 0), cell(1, 0), cell(1, 1)].map((at) => at.getAttribute("aria-label"))).toEqual([
    "2.5",
    "0",
    "not yet known",
  ]);
});

test("the column being filled is lit, with its head", () => {
  const { panel, show, lit } = open();
  panel.show(momentAt(show, 1));
  expect(lit()).toEqual(["x", "2.5", "·"]);
  panel.show(momentAt(show, 2));
  expect(lit()).toEqual(["y", "f", "−0.3333"]);
  panel.show(momentAt(show, 0));
  expect(lit()).toEqual([]);
});

test("only what changed is written, and the same results", () => {
  const { panel, show, cell } = open();
  panel.show(momentAt(show, 1));
  panel.show({ ...momentAt(show, 2), changed: new Set(["a/cell/0/1", "b/cell/0/0", "a/value/3"]) });
  expect(cell(0, 1).textContent).toBe("−0.3333");
  panel.show({ ...momentAt(show, 1), changed: new Set(["a/cell/0/1"]) });
  expect(cell(0, 1).textContent).toBe("");
});

test("arrows move from entry to entry, and every digit can be read", () => {
  const { panel, show, cell, readout } = open();
  panel.show(momentAt(show, 2));
  cell(0, 0).focus();
  expect(press(cell(0, 0), "ArrowRight").defaultPrevented).toBe(true);
  expect(document.activeElement).toBe(cell(0, 1));
  expect(readout()).toBe("f, y: −0.3333333333333333");
  press(cell(0, 1), "ArrowUp");
  expect(document.activeElement).toBe(cell(0, 1));
  expect(panel.element.querySelectorAll("[tabindex='0']")).toHaveLength(1);
});

test("hostile labels stay text", () => {
  const { panel } = open();
  expect(panel.element.querySelector("tbody tr:last-child th")!.textContent).toBe(HOSTILE);
  expect(panel.element.querySelector("img, script")).toBeNull();
});

test("a large matrix shows its structure", () => {
  const names = Array.from({ length: 40 }, (_, k) => `x${k}`);
  const show = showOf([]);
  const panel = new MatrixPanel(
    { id: "m", kind: "matrix", run: "a", rows: names, columns: names, label: "Jacobian" },
    contextOf(show).context,
  );
  expect(panel.element.querySelector("table")!.hasAttribute("data-dense")).toBe(true);
  expect(panel.element.querySelectorAll("[data-cell]")).toHaveLength(1600);
});

test("rows and columns are linked to their nodes: heads and entries select them, and are marked with them", () => {
  const show = showOf(STEPS);
  const { context, selected } = contextOf(show);
  const description = {
    id: "m",
    kind: "matrix" as const,
    run: "a",
    rows: ["f", "row 1"],
    row_nodes: [2, null],
    columns: ["x", "y"],
    column_nodes: [0, 1],
    label: "Jacobian",
  };
  const panel = new MatrixPanel(description, context);
  const click = (selector: string): void =>
    void panel.element.querySelector(selector)!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  click("thead th:last-child");
  click('[data-cell="0/0"]');
  click("tbody tr:last-child th");
  expect(selected).toEqual([[1], [2, 0]]);
  panel.mark([1, 2]);
  expect([...panel.element.querySelectorAll("[data-selected]")].map((head) => head.textContent)).toEqual(["y", "f"]);
  panel.mark([]);
  expect(panel.element.querySelector("[data-selected]")).toBeNull();
});
