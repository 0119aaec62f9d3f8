import { expect, test } from "vitest";
import { type Beat, beatsOf } from "./elimination-steps.js";
import { type Sorted, extended, labelsIn, locate, sorted } from "./extended-marks.js";
import type { Box, Cells, Mark, Words } from "../motion/marks.js";
import type { ExtendedPanel, Show } from "../scene/document.js";

type Told = [from: number, to: number, share: number];

/** Large eliminations that Python makes (tests/stage/elimination_moments.py), with moments of them. */
const goldens = import.meta.glob<Pick<Show, "panels" | "start" | "steps"> & { moments: Told[] }>("../../../build/eliminations/large/*.json", { eager: true, import: "default" });

interface Played {
  readonly panel: ExtendedPanel;
  readonly start: ReadonlyMap<string, unknown>;
  readonly beats: readonly Beat[];
}

function played({ panels, start, steps }: (typeof goldens)[string]): Played {
  const panel = panels.find((each): each is ExtendedPanel => each.kind === "extended")!;
  const run = `${panel.run}/`;
  const state = new Map(Object.entries(start!).filter(([key]) => key.startsWith(run)).map(([key, value]) => [key.slice(run.length), value]));
  return { panel, start: state, beats: beatsOf(steps, panel.run) };
}

const at = ({ panel, start, beats }: Played, from: number, to: number): Sorted => sorted(panel, start, beats, from, to);

test("there are large eliminations to look at", () => {
  expect(Object.keys(goldens).length).toBe(3);
});

const [LEFT, TOP, SIDE] = [96, 40, 430];

/** The cells of one color: x, y, w, h of each. */
const cellsOf = (marks: readonly Mark[], fill: string): number[][] =>
  marks.flatMap((mark) => (mark.type === "cells" && mark.fill === fill ? Array.from({ length: mark.boxes.length / 4 }, (_, k) => mark.boxes.slice(4 * k, 4 * k + 4)) : []));
const textsOf = (marks: readonly Mark[]): string[] => marks.flatMap((mark) => (mark.type === "text" ? [mark.text] : []));

for (const [file, golden] of Object.entries(goldens)) {
  const name = file.split("/").pop();
  const shown = played(golden);
  const end = shown.beats.length;

  test(`the marks of ${name} have names of their own and stay in the square`, () => {
    for (const [from, to, share] of golden.moments) {
      const made = extended(at(shown, from, to), share);
      expect(new Set(made.map(({ key }) => key)).size).toBe(made.length);
      for (const mark of made)
        if (mark.type === "cells")
          for (let k = 0; k < mark.boxes.length; k += 4) {
            const [x, y, w, h] = mark.boxes.slice(k, k + 4) as [number, number, number, number];
            expect(x >= LEFT - 1e-6 && x + w <= LEFT + SIDE + 1e-6 && y >= TOP - 1e-6 && y + h <= TOP + SIDE + 1e-6).toBe(true);
          }
    }
  });

  test(`at the start every local partial of ${name} lies below the diagonal`, () => {
    const marks = extended(at(shown, 0, 0), 1);
    const given = cellsOf(marks, "edge");
    expect(given.length).toBe(labelsIn(shown.start).size);
    const diagonal = new Map(cellsOf(marks, "faint 45").map(([x, y]) => [y!.toFixed(6), x!]));
    for (const [x, y] of given) expect(x).toBeLessThan(diagonal.get(y!.toFixed(6)) ?? LEFT + SIDE);
    expect(cellsOf(marks, "pair-2 60")).toEqual([]);
    expect(textsOf(marks)).toContain("30 intermediates left");
  });

  test(`a product of ${name} lands where the column of one factor meets the row of the other`, () => {
    let products = 0;
    for (let last = 1; last < end; last += 9) {
      const { product } = shown.beats[last - 1]!;
      if (!product) continue;
      const marks = extended(at(shown, last - 1, last), 0.5);
      const factors = cellsOf(marks, "ink").map((cell) => cell.map((number) => number.toFixed(6)));
      const isAt = ([x, y]: number[]): boolean => factors.some((cell) => cell[0] === x!.toFixed(6)) && factors.some((cell) => cell[1] === y!.toFixed(6));
      expect(cellsOf(marks, product.hue).some(isAt)).toBe(true);
      products++;
    }
    expect(products).toBeGreaterThan(1);
  });

  test(`rows and columns of ${name} that are gone have collapsed`, () => {
    for (const last of [Math.floor(end / 2), end - 1]) {
      const sort = at(shown, last, last);
      const there = new Set([...sort.after.keys()].flatMap((thing) => thing.split(".").slice(0, 2)));
      const inner = shown.panel.vertices.filter(({ role }) => role === "intermediate");
      expect(cellsOf(extended(sort, 1), "faint 45").map(([, , w]) => w! > 0)).toEqual(inner.map(({ thing }) => there.has(thing)));
    }
  });

  test(`at the end of ${name} the corner fills the square and shows all numbers in one size`, () => {
    const sort = at(shown, end, end);
    const marks = extended(sort, 1);
    const corner = marks.find((mark) => mark.type === "box" && mark.line === "pair-3" && mark.w > 12) as Box;
    expect([corner.x, corner.y, Math.round(corner.w), Math.round(corner.h)]).toEqual([LEFT, TOP, SIDE, SIDE]);
    const numbers = marks.filter((mark): mark is Words => mark.type === "text" && mark.font === "bold" && !["The Jacobian", "+"].includes(mark.text));
    expect(numbers.length).toBe(sort.after.size);
    expect(new Set(numbers.map(({ size }) => size)).size).toBe(1);
    expect(textsOf(marks)).toContain(`only the corner is left: ${sort.after.size} entries`);
  });

  test(`a place in the matrix of ${name} is that of its row and its column`, () => {
    const sort = at(played(golden), 0, 0);
    const given = extended(sort, 1).find((mark): mark is Cells => mark.key === "stays/edge")!;
    const things = [...sort.after.keys()];
    for (let k = 0; k < given.boxes.length; k += 4) {
      const [x, y, w, h] = given.boxes.slice(k, k + 4) as [number, number, number, number];
      const [row, column] = locate(sort, x + w / 2, y + h / 2)!;
      expect(things).toContain(`${column}.${row}`);
    }
    expect(locate(sort, 0, 0)).toBeNull();
  });
}

test("names on the diagonal have room", () => {
  const marks = extended(at(played(goldens["../../../build/eliminations/large/large_vertex.json"]!), 0, 0), 1);
  const names = marks.filter((mark): mark is Words => mark.type === "text" && mark.anchor === "start" && LEFT < mark.x && mark.x < LEFT + SIDE);
  const heights = names.map(({ y }) => y).sort((one, other) => one - other).slice(1);
  for (let k = 1; k < heights.length; k++) expect(heights[k]! - heights[k - 1]!).toBeGreaterThanOrEqual(13);
});
