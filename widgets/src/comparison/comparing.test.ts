import { expect, test, vi } from "vitest";
import { Comparing, differencesOf, opacity, signsOf, standing } from "./comparing.js";
import { Explorer } from "../explorer/explorer.js";
import { Graph } from "../graph/graph.js";
import { Picture } from "../picture/picture.js";
import { type ComparisonPanel, type Detail, type GraphPanel, readScene } from "../scene/scene.js";
import { HOSTILE, RememberingHost, copy, golden, goldenGraph, goldenScene, saved } from "../testing/explorers.js";

const [ADDED, REMOVED, RESIZED, MOVED] = [1, 2, 8, 128];

function panelWith(name: string): ComparisonPanel {
  const { files } = goldenScene().source;
  const { spans } = goldenScene().tables;
  const kind = (name: string, sign: string, bit: number, nodes: number[]): ComparisonPanel["kinds"][number] => ({
    kind: name,
    sign,
    bit,
    words: `words of ${name}`,
    count: nodes.length,
    groups: [{ words: `some ${name}`, count: nodes.length, nodes }],
    more: 0,
  });
  return {
    id: "comparison",
    kind: "comparison",
    before: { label: name, title: name, files, spans },
    after: { label: "new", title: "new", files, spans },
    sizes: [["nodes", 3, 4]],
    kinds: [kind("added", "+", ADDED, [1]), kind("resized", "≠", RESIZED, [2]), kind("moved", "", MOVED, [1, 2])],
    note: "what is in both",
  };
}

const graphWith = (bits: readonly number[]): Graph => {
  const { scene, columns } = goldenGraph();
  const differences = new Uint8Array(columns.block.length);
  differences.set(bits);
  return new Graph(scene, { ...columns, differences });
};

function open(name = "old") {
  const graph = graphWith([0, ADDED | MOVED, RESIZED | MOVED]);
  const actions = { select: vi.fn(), mark: vi.fn(), show: vi.fn(), preview: vi.fn() };
  const { signal } = new AbortController();
  const comparing = new Comparing(graph, panelWith(name), actions, signal);
  const panel = copy(goldenScene().panels.find(({ kind }) => kind === "graph")) as GraphPanel;
  const [first, second] = panel.nodes as [GraphPanel["nodes"][number], GraphPanel["nodes"][number]];
  first.sides = [{ label: "was", detail: "3", uses: 2 }, { label: "is", detail: "8", uses: 1 }];
  first.change = { state: "changed", sign: "≠" };
  second.sides = [null, { label: "new", detail: "8", uses: 1 }];
  second.change = { state: "added", sign: "+" };
  panel.edges[0]!.sides = [0, 1];
  const nothing = vi.fn();
  const events = { choose: nothing, open: nothing, leave: nothing, hover: nothing, resized: nothing };
  const picture = new Picture(panel, events, signal);
  document.body.replaceChildren(comparing.strip, comparing.element, picture.element);
  comparing.show(picture);
  const slider = comparing.strip.querySelector("input")!;
  const slide = (place: number): void => {
    slider.value = String(place);
    slider.dispatchEvent(new Event("input"));
  };
  const label = (item: { key: string }): string => picture.node(item.key)!.querySelector(".adviz-label")!.textContent!;
  return { comparing, actions, picture, slide, slider, label, first, second, panel };
}

test("what only one graph has fades towards the other, and is whole in the middle", () => {
  expect([0, 50, 100].map((place) => opacity("before", place))).toEqual([1, 1, 0.1]);
  expect([0, 50, 100].map((place) => opacity("after", place))).toEqual([0.1, 1, 1]);
  expect([0, 24, 25, 50, 75, 76, 100].map(standing)).toEqual(["before", "before", "both", "both", "both", "after", "after"]);
});

test("the slider writes what items are in either graph", () => {
  const { slide, slider, label, first, second, picture } = open();
  const both = label(first);
  slide(0);
  expect(label(first)).toBe("was");
  expect(slider.getAttribute("aria-valuetext")).toBe("old");
  expect(picture.element.style.getPropertyValue("--in-after")).toBe("0.100");
  slide(100);
  expect([label(first), label(second)]).toEqual(["is", "new"]);
  expect(picture.element.style.getPropertyValue("--in-before")).toBe("0.100");
  slide(50);
  expect(label(first)).toBe(both);
  expect(slider.getAttribute("aria-valuetext")).toBe("old and new");
});

