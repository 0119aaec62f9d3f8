// Where the panels of a show stand: in columns, as many as there is width for, and how the width is shared.

import type { Size } from "../picture/camera.js";
import { READABLE } from "../picture/camera.js";
import { type Panel, isGraph } from "../scene/scene.js";

/**
 * Below the first width everything stands in one column; from the second on, what is not the graph may have two, and where
 * the graph is slim as soon as there is room.
 */
export const NARROW = 800;
export const WIDE = 1240;

/** Pixels of width that a graph needs at least, the only one more; and what any other panel takes. */
const GRAPH = 300;
const ONLY_GRAPH = 460;
const PANEL = 290;
/** The share of the width that is left to the graphs, one or several. */
const LEFT = 0.46;
const LEFT_TO_SEVERAL = 0.53;
/** The share that a column beside them has at least, and its pixels where a sweep could not be read with less width. */
const BESIDE = 0.36;
const NARROWEST = 300;
/** What the border between two columns takes, and how much more width than it needs to be read a sweep has where it can. */
const [BORDER, ROOMY] = [10, 1.1];
/** The share of the height that is left to a picture above the bench. */
const BESIDE_BENCH = 0.65;
/** The shares of the bench, or of a formula, and of the source below a picture that has all the width. */
const BELOW = { bench: [0.52, 0.25], formula: [0.36, 0.36] } as const;

/** How much height a panel takes that does not say so, and its title; so much more may be gained by scrolling. */
const HEIGHT = 100;
const MATRIX = 110;
const TITLE = 27;
const SCROLLED = 1.1;

