// For tests only: the show of an elimination, made of edges and moves.

import { goldenScene, saved } from "./explorers.js";
import { ShowHost } from "./shows.js";
import { whyIllegal } from "../elimination/elimination-words.js";
import { Elimination } from "../elimination/elimination.js";
import { timelineOf } from "../elimination/own-order.js";
import type { EliminationMove, Traits } from "../host.js";
import type { SavedDocument } from "../hosts/page.js";
import { ELIMINATIONS } from "../player/elimination-kit.js";
import { Player } from "../player/player.js";
import { type EliminationPanel, type EliminationVertex, type ExtendedPanel, type Label, type Own, type Show, readScene } from "../scene/scene.js";

type Edges = readonly (readonly [number, number])[];

/** Naumann's figure 1, and the lion; inputs and outputs follow from the edges. */
export const NAUMANN: Edges = [[0, 2], [1, 2], [2, 3], [2, 4], [3, 4], [4, 5], [4, 6]];
export const LION: Edges = [[0, 1], [1, 2], [1, 5], [2, 3], [2, 4], [2, 5]];

/** Different and easily multiplied. */
const labelOf = (_edge: readonly [number, number], at: number): Label => at + 2;

export function ownOf(edges: Edges, technique: Own["technique"], changes: Partial<Own> = {}): Own {
  const count = Math.max(...edges.flat()) + 1;
  const vertices = Array.from({ length: count }, (_, j) => j);
  const inputs = vertices.filter((j) => edges.every(([, head]) => head !== j));
  const outputs = vertices.filter((j) => edges.every(([tail]) => tail !== j));
  return {
    technique,
    sizes: vertices.map(() => 1),
    inputs,
    outputs,
    rows: outputs.map(() => 1),
    columns: inputs.map(() => 1),
    edges: edges.map((edge, at) => [edge[0], edge[1], labelOf(edge, at)]),
    count: "scalar",
    units: true,
    optimum: { cost: 7, proved: true, lower_bound: 7 },
    names: vertices.map((j) => `v${j}`),
    ...changes,
  };
}

/** Numbers that are the same each time. */
export function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) yield (state = (state * 16807) % 2147483647) / 2147483647;
}

/** Edges of a graph of two inputs, some intermediates and two outputs, all of which are on paths. */
export function randomEdges(draw: () => number): [number, number][] {
  const count = 5 + Math.floor(4 * draw());
  const before = (j: number): number => Math.floor(Math.min(j, count - 2) * draw());
  const edges = new Map<string, [number, number]>();
  const add = (i: number, j: number): unknown => edges.set(`${i}.${j}`, [i, j]);
  for (let j = 2; j < count; j++) for (let k = 0; k < 2; k++) add(before(j), j);
  for (let i = 0; i < count - 2; i++)
    if (![...edges.values()].some(([tail]) => tail === i)) add(i, Math.max(2, i + 1 + Math.floor((count - i - 1) * draw())));
  return [...edges.values()].sort(([a, b], [c, d]) => a - c || b - d);
}

/** The moves that are possible. */
export const movesOf = (graph: Elimination): EliminationMove[] => {
  const edges = [...graph.stage.keys()].filter((key) => key.startsWith("edge/")).map((key) => key.slice(5));
  const all: Record<Own["technique"], EliminationMove[]> = {
    vertex: graph.intermediates.map((j) => ["vertex", j]),
    edge: edges.flatMap((edge): EliminationMove[] => [["front", edge], ["back", edge]]),
    face: graph.faces.map(([e, f]) => ["face", e, f]),
  };
  return all[graph.own.technique].filter((move) => !whyIllegal(graph, move));
};

/** A show of moves. */
export function eliminationShow(own: Own, moves: readonly EliminationMove[]): Show {
  const graph = new Elimination(own);
  const frame = { ...goldenScene(), steps: [], inputs: [], teach: false, own };
  const run = { id: "a", label: "by hand", kind: "forward" } as const;
  const show: Show = {
    ...frame,
    runs: [run],
    start: Object.fromEntries([...graph.stage].map(([key, value]) => [`a/${key}`, value])),
    panels: [
      eliminationPanel(own),
      { id: "jacobian", kind: "matrix", run: "a", rows: own.outputs.map((y) => `v${y}`), columns: own.inputs.map((x) => `v${x}`), label: "Jacobian" },
      { id: "formula", kind: "formula" },
      { id: "meters", kind: "meters" },
    ],
  };
  return { ...show, steps: [...timelineOf(show, moves).steps] };
}

/** The picture of an elimination. */
export function eliminationPanel(own: Own): EliminationPanel {
  const role = (j: number): EliminationVertex["role"] => (own.inputs.includes(j) ? "input" : own.outputs.includes(j) ? "output" : "intermediate");
  return {
    id: "elimination",
    kind: "elimination",
    run: "a",
    reading: own.technique === "face" ? "line graph" : "graph",
    fixed: false,
    direction: "data flow",
    vertices: own.sizes.map((_, j) => ({ thing: String(j), role: role(j), label: own.names[j]!, name: own.names[j]!, index: String(j), detail: "", size: 1, label_w: 20 })),
  };
}

/** The extended Jacobian of the same elimination, as large ones have it. */
export function extendedPanel(own: Own): ExtendedPanel {
  const { vertices } = eliminationPanel(own);
  return { id: "extended", kind: "extended", run: "a", vertices };
}

/** A Player of a show on the page, and hands to use it. */
export function playElimination(show: Show, traits: Partial<Traits> = {}) {
  const host = new ShowHost(saved({ scene: show, traits } as Partial<SavedDocument>));
  const player = new Player(host, readScene(host.scene) as Show, ELIMINATIONS);
  document.body.append(player.element);
  const item = (key: string): SVGElement => player.element.querySelector<SVGElement>(`[data-key="${key}"]`)!;
  return {
    host,
    player,
    item,
    isThere: (key: string): boolean => item(key) !== null,
    /** All that is written in the picture. */
    words: (): string[] => [...player.element.querySelectorAll(".adviz-flow text")].map(({ textContent }) => textContent!),
    text: (selector: string): string => player.element.querySelector(selector)!.textContent!,
    click: (target: Element): unknown => target.dispatchEvent(new MouseEvent("click", { bubbles: true })),
    button: (act: string): HTMLElement => player.element.querySelector<HTMLElement>(`[data-own="${act}"]`)!,
    press: (key: string, target: Element = player.element, options: KeyboardEventInit = {}): unknown =>
      target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options })),
  };
}
