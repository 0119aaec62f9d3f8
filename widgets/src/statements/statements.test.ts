import { describe, expect, test } from "vitest";
import { type Use, placed, seen } from "./statements.js";
import { pointAt } from "../motion/curves.js";
import { Graph } from "../graph/graph.js";
import { fromBase64 } from "../scene/base64.js";
import { decodeColumns } from "../scene/columns.js";
import { type GraphPanel, type LinesPanel, panelOf, readScene } from "../scene/scene.js";
import { statements } from "../testing/shows.js";

function shown(...name: Parameters<typeof statements>): { graph: Graph; root: GraphPanel; lines: LinesPanel } {
  const { columns, ...saved } = statements(...name);
  const scene = readScene(saved.scene);
  const graph = new Graph(scene, decodeColumns(fromBase64(columns).buffer as ArrayBuffer, scene.columns));
  return { graph, root: panelOf(scene, "graph")!, lines: panelOf(scene, "lines")! };
}

const { graph, root, lines } = shown();
const name = (node: number): string => lines.nodes.find((each) => each.node === node)!.name[0];
const numberOf = (label: string): number => lines.boxes.findIndex((box) => box.label.startsWith(label));

const named = (opened: readonly number[] = []): string[] => seen(graph, lines, opened).units.map((unit) => unit.named.name[0]);
const uses = (opened: readonly number[] = []): string[] =>
  seen(graph, lines, opened).uses.map(([tail, head, count]) => `${name(tail.node)} → ${name(head.node)} ×${count}`);

describe("what is seen", () => {
  test("a box for each statement and each input, in the names of the source", () => {
    expect(named().sort()).toEqual(["W1", "W2", "b1", "b2", "e", "h", "loss", "p", "z"]);
  });

  test("an edge counts the uses inside of the box it leads to, which are edges of their own once that is open", () => {
    expect(uses()).toEqual(expect.arrayContaining(["z → e ×2", "e → p ×2", "W1 → h ×1"]));
    const opened = uses([numberOf("e = ")]);
    expect(opened.filter((use) => use.startsWith("z →"))).toHaveLength(2);
    expect(opened.filter((use) => use.endsWith("→ e ×1"))).toHaveLength(1);
    expect(opened).toContain("e → p ×2");
  });

  test("a result is the box that is returned, and being returned is no use", () => {
    const unit = seen(graph, lines, []).units.find((each) => each.isReturned)!;
    expect(unit.named.name[0]).toBe("loss");
    expect(unit.inside).toEqual(expect.arrayContaining([...graph.where((node) => graph.is("output", node))]));
    expect(uses().some((use) => use.startsWith("loss"))).toBe(false);
  });

  test("every node of the graph is in one unit, whatever is open", () => {
    for (const opened of [[], ...lines.boxes.map((_, k) => [k])]) {
      const inside = seen(graph, lines, opened).units.flatMap((unit) => unit.inside);
      expect(inside.sort((one, other) => one - other)).toEqual([...Array(graph.size).keys()]);
    }
  });
});

const windows = [[826, 523], [730, 330], [1370, 700], [500, 600]] as const;
const states = [[], ...lines.boxes.map((_, k) => [k])];

describe.each(windows)("in a window of %i by %i", (width, height) => {
  const panels = states.map((opened) => placed(seen(graph, lines, opened), root, { width, height }));

  test("nothing is cropped, and no two boxes overlap", () => {
    for (const { nodes, width: wide, height: high } of panels)
      nodes.forEach((one, k) => {
        expect(one.x - one.w / 2).toBeGreaterThanOrEqual(0);
        expect(one.x + one.w / 2).toBeLessThanOrEqual(wide);
        expect(one.y - one.h / 2).toBeGreaterThanOrEqual(0);
        expect(one.y + one.h / 2).toBeLessThanOrEqual(high);
        for (const other of nodes.slice(k + 1))
          expect(Math.abs(one.x - other.x) >= (one.w + other.w) / 2 || Math.abs(one.y - other.y) >= (one.h + other.h) / 2).toBe(true);
      });
  });

  test("each edge leaves its box at the count and ends at the box that it leads to", () => {
    for (const { nodes, edges } of panels)
      for (const { tail, head, points } of edges) {
        const [from, to] = [tail, head].map((key) => nodes.find((each) => each.key === key)!) as [(typeof nodes)[0], (typeof nodes)[0]];
        expect([points[0]! - from.x, points[1]! - from.y]).toEqual(from.port);
        expect(Math.abs(points.at(-2)! - to.x)).toBeLessThanOrEqual(to.w / 2 + 0.2);
        expect(Math.abs(points.at(-1)! - to.y)).toBeLessThanOrEqual(to.h / 2 + 0.2);
      }
  });
});

test("no edge passes through the count of another one", () => {
  const { graph, root, lines } = shown("iterations");
  for (const [width, height] of windows)
    for (const opened of [[], ...lines.boxes.map((_, k) => [k])]) {
      const { edges } = placed(seen(graph, lines, opened), root, { width, height });
      const isUpright = ({ points }: Use): boolean => Math.abs(points[0]! - points.at(-2)!) < 1;
      for (const { at: [x, y], key } of edges.filter((edge) => edge.count > 1 && !isUpright(edge))) {
        const others = edges.filter((other) => other.key !== key && !isUpright(other));
        const along = others.flatMap((other) => Array.from({ length: 101 }, (_, k) => pointAt(other.points, k / 100)));
        expect(along.filter(([atX, atY]) => Math.abs(atX - x) < 12 && atY < y - 9 && atY > y - 22)).toEqual([]);
      }
    }
});

test("closed, the smallest text has 11 px at the usual widths, and all goes from left to right", () => {
  for (const [width, height] of windows.slice(0, 3)) {
    const { nodes, edges, width: wide } = placed(seen(graph, lines, []), root, { width, height });
    expect((16 * (width - 20)) / wide).toBeGreaterThanOrEqual(11);
    const x = new Map(nodes.map((each) => [each.key, each.x]));
    for (const { tail, head } of edges) expect(x.get(tail)!).toBeLessThanOrEqual(x.get(head)!);
  }
});

test("around an open box stands its line", () => {
  const number = numberOf("e = ");
  const { hulls, nodes } = placed(seen(graph, lines, [number]), root, { width: 826, height: 523 });
  const [hull] = hulls;
  expect(hull!.label).toBe(lines.boxes[number]!.label);
  const around = nodes.filter(({ x, y }) => Math.abs(x - hull!.x) < hull!.w / 2 && Math.abs(y - hull!.y) < hull!.h / 2);
  expect(around.map(({ node }) => node).sort()).toEqual([...lines.boxes[number]!.inside].sort());
});
