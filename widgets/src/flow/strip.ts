// What an engine keeps, below the picture of its sweep: a cell for each node, and what is waited for at the nodes.

import { triangle } from "../motion/curves.js";
import { DEAD, type Mark } from "../motion/marks.js";
import type { FlowPanel } from "../scene/document.js";

const SIDE = 24;
const GAP = 6;
const ROW = 40;
const ABOVE = 24;
const WORDS = 56;
const WIDEST = 100;
const HIGH = 32;
/** Uses that are waited for, one beside the other; many overlap. */
const PIP = 13;
const APART = 18;
const PIPS = 108;

/** The height that the strip takes of the picture. */
export const stripHeight = ({ strip }: FlowPanel): number => (strip ? ABOVE + ROW * Math.ceil(strip.cells.length / strip.columns) + WORDS : 0);

export function stripMarks(panel: FlowPanel, cursor: number): Mark[] {
  const { strip, width, height, nodes } = panel;
  const state = strip?.states.filter(([step]) => step < cursor).at(-1);
  if (!strip || !state) return [];
  const { cells, columns, tape } = strip;
  const [, head, letters, waits, ready, work] = state;
  const top = height - stripHeight(panel) + ABOVE;
  const wide = Math.min(WIDEST, (width - 2 * SIDE + GAP) / columns - GAP);
  const left = (width - columns * (wide + GAP) + GAP) / 2;
  const marks: Mark[] = [];
  const text = (words: string, x: number, y: number, size: number, fill: string, font: "sans" | "serif" = "sans", opacity = 1): void => {
    marks.push({ type: "text", key: `strip/${marks.length}`, x, y, text: words, size, fill, font, opacity });
  };
  const box = (x: number, y: number, w: number, h: number, corner: number, fill: string, line: string, dashed: boolean, thickness: number, opacity = 1): void => {
    marks.push({ type: "box", key: `strip/${marks.length}`, x, y, w, h, corner, fill, line, thickness, dashed, opacity });
  };
  cells.forEach(({ node, name }, k) => {
    const [x, y, letter] = [left + (k % columns) * (wide + GAP), top + ROW * Math.floor(k / columns), letters[k]!];
    const [isAt, isReady, opacity] = [node === head, letter === "r", letter === "n" ? DEAD : 1];
    const fill = isAt ? "ink" : isReady || letter === "a" ? "cell" : "paper";
    box(x, y, wide, HIGH, tape ? 0 : 8, fill, isAt || isReady ? "ink" : "faint", letter === "f" || letter === "n", isReady ? 3 : 1.4, opacity);
    text(name[0], x + wide / 2, y + 22, 18, isAt ? "paper" : letter === "f" ? "muted" : "ink", "serif", opacity);
    if (isAt && tape) marks.push({ type: "arrow", key: "strip/head", points: triangle(x + wide / 2, y - 4, 0, 1, 11, 20), fill: "ink", opacity: 1 });
    const at = nodes.find((each) => each.node === node)!;
    if (letter === "n") text("never visited", at.x, at.y - at.h / 2 - 8, 17, "muted");
    const count = waits[k]!;
    const apart = Math.min(APART, PIPS / count);
    for (let i = 0; i < count; i++) box(at.x + apart * (i - (count - 1) / 2) - PIP / 2, at.y + at.h / 2 + 7, PIP, PIP, PIP / 2, "paper", "ink", false, 2);
  });
  text(work, width / 2, height - 32, 17, "ink");
  text(ready, width / 2, height - 9, 17, "muted");
  return marks;
}
