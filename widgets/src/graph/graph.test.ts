import { expect, test } from "vitest";
import { goldenGraph, graphOf } from "../testing/explorers.js";

test("labels, names and scope paths", () => {
  const graph = goldenGraph();
  expect([graph.label(1), graph.name(0), graph.name(1), graph.name(4)]).toEqual(["v1 (×)", "x", "x", null]);
  expect(graph.scopes.path(3)).toBe("f › for k in range(3) › iteration 2");
});

test("nodes of a scope are those of its subtree", () => {
  const graph = goldenGraph();
  expect(graph.inScope(0)).toEqual([0, 1, 2, 3, 4]);
  expect(graph.inScope(1)).toEqual([1, 2, 3]);
  expect(graph.inScope(3)).toEqual([2]);
});

test("a click on code finds the nodes of all iterations", () => {
  const graph = goldenGraph();
  expect(graph.fromSource(0, 3, 14, 3, 15)).toEqual([1, 2, 3]);
  expect(graph.fromSource(0, 1, 0, 1, 3)).toEqual([]);
});

const text = "def f(a, b):\n    return np.sin(a * b) + (\n        a)";
const spans: [number, number, number, number, number, null][] = [
  [0, 2, 11, 3, 10, null], // the sum, on two lines
  [0, 2, 11, 2, 24, null], // np.sin(a * b)
  [0, 2, 18, 2, 23, null], // a * b
];
const nested = () =>
  graphOf([{}, {}, { span: 2, operands: [0, 1] }, { span: 1, operands: [2] }, { span: 0, operands: [3, 0] }], {
    spans,
    text,
  });

test("a click finds the smallest sub-expression around it", () => {
  expect(nested().fromSource(0, 2, 20, 2, 21)).toEqual([2]);
  expect(nested().fromSource(0, 2, 11, 2, 17)).toEqual([3]);
  expect(nested().fromSource(0, 2, 25, 2, 26)).toEqual([4]);
  expect(nested().fromSource(0, 3, 8, 3, 9)).toEqual([4]);
});

test("a selected text finds the sub-expressions inside it", () => {
  expect(nested().fromSource(0, 2, 11, 2, 24)).toEqual([2, 3]);
});

test("a line finds what touches it", () => {
  expect(nested().atLine(2)).toEqual([2, 3, 4]);
  expect(nested().atLine(3)).toEqual([4]);
  expect(nested().atLine(3, 1)).toEqual([]);
});

test("the text of a sub-expression, joined across lines", () => {
  expect(nested().spanText(0)).toBe("np.sin(a * b) + ( a)");
  expect(nested().spanText(2)).toBe("a * b");
});

test("columns count characters, not UTF-16 units", () => {
  const graph = graphOf([{ span: 0 }], { text: "𝛼𝛽 + x", spans: [[0, 1, 3, 1, 6, null]] });
  expect(graph.spanText(0)).toBe("+ x");
});
