import { describe, expect, test } from "vitest";

import { columnsOf, satelliteWays } from "./ordering.js";
import { grown } from "./changes.js";
import { type Laid, FEW, laid, legibleWidth } from "./layout.js";
import type { Placed } from "./placed.js";
import { pointAt } from "../motion/curves.js";
import type { FlowEdge, FlowNode, FlowPanel } from "../scene/document.js";
import { sweeps } from "../testing/flows.js";

const STAGES = [[730, 420], [816, 520], [1220, 640], [1920, 850]] as const;

/** Numbers that look random and are the same in each run. */
function drawn(seed: number): (most: number) => number {
  let state = seed * 7919 + 13;
  return (most) => (state = (state * 48271) % 2147483647) % most;
}

/** A sweep over a drawn graph: operands come before what is computed from them, and some are used twice. */
function sweepOf(seed: number): FlowPanel {
  const next = drawn(seed);
  const [inputs, blocks] = [1 + next(3), 1 + next(9)];
  const count = inputs + blocks;
  const ends: [number, number][] = [];
  for (let head = inputs; head < count; head++) {
    const operands = 1 + next(3);
    for (let k = 0; k < operands; k++) ends.push([head === inputs + k ? next(inputs) : next(head), head]);
  }
  for (let tail = 0; tail < count - 1; tail++) if (!ends.some(([each]) => each === tail)) ends.push([tail, count - 1]);
  const amount = (): NonNullable<FlowNode["result"]> => ({ text: "1.5", w: 8 + next(60), sign: 1, ribbon: 3 });
  const nodes = Array.from({ length: count }, (_, node): FlowNode => ({
    key: String(node), node, kind: node < inputs ? "input" : node === count - 1 ? "output" : "block",
    name: "name", name_w: 12 + next(150), value: "2.5", value_w: 10 + next(70), derivative: "∂f/∂x", derivative_w: 40,
    result: amount(), total: ends.filter(([tail]) => tail === node).length > 1 ? ["1 + 2", 40] : ["", 0], dead: false, title: "",
  }));
  const edges = ends.map(([tail, head], k): FlowEdge => ({
    key: `${head}/${ends.slice(0, k).filter(([, other]) => other === head).length}`, tail, head, dead: false,
    given: amount(), product: amount(), factors: ["1 · 2", 30], equation: ["1 · 2 = 2", 60],
    gate: { symbol: next(2) ? "x" : "", symbol_w: 10 + next(90), number: "1.5", number_w: 10 + next(60) },
  }));
  return { id: "graph", kind: "flow", run: "reverse", reverse: true, note: null, nodes, edges, moves: [] };
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const meet = (one: Box, other: Box): boolean =>
  2 * Math.abs(one.x - other.x) < one.w + other.w - 0.3 && 2 * Math.abs(one.y - other.y) < one.h + other.h - 0.3;

const boxes = ({ nodes, edges }: Placed): Box[] => [...nodes, ...edges.map(({ gate }) => gate)];

const path = ({ before, after }: Placed["edges"][number]): [number, number][] =>
  [before, after].flatMap((half) => Array.from({ length: 21 }, (_, k) => [...pointAt(half, k / 20)] as [number, number]));

const isUpright = (edge: Placed["edges"][number]): boolean => Math.abs(edge.before[0]! - edge.after.at(-2)!) < 0.3;

/** A sweep in one row: no edge leads back. */
const isOneRow = ({ edges }: Placed): boolean =>
  edges.every((edge) => isUpright(edge) || path(edge).every(([x], k, all) => !k || x >= all[k - 1]![0] - 0.2));

const everySweep = (): [string, FlowPanel][] => [
  ...Object.entries(sweeps).map(([name, { panel }]): [string, FlowPanel] => [name, panel]),
  ...Array.from({ length: 60 }, (_, seed): [string, FlowPanel] => [`drawn ${seed}`, sweepOf(seed)]),
];

describe.each(STAGES)("on a stage of %d by %d", (width, height) => {
  const all = everySweep().map(([name, panel]): [string, Laid] => [name, laid(panel, { width, height })]);

  test("no node or gate lies on another one, and all are in the picture", () => {
    for (const [name, panel] of all) {
      const every = boxes(panel);
      every.forEach((box, k) => every.slice(k + 1).forEach((other) => expect(meet(box, other), name).toBe(false)));
      for (const { x, y, w, h } of every) {
        expect(Math.min(x - w / 2, y - h / 2), name).toBeGreaterThanOrEqual(0);
        expect(x + w / 2, name).toBeLessThanOrEqual(panel.width + 0.2);
        expect(y + h / 2, name).toBeLessThanOrEqual(panel.height + 0.2);
      }
    }
  });

  test("a gate that opens while its edge is in play covers no node", () => {
    for (const [name, panel] of all)
      for (const { gate: { x, y, w, h, whole = [w, h] } } of panel.edges)
        for (const node of panel.nodes) expect(meet({ x, y, w: whole[0], h: whole[1] }, node), name).toBe(false);
  });

  test("an edge leads from the border of its operand through its gate to the border of its result", () => {
    for (const [name, panel] of all) {
      const nodes = new Map(panel.nodes.map((node) => [node.node, node]));
      for (const edge of panel.edges) {
        const [tail, head] = [nodes.get(edge.tail)!, nodes.get(edge.head)!];
        const touches = ({ x, y, w, h }: Box, [u, v]: readonly [number, number]): boolean =>
          Math.abs(Math.max(Math.abs(u - x) - w / 2, Math.abs(v - y) - h / 2)) < 0.3;
        expect(touches(tail, pointAt(edge.before, 0)), name).toBe(true);
        expect(touches(head, pointAt(edge.after, 1)), name).toBe(true);
        for (const [x, y] of [pointAt(edge.before, 1), pointAt(edge.after, 0)]) {
          expect(x, name).toBeCloseTo(edge.gate.x, 0);
          expect(y, name).toBeCloseTo(edge.gate.y, 0);
        }
      }
    }
  });

  test("edges of few nodes never lead back, unless text would be tiny in one row", () => {
    let rows = 0;
    for (const [name, panel] of all) {
      if (panel.nodes.length > FEW) continue;
      const isRow = isOneRow(panel);
      rows += Number(isRow);
      if (panel.em >= 11) continue;
      if (!isRow) expect(width, name).toBeLessThan(900);
    }
    expect(rows).toBeGreaterThan(50);
  });

  test("text is as large as the stage allows, and the picture fits it", () => {
    for (const [name, { em, width: wide, height: high }] of all) {
      expect((em / 19) * wide, name).toBeLessThanOrEqual(width + 0.5);
      expect((em / 19) * high, name).toBeLessThanOrEqual(height + 0.5);
      expect(em, name).toBeLessThanOrEqual(width < 1000 ? 20 : 26);
    }
  });
});

test("where room is scarcest a gate tells the shorter one of symbol and number, and both while it is in play", () => {
  const small = everySweep().map(([, panel]) => laid(panel, { width: 300, height: 900 }));
  const gates = small.flatMap(({ edges }) => edges.map(({ gate }) => gate)).filter(({ whole }) => whole);
  expect(gates.some(({ isNumber }) => isNumber)).toBe(true);
  for (const { symbol, symbol_w = 0, number_w = 0, w, whole, isNumber } of gates) {
    expect(symbol).not.toBe("");
    if (isNumber && !symbol.startsWith("∂")) expect(number_w).toBeLessThan(symbol_w);
    expect(whole![0]).toBeGreaterThanOrEqual(w);
  }
});

test("a chain is level from its input to its result", () => {
  const { nodes, edges, ...rest } = sweepOf(1);
  const chain = edges.slice(0, 1).concat({ ...edges[0]!, key: "2/0", tail: 1, head: 2 }).map((edge, k) => ({ ...edge, key: `${k + 1}/0`, tail: k, head: k + 1 }));
  const panel = laid({ ...rest, nodes: nodes.slice(0, 3), edges: chain }, { width: 816, height: 520 });
  expect(new Set([...panel.nodes, ...panel.edges.map(({ gate }) => gate)].map(({ y }) => Math.round(y))).size).toBe(1);
});

test("the same sweep on the same stage has the same layout, and another stage does not reorder its columns", () => {
  for (const [name, panel] of everySweep()) {
    expect(laid(structuredClone(panel), { width: 816, height: 520 }), name).toEqual(laid(panel, { width: 816, height: 520 }));
  }
});

test("columns follow the longest path, and an input stands just before its first use", () => {
  const { items, itemOf, level, crossings } = columnsOf(4, [[0, 2], [1, 3], [2, 3]], []);
  expect([0, 1, 2, 3].map((node) => items[itemOf.get(node)!]!.column)).toEqual([0, 2, 2, 4]);
  expect([[...level], crossings]).toEqual([[0, 2], 0]);
});

test("inputs that only one node uses may stand above or below it, but one operand stays at its left", () => {
  expect(satelliteWays(4, [[0, 2], [1, 2], [2, 3]])).toEqual([[], [1]]);
  expect(satelliteWays(4, [[0, 1], [1, 3], [2, 3]])).toEqual([[], [2]]);
  expect(satelliteWays(2, [[0, 1]])).toEqual([[]]);
});

test("edges that need not cross do not cross", () => {
  expect(columnsOf(6, [[0, 3], [1, 2], [0, 4], [1, 4], [2, 5], [3, 5], [4, 5]], []).crossings).toBe(0);
  expect(columnsOf(4, [[0, 2], [0, 3], [1, 2], [1, 3]], []).crossings).toBe(1);
});

test("with the width that a sweep needs it is read in one row, and not with less", () => {
  for (let seed = 0; seed < 20; seed++) {
    const [panel, width] = [sweepOf(seed), legibleWidth(sweepOf(seed))];
    const [enough, less] = [1, 0.97].map((share) => laid(panel, { width: share * width, height: 4000 }));
    expect([isOneRow(enough!), enough!.em >= 11 - 1e-9]).toEqual([true, true]);
    expect(isOneRow(less!) && less!.em >= 11).toBe(false);
  }
});

test("a sweep with shorter numbers keeps the room of an earlier one", () => {
  const panel = sweepOf(3);
  const shorter = { ...panel, nodes: panel.nodes.map((node) => ({ ...node, value_w: 5 })) };
  const stage = { width: 816, height: 520 };
  expect(boxes(laid(grown(shorter, panel), stage))).toEqual(boxes(laid(panel, stage)));
});

test("few nodes whose shapes cannot be read in one row stand in two", () => {
  const steps = sweepOf(1);
  const chain = Array.from({ length: 14 }, (_, node): FlowNode => ({ ...steps.nodes[0]!, node, key: String(node), kind: node ? (node < 13 ? "block" : "output") : "input", total: ["", 0] }));
  const edges = chain.slice(1).map(({ node }): FlowEdge => ({ ...steps.edges[0]!, key: `${node}/0`, tail: node - 1, head: node }));
  const panel = { ...steps, nodes: chain, edges };
  const rows = ({ nodes }: Laid): number => new Set(nodes.map(({ y }) => Math.round(y / 60))).size;
  const widths = Array.from({ length: 30 }, (_, k) => 900 + 40 * k).map((width) => laid(panel, { width, height: 640 }));
  expect(widths.filter((each) => rows(each) === 1).every(({ em }) => em >= 11)).toBe(true);
  expect(new Set(widths.map(rows)).size).toBeGreaterThan(1);
});

test("few nodes that could not be read in one row stand in several, whichever way their inputs stand", () => {
  const chains = Object.values(sweeps).filter(({ panel }) => panel.nodes.length <= FEW);
  for (const { panel } of chains) {
    const wide = Math.max(...STAGES.map(([width, height]) => laid(panel, { width, height }).em));
    const [low, high] = [300, 440].map((height) => laid(panel, { width: 400, height }).em);
    expect(high!).toBeGreaterThanOrEqual(Math.min(low!, wide));
  }
});
