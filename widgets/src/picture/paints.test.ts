import { expect, test } from "vitest";
import { type Told, edgeLook, isMuted, itemLook, titleOf } from "./paints.js";
import { badgeMarks, changeMarks, edgeMarks, ringOf, shapeMarks } from "./shapes.js";
import type { Box, Curve } from "../motion/marks.js";
import { panelOf } from "../scene/scene.js";
import { goldenScene } from "../testing/explorers.js";

const item = () => structuredClone(panelOf(goldenScene(), "graph")!.nodes[1]!);
const edge = (changes: object = {}) => ({ ...panelOf(goldenScene(), "graph")!.edges[0]!, points: [0, 0, 0, 10, 0, 20, 0, 40], count: 1, kind: "data", ...changes });
const marksOf = (changes: object = {}, role?: "way" | "back"): [Curve, Curve] => edgeMarks(edge(changes), edgeLook(edge(changes), role)) as [Curve, Curve];
const lineOf = (changes: object = {}, role?: "way" | "back"): Curve => marksOf(changes, role)[0];
const block = (changes: object) => ({ ...item(), kind: "block" as const, family: "power", ...changes });
const shapeOf = (changes: object, told: Told = {}): Box => shapeMarks(block(changes), itemLook(block(changes), told)).find(({ key }) => key === "shape") as Box;

test.each([1, 2, 1000, 100_000])("the line of %i edges ends inside the head of the arrow", (count) => {
  const [line, head] = marksOf({ count });
  expect(head.points.slice(0, 2)).toEqual([0, 40]);
  const gap = 40 - line.points.at(-1)!;
  expect(gap).toBeGreaterThan(line.thickness);
  expect(gap).toBeLessThanOrEqual(40 - head.points[3]! + 0.1);
});

test("where no value is used an edge is dashed and its head hollow; what is stored at first has a dotted line", () => {
  const kinds = ["data", "target", "returned", "control", "initializer"].map((kind) => marksOf({ kind }));
  expect(kinds.map(([{ dashed }]) => dashed)).toEqual([false, false, true, true, false]);
  expect(kinds.map(([{ dotted = false }]) => dotted)).toEqual([false, false, false, false, true]);
  expect(kinds.map(([, head]) => head.type)).toEqual(["arrow", "arrow", "curve", "curve", "arrow"]);
  expect(kinds[1]![1].points.slice(0, 2)).toEqual([0, 0]);
});

test("an edge says what it is, unless it is one use of a value", () => {
  expect([{}, { count: 1200 }, { kind: "returned" }, { kind: "returned", count: 3 }, { kind: "control" }].map((changes) => titleOf(edge(changes)))).toEqual([
    "",
    "1,200 edges",
    "returned",
    "3 values returned",
    "must run before",
  ]);
});

test("an edge that a step is about has the accent, the others step back; one that only one graph has is in its color", () => {
  expect([lineOf().line, lineOf({}, "way").line, lineOf({}, "back").line]).toEqual(["edge", "accent", "faint"]);
  const only = [[1, 0], [0, 1], [1, 1]].map((sides) => lineOf({ sides }));
  expect(only.map(({ line, dashed }) => [line, dashed])).toEqual([["negative", true], ["positive", false], ["edge", false]]);
});

test("a family has a color, but not where hue is the sign, nor a fold, nor an op", () => {
  const fills = [{}, { family: "yours" }, { kind: "scope" }, { family: "op" }, { kind: "outside" }].map((changes) => shapeOf(changes).fill);
  expect(fills).toEqual(["power", "neutral", "cell", "paper", "paper"]);
  expect(shapeOf({}, { signed: true }).fill).toBe("paper");
});

test("what a step is about stands out, most of all the first; the others step back, and what is freed or dead is empty", () => {
  const looks = [shapeOf({}, { role: "at" }), shapeOf({}, { role: "other" }), shapeOf({}, { role: "back" })];
  expect(looks.map(({ fill, line, thickness }) => [fill, line, thickness])).toEqual([["accent 24", "accent", 3.4], ["power", "accent", 2.4], ["power 45", "power-line", 1]]);
  expect(shapeOf({}, { role: "back", freed: true }).fill).toBe("paper");
  expect([shapeOf({ dead: true }).fill, shapeOf({ dead: true }).dashed]).toEqual(["paper", true]);
  expect([isMuted(block({ dead: true }), {}), isMuted(block({}), { role: "back" }), isMuted(block({}), { role: "at" })]).toEqual([true, true, false]);
  expect(shapeOf({}, { first: true }).line).toBe("ink");
  expect((ringOf(item(), "accent") as Box).w).toBe(item().w + 8);
});

test("of two graphs an item has the color of what differs, with its sign at the corner", () => {
  const sides: [null, null] = [null, null];
  const states = (["added", "removed", "mixed"] as const).map((state) => shapeOf({ sides, change: { state, sign: "+" } }));
  expect(states.map(({ fill, line, dashed }) => [fill, line, dashed])).toEqual([["positive 14", "positive", false], ["negative 14", "negative", true], ["changed 14", "changed", false]]);
  expect(shapeOf({ sides }).fill).toBe("paper");
  const changed = { ...item(), uses: 3, change: { state: "added" as const, sign: "+2" } };
  const words = [...badgeMarks(changed), ...changeMarks(changed)].flatMap((mark) => (mark.type === "text" ? mark.text : []));
  expect(words).toEqual(["×3", "+2"]);
});
