import { expect, test } from "vitest";
import { inPlay, scenes } from "./playing.js";
import type { BenchPanel, FlowPanel } from "../scene/document.js";
import { panelOf } from "../scene/scene.js";
import { showOf } from "../testing/shows.js";

const show = showOf("arrays");
const { benches } = panelOf(show, "bench") as BenchPanel;
const flow = panelOf(show, "flow") as FlowPanel;
const products = flow.moves.filter(({ kind }) => kind === "send");
/** The two products of one node. */
const [one, other] = products.slice(-2).map(({ step }) => step) as [number, number];

test("at the start the values lie there", () => {
  expect(inPlay(benches, -1, 0)).toEqual([benches[0]]);
});

test("the operations of a step lie there in their order, and the last one stays while an engine does other things", () => {
  expect(inPlay(benches, one, other + 1).map(({ step }) => step)).toEqual([one, other]);
  const between = one - 1;
  expect(benches.some(({ step }) => step === between)).toBe(false);
  expect(inPlay(benches, between, between + 1).map(({ step }) => step)).toEqual([benches.filter(({ step }) => step < between).at(-1)!.step]);
});

test("products come one after the other, each first without its result", () => {
  const played = inPlay(benches, one, other + 1);
  const found = scenes(flow, played, one, other + 1);
  expect(found.map(({ operation, done }) => [operation, done])).toEqual([[0, false], [0, true], [1, false], [1, true]]);
  expect(found.map(({ at }) => at)).toEqual([...found.map(({ at }) => at)].sort((a, b) => a - b));
});

test("operations of one move share its time", () => {
  const [move] = products;
  const several = benches.filter(({ step }) => step === move!.step).flatMap((bench) => [bench, bench]);
  const found = scenes(flow, several, move!.step, move!.step + 1);
  expect(found.map(({ operation, done }) => [operation, done])).toEqual([[0, false], [0, true], [1, false], [1, true]]);
  expect(found.map(({ at }) => at)).toEqual([...found.map(({ at }) => at)].sort((a, b) => a - b));
  expect(found.at(-1)!.at).toBeCloseTo(scenes(flow, several.slice(1), move!.step, move!.step + 1).at(-1)!.at);
});

test("where nothing happens there are none", () => {
  expect(scenes(flow, inPlay(benches, 0, 0), 0, 0)).toEqual([]);
});
