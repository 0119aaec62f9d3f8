import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EliminationMove } from "../host.js";
import { NAUMANN, eliminationShow, extendedPanel, ownOf, playElimination } from "../testing/elimination-shows.js";
import { still } from "../testing/shows.js";

const VERTICES: EliminationMove[] = [["vertex", "3"], ["vertex", "2"], ["vertex", "4"]];

/** A Player of a show whose picture is the extended Jacobian, as that of large graphs is. */
function play(cursor = 0) {
  const own = ownOf(NAUMANN, "vertex");
  const show = eliminationShow(own, VERTICES);
  const played = playElimination({ ...show, panels: [extendedPanel(own), ...show.panels.slice(1)], own: null }, { cursor });
  return { ...played, length: show.steps.length };
}

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

test("at the start it says how many intermediates there are, and what the matrix is", () => {
  const { words } = play();
  expect(words()).toEqual(expect.arrayContaining(["Extended Jacobian", "3 intermediates left", "given", "fill-in"]));
});

test("a product names its pivot and counts what came in and what was absorbed", () => {
  const { words, press } = play();
  press("ArrowRight");
  expect(words()).toEqual(expect.arrayContaining(["Pivot v3", "Markowitz degree 1 × 1 = 1", "so far 0 fill-ins, 1 absorption"]));
});

test("at the end the Jacobian is left with its numbers, and one step back there is an intermediate again", () => {
  const { words, press } = play();
  press("End");
  expect(words()).toContain("The Jacobian");
  expect(words().some((word) => /^−?\d+$/.test(word))).toBe(true);
  press("ArrowLeft");
  expect(words()).toContain("1 intermediate left");
});

test("what is seen is described by the caption", () => {
  const { player, press, text } = play();
  press("ArrowRight");
  expect(player.element.querySelector(".adviz-flow")!.getAttribute("aria-description")).toBe(text(".adviz-caption"));
});
