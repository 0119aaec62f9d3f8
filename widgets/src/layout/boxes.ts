// Boxes that are opened in place, as sweeps and the Explorer have them: which are open, which one a click turns, what is seen
// where one of them is crowded, and what is drawn around the nodes of an open one. Pure.

import { EM } from "./lengths.js";
import type { Placed } from "./placed.js";
import { type Mark, box, text } from "../motion/marks.js";
import type { Box } from "../picture/camera.js";
import type { FlowBox } from "../scene/document.js";

/** All boxes, those inside of others after them. */
export type Boxes = readonly FlowBox[];

/** The numbers of the boxes that are open. */
export type Opened = readonly number[];

/** The numbers of the boxes that a node is in, the outermost first. */
const around = (boxes: Boxes, node: number): number[] => boxes.flatMap(({ inside }, number) => (inside.includes(node) ? [number] : []));

/** The closed box that a node is in where some are open: its number, or -1. */
export const boxOf = (boxes: Boxes, node: number, opened: Opened): number => around(boxes, node).find((number) => !opened.includes(number)) ?? -1;

/** The box that is opened or closed at a node: the closed one that it is in, or the innermost open one that it leaves; or -1. */
export function boxAt(boxes: Boxes, node: number, opened: Opened): number {
  const closed = boxOf(boxes, node, opened);
  return closed >= 0 ? closed : (around(boxes, node).filter((number) => boxes[number]!.exits.includes(node)).at(-1) ?? -1);
}

/** What is open after a box is opened, with those that it is in, or after it is closed, with all inside of it. */
export function turned(boxes: Boxes, opened: Opened, box: number): Opened {
  const outer = around(boxes, boxes[box]!.inside[0]!).filter((number) => number < box);
  return opened.includes(box) ? outer : [...outer, box];
}

/**
 * The open box that alone is seen, with what it is joined to, as too much would be seen beside it; -1 if there is none.
 * `edges` counts what is seen where some boxes are open and one of them alone; at `most` so many are seen at once.
 */
export const crowded = (opened: Opened, most: number, edges: (opened: Opened, only: number) => number): number =>
  opened.reduce((only, box, i) => (edges(opened.slice(0, i + 1), only) > most ? box : only), -1);

// ---- iterations, and the way into boxes ----

/** How many iterations a box is. */
export const timesOf = ({ loop }: FlowBox): number => (loop ? loop[2] - loop[1] + 1 : 1);

/** The box before or after that of some iterations, of about as many; -1 if there is none. */
export function besides(boxes: Boxes, box: number, step: -1 | 1): number {
  const { loop } = boxes[box]!;
  const far = ({ loop: other }: FlowBox): boolean => loop?.[0] !== other?.[0] || (step > 0 ? other![1] !== loop![2] + 1 : other![2] !== loop![1] - 1);
  const size = (number: number): number => Math.abs(timesOf(boxes[number]!) - timesOf(boxes[box]!));
  const near = loop ? [...boxes.keys()].filter((number) => !far(boxes[number]!)) : [];
  return near.sort((one, other) => size(one) - size(other))[0] ?? -1;
}

/** The way into open boxes: what each step is called, and which box is closed there; none at the last. */
export function wayInto(boxes: Boxes, path: Opened, root: string): [label: string, box: number | undefined][] {
  const called = ({ label, loop }: FlowBox): string =>
    loop ? `${label} of ${Math.max(...boxes.map(({ loop: other }) => (other?.[0] === loop[0] ? other[2] : 0)))}` : label;
  return [root, ...path.map((box) => called(boxes[box]!))].map((label, i) => [label, path[i]]);
}

// ---- around the nodes of a line ----

/** Around the nodes. */
const AROUND = 12;

export interface Hull extends Box {
  /** The number of the box, and the line; "" at further parts of a place, around a closed one, and where there is no room. */
  readonly number: number;
  readonly label: string;
  readonly isOpen: boolean;
}

