import { describe, expect, it } from "vitest";
import { type Cursors, frameOf, framed, inPlay, mapOf, overlay, windowOf } from "./framing.js";
import type { Mark } from "../motion/marks.js";
import { GHOST } from "./pills.js";
import { places } from "./places.js";
import { stand } from "./standing.js";
import type { Box, Size } from "../picture/camera.js";
import type { Placed } from "../layout/placed.js";
import { sweeps } from "../testing/flows.js";

const panelOf = (name: string): Placed => sweeps[name]!.panel;
const LARGE = ["newton", "newton_forward", "recurrent"];
const READER = [{ width: 800, height: 540 }, 15] as const;
const AUDIENCE = [{ width: 1900, height: 900 }, 24] as const;

const isIn = (frame: Box, box: Box): boolean =>
  Math.abs(box.x - frame.x) <= (frame.w - box.w) / 2 + 0.01 && Math.abs(box.y - frame.y) <= (frame.h - box.h) / 2 + 0.01;
const meet = (one: Box, other: Box): boolean =>
  Math.abs(one.x - other.x) < (one.w + other.w) / 2 && Math.abs(one.y - other.y) < (one.h + other.h) / 2;

const stepsOf = (name: string): Cursors[] => sweeps[name]!.cursors;

/** The nodes and gates of what happens in a step, with the edges to nodes. */
function acting(panel: Placed, [, from, to]: Cursors): { boxes: Box[]; ends: { key: string; box: Box }[] } {
  const node = (wanted: number): Box => panel.nodes.find((each) => each.node === wanted)!;
  const moves = inPlay(panel, from, to);
  const edges = panel.edges.filter(({ key }) => moves.some(({ edge }) => edge === key));
  const own = moves.filter(({ edge }) => !edge).flatMap(({ nodes }) => nodes.map(node));
  return { boxes: [...own, ...edges.flatMap(({ gate, head }) => [gate, node(head)])], ends: edges.map(({ key, tail }) => ({ key, box: node(tail) })) };
}

const over = (panel: Placed, window: Size, [, from, to]: Cursors, frame: Box): Mark[] =>
  overlay(stand(panel, from, to, 1, null), window, frame, inPlay(panel, from, to));

