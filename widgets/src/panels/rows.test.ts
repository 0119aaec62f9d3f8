import { expect, test, vi } from "vitest";
import { ROW, Rows, scrolledTo, windowOf } from "./rows.js";
import { contextOf, press, showOf } from "../testing/panels-shown.js";
import { html } from "../ui/dom.js";

test("only rows in sight are kept, with some to spare", () => {
  expect(windowOf(0, 10 * ROW, 10_000)).toEqual([0, 18]);
  expect(windowOf(5000 * ROW, 10 * ROW, 10_000)).toEqual([4992, 5018]);
  expect(windowOf(9990 * ROW, 10 * ROW, 10_000)).toEqual([9982, 10_000]);
});

test("a window past the end is empty or at the end, never upside down", () => {
  for (const [top, count] of [
    [500, 0],
    [1e6, 3],
    [-50, 3],
  ] as const) {
    const [first, last] = windowOf(top, 100, count);
    expect(first).toBeLessThanOrEqual(last);
    expect(last).toBeLessThanOrEqual(count);
    expect(first).toBeGreaterThanOrEqual(0);
  }
});

test("a row in sight is not scrolled to; another comes to the middle, within the list", () => {
  expect(scrolledTo(3, 0, 10 * ROW, 100)).toBe(0);
  expect(scrolledTo(50, 0, 11 * ROW, 100)).toBe(45 * ROW);
  expect(scrolledTo(0, 900, 10 * ROW, 100)).toBe(0);
  expect(scrolledTo(99, 0, 10 * ROW, 100)).toBe(90 * ROW);
  expect(scrolledTo(1, 0, 2.5 * ROW, 2)).toBe(0);
});

function listed(count: number) {
  const { context, selected, runs, ending } = contextOf(showOf([]));
  const rows = new Rows(
    {
      label: "Numbers",
      head: ["n"],
      widths: [5],
      nodes: Array.from({ length: count }, (_, k) => 10 * k),
      cells: (row) => [html("span", String(row))],
      fill: () => {},
    },
    context,
  );
  const shown = () =>
    [...rows.element.querySelectorAll<HTMLElement>("[data-row]")].map(({ dataset }) => Number(dataset["row"]));
  return { rows, selected, runs, shown, ending };
}

test("a list of 10,000 rows has a few dozen in the document, in order, and tells how many there are", () => {
  const { rows, shown } = listed(10_000);
  expect(shown().length).toBeLessThan(60);
  rows.element.scrollTop = 7000 * ROW;
  rows.draw();
  expect(shown()).toContain(7000);
  rows.element.scrollTop = 6990 * ROW;
  rows.draw();
  expect(shown()).toEqual([...shown()].sort((a, b) => a - b));
  expect(shown().length).toBeLessThan(60);
  expect(rows.element.getAttribute("aria-rowcount")).toBe("10001");
});

test("a node whose turn it is comes into sight", () => {
  const { rows, shown } = listed(10_000);
  rows.show(50_000);
  expect(shown()).toContain(5000);
  expect(rows.element.querySelector("[data-current]")?.getAttribute("data-row")).toBe("5000");
});

test("arrows select the next row and Enter runs to it; the player does not hear of them", () => {
  const { rows, selected, runs } = listed(100);
  const outside = vi.fn();
  const parent = html("div", rows.element);
  parent.addEventListener("keydown", outside);
  rows.mark([30]);
  press(rows.element, "ArrowDown");
  expect(selected).toEqual([[40]]);
  rows.mark([40]);
  press(rows.element, "ArrowUp");
  press(rows.element, "PageDown");
  expect(selected).toEqual([[40], [30], [140]]);
  press(rows.element, "Enter");
  expect(runs).toEqual([40]);
  expect(outside).not.toHaveBeenCalled();
  press(rows.element, " ");
  expect(outside).toHaveBeenCalledOnce();
});

test("a click selects, a double click runs to the node", () => {
  const { rows, selected, runs } = listed(5);
  const cell = rows.element.querySelector("[data-row='3'] span")!;
  cell.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  cell.dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  expect([selected, runs]).toEqual([[[30]], [30]]);
});

test("marks from elsewhere are shown, and the first is where the keyboard is", () => {
  const { rows } = listed(5);
  rows.mark([20, 40]);
  const chosen = [...rows.element.querySelectorAll("[aria-selected='true']")];
  expect(chosen.map((line) => line.getAttribute("data-row"))).toEqual(["2", "4"]);
  expect(rows.element.getAttribute("aria-activedescendant")).toBe(chosen[0]!.id);
  rows.mark([7]);
  expect(rows.element.hasAttribute("aria-activedescendant")).toBe(false);
});

test("after its end the list hears nothing", () => {
  const { rows, selected, ending } = listed(5);
  ending.abort();
  press(rows.element, "ArrowDown");
  expect(selected).toEqual([]);
});
