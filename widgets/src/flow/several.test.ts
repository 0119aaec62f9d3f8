import { expect, test } from "vitest";

import { stripHeight } from "../layout/lengths.js";
import { stripMarks } from "./strip.js";
import { sweepAt } from "./several.js";
import { laid } from "../layout/layout.js";
import type { Placed } from "../layout/placed.js";
import type { FlowPanel } from "../scene/document.js";
import { STAGE } from "../testing/flows.js";
import { partsOf } from "../playback/runs.js";
import { play, showOf } from "../testing/shows.js";

const flowsOf = (name: "race" | "columns"): Placed[] =>
  showOf(name).panels.filter((panel): panel is FlowPanel => panel.kind === "flow").map((panel) => laid(panel, STAGE));

test("each half has its name and its picture, and beside each other stands what each engine does", () => {
  const { all, find, press } = play("race");
  expect(all(".adviz-half b").map((title) => title.textContent)).toEqual(["Tape", "Sorted node graph"]);
  expect(all(".adviz-flow").length).toBe(2);
  press("ArrowRight");
  press("ArrowRight");
  const { steps } = showOf("race");
  const told = all(".adviz-caption > span").map((span) => span.textContent!);
  partsOf(steps[1]!).forEach(({ caption }, k) => expect(told[k]).toContain(caption));
  press("End");
  expect(find(".adviz-caption").textContent).toContain("In all");
});

test("a run that waits keeps its last words, fainter", () => {
  const { all, press } = play("race");
  const { steps, runs } = showOf("race");
  const alone = steps.findIndex((step) => partsOf(step).length === 1 && step.kind !== "result");
  for (let k = 0; k <= alone; k++) press("ArrowRight");
  const moving = partsOf(steps[alone]!)[0]!.run;
  expect(all(".adviz-caption > span").map((span) => span.hasAttribute("data-waits"))).toEqual(runs.map(({ id }) => id !== moving));
});

test("the strip marks the node whose turn it is, and only a tape has a head", () => {
  for (const panel of flowsOf("race"))
    for (const [step, head] of panel.strip!.states) {
      const marks = stripMarks(panel, step + 1);
      const arrows = marks.filter(({ type }) => type === "arrow");
      expect(arrows.length).toBe(Number(panel.strip!.tape && head >= 0));
      const inked = marks.filter((mark) => mark.type === "box" && mark.fill === "ink");
      expect(inked.length).toBe(Number(head >= 0));
      const cells = marks.filter((mark) => mark.type === "box" && mark.h === 32);
      for (const cell of cells) expect(cell.type === "box" && cell.y).toBeGreaterThanOrEqual(panel.height - stripHeight(panel));
    }
});

test("a sweep is the one that the cursor is in, and its numbers are its own", () => {
  const [panel] = flowsOf("columns");
  const { first, nodes } = panel!.sweeps![0]!;
  expect(sweepAt(panel!, first)).toBe(panel);
  const second = sweepAt(panel!, first + 1);
  expect(second).toBe(sweepAt(panel!, first + 5));
  second.nodes.forEach((node, i) => {
    expect([node.seed, node.result]).toEqual([nodes[i]!.seed, nodes[i]!.result]);
    expect(node.x).toBe(panel!.nodes[i]!.x);
  });
});

test("who points at an entry of the Jacobian sees the paths that lead there", () => {
  const { find, press } = play("columns");
  press("End");
  const before = find(".adviz-flow").innerHTML;
  find("[data-cell='0/1']").dispatchEvent(new Event("pointerover", { bubbles: true }));
  const lit = find(".adviz-flow").innerHTML;
  expect(lit).not.toBe(before);
  find("[data-cell='1/1']").dispatchEvent(new Event("pointerover", { bubbles: true }));
  expect(find(".adviz-flow").innerHTML).not.toBe(lit);
  find(".adviz-matrix").dispatchEvent(new Event("pointerleave"));
  expect(find(".adviz-flow").innerHTML).toBe(before);
});
