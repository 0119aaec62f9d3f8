// What an engine keeps, below the picture of its sweep: a cell for each node, and what is waited for at the nodes.

import { triangle } from "../motion/curves.js";
import { DEAD, type Mark, box, text } from "../motion/marks.js";
import { ABOVE, EM, ROW, stripHeight } from "../layout/lengths.js";
import type { Placed } from "../layout/placed.js";

const SIDE = 24;
const GAP = 6;
const WIDEST = 100;
const HIGH = 32;
/** Uses that are waited for, one beside the other; many overlap. */
const PIP = 13;
const APART = 18;
const PIPS = 108;

export function stripMarks(panel: Placed, cursor: number): Mark[] {
  const { strip, width, height, nodes, edges } = panel;
  const state = strip?.states.filter(([step]) => step < cursor).at(-1);
  if (!strip || !state) return [];
  const { cells, columns, tape } = strip;
  const [, head, letters, waits, ready, work] = state;
  const top = height - stripHeight(panel) + ABOVE;
  const wide = Math.min(WIDEST, (width - 2 * SIDE + GAP) / columns - GAP);
  const left = (width - columns * (wide + GAP) + GAP) / 2;
  const marks: Mark[] = [];
  const next = (): string => `strip/${marks.length}`;
  cells.forEach(({ node, name }, k) => {
    const [x, y, letter] = [left + (k % columns) * (wide + GAP), top + ROW * Math.floor(k / columns), letters[k]!];
    const [isAt, isReady, opacity] = [node === head, letter === "r", letter === "n" ? DEAD : 1];
    const fill = isAt ? "ink" : isReady || letter === "a" ? "cell" : "paper";
    const area = { x: x + wide / 2, y: y + HIGH / 2, w: wide, h: HIGH };
    marks.push(box(next(), area, tape ? 0 : 8, fill, isAt || isReady ? "ink" : "faint", isReady ? 3 : 1.4, opacity, letter === "f" || letter === "n"));
    marks.push(text(next(), name[0], area.x, y + 22, EM, "serif", isAt ? "paper" : letter === "f" ? "muted" : "ink", opacity));
    if (isAt && tape) marks.push({ type: "arrow", key: "strip/head", points: triangle(area.x, y - 4, 0, 1, 11, 20), fill: "ink", opacity: 1 });
    const at = nodes.find((each) => each.node === node)!;
    if (letter === "n") marks.push(text(next(), "never visited", at.x, at.y + at.h / 2 + 18, EM, "sans", "muted"));
    const count = waits[k]!;
    const apart = Math.min(APART, PIPS / count);
    const pip = { y: at.y + at.h / 2 + 7 + PIP / 2, w: PIP, h: PIP };
    // A gate may be where they would be in the middle.
    const half = (apart * (count - 1)) / 2;
    const isTaken = edges.some(({ gate }) => Math.abs(gate.y - pip.y) < (gate.h + PIP) / 2 + 4 && Math.abs(gate.x - at.x) < gate.w / 2 + half + PIP);
    const middle = at.x + (isTaken ? at.w / 2 - half - PIP : 0);
    for (let i = 0; i < count; i++) marks.push(box(next(), { ...pip, x: middle + apart * i - half }, PIP / 2, "paper", "ink", 2));
  });
  marks.push(text(next(), work, width / 2, height - 9, EM, "sans", "ink"));
  marks.push(text(next(), ready, width / 2, top - 7, EM, "sans", "muted")); // a tape, whose head is there, has nothing ready
  return marks;
}
