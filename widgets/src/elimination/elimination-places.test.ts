import { describe, expect, test } from "vitest";

import { Places } from "./elimination-places.js";
import { labels } from "./elimination-standing.js";
import { type Beat, type State, beatsOf, stateAt } from "./elimination-steps.js";
import { isTall } from "./elimination-values.js";
import { Elimination, endsOf } from "./elimination.js";
import type { PlacedElimination } from "../layout/placed.js";
import type { EliminationMove } from "../host.js";
import type { Show, Step } from "../scene/document.js";
import { LION, NAUMANN, eliminationShow, movesOf, numbers, ownOf, randomEdges } from "../testing/elimination-shows.js";

const STAGES = [[734, 415], [802, 508], [1254, 369], [1894, 850], [380, 500]].map(([width, height]) => ({ width: width!, height: height! }));
const TECHNIQUES = ["vertex", "edge", "face"] as const;
/** Pixels of the places, which are rounded. */
const ROUNDED = 0.11;

interface Told {
  readonly places: Places;
  readonly start: State;
  readonly beats: readonly Beat[];
}

function told({ panels, start, steps }: Pick<Show, "panels" | "start" | "steps">): Told[] {
  return panels.flatMap((panel) => {
    if (panel.kind !== "elimination") return [];
    const run = `${panel.run}/`;
    const state = new Map(Object.entries(start!).flatMap(([key, value]) => (key.startsWith(run) ? [[key.slice(run.length), value] as const] : [])));
    const beats = beatsOf(steps, panel.run);
    return [{ places: new Places(panel, state, beats), start: state, beats }];
  });
}

/** A graph that is eliminated by moves that are drawn. */
function drawn(seed: number, technique: (typeof TECHNIQUES)[number]): Show {
  const draw = numbers(seed);
  const next = (): number => draw.next().value as number;
  const own = ownOf(randomEdges(next), technique);
  const graph = new Elimination(own);
  const moves: EliminationMove[] = [];
  for (let possible = movesOf(graph); possible.length; possible = movesOf(graph)) {
    const move = possible[Math.floor(next() * possible.length)]!;
    graph.make(move);
    moves.push(move);
  }
  return eliminationShow(own, moves);
}

const goldens = import.meta.glob<Pick<Show, "panels" | "start" | "steps">>("../../../build/eliminations/*.json", { eager: true, import: "default" });
const algebras = import.meta.glob<{ scene: Show }>("../../../tests/goldens/algebra/*.json", { eager: true, import: "default" });
const SHOWS: readonly (readonly [string, () => Told[]])[] = [
  ...Object.entries(goldens).map(([file, show]) => [file.split("/").at(-1)!, () => told(show)] as const),
  ...Object.entries(algebras).map(([file, { scene }]) => [file.split("/").at(-1)!, () => told(scene)] as const),
  ...TECHNIQUES.flatMap((technique) => [3, 4].map((seed) => [`${technique}, drawn with ${seed}`, () => told(drawn(seed, technique))] as const)),
];

