import { describe, expect, test } from "vitest";

import { alone, boxesOf, isWhole, seen, told, toldAt } from "./lines.js";
import { boxOf, hull, turned } from "../layout/boxes.js";
import { laid } from "../layout/layout.js";
import { between } from "../layout/changes.js";
import { Playback } from "../playback/playback.js";
import type { Placed } from "../layout/placed.js";
import type { FlowPanel } from "../scene/document.js";
import { type GoldenName, showOf } from "../testing/shows.js";

const flowOf = (name: GoldenName): FlowPanel => showOf(name).panels.find(({ kind }) => kind === "flow") as FlowPanel;
const panel = flowOf("lines");
const boxes = boxesOf(panel);

const targets = ({ edges, reverse }: FlowPanel, node: number): number => edges.filter(({ product, head, tail }) => product && (reverse ? tail : head) === node).length;

/** What can be open: each box with those around it, and nothing. */
const ways = (name: GoldenName): number[][] => [[], ...boxesOf(flowOf(name)).map((_, number) => [...turned(boxesOf(flowOf(name)), [], number)])];

test("every line is closed at first, and at other levels every operation is seen", () => {
  expect(boxes.length).toBeGreaterThan(3);
  expect(isWhole(panel)).toBe(true);
  expect(seen(panel, "lines", []).nodes.map(({ node }) => node)).toEqual(panel.lines!.nodes.map(({ node }) => node));
  for (const level of ["nodes", "edges", "engine"] as const) expect(seen(panel, level, [0])).toBe(panel);
});

const cases = (["lines", "boxes"] as const).flatMap((name) => ways(name).map((opened) => ({ name, opened })));

describe.each([...cases, { name: "lines" as const, opened: [...boxes.keys()] }])("$name with $opened open", ({ name, opened }) => {
  const panel = flowOf(name);
  const view = seen(panel, "lines", opened);
  const nodes = new Map(view.nodes.map((node) => [node.node, node]));
  const only = boxesOf(panel)[alone(panel, opened)];
  const every = seen({ ...panel, nodes: [...panel.nodes] }, "lines", opened);

  test("there is what is inside of open boxes, and the nodes that are left of closed ones", () => {
    for (const { node, kind } of panel.nodes) {
      const box = boxesOf(panel)[boxOf(boxesOf(panel), node, opened)];
      if (only?.inside.includes(node) ?? true) expect(nodes.has(node), String(node)).toBe(!box || box.exits.includes(node));
      if (box && !box.exits.includes(node)) expect(nodes.has(node), String(node)).toBe(false);
      if (!only && kind === "input") expect(nodes.has(node)).toBe(true);
    }
    expect(every.nodes.length).toBe(view.nodes.length);
  });

  test("edges lead between what is seen, and each carries its product once", () => {
    for (const { head, tail } of view.edges) expect(nodes.has(head) && nodes.has(tail)).toBe(true);
    const sends = view.moves.filter(({ kind }) => kind === "send").map(({ edge }) => edge);
    expect(new Set(sends).size).toBe(sends.length);
    expect(new Set(sends)).toEqual(new Set(view.edges.filter(({ product }) => product).map(({ key }) => key)));
  });

  test("a node adds up where several contributions are seen, after they have arrived", () => {
    for (const { node, total, seed } of view.nodes) {
      const count = targets(view, node) + Number(Boolean(seed));
      const isPart = total[0].includes(" of ");
      expect(isPart).toBe(isPart && only !== undefined);
      if (!isPart && nodes.get(node)!.kind !== "output") expect(Boolean(total[0]), String(node)).toBe(count > 1);
      const sum = view.moves.find(({ kind, nodes }) => kind === "sum" && nodes[0] === node);
      expect(Boolean(sum)).toBe(Boolean(total[0]));
      const arrived = view.moves.filter(({ kind, nodes }) => kind === "send" && nodes[0] === node).map(({ step }) => step);
      if (sum) expect(sum.step).toBeGreaterThanOrEqual(Math.max(...arrived));
    }
  });

  test("moves are of nodes that are seen", () => {
    for (const move of view.moves) for (const node of move.nodes) expect(nodes.has(node), String(node)).toBe(true);
  });

  test("moves are in order", () => {
    const steps = view.moves.map(({ step }) => step);
    expect(steps).toEqual([...steps].sort((one, other) => one - other));
  });
});

