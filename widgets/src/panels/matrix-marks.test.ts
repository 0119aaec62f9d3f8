import { expect, test } from "vitest";
import { matrixItems, sizeOf } from "./matrix-marks.js";
import type { Box, Words } from "../motion/marks.js";
import type { MatrixPanel } from "../scene/scene.js";

const PANEL: MatrixPanel = { id: "matrix", kind: "matrix", run: "a", rows: ["y", "a_long_name_of_a_row"], columns: ["x0", "x1"], label: "Jacobian" };
const known = (values: Record<string, unknown>, changed: string[] = [], partial = "") => ({
  stage: new Map(Object.entries(values).map(([place, value]) => [`a/cell/${place}`, value])),
  changed: new Set(changed.map((place) => `a/cell/${place}`)),
  isPartial: (key: string) => key === `a/cell/${partial}`,
});
const cellAt = (place: string, ...given: Parameters<typeof known>): [Box, Words?] =>
  matrixItems(PANEL, known(...given)).find(({ key }) => key === place)!.marks as [Box, Words?];

test("what is not known is empty, a zero is a faint dot, a number stands in its entry", () => {
  const values = { "0/0": 0, "0/1": -1.23456, "1/0": { shape: [100], norm: 2 } };
  const cells = ["0/0", "0/1", "1/0", "1/1"].map((place) => cellAt(place, values));
  expect(cells.map(([, words]) => words?.text)).toEqual(["·", "−1.235", "vector of…", undefined]);
  expect(cells.map(([, words]) => words?.fill)).toEqual(["muted", "ink", "ink", undefined]);
  expect(cells.map(([{ fill }]) => fill)).toEqual(["neutral", "neutral", "neutral", "paper"]);
});

test("what has changed has a border, and a sum under way is faint and says so", () => {
  const [changed, other] = ["0/0", "0/1"].map((place) => cellAt(place, { "0/0": 1, "0/1": 0.7174 }, ["0/0"], "0/1")) as [[Box, Words], [Box, Words]];
  expect([changed[0].line, other[0].line]).toEqual(["accent", "neutral"]);
  expect([changed[1].text, other[1].text, other[1].fill]).toEqual(["1", "0.7174 + …", "muted"]);
});

test("everything is within the size, and long labels are cut", () => {
  const { width, height } = sizeOf(PANEL);
  const items = matrixItems(PANEL, known({}));
  for (const { x, y, w, h } of items.slice(1).map(({ marks }) => marks[0] as Box)) expect([x > 0, y > 0, x + w < width, y + h < height]).toEqual([true, true, true, true]);
  expect(items[0]!.marks.map((mark) => (mark as Words).text)).toEqual(["Jacobian", "y", "a_long_name_…", "x0", "x1"]);
});
