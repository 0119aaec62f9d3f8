import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EliminationMove } from "../host.js";
import type { EliminationPanel, Own, Show } from "../scene/scene.js";
import { NAUMANN, eliminationPanel, eliminationShow, ownOf, playElimination } from "../testing/elimination-shows.js";
import { HOSTILE } from "../testing/explorers.js";
import { drawn, still } from "../testing/shows.js";

const VERTICES: EliminationMove[] = [["vertex", "3"], ["vertex", "2"], ["vertex", "4"]];

const show = (moves = VERTICES, technique: Own["technique"] = "vertex", changes: Partial<Own> = {}): Show =>
  eliminationShow(ownOf(NAUMANN, technique, changes), moves);

/** The show with one picture for each reading. */
function sideBySide(): Show {
  const whole = show();
  const panel = eliminationPanel(whole.own!);
  const readings = (["graph", "line graph"] as const).map((reading): EliminationPanel => ({ ...panel, id: reading, reading, fixed: true }));
  return { ...whole, panels: [...readings, ...whole.panels.slice(1)] };
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
  const { isThere, words } = playElimination(show());
  expect(["vertex/3", "edge/2.3", "edge/2.4"].every(isThere)).toBe(true);
  expect(isThere("edge/0.4")).toBe(false);
  expect(words()).toEqual(expect.arrayContaining(["v0", "v3", "2", "5", "8"]));
});

test("a product stays at the label that takes it: old + product = new", () => {
  const { words, text } = playElimination(show(), { cursor: 1 });
  expect(text(".adviz-caption")).toBe("c₄₂ absorbs c₄₃ · c₃₂ = 6 · 4 = 24: 5 + 24 = 29.");
  const said = words().join(" ");
  expect(said).toContain("5 + 24 = 29");
  expect(words().filter((word) => /^c[₀-₉]+$/.test(word)).sort()).toEqual(["c₃₂", "c₄₂", "c₄₃"]);
});

test("a fill-in says its factors", () => {
  const { words, isThere } = playElimination(show(), { cursor: 3 });
  expect(isThere("edge/0.4")).toBe(true);
  expect(words().join(" ")).toContain("29 · 2 = 58");
});

test("the slider turns the graph into its line graph, and the key m does", () => {
  const { player, words, press } = playElimination(show());
  const slider = player.element.querySelector<HTMLInputElement>(".adviz-reading input")!;
  expect(words()).not.toContain("c₃₂");
  slider.value = "1";
  slider.dispatchEvent(new Event("input"));
  expect(words()).toContain("c₃₂");
  press("m");
  expect(slider.value).toBe("0");
  expect(words()).not.toContain("c₃₂");
});

test("every way to a step shows the same", () => {
  const { player, press } = playElimination(show());
  const looks = (): string[] => [...player.element.querySelectorAll(".adviz-flow")].flatMap(drawn);
  const forwards = [looks()];
  for (let k = 0; k < 10; k++) {
    press("ArrowRight");
    forwards.push(looks());
  }
  for (let k = 9; k >= 0; k--) {
    press("ArrowLeft");
    expect(looks()).toEqual(forwards[k]);
  }
  press("End");
  expect(looks()).toEqual(forwards[10]);
});

test("after some of its faces have gone, a vertex is a ring, and the graph says what it keeps", () => {
  const moves: EliminationMove[] = [["face", "0.2", "2.3"]];
  const { player, press, words } = playElimination(show(moves, "face"));
  press("End");
  expect(words().join(" ")).not.toContain("no c-graph any more");
  press("m");
  expect(words()).toContain("no c-graph any more: v2 keeps 3 of 4 lanes");
  expect([...player.element.querySelectorAll(".adviz-flow rect")].some((box) => box.getAttribute("stroke-dasharray") !== "none")).toBe(true);
});

