import { expect, test } from "vitest";
import { cut, headed, pointAt } from "./curves.js";
import { phases, timed } from "./schedule.js";
import type { FlowPanel } from "../scene/document.js";

const goldens = import.meta.glob<{ panel: FlowPanel }>("../../../build/flow/*.json", { eager: true, import: "default" });

test("moves take their times one after the other", () => {
  const { panel } = goldens["../../../build/flow/backward.json"]!;
  const times: Record<string, number> = { seed: 600, send: 1920, sum: 1150, result: 400 };
  const { total } = timed(panel, 0, 1e6);
  expect(total).toBeGreaterThan(times["sum"]!);
  expect(total).toBeLessThan(panel.moves.reduce((sum, { kind }) => sum + times[kind]!, 0));
  for (const share of [0, 0.3, 1]) for (const phase of phases(panel, 0, 1e6, share)) expect(phase.share >= 0 && phase.share <= 1).toBe(true);
  expect(phases(panel, 0, 1e6, 1).every(({ share }) => share === 1)).toBe(true);
});

test("the head of an arrow begins where its line ends", () => {
  const points = [0, 0, 50, 0, 50, 40, 100, 40];
  const { stem, head } = headed(points, 20, 14);
  const [x, y, x1, y1, x2, y2] = head as [number, number, number, number, number, number];
  const [endX, endY] = stem.slice(-2) as [number, number];
  expect(Math.hypot(endX - (x1 + x2) / 2, endY - (y1 + y2) / 2)).toBeLessThan(0.2);
  expect([x, y]).toEqual([100, 40]);
  expect(cut(points, 1)).toEqual(points);
  expect(pointAt(points, 0.5)).toEqual([50, 20]);
});
