import { expect, test } from "vitest";
import { matches, parse } from "./search.js";
import { goldenGraph, graphOf } from "../testing/explorers.js";

function find(query: string, graph = goldenGraph()): number[] | string {
  const read = parse(query);
  return "error" in read ? read.error : matches(graph, read.terms);
}

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

test.each([
  ["times_used >", "“times_used >” wants a number after it, as in times_used > 3."],
  ["value < many", "“value <” wants a number after it, as in value < 3."],
  ["size > 3", "There is no number “size” to compare; there are bytes, node, times_used, value."],
  ["constructor > 3", "There is no number “constructor” to compare; there are bytes, node, times_used, value."],
  ["color:red", "There is no field “color:”; there are block, name, scope, line."],
  ["block:", "“block:” wants a text after it."],
  ["line:four", "“line:” wants the number of a line, as in line:12."],
])("a bad query is explained: %s", (query, message) => {
  expect(find(query)).toBe(message);
});

test.each(["(", "[", "\\", "*", "a.*b", '"', "block:(", "name:[x", "<script>", "::", "= 3", "%%%"])(
  "nothing breaks on %s",
  (query) => {
    expect(() => find(query)).not.toThrow();
  },
);
