// A sweep that is told line by line: what is seen of it while some of its boxes are open, and what is drawn around the nodes
// of an open one. Pure.

import type { Placed } from "../layout/placed.js";
import { type Mark, box, text } from "../motion/marks.js";
import type { Box } from "../picture/camera.js";
import type { Level } from "../playback/playback.js";
import type { FlowBox, FlowEdge, FlowLines, FlowNode, FlowPanel, Move } from "../scene/document.js";

/** The most nodes that are seen one by one where no line is told as one. */
const MOST = 40;

/** The most edges that are seen where a box is open and what is beside it as well. */
const MOST_EDGES = 13;

/** The numbers of the boxes that are open. */
export type Opened = readonly number[];

type Layer = Omit<FlowLines, "boxes">;

const known = new WeakMap<FlowPanel, Map<string, FlowPanel>>();

/** The sweep line by line, then by what is inside of lines, as far as it is boxes. */
const layersOf = ({ lines, inner = [] }: FlowPanel): readonly FlowLines[] => (lines ? [lines, ...inner] : []);

/** The boxes of a sweep, those inside of others after them. */
export const boxesOf = (panel: FlowPanel): readonly FlowBox[] => layersOf(panel).flatMap(({ boxes }) => boxes);

/** Whether all nodes of a sweep can be seen one by one. */
export const isWhole = ({ lines, nodes }: FlowPanel): boolean => !lines || nodes.length <= MOST;

/** The numbers of the boxes that a node is in, the outermost first. */
const around = (panel: FlowPanel, node: number): number[] => boxesOf(panel).flatMap(({ inside }, number) => (inside.includes(node) ? [number] : []));

/** The closed box that a node is in where some are open: its number, or -1. */
export const boxOf = (panel: FlowPanel, node: number, opened: Opened): number => around(panel, node).find((number) => !opened.includes(number)) ?? -1;

/** The box that is opened or closed at a node: the closed one that it is in, or the innermost open one that it leaves; or -1. */
export function boxAt(panel: FlowPanel, node: number, opened: Opened): number {
  const closed = boxOf(panel, node, opened);
  return closed >= 0 ? closed : (around(panel, node).filter((number) => boxesOf(panel)[number]!.exits.includes(node)).at(-1) ?? -1);
}

/** What is open after a box is opened, with those that it is in, or after it is closed, with all inside of it. */
export function turned(panel: FlowPanel, opened: Opened, box: number): Opened {
  const outer = around(panel, boxesOf(panel)[box]!.inside[0]!).filter((number) => number < box);
  return opened.includes(box) ? outer : [...outer, box];
}

/** How deep inside of lines a node is seen where some boxes are open: 0 where no box around is open, -1 as an operation. */
export type DepthOf = (node: number) => number;

function depths(panel: FlowPanel, opened: Opened): DepthOf {
  const result = new Map<number, number>();
  const isClosed = (node: number): boolean => (result.get(node) ?? -1) >= 0;
  let first = 0;
  layersOf(panel).forEach(({ boxes }, depth) => {
    boxes.forEach(({ inside }, number) => inside.filter((node) => !isClosed(node)).forEach((node) => result.set(node, opened.includes(first + number) ? -1 : depth)));
    first += boxes.length;
  });
  return (node) => result.get(node) ?? 0;
}

/** The open box that alone is seen, with what it is joined to, as too much would be seen beside it; -1 if there is none. */
export function alone(panel: FlowPanel, opened: Opened): number {
  const all = layers(panel);
  return opened.reduce((only, box, i) => (edgesOf(all, depths(panel, opened.slice(0, i + 1)), insideOf(panel, only)).length > MOST_EDGES ? box : only), -1);
}

const insideOf = (panel: FlowPanel, box: number): readonly number[] | undefined => boxesOf(panel)[box]?.inside;

