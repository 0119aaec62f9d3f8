import { expect, test } from "vitest";
import { readScene, readView } from "./scene.js";
import { copy, golden } from "../testing/explorers.js";
import { goldens } from "../testing/shows.js";

type Broken = Record<string, any>;

function message(change: (scene: Broken) => void): string {
  const scene = copy(golden.scene) as Broken;
  change(scene);
  try {
    readScene(scene);
  } catch (error) {
    return (error as Error).message;
  }
  return "read";
}

test("the golden scene and its views are read", () => {
  expect(readScene(golden.scene)).toBe(golden.scene);
  for (const view of Object.values(golden.views)) expect(readView(view)).toBe(view);
});

test.each<[(scene: Broken) => void, string]>([
  [
    (scene) => {
      scene["version"] = 2;
    },
    "scene.version: expected one of 1, found number 2",
  ],
  [
    (scene) => {
      delete scene["title"];
    },
    "scene.title: expected a text, found nothing",
  ],
  [
    (scene) => {
      scene["panels"][0].kind = "chart";
    },
    'scene.panels[0].kind: expected one of "graph", ',
  ],
  [
    (scene) => {
      scene["panels"][0].nodes[1].x = "12";
    },
    'scene.panels[0].nodes[1].x: expected a number, found the text "12"',
  ],
  [
    (scene) => {
      scene["panels"][0].nodes[0].y = null;
    },
    "scene.panels[0].nodes[0].y: expected a number, found nothing",
  ],
  [
    (scene) => {
      scene["panels"][0].edges[0].points = [1, 2, 3, 4];
    },
    "scene.panels[0].edges[0].points: expected a Bezier chain of 1 + 3k points, found a list of 4",
  ],
  [
    (scene) => {
      scene["tables"].spans[0] = [1, 2];
    },
    "scene.tables.spans[0]: expected a list of 6, found a list of 2",
  ],
  [
    (scene) => {
      scene["steps"][1].edits[0] = ["key"];
    },
    "scene.steps[1].edits[0]: expected a list of 3, found a list of 1",
  ],
  [
    (scene) => {
      scene["source"] = [];
    },
    "scene.source: expected an object, found a list of 0",
  ],
  [
    (scene) => {
      scene["columns"][3].type = "i8";
    },
    "scene.columns[3].type: expected one of",
  ],
])("a fault is named with its place (%#)", (change, expected) => {
  expect(message(change)).toContain(expected);
});

test("fields that a newer Python adds are let through", () => {
  expect(
    message((scene) => {
      scene["panels"][0].nodes[0].color = "red";
    }),
  ).toBe("read");
});

test.each(Object.entries(goldens))("the golden show %s is read", (_, { scene }) => {
  expect(readScene(scene)).toBe(scene);
});

function showFault(change: (show: Broken) => void): string {
  const show = structuredClone(goldens.tapeVsGraph.scene) as Broken;
  change(show);
  try {
    readScene(show);
  } catch (error) {
    return (error as Error).message;
  }
  return "read";
}

test.each<[(show: Broken) => void, string]>([
  [(show) => delete show["teach"], "scene.teach: expected true or false, found nothing"],
  [(show) => delete show["steps"][3].coarse, "scene.steps[3].coarse: expected true or false, found nothing"],
  [
    (show) => (show["steps"][2].formula = ["row", ["num", 3]]),
    "scene.steps[2].formula[1][1]: expected a text, found number 3",
  ],
  [(show) => (show["steps"][2].formula = ["root"]), 'scene.steps[2].formula[0]: expected one of "row", "id"'],
  [(show) => delete show["steps"][1].parts[0].cost, "scene.steps[1].parts[0].cost: expected an object, found nothing"],
  [(show) => (show["runs"][0].kind = "sideways"), "scene.runs[0].kind: expected one of"],
])("a fault in a show is named with its place (%#)", (change, expected) => {
  expect(showFault(change)).toContain(expected);
});
