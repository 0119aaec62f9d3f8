import { expect, test } from "vitest";
import { Graph } from "./graph.js";
import { CRITERIA, SUMS, grouped } from "./groups.js";
import type { Columns } from "../scene/columns.js";
import { goldenGraph, graphOf } from "../testing/explorers.js";
import { graphs } from "../testing/sent-graphs.js";
import tables from "../../../tests/goldens/tables.json";

type Table = readonly (readonly [string, number, number, number, number, number, string])[];

const cases = Object.entries(tables).flatMap(([graph, table]) =>
  CRITERIA.map((criterion) => [graph, criterion, (table as unknown as Record<string, Table>)[criterion]!] as const),
);

test.each(cases)("%s by %s: the rows that Python counts", (name, criterion, wanted) => {
  const graph = graphs[name]!;
  const { rows, nodes, total } = grouped(graph, criterion);
  const found = rows.map((row) => [
    row.label, row.nodes, row.bytes, row.operations, row.uses, row.nodes / total.nodes, row.further,
  ]);
  expect(found).toEqual(wanted);
  expect(total.nodes).toBe(graph.size);
  for (const sum of SUMS) expect(total[sum]).toBe(rows.reduce((all, row) => all + row[sum], 0));
  expect(rows.flatMap(nodes).sort((one, other) => one - other)).toEqual([...Array(graph.size).keys()]);
  expect(rows.map((row) => nodes(row).length)).toEqual(rows.map((row) => row.nodes));
});

test("an opened scope has its own nodes only", () => {
  const { rows, total } = grouped(goldenGraph(), "block", 2);
  expect(rows.map(({ label, nodes }) => [label, nodes])).toEqual([["multiply", 1]]);
  expect(total).toEqual({ nodes: 1, bytes: 8, operations: 1, uses: 2, seconds: 0 });
});

test("functions of one name, and files of one name, are told apart by place", () => {
  const graph = graphOf([{ span: 0 }, { span: 1 }, { span: -1, flags: 1 }], {
    spans: [[0, 3, 0, 3, 4, null], [1, 3, 0, 3, 4, null]],
  });
  const file = graph.scene.source.files[0]!;
  graph.scene.source.files.splice(0, 1, { ...file, path: "a/net.py" }, { ...file, path: "b/net.py", text: "@cached(\n  1,\n)\n@own\nasync def f(x):" });
  const labels = (criterion: "line" | "function") => grouped(graph, criterion).rows.map(({ label }) => label);
  expect(labels("line")).toEqual(["a/net.py:3", "b/net.py:3", "outside the source"]);
  const line = file.line;
  expect(labels("function")).toEqual([`f (a/net.py:${line})`, `f (b/net.py:${line + 4})`, "outside the source"]);
});

test("a million nodes are counted in less than half a second", () => {
  const size = 1_000_000;
  const few = goldenGraph();
  const long: { -readonly [N in keyof Columns]: Columns[N] } = { ...few.columns };
  for (const name of ["block", "flags", "uses", "scope", "span", "held", "operations", "shape", "seconds"] as const)
    long[name] = Int32Array.from({ length: size }, (_, node) => few.columns[name][1 + (node % 3)] ?? 0);
  long.first = long.second = new Int32Array(size).fill(-1);
  const graph = new Graph(few.scene, long);
  for (const criterion of CRITERIA) {
    const start = performance.now();
    expect(grouped(graph, criterion).total.nodes).toBe(size);
    expect(performance.now() - start, criterion).toBeLessThan(500);
  }
});
