// An operation as marks: its matrices in numbers with the signs between them, and what an entry of the result is made of
// outlined in each. Pure.

import { type Value, figure, nameOf, placeOf, resultOf } from "./sums.js";
import { straight } from "../motion/curves.js";
import { type Mark, type Words, box, curve, text } from "../motion/marks.js";
import { cells, isUnknown, lineOf } from "../picture/heat-map.js";
import type { Bench, BenchTable } from "../scene/document.js";

/** Sizes of letters and of cells. */
const NUMBER = 16.5;
const NAME = 20;
const SIGN = 21;
/** How much narrower the letters of mathematics are than those by which Python measures. */
const SLIM = 0.9;
/** How wide a figure is in letters of the size 1, in a wide font. */
const ADVANCES: Readonly<Record<string, number>> = { "−": 0.84, ".": 0.32 };
const ADVANCE = 0.64;
const HIGH = 29;
const NARROWEST = 40;
/** Room for an ellipsis between columns, and between rows. */
const APART = 24;
const BELOW = 20;
/** Room for names above the tables, and around everything. */
const ABOVE = 38;
const AROUND = 6;
/** How far the middle of a picture lies above that of its tables. */
export const RAISED = ABOVE / 2;
/** Between a name and its shape, and between tables. */
const GAP = 6;
const BESIDE = 14;
/** Above this share of its scale, in percent, a cell is so strong that its number is in the other color. */
const STRONG = 66;