/** What is to be placed, with the pixels that its content wants. */
export interface Wish extends Partial<Size> {
  readonly kind: Panel["kind"];
  /** The run that alone is shown. */
  readonly run?: string | undefined;
  /** Whether it is larger where it has all the width, and could not be read beside a column. */
  readonly isLong?: boolean;
  /** Whether it stands beside its like, however many there are. */
  readonly isHalf?: boolean;
  /** The width with which its text can be read in one row. */
  readonly legible?: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** So many graphs stand in a row of their own above everything else, where they have all the width, and so much height. */
const ROW_FROM = 3;
const ROW_FROM_ENLARGED = 2;
const ROW_HEIGHT = 0.64;

/**
 * The picture of an elimination of long paths has all the width, too, where there is as much as this; and that of a sweep
 * which could not be read beside a column.
 */
const LONG_FROM = 1000;
const isAcross = ({ kind, width = 0, height = 0, isLong = false }: Wish): boolean =>
  kind === "elimination" ? width > 1100 && width > 2 * height : isLong;

/** What is left to a picture beside a column as narrow as can be, with the bench below it. */
export const left = ({ width, height }: Size): Size => ({ width: Math.max((1 - BESIDE) * width, width - BORDER - NARROWEST), height: BESIDE_BENCH * height });

/** The graphs that stand in a row above the columns: all of them, where they are many, or sweeps, or everything is enlarged. */
export function aboveAll(panels: readonly Wish[], width: number, isEnlarged: boolean): number[] {
  const pictures = [...panels.keys()].filter((i) => isGraph(panels[i]!));
  if (areCompared(panels)) return width >= NARROW && pictures.length === 2 ? pictures : [];
  if (width >= LONG_FROM && pictures.length === 1 && isAcross(panels[pictures[0]!]!)) return pictures;
  const graphs = pictures.filter((i) => panels[i]!.kind === "graph" || panels[i]!.kind === "flow");
  const isFlow = panels.some(({ kind, isHalf }) => kind === "flow" || isHalf);
  const isRow = width >= NARROW && graphs.length >= (isEnlarged || isFlow ? ROW_FROM_ENLARGED : ROW_FROM);
  return isRow && graphs.length < panels.length ? graphs : [];
}

/** Columns of indices into the panels. The graph leads, with the formula below it; each column keeps the given order. */
export function arrange(panels: readonly Wish[], { width, height: whole }: Size, above: readonly number[] = []): number[][] {
  const height = above.length ? (1 - ROW_HEIGHT) * whole : whole;
  const of = (holds: (panel: Wish) => boolean): number[] => [...panels.keys()].filter((i) => holds(panels[i]!));
  const graphs = above.length ? [] : of(isGraph);
  if (areCompared(panels) && width >= NARROW && !above.length) return dealt(panels.length, graphs);
  const isWide = width >= NARROW;
  const stage = [...graphs, ...of(({ kind }) => kind === "formula" || kind === "bench" || (isWide && kind === "levels"))];
  const others = [...panels.keys()].filter((i) => !stage.includes(i) && !above.includes(i));
  if (!isWide) return [[...stage, ...others]];
  const high = (i: number): number => TITLE + (panels[i]!.height ?? (panels[i]!.kind === "matrix" ? MATRIX : HEIGHT));
  if (above.length && others.length > 1 && !stage.length) return halves(others, high);
  if (above.length && others.length > 1 && underPicture(panels, stage)) return [stage, ...halves(others, high)];
  const two = [stage, others].filter((column) => column.length);
  const isSlim = graphs.length === 1 && READABLE * (panels[graphs[0]!]!.width ?? Infinity) <= ONLY_GRAPH;
  if ((width < WIDE && !isSlim) || others.length < 2 || sum(others.map(high)) <= SCROLLED * height) return two;
  const three = [stage, ...halves(others, high)].filter((column) => column.length);
  return sum(three.map((column) => wanted(panels, column))) <= width ? three : two;
}

/** Whether there are pictures of several eliminations. */
const areCompared = (panels: readonly Wish[]): boolean =>
  new Set(panels.filter(({ kind }) => kind === "elimination").map(({ run }) => run)).size > 1;

/** Two columns, in which graphs come in turn; everything else stands where there is one less. */
function dealt(count: number, graphs: readonly number[]): number[][] {
  const columns = [0, 1].map((side) => graphs.filter((_, k) => k % 2 === side));
  columns[graphs.length % 2]!.push(...[...Array(count).keys()].filter((i) => !graphs.includes(i)));
  return columns;
}

/** The share of the width of each column: what its content wants, and the rest for the graphs. */
export function shares(panels: readonly Wish[], columns: readonly (readonly number[])[], width: number): number[] {
  const [first, ...others] = columns;
  const under = others.length && first ? underPicture(panels, first) : null;
  if (under) {
    const [one, other] = BELOW[under];
    return others.length > 1 ? [one, other, 1 - one - other] : [one, 1 - one];
  }
  if (!first || !panels.some(isGraph) || !others.length || (areCompared(panels) && columns.length === 2)) return columns.map(() => 1 / columns.length);
  const single = others.length === 1;
  const rest = single ? 1 - (panels.filter(isGraph).length > 1 ? LEFT_TO_SEVERAL : LEFT) : 1;
  const free = width - BORDER - ROOMY * Math.max(0, ...panels.map(({ legible = 0 }) => legible));
  const least = single ? Math.min(BESIDE, Math.max(free, NARROWEST) / width) : 0;
  const wants = others.map((column) => Math.max(least, wanted(panels, column) / width));
  const scale = Math.min(1, Math.max(rest, (PANEL * others.length) / width) / sum(wants));
  return [1 - scale * sum(wants), ...wants.map((want) => scale * want)];
}

/** What alone stands in a column because the picture of the sweep has all the width. */
function underPicture(panels: readonly Wish[], column: readonly number[]): keyof typeof BELOW | null {
  const kinds = new Set(column.map((i) => panels[i]!.kind));
  return kinds.size === 1 && panels.some(({ kind }) => kind === "flow") ? (["bench", "formula"] as const).find((kind) => kinds.has(kind)) ?? null : null;
}

/** How many pictures of one size stand side by side so that they are seen largest. */
export function across(count: number, picture: Size, room: Size): number {
  const scale = (columns: number): number =>
    Math.min(room.width / columns / picture.width, (room.height / Math.ceil(count / columns)) / picture.height);
  return Array.from({ length: count }, (_, k) => k + 1).reduce((best, k) => (scale(k) > scale(best) ? k : best), 1);
}

/** Pixels of width that a column wants. */
function wanted(panels: readonly Wish[], column: readonly number[]): number {
  const graphs = column.filter((i) => isGraph(panels[i]!)).length;
  if (graphs) return Math.max(ONLY_GRAPH, GRAPH * graphs);
  return Math.max(PANEL, ...column.map((i) => panels[i]!.width ?? 0));
}

/** Cut a list in two where the weights of both parts differ least. */
function halves(list: readonly number[], weight: (item: number) => number): number[][] {
  const cuts = list.slice(1).map((_, i) => [list.slice(0, i + 1), list.slice(i + 1)] as const);
  const difference = ([one, other]: (typeof cuts)[number]): number =>
    Math.abs(sum(one.map(weight)) - sum(other.map(weight)));
  return [...cuts.reduce((best, cut) => (difference(cut) < difference(best) ? cut : best))];
}
