import { expect, test } from "vitest";
import { labelled, places } from "./places.js";
import type { Placed } from "../layout/placed.js";
import { sweeps } from "../testing/flows.js";

const SHOWS = ["backward", "forward", "newton", "network"];
/** The height of an equation; by so many px one between two gates may be nearer to the other one. */
const HIGH = 22;
const BETWEEN = 3;
const LONG = 250;
/** What an engine notes below a node: how far below it, how wide and how high. */
const [NOTE, NOTED, TALL] = [13, 120, 16];

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const distance = (one: Box, other: Box): number =>
  Math.hypot(Math.max(0, Math.abs(one.x - other.x) - (one.w + other.w) / 2), Math.max(0, Math.abs(one.y - other.y) - (one.h + other.h) / 2));

for (const name of SHOWS) {
  const { panel }: { panel: Placed } = sweeps[name]!;

  test(`each equation of ${name} is nearer to its own gate than to any other`, () => {
    const { equations } = places(panel);
    expect([...equations.keys()].sort()).toEqual(panel.edges.filter(({ equation }) => equation[0]).map(({ key }) => key).sort());
    for (const edge of panel.edges) {
      const place = equations.get(edge.key);
      // One longer than any gap between nodes stands where there is room.
      if (!place || labelled(edge.equation[1]) > LONG) continue;
      const label = { x: place[0], y: place[1], w: labelled(edge.equation[1]), h: HIGH };
      const others = panel.edges.filter((other) => other !== edge).map(({ gate }) => distance(label, gate));
      expect(distance(label, edge.gate), edge.equation[0]).toBeLessThan(Math.min(...others) + BETWEEN);
    }
  });

  test(`sums of ${name} lie neither on nodes nor on what is noted below them`, () => {
    const notes = panel.nodes.map(({ x, y, h }) => ({ x, y: y + h / 2 + NOTE, w: NOTED, h: TALL }));
    for (const [x, y] of places(panel).totals.values())
      for (const each of [...panel.nodes, ...notes]) expect(distance({ x, y, w: 1, h: HIGH }, each)).toBeGreaterThan(0);
  });
}

test("contributions for which there is no room side by side share a place", () => {
  const { panel } = sweeps.often!;
  const { parked } = places(panel);
  expect(parked.size).toBeGreaterThanOrEqual(8);
  expect(new Set([...parked.values()].map(String)).size).toBeLessThan(parked.size);
});
