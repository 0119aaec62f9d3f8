import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { playAlgebra, still } from "../testing/algebra-shows.js";

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

test("at the start stands Bauer's formula, at the end one expression with brackets, and what each costs", () => {
  const { rows, find, go } = playAlgebra("crossed");
  expect(rows()[0]!.match(/\+/g)).toHaveLength(5);
  expect(find(".adviz-cost").textContent).toBe("16 multiplications · Bauer's formula 16 · proved best 8");
  go(4);
  expect(rows()).toEqual(["X1 = e42 e21 + e43 e31", "e71 = e75 (e52 e21 + e54 X1) + e76 (e63 e31 + e64 X1)"]);
  expect(find(".adviz-cost strong").textContent).toBe("8 multiplications");
});

test("a bracket lights exactly its edges, its letters and its block", () => {
  const { all, point, edges, letters, lit, go } = playAlgebra("crossed");
  go(4);
  point(all(".adviz-part-of[data-sort=sum]")[2]!);
  expect(edges().sort()).toEqual(["0.3", "0.7", "3.4", "7.4"]);
  expect(edges("copy")).toEqual([]);
  expect(letters()).toEqual(expect.arrayContaining(["e52", "e21", "e54", "X1"]));
  expect(lit()).toEqual(["block v1 → v5, simple: e₅₂ e₂₁ + e₅₄ X₁"]);
});

test("pointing at an edge lights all its letters, and the copies of it", () => {
  const { find, point, edges, letters, go } = playAlgebra("crossed");
  go(1);
  point(find('[data-key="edge/0.7"]'));
  expect(edges()).toEqual(["0.7"]);
  expect(edges("copy")).toEqual(["0.1"]);
  expect(new Set(letters())).toEqual(new Set(["e21"]));
});

test("a reference lights its definition, its uses and the edges that stand for it", () => {
  const { all, point, edges, letters, go } = playAlgebra("crossed");
  go(4);
  point(all(".adviz-letter[data-sort=reference]").at(-1)!);
  expect(edges().sort()).toEqual(["0.3", "0.9"]);
  expect(letters()).toEqual(["X1", "X1", "X1"]);
});

test("what is clicked stays lit when the pointer leaves, until nothing is clicked", () => {
  const { all, find, click, edges, go } = playAlgebra("crossed");
  go(4);
  click(all(".adviz-letter[data-sort=letter]").at(-1)!);
  find(".adviz-formulas").dispatchEvent(new MouseEvent("pointerleave"));
  expect(edges()).toEqual(["9.5"]);
  click(find(".adviz-formulas"));
  expect(edges()).toEqual([]);
});

test("arrow keys go through brackets and letters, and light what has the focus", () => {
  const { all, press, edges, player, go } = playAlgebra("crossed");
  go(4);
  const focused = (): HTMLElement => player.element.ownerDocument.activeElement as HTMLElement;
  const sum = all(".adviz-part-of[data-sort=sum]")[2]!;
  sum.focus();
  expect(edges()).toHaveLength(4);
  press(sum, "ArrowDown");
  expect(focused().dataset["sort"]).toBe("product");
  press(focused(), "ArrowDown");
  expect(focused().textContent).toBe("e52");
  expect(edges()).toEqual(["7.4"]);
  press(focused(), "ArrowDown");
  expect(focused().textContent).toBe("e21");
  for (let k = 0; k < 3; k++) press(focused(), "ArrowUp");
  expect(focused()).toBe(sum);
});

test("one part can be reached with the tab key, whatever the step", () => {
  const { all, go } = playAlgebra("crossed");
  for (const cursor of [0, 2, 4]) {
    go(cursor);
    expect(all(".adviz-formulas [tabindex='0']")).toHaveLength(1);
  }
});

test("a page is lit in the picture, with its own expressions and their cost; at the start and the end nothing is", () => {
  const { edges, find, go } = playAlgebra("pages");
  expect(edges()).toEqual([]);
  go(2);
  expect(edges().sort()).toEqual(["2.3", "3.4"]);
  expect(find(".adviz-cost strong").textContent).toBe("Page 2: 1 multiplication");
  go(6);
  expect(edges()).toEqual([]);
});
