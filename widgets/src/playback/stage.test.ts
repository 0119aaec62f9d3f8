import { expect, test } from "vitest";
import { apply, startStage, unapply } from "./stage.js";
import type { Edit } from "../scene/scene.js";
import { golden, goldenScene } from "../testing/explorers.js";
import elimination from "../../../tests/goldens/stages/elimination.json";
import { move, stageAt } from "../testing/stages.js";

const step = (...edits: Edit[]) => ({ edits });

test("the golden scene has the golden stages", () => {
  const scene = goldenScene();
  golden.stages.forEach((stage, cursor) => expect(Object.fromEntries(stageAt(scene, cursor))).toEqual(stage));
});

test("a golden that starts from a full stage has its stages too", () => {
  const steps = elimination.scene.steps as unknown as { edits: Edit[] }[];
  elimination.stages.forEach((stage, cursor) => expect(Object.fromEntries(stageAt({ steps }, cursor))).toEqual(stage));
});

test("every cursor is reached the same forwards and backwards", () => {
  const steps = [
    step(["p/a", 1, 2], ["p/b", null, "x"]),
    step(["p/a", 2, null]),
    step(["p/a", null, 3], ["p/a", 3, 4]),
    step(["p/b", "x", null]),
  ];
  const stage = stageAt({ steps }, 0);
  let at = 0;
  for (const to of [4, 0, 2, 3, 1, 4, 2, 0]) {
    move(stage, steps, at, to);
    at = to;
    expect(stage).toEqual(stageAt({ steps }, to));
  }
});

test("what the first edit of a key finds was there at the start", () => {
  expect(startStage([step(["p/a", 7, 8]), step(["p/a", 8, null], ["p/b", null, 1])])).toEqual(new Map([["p/a", 7]]));
});

test("undoing a step takes its edits back last first", () => {
  const { edits } = step(["p/a", null, 1], ["p/a", 1, 2]);
  const stage = new Map<string, unknown>();
  apply(stage, edits);
  expect(stage).toEqual(new Map([["p/a", 2]]));
  unapply(stage, edits);
  expect(stage).toEqual(new Map());
});

test.each([-1, 4, 0.5])("a cursor of %s is refused", (cursor) => {
  expect(() => stageAt(goldenScene(), cursor)).toThrow(`cursor ${cursor} is outside 0 … 3`);
});
