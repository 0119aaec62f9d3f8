// Nodes as marks: their values, the derivatives they have, and contributions that wait at them and are added.

import { label } from "./edges.js";
import { type Mark, DEAD, DONE, UNLIT, box, text } from "../motion/marks.js";
import { CELL, EM, PILL, RESULT, STEM, extent } from "../layout/lengths.js";
import { nameOf } from "./notes.js";
import { band, fitting, ghost, heat, moving, pill, stacked } from "./pills.js";
import { MOST_PARKED, arrivals } from "./places.js";
import { ADDED, GATHERED, eased, within } from "../motion/schedule.js";
import { type Context, type Standing, isComplete } from "./standing.js";
import { type Paint, hue } from "../picture/heat-map.js";
import type { Amount } from "../scene/document.js";
import type { PlacedNode } from "../layout/placed.js";

/** How many arrays are shown beside each other while they are added. */
const MOST_ADDED = 3;
/** What a result leaves of the width of its node, so that it stays inside the round corners. */
const INSIDE = 24;
/** Of the terms of a sum. */
const WIDEST_SUM = 320;
/** The least width of the place for a derivative. */
const SLOT = 44;
/** By how much each edge of a folded node stands out behind the one before it. */
const STACKED = 5;

export function nodeMarks(standing: Standing, context: Context): Mark[] {
  const { node, sending, sum, seed, change, value } = standing;
  const { key, x, y, w, h, kind } = node;
  const { isEnded, lit, edges } = context;
  const isPlayed = [sum, seed, change, value, ...sending].some((phase) => phase?.isPlayed && phase.share > 0);
  const isDone = !isEnded && !isPlayed && sending.length > 0 && sending.every(({ share }) => share >= 1);
  const touched = lit === null || [...edges.values()].some((edge) => lit.has(edge.key) && [edge.head, edge.tail].includes(node.node));
  const strength = node.dead ? DEAD : touched ? 1 : UNLIT;
  const opacity = isDone ? Math.min(DONE, strength) : strength;
  const corner = kind === "input" ? Math.min(h / 2, node.map ? 28 : 40) : 12;
  const frame = (name: string, inset: number, line: Paint, thickness: number, place = { x, y, w: w - 2 * inset, h: h - 2 * inset }): Mark =>
    box(`node/${key}/${name}`, place, corner - inset, "paper", line, thickness, opacity, node.dead);
  const behind = (k: number): Mark => frame(`behind${k}`, 0, "faint", 1.6, { x, y: y - STACKED * k, w: w - 2 * STACKED * k, h });
  const marks: Mark[] = node.fold !== undefined ? [behind(2), behind(1)] : [];
  marks.push(isPlayed || node.first ? frame("box", 0, "ink", 3.2) : frame("box", 0, "faint", 1.6));
  if (kind === "output" || node.returned) marks.push(frame("inner", 5, "faint", 1.4));
  if (node.stem) marks.push(...stemMarks(node, node.stem, opacity));
  else if (node.fold) marks.push(text(`node/${key}/fold`, node.fold, x, y - h / 2 + 20, EM, "sans", "muted", opacity));
  marks.push(...(node.map ? arrayMarks(standing, opacity, strength) : numberMarks(standing, opacity, strength)));
  const place = context.places.totals.get(key);
  if (place && sum?.isPlayed && sum.share >= 1) marks.push(...label(`total/${key}`, node.total, EM, place, hue(node.result?.sign ?? 0), strength));
  return marks;
}

/** What the adjoint of a line is multiplied by before it goes on: a gate inside of its box. */
function stemMarks({ key, x, y, h }: PlacedNode, lines: readonly (readonly [string, number])[], opacity: number): Mark[] {
  const high = 4 + STEM * lines.length;
  const [top, wide] = [y - h / 2 + 9, Math.max(...lines.map(([, w]) => w))];
  const symbols = lines.map(([words], k) => text(`node/${key}/stem/${k}`, words, x, top + 20 + STEM * k, 20, "serif", "ink", opacity));
  return [box(`node/${key}/stem`, { x, y: top + high / 2, w: wide + 18, h: high }, 8, "paper", "faint", 1.4, opacity), ...symbols];
}

