// Edges as marks: lines of the data, ribbons of derivatives, gates, and products on their way.

import { type Chain, cut, directionAt, headed, pointAt } from "../motion/curves.js";
import { type Mark, DEAD, ENDED, LIT, PAST, PLAYED, UNLIT, box, text } from "../motion/marks.js";
import { EM, PILL, SMALL_CELL, extent } from "../layout/lengths.js";
import { band, hatched, heat, moving, pill } from "./pills.js";
import { labelled } from "./places.js";
import { ARRIVES, AT_GATE, LEAVES, LIFT, MULTIPLIED, eased, within } from "../motion/schedule.js";
import { type Context, sourceOf, targetOf, ways } from "./standing.js";
import { type Paint, hue } from "../picture/heat-map.js";
import type { Amount } from "../scene/document.js";
import type { PlacedEdge } from "../layout/placed.js";

const POST = 4;
/** The width of a ribbon of what is not a number, which has no size. */
const UNKNOWN = 8;

export function edgeMarks(edge: PlacedEdge, { panel, sends, standings, isEnded, lit }: Context): Mark[] {
  const phase = sends.get(edge.key);
  const share = phase?.share ?? 0;
  const faint = edge.dead ? DEAD : lit && !lit.has(edge.key) ? UNLIT : 1;
  const value = standings.get(edge.head)!.value;
  const marks: Mark[] = share < 1 ? dataMarks(edge, share, faint, value?.isPlayed && value.share > 0 ? "ink" : "faint") : [];
  if (!phase || !edge.given || !edge.product || share <= LIFT) return marks;
  const [first, second] = ways(panel, edge);
  const opacity = lit ? (lit.has(edge.key) ? LIT : UNLIT) : isEnded ? ENDED : phase.isPlayed ? PLAYED : PAST;
  marks.push(...ribbon(`given/${edge.key}`, edge.given, cut(first, eased(within(share, LIFT, AT_GATE))), opacity));
  const beyond = eased(within(share, LEAVES, ARRIVES));
  if (beyond <= 0) return marks;
  const key = `product/${edge.key}`;
  if (share < ARRIVES) return [...marks, ...ribbon(key, edge.product, cut(second, beyond), opacity)];
  const wide = thickness(edge.product) + 10;
  const { stem, head } = headed(second, Math.max(12, 0.62 * wide), wide);
  marks.push(...ribbon(key, edge.product, stem, opacity));
  marks.push({ type: "arrow", key: `arrived/${edge.key}`, points: head, fill: hue(edge.product.sign), opacity });
  return marks;
}

/** The line along which the value of an operand is used. */
function dataMarks(edge: PlacedEdge, share: number, opacity: number, paint: Paint): Mark[] {
  const { stem, head } = headed(edge.after, 13, 11);
  const line = (key: string, points: Chain): Mark => ({
    type: "curve", key: `edge/${edge.key}/${key}`, points, line: paint, thickness: 1.6, dashed: edge.dead, opacity,
  });
  const marks = [line("before", edge.before), line("after", share < ARRIVES ? stem : edge.after)];
  if (share < ARRIVES) marks.push({ type: "arrow", key: `head/${edge.key}`, points: head, fill: paint, opacity });
  return marks;
}

const thickness = ({ sign, ribbon }: Amount): number => (sign === null ? UNKNOWN : ribbon);

/** A derivative on its edge: as wide as it is large; one of both signs has a casing of the sign that is less. */
function ribbon(key: string, amount: Amount, points: Chain, opacity: number): Mark[] {
  const { sign, against } = amount;
  if (sign === null) return hatched(key, points, UNKNOWN, opacity);
  const isNothing = sign === 0 && !against;
  const curve = (name: string, line: Paint, wide: number, strength = opacity): Mark => ({
    type: "curve", key: name, points, line, thickness: wide, dashed: isNothing, opacity: strength,
  });
  const wide = isNothing ? 1.6 : amount.ribbon;
  if (!against || wide < 4) return [curve(key, hue(sign), wide)];
  const core = wide * (1 - against);
  const casing = curve(`${key}/casing`, sign === 1 ? "negative" : "positive", wide);
  return [casing, curve(`${key}/ground`, "paper", core, 1), curve(key, hue(sign), core)];
}

export function gateMarks(edge: PlacedEdge, { sends, lit }: Context): Mark[] {
  const key = `gate/${edge.key}`;
  const phase = sends.get(edge.key);
  const share = phase?.share ?? 0;
  const isPlayed = phase !== undefined && phase.isPlayed && share > 0;
  const { x, y, whole } = edge.gate;
  if (!edge.gate.w) return []; // of values nothing is multiplied
  const [w, h] = (isPlayed && whole) || [edge.gate.w, edge.gate.h];
  const isCut = whole !== undefined && !isPlayed;
  const alone = isCut ? (edge.gate.isNumber ? edge.gate.number : share === 1 ? fitted(edge) : "") : "";
  const symbol = alone ? "" : edge.gate.symbol;
  const [number, map] = isCut ? [alone, undefined] : [edge.gate.number, edge.gate.map];
  const begins = edge.first && share >= MULTIPLIED;
  const opacity = edge.dead ? DEAD : lit && !lit.has(edge.key) ? UNLIT : 1;
  const ink = isPlayed ? "ink" : "muted";
  const post = (name: string, side: number): Mark =>
    box(`${key}/${name}`, isSteep(edge) ? { x, y: y + (side * h) / 2, w, h: POST } : { x: x + (side * w) / 2, y, w: POST, h }, 1, ink, "", 0, opacity);
  const words = (name: string, told: string, baseline: number, font: "serif" | "bold"): Mark => text(`${key}/${name}`, told, x, baseline, 20, font, "ink", opacity);
  const marks: Mark[] = [
    box(`${key}/paper`, { x, y, w, h }, 1, "paper", begins || isPlayed ? "ink" : "faint", begins ? 3.2 : isPlayed ? 2 : 1.4, opacity),
    post("in", -1),
    post("out", 1),
  ];
  const [below] = edge.gate.below ?? [];
  const isAlone = !number && !map && !below;
  if (symbol) marks.push(words("symbol", symbol, isAlone ? y + 6 : y - h / 2 + 21, "serif"));
  const baseline = symbol ? y + 20 : y + 6;
  if (number) marks.push(...band(key, number, x, baseline + 4, Math.min(w - 12, 12 * number.length + 4), opacity), words("number", number, baseline, "bold"));
  if (below) marks.push(words("below", below, y + 18, "serif"));
  if (map) marks.push(...heat(`${key}/map`, map, x, y + h / 2 - 8 - (SMALL_CELL * map.rows.length) / 2, SMALL_CELL, opacity));
  return marks;
}