test("a box opens with those around it and none beside them, and closes with all inside of it", () => {
  const nested = flowOf("boxes");
  const [last] = [...boxesOf(nested).keys()].slice(-1) as [number];
  const opened = turned(boxesOf(nested), [], last);
  expect(opened.length).toBeGreaterThan(2);
  for (const [one, other] of opened.slice(1).map((box, i) => [opened[i]!, box] as const)) {
    const [outer, inner] = [boxesOf(nested)[one]!, boxesOf(nested)[other]!];
    expect(inner.inside.every((node) => outer.inside.includes(node))).toBe(true);
  }
  expect(turned(boxesOf(nested), opened, opened[0]!)).toEqual([]);
  expect(turned(boxesOf(nested), opened, opened[1]!)).toEqual([opened[0]]);
  expect(turned(boxesOf(nested), opened, 1)).toEqual([1]);
});

test.each(["lines", "boxes"] as const)("in open boxes of $0 the show rests where what is inside is told", (name) => {
  const [{ steps, start, opening }, flow] = [showOf(name), flowOf(name)];
  const playback = new Playback(steps, start, opening);
  const rests = (): number[][] => playback.rests("lines").map(([, rest]) => [...rest!.nodes]);
  const closed = rests();
  for (const opened of ways(name).slice(1)) {
    playback.open(told(flow, opened));
    const inside = boxesOf(flow)[opened.at(-1)!]!.inside;
    const isClosed = (node: number): boolean => boxOf(boxesOf(flow), node, opened) >= 0 && !boxesOf(flow)[boxOf(boxesOf(flow), node, opened)]!.exits.includes(node);
    const seenNow = rests().flat();
    for (const node of inside) expect(seenNow.includes(node), String(node)).toBe(flow.nodes.find((each) => each.node === node)!.kind !== "input" && !isClosed(node));
  }
  playback.open(told(flow, []));
  expect(rests()).toEqual(closed);
});

test("a line opens out of its box, and what is around it holds its nodes", () => {
  const stage = { width: 1200, height: 600 };
  const [closed, open] = [laid(seen(panel, "lines", []), stage), laid(seen(panel, "lines", [2]), stage)];
  const { inside, exits } = boxes[2]!;
  const home = closed.nodes.find(({ node }) => node === exits.at(-1))!;
  const start = between(closed, open, 0, (node) => (inside.includes(node) ? exits.at(-1)! : node));
  for (const node of inside) expect(start.nodes.find((each) => each.node === node)).toMatchObject({ x: home.x, y: home.y });
  const [around, ...parts] = hull(open, inside, "", 2);
  expect(parts).toEqual([]);
  for (const { node, x, y } of open.nodes) {
    const isIn = Math.abs(x - around!.x) < around!.w / 2 && Math.abs(y - around!.y) < around!.h / 2;
    expect(isIn, String(node)).toBe(inside.includes(node));
  }
  expect(hull(open, inside, "", 2, true, 1)[0]!.w).toBeGreaterThan(around!.w);
});

test("what stands in several rows has a frame in parts, in which no other node is", () => {
  const nodes = [[50, 50], [150, 50], [250, 50], [50, 200], [150, 200]].map(([x, y], node) => ({ node, x, y, w: 60, h: 40 }));
  const placed = { nodes, edges: [], width: 300, height: 250 } as unknown as Placed;
  const parts = hull(placed, [2, 3], "the line", 0);
  expect(parts.map(({ label, x }) => [label, Math.round(x)])).toEqual([["the line", 250], ["", 50]]);
  expect(hull(placed, [3, 4], "", 0)).toHaveLength(1);
});

test.each(cases)("what is of no node, such as the values and the gradient, is told: $name with $opened open", ({ name, opened }) => {
  const listed = [{ node: -1, step: -1 }];
  expect(toldAt(flowOf(name), [], [listed], "lines", opened)).toEqual(listed);
});
