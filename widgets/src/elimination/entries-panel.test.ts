import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EliminationMove } from "../host.js";
import type { Own } from "../scene/scene.js";
import { NAUMANN, eliminationShow, ownOf, playElimination } from "../testing/elimination-shows.js";
import { still } from "../testing/shows.js";

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

/** What the Jacobian says of an entry at the end of some moves. */
function said(cell: string, moves: readonly EliminationMove[], cursor: number, technique: Own["technique"] = "vertex"): string {
  const { player, text } = playElimination(eliminationShow(ownOf(NAUMANN, technique), moves), { cursor });
  player.element.querySelector(`[data-cell="${cell}"]`)!.dispatchEvent(new Event("pointerover", { bubbles: true }));
  return text(".adviz-readout");
}

const VERTICES: EliminationMove[] = [["vertex", "2"], ["vertex", "3"], ["vertex", "4"]];

test("an entry says its product", () => {
  expect(said("0/0", VERTICES, 99)).toMatch(/^v5, v0: \d+ = c₅₄ · c₄₀$/);
});

test("an entry to which more is added says the sum", () => {
  const moves: EliminationMove[] = [["vertex", "4"], ["vertex", "3"], ["vertex", "2"]];
  const sum: EliminationMove[] = [["vertex", "2"], ["vertex", "4"], ["vertex", "3"]];
  expect(said("0/0", moves, 99)).toMatch(/^v5, v0: \d+ = c₅₂ · c₂₀$/);
  expect(said("0/0", sum, 99)).toMatch(/^v5, v0: \d+ = c₅₄ · c₄₀ \+ c₅₃ · c₃₀$/);
});

test("before it is known nothing is said of its origin", () => {
  expect(said("0/0", VERTICES, 1)).toBe("v5, v0: not yet known");
});
