import { expect, test } from "vitest";
import { moment } from "./elimination-marks.js";
import { stand } from "./elimination-standing.js";
import { type Beat, beatsOf, duration } from "./elimination-steps.js";
import type { Mark } from "../motion/marks.js";
import type { EliminationPanel, Show } from "../scene/document.js";

type Told = [picture: number, from: number, to: number, share: number, morph: number, marks: Record<string, unknown>[]];

/** What Python draws (tests/stage/elimination_moments.py). */
const goldens = import.meta.glob<Pick<Show, "panels" | "start" | "steps"> & { moments: Told[] }>("../../../build/eliminations/*.json", { eager: true, import: "default" });

function plain({ key: _, ...mark }: Mark): Record<string, unknown> {
  return mark as unknown as Record<string, unknown>;
}

/** Whether two values are the same, numbers up to what rounding makes of them. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "number") return typeof other === "number" && Math.abs(one - other) < 0.0101;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((each, k) => isSame(each, other[k]));
  return one === other;
}

/** The pictures of a golden show with what they need. */
function pictures({ panels, start, steps }: (typeof goldens)[string]): { panel: EliminationPanel; state: Map<string, unknown>; beats: Beat[] }[] {
  return panels.flatMap((panel) => {
    if (panel.kind !== "elimination") return [];
    const run = `${panel.run}/`;
    const state = new Map(Object.entries(start!).filter(([key]) => key.startsWith(run)).map(([key, value]) => [key.slice(run.length), value]));
    return [{ panel, state, beats: beatsOf(steps, panel.run) }];
  });
}

test("there are moments of Python to compare with", () => {
  expect(Object.keys(goldens).length).toBeGreaterThanOrEqual(7);
});

for (const [file, golden] of Object.entries(goldens)) {
  test(`the marks of ${file.split("/").pop()} are those that Python draws`, () => {
    const shown = pictures(golden);
    for (const [number, from, to, share, morph, marks] of golden.moments) {
      const { panel, state, beats } = shown[number]!;
      const made = moment(stand(panel, state, beats, from, to, share, morph));
      const where = `${from} to ${to} at ${share}, morph ${morph}`;
      made.map(plain).forEach((mark, k) => {
        const other = marks[k] ?? {};
        const wrong = [...new Set([...Object.keys(mark), ...Object.keys(other)])].filter((name) => !isSame(mark[name], other[name]));
        if (wrong.length) expect(mark, `mark ${k} (${made[k]!.key}), ${where}`).toEqual(other);
      });
      expect(made.length, where).toBe(marks.length);
    }
  });

  test(`every mark of ${file.split("/").pop()} has a name of its own`, () => {
    for (const [number, from, to, share, morph] of golden.moments) {
      const { panel, state, beats } = pictures(golden)[number]!;
      const keys = moment(stand(panel, state, beats, from, to, share, morph)).map(({ key }) => key);
      expect(keys.filter((key, k) => keys.indexOf(key) < k)).toEqual([]);
    }
  });
}

test("within a move nothing moves that was there before it, and at its end the rest does", () => {
  const { panel, state, beats } = pictures(goldens["../../../build/eliminations/bat_vertex.json"]!)[0]!;
  const { first, last } = beats.at(-1)!;
  const spots = (k: number, share: number): Map<string, unknown> => new Map(stand(panel, state, beats, k, k + 1, share, 0).spots);
  const before = spots(first, 0);
  for (let k = first; k < last; k++)
    for (const [key, place] of spots(k, 1)) if (before.has(key)) expect(place, key).toEqual(before.get(key));
  expect([...spots(last, 1)].some(([key, place]) => String(place) !== String(before.get(key)))).toBe(true);
});

test("a move takes as long as its steps, and longer where places change", () => {
  const { beats } = pictures(goldens["../../../build/eliminations/lion_vertex.json"]!)[0]!;
  const { first, last } = beats[0]!;
  expect(duration(beats, first, last + 1)).toBeGreaterThan(2000 * (last - first));
  expect(duration(beats, 0, 0)).toBe(0);
});

test("the arithmetic of a product covers neither its factors nor its result", () => {
  let seen = 0;
  for (const [file, golden] of Object.entries(goldens))
    for (const { panel, state, beats } of pictures(golden))
      beats.forEach(({ product }, k) => {
        if (!product) return;
        const boxes = moment(stand(panel, state, beats, k, k + 1, 0.6, panel.reading === "graph" ? 0 : 1)).filter((mark) => mark.type === "box");
        const plaque = boxes.find(({ key }) => key === "plaque")!;
        const covered = boxes.filter(({ key, x, y, w, h }) =>
          [product.head, product.tail, product.result].some((thing) => key === `label/${thing}`) &&
          plaque.x < x + w && x < plaque.x + plaque.w && plaque.y < y + h && y < plaque.y + plaque.h);
        expect(covered.map(({ key }) => key), `${file}, step ${k + 1}`).toEqual([]);
        seen++;
      });
  expect(seen).toBeGreaterThan(50);
});