/** A number: its name and value, and its derivative, or the place for it. */
function numberMarks(standing: Standing, opacity: number, strength: number): Mark[] {
  const { node, arriving, sum, seed, change, value } = standing;
  const { key, x, y, kind } = node;
  const there = opacity * (value?.share ?? 1);
  const marks: Mark[] = [];
  if (kind === "block" || !there) {
    const [valueX, valueY] = [x + node.at[0], node.y + node.at[1] + 7];
    marks.push(text(`node/${key}/name`, kind === "block" ? node.name : nameOf(node), x, y + node.head, 22, "serif", "ink", opacity));
    if (there) marks.push(...band(key, node.value, valueX, valueY + 5, node.value_w, there), text(`node/${key}/value`, node.value, valueX, valueY, 19, "sans", "ink", there));
  } else {
    marks.push(...band(key, node.value, x, y + node.head + 5, 0.9 * node.name_w, opacity), text(`node/${key}/name`, node.name, x, y + node.head, 22, "serif", "ink", opacity));
  }
  const [slotX, slotY] = slot(node);
  if (isComplete(standing) && node.result) {
    const result = (change && change.share < 1 && node.before) || node.result;
    if (!sum || sum.share >= 1) marks.push(...pill(`result/${key}`, result, slotX, slotY, resultSize(standing), strength));
  } else if (arriving.length || sum || seed) {
    const high = 1.55 * PILL;
    const called = node.derivative_w ?? 0;
    const word = kind === "block" || called + 16 > node.w ? 0 : called;
    marks.push(box(`slot/${key}`, { x: slotX, y: slotY, w: Math.max(SLOT, word + 16), h: high }, high / 2, "", "faint", 1.4, opacity, true));
    if (word && (!seed || seed.share <= 0)) marks.push(text(`node/${key}/word`, node.derivative, slotX, slotY + 6, EM, "serif", "muted", opacity));
  }
  return marks;
}

const slot = ({ x, y, slot: [across, down] }: PlacedNode): [number, number] => [x + across, y + down];

/** Derivatives with respect to inputs, and in forward mode those of outputs, are larger, as far as there is room. */
function resultSize({ node, arriving }: Standing): number {
  return node.kind === "block" || !arriving.length ? PILL : fitting(node.result!.w, node.w - INSIDE, node.size);
}

/** An array: its value as a map, and beside it that of its derivative under a bar. */
function arrayMarks(standing: Standing, opacity: number, strength: number): Mark[] {
  const { node, arriving, seed, sum } = standing;
  const { key, x, y, name, value } = node;
  const there = opacity * (standing.value?.share ?? 1);
  const map = node.map!;
  const marks: Mark[] = [
    text(`node/${key}/name`, name, x - node.value_w / 2 - 4, y + node.head, 22, "serif", "ink", opacity),
    text(`node/${key}/shape`, value, x + node.name_w / 2 + 4, y + node.head, EM, "sans", "muted", opacity),
    ...(there ? heat(`value/${key}`, map, x + node.at[0], y + node.at[1], CELL, there) : []),
  ];
  if (!arriving.length && !seed && !sum) return marks;
  const [slotX, slotY] = slot(node);
  const { columns, rows } = node.result?.map ?? map;
  const [wide, high] = [CELL * columns.length, CELL * rows.length];
  const complete = isComplete(standing) && (!sum || sum.share >= 1) && node.result?.map;
  marks.push(box(`bar/${key}`, { x: slotX, y: slotY - high / 2 - 5, w: wide, h: 2 }, 0, complete ? "ink" : "faint", "", 0, opacity));
  if (complete) return [...marks, ...heat(`result/${key}`, complete, slotX, slotY, CELL, strength)];
  return [...marks, box(`slot/${key}`, { x: slotX, y: slotY, w: wide, h: high }, 1, "", "faint", 1.2, opacity, true)];
}