/** A place around some boxes with so much room. */
function roomFor(placed: Placed, boxes: readonly Box[], room: number): Box {
  const ends = (at: "x" | "y", size: "w" | "h", most: number): [number, number] => [
    Math.max(2, Math.min(...boxes.map((each) => each[at] - each[size] / 2)) - room),
    Math.min(most - 2, Math.max(...boxes.map((each) => each[at] + each[size] / 2)) + room),
  ];
  const [[left, right], [top, bottom]] = [ends("x", "w", placed.width), ends("y", "h", placed.height)];
  return { x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top };
}

/** Boxes before and behind the widest gap between them, across or down; nothing where there is no gap. */
function apart(boxes: readonly Box[]): [Box[], Box[]] | null {
  const cuts = ([["x", "w"], ["y", "h"]] as const).flatMap(([at, size]) => {
    const sorted = [...boxes].sort((one, other) => one[at] - other[at]);
    return sorted.slice(1).map((next, i) => {
      const before = Math.max(...sorted.slice(0, i + 1).map((each) => each[at] + each[size] / 2));
      return { gap: next[at] - next[size] / 2 - before, parts: [sorted.slice(0, i + 1), sorted.slice(i + 1)] as [Box[], Box[]] };
    });
  });
  const [widest] = cuts.sort((one, other) => other.gap - one.gap);
  return widest && widest.gap > 0 ? widest.parts : null;
}

/** The places around boxes: one, or where other nodes are among them several, as in several rows. */
function parts(placed: Placed, boxes: readonly Box[], others: readonly Box[], room: number): Box[] {
  const whole = roomFor(placed, boxes, room);
  const isAmong = ({ x, y }: Box): boolean => Math.abs(x - whole.x) < whole.w / 2 && Math.abs(y - whole.y) < whole.h / 2;
  const halves = others.some(isAmong) ? apart(boxes) : null;
  return halves ? halves.flatMap((half) => parts(placed, half, others, room)) : [whole];
}

/** Whether something stands where a line is written, above its place. */
const isAbove = (each: Box, { x, y, w, h }: Box): boolean =>
  Math.abs(each.x - x) < (each.w + w) / 2 && Math.abs(each.y - (y - h / 2 - EM / 2)) < (each.h + EM) / 2;

/** The place around the nodes of a line with the gates between them, in one part or several; inside of it are so many others. */
export function hull(placed: Placed, nodes: readonly number[], label: string, number: number, isOpen = true, others = 0): Hull[] {
  const among = new Set(nodes);
  const inside = placed.nodes.filter(({ node }) => among.has(node));
  const between = placed.edges.filter(({ head, tail }) => among.has(head) && among.has(tail)).map(({ gate }) => gate);
  if (inside.length < (isOpen ? 1 : 2)) return [];
  const beside = placed.nodes.filter(({ node }) => !among.has(node));
  const room = AROUND + others * (EM + AROUND / 2);
  const all = parts(placed, [...inside, ...between], beside, room).sort((one, other) => one.y - other.y);
  return all.map((part, i) => ({ ...part, number, label: i || beside.some((each) => isAbove(each, part)) ? "" : label, isOpen }));
}

/** The places around open boxes, but for those around the one that alone is seen, and around what leaves a closed one. */
export function hulls(placed: Placed, boxes: Boxes, opened: Opened, only: number): Hull[] {
  const open = opened.filter((number) => number > only);
  const several = boxes.flatMap(({ exits }, number) => (boxOf(boxes, exits[0]!, opened) === number ? hull(placed, exits, "", number, false) : []));
  return [...open.flatMap((number, depth) => hull(placed, boxes[number]!.inside, boxes[number]!.label, number, true, open.length - 1 - depth)), ...several];
}

/** What is drawn around a line, the `i`-th of all places. */
export function hullMarks({ label, isOpen, ...place }: Hull, i: number): Mark[] {
  const frame = box(`hull/${i}`, place, 16, "", "muted", 1.4, 1, isOpen);
  return label ? [frame, text(`hull/${i}/label`, `${label}  ×`, place.x, place.y - place.h / 2 - 4, EM, "sans", "muted")] : [frame];
}