interface Box {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The boxes that are there after so many steps; letters are lower than numbers. */
function boxesAt({ start, beats }: Told, placed: PlacedElimination, cursor: number): Box[] {
  const state = stateAt(start, beats, cursor);
  const at = (key: string): readonly [number, number] => placed.places.get(key)!;
  const vertices = placed.vertices.filter(({ thing }) => state.has(`vertex/${thing}`));
  return [
    ...vertices.map(({ thing, w }) => ({ key: `vertex/${thing}`, x: at(`vertex/${thing}`)[0], y: at(`vertex/${thing}`)[1], w, h: 44 })),
    ...labels(state).map((thing) => {
      const value = state.get(`node/${thing}`);
      const [w, h] = typeof value === "string" ? [84, 38] : isTall(value) ? [92, 62] : [92, 50];
      return { key: `label/${thing}`, x: at(`label/${thing}`)[0], y: at(`label/${thing}`)[1], w, h };
    }),
  ];
}

const meet = (one: Box, other: Box): boolean =>
  2 * Math.abs(one.x - other.x) < one.w + other.w - 2 * ROUNDED && 2 * Math.abs(one.y - other.y) < one.h + other.h - 2 * ROUNDED;

const cursors = ({ beats }: Told): number[] => [...beats.keys(), beats.length];

/** Straight lines between vertices and labels that cross, after so many steps. */
function crossings(show: Told, placed: PlacedElimination, cursor: number): number {
  const lines = labels(stateAt(show.start, show.beats, cursor)).flatMap((thing) =>
    endsOf(thing).map((end) => [`vertex/${end}`, `label/${thing}`].map((key) => placed.places.get(key)!) as [readonly [number, number], readonly [number, number]]),
  );
  const side = ([a, b]: (typeof lines)[number], [x, y]: readonly [number, number]): number => (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
  const cross = (one: (typeof lines)[number], other: (typeof lines)[number]): boolean =>
    side(one, other[0]) * side(one, other[1]) < -1 && side(other, one[0]) * side(other, one[1]) < -1;
  return lines.flatMap((one, k) => lines.slice(k + 1).filter((other) => cross(one, other))).length;
}

test("there are shows to look at", () => {
  expect(Object.keys(goldens).length).toBeGreaterThanOrEqual(7);
  expect(Object.keys(algebras).length).toBeGreaterThanOrEqual(3);
});

describe.each(SHOWS)("%s", (_, made) => {
  const shows = made();

  test("nothing overlaps at any time, on any stage, and all is in the picture", () => {
    for (const show of shows)
      for (const stage of STAGES) {
        const placed = show.places.on(stage);
        for (const cursor of cursors(show)) {
          const boxes = boxesAt(show, placed, cursor);
          for (const { x, y, w, h } of boxes) {
            expect(Math.min(x - w / 2, y - h / 2)).toBeGreaterThanOrEqual(0);
            expect(x + w / 2).toBeLessThanOrEqual(placed.width);
            expect(y + h / 2).toBeLessThanOrEqual(placed.height);
          }
          const touching = boxes.flatMap((one, k) => boxes.slice(k + 1).flatMap((other) => (meet(one, other) ? [[one.key, other.key]] : [])));
          expect(touching, `${stage.width} × ${stage.height}, after ${cursor}`).toEqual([]);
        }
      }
  });

  test("the order in the columns is the same on all stages, and inputs and outputs are in their own", () => {
    for (const show of shows) {
      const orders = STAGES.map((stage) => {
        const placed = show.places.on(stage);
        const columns = new Map<number, Box[]>();
        for (const box of boxesAt(show, placed, 0)) columns.set(box.x, [...(columns.get(box.x) ?? []), box]);
        const ordered = [...columns].sort(([one], [other]) => one - other).map(([, boxes]) => boxes.sort((one, other) => one.y - other.y).map(({ key }) => key));
        for (const role of ["input", "output"]) {
          const ends = placed.vertices.filter((vertex) => vertex.role === role).map(({ thing }) => `vertex/${thing}`);
          expect(ordered.at(role === "input" ? 0 : -1)).toEqual(ends);
        }
        return ordered;
      });
      for (const order of orders) expect(order).toEqual(orders[0]);
    }
  });
});

test.each([["the lion", LION], ["Naumann's graph", NAUMANN]])("no lines of %s cross at its start", (_, edges) => {
  const [show] = told(eliminationShow(ownOf(edges, "vertex"), [])) as [Told];
  for (const stage of STAGES) expect(crossings(show, show.places.on(stage), 0)).toBe(0);
});

test("no lines cross once two crossed diamonds are factored", () => {
  const [show] = told(algebras["../../../tests/goldens/algebra/two_crossed_diamonds.json"]!.scene) as [Told];
  expect(crossings(show, show.places.on(STAGES[1]!), show.beats.length)).toBe(0);
});

test("small graphs can be read on small stages, and use the room of large ones", () => {
  for (const [name, least] of [["bat_vertex", 16], ["lion_vertex", 16]] as const) {
    const [show] = told(goldens[`../../../build/eliminations/${name}.json`]!) as [Told];
    const size = (stage: (typeof STAGES)[number]): number => (17 * stage.width) / show.places.on(stage).width;
    expect(size(STAGES[0]!)).toBeGreaterThanOrEqual(least);
    expect(size(STAGES[3]!)).toBeGreaterThanOrEqual(1.5 * least);
  }
});

test("an order of one's own begins as the show does, and what is there stays", () => {
  const show = eliminationShow(ownOf(NAUMANN, "vertex"), [["vertex", "3"], ["vertex", "2"], ["vertex", "4"]]);
  const [{ places, start }] = told(show) as [Told];
  const other = (moves: EliminationMove[]): PlacedElimination => {
    const steps: readonly Step[] = eliminationShow(ownOf(NAUMANN, "vertex"), moves).steps;
    return new Places(places.panel, start, beatsOf(steps, "a"), places).on(STAGES[1]!);
  };
  const before = places.on(STAGES[1]!);
  const [first, second] = [other([["vertex", "4"]]), other([["vertex", "4"], ["vertex", "2"]])];
  for (const key of start.keys()) {
    const place = key.replace("node", "label");
    if (before.places.has(place)) for (const after of [first, second]) expect(after.places.get(place)).toEqual(before.places.get(place));
  }
  for (const [key, place] of first.places) expect(second.places.get(key), key).toEqual(place);
});
