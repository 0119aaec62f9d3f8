import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { playAlgebra, still } from "../testing/algebra-shows.js";
import type { DependenciesPanel } from "../scene/scene.js";

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const waiting = (cycle: number[]): DependenciesPanel => ({
  id: "dependencies",
  kind: "dependencies",
  run: "algebra",
  sets: Array.from({ length: 5 }, () => ({ multiplications: ["e₁₂ · e₂₃", "e₂₃ · e₃₄"], waits: [[0, 1], ...(cycle.length ? [[1, 0]] : [])] as [number, number][], cycle })),
});

test("where nothing waits, that is told", () => {
  const { find, all } = playAlgebra("paths");
  expect(find(".adviz-dependencies p").textContent).toContain("none waits for another");
  expect(all(".adviz-waiting path")).toHaveLength(0);
});

test("an arrow leads from each multiplication to those that it waits for", () => {
  const { all, find, point, letters } = playAlgebra("crossed", {}, { panels: [...playAlgebra("crossed").scene.panels, waiting([])] });
  expect(all(".adviz-waiting path")).toHaveLength(1);
  expect(all(".adviz-waiting [data-cycle]")).toHaveLength(0);
  expect(find(".adviz-waiting li").getAttribute("aria-description")).toBe("waits for e₂₃ · e₃₄");
  point(find(".adviz-waiting li"));
  expect(letters()).toEqual([]);
});

test("those that wait in a circle are marked, with their arrows, and told", () => {
  const { all, find } = playAlgebra("crossed", {}, { panels: [waiting([0, 1])] });
  expect(all(".adviz-waiting path[data-cycle]")).toHaveLength(2);
  expect(all(".adviz-waiting li[data-cycle]")).toHaveLength(2);
  expect(find(".adviz-dependencies p").textContent).toContain("in a circle");
});
