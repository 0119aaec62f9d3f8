import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { playAlgebra, still } from "../testing/algebra-shows.js";

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
  Element.prototype.scrollIntoView = (): void => {};
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

test("the core is told as complex, and at the end blocks and chains stand in each other", () => {
  const { all, go } = playAlgebra("crossed");
  expect(all(".adviz-outline-row").map((row) => row.dataset["sort"])).toEqual(["core"]);
  go(4);
  expect(all(".adviz-outline-row").map((row) => row.getAttribute("aria-level"))).toEqual(["1", "2", "3", "4", "4", "2", "3", "4", "4", "1"]);
});

test("a row lights its edges and the bracket that it is", () => {
  const { all, point, edges, letters, go } = playAlgebra("crossed");
  go(4);
  point(all(".adviz-outline-row")[3]!);
  expect(edges().sort()).toEqual(["0.7", "7.4"]);
  expect(letters()).toEqual(["e52", "e21"]);
});

test("an edge marks the chains and blocks that hold it", () => {
  const { all, find, point, go } = playAlgebra("crossed");
  go(4);
  point(find('[data-key="edge/4.6"]'));
  expect(all(".adviz-outline-row[data-holds]").map((row) => row.textContent)).toEqual(["block v1 → v7, simple, indirect", expect.stringContaining("chain v1 → v7, indirect: e₇₅")]);
});

test("arrow keys go from row to row", () => {
  const { all, press, edges, go } = playAlgebra("crossed");
  go(4);
  const rows = all(".adviz-outline-row");
  rows[2]!.focus();
  press(rows[2]!, "ArrowDown");
  expect(document.activeElement).toBe(rows[3]);
  expect(edges()).toHaveLength(2);
  press(rows[3]!, "ArrowUp");
  expect(document.activeElement).toBe(rows[2]);
});
