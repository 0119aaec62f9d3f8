// A sweep that is told line by line: what is seen of it while some of its boxes are open, and what is drawn around the nodes
// of an open one. Pure.

import type { Placed } from "../layout/placed.js";
import { type Mark, box, text } from "../motion/marks.js";
import type { Box } from "../picture/camera.js";
import type { Level } from "../playback/playback.js";
import type { FlowBox, FlowEdge, FlowNode, FlowPanel, Move } from "../scene/document.js";

/** The most nodes that are seen one by one where no line is told as one. */
const MOST = 40;

/** The numbers of the boxes that are open. */
export type Opened = readonly number[];

const known = new WeakMap<FlowPanel, Map<string, FlowPanel>>();

/** The boxes of a sweep. */
export const boxesOf = ({ lines }: FlowPanel): readonly FlowBox[] => lines?.boxes ?? [];

/** Whether all nodes of a sweep can be seen one by one. */
export const isWhole = ({ lines, nodes }: FlowPanel): boolean => !lines || nodes.length <= MOST;

/** The box that a node is in, if it can be opened or closed: its number, or -1. */
export const boxOf = (panel: FlowPanel, node: number): number => boxesOf(panel).findIndex(({ inside }) => inside.includes(node));

/** The nodes inside of the boxes that are open. */
export const insideOf = (panel: FlowPanel, opened: Opened): Set<number> => new Set(opened.flatMap((number) => boxesOf(panel)[number]?.inside ?? []));

/** The sweep as it is seen at a level, where the boxes of some lines are open. */
export function seen(panel: FlowPanel, level: Level, opened: Opened): FlowPanel {
  if (!panel.lines || (level !== "lines" && isWhole(panel))) return panel;
  const views = known.get(panel) ?? new Map<string, FlowPanel>();
  known.set(panel, views);
  const key = level === "lines" ? String(opened) : "";
  const view = views.get(key) ?? mixed(panel, insideOf(panel, level === "lines" ? opened : []));
  views.set(key, view);
  return view;
}

/** What is told of a sweep at a level, of what is told of its operations and of its lines: each is of a node. */
export function toldAt<T extends { readonly node: number; readonly step: number }>(
  panel: FlowPanel | null,
  ofNodes: readonly T[],
  ofLines: readonly T[] | undefined,
  level: Level,
  opened: Opened,
): readonly T[] {
  if (!panel || !ofLines || (level !== "lines" && isWhole(panel))) return ofNodes;
  const inside = level === "lines" ? insideOf(panel, opened) : new Set<number>();
  if (!inside.size) return ofLines;
  const some = (told: readonly T[], open: boolean): T[] => told.filter(({ node }) => inside.has(node) === open);
  return [...some(ofLines, false), ...some(ofNodes, true)].sort((one, other) => one.step - other.step);
}

/** Nodes and edges of open boxes as they are, of all others as one. */
function mixed(panel: FlowPanel, inside: ReadonlySet<number>): FlowPanel {
  const { lines, ...rest } = panel;
  const heads = new Map([...lines!.edges, ...panel.edges].map(({ key, head }) => [key, head]));
  const isOpen = ({ head }: FlowEdge): boolean => inside.has(head);
  const edges = [...lines!.edges.filter((edge) => !isOpen(edge)), ...panel.edges.filter(isOpen)];
  const closed = new Map(lines!.nodes.map((node) => [node.node, node]));
  const nodes = [...closed.values()].filter(({ node }) => !inside.has(node)).concat(panel.nodes.filter(({ node }) => inside.has(node)));
  const ordered = nodes.sort((one, other) => one.node - other.node).map((node) => withTotal(panel, node, edges));
  const sends = (moves: readonly Move[], open: boolean): Move[] =>
    moves.filter(({ kind, edge }) => kind === "send" && inside.has(heads.get(edge)!) === open);
  const others = lines!.moves.filter(({ kind }) => kind === "seed" || kind === "result");
  const sent = [...sends(lines!.moves, false), ...sends(panel.moves, true)];
  const target = new Map(edges.map((edge) => [edge.key, targetOf(panel, edge)]));
  const sums = ordered.filter(({ total }) => total[0]).map(({ node }): Move => {
    const known = [...lines!.moves, ...panel.moves].filter(({ kind, nodes }) => kind === "sum" && nodes[0] === node).map(({ step }) => step);
    const arrived = sent.filter(({ edge }) => target.get(edge) === node).map(({ step }) => step);
    const last = Math.max(...arrived);
    return { kind: "sum", step: known.filter((step) => step >= last).sort((one, other) => one - other)[0] ?? last, nodes: [node], edge: "" };
  });
  return { ...rest, nodes: ordered, edges, moves: [...others, ...sent, ...sums].sort((one, other) => one.step - other.step) };
}

const targetOf = ({ reverse }: FlowPanel, { head, tail }: FlowEdge): number => (reverse ? tail : head);

/** A node with the words of its sum, as many contributions as are seen. */
function withTotal(panel: FlowPanel, node: FlowNode, edges: readonly FlowEdge[]): FlowNode {
  const arriving = (some: readonly FlowEdge[]): FlowEdge[] => some.filter((edge) => edge.product && targetOf(panel, edge) === node.node);
  const seeds = node.seed ? 1 : 0;
  const seen = arriving(edges);
  const count = seen.length + seeds;
  if (count < 2) return { ...node, total: ["", 0] };
  const others = [panel.lines!, panel].filter((each) => arriving(each.edges).length + seeds === count);
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

/** The place around the nodes of a line with the gates between them; null where other nodes are among them. */
export function hull(placed: Placed, { inside, label }: FlowBox, number: number): Hull | null {
  const among = new Set(inside);
  const boxes: Box[] = [...placed.nodes.filter(({ node }) => among.has(node)), ...placed.edges.filter(({ head, tail }) => among.has(head) && among.has(tail)).map(({ gate }) => gate)];
  if (!boxes.length) return null;
  const ends = (at: "x" | "y", size: "w" | "h", most: number): [number, number] => [
    Math.max(2, Math.min(...boxes.map((each) => each[at] - each[size] / 2)) - AROUND),
    Math.min(most - 2, Math.max(...boxes.map((each) => each[at] + each[size] / 2)) + AROUND),
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
