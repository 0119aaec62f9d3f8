// The matrix of a run as marks, for files: its entries, with those that changed last. The page has a table instead.

import { type Item, type Mark, box, text } from "../motion/marks.js";
import type { Size } from "../picture/camera.js";
import type { Stage } from "../playback/stage.js";
import type { MatrixPanel } from "../scene/scene.js";
import { partial, short } from "../scene/values.js";
import { cut } from "../ui/format.js";

/** Characters for which an entry has room. */
const MOST_IN_AN_ENTRY = 10;

/** With the sign of the pictures and the formulas. */
export const signed = (words: string): string => words.replace(/-(?=\d|inf)/g, "−");

/** An entry in words: empty where nothing is known yet, a light dot for zero. */
export const wordsOf = (value: unknown, isPartial = false): string =>
  value === undefined ? "" : value === 0 ? "·" : signed((isPartial ? partial : short)(value, MOST_IN_AN_ENTRY));

/** The size of letters, and about the width of one of a label and of an entry. */
const LETTERS = 11;
const CHARACTER = 6.6;
/** Pixels of an entry, with the gap to the next. */
const CELL = [CHARACTER * MOST_IN_AN_ENTRY + 4, 24] as const;
const GAP = 2;
/** Above the first row: the label of the matrix and those of the columns. */
const HEAD = 44;
/** The most letters of the label of a row. */
const MOST = 13;
const MARGIN = 20;

const labelWidth = ({ rows }: MatrixPanel): number => CHARACTER * Math.min(MOST, Math.max(0, ...rows.map((row) => row.length))) + 8;

export function sizeOf(panel: MatrixPanel): Size {
  const { rows, columns, label } = panel;
  const wide = Math.max(columns.length * CELL[0], CHARACTER * label.length);
  return { width: labelWidth(panel) + wide + MARGIN, height: HEAD + rows.length * CELL[1] + MARGIN };
}

/** What is known of the entries at a moment: what stands there, what has changed last, what is a sum under way. */
export interface Known {
  readonly stage: Stage;
  readonly changed: ReadonlySet<string>;
  readonly isPartial: (key: string) => boolean;
}

export function matrixItems(panel: MatrixPanel, { stage, changed, isPartial }: Known): Item[] {
  const { rows, columns, label, run } = panel;
  const [left, [w, h]] = [labelWidth(panel), CELL];
  const name = (words: string, x: number, y: number, most: number): Mark => text("label", cut(words, most), x, y, LETTERS, "sans", "muted");
  const labels: Mark[] = [
    { ...text("label", label, left, 14, LETTERS, "sans", "ink"), anchor: "start" },
    ...rows.map((row, i) => name(row, left / 2 - 2, HEAD + (i + 0.65) * h, MOST)),
    ...columns.map((column, j) => name(column, left + (j + 0.5) * w, HEAD - 8, MOST_IN_AN_ENTRY)),
  ];
  const cells = rows.flatMap((_, i) =>
    columns.map((_, j): Item => {
      const key = `${run}/cell/${i}/${j}`;
      const marks = entry(left + j * w, HEAD + i * h, stage.get(key), changed.has(key), isPartial(key));
      return { kind: "cell", key: `${i}/${j}`, title: "", marks };
    }),
  );
  return [{ kind: "labels", key: "", title: "", marks: labels }, ...cells];
}

/** An entry: its box, and its number if there is one. */
function entry(x: number, y: number, value: unknown, isChanged: boolean, isPartial: boolean): Mark[] {
  const [w, h] = [CELL[0] - GAP, CELL[1] - GAP];
  const at = { x: x + w / 2, y: y + h / 2, w, h };
  const words = wordsOf(value, isPartial);
  const outline = box("entry", at, 3, words ? "neutral" : "paper", isChanged ? "accent" : "neutral", isChanged ? 2.5 : 1);
  const isFaint = isPartial || value === 0;
  return words ? [outline, text("number", words, at.x, at.y + 4, LETTERS, "mono", isFaint ? "muted" : "ink")] : [outline];
}
