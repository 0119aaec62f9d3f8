// A sweep that is told line by line: what is seen of it while some of its boxes are open. Pure.

import type { Level } from "../playback/playback.js";
import { type Boxes, type Opened, crowded } from "../layout/boxes.js";
import type { FlowEdge, FlowLines, FlowNode, FlowPanel, Move } from "../scene/document.js";

/** The most nodes that are seen one by one where no line is told as one. */
const MOST = 40;

/** The most edges that are seen where a box is open and what is beside it as well. */
const MOST_EDGES = 11;

type Layer = Omit<FlowLines, "boxes">;

const known = new WeakMap<FlowPanel, Map<string, FlowPanel>>();

/** The sweep line by line, then by what is inside of lines, as far as it is boxes. */
const layersOf = ({ lines, inner = [] }: FlowPanel): readonly FlowLines[] => (lines ? [lines, ...inner] : []);

/** The boxes of a sweep, those inside of others after them. */
export const boxesOf = (panel: FlowPanel): Boxes => layersOf(panel).flatMap(({ boxes }) => boxes);

/** Whether all nodes of a sweep can be seen one by one. */
export const isWhole = ({ lines, nodes }: FlowPanel): boolean => !lines || nodes.length <= MOST;

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

/** The open box that alone is seen; -1 if there is none. */
export const alone = (panel: FlowPanel, opened: Opened): number => {
  const all = layers(panel);
  return crowded(opened, MOST_EDGES, (some, only) => edgesOf(all, depths(panel, some), insideOf(panel, only)).length);
};

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
  const depths = told(panel, level === "lines" ? opened : []);
  const depthOf: DepthOf = (node) => (node < 0 ? 0 : depths(node)); // what is of no node is of all
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
