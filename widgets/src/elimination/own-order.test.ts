import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listed } from "./own-order.js";
import type { EliminationMove } from "../host.js";
import type { Own } from "../scene/scene.js";
import { NAUMANN, eliminationShow, ownOf, playElimination } from "../testing/elimination-shows.js";
import { still } from "../testing/shows.js";

const VERTICES: EliminationMove[] = [["vertex", "2"], ["vertex", "3"], ["vertex", "4"]];

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

/** A show whose reader has begun an order of their own. */
function begin(technique: Own["technique"] = "vertex", changes: Partial<Own> = {}) {
  const moves = technique === "vertex" ? VERTICES : [];
  const played = playElimination(eliminationShow(ownOf(NAUMANN, technique, changes), moves));
  played.click(played.button("toggle"));
  const { host, text } = played;
  return {
    ...played,
    caption: () => text(".adviz-caption"),
    score: () => text(".adviz-own-score"),
    order: () => host.trait("order"),
  };
}

test("an order of one's own begins with the whole graph, and says how", () => {
  const { isThere, caption, score } = begin();
  expect(["vertex/2", "vertex/3", "vertex/4"].every(isThere)).toBe(true);
  expect(caption()).toBe("Your own order: choose an intermediate to eliminate it.");
  expect(score()).toBe("0 multiplications so far; the best possible is 7 (proved).");
});

test("a click on a vertex eliminates it, and Python hears of it", () => {
  const { item, click, isThere, order, host, score, caption } = begin();
  click(item("vertex/3"));
  expect(isThere("vertex/3")).toBe(false);
  expect(order()).toEqual([["vertex", "3"]]);
  expect(host.trait("cost")).toBe(1);
  expect(score()).toBe("1 multiplication so far; the best possible is 7 (proved).");
  expect(caption()).toBe("v3 is eliminated: 1 × 1 = 1 multiplication and 1 absorption.");
});

test("at the end one hears how far the best is", () => {
  const { item, click, score } = begin();
  for (const j of [3, 2, 4]) click(item(`vertex/${j}`));
  expect(score()).toBe("Done: 7 multiplications, the best possible!");
  const other = begin();
  for (const j of [2, 3, 4]) other.click(other.item(`vertex/${j}`));
  expect(other.score()).toMatch(/^Done: \d+ multiplications? from the best possible, which is 7\.$/);
});

test("who has lost already hears by how much", () => {
  const { item, click, score } = begin("vertex", { optimum: { cost: 2, proved: true, lower_bound: 2 } });
  for (const j of [3, 2]) click(item(`vertex/${j}`));
  expect(score()).toBe("3 multiplications so far: 1 more than the best possible, which is 2.");
});

test("while the best is not known, the bounds are told", () => {
  const { score } = begin("vertex", { optimum: { cost: 9, proved: false, lower_bound: 6 } });
  expect(score()).toBe("0 multiplications so far; the best known is 9, and at least 6 are needed.");
});

test("Enter does what a click does, and the keyboard goes on from there", () => {
  const { item, press, isThere } = begin();
  item("vertex/3").focus();
  press("Enter", item("vertex/3"));
  expect(isThere("vertex/3")).toBe(false);
  expect(document.activeElement!.closest(".adviz-elimination")).not.toBeNull();
  expect(isThere((document.activeElement as SVGElement).dataset["key"]!)).toBe(true);
});

test("arrows go from thing to thing, and not from step to step", () => {
  const { item, press, host } = begin();
  item("vertex/0").focus();
  press("ArrowDown", item("vertex/0"));
  const top = (element: Element): number => Number(/M[\d.]+ ([\d.]+)/.exec(element.getAttribute("d")!)![1]);
  expect(top(document.activeElement!)).toBeGreaterThan(top(item("vertex/0")));
  expect(host.trait("cost")).toBeUndefined();
});

const point = (target: Element, type = "pointerover"): unknown => target.dispatchEvent(new Event(type, { bubbles: true }));

test("what is pointed at shows what it would do, and what can still be reached, before it is done", () => {
  const { item, words, caption, order } = begin();
  point(item("vertex/4"));
  expect(caption()).toBe("Eliminate v4: 2 × 2 = 4 multiplications and 4 fill-ins (c₅₂, c₅₃, c₆₂, c₆₃). The best total is then 10, 3 more than before.");
  expect(words()).toEqual(expect.arrayContaining(["c₅₂", "c₅₃", "c₆₂", "c₆₃"]));
  expect(order()).toBeUndefined();
  point(item("vertex/4"), "pointerout");
  expect(caption()).toBe("Your own order: choose an intermediate to eliminate it.");
  expect(words()).not.toContain("c₅₂");
});

test("a label that would be added to has a plus", () => {
  const { item, words, caption } = begin();
  point(item("vertex/3"));
  expect(caption()).toBe("Eliminate v3: 1 × 1 = 1 multiplication and 1 absorption (c₄₂). The best total is still 7.");
  expect(words()).toContain("+");
});

