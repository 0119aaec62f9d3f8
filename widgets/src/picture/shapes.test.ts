import { expect, test } from "vitest";
import { edgeLook, itemLook } from "./paints.js";
import * as shapes from "./shapes.js";
import { type Edge, type Item, panelOf } from "../scene/scene.js";
import { HOSTILE, goldenScene } from "../testing/explorers.js";

const drawItem = (of: Item): SVGGElement => shapes.drawItem(of, shapes.partsOf(of, itemLook(of, {}))).element;
const drawEdge = (of: Edge): SVGGElement => shapes.drawEdge(of, shapes.edgeMarks(of, edgeLook(of))).element;
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
  expect(drawItem({ ...item(), uses: 1 }).querySelector(".adviz-badge-number")).toBeNull();
  expect(drawItem({ ...item(), uses: 1234 }).querySelector(".adviz-badge-number")?.textContent).toBe("×1,234");
});

test("the middle of a Bezier chain", () => {
  expect(shapes.middleOf([0, 0, 0, 10, 0, 20, 0, 30])).toEqual([0, 15]);
});

test("a folded edge says how many it stands for", () => {
  const [edge] = panelOf(goldenScene(), "graph")!.edges;
  expect(drawEdge(edge!).querySelector("text")?.textContent).toBe("×2");
  expect(drawEdge({ ...edge!, count: 1 }).querySelector("text")).toBeNull();
});
