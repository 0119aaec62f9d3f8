import { describe, expect, test } from "vitest";

import { boxOf, boxesOf, hull, insideOf, isWhole, seen } from "./lines.js";
import { laid } from "../layout/layout.js";
import { between } from "../layout/changes.js";
import { Playback } from "../playback/playback.js";
import type { FlowPanel } from "../scene/document.js";
import { showOf } from "../testing/shows.js";

const show = showOf("lines");
const panel = show.panels.find(({ kind }) => kind === "flow") as FlowPanel;
const boxes = boxesOf(panel);
const each = boxes.map((_, number) => number);

const targets = ({ edges, reverse }: FlowPanel, node: number): number => edges.filter(({ product, head, tail }) => product && (reverse ? tail : head) === node).length;

test("every line is closed at first, and at other levels every operation is seen", () => {
  expect(boxes.length).toBeGreaterThan(3);
  expect(isWhole(panel)).toBe(true);
  expect(seen(panel, "lines", []).nodes.map(({ node }) => node)).toEqual(panel.lines!.nodes.map(({ node }) => node));
  for (const level of ["nodes", "edges", "engine"] as const) expect(seen(panel, level, [0])).toBe(panel);
});

describe.each([[], ...each.map((number) => [number]), each].map((opened) => ({ opened })))("with $opened open", ({ opened }) => {
  const view = seen(panel, "lines", opened);
  const inside = insideOf(panel, opened);
  const nodes = new Map(view.nodes.map((node) => [node.node, node]));

  test("there is what is inside of open boxes, and one node for each exit of the others", () => {
    for (const { node } of panel.nodes) {
      const box = boxOf(panel, node);
      const isSeen = box < 0 || inside.has(node) || boxes[box]!.exits.includes(node);
      expect(nodes.has(node), String(node)).toBe(isSeen);
      expect(nodes.get(node)?.fold !== undefined).toBe(isSeen && box >= 0 && !inside.has(node) && panel.lines!.nodes.some((each) => each.node === node && each.fold !== undefined));
    }
  });

  test("edges lead between what is seen, and each carries its product once", () => {
    for (const { head, tail } of view.edges) expect(nodes.has(head) && nodes.has(tail)).toBe(true);
    const sends = view.moves.filter(({ kind }) => kind === "send").map(({ edge }) => edge);
    expect(new Set(sends).size).toBe(sends.length);
    expect(new Set(sends)).toEqual(new Set(view.edges.filter(({ product }) => product).map(({ key }) => key)));
  });

  test("a node adds up where several contributions are seen, after they have arrived", () => {
    for (const { node, total, seed } of view.nodes) {
      expect(Boolean(total[0]), String(node)).toBe(targets(view, node) + Number(Boolean(seed)) > 1);
      const sum = view.moves.find(({ kind, nodes }) => kind === "sum" && nodes[0] === node);
      expect(Boolean(sum)).toBe(Boolean(total[0]));
      const arrived = view.moves.filter(({ kind, nodes }) => kind === "send" && nodes[0] === node).map(({ step }) => step);
      if (sum) expect(sum.step).toBeGreaterThanOrEqual(Math.max(...arrived));
    }
  });

  test("moves are in order", () => {
    const steps = view.moves.map(({ step }) => step);
    expect(steps).toEqual([...steps].sort((one, other) => one - other));
  });
});

test("in an open line the show rests at each operation", () => {
  const playback = new Playback(show.steps, show.start, show.opening);
  const closed = playback.rests("lines").map(([, rest]) => rest!.nodes);
  playback.open(insideOf(panel, [2]));
  const open = playback.rests("lines").map(([, rest]) => rest!.nodes);
  expect(open.length).toBeGreaterThan(closed.length);
  expect(open.flat()).toEqual(expect.arrayContaining(boxes[2]!.inside));
  playback.open(new Set());
  expect(playback.rests("lines").map(([, rest]) => rest!.nodes)).toEqual(closed);
});

test("a line opens out of its box, and what is around it holds its nodes", () => {
  const stage = { width: 1200, height: 600 };
  const [closed, open] = [laid(seen(panel, "lines", []), stage), laid(seen(panel, "lines", [2]), stage)];
  const { inside, exits } = boxes[2]!;
  const home = closed.nodes.find(({ node }) => node === exits.at(-1))!;
  const start = between(closed, open, 0, (node) => (inside.includes(node) ? exits.at(-1)! : node));
  for (const node of inside) expect(start.nodes.find((each) => each.node === node)).toMatchObject({ x: home.x, y: home.y });
  const around = hull(open, boxes[2]!, 2);
  for (const { node, x, y } of around ? open.nodes : []) {
    const isIn = Math.abs(x - around!.x) < around!.w / 2 && Math.abs(y - around!.y) < around!.h / 2;
    expect(isIn, String(node)).toBe(inside.includes(node));
  }
});
