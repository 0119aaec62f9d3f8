// The forms that nodes and gates have: broad where there is room, else tall, and gates that tell only their symbols, or the
// shorter one of symbol and number.

import type { Form } from "./placed.js";
import type { Amount, FlowEdge, FlowNode, FlowPanel } from "../scene/document.js";
import { CELL, EM, PILL, RESULT, SMALL_CELL, STEM, extent } from "./lengths.js";

export const FORMS = ["broad", "tall", "short", "least"] as const;
/** Broad nodes; tall ones, with the derivative below the value; or tall ones with gates of one line, at last of the shorter one. */
export type FormName = (typeof FORMS)[number];

/** What is around the text of a node that has square corners, and of one that has round ones. */
const [SQUARE, ROUND] = [1.2 * EM, 1.7 * EM];
/** The height of a node with two lines, and with three; of one with a large result, and with a smaller one. */
const [TWO, THREE, LARGE, LOW] = [4.15 * EM, 5.05 * EM, 4.9 * EM, 4.5 * EM];
const [BESIDE, WORD] = [0.8 * EM, 8 * EM];
/** From the top of a node to the line on which its name stands, and that of an array. */
const [NAME, LABEL] = [28, 24];
/** The least place for a derivative. */
const SLOT = 44;
/** Above a heat map, for the name; beside it, below it, and between the two. */
const [HEAD, PAD, APART] = [34, 12, 16];
const FOLDED = 22;
/** The height of a gate with two lines, and with one. */
const [FULL, LINE] = [2.75 * EM, 1.6 * EM];
const NARROWEST = 2 * EM;
/** Above the map in a gate, and below it. */
const AROUND_MAP = 42;
/** Columns from which the derivative of an array stands below it, where nodes are tall. */
const WIDE = 4;

/** The amounts that any sweep gives to a node. */
const amounts = ({ sweeps = [], nodes }: FlowPanel, k: number): Amount[] =>
  [nodes[k]!, ...sweeps.map((sweep) => sweep.nodes[k]!)].flatMap(({ seed, result }) => [seed, result].flatMap((amount) => amount ?? []));

/** The form of a node that has a value and nothing else. */
function bareForm({ kind, map, name_w, value_w }: FlowNode): Form {
  const slot = { slot: [0, 0], size: PILL } as const;
  if (map) {
    const [wide, high] = [CELL * map.columns.length, CELL * map.rows.length];
    const h = HEAD + high + PAD;
    return { w: Math.max(64, name_w + 8 + value_w, wide) + 2 * PAD, h, head: LABEL - h / 2, at: [0, (HEAD - PAD) / 2], ...slot };
  }
  if (kind === "block") return { w: Math.max(name_w, value_w) + SQUARE, h: TWO, head: NAME - TWO / 2, at: [0, 16], ...slot };
  return { w: name_w + ROUND, h: LOW / 1.5, head: 7, at: [0, 0], ...slot };
}

/** The form of a node whose derivatives have this width at most. */
function formOf(node: FlowNode, given: readonly Amount[], name: FormName): Form {
  const tall = name !== "broad";
  const widest = Math.max(0, ...given.map(({ w }) => w));
  const pill = (size: number): number => (widest ? (widest * size) / PILL + 1.15 * size : SLOT);
  if (node.map) return arrayForm(node, given, tall);
  if (node.kind !== "block") {
    const size = tall ? 1.15 * EM : RESULT;
    // What the derivative is called is seen until it is there, if it is not longer than everything else.
    const word = node.seed && !node.total[0] ? 0 : Math.min(node.derivative_w ?? 0, Math.max(node.name_w, pill(size), WORD));
    const wide = Math.max(node.name_w, word, pill(size));
    const [h, slot] = tall ? [LOW, 14] : [LARGE, 16];
    return { w: wide + (node.kind === "input" && !tall ? ROUND : SQUARE), h, head: NAME - h / 2, at: [0, 0], slot: [0, slot], size };
  }
  const derivative = Math.max(SLOT, pill(PILL));
  if (tall) return { w: Math.max(node.name_w, node.value_w, derivative) + EM, h: THREE, head: NAME - THREE / 2, at: [0, -1], slot: [0, 27], size: PILL };
  const both = node.value_w + BESIDE + derivative;
  return { w: Math.max(node.name_w, both) + SQUARE, h: TWO, head: NAME - TWO / 2, at: [(node.value_w - both) / 2, 16], slot: [(both - derivative) / 2, 16], size: PILL };
}

