// The sizes of what is drawn in a sweep, in pixels where the text of a value has EM.

import type { Amount, FlowPanel } from "../scene/document.js";

export const PILL = 19;
/** The text of a value: the unit of all layout. */
export const EM = PILL;
export const RESULT = 30;
export const CELL = 15;
export const SMALL_CELL = 7.5;
/** A line of a gate inside of a node. */
export const STEM = 24;
/** Around the text of a pill, and its height as a multiple of the size of its text. */
export const AROUND = 1.15;
export const HIGH = 1.55;

/** The width and the height of a derivative whose text has this size. */
export function extent({ map, w }: Amount, size: number, wide = w): [number, number] {
  return map ? [SMALL_CELL * map.columns.length + 10, SMALL_CELL * map.rows.length + 10] : [(wide * size) / PILL + AROUND * size, HIGH * size];
}

/** The strip of an engine: the height of a row of cells, what is above and below them, and the least width. */
export const [ABOVE, ROW] = [24, 40];
const [WORDS, LEAST] = [33, 720];

/** The height that the strip takes of the picture. */
export const stripHeight = ({ strip }: FlowPanel): number => (strip ? ABOVE + ROW * Math.ceil(strip.cells.length / strip.columns) + WORDS : 0);

/** The width that the strip needs at least. */
export const stripWidth = ({ strip }: FlowPanel): number => (strip ? LEAST : 0);