describe.each(LARGE)("the window on %s", (name) => {
  const panel = panelOf(name);
  it.each([READER, AUDIENCE])("holds what is in play, legible and beside the map, on a stage of %o with letters of %d px", (stage, letters) => {
    const window = windowOf(panel, stage, letters)!;
    let beyond = 0;
    for (const cursors of stepsOf(name)) {
      const { frame } = framed(panel, window, cursors, 1);
      const { boxes, ends } = acting(panel, cursors);
      if (isIn(frame, { x: panel.width / 2, y: panel.height / 2, w: panel.width, h: panel.height })) continue;
      expect((GHOST * stage.width) / frame.w).toBeGreaterThanOrEqual(letters - 0.01);
      const signs = over(panel, window, cursors, frame).filter(({ key, type }) => key.startsWith("sign/") && type === "box");
      for (const box of boxes) expect(isIn(frame, box) && !meet(mapOf(panel, frame), box), String(cursors)).toBe(true);
      for (const { key, box } of ends) {
        const sign = signs.find((mark) => mark.key === `sign/${key}`);
        expect(isIn(frame, box) || sign !== undefined, key).toBe(true);
        if (isIn(frame, box)) expect(meet(mapOf(panel, frame), box)).toBe(false);
        else beyond++;
      }
      for (const sign of signs)
        if (sign.type === "box") expect(isIn(frame, { x: sign.x + sign.w / 2, y: sign.y + sign.h / 2, w: sign.w, h: sign.h })).toBe(true);
    }
    expect(beyond).toBeGreaterThan(0);
  });

  it("shows the whole first and last", () => {
    const window = windowOf(panel, ...READER)!;
    const steps = stepsOf(name);
    for (const cursors of [steps[0]!, steps.at(-1)!]) {
      const { frame } = framed(panel, window, cursors, 1);
      expect([frame.w >= panel.width - 0.01, frame.h >= panel.height - 0.01, over(panel, window, cursors, frame)]).toEqual([true, true, []]);
    }
  });

  it("moves one way only, and numbers travel when it has come to rest", () => {
    const window = windowOf(panel, ...READER)!;
    let moved = 0;
    for (const cursors of stepsOf(name)) {
      const times = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1];
      const all = times.map((progress) => framed(panel, window, cursors, progress));
      for (const side of ["x", "y", "w", "h"] as const) {
        const [start, end] = [all[0]!.frame[side], all.at(-1)!.frame[side]];
        const way = all.map(({ frame }) => (frame[side] - start) * Math.sign(end - start));
        expect(way.every((far, k) => !k || far >= way[k - 1]! - 1e-6)).toBe(true);
      }
      for (const { frame, share } of all) if (share > 0) expect(frame).toEqual(all.at(-1)!.frame);
      if (all[0]!.frame.x !== all.at(-1)!.frame.x) moved++;
      const [before, from] = cursors;
      expect(all[0]!.frame).toEqual(frameOf(panel, window, inPlay(panel, before, from)));
    }
    expect(moved).toBeGreaterThan(5);
  });

  it("stays where nothing happens", () => {
    const window = windowOf(panel, ...READER)!;
    const steps = new Set(panel.moves.map(({ step }) => step));
    const last = Math.max(...[...steps].filter((step) => !steps.has(step + 1) && step < Math.max(...steps)));
    const at = (from: number, to: number): Box => framed(panel, window, [from - 1, from, to], 1).frame;
    expect(at(last + 1, last + 2)).toEqual(at(last, last + 1));
    expect(inPlay(panel, 0, 0)).toEqual([]);
  });

  it("has a map of all nodes, with those in play in ink", () => {
    const window = windowOf(panel, ...READER)!;
    const cursors = stepsOf(name)[3]!;
    const { frame } = framed(panel, window, cursors, 1);
    const map = over(panel, window, cursors, frame).filter(({ key }) => key.startsWith("map/"));
    expect(map.length).toBe(panel.nodes.length + 2);
    const inked = map.filter((mark) => mark.type === "box" && mark.fill === "ink").map(({ key }) => key.slice(4));
    const { boxes, ends } = acting(panel, cursors);
    const expected = panel.nodes.filter((node) => [...boxes, ...ends.map(({ box }) => box)].includes(node)).map(({ key }) => key);
    expect(inked.sort()).toEqual([...new Set(expected)].sort());
    const place = mapOf(panel, frame);
    for (const mark of map) if (mark.type === "box") expect(isIn({ ...place, w: place.w + 4, h: place.h + 4 }, { x: mark.x + mark.w / 2, y: mark.y + mark.h / 2, w: mark.w, h: mark.h })).toBe(true);
  });
});

it("is not needed where all can be read, nor for few nodes on a usual stage", () => {
  expect(windowOf(panelOf("backward"), ...READER)).toBeNull();
  expect(windowOf(panelOf("backward"), ...AUDIENCE)).toBeNull();
  const few = panelOf("three_uses");
  expect(few.nodes.length).toBeLessThanOrEqual(12);
  expect(windowOf(few, ...READER)).toBeNull();
  expect(windowOf(panelOf("newton"), { width: 4000, height: 3000 }, 24)).toBeNull();
  expect(windowOf(panelOf("newton"), ...READER)).not.toBeNull();
});

it("holds what is asked about", () => {
  const panel = panelOf("newton");
  const window = windowOf(panel, ...READER)!;
  for (const { key, gate } of panel.edges) {
    const frame = frameOf(panel, window, [{ kind: "seed", step: 0, nodes: [], edge: key }]);
    expect(isIn(frame, gate)).toBe(true);
    const equation = places(panel).equations.get(key);
    if (equation) expect(isIn(frame, { x: equation[0], y: equation[1], w: 0, h: 0 })).toBe(true);
  }
});
