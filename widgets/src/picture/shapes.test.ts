import { expect, test } from "vitest";
import { pathOf } from "./drawn.js";
import { drawEdge, drawItem, middleOf } from "./shapes.js";
import { panelOf } from "../scene/scene.js";
import { HOSTILE, goldenScene } from "../testing/explorers.js";

const item = () => structuredClone(panelOf(goldenScene(), "graph")!.nodes[1]!);

test("a node carries its key, its number and its name", () => {
  const element = drawItem({ ...item(), kind: "block", node: 12 });
  expect([element.dataset["key"], element.dataset["node"], element.getAttribute("aria-label")]).toEqual([
    "s1",
    "12",
    item().title,
  ]);
});

test("hostile text stays text", () => {
  const element = drawItem({
    ...item(),
    label: HOSTILE,
    detail: HOSTILE,
    title: HOSTILE,
    family: HOSTILE,
    key: HOSTILE,
  });
  expect(element.querySelectorAll("script, img").length).toBe(0);
  expect([...element.querySelectorAll("text")].slice(0, 2).map((text) => text.textContent)).toEqual([HOSTILE, HOSTILE]);
  expect([...element.attributes].filter(({ name }) => name.startsWith("on"))).toEqual([]);
});

test.each([
  ["input", 1],
  ["output", 2],
  ["block", 1],
  ["outside", 1],
  ["scope", 3],
] as const)("the outline of %s", (kind, boxes) => {
  expect(drawItem({ ...item(), kind, uses: 1 }).querySelectorAll(":scope > rect:not(.adviz-ring)").length).toBe(boxes);
});

test("a badge only from two uses on", () => {
  expect(drawItem({ ...item(), uses: 1 }).querySelector(".adviz-badge")).toBeNull();
  expect(drawItem({ ...item(), uses: 1234 }).querySelector(".adviz-badge")?.textContent).toBe("×1,234");
});

test("paths, arrows and middles of Bezier chains", () => {
  const down = [0, 0, 0, 10, 0, 20, 0, 30];
  expect(pathOf(down)).toBe("M0,0C0 10 0 20 0 30");
  expect(middleOf(down)).toEqual([0, 15]);
});

test("a folded edge says how many it stands for", () => {
  const [edge] = panelOf(goldenScene(), "graph")!.edges;
  expect(drawEdge(edge!).querySelector("text")?.textContent).toBe("×2");
  expect(drawEdge({ ...edge!, count: 1 }).querySelector("text")).toBeNull();
});
