import { expect, test } from "vitest";
import { type Beat, beatsOf, stateAt } from "./elimination-steps.js";
import { type Sorted, extended, labelsIn, locate, sorted } from "./extended-marks.js";
import type { Cells, Mark } from "../motion/marks.js";
import type { ExtendedPanel, Show } from "../scene/document.js";

type Told = [from: number, to: number, share: number, marks: Record<string, unknown>[]];

/** What Python draws (tests/stage/elimination_moments.py). */
const goldens = import.meta.glob<Pick<Show, "panels" | "start" | "steps"> & { moments: Told[] }>("../../../build/eliminations/large/*.json", { eager: true, import: "default" });

const plain = ({ key: _, ...mark }: Mark): Record<string, unknown> => mark as unknown as Record<string, unknown>;

/** Whether two values are the same, numbers up to what rounding makes of them. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "number") return typeof other === "number" && Math.abs(one - other) < 0.0101;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((each, k) => isSame(each, other[k]));
  return one === other;
}

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

function at({ panel, start, beats }: Played, from: number, to: number): Sorted {
  const [before, after] = [from, to].map((cursor) => labelsIn(stateAt(start, beats, cursor))) as [Map<string, unknown>, Map<string, unknown>];
  const move = to ? beats.slice(beats[to - 1]!.first, to) : [];
  return sorted({ panel, given: new Set(labelsIn(start).keys()), before, after, products: move.flatMap(({ product }) => product ?? []) });
}

test("there are moments of Python to compare with", () => {
  expect(Object.keys(goldens).length).toBe(3);
});

for (const [file, golden] of Object.entries(goldens)) {
  const name = file.split("/").pop();

  test(`the marks of ${name} are those that Python draws, and have names of their own`, () => {
    for (const [from, to, share, marks] of golden.moments) {
      const made = extended(at(played(golden), from, to), share);
      const where = `${from} to ${to} at ${share}`;
      made.map(plain).forEach((mark, k) => {
        const other = marks[k] ?? {};
        const wrong = [...new Set([...Object.keys(mark), ...Object.keys(other)])].filter((field) => !isSame(mark[field], other[field]));
        if (wrong.length) expect(mark, `mark ${k} (${made[k]!.key}), ${where}`).toEqual(other);
      });
      expect(made.length, where).toBe(marks.length);
      expect(new Set(made.map(({ key }) => key)).size).toBe(made.length);
    }
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