test("by keyboard one hears the same", () => {
  const { item, press, caption } = begin();
  item("vertex/2").focus();
  press("ArrowRight", item("vertex/2"));
  const { key } = (document.activeElement as SVGElement).dataset;
  expect(key).toMatch(/^(vertex|edge)/);
  item("vertex/3").focus();
  expect(caption()).toMatch(/^Eliminate v3: 1 × 1 = 1 multiplication/);
});

test("after a move its own words are read, though the focus went on", () => {
  const { item, press, caption } = begin();
  item("vertex/3").focus();
  press("Enter", item("vertex/3"));
  expect(caption()).toMatch(/^v3 is eliminated/);
});

test("why a move would not be possible is said before it is tried", () => {
  const { item, caption, words } = begin();
  const before = words();
  point(item("vertex/0"));
  expect(caption()).toBe("v0 is an input: only intermediates are eliminated.");
  expect(words()).toEqual(before);
});

test.each([["front", "0.2", "Front-eliminate the edge v0 → v2: 2 multiplications and 2 fill-ins (c₃₀, c₄₀)."], ["back", "4.5", "Back-eliminate the edge v4 → v5: 2 multiplications and 2 fill-ins (c₅₂, c₅₃)."]] as const)(
  "%s elimination is foreseen, too",
  (sort, edge, words) => {
    const { item, caption } = begin("edge");
    point(item(`${sort}/${edge}`));
    expect(caption()).toContain(words);
  },
);

test("a face is foreseen, with the twins that would merge", () => {
  const { item, caption } = begin("face");
  point(item("face/0.2/2.3"));
  expect(caption()).toContain("Eliminate the face from c₂₀ to c₃₂: 1 multiplication and 1 fill-in (c₃₀).");
});

test("where nothing is made by hand, pointing says nothing", () => {
  const { item, caption, button, click } = begin();
  click(button("toggle"));
  const before = caption();
  point(item("vertex/2"));
  expect(caption()).toBe(before);
});

test("the usual keys take back and make again, too", () => {
  const { item, click, press, isThere } = begin();
  click(item("vertex/3"));
  press("z", undefined, { ctrlKey: true });
  expect(isThere("vertex/3")).toBe(true);
  press("Z", undefined, { ctrlKey: true, shiftKey: true });
  expect(isThere("vertex/3")).toBe(false);
});

test("why a move is not possible stands in the place of the caption, and nothing changes", () => {
  const { item, click, caption, order } = begin();
  click(item("vertex/0"));
  expect(caption()).toBe("v0 is an input: only intermediates are eliminated.");
  expect(order()).toBeUndefined();
});

test("what is no move in this technique says what would be, and is selected all the same", () => {
  const { item, click, caption, host, isThere } = begin("edge");
  click(item("vertex/3"));
  expect(caption()).toBe("Your own order: choose the right half of a label for front elimination, the left half for back elimination.");
  expect(host.selection).toEqual([3]);
  expect(isThere("vertex/3")).toBe(true);
});

test("moves are taken back and made again, as many as there are", () => {
  const { item, click, press, isThere, order, button } = begin();
  for (const j of [3, 2, 4]) click(item(`vertex/${j}`));
  press("u");
  expect([isThere("vertex/4"), isThere("vertex/2")]).toEqual([true, false]);
  press("u");
  press("u");
  press("u");
  expect(order()).toEqual([]);
  expect(button("undo").getAttribute("aria-disabled")).toBe("true");
  for (let k = 0; k < 3; k++) press("U", undefined, { shiftKey: true });
  expect(order()).toEqual([["vertex", "3"], ["vertex", "2"], ["vertex", "4"]]);
  expect(button("redo").getAttribute("aria-disabled")).toBe("true");
});

test("a move drops those that were taken back", () => {
  const { item, click, button, order } = begin();
  click(item("vertex/3"));
  click(item("vertex/2"));
  click(button("undo"));
  click(item("vertex/4"));
  expect(order()).toEqual([["vertex", "3"], ["vertex", "4"]]);
  click(button("anew"));
  expect(order()).toEqual([]);
  click(button("redo"));
  expect(order()).toEqual([["vertex", "3"]]);
});

test("the right half of a label is for front elimination, the left half for back elimination", () => {
  const { item, click, order, caption } = begin("edge");
  click(item("back/2.4"));
  expect(caption()).toMatch(/^The edge v2 → v4 is back-eliminated/);
  click(item("front/0.2"));
  expect(order()).toEqual([["back", "2.4"], ["front", "0.2"]]);
});

test("the keys that make an order are told with the others", () => {
  const { player, press } = begin();
  press("?");
  const legend = player.element.querySelector(".adviz-legend:not([hidden])")!;
  expect([...legend.querySelectorAll("li")].map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(["Enteryour own order: eliminate it", "u Uyour own order: undo, redo (also Ctrl+Z, Ctrl+Shift+Z)"]),
  );
});

