import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EliminationMove } from "../host.js";
import { Picture } from "../picture/picture.js";
import type { Own } from "../scene/scene.js";
import { NAUMANN, eliminationShow, ownOf, playElimination } from "../testing/eliminations.js";
import { HOSTILE } from "../testing/explorers.js";
import { drawn, still } from "../testing/shows.js";

const VERTICES: EliminationMove[] = [["vertex", "3"], ["vertex", "2"], ["vertex", "4"]];

const show = (moves = VERTICES, technique: Own["technique"] = "vertex") => eliminationShow(ownOf(NAUMANN, technique), moves);

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
});

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("at the start there is the graph, and no fill-in", () => {
  const { isThere, number } = playElimination(show());
  expect(["vertex/3", "edge/2.3", "edge/2.4", "node/2.4", "node/s.0"].every(isThere)).toBe(true);
  expect(["edge/0.4", "node/0.4"].some(isThere)).toBe(false);
  expect(number("edge/2.4")).toBe("5");
  expect(number("node/2.4")).toBe("5");
});

test("a product shows its factors and what it makes, on both sides", () => {
  const { role, number, text, line } = playElimination(show(), { cursor: 1 });
  expect(text(".adviz-caption")).toBe("c₄₂ absorbs c₄₃ · c₃₂ = 6 · 4 = 24: 5 + 24 = 29.");
  for (const sort of ["edge", "node"]) {
    expect(["2.3", "3.4", "2.4"].map((thing) => role(`${sort}/${thing}`))).toEqual(["factor", "factor", "changed"]);
    expect(number(`${sort}/2.4`)).toBe("29");
  }
  expect(line("face/2.3/3.4").getAttribute("data-role")).toBe("gone");
  expect(line("face/0.2/2.4").getAttribute("data-role")).toBeNull();
});

test("what the step took away is a ghost, and with the next step it is gone", () => {
  const { isThere, role, press } = playElimination(show(), { cursor: 2 });
  for (const key of ["vertex/3", "edge/2.3", "edge/3.4", "node/2.3", "node/3.4"]) {
    expect(isThere(key)).toBe(false);
    expect(role(key)).toBe("gone");
  }
  press("ArrowRight");
  expect(role("vertex/3")).toBeNull();
  expect(role("edge/0.4")).toBe("fresh");
});

test("a coarse step shows all that it made, changed and took away", () => {
  const { role, press, text } = playElimination(show());
  press("c");
  press("ArrowRight");
  expect(text(".adviz-caption")).toBe("v3 is eliminated: 1 × 1 = 1 multiplication and 1 absorption.");
  expect([role("vertex/3"), role("edge/2.3"), role("edge/2.4")]).toEqual(["gone", "gone", "changed"]);
});

test("nothing moves, forwards, backwards or by a jump, and every way to a step shows the same", () => {
  const { player, press } = playElimination(show());
  const places = (): string[] =>
    [...player.element.querySelectorAll(".adviz-node, .adviz-line")].map(
      (element) => `${element.getAttribute("data-key")} ${element.getAttribute("transform")} ${element.getAttribute("d")}`,
    );
  const looks = (): string[] =>
    [...player.element.querySelectorAll(".adviz-elimination .adviz-world")].flatMap(drawn).map((part) => part.replace(/ tabindex=-?./, ""));
  const first = places();
  const forwards = [looks()];
  for (let k = 0; k < 10; k++) {
    press("ArrowRight");
    expect(places()).toEqual(first);
    forwards.push(looks());
  }
  for (let k = 9; k >= 0; k--) {
    press("ArrowLeft");
    expect(looks()).toEqual(forwards[k]);
  }
  press("End");
  expect(looks()).toEqual(forwards[10]);
  expect(places()).toEqual(first);
});

test("an edge chosen here is the node there, and a vertex is its faces with the nodes at both ends", () => {
  const { item, line, click, host } = playElimination(show());
  const mark = (key: string): string | null => item(key).getAttribute("data-mark");
  click(item("edge/2.4"));
  expect([mark("edge/2.4"), mark("node/2.4")]).toEqual(["selected", "selected"]);
  click(item("vertex/3"));
  expect(host.selection).toEqual([3]);
  expect([mark("vertex/3"), mark("edge/2.4"), mark("node/2.4")]).toEqual(["selected", null, null]);
  expect([mark("node/2.3"), mark("node/3.4"), mark("node/4.5")]).toEqual(["feeds", "fed", null]);
  expect([line("face/2.3/3.4"), line("face/0.2/2.3")].map((face) => face.getAttribute("data-mark"))).toEqual(["path", null]);
  click(item("node/2.4"));
  expect(host.selection).toEqual([]);
  expect([mark("node/2.4"), mark("edge/2.4"), mark("vertex/3")]).toEqual(["selected", "selected", null]);
});

test("a line is as good as its label", () => {
  const { item, line, click } = playElimination(show());
  click(line("edge/2.4").querySelector(".adviz-reach")!);
  expect(item("node/2.4").getAttribute("data-mark")).toBe("selected");
});

test("vertices of a traced program are selected by its nodes", () => {
  const scene = show();
  const [cgraph] = scene.panels;
  if (cgraph?.kind === "elimination") cgraph.nodes[3]!.node = 1;
  const { item, click, host } = playElimination(scene);
  click(item("vertex/3"));
  expect(host.selection).toEqual([1]);
  expect(item("vertex/3").getAttribute("data-mark")).toBe("selected");
});