/** How deep nodes are told of; NaN: nothing is told, as something else is seen alone. */
export function told(panel: FlowPanel, opened: Opened): DepthOf {
  const [depthOf, inside] = [depths(panel, opened), insideOf(panel, alone(panel, opened))];
  const inputs = new Set(panel.nodes.flatMap(({ kind, node }) => (kind === "input" ? [node] : [])));
  return inside ? (node) => (inside.includes(node) || inputs.has(node) ? depthOf(node) : NaN) : depthOf;
}

/** The sweep as it is seen at a level, where the boxes of some lines are open. */
export function seen(panel: FlowPanel, level: Level, opened: Opened): FlowPanel {
  if (!panel.lines || (level !== "lines" && isWhole(panel))) return panel;
  const views = known.get(panel) ?? new Map<string, FlowPanel>();
  known.set(panel, views);
  const key = level === "lines" ? String(opened) : "";
  const view = views.get(key) ?? mixed(panel, level === "lines" ? opened : []);
  views.set(key, view);
  return view;
}

/** What is told of a sweep at a level, of what is told of its lines, inside of these, and of its operations: each is of a node. */
export function toldAt<T extends { readonly node: number; readonly step: number }>(
  panel: FlowPanel | null,
  ofNodes: readonly T[],
  ofLines: readonly (readonly T[])[],
  level: Level,
  opened: Opened,
): readonly T[] {
  if (!panel || !ofLines.length || (level !== "lines" && isWhole(panel))) return ofNodes;
  const depthOf = told(panel, level === "lines" ? opened : []);
  const all = [...ofLines, ofNodes];
  return all.flatMap((some) => some.filter(({ node }) => isAt(all, depthOf(node), some))).sort((one, other) => one.step - other.step);
}

const isAt = <T>(all: readonly T[], depth: number, one: T): boolean => !Number.isNaN(depth) && all.at(depth) === one;

/** The lines, what is inside of them, and all operations. */
const layers = (panel: FlowPanel): readonly Layer[] => [...layersOf(panel), panel];

/** The edges that are seen, those of some nodes if only these are. */
const edgesOf = (all: readonly Layer[], depthOf: DepthOf, only?: readonly number[]): FlowEdge[] =>
  all.flatMap((layer) => layer.edges.filter(({ head, tail }) => isAt(all, depthOf(head), layer) && (!only || only.includes(head) || only.includes(tail))));

/** All nodes and edges as deep as they are seen. */
function mixed(panel: FlowPanel, opened: Opened): FlowPanel {
  const { lines, inner: _, ...rest } = panel;
  const [all, depthOf, only] = [layers(panel), depths(panel, opened), insideOf(panel, alone(panel, opened))];
  const [edges, every] = [edgesOf(all, depthOf, only), edgesOf(all, depthOf)];
  const ends = new Set([...(only ?? []), ...edges.flatMap(({ head, tail }) => [head, tail])]);
  const nodes = all.flatMap((layer) => layer.nodes.filter(({ node }) => isAt(all, depthOf(node), layer) && (!only || ends.has(node))));
  const ordered = nodes.sort((one, other) => one.node - other.node).map((node) => withTotal(all, panel.reverse, node, edges, every));
  const keys = new Set(edges.map(({ key }) => key));
  const sent = all.flatMap((layer) => layer.moves.filter(({ kind, edge }) => kind === "send" && keys.has(edge) && isAt(all, depthOf(parseInt(edge)), layer)));
  const isSeen = new Set(ordered.map(({ node }) => node));
  const others = lines!.moves.filter(({ kind }) => kind === "seed" || kind === "result").map((move) => ({ ...move, nodes: move.nodes.filter((node) => isSeen.has(node)) }));
  const target = new Map(edges.map((edge) => [edge.key, targetOf(panel.reverse, edge)]));
  const sums = ordered.filter(({ total }) => total[0]).map(({ node }): Move => {
    const known = all.flatMap(({ moves }) => moves.filter(({ kind, nodes }) => kind === "sum" && nodes[0] === node).map(({ step }) => step));
    const arrived = sent.filter(({ edge }) => target.get(edge) === node).map(({ step }) => step);
    const last = Math.max(...arrived);
    return { kind: "sum", step: known.filter((step) => step >= last).sort((one, other) => one - other)[0] ?? last, nodes: [node], edge: "" };
  });
  const valued = all.flatMap((layer) => layer.moves.filter(({ kind, nodes }) => kind === "value" && isAt(all, depthOf(nodes[0]!), layer) && isSeen.has(nodes[0]!)));
  return { ...rest, nodes: ordered, edges, moves: [...others, ...valued, ...sent, ...sums].sort((one, other) => one.step - other.step) };
}

