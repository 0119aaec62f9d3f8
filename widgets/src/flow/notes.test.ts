import { expect, test } from "vitest";
import { engineNote, gateNote, isKnown, nodeNote } from "./notes.js";
import { edgesOf, partialsOf, pathsOf } from "./paths.js";
import { panelOf, type FlowEdge, type FlowNode, type FlowPanel, type Show } from "../scene/scene.js";
import { decimals } from "../scene/values.js";
import { goldens, showOf } from "../testing/shows.js";

/** np.sin(x * y) * x + y at (2, 0.4): x reaches the result along two paths, and so does y. */
const scene = showOf("backward");
const panel = panelOf(scene, "flow")!;
const nodeOf = (name: string): FlowNode => panel.nodes.find((node) => node.name.split(" = ")[0] === name)!;
const end = scene.steps.length;

test("an input has its paths, and the edges on them; another node its own edges", () => {
  const paths = pathsOf(panel, nodeOf("x"))!;
  expect(paths.map((path) => path.map(({ tail }) => tail)).sort()).toEqual([[0, 2, 3, 4], [0, 4]]);
  expect(edgesOf(panel, nodeOf("x"))).toEqual(new Set(paths.flat().map(({ key }) => key)));
  const sine = panel.nodes.find(({ node }) => node === 3)!;
  expect(edgesOf(panel, sine)).toEqual(new Set(["3/0", "4/0"]));
  const result = panel.nodes.find(({ kind }) => kind === "output")!;
  expect(edgesOf(panel, result).size).toBe(panel.edges.length);
  expect(pathsOf(panel, result)!.length).toBe(4);
});

test("local partials are as exact as the steps are", () => {
  const partials = partialsOf(panel, scene.steps);
  expect(partials.get("3/0")).toBeCloseTo(Math.cos(0.8), 12);
  expect(partials.get("4/1")).toBeCloseTo(Math.sin(0.8), 12);
});

test("each path has its product, and together they are the derivative", () => {
  const lines = nodeNote(panel, nodeOf("x"), scene.steps, end);
  expect(lines[0]).toBe("x, value 2");
  expect(lines[1]).toBe("∂f/∂x = 1.2747");
  expect(lines[2]).toBe("acts on f along 2 paths, whose effects add:");
  expect(lines.at(-1)).toBe("sum: 1.2747");
  expect(lines.filter((line) => line.includes("→")).map((line) => Number(line.split("= ").at(-1)))).toEqual(
    expect.arrayContaining([0.5574, 0.7174]),
  );
});

test("what a sweep has not found yet is not told", () => {
  const lines = nodeNote(panel, nodeOf("x"), scene.steps, 1);
  expect(lines.slice(0, 3)).toEqual(["x, value 2", "∂f/∂x: not known yet", "acts on f along 2 paths, whose effects add:"]);
  expect(lines.join()).not.toMatch(/=|sum/);
  expect([isKnown(panel, 0, 1), isKnown(panel, 0, end)]).toEqual([false, true]);
});

test("of many paths the five with the largest products are told, and the rest in one line", () => {
  const start = { ...nodeOf("x"), node: 0, result: undefined } as unknown as FlowNode;
  const middle = Array.from({ length: 12 }, (_, i) => ({ ...start, node: i + 1, kind: "block", name: `m${i}` }) as FlowNode);
  const top = { ...start, node: 13, kind: "output", name: "f", seed: { text: "1", w: 1, sign: 1, ribbon: 1 } } as FlowNode;
  const [like] = panel.edges;
  const edge = (tail: number, head: number, place: number, number: string): FlowEdge => ({
    ...like!,
    ...{ key: `${head}/${place}`, tail, head, gate: { ...like!.gate, symbol: "", number } },
  });
  const edges = middle.flatMap(({ node }) => [edge(0, node, 0, String(node)), edge(node, 13, node, "1")]);
  const moves = edges.map(({ key }) => ({ kind: "send", step: 0, nodes: [0], edge: key }));
  const many = { ...panel, nodes: [start, ...middle, top], edges, moves } as FlowPanel;
  const lines = nodeNote(many, start, [], 1);
  expect(lines.slice(1, 3)).toEqual(["acts on f along 12 paths, whose effects add, largest first:", "x → m11 → f: 1 · 12 = 12"]);
  expect(lines.slice(-2)).toEqual(["+ 7 more: 28", "sum: 78"]);
});

test("of an array that is put in the entry is told that matters most, and the way to the result", () => {
  const { scene: show } = goldens.arrays;
  const arrays = panelOf(show, "flow")!;
  const input = arrays.nodes.find(({ kind, map }) => kind === "input" && map?.shape.length === 2)!;
  const [, derivative, way] = nodeNote(arrays, input, show.steps, show.steps.length);
  const data = input.result!.map!.data.map(Number);
  const largest = data.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one));
  expect(derivative).toMatch(new RegExp(`: the largest entry is that of ${input.name}\\[\\d, \\d\\], ${decimals(largest)}$`));
  expect(way).toMatch(/^acts on .+ along one path:$/);
});

test("a gate tells its local partial in the names of the source", () => {
  const gate = (key: string): string => gateNote(panel, panel.edges.find((edge) => edge.key === key)!);
  expect(gate("3/0")).toMatch(/^∂\(sin\(x·y\)\)\/∂\(x·y\) = cos.* = 0\.6967$/);
  expect(gate("2/0")).toBe("∂(x·y)/∂x = y = 0.4");
  const arrays = panelOf(goldens.arrays.scene, "flow")!;
  for (const edge of arrays.edges) expect(gateNote(arrays, edge)).toMatch(/^∂.+\/∂.+(: | = )/);
});

test("what the engine keeps is told in words, and nothing of a node that is done", () => {
  const run = panel.run;
  const stage = new Map<string, unknown>([
    [`${run}/times_used/0`, 2],
    [`${run}/ready/3`, 0],
    [`${run}/stored/3`, 8],
  ]);
  expect([0, 3, 1].map((node) => engineNote(panel, node, stage, false))).toEqual(["awaits 2", "ready · stored", ""]);
  expect(engineNote(panel, 0, stage, true)).toBe("");
});

test("a graph with more paths than can be followed says so", () => {
  const [like] = panel.edges;
  const chain = Array.from({ length: 30 }, (_, i) => [0, 1].map((place) => ({ ...like!, key: `${i + 1}/${place}`, tail: i, head: i + 1 }))).flat();
  const nodes = Array.from({ length: 31 }, (_, i) => ({ ...nodeOf("x"), node: i, kind: i ? (i < 30 ? "block" : "output") : "input" }));
  const long = { ...panel, nodes, edges: chain } as FlowPanel;
  expect(pathsOf(long, long.nodes[0]!)).toBeNull();
  expect(nodeNote(long, long.nodes[0]!, [] as Show["steps"], 0)).toContain("many paths");
});