test("what is chosen or pointed at in one reading is marked in both", () => {
  const { player, click, host } = playElimination(sideBySide());
  const [graph, line] = [...player.element.querySelectorAll("[data-reading]")] as [Element, Element];
  const of = (side: Element, key: string): Element => side.querySelector(`[data-key="${key}"]`)!;
  expect(of(graph, "edge/2.4").getAttribute("aria-label")).toBe("c₄₂ = 5");
  click(of(graph, "edge/2.4"));
  expect([graph, line].map((side) => of(side, "edge/2.4").getAttribute("data-mark"))).toEqual(["selected", "selected"]);
  of(line, "edge/2.3").dispatchEvent(new Event("pointerover", { bubbles: true }));
  expect([graph, line].map((side) => of(side, "edge/2.3").hasAttribute("data-lit"))).toEqual([true, true]);
  click(of(line, "vertex/3"));
  expect(host.selection).toEqual([3]);
  expect([graph, line].map((side) => of(side, "vertex/3").getAttribute("data-mark"))).toEqual(["selected", "selected"]);
  expect(of(graph, "edge/2.4").getAttribute("data-mark")).toBeNull();
  expect(player.element.querySelector(".adviz-reading input")).toBeNull();
});

test("vertices of a traced program are selected by its nodes", () => {
  const scene = show();
  const [panel] = scene.panels;
  if (panel?.kind === "elimination") panel.vertices[3]!.node = 1;
  const { item, click, host } = playElimination(scene);
  click(item("vertex/3"));
  expect(host.selection).toEqual([1]);
  expect(item("vertex/3").getAttribute("data-mark")).toBe("selected");
});

test("the keyboard goes to what is nearest in a direction, and leaves what goes", () => {
  const { item, press, isThere } = playElimination(show());
  item("vertex/3").focus();
  const high = (element: Element): number => Number(/M[\d.]+ ([\d.]+)/.exec(element.getAttribute("d")!)![1]);
  press("ArrowUp", item("vertex/3"));
  const above = document.activeElement!;
  expect(high(above)).toBeLessThan(high(item("vertex/3")));
  press("ArrowDown", above);
  expect(high(document.activeElement!)).toBeGreaterThan(high(above));
  item("vertex/3").focus();
  press("End");
  expect(isThere("vertex/3")).toBe(false);
  expect(isThere((document.activeElement as SVGElement).dataset["key"]!)).toBe(true);
});

test("twins merge, and the sum is told", () => {
  const moves: EliminationMove[] = [["face", "2.4", "4.5"], ["face", "2.3", "3.4"], ["face", "2.4.2", "4.5"]];
  const scene = show(moves, "face");
  const { press, isThere, text } = playElimination(scene);
  const at = scene.steps.findIndex(({ merge }) => merge);
  for (let k = 0; k < at; k++) press("ArrowRight");
  expect([isThere("edge/2.4"), isThere("edge/2.4.2")]).toEqual([true, true]);
  press("ArrowRight");
  expect([isThere("edge/2.4"), isThere("edge/2.4.2")]).toEqual([false, true]);
  expect(text(".adviz-caption")).toMatch(/^Twins merge, .* 24 \+ 5 = 29\.$/);
});

test("names are text, never markup", () => {
  const { player } = playElimination(show(VERTICES, "vertex", { names: Array(7).fill(HOSTILE) }), { cursor: 2 });
  expect(player.element.querySelector("img, script")).toBeNull();
  expect(player.element.textContent).toContain(HOSTILE);
});

test("with motion the factors go to the label that takes their product, which changes when they land", () => {
  vi.unstubAllGlobals();
  let next: FrameRequestCallback = () => undefined;
  vi.stubGlobal("requestAnimationFrame", (act: FrameRequestCallback) => ((next = act), 1));
  vi.spyOn(performance, "now").mockReturnValue(0);
  const { press, words } = playElimination(show());
  press("ArrowRight");
  expect(words().join(" ")).not.toContain("29");
  next(900);
  expect(words().filter((word) => ["4", "6"].includes(word))).toHaveLength(4);
  next(60_000);
  expect(words().join(" ")).toContain("5 + 24 = 29");
});