/** What the sweep starts with, on its way into the picture and into its node. */
export function seedMarks({ node, seed, sum }: Standing, { panel }: Context): Mark[] {
  if (!seed || !node.seed || seed.share <= 0) return [];
  const key = `seed/${node.key}`;
  const [x, y] = slot(node);
  if (seed.share < 1) {
    const side = panel.reverse ? 1 : -1;
    const start = node.x + side * (node.w / 2 + extent(node.seed, PILL)[0] / 2);
    return moving(key, node.seed, start + eased(seed.share) * (x - start), y, [-side, 0]);
  }
  return node.total[0] && (sum?.share ?? 0) <= GATHERED ? pill(key, node.seed, x, y, PILL, 1) : [];
}

/** Contributions at a node that adds several: parked, on their way together, and what is left of them. */
export function parkedMarks({ node, arriving, sum }: Standing, { panel, places, edges, lit }: Context): Mark[] {
  if (!node.total[0] || !node.result) return [];
  const together = sum?.share ?? 0;
  const order = arrivals(panel).get(node.node)!.map(({ key }) => key);
  const arrived = new Set(arriving.filter(({ share }) => share >= 1).map(({ move }) => move.edge));
  const shown = order.filter((key) => arrived.has(key));
  const rest = order.length > MOST_PARKED ? shown.slice(MOST_PARKED - 1) : [];
  const [slotX, slotY] = slot(node);
  const t = eased(within(together, 0, GATHERED));
  const marks = shown.slice(0, shown.length - Math.max(0, rest.length - 1)).flatMap((edge) => {
    const [x, y] = places.parked.get(edge)!;
    const amount = rest.length > 1 && edge === rest[0] ? stacked(rest.length) : edges.get(edge)!.product!;
    const opacity = lit && !lit.has(edge) ? UNLIT : 1;
    if (together > GATHERED) return ghost(`parked/${edge}`, amount, x, y, opacity * within(together, GATHERED, 1));
    return pill(`parked/${edge}`, amount, x + t * (slotX - x), y + t * (slotY - y), PILL, opacity);
  });
  if (together <= GATHERED || together >= 1) return marks;
  const products = shown.map((key) => edges.get(key)!.product!);
  return [...marks, ...(node.result.map ? addedMaps(node, node.result, products, together) : fuseMarks(node, node.result, together, panel.width))];
}

/** The terms of a sum with a plus, and then the sum. */
function fuseMarks(node: PlacedNode, result: Amount, together: number, room: number): Mark[] {
  const added = together < ADDED;
  const words = added ? node.total[0].split(/ [=\u2248] /)[0]! : result.text;
  const wide = added ? (node.total[1] * words.length) / node.total[0].length : result.w;
  const last = node.kind === "block" ? PILL : fitting(result.w, node.w - INSIDE, RESULT);
  const size = added ? fitting(wide, Math.max(node.w, WIDEST_SUM), PILL) : PILL + (last - PILL) * within(together, ADDED, 1);
  const half = extent(result, size, wide)[0] / 2;
  const [x, y] = slot(node);
  return pill(`fuse/${node.key}`, result, Math.max(half + 3, Math.min(x, room - half - 3)), y, size, 1, words, wide);
}

/** Arrays beside each other with a plus between them, and then their sum. */
function addedMaps(node: PlacedNode, result: Amount, products: readonly Amount[], together: number): Mark[] {
  const key = `fuse/${node.key}`;
  const [x, y] = slot(node);
  if (together >= ADDED) return pill(key, result, x, y, PILL, 1);
  const terms = products.slice(0, MOST_ADDED);
  const step = extent(result, PILL)[0] + 20;
  return terms.flatMap((term, k) => {
    const at = x + (k - (terms.length - 1) / 2) * step;
    const plus = k ? [text(`${key}/plus/${k}`, "+", at - step / 2, y + 7, 22, "bold", "ink")] : [];
    return [...plus, ...pill(`${key}/${k}`, term, at, y, PILL, 1)];
  });
}