/** A cell of a table, with its number among those of the table. */
export interface Cell {
  readonly table: number;
  readonly entry: number;
  readonly value: Value;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Drawn {
  readonly marks: readonly Mark[];
  readonly cells: readonly Cell[];
  readonly width: number;
}

/** Where the rows or the columns begin that are shown, and where the last one ends. */
function places(shown: readonly number[], size: number, gap: number): { starts: number[]; gaps: number[]; length: number } {
  const starts: number[] = [];
  const gaps: number[] = [];
  let at = 0;
  shown.forEach((place, k) => {
    if (k && place > shown[k - 1]! + 1) {
      gaps.push(at + gap / 2);
      at += gap;
    }
    starts.push(at);
    at += size;
  });
  return { starts, gaps, length: at };
}

/** The matrix of the row of an entry of the result, where a table is several: from which number of its cells on. */
function ofRow(bench: Bench, table: BenchTable, entry: number | null): { table: BenchTable; from: number } {
  const { by_row: count = 1, map, shape } = table;
  if (count === 1) return { table, from: 0 };
  const row = entry === null ? 0 : placeOf(bench, entry)[0];
  const high = map.rows.length / count;
  const [from, cells] = [row * high * map.columns.length, high * map.columns.length];
  const words = shape[0].replace(/\d+$/, String(resultOf(bench).map.rows[row]));
  const own = { ...map, rows: map.rows.slice(row * high, (row + 1) * high), data: map.data.slice(from, from + cells) };
  return { table: { ...table, map: own, shape: [words, shape[1]] }, from };
}

interface Sized {
  readonly table: BenchTable;
  readonly wide: number;
  readonly across: ReturnType<typeof places>;
  readonly down: ReturnType<typeof places>;
  readonly width: number;
}

const advance = (words: string): number => [...words].reduce((sum, letter) => sum + (ADVANCES[letter] ?? ADVANCE), 0);

function sized(table: BenchTable, all: readonly Value[]): Sized {
  const { map, name, shape } = table;
  const wide = Math.max(NARROWEST, ...all.map((value) => NUMBER * advance(figure(value)) + 6));
  const across = places(map.columns, wide, APART);
  const down = places(map.rows, HIGH, BELOW);
  return { table, wide, across, down, width: Math.max(across.length, name[1] + shape[1] + GAP) };
}

/** How high the highest of some operations is. */
export const heightOf = (benches: readonly Bench[]): number =>
  ABOVE + 2 * AROUND + Math.max(HIGH, ...benches.flatMap((bench) => bench.tables.map((table) => sized(ofRow(bench, table, null).table, []).down.length)));

const start = (mark: Words): Words => ({ ...mark, anchor: "start" });
const end = (mark: Words): Words => ({ ...mark, anchor: "end" });

/** The operation around the line y = 0, from x = 0 on; of the result nothing is known before it is `done`. */
export function drawn(bench: Bench, entry: number | null, done: boolean): Drawn {
  const marks: Mark[] = [];
  const found: Cell[] = [];
  let x = AROUND;
  bench.tables.forEach((table, t) => {
    const [sign, wide] = bench.signs[t]!;
    const room = sign ? wide + BESIDE : t ? BESIDE : 0;
    if (sign) marks.push(text(`sign/${t}`, sign, x + room / 2, 0.35 * SIGN, SIGN, "serif", "ink"));
    x += room;
    const own = ofRow(bench, table, entry);
    const size = sized(own.table, table.map.data);
    const isHidden = table === resultOf(bench) && !done;
    const parts = tableMarks(size, t, x + (size.width - size.across.length) / 2, isHidden);
    marks.push(...label(size, t, x), ...parts.marks);
    found.push(...parts.cells.map((cell) => ({ ...cell, entry: cell.entry + own.from })));
    if (entry !== null && !isHidden) marks.push(...outlines(bench, entry, t, parts.cells, size));
    x += size.width + (t < bench.tables.length - 1 && bench.signs[t + 1]![0] ? GAP : 0);
  });
  return { marks, cells: found, width: x + AROUND };
}

/** The name of a table and its shape, above it; a bar over the name is as long as the name turns out to be. */
function label({ table, width, down }: Sized, t: number, x: number): Mark[] {
  const [name, nameWide] = [nameOf(table), table.name[1]];
  const [shape, shapeWide] = table.shape;
  const y = -down.length / 2 - 12;
  const middle = x + (width + nameWide - shapeWide - (shape ? GAP : 0)) / 2;
  return [
    ...(name ? [end(text(`name/${t}`, name, middle, y, NAME, "serif", "ink"))] : []),
    ...(table.mark === "bar" ? [curve(`bar/${t}`, straight([[middle - SLIM * nameWide, y - NAME + 1], [middle, y - NAME + 1]]), "ink", 1.8)] : []),
    ...(shape ? [start(text(`shape/${t}`, shape, middle + GAP, y, NUMBER, "sans", "muted"))] : []),
  ];
}

function tableMarks({ table: { map }, wide, across, down }: Sized, t: number, x: number, isHidden: boolean): { marks: Mark[]; cells: Cell[] } {
  const top = -down.length / 2;
  const marks: Mark[] = [];
  const found = cells(map).map(({ row, column, paint }, entry): Cell => {
    const area = { x: x + across.starts[column]!, y: top + down.starts[row]!, w: wide, h: HIGH };
    const middle = { x: area.x + wide / 2, y: area.y + HIGH / 2 };
    const value = map.data[entry]!;
    if (isHidden) marks.push(box(`slot/${t}/${entry}`, { ...middle, w: wide - 4, h: HIGH - 4 }, 2, "", "faint", 1.4, 1, true));
    else {
      const share = Number(paint.split(" ")[1] ?? 0);
      const words = figure(value);
      marks.push(box(`cell/${t}/${entry}`, { ...middle, w: wide - 1, h: HIGH - 1 }, 2, paint, lineOf(paint), 0.5));
      marks.push(text(`number/${t}/${entry}`, words, middle.x, middle.y + 0.36 * NUMBER, NUMBER, isUnknown(words) ? "bold" : "sans", share > STRONG ? "on-hue" : "ink"));
    }
    return { table: t, entry, value, ...area };
  });
  for (const gap of across.gaps) for (const y of down.starts) marks.push(text(`dots/${t}/${marks.length}`, "⋯", x + gap, top + y + HIGH / 2 + 6, 18, "sans", "muted"));
  for (const gap of down.gaps) for (const left of across.starts) marks.push(text(`dots/${t}/${marks.length}`, "⋮", x + left + wide / 2, top + gap + 6, 18, "sans", "muted"));
  return { marks, cells: found };
}

/** What takes part in an entry: a row, a column, an entry, everything, or the cells that are named. */
function outlines(bench: Bench, entry: number, t: number, all: readonly Cell[], { table, across, down }: Sized): Mark[] {
  const [row, column] = placeOf(bench, entry);
  const isResult = t === bench.tables.length - 1;
  const named = isResult ? undefined : bench.sums[entry]?.places;
  const width = table.map.columns.length;
  const line = (areas: readonly Cell[], k: number): Mark[] => {
    const [first, last] = [areas[0], areas.at(-1)];
    if (!first || !last) return [];
    const [w, h] = [last.x + last.w - first.x, last.y + last.h - first.y];
    return [box(`lit/${t}/${k}`, { x: first.x + w / 2, y: first.y + h / 2, w: w + 2, h: h + 2 }, 4, "", "ink", 2.2)];
  };
  if (named) return named.flatMap((cell, k) => line([all[cell]!], k));
  if (!isResult && !bench.sums.length) return [];
  const takes = (which: string, own: number, place: number, count: number): boolean => count === 1 || (which === "all" ? true : own === place);
  const [rows, columns] = isResult ? ["row", "column"] : table.lit;
  const taken = all.filter(
    (_, k) => takes(rows!, Math.floor(k / width), row, down.starts.length) && takes(columns!, k % width, column, across.starts.length),
  );
  return line(taken, 0);
}
