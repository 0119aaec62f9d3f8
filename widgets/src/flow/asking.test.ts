import { expect, test } from "vitest";
import { asked, untold } from "./moment.js";
import type { Mark } from "../motion/marks.js";
import { moment } from "./moment.js";
import { laid } from "../layout/layout.js";
import type { FlowPanel, Question } from "../scene/document.js";
import { STAGE } from "../testing/flows.js";
import { showOf } from "../testing/shows.js";

const scene = showOf("backward");
const panel = laid(scene.panels.find(({ kind }) => kind === "flow") as FlowPanel, STAGE);
const questions = scene.steps.flatMap(({ rests }) => rests?.edges?.question ?? []);
const aboutEdge = questions.find(({ edge }) => edge) as Question;
const aboutNode = questions.find(({ nodes }) => nodes?.length) as Question;

const textsOf = (marks: readonly Mark[], start: string): string[] =>
  marks.flatMap((mark) => (mark.type === "text" && mark.key.startsWith(start) ? [mark.text] : []));

test("gates that carry nothing yet do not tell their partials, those that have been passed do", () => {
  const half = panel.moves.filter(({ kind }) => kind === "send")[1]!.step + 1;
  const silent = untold(panel, half);
  const marks = asked(moment(panel, 0, half, 1), panel, null, silent);
  for (const { key, gate } of panel.edges)
    expect(textsOf(marks, `gate/${key}/`).length > 0).toBe(!silent.has(key) && Boolean(gate.symbol || gate.number));
  expect(silent.size).toBeGreaterThan(0);
  expect(untold(panel, scene.steps.length).size).toBe(0);
});

test("the edge asked about has an outline and a question mark at its gate", () => {
  const marks = asked(moment(panel, 0, 0, 1), panel, aboutEdge, untold(panel, 0));
  const gate = panel.edges.find(({ key }) => key === aboutEdge.edge)!.gate;
  const outline = marks.find(({ key }) => key === `asked/${aboutEdge.edge}`)!;
  expect(outline).toMatchObject({ type: "box", dashed: true, fill: "" });
  expect(outline.type === "box" && outline.x < gate.x - gate.w / 2 && outline.w > gate.w).toBe(true);
  expect(textsOf(marks, "asked/")).toEqual(["?"]);
});

test("a node asked about has an outline and keeps its words", () => {
  const before = moment(panel, 0, 0, 1);
  const marks = asked(before, panel, aboutNode, new Set());
  expect(marks.length).toBe(before.length + aboutNode.nodes!.length);
  expect(marks.at(-1)!.key).toBe(`asked/${aboutNode.nodes![0]}`);
});

test("where nothing is asked the marks are those of the moment", () => {
  const before = moment(panel, 0, 3, 1);
  expect(asked(before, panel, null, new Set())).toEqual(before);
});
