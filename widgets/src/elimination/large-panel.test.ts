import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EliminationMove } from "../host.js";
import { Picture } from "../picture/picture.js";
import { NAUMANN, eliminationShow, largePanel, ownOf, playElimination } from "../testing/elimination-shows.js";
import { still } from "../testing/shows.js";

const VERTICES: EliminationMove[] = [["vertex", "3"], ["vertex", "2"], ["vertex", "4"]];
const FILLED = [[0, 4], [1, 4], [0, 5], [1, 5], [0, 6], [1, 6]] as const;

/** A Player of a show whose graph is drawn as large ones are, and hands to use it. */
function play(cursor = 0) {
  const own = ownOf(NAUMANN, "vertex");
  const show = eliminationShow(own, VERTICES);
  const panels = [largePanel(own, [...NAUMANN, ...FILLED]), ...show.panels.slice(1)];
  const steps = show.steps.map((step) => ({ ...step, focus: step.focus.map((key) => key.replace("elimination/", "cgraph/")) }));
  const played = playElimination({ ...show, panels, steps, own: null }, { cursor });
  const line = (key: string): Element => played.player.element.querySelector(`[data-edge="${key}"]`)!;
  return {
    ...played,
    isThere: (key: string): boolean => !played.item(key).hasAttribute("data-absent"),
    role: (key: string): string | null => played.item(key).getAttribute("data-role"),
    number: (key: string): string => played.item(key).querySelector(".adviz-factor")!.textContent!,
    line,
  };
}

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("at the start there is the graph with its labels, and no fill-in", () => {
  const { isThere, number, text } = play();
  expect(["vertex/3", "edge/2.3", "edge/2.4"].every(isThere)).toBe(true);
  expect(isThere("edge/0.4")).toBe(false);
  expect(number("edge/2.4")).toBe("5");
  expect(text(".adviz-note")).toBe("Everything is here.");
});

test("a product shows its factors and what it makes", () => {
  const { role, number, line } = play(1);
  expect(["2.3", "3.4", "2.4"].map((thing) => role(`edge/${thing}`))).toEqual(["factor", "factor", "changed"]);
  expect(number("edge/2.4")).toBe("29");
  expect(line("edge/2.4").getAttribute("data-role")).toBe("changed");
});

test("what the step took away is a ghost, and with the next step it is gone", () => {
  const { isThere, role, press } = play(2);
  for (const key of ["vertex/3", "edge/2.3", "edge/3.4"]) expect([isThere(key), role(key)]).toEqual([false, "gone"]);
  press("ArrowRight");
  expect([role("vertex/3"), role("edge/0.4")]).toEqual([null, "fresh"]);
});

test("a vertex is selected by a click", () => {
  const { item, click, host } = play();
  click(item("vertex/3"));
  expect(host.selection).toEqual([3]);
  expect(item("vertex/3").getAttribute("data-mark")).toBe("selected");
});

test("at the end all of the picture is seen, and before it the step", () => {
  const survey = vi.spyOn(Picture.prototype, "survey");
  const { press } = play();
  press("ArrowRight");
  expect(survey).not.toHaveBeenCalled();
  press("End");
  expect(survey).toHaveBeenCalled();
});
