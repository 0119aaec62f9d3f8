import { expect, test } from "vitest";
import { Playback, Stretches, breakNodes, toggled } from "./playback.js";
import { Graph } from "../graph/graph.js";
import { fromBase64 } from "../scene/base64.js";
import { decodeColumns } from "../scene/columns.js";
import type { Edit, Step } from "../scene/scene.js";
import { type GoldenName, goldens, showOf } from "../testing/shows.js";
import { stageAt } from "../testing/stages.js";

const names = Object.keys(goldens) as GoldenName[];

const graphOf = (name: GoldenName): Graph => {
  const scene = showOf(name);
  const bytes = fromBase64(goldens[name].columns);
  return new Graph(scene, decodeColumns(bytes.buffer, scene.columns));
};

test.each(names)("%s: every cursor has the stage that Python has there, however it is reached", (name) => {
  const playback = new Playback(showOf(name).steps);
  const { stages } = goldens[name];
  expect(playback.length).toBe(stages.length - 1);
  const forwards = [...stages.keys()];
  const jumps = forwards.map((k) => (7 * k) % stages.length);
  for (const cursor of [...forwards, ...[...forwards].reverse(), ...jumps]) {
    playback.seek(cursor);
    expect(Object.fromEntries(playback.stage)).toEqual(stages[cursor]);
  }
});

test("at the end of a coarse step it is told as a whole, and in its middle it is not", () => {
  const { steps } = showOf("asGraph");
  const playback = new Playback(steps);
  const starts = steps.flatMap((step, k) => (step.whole ? [k] : []));
  expect(starts.length).toBeGreaterThan(3);
  for (const start of starts) {
    playback.seek(playback.after("nodes", start));
    expect(playback.whole()).toBe(steps[start]!.whole);
    playback.seek(start + 1);
    expect(playback.whole()).toBeNull();
  }
});

/** A long timeline over few keys, each edit finding what the last one left. */
function long(length: number): { edits: Edit[] }[] {
  const held = new Map<string, number>();
  return Array.from({ length }, (_, k) => {
    const key = `a/value/${(k * k) % 37}`;
    const edit: Edit = [key, held.get(key) ?? null, k];
    held.set(key, k);
    return { edits: [edit] };
  });
}

test("a seek over a long way takes few edits, and ends where single steps do", () => {
  const steps = long(10_000);
  const stretches = new Stretches(steps);
  const way = [...stretches.between(3, 9_999)];
  expect(way.length).toBeLessThan(90);
  expect(way.reduce((sum, edits) => sum + edits.length, 0)).toBeLessThan(1_000);
  const playback = new Playback(steps as unknown as Step[]);
  for (const cursor of [9_999, 17, 4_096, 4_095, 10_000, 0, 256]) {
    playback.seek(cursor);
    expect(playback.stage).toEqual(stageAt({ steps: steps as unknown as Step[] }, cursor));
  }
});

test("a seek names the keys it changes, and stays within the show", () => {
  const { steps } = showOf("asGraph");
  const playback = new Playback(steps);
  expect([...playback.seek(1)].sort()).toEqual(steps[0]!.edits.map(([key]) => key).sort());
  expect(playback.seek(1)).toEqual(new Set());
  playback.seek(1e9);
  expect(playback.cursor).toBe(steps.length);
  playback.seek(-4);
  expect(playback.cursor).toBe(0);
  playback.seek(NaN);
  expect(playback.cursor).toBe(0);
});

test("coarse steps lead from turn to turn, both ways, and to both ends", () => {
  const playback = new Playback(showOf("asGraph").steps);
  const stops = [0];
  while (stops.at(-1)! < playback.length) stops.push(playback.after("nodes", stops.at(-1)));
  const begins = [...playback.steps.keys()].filter((k) => k > 0 && playback.steps[k]!.coarse);
  expect(stops).toEqual([0, ...begins, playback.length]);
  for (let i = 1; i < stops.length; i++) {
    expect(playback.before("nodes", stops[i])).toBe(stops[i - 1]);
    for (let k = stops[i - 1]! + 1; k < stops[i]!; k++) {
      expect([playback.before("nodes", k), playback.after("nodes", k)]).toEqual([stops[i - 1], stops[i]]);
    }
  }
  expect([playback.before("nodes", 0), playback.after("nodes", playback.length)]).toEqual([0, playback.length]);
  expect([playback.before("engine", 0), playback.after("engine", 3)]).toEqual([0, 4]);
});

