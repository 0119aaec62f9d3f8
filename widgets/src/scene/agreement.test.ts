import { expect, test } from "vitest";
import { agreement } from "./agreement.js";
import { goldens } from "../testing/shows.js";

type Broken = Record<string, any>;

function fault(change: (show: Broken) => unknown): string {
  const show = structuredClone(goldens.tapeVsGraph.scene);
  change(show);
  const found = agreement(show);
  return found ? `scene${found.place}: ${found.message}` : "agrees";
}

test.each(Object.entries(goldens))("the parts of the golden show %s agree", (_, { scene }) => {
  expect(agreement(scene)).toBeNull();
});

test.each<[(show: Broken) => unknown, string]>([
  [(show) => (show["steps"][3].run = "tap"), 'scene.steps[3].run: expected a run of this show, found the text "tap"'],
  [(show) => (show["steps"][3].node = 5), "scene.steps[3].node: there is no node 5 among 5"],
  [(show) => (show["steps"][3].edge[1] = -1), "scene.steps[3].edge[1]: there is no node -1 among 5"],
  [
    (show) => show["steps"].splice(4, 1),
    "scene.steps[11].edits[1][1]: number 0.8775825618903728 is not what the previous step left at tape/adjoint/0",
  ],
  [
    (show) => (show["steps"][2].edits[0][0] = "other/product/4/0"),
    'scene.steps[2].edits[0][0]: expected a run of this show, found the text "other"',
  ],
  [(show) => (show["panels"][0].run = "tap"), 'scene.panels[0].run: expected a run of this show, found the text "tap"'],
  [(show) => (show["panels"][0].nodes[0].node = 9), "scene.panels[0].nodes[0].node: there is no node 9 among 5"],
  [(show) => (show["panels"][0].edges[0].head = "n9"), 'scene.panels[0].edges[0].head: there is no item the text "n9"'],
  [(show) => (show["inputs"][0].node = 7), "scene.inputs[0].node: there is no node 7 among 5"],
])("what contradicts the rest of a show is named with its place (%#)", (change, expected) => {
  expect(fault(change)).toBe(expected);
});