test("the meters tell the best there is, not what has just been reached", () => {
  const references = [{ label: "Best known", multiplications: 7, kind: "optimum" as const }];
  const show = eliminationShow(ownOf(NAUMANN, "vertex"), VERTICES);
  const panels = show.panels.map((panel) => (panel.kind === "meters" ? { ...panel, references } : panel));
  const { click, button, item, player } = playElimination({ ...show, panels });
  click(button("toggle"));
  for (const j of [3, 2]) click(item(`vertex/${j}`));
  const numbers = [...player.element.querySelectorAll(".adviz-meter-number")].map(({ textContent }) => textContent);
  expect(numbers[0]).toBe("3, best known 7");
  expect(numbers[1]).toBe("1");
});

test("where no order can be made, its place says why", () => {
  const show = eliminationShow(ownOf(NAUMANN, "vertex"), VERTICES);
  const { player } = playElimination({ ...show, own: null, why_not_own: 'write count="scalar"' });
  expect(player.element.querySelector(".adviz-header .adviz-own")!.textContent).toBe('write count="scalar"');
  expect(player.element.querySelector("[data-own]")).toBeNull();
});

test("an edge from an input to an output stays, and that is said", () => {
  const { item, click, caption, order } = begin("edge");
  for (const edge of ["0.2", "1.2", "0.3", "1.3", "0.4", "1.4"]) click(item(`front/${edge}`));
  const made = order();
  click(item("front/0.5"));
  expect(caption()).toBe("The edge v0 → v5 cannot be front-eliminated: v5 is an output, so no edge leads on from it.");
  expect(order()).toBe(made);
});

test("a face is taken by its line", () => {
  const { item, click, order } = begin("face");
  for (const face of ["2.3/3.4", "0.2/2.4"]) click(item(`face/${face}`));
  expect(order()).toEqual([["face", "2.3", "3.4"], ["face", "0.2", "2.4"]]);
});

test("a fill-in of one's own finds a place between its ends, and nothing else moves", () => {
  const { item, click } = begin();
  const places = (): Map<string, string> => new Map([...document.querySelectorAll<SVGElement>("[data-key]")].map((each) => [each.dataset["key"]!, each.getAttribute("d")!]));
  const before = places();
  click(item("vertex/2"));
  const after = places();
  for (const [key, place] of after) if (before.has(key)) expect(place, key).toBe(before.get(key));
  const middle = (key: string): number => Number(/M([\d.]+)/.exec(after.get(key)!)![1]);
  for (const edge of ["0.3", "1.3", "0.4", "1.4"]) {
    const [tail, head] = edge.split(".") as [string, string];
    expect(middle(`edge/${edge}`)).toBeGreaterThan(middle(`vertex/${tail}`));
    expect(middle(`edge/${edge}`)).toBeLessThan(middle(`vertex/${head}`) + 44);
  }
  expect(new Set(["0.3", "1.3", "0.4", "1.4"].map((edge) => after.get(`edge/${edge}`))).size).toBe(4);
});

test("the show comes back as it was, and one's own order too", () => {
  const { item, click, button, text, isThere, host, press } = begin();
  click(item("vertex/3"));
  click(button("toggle"));
  expect(text(".adviz-step-count")).toMatch(/^0 \/ [1-9]/);
  press("ArrowRight");
  expect(host.trait("cursor")).toBe(1);
  click(button("toggle"));
  expect(isThere("vertex/3")).toBe(true);
  press("U");
  expect(isThere("vertex/3")).toBe(false);
});

test("Python may make the moves", () => {
  const { host, isThere, score } = begin();
  host.tell("order", [["vertex", "3"], ["vertex", "2"]]);
  expect([isThere("vertex/2"), isThere("vertex/3"), isThere("vertex/4")]).toEqual([false, false, true]);
  expect(score()).toContain("3 multiplications so far");
});

test("where Python saves pages, the page offers no saving", () => {
  expect(begin().button("keep").hidden).toBe(true);
});

test("a page saved with an order opens with it", () => {
  const show = eliminationShow(ownOf(NAUMANN, "vertex"), VERTICES);
  const { isThere, button } = playElimination(show, { order: [["vertex", "3"]] });
  expect(isThere("vertex/3")).toBe(false);
  expect(button("toggle").getAttribute("aria-pressed")).toBe("true");
});

test("the order is copied as Python takes it", async () => {
  const written: string[] = [];
  vi.stubGlobal("navigator", { clipboard: { writeText: async (words: string) => void written.push(words) } });
  const { item, click, button, caption } = begin();
  click(item("vertex/3"));
  click(item("vertex/2"));
  click(button("copy"));
  expect(written).toEqual(["[3, 2]"]);
  expect(caption()).toBe("Your order: [3, 2]");
});

test.each<[EliminationMove[], string]>([
  [[["front", "1.3"], ["back", "2.4"]], '[("front", 1, 3), ("back", 2, 4)]'],
  [[["face", "0.1", "1.3"], ["face", "0.1.2", "1.3"]], "[((0, 1), (1, 3)), ((0, 1, 2), (1, 3))]"],
])("moves as Python takes them: %j", (moves, words) => {
  expect(listed(ownOf(NAUMANN, "edge"), moves)).toBe(words);
});

test("vertices that are no numbers are written as Python writes them", () => {
  expect(listed(ownOf(NAUMANN, "vertex", { texts: ["'x'", "'y'", "'u'"] }), [["vertex", "2"]])).toBe("['u']");
});