test("the keyboard goes along what is there, and leaves what goes", () => {
  const { item, press, isThere } = playElimination(show());
  item("vertex/2").focus();
  press("ArrowDown", item("vertex/2"));
  expect(document.activeElement).toBe(item("edge/2.3"));
  press("ArrowDown", item("edge/2.3"));
  expect(document.activeElement).toBe(item("vertex/3"));
  press("End");
  expect(isThere("vertex/3")).toBe(false);
  expect(isThere((document.activeElement as SVGElement).dataset["key"]!)).toBe(true);
});

test("what was not foreseen is drawn all the same", () => {
  const scene = show([["face", "2.3", "3.4"], ["face", "0.2", "2.4"]], "face");
  for (const panel of scene.panels)
    if (panel.kind === "elimination") {
      panel.nodes = panel.nodes.filter(({ key }) => key !== "node/0.4");
      panel.edges = panel.edges.filter(({ key }) => !key.includes("0.4"));
    }
  const { item, line, isThere, press } = playElimination(scene);
  press("End");
  expect(isThere("edge/0.4") && isThere("node/0.4")).toBe(true);
  expect(line("face/0.4/4.5").querySelector(".adviz-line")!.getAttribute("d")).toMatch(/^M[\d.-]/);
  expect(item("edge/0.4").getAttribute("transform")).toMatch(/^translate/);
});

test("of a folded line graph the edges are seen, which stand for its nodes", () => {
  const follow = vi.spyOn(Picture.prototype, "follow");
  const scene = show();
  const [cgraph, linegraph] = scene.panels;
  if (cgraph?.kind === "elimination" && linegraph?.kind === "elimination")
    Object.assign(linegraph, { nodes: cgraph.nodes, edges: cgraph.edges, folded: true });
  const { player, press } = playElimination(scene);
  const folded = (key: string): Element => player.element.querySelector(`[data-side="linegraph"] [data-edge="${key}"]`)!;
  expect(folded("edge/0.4").hasAttribute("data-absent")).toBe(true);
  press("ArrowRight");
  const roles = ["edge/2.3", "edge/3.4", "edge/2.4"].map((key) => folded(key).getAttribute("data-role"));
  expect(follow).toHaveBeenLastCalledWith(["vertex/3"]);
  expect(roles).toEqual(["factor", "factor", "changed"]);
  expect(player.element.querySelectorAll('[data-side="linegraph"] .adviz-node')).toHaveLength(7);
});

test("at the end all of the picture is seen, and before it the step", () => {
  const survey = vi.spyOn(Picture.prototype, "survey");
  const { press } = playElimination(show());
  press("ArrowRight");
  expect(survey).not.toHaveBeenCalled();
  press("End");
  expect(survey).toHaveBeenCalledTimes(2); // one for each side
});

test("twins merge into one, and the c-graph has their sum all the time", () => {
  const moves: EliminationMove[] = [["face", "2.4", "4.5"], ["face", "2.3", "3.4"], ["face", "2.4.2", "4.5"]];
  const scene = show(moves, "face");
  const { role, press, isThere, number } = playElimination(scene);
  const at = scene.steps.findIndex(({ merge }) => merge);
  for (let k = 0; k < at; k++) press("ArrowRight");
  expect([number("node/2.4"), number("node/2.4.2"), number("edge/2.4")]).toEqual(["5", "24", "29"]);
  press("ArrowRight");
  expect([isThere("node/2.4"), isThere("node/2.4.2")]).toEqual([false, true]);
  expect([role("node/2.4"), role("node/2.4.2")]).toEqual(["gone", "changed"]);
  expect([number("node/2.4"), number("node/2.4.2"), number("edge/2.4")]).toEqual(["5", "29", "29"]);
});

test("names are text, never markup", () => {
  const own = ownOf(NAUMANN, "vertex", { names: Array(7).fill(HOSTILE) });
  const { player } = playElimination(eliminationShow(own, VERTICES), { cursor: 2 });
  expect(player.element.querySelector("img, script")).toBeNull();
  expect(player.element.textContent).toContain(HOSTILE);
});

test("without motion there is nothing on its way", () => {
  const { player, press } = playElimination(show());
  press("ArrowRight");
  expect(player.element.querySelector(".adviz-token")).toBeNull();
});

test("with motion the factors go to their product, whose number changes when they arrive", () => {
  vi.unstubAllGlobals();
  const running: { onfinish?: () => void; cancel(): void }[] = [];
  vi.spyOn(Element.prototype, "animate").mockImplementation(() => {
    running.push({ cancel: () => undefined });
    return running.at(-1) as unknown as Animation;
  });
  const { player, press, number } = playElimination(show());
  press("ArrowRight");
  expect(player.element.querySelectorAll('[data-side="cgraph"] .adviz-token')).toHaveLength(2);
  expect(number("edge/2.4")).toBe("5");
  for (const { onfinish } of running) onfinish?.();
  expect(number("edge/2.4")).toBe("29");
  expect(player.element.querySelector(".adviz-token")).toBeNull();
});

test("edges between vertices that are called the same are told apart", () => {
  const scene = show();
  for (const panel of scene.panels)
    if (panel.kind === "elimination" && panel.side === "cgraph")
      for (const node of panel.nodes) if (node.role === "intermediate") Object.assign(node, { label: "r", name: `r (v${node.thing})` });
  const { item } = playElimination(scene);
  expect(item("edge/2.3").getAttribute("aria-label")).toContain("edge from r (v2) to r (v3)");
});