/** The number that a gate of one line tells once it has been passed: with as many figures as have room; "" if fewer than two have. */
function fitted({ gate: { number, number_w = Infinity, w } }: PlacedEdge): string {
  const value = Number(number.replaceAll("−", "-"));
  const rounded = [3, 2].filter((digits) => Math.abs(value) < 10 ** digits).map((digits) => Number(value.toPrecision(digits)));
  const texts = [number, ...rounded.map((each) => String(each).replaceAll("-", "−"))];
  return texts.find((text) => (number_w * text.length) / number.length + POST + 1 <= w) ?? "";
}

/** Whether an edge passes its gate from above or from below. */
function isSteep({ before, gate }: PlacedEdge): boolean {
  const [nearX, nearY] = before.slice(-4) as [number, number];
  return Math.abs(nearX - gate.x) < Math.abs(nearY - gate.y);
}

/** The product at a gate in numbers, from when it is multiplied out until the next step. */
export function equationMarks(edge: PlacedEdge, { sends, places, lit }: Context): Mark[] {
  const phase = sends.get(edge.key);
  const place = places.equations.get(edge.key);
  if (!place || !phase?.isPlayed || phase.share < MULTIPLIED) return [];
  return label(`equation/${edge.key}`, edge.equation, EM, place, hue(edge.product?.sign ?? 0), lit && !lit.has(edge.key) ? UNLIT : 1);
}

/** Words on a ground that keeps them legible on whatever is behind. */
export function label(key: string, [words, wide]: readonly [string, number], size: number, [x, y]: readonly [number, number], fill: Paint, opacity: number): Mark[] {
  return [
    box(`${key}/ground`, { x, y, w: labelled(wide), h: 22 }, 4, "paper", "", 0, 0.86 * opacity),
    text(key, words, x, y + 6, size, "bold", fill, opacity),
  ];
}

/** A product on its way, from the node that sends it through the gate to the node that receives it. */
export function travelMarks(edge: PlacedEdge, { panel, sends, standings, places }: Context): Mark[] {
  const phase = sends.get(edge.key);
  if (!phase || !edge.given || !edge.product || phase.share <= 0 || phase.share >= 1) return [];
  const { share } = phase;
  const [first, second] = ways(panel, edge);
  const key = `way/${edge.key}`;
  const { gate } = edge;
  const below = aside(edge);
  const parked = places.parked.get(edge.key);
  if (share < LIFT) {
    const { node } = standings.get(sourceOf(panel, edge))!;
    return between(key, edge.given, [node.x + node.slot[0], node.y + node.slot[1]], pointAt(first, 0), within(share, 0, LIFT));
  }
  if (share < AT_GATE) {
    const t = eased(within(share, LIFT, AT_GATE));
    const [x, y] = pointAt(first, t);
    return moving(key, edge.given, x, y + below * within(t, 0.6, 1), directionAt(first, t));
  }
  if (share < MULTIPLIED && edge.factors[0]) return pill(key, edge.given, gate.x, gate.y + below, PILL, 1, edge.factors[0], edge.factors[1]);
  if (share < LEAVES) {
    const swell = 1 + 0.18 * Math.sin(Math.PI * within(share, MULTIPLIED, LEAVES));
    return pill(key, share < MULTIPLIED ? edge.given : edge.product, gate.x, gate.y + below, PILL * swell, 1);
  }
  if (share < ARRIVES) {
    const t = eased(within(share, LEAVES, ARRIVES));
    const [x, y] = pointAt(second, t);
    const [toX, toY] = parked ?? [x, y];
    const near = within(t, 0.4, 1);
    const at = [x + near * (toX - x), y + near * (toY - y) + below * within(t, 0.4, 0)] as const;
    return moving(key, edge.product, ...at, directionAt(second, t));
  }
  const { node } = standings.get(targetOf(panel, edge))!;
  const start = parked ?? pointAt(second, 1);
  return between(key, edge.product, start, parked ?? [node.x + node.slot[0], node.y + node.slot[1]], within(share, ARRIVES, 1));
}

/** How far below the middle of its gate a derivative is multiplied: a number, which tells the factor, over that; a map below the gate. */
function aside({ gate, given, product }: PlacedEdge): number {
  if (!given!.map && !product!.map) return gate.symbol && gate.number ? 16 : 0;
  const high = Math.max(extent(given!, PILL)[1], extent(product!, PILL)[1]);
  const half = (gate.whole?.[1] ?? gate.h) / 2;
  return half + high / 2 - 6;
}

function between(key: string, amount: Amount, [x, y]: readonly [number, number], [toX, toY]: readonly [number, number], share: number): Mark[] {
  const t = eased(share);
  return pill(key, amount, x + t * (toX - x), y + t * (toY - y), PILL, 1);
}