test("run to here leads to the next turn of a node, and from behind the last one to the first", () => {
  const playback = new Playback(showOf("asGraph").steps);
  const turn = playback.steps.findIndex(({ kind, node }) => kind === "visit" && node === 4);
  const first = playback.turnOf(4)!;
  expect(playback.steps[first - 1]!.node).toBe(4);
  playback.seek(turn - 1);
  expect(playback.turnOf(4)).toBeGreaterThan(turn - 1);
  playback.seek(playback.length);
  expect(playback.turnOf(4)).toBe(first);
  expect(playback.turnOf(99)).toBeNull();
});

test("a breakpoint stops once in a coarse step, where its first node comes, and in each one again", () => {
  const playback = new Playback(showOf("asGraph").steps);
  const turnsOf = (nodes: Set<number>): number[] => {
    const found: number[] = [];
    for (let at: number | null = 0; (at = playback.turn(nodes, at)) !== null;) found.push(at);
    return found;
  };
  const visits = (node: number): number =>
    playback.steps.findIndex((step) => step.kind === "visit" && step.node === node) + 1;
  const arrival = playback.steps.findIndex(({ kind, node }) => kind === "accumulate" && node === 4) + 1;
  expect(turnsOf(new Set([4]))).toEqual([arrival, visits(4)]);
  expect(turnsOf(new Set([5, 4]))).toEqual([1, visits(5), visits(5) + 1, visits(4)]);
});

test("breakpoints name nodes, blocks and lines; what names nothing stops nowhere", () => {
  const graph = graphOf("backward");
  expect(breakNodes(graph, ["node:3"])).toEqual(new Set([3]));
  expect(breakNodes(graph, [`block:${graph.block(2).name}`])).toEqual(
    new Set(graph.where((node) => graph.block(node).name === graph.block(2).name)),
  );
  const line = graph.span(2)![1];
  expect(breakNodes(graph, [`line:${line}`])).toEqual(new Set(graph.atLine(line)));
  expect(breakNodes(graph, ["node:99", "block:", "line:9999", "toString:1", "node", ""])).toEqual(new Set());
});

test("a level rests where it has something to say, and says it until the next rest", () => {
  const { steps, start, opening } = showOf("backward");
  const playback = new Playback(steps, start, opening);
  for (const level of ["nodes", "edges"] as const) {
    const stops = [...steps.keys()].filter((k) => steps[k]!.rests?.[level]).map((k) => k + 1);
    expect(playback.rests(level).map(([stop]) => stop)).toEqual([0, ...stops]);
    expect(playback.rests(level).map(([, rest]) => rest?.name)[0]).toBe(opening!.name);
    let told = opening!;
    for (let cursor = 0; cursor <= playback.length; cursor++) {
      if (stops.includes(cursor)) told = steps[cursor - 1]!.rests![level]!;
      expect(playback.rest(level, cursor)).toBe(told);
    }
  }
  expect([playback.rest("engine"), playback.rests("engine")]).toEqual([null, []]);
  expect(new Playback(steps).rest("nodes")).toBeNull();
});

test("at a level run to here leads to the rest that tells of the node", () => {
  const { steps, start, opening } = showOf("backward");
  const playback = new Playback(steps, start, opening);
  const cursor = playback.turnOf(4, "nodes")!;
  expect(steps[cursor - 1]!.rests!.nodes!.nodes).toContain(4);
  playback.seek(cursor);
  expect(playback.turnOf(4, "nodes")).toBe(cursor);
  expect([playback.turnOf(99, "nodes"), playback.turnOf(99)]).toEqual([null, null]);
});

test("a breakpoint is added, and taken away, and that is said", () => {
  expect(toggled([], "node:3")).toEqual({ names: ["node:3"], words: "Playing stops at node 3." });
  expect(toggled(["line:2", "node:3"], "node:3")).toEqual({ names: ["line:2"], words: "Playing no longer stops at node 3." });
});