test("items and edges have signs beside their colors", () => {
  const { picture, first, second, panel } = open();
  const texts = [first, second].map(({ key }) => picture.node(key)!.querySelector(".adviz-change-sign")!.textContent);
  expect(texts).toEqual(["≠", "+"]);
  expect(picture.node(second.key)!.getAttribute("data-only")).toBe("after");
  expect(picture.edge(panel.edges[0]!.key)!.getAttribute("data-only")).toBe("after");
});

test("a button selects the nodes of its kind, and the reader steps through them", () => {
  const { comparing, actions } = open();
  const chip = comparing.strip.querySelector<HTMLElement>('[data-state="added"]')!;
  expect(chip.textContent).toBe("+1 added");
  const [moved] = [...comparing.strip.querySelectorAll<HTMLElement>("[data-kind]")].slice(-1);
  moved!.click();
  expect(actions.mark).toHaveBeenLastCalledWith([1, 2]);
  expect(moved!.getAttribute("aria-pressed")).toBe("true");
  comparing.step(1);
  comparing.step(1);
  expect(actions.show).toHaveBeenLastCalledWith(2);
  expect(comparing.strip.querySelector(".adviz-compare-turn")!.textContent).toBe("2 of 2");
  comparing.step(1);
  expect(actions.select).toHaveBeenLastCalledWith([1]);
  comparing.element.querySelector<HTMLElement>(".adviz-link")!.click();
  expect(actions.mark).toHaveBeenLastCalledWith([1]);
});

test("steps go through what is marked, not through what only moved", () => {
  const { comparing, actions } = open();
  expect(comparing.strip.querySelector(".adviz-compare-turn")!.textContent).toBe("2 differences");
  comparing.step(-1);
  expect(actions.select).toHaveBeenLastCalledWith([2]);
});

test("lines have the signs of the nodes that they made, in one order", () => {
  const graph = graphWith([RESIZED, RESIZED, ADDED, ADDED]);
  const signs = [...signsOf(graph, panelWith("old").kinds).values()];
  expect(signs.length).toBeGreaterThan(0);
  for (const sign of signs) expect(["+", "≠", "+≠"]).toContain(sign);
});

test("the inspector says what differs, in words of Python where there are any", () => {
  const graph = graphWith([0, ADDED, RESIZED, REMOVED]);
  const panel = panelWith("old");
  const told = (node: number, differences?: string[]): string | undefined =>
    differencesOf(graph, panel, { node, differences } as unknown as Detail)?.textContent;
  expect(told(0)).toBeUndefined();
  expect(told(1)).toBe("Differenceonly in new");
  expect(told(2, ["3 → 8"])).toBe("Difference3 → 8below: as in new");
});

test("names with markup stay text", () => {
  const { comparing } = open(HOSTILE);
  expect(comparing.strip.querySelector(".adviz-compare-end")!.textContent).toBe(HOSTILE);
  expect(document.querySelector("img, script")).toBeNull();
});

test("an Explorer of two graphs has the strip and the list, and plays nothing", () => {
  const scene = copy(golden.scene) as { panels: object[] };
  scene.panels = [...scene.panels.filter((panel) => !["sizes", "derivatives"].includes((panel as { kind: string }).kind)), panelWith("old")];
  readScene(copy(scene));
  const explorer = new Explorer(new RememberingHost(saved({ scene, show: {} })));
  document.body.replaceChildren(explorer.element);
  expect(document.querySelector(".adviz-compare")).not.toBeNull();
  expect([...document.querySelectorAll('[role="tab"]')].map(({ textContent }) => textContent)).toEqual(["Differences", "Inspector"]);
  expect(document.querySelector<HTMLElement>(".adviz-play")!.hidden).toBe(true);
  expect(document.querySelectorAll(".adviz-source").length).toBe(1);
  explorer.dispose();
});
