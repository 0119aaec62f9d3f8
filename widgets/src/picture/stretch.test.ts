// The picture of a sweep on stages of any proportions: nothing overlaps, and curves end at their boxes.

import { describe, expect, it } from "vitest";
import { stretched } from "./stretch.js";
import type { FlowPanel } from "../scene/document.js";
import { type GoldenName, goldens, showOf } from "../testing/shows.js";

const STAGES = [[880, 560], [725, 505], [736, 300], [640, 480], [1280, 720], [460, 620], [1600, 500]] as const;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const panels = (Object.keys(goldens) as GoldenName[]).flatMap((name) =>
  showOf(name).panels.flatMap((panel) => (panel.kind === "flow" ? [[name, panel] as const] : [])),
);

/** As the Player does: in the units of the picture, so large that all of it is seen. */
function onStage(panel: FlowPanel, width: number, height: number): FlowPanel {
  const scale = Math.min(2.2, width / panel.width, height / panel.height);
  return stretched(panel, width / scale, height / scale);
}

const boxes = (panel: FlowPanel): Box[] => [...panel.nodes, ...panel.edges.map(({ gate }) => gate)];
const apart = (one: Box, other: Box): boolean =>
  Math.abs(one.x - other.x) > (one.w + other.w) / 2 - 0.1 || Math.abs(one.y - other.y) > (one.h + other.h) / 2 - 0.1;

function overlapping(all: readonly Box[]): [Box, Box][] {
  return all.flatMap((one, i) => all.slice(i + 1).flatMap((other): [Box, Box][] => (apart(one, other) ? [] : [[one, other]])));
}

/** How far a point is from the border of a box. */
function fromBorder(x: number, y: number, box: Box): number {
  const [across, down] = [Math.abs(x - box.x) - box.w / 2, Math.abs(y - box.y) - box.h / 2];
  return across > 0 || down > 0 ? Math.hypot(Math.max(0, across), Math.max(0, down)) : Math.min(-across, -down);
}

describe.each(panels)("the picture of %s", (_, panel) => {
  it.each(STAGES)("keeps its boxes apart and within a stage of %i × %i", (width, height) => {
    const placed = onStage(panel, width, height);
    expect(boxes(placed).length).toBeGreaterThan(2);
    expect(overlapping(boxes(placed))).toEqual([]);
    for (const { x, y, w, h } of boxes(placed)) {
      expect(x - w / 2).toBeGreaterThanOrEqual(0);
      expect(y - h / 2).toBeGreaterThanOrEqual(0);
      expect(x + w / 2).toBeLessThanOrEqual(placed.width + 0.01);
      expect(y + h / 2).toBeLessThanOrEqual(placed.height + 0.01);
    }
  });

  it.each(STAGES)("has curves that end at their boxes on a stage of %i × %i", (width, height) => {
    const placed = onStage(panel, width, height);
    const nodes = new Map(placed.nodes.map((node) => [node.node, node]));
    for (const { before, after, gate, tail, head } of placed.edges) {
      expect(fromBorder(before[0]!, before[1]!, nodes.get(tail)!)).toBeLessThan(0.2);
      expect(fromBorder(after.at(-2)!, after.at(-1)!, nodes.get(head)!)).toBeLessThan(0.2);
      for (const [x, y] of [before.slice(-2), after.slice(0, 2)] as [number, number][]) {
        expect(Math.hypot(x - gate.x, y - gate.y)).toBeLessThan(0.2);
      }
    }
  });

  it("fills a stage that is as wide or as high as itself in the other direction too", () => {
    const [wide, high] = [onStage(panel, panel.width * 1.2, panel.height), onStage(panel, panel.width, panel.height * 1.2)];
    const right = (placed: FlowPanel): number => Math.max(...boxes(placed).map(({ x }) => x));
    const low = (placed: FlowPanel): number => Math.max(...boxes(placed).map(({ y }) => y));
    expect(wide.width - right(wide)).toBeCloseTo(panel.width - right(panel), 0);
    expect(high.height - low(high)).toBeCloseTo(panel.height - low(panel), 0);
  });
});
