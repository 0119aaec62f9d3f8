// The picture of a c-graph or of its line graph: a graph panel whose edges carry their labels as items.

import type { Sort } from "../panels/panel.js";
import { NOTHING, middleOf } from "../picture/shapes.js";
import type { Paths } from "../picture/walk.js";
import type { EliminationPanel as Description, GraphPanel, Item } from "../scene/scene.js";

/** Boxes around the labels of edges, and the dots by which faces are chosen. */
export const LABEL = { w: 64, h: 18 };
const GRIP = { w: 12, h: 12 };
/** Number of hues that distinguish intermediates. */
const HUES = 7;
const KINDS: Record<string, Item["kind"]> = {
  input: "input",
  output: "output",
  intermediate: "block",
  edge: "block",
  source: "outside",
  sink: "outside",
};

/** "vertex/3" → "vertex", "3". */
export const parted = (key: string): [Sort, string] => {
  const at = key.indexOf("/");
  return [key.slice(0, at) as Sort, key.slice(at + 1)];
};

/** The vertex in the middle of a face; none for faces of source and sink edges, which are never eliminated. */
export const viaOf = (face: string): string | null => (/^s\.|\.t$/.test(face) ? null : face.split("/")[0]!.split(".")[1]!);

/** Whether a picture is of vertices and edges, as that of a line graph is when it is folded. */
export const isOfEdges = ({ side, folded }: Description): boolean => side === "cgraph" || folded === true;

/** All that will ever be there, as a picture with links for the keyboard. */
export type Union = GraphPanel & Required<Paths>;

/** A panel as a picture: edges are lines with an item for their label, which the keyboard passes on its way. */
export function pictured(panel: Description, takesFaces: boolean): Union {
  const { id, width, height, note } = panel;
  const union: Union = {
    id,
    kind: "graph",
    scope: 0,
    path: [{ scope: 0, label: panel.side === "cgraph" ? "computational graph" : "line graph" }],
    siblings: null,
    width,
    height,
    note,
    nodes: panel.nodes.map((node) => itemOf(node.key, KINDS[node.role]!, node)),
    edges: [],
    links: [],
  };
  for (const edge of panel.edges) addLine(union, panel, edge, takesFaces);
  return union;
}

/** The keys of what an edge or a face leads from and to, as data flow. */
export function endKeysOf(key: string): string[] {
  const [sort, thing] = parted(key);
  return sort === "face" ? thing.split("/").map((e) => `node/${e}`) : thing.split(".").map((j) => `vertex/${j}`);
}

/** Add an edge with its label, or a face with its grip, if it has one; a plain curve where no route is known. */
export function addLine(
  union: Union,
  panel: Description,
  { key, points, at }: { key: string; points?: number[]; at?: [x: number, y: number] },
  takesFaces: boolean,
): void {
  const ends = endKeysOf(key).map((end) => union.nodes.find((item) => item.key === end)!);
  const [tail, head] = (panel.direction === "data flow" ? ends : [...ends].reverse()) as [Item, Item];
  const route = points ?? curve(tail, head);
  union.edges.push({ key, tail: tail.key, head: head.key, points: route, count: 1, kind: "data" });
  const isEdge = isOfEdges(panel);
  if (isEdge ? panel.folded : !takesFaces) return void union.links.push({ key, tail: tail.key, head: head.key });
  const [x, y] = at ?? middleOf(route);
  const called = ({ key, label }: Item): string => panel.nodes.find((node) => node.key === key)?.name ?? label;
  const title = `${isEdge ? "edge" : "face"} from ${ends.map(called).join(" to ")}`;
  union.nodes.push(itemOf(key, "block", { label: "", detail: "", title, x, y, ...(isEdge ? LABEL : GRIP) }));
  union.links.push({ key, tail: tail.key, head: key }, { key, tail: key, head: head.key });
}

function itemOf(
  key: string,
  kind: Item["kind"],
  { label, detail, title, ...box }: { label: string; detail: string; title?: string; x: number; y: number; w: number; h: number },
): Item {
  const { x, y, w, h } = box;
  const shown = key.startsWith("node/") && kind === "block" ? " " : detail;
  const called = title ?? [label, detail].filter((words) => words.trim()).join(", ");
  return { ...NOTHING, key, kind, label, detail: shown, family: "", x, y, w, h, title: called };
}

/** A plain curve between two boxes. */
function curve(tail: Item, head: Item): number[] {
  const [dx, dy] = [head.x - tail.x, head.y - tail.y];
  const leave = (item: Item): number => Math.min(item.w / 2 / (Math.abs(dx) || 1e-9), item.h / 2 / (Math.abs(dy) || 1e-9), 0.45);
  const [from, to] = [leave(tail), 1 - leave(head)];
  return [from, from + (to - from) / 3, to - (to - from) / 3, to].flatMap((t) => [tail.x + t * dx, tail.y + t * dy]);
}

/** A hue for each intermediate, in the order of their numbers. */
export function huesOf(panel: Description): ReadonlyMap<string, number> {
  const { nodes, edges } = panel;
  const vertices =
    isOfEdges(panel)
      ? nodes.filter(({ role }) => role === "intermediate").map(({ thing }) => thing)
      : edges.map(({ thing }) => viaOf(thing)).filter((via) => via !== null);
  const sorted = [...new Set(vertices)].sort((one, other) => Number(one) - Number(other));
  return new Map(sorted.map((thing, i) => [thing, i % HUES]));
}
