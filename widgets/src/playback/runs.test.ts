import { expect, test } from "vitest";
import { firstTimes, firstTurns, partOf, partials, partsOf } from "./runs.js";
import { STEPS, part, showOf, step } from "../testing/panels-shown.js";

test("a step of one run is its only part, with its cost", () => {
  expect(partsOf(STEPS[2]!)).toEqual([STEPS[2]]);
  expect(partOf(STEPS[2]!, "a")).toMatchObject({ node: 2, kind: "product", bytes: 24 });
  expect(partOf(STEPS[2]!, "b")).toBeNull();
  expect(partOf(null, "a")).toBeNull();
});

test("where runs advance together each has its part", () => {
  const both = step({
    edits: [],
    node: 1,
    parts: [part({ run: "a", node: 1 }), part({ run: "b", node: 4, bytes: 7 })],
  });
  expect(partOf(both, "b")).toMatchObject({ node: 4, bytes: 7 });
});

test("first times tell what is not yet there from what has been freed", () => {
  const times = firstTimes(showOf(STEPS));
  expect(Object.fromEntries(times)).toEqual({
    "a/stored/2": 1,
    "a/adjoint/2": 1,
    "a/product/2/0": 3,
    "a/adjoint/0": 4,
  });
  expect(firstTimes(showOf([step({ edits: [["a/value/0", 2, null]] })])).get("a/value/0")).toBe(0);
});

test("what stands on stage is partial as long as more is added before it is freed", () => {
  const values = [null, 1, 3, null, 5, null];
  const steps = values.slice(1).map((value, k) => step({ edits: [["a/adjoint/0", values[k]!, value]] }));
  const isPartial = partials(showOf(steps));
  expect([0, 1, 2, 3, 4, 5].map((cursor) => isPartial("a/adjoint/0", cursor))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(isPartial("a/adjoint/1", 1)).toBe(false);
});

test("a node has its turn when it is visited, not when it is counted", () => {
  const counted = step({ kind: "count", node: 7, edits: [] });
  expect(Object.fromEntries(firstTurns(showOf([counted, ...STEPS]), "a"))).toEqual({ 2: 3, 0: 5 });
});