function arrayForm({ map, name_w, value_w }: FlowNode, given: readonly Amount[], tall: boolean): Form {
  const maps = [map!, ...given.flatMap((amount) => amount.map ?? [])]; // several derivatives at once are a larger one
  const [wide, high] = [CELL * Math.max(...maps.map(({ columns }) => columns.length)), CELL * Math.max(...maps.map(({ rows }) => rows.length))];
  const label = name_w + 8 + value_w;
  if (tall && map!.columns.length >= WIDE && wide >= high) {
    const [middle, apart] = [(HEAD - PAD) / 2, (high + APART) / 2];
    const h = HEAD + 2 * high + APART + PAD;
    return { w: Math.max(label, wide) + 2 * PAD, h, head: LABEL - h / 2, at: [0, middle - apart], slot: [0, middle + apart], size: PILL };
  }
  const [down, across, h] = [(HEAD - PAD) / 2, (APART + wide) / 2, HEAD + high + PAD];
  return { w: Math.max(64, label, 2 * wide + APART) + 2 * PAD, h, head: LABEL - h / 2, at: [-across, down], slot: [across, down], size: PILL };
}

/** A node with room for what it says of what is in it. */
function withFold({ fold, fold_w = 0, stem }: FlowNode, form: Form): Form {
  if (!fold && !stem) return form;
  const [more, wide] = stem ? [10 + STEM * stem.length, Math.max(...stem.map(([, w]) => w)) + 18] : [FOLDED, fold_w];
  const lower = ([across, down]: Form["slot"]): Form["slot"] => [across, down + more / 2];
  return { ...form, w: Math.max(form.w, wide + 24), h: form.h + more, head: form.head + more / 2, at: lower(form.at), slot: lower(form.slot) };
}

export interface GateForm {
  readonly w: number;
  readonly h: number;
  readonly whole?: readonly [w: number, h: number];
  readonly isNumber?: boolean;
}

const isShort = (form: FormName): boolean => form === "short" || form === "least";

function gateForm({ gate }: FlowEdge, name: FormName): GateForm {
  const { symbol, number, map, below } = gate;
  if (!symbol && !number && !map) return { w: 0, h: 0 };
  // Documents of earlier versions have the width of the gate instead.
  const earlier = ((gate as { readonly w?: number }).w ?? 18) - 18;
  const [symbol_w, number_w] = [gate.symbol_w ?? earlier, gate.number_w ?? earlier];
  const cells = map ? SMALL_CELL * map.columns.length : 0;
  const wide = Math.max(NARROWEST, symbol_w + 16, number_w + 16, cells + 16, (below?.[1] ?? 0) + 16);
  const whole = [wide, map ? AROUND_MAP + SMALL_CELL * map.rows.length : symbol && (number || below) ? FULL : LINE] as const;
  if (!isShort(name) || !symbol || below || whole[1] === LINE) return { w: whole[0], h: whole[1] };
  const isBare = symbol.startsWith("∂"); // which says no more than where the gate stands
  if (number && (isBare || (name === "least" && number_w < symbol_w))) return { w: Math.max(NARROWEST, number_w + 15), h: LINE, whole, isNumber: true };
  return { w: Math.max(NARROWEST, symbol_w + 15), h: LINE, whole };
}

/** A node with its name as a form has it: cut short in the last one. */
export function named(node: FlowNode, form: FormName): FlowNode {
  return isShort(form) && node.brief ? { ...node, name: node.brief[0], name_w: node.brief[1] } : node;
}

/** Sizes of all nodes and gates, and the pixels wanted left and right of each node for numbers that are parked there. */
export interface Sizes {
  readonly nodes: readonly Form[];
  readonly gates: readonly GateForm[];
  readonly rooms: readonly (readonly [left: number, right: number])[];
  /** Where edges carry nothing: how much of the usual room is left to them. */
  readonly tight?: number;
}

export function sizesOf(panel: FlowPanel, name: FormName): Sizes {
  const rooms = panel.nodes.map((node, k): [number, number] => {
    const room = Math.max(0, ...parkedAt(panel, node, k).map((amount) => extent(amount, PILL)[0]));
    return panel.reverse ? [0, room] : [room, 0];
  });
  const isBare = panel.moves.some(({ kind }) => kind === "value");
  const form = (node: FlowNode, k: number): Form => (isBare ? bareForm(node) : formOf(node, amounts(panel, k), name));
  return {
    nodes: panel.nodes.map((node, k) => withFold(node, form(named(node, name), k))),
    gates: panel.edges.map((edge) => gateForm(edge, name)),
    rooms,
  };
}

/** The contributions that wait at a node, in any sweep, where several are added. */
function parkedAt(panel: FlowPanel, { node }: FlowNode, k: number): Amount[] {
  const sweeps = [panel, ...(panel.sweeps ?? [])];
  return sweeps.flatMap((sweep) => {
    if (!sweep.nodes[k]!.total[0]) return [];
    return panel.edges.flatMap(({ tail, head }, i) => ((panel.reverse ? tail : head) === node ? (sweep.edges[i]!.product ?? []) : []));
  });
}