const targetOf = (reverse: boolean, { head, tail }: FlowEdge): number => (reverse ? tail : head);

/** A node with the words of its sum: of as many contributions as are seen, of all that there are. */
function withTotal(all: readonly Layer[], reverse: boolean, node: FlowNode, edges: readonly FlowEdge[], every: readonly FlowEdge[]): FlowNode {
  const arriving = (some: readonly FlowEdge[]): FlowEdge[] => some.filter((edge) => edge.product && targetOf(reverse, edge) === node.node);
  const seeds = node.seed ? 1 : 0;
  const seen = arriving(edges);
  const [count, whole] = [seen.length + seeds, arriving(every).length + seeds];
  if (count < whole) return { ...node, total: count ? [`Σ ${count} of ${whole}`, 58] : ["", 0] };
  if (count < 2) return { ...node, total: ["", 0] };
  const others = all.filter((each) => arriving(each.edges).length + seeds === count);
  const same = others.flatMap(({ nodes }) => nodes.filter((each) => each.node === node.node && each.total[0]))[0];
  if (same) return { ...node, total: same.total };
  if (node.map) return { ...node, total: [`Σ ${count}`, 20] };
  const terms = [...(node.seed ? [node.seed] : []), ...seen.map(({ product }) => product!)];
  const text = `${terms.map((term) => term.text).join(" + ")} = ${node.result?.text ?? ""}`;
  return { ...node, total: [text, terms.reduce((sum, { w }) => sum + w + 24, node.result?.w ?? 0)] };
}

// ---- around the nodes of an open line ----

/** Around the nodes, and the size of the text of the line. */
const AROUND = 12;
const LABEL = 16;

export interface Hull extends Box {
  /** The number of the box, and the line. */
  readonly number: number;
  readonly label: string;
}

/**
 * The place around the nodes of a line with the gates between them; null where other nodes are among them. Inside of it are
 * so many others.
 */
export function hull(placed: Placed, { inside, label }: FlowBox, number: number, others = 0): Hull | null {
  const among = new Set(inside);
  const boxes: Box[] = [...placed.nodes.filter(({ node }) => among.has(node)), ...placed.edges.filter(({ head, tail }) => among.has(head) && among.has(tail)).map(({ gate }) => gate)];
  if (!boxes.length) return null;
  const room = AROUND + others * (LABEL + AROUND / 2);
  const ends = (at: "x" | "y", size: "w" | "h", most: number): [number, number] => [
    Math.max(2, Math.min(...boxes.map((each) => each[at] - each[size] / 2)) - room),
    Math.min(most - 2, Math.max(...boxes.map((each) => each[at] + each[size] / 2)) + room),
  ];
  const [[left, right], [top, bottom]] = [ends("x", "w", placed.width), ends("y", "h", placed.height)];
  const isBetween = ({ node, x, y }: Placed["nodes"][number]): boolean => !among.has(node) && x > left && x < right && y > top && y < bottom;
  if (placed.nodes.some(isBetween)) return null;
  return { number, label, x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top };
}

export function hullMarks({ number, label, ...place }: Hull): Mark[] {
  const key = `hull/${number}`;
  return [
    box(key, place, 16, "", "muted", 1.4, 1, true),
    text(`${key}/label`, `${label}  ×`, place.x, place.y - place.h / 2 - 4, LABEL, "sans", "muted"),
  ];
}
