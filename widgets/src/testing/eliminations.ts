// For tests only: the show of an elimination, made of edges and moves, with places of its own.

import { goldenScene, saved } from "./explorers.js";
import { ShowHost } from "./shows.js";
import { Elimination, endsOf, isInterior } from "../elimination/elimination.js";
import { timelineOf } from "../elimination/own-order.js";
import type { EliminationMove, Traits } from "../host.js";
import type { SavedDocument } from "../hosts/page.js";
import { Player } from "../player/player.js";
import { type EliminationEdge, type EliminationNode, type EliminationPanel, type Label, type Own, type Show, readScene } from "../scene/scene.js";

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

/** A show of moves, on both sides. */
export function eliminationShow(own: Own, moves: readonly EliminationMove[]): Show {
  const graph = new Elimination(own);
  const frame = { ...goldenScene(), steps: [], inputs: [], teach: false, own };
  const run = { id: "a", label: "by hand", kind: "forward" } as const;
  const show: Show = {
    ...frame,
    runs: [run],
    start: Object.fromEntries([...graph.stage].map(([key, value]) => [`a/${key}`, value])),
    panels: [
      cgraphPanel(own),
      linePanel(own),
      { id: "jacobian", kind: "matrix", run: "a", rows: own.outputs.map((y) => `v${y}`), columns: own.inputs.map((x) => `v${x}`), label: "Jacobian" },
      { id: "formula", kind: "formula" },
      { id: "meters", kind: "meters" },
    ],
  };
  return { ...show, steps: [...timelineOf(show, moves).steps] };
}

/** Where a vertex is: as many rows down as the longest path to it is long. */
function places({ sizes, edges }: Own): { x: number; y: number }[] {
  const depth = sizes.map(() => 0);
  for (const j of sizes.keys())
    for (const [tail, head] of edges) if (head === j) depth[j] = Math.max(depth[j]!, depth[tail]! + 1);
  const row = (level: number): number[] => [...depth.keys()].filter((j) => depth[j] === level);
  return depth.map((level, j) => ({ x: 300 + 170 * (row(level).indexOf(j) - (row(level).length - 1) / 2) + 40 * (level % 2), y: 50 + 100 * level }));
}

/** All pairs that a path joins. */
function pairs({ sizes, edges }: Own): [number, number][] {
  const reached = sizes.map((_, j) => new Set([j]));
  for (const i of [...sizes.keys()].reverse())
    for (const [tail, head] of edges) if (tail === i) for (const k of reached[head]!) reached[i]!.add(k);
  return reached.flatMap((set, i) => [...set].filter((k) => k !== i).map((k): [number, number] => [i, k]));
}

const line = (from: { x: number; y: number }, to: { x: number; y: number }): number[] =>
  [0, 1 / 3, 2 / 3, 1].flatMap((t) => [from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t]);

function cgraphPanel(own: Own): EliminationPanel {
  const at = places(own);
  const role = (j: number): EliminationNode["role"] =>
    own.inputs.includes(j) ? "input" : own.outputs.includes(j) ? "output" : "intermediate";
  return {
    id: "cgraph",
    kind: "elimination",
    run: "a",
    side: "cgraph",
    direction: "data flow",
    width: 620,
    height: 120 + Math.max(...at.map(({ y }) => y)),
    note: null,
    nodes: at.map((place, j) => ({ key: `vertex/${j}`, thing: String(j), role: role(j), label: own.names[j]!, detail: "", ...place, w: 46, h: 34 })),
    edges: pairs(own).map(([i, j]): EliminationEdge => {
      const [from, to] = [at[i]!, at[j]!];
      return {
        key: `edge/${i}.${j}`,
        thing: `${i}.${j}`,
        tail: `vertex/${i}`,
        head: `vertex/${j}`,
        points: line({ x: from.x, y: from.y + 17 }, { x: to.x, y: to.y - 17 }),
        at: [(from.x + to.x) / 2, (from.y + to.y) / 2],
      };
    }),
  };
}

function linePanel(own: Own): EliminationPanel {
  const at = places(own);
  const names = [...pairs(own).map(([i, j]) => `${i}.${j}`), ...own.inputs.map((x) => `s.${x}`), ...own.outputs.map((y) => `${y}.t`)];
  const place = (name: string): { x: number; y: number } => {
    const [tail, head] = endsOf(name).map((end) => at[Number(end)]);
    if (!tail) return { x: 1.5 * head!.x, y: 40 };
    if (!head) return { x: 1.5 * tail.x, y: 2 * tail.y + 120 };
    return { x: 0.75 * (tail.x + head.x), y: tail.y + head.y + 30 };
  };
  const nodes = names.map((name): EliminationNode => {
    const [tail, head] = endsOf(name);
    const role = tail === "s" ? "source" : head === "t" ? "sink" : "edge";
    return { key: `node/${name}`, thing: name, role, label: isInterior(name) ? `c${head}${tail}` : "1", detail: "", ...place(name), w: 70, h: 36 };
  });
  const faces = nodes.flatMap((e) => nodes.filter((f) => endsOf(e.thing)[1] === endsOf(f.thing)[0]).map((f) => [e, f] as const));
  return {
    id: "linegraph",
    kind: "elimination",
    run: "a",
    side: "linegraph",
    direction: "data flow",
    width: 920,
    height: 80 + Math.max(...nodes.map(({ y }) => y)),
    note: null,
    nodes,
    edges: faces.map(([e, f]) => ({
      key: `face/${e.thing}/${f.thing}`,
      thing: `${e.thing}/${f.thing}`,
      tail: e.key,
      head: f.key,
      points: line({ x: e.x, y: e.y + 18 }, { x: f.x, y: f.y - 18 }),
      via: endsOf(e.thing)[1],
    })),
  };
}

/** A Player of a show on the page, and hands to use it. */
export function playElimination(show: Show, traits: Partial<Traits> = {}) {
  const host = new ShowHost(saved({ scene: show, traits } as Partial<SavedDocument>));
  const player = new Player(host, readScene(host.scene) as Show);
  document.body.append(player.element);
  const side = (name: string): Element => player.element.querySelector(`[data-side="${name}"]`)!;
  /** An item of either side: "vertex/3", "edge/1.3", "node/1.3", "face/0.1/1.3". */
  const item = (key: string): SVGElement =>
    side(/^(vertex|edge)/.test(key) ? "cgraph" : "linegraph").querySelector<SVGElement>(`[data-key="${key}"]`)!;
  return {
    host,
    player,
    item,
    line: (key: string): SVGElement =>
      side(key.startsWith("edge") ? "cgraph" : "linegraph").querySelector<SVGElement>(`[data-edge="${key}"]`)!,
    isThere: (key: string): boolean => !item(key).hasAttribute("data-absent"),
    role: (key: string): string | null => item(key).getAttribute("data-role"),
    number: (key: string): string => item(key).querySelector(".adviz-factor")!.textContent!,
    text: (selector: string): string => player.element.querySelector(selector)!.textContent!,
    click: (target: Element): unknown => target.dispatchEvent(new MouseEvent("click", { bubbles: true })),
    button: (act: string): HTMLElement => player.element.querySelector<HTMLElement>(`[data-own="${act}"]`)!,
    press: (key: string, target: Element = player.element, options: KeyboardEventInit = {}): unknown =>
      target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options })),
  };
}
