import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Association, named } from "./levels-panel.js";
import { panelOf } from "../scene/scene.js";
import { playAlgebra, still } from "../testing/algebra-shows.js";

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

test("orders have names", () => {
  expect(named([[0, 1], [2, 3]])).toBe("(J₁ J₂) (J₃ J₄)");
  expect(named([0, [1, 2]])).toBe("J₁ (J₂ J₃)");
});

test("what products cost is what Python counts: 9 from the ends, 8 from either side", () => {
  const levels = panelOf(playAlgebra("crossed").scene, "levels")!;
  const cost = (...joins: number[]): number => joins.reduce((now, at) => now.joined(at), Association.start(levels)).cost;
  expect([cost(0, 1, 0), cost(0, 0, 0), cost(2, 1, 0)]).toEqual([9, 8, 8]);
});

test("zeros are blank, and copies are pale ones", () => {
  const { all } = playAlgebra("crossed");
  const cells = [...all(".adviz-level")[2]!.querySelectorAll("tbody td")].map((cell) => cell.textContent);
  expect(cells).toEqual(["1", "", "", "1", "e₄₂", "e₄₃"]);
  expect(all(".adviz-level [data-copy]")).toHaveLength(2);
});

test("a click between two matrices multiplies them, and tells the cost so far beside the best", () => {
  const { all, find, click, host } = playAlgebra("crossed");
  click(find('[data-join="0"]'));
  expect(all(".adviz-level figcaption").map((each) => each.textContent)).toEqual(["J₁ J₂", "J₃", "J₄"]);
  expect(find(".adviz-levels-told").textContent).toBe("4 multiplications so far. The cheapest order, J₁ (J₂ (J₃ J₄)), takes 8.");
  expect(host.told).toContainEqual(["association", [[0, 1], 2, 3]]);
  click(find('[data-join="1"]'));
  click(find('[data-join="0"]'));
  expect(find(".adviz-levels-told").textContent).toBe("(J₁ J₂) (J₃ J₄) takes 9 multiplications. The cheapest order, J₁ (J₂ (J₃ J₄)), takes 8.");
});

test("an order that none undercuts is told so", () => {
  const { find, click } = playAlgebra("crossed");
  for (let k = 0; k < 3; k++) click(find('[data-join="0"]'));
  expect(find(".adviz-levels-told").textContent).toBe("((J₁ J₂) J₃) J₄ takes 8 multiplications. No order takes fewer.");
});

test("products are undone one by one, or all", () => {
  const { all, find, click, host } = playAlgebra("crossed");
  const undo = find('[data-act="undo"]') as HTMLButtonElement;
  expect(undo.disabled).toBe(true);
  click(find('[data-join="0"]'));
  click(find('[data-join="0"]'));
  click(undo);
  expect(all(".adviz-level")).toHaveLength(3);
  click(find('[data-act="again"]'));
  expect(all(".adviz-level")).toHaveLength(4);
  expect(host.told.at(-1)).toEqual(["association", [0, 1, 2, 3]]);
});

test("what Python has multiplied is shown", () => {
  const { all, host } = playAlgebra("crossed", { association: [[0, 1], 2, 3] });
  expect(all(".adviz-level")).toHaveLength(3);
  host.tell("association", [[[0, 1], [2, 3]]]);
  expect(all(".adviz-level")).toHaveLength(1);
});

test("an entry lights its letters", () => {
  const { all, point, letters, edges } = playAlgebra("crossed");
  point(all("[data-entry]")[0]!);
  expect(new Set(letters())).toEqual(new Set(["e75"]));
  expect(edges("copy")).toEqual(["4.6"]);
});
