import { expect, test } from "vitest";
import { Scopes } from "./scopes.js";
import { decodeColumns } from "../scene/columns.js";
import { readView } from "../scene/scene.js";
import { copy, golden, goldenColumns, goldenScene } from "../testing/explorers.js";

const scopes = () =>
  new Scopes(decodeColumns(goldenColumns(), goldenScene().columns), ["f", "for k in range(3)", "iteration"]);

test("labels, kinds and paths", () => {
  expect([0, 1, 4].map((scope) => [scopes().kind(scope), scopes().label(scope)])).toEqual([
    ["call", "f"],
    ["loop", "for k in range(3)"],
    ["iteration", "iteration 3"],
  ]);
  expect(scopes().path(3)).toBe("f › for k in range(3) › iteration 2");
  expect(scopes().path(-1)).toBe("");
});

test("a loop of iterations made alike leads back into one of them", () => {
  const view = readView(copy(golden.views["3"]));
  expect(scopes().leadsBack(view)).toBe(true);
  expect(scopes().leadsBack({ ...view, siblings: { ...view.siblings!, count: 2 } })).toBe(false);
  expect(scopes().leadsBack({ ...view, siblings: null })).toBe(false);
  expect(scopes().leadsBack({ ...view, scope: 1, siblings: null })).toBe(false);
  expect(scopes().leadsBack({ ...view, scope: 0, siblings: null })).toBe(false);
});
