import { expect, test } from "vitest";
import { Graph } from "./graph.js";
import { parse } from "./query-language.js";
import { matches } from "./search.js";
import { fromBase64 } from "../scene/base64.js";
import { decodeColumns } from "../scene/columns.js";
import { readScene } from "../scene/scene.js";
import { goldenGraph, graphOf } from "../testing/explorers.js";
import goldens from "../../../tests/goldens/queries.json";

function find(query: string, graph = goldenGraph()): number[] | string {
  const read = parse(query);
  return read === null ? [] : "error" in read ? read.error : matches(graph, read);
}

/** The graphs that Python makes (tests/stage/query_goldens.py). */
const sent = import.meta.glob<{ scene: unknown; columns: string }>("../../../build/queries/*.json", { eager: true, import: "default" });
const graphs = Object.fromEntries(
  Object.entries(sent).map(([path, { scene: document, columns }]) => {
    const scene = readScene(document);
    const buffer = fromBase64(columns).buffer;
    return [path.split("/").at(-1)!.replace(".json", ""), new Graph(scene, decodeColumns(buffer, scene.columns))];
  }),
);

test.each(goldens.queries)("$graph: $query", ({ graph, query, nodes }) => {
  expect(find(query, graphs[graph])).toEqual(nodes);
});

test("random queries have the answers that Python gives", () => {
  const [answers] = Object.values(
    import.meta.glob<{ graph: string; query: string; nodes?: number[]; mistake?: object }[]>("../../../build/answers.json", { eager: true, import: "default" }),
  );
  expect(answers!.length).toBeGreaterThan(200);
  for (const { graph, query, nodes, mistake } of answers!) {
    const read = parse(query)!;
    expect("error" in read ? read : matches(graphs[graph]!, read), query).toEqual(mistake ?? nodes);
  }
});

test.each(goldens.mistakes)("a mistake: $query", ({ query, at, reason }) => {
  expect(parse(query)).toEqual({ error: reason, at });
});

test.each([
  ["", []],
  ["mul", [1, 2, 3]],
  ["×", [1, 2, 3]],
  ["MULTIPLY", [1, 2, 3]],
  ["x * x", [1, 2, 3]],
  ['"x * x"', [1, 2, 3]],
  ["range", [1, 2, 3]],
  ["block:multiply", [1, 2, 3]],
  ["block:mul", []],
  ["block:mul*", [1, 2, 3]],
  ["name:x", [0, 1, 2, 3]],
  ["name:x block:input", [0]],
  ['scope:"iteration 2"', [2]],
  ["scope:f", [0, 1, 2, 3, 4]],
  ["line:3", [1, 2, 3]],
  ["line:4", []],
  ["times_used > 1", [0, 1, 2]],
  ["times_used>1 line:3", [1, 2]],
  ["times_used = 0", [3, 4]],
  ["times_used == 0 value < 1", [3, 4]],
  ["value >= 0.25", [0, 1]],
  ["bytes > 1e6", []],
  ["node = 2", [2]],
  ["node != 2 node <= 3", [0, 1, 3]],
  ["input", [0]],
  ["output", [4]],
  ["dead", []],
  ["live", [0, 1, 2, 3, 4]],
  ["nothing like this", []],
])("%s", (query, nodes) => {
  expect(find(query)).toEqual(nodes);
});

test("states", () => {
  const graph = graphOf([{ flags: 1 }, { flags: 0 }, { flags: 1 | 2 }, { flags: 1 | 4 }]);
  expect([find("dead", graph), find("isnan", graph), find("isinf", graph)]).toEqual([[1], [2], [3]]);
});

test.each(["(", "[", "\\", "*", "a.*b", '"', "block:(", "name:[x", "<script>", "::", "= 3", "%%%"])(
  "nothing breaks on %s",
  (query) => {
    expect(() => find(query)).not.toThrow();
  },
);
