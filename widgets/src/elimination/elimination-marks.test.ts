import { expect, test } from "vitest";
import { moment } from "./elimination-marks.js";
import { Places } from "./elimination-places.js";
import { stand } from "./elimination-standing.js";
import { type Beat, beatsOf, duration } from "./elimination-steps.js";
import type { PlacedElimination } from "../layout/placed.js";
import type { Show } from "../scene/document.js";

type Told = [picture: number, from: number, to: number, share: number, morph: number];

/** Eliminations that Python makes (tests/stage/elimination_moments.py), with moments of them. */
const goldens = import.meta.glob<Pick<Show, "panels" | "start" | "steps"> & { moments: Told[] }>("../../../build/eliminations/*.json", { eager: true, import: "default" });

/** The pictures of a golden show with what they need. */
function pictures({ panels, start, steps }: (typeof goldens)[string]): { panel: PlacedElimination; state: Map<string, unknown>; beats: Beat[] }[] {
  return panels.flatMap((panel) => {
    if (panel.kind !== "elimination") return [];
    const run = `${panel.run}/`;
    const state = new Map(Object.entries(start!).filter(([key]) => key.startsWith(run)).map(([key, value]) => [key.slice(run.length), value]));
    const beats = beatsOf(steps, panel.run);
    return [{ panel: new Places(panel, state, beats).on({ width: 900, height: 500 }), state, beats }];
  });
}

test("there are eliminations to look at", () => {
  expect(Object.keys(goldens).length).toBeGreaterThanOrEqual(7);
});

for (const [file, golden] of Object.entries(goldens)) {
  test(`every mark of ${file.split("/").pop()} has a name of its own`, () => {
    for (const [number, from, to, share, morph] of golden.moments) {
      const { panel, state, beats } = pictures(golden)[number]!;
      const keys = moment(stand(panel, state, beats, from, to, share, morph)).map(({ key }) => key);
      expect(keys.filter((key, k) => keys.indexOf(key) < k)).toEqual([]);
    }
  });
}

test("nothing moves that was there before", () => {
  const { panel, state, beats } = pictures(goldens["../../../build/eliminations/bat_vertex.json"]!)[0]!;
  const spots = (k: number, share: number): Map<string, unknown> => new Map(stand(panel, state, beats, k, k + 1, share, 0).spots);
  for (const k of beats.keys()) expect(spots(k, 1)).toEqual(spots(0, 0));
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
