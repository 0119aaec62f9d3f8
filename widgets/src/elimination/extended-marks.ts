// A moment of a large elimination as marks: the extended Jacobian, and the pivot with its neighbors beside it. Rows are the
// intermediates and the outputs, columns the inputs and the intermediates: the local partials lie below the diagonal. The
// elimination of a vertex multiplies its row by its column and takes both away; what is left at the end, the corner below the
// inputs, is the Jacobian (Griewank and Walther, Evaluating Derivatives, 2nd ed., section 10.1).

import { type Beat, type Multiplied, type State, stateAt } from "./elimination-steps.js";
import { told, written } from "./elimination-values.js";
import { endsOf, isInterior } from "./elimination.js";
import type { Point } from "../motion/curves.js";
import { type Font, type Mark, box, curve, text } from "../motion/marks.js";
import { eased, within } from "../motion/schedule.js";
import type { Paint } from "../picture/heat-map.js";
import type { EliminationVertex, ExtendedPanel } from "../scene/document.js";
import { plural } from "../ui/format.js";

export const SIZE = { width: 920, height: 490 };
/** Of the square of the matrix. */
const LEFT = 96;
const TOP = 40;
const SIDE = 430;
/** From where to where the pivot is told of, its height there, and the height between its neighbors, with their boxes. */
const LENS = 570;
const RIGHT = 910;
const MIDDLE = 250;
const APART = 44;
const LABEL = { wide: 78, high: 30 };
/** Neighbors that are shown on each side. */
const MOST = 7;
const LEAST = 11;
const SMALL = 14;
const USUAL = 16;
const LARGE = 19;
/** The width of a character as a share of its size. */
const CHARACTER = 0.58;
const FILL_IN = "pair-2 60";
/** Pixels of a cell with a number, and between two names on the diagonal. */
const LOWEST = 17;
const NARROWEST = 44;
const FREE = 15;

type Labels = ReadonlyMap<string, unknown>;
type Span = readonly [start: number, size: number];
type Cell = readonly [x: number, y: number, w: number, h: number];
type Change = "stays" | "goes" | "comes";

/** Where rows and columns are, by their vertices. */
interface Field {
  readonly rows: ReadonlyMap<string, Span>;
  readonly columns: ReadonlyMap<string, Span>;
}

/** What does not change while a moment is played. */
export interface Sorted {
  readonly panel: ExtendedPanel;
  /** What is there before and after some steps, and the products of their move so far. */
  readonly before: Labels;
  readonly after: Labels;
  readonly products: readonly Multiplied[];
  readonly pivot: string | null;
  readonly left: ReadonlySet<string>;
  readonly fields: readonly [Field, Field];
  /** The labels that stay, go and come, given ones and fill-ins. */
  readonly groups: readonly (readonly [Change, Paint, readonly string[]])[];
  readonly factors: readonly string[];
}

/** The labels that are there, without the ends of the line graph. */
export const labelsIn = (state: Labels): Map<string, unknown> =>
  new Map([...state].filter(([key]) => key.startsWith("node/")).map(([key, value]) => [key.slice(5), value] as const).filter(([thing]) => isInterior(thing)));

const ranked = (things: Iterable<string>): string[] =>
  [...things]
    .map((thing) => [thing, thing.split(".").map(Number)] as const)
    .sort(([, one], [, other]) => one[0]! - other[0]! || one[1]! - other[1]! || (one[2] ?? 0) - (other[2] ?? 0))
    .map(([thing]) => thing);
const thereIn = (labels: Labels): Set<string> => new Set([...labels.keys()].flatMap(endsOf));
const roleOf = ({ vertices }: ExtendedPanel, wanted: string): EliminationVertex[] => vertices.filter(({ role }) => role === wanted);

function fieldOf(panel: ExtendedPanel, there: ReadonlySet<string>): Field {
  const spans = (...roles: string[]): Map<string, Span> => {
    const chosen = roles.flatMap((role) => roleOf(panel, role)).map(({ thing, role }) => [thing, Number(role !== "intermediate" || there.has(thing))] as const);
    const unit = SIDE / Math.max(1, chosen.reduce((sum, [, present]) => sum + present, 0));
    let at = 0;
    return new Map(
      chosen.map(([thing, present]) => {
        const span: Span = [at, unit * present];
        at += unit * present;
        return [thing, span];
      }),
    );
  };
  return { rows: spans("intermediate", "output"), columns: spans("input", "intermediate") };
}

/** What is seen of a large elimination between two cursors of its run. */
export function sorted(panel: ExtendedPanel, start: State, beats: readonly Beat[], from: number, to: number): Sorted {
  const [before, after] = [labelsIn(stateAt(start, beats, from)), labelsIn(stateAt(start, beats, to))];
  const { first = to } = beats[to - 1] ?? {};
  const products = beats.slice(first, to).flatMap(({ product }) => product ?? []);
  const given = new Set(labelsIn(start).keys());
  const things = ranked(new Set([...before.keys(), ...after.keys()]));
  const change = (thing: string): Change => (!before.has(thing) ? "comes" : after.has(thing) ? "stays" : "goes");
  const groups = (["stays", "goes", "comes"] as const).flatMap((wanted) =>
    [true, false].map((isGiven) => [wanted, isGiven ? "edge" : FILL_IN, things.filter((thing) => change(thing) === wanted && given.has(thing) === isGiven)] as const),
  );
  const pivot = products.at(-1)?.via ?? null;
  const left = thereIn(after);
  const factors = ranked(before.keys()).filter((thing) => pivot !== null && endsOf(thing).slice(0, 2).includes(pivot));
  return { panel, before, after, products, pivot, left, fields: [fieldOf(panel, thereIn(before)), fieldOf(panel, left)], groups, factors };
}

function cellOf({ rows, columns }: Field, row: string, column: string): Cell {
  const [[y, h], [x, w]] = [rows.get(row)!, columns.get(column)!];
  const [across, down] = [Math.min(1, 0.1 * w), Math.min(1, 0.1 * h)];
  return [LEFT + x + across, TOP + y + down, w - 2 * across, h - 2 * down];
}

const between = (one: ReadonlyMap<string, Span>, other: ReadonlyMap<string, Span>, share: number): Map<string, Span> =>
  new Map([...one].map(([key, [start, size]]) => {
    const [u, v] = other.get(key)!;
    return [key, [start + share * (u - start), size + share * (v - size)]];
  }));

const cells = (key: string, boxes: readonly number[], fill: Paint, opacity = 1): Mark => ({ type: "cells", key, boxes, fill, opacity });

/** The marks when so much (0 to 1) of the steps is done. */
export function extended(sort: Sorted, share: number): Mark[] {
  const moved = eased(within(share, 0.6, 1));
  const [one, other] = sort.fields;
  const field = { rows: between(one.rows, other.rows, moved), columns: between(one.columns, other.columns, moved) };
  return [
    box("field", { x: LEFT + SIDE / 2, y: TOP + SIDE / 2, w: SIDE, h: SIDE }, 0, "cell", "faint", 1.5, 1),
    ...bands(sort, field),
    ...entries(sort, field, share),
    ...headings(sort, field),
    ...lens(sort),
  ];
}

function* bands({ pivot }: Sorted, field: Field): Iterable<Mark> {
  if (pivot) {
    const [x, y, w, h] = cellOf(field, pivot, pivot);
    yield cells("bands", [LEFT, y, x + w - LEFT, h, x, y, w, TOP + SIDE - y], "edge 26");
  }
  yield cells("diagonal", [...field.columns.keys()].filter((key) => field.rows.has(key)).flatMap((key) => cellOf(field, key, key)), "faint 45");
}

function* entries(sort: Sorted, field: Field, share: number): Iterable<Mark> {
  const [gone, landed] = [1 - eased(within(share, 0.6, 1)), eased(within(share, 0.3, 0.6))];
  const opacity = { stays: 1, goes: gone, comes: landed };
  const at = (thing: string): Cell => {
    const [tail, head] = endsOf(thing);
    return cellOf(field, head, tail);
  };
  for (const [change, fill, things] of sort.groups) if (things.length && opacity[change]) yield cells(`${change}/${fill}`, things.flatMap(at), fill, opacity[change]);
  const { pivot, factors, products, left } = sort;
  if (pivot && factors.length) yield cells("factors", [...factors.flatMap(at), ...cellOf(field, pivot, pivot)], "ink", left.has(pivot) ? 1 : gone);
  const inCorner = hasNumbers(sort.panel, field) ? new Set(sort.panel.vertices.filter(({ role }) => role !== "intermediate").map(({ thing }) => thing)) : new Set();
  for (const [number, { result, hue, fresh }] of products.entries()) {
    const [x, y, w, h] = at(result);
    const shown = number === products.length - 1 ? landed : 1;
    if (!shown || !w || !h) continue;
    yield cells(`product/${number}`, [x, y, w, h], hue, shown);
    const size = Math.min(SMALL, 0.9 * w, 0.9 * h);
    const isNumber = endsOf(result).every((end) => inCorner.has(end));
    if (!fresh && size >= 8 && !isNumber) yield text(`product/${number}/+`, "+", x + w / 2, y + h / 2 + 0.35 * size, size, "bold", "paper", shown);
  }
  yield* corner(sort, field);
}

/** The Jacobian: its frame, and its numbers where there is room. */
function* corner({ panel, after }: Sorted, field: Field): Iterable<Mark> {
  const [inputs, outputs] = [roleOf(panel, "input"), roleOf(panel, "output")];
  const [[top, h], [, w]] = [field.rows.get(outputs[0]!.thing)!, field.columns.get(inputs[0]!.thing)!];
  if (hasNumbers(panel, field)) {
    const entries = outputs.flatMap((row) => inputs.map((column) => `${column.thing}.${row.thing}`)).filter((thing) => after.has(thing));
    const longest = Math.max(0, ...entries.map((thing) => told(after.get(thing)).length));
    for (const thing of entries) {
      const [tail, head] = endsOf(thing);
      const [x, y] = cellOf(field, head, tail);
      yield box(`entry/${thing}`, { x: x + w / 2 - 1, y: y + h / 2 - 1, w, h }, 0, "paper", "faint", 1, 1);
      yield* written(`entry/${thing}`, after.get(thing), x + w / 2 - 1, y + h / 2 - 1, w - 6, 1, longest);
    }
  }
  const [wide, high] = [w * inputs.length, h * outputs.length];
  yield box("corner", { x: LEFT + wide / 2, y: TOP + top + high / 2, w: wide, h: high }, 0, "", "pair-3", 2, 1);
}

/** Whether the cells of the Jacobian have room for their numbers. */
const hasNumbers = (panel: ExtendedPanel, { rows, columns }: Field): boolean =>
  rows.get(roleOf(panel, "output")[0]!.thing)![1] >= LOWEST && columns.get(roleOf(panel, "input")[0]!.thing)![1] >= NARROWEST;

const wideOf = (words: string, size: number): number => CHARACTER * size * [...words].length;

const beginning = (key: string, x: number, y: number, words: string, size: number, fill: Paint, font: Font = "sans"): Mark =>
  ({ type: "text", key, x, y, text: words, size, fill, font, opacity: 1, anchor: "start" });

/** What rows and columns are: the names of all inputs and outputs where there is room, or how many they are. */
function* headings({ panel, pivot, left }: Sorted, field: Field): Iterable<Mark> {
  const [inputs, outputs, inner] = ["input", "output", "intermediate"].map((role) => roleOf(panel, role)) as [EliminationVertex[], EliminationVertex[], EliminationVertex[]];
  const [[, w], [top, h]] = [field.columns.get(inputs[0]!.thing)!, field.rows.get(outputs[0]!.thing)!];
  const least = Math.min(SMALL, (w - 10) / Math.max(...inputs.map(({ name }) => wideOf(name, 1))));
  const named = least >= LEAST;
  if (named || Math.max(...inputs.map(({ label }) => wideOf(label, SMALL))) + 4 <= w)
    for (const { thing, name, label } of inputs)
      yield text(`column/${thing}`, named ? name : label, LEFT + field.columns.get(thing)![0] + w / 2, TOP - 10, named ? least : SMALL, "sans", "ink", 1);
  else yield beginning("inputs", LEFT, TOP - 10, plural(inputs.length, "input"), SMALL, "ink");
  const before = (key: string, words: string, y: number): Mark => text(key, words, LEFT - 8 - wideOf(words, SMALL) / 2, y + 0.35 * SMALL, SMALL, "sans", "ink", 1);
  if (h >= SMALL + 3) for (const { thing, label } of outputs) yield before(`row/${thing}`, label, TOP + field.rows.get(thing)![0] + h / 2);
  else yield before("outputs", plural(outputs.length, "output"), TOP + top + (h * outputs.length) / 2);
  const count = inner.filter(({ thing }) => left.has(thing)).length;
  if (count) {
    const words = `${plural(count, "intermediate")} left`;
    yield text("left", words, LEFT + SIDE - wideOf(words, SMALL) / 2, TOP - 10, SMALL, "sans", "muted", 1);
  }
  let last = -FREE;
  for (const { thing, label, index } of inner) {
    const [[y, high], [x, wide]] = [field.rows.get(thing)!, field.columns.get(thing)!];
    const [isPivot, at] = [thing === pivot, TOP + y + high / 2];
    const isNamed = label !== `v${index}` || high >= FREE;
    if (!high || !(isPivot || (isNamed && at - last >= FREE))) continue;
    const begin = LEFT + x + wide + 6;
    if (begin + wideOf(label, SMALL) > LEFT + SIDE + 40) continue;
    yield beginning(`name/${thing}`, begin, at + 0.35 * SMALL, label, SMALL, "ink", isPivot ? "bold" : "sans");
    last = at;
  }
}

/** The pivot with its neighbors, or what the matrix is. */
function* lens(sort: Sorted): Iterable<Mark> {
  for (const [number, line] of wordsOf(sort).entries())
    yield number ? beginning(`words/${number}`, LENS, TOP + 10 + 26 * number, line, USUAL, "muted") : beginning("words/0", LENS, TOP + 10, line, LARGE, "ink", "bold");
  if (sort.pivot && isLeft(sort)) yield* neighbors(sort, sort.pivot);
  let x = LENS;
  const y = TOP + SIDE - 6;
  for (const [fill, line, sign] of [["edge", "", "given"], [FILL_IN, "", "fill-in"], ["", "pair-3", "Jacobian"]] as const) {
    yield box(`sign/${sign}`, { x: x + 6, y: y - 5, w: 12, h: 12 }, 1, fill, line, 2, 1);
    yield beginning(`meaning/${sign}`, x + 18, y, sign, SMALL, "ink");
    x += 40 + wideOf(sign, SMALL);
  }
}

/** The labels that lead into the pivot, or out of it. */
const neighboring = ({ factors }: Sorted, pivot: string, into: boolean): string[] => factors.filter((thing) => endsOf(thing)[into ? 1 : 0] === pivot);

const isLeft = ({ panel, left }: Sorted): boolean => roleOf(panel, "intermediate").some(({ thing }) => left.has(thing));

function wordsOf(sort: Sorted): string[] {
  const { panel, pivot, after, products } = sort;
  if (!isLeft(sort)) return ["The Jacobian", `only the corner is left: ${after.size} ${after.size === 1 ? "entry" : "entries"}`];
  if (pivot) {
    const { label, index } = panel.vertices.find(({ thing }) => thing === pivot)!;
    const [rows, columns] = [neighboring(sort, pivot, true).length, neighboring(sort, pivot, false).length];
    const fresh = products.filter((product) => product.fresh).length;
    return [
      `Pivot ${label}${label !== `v${index}` ? ` (v${index})` : ""}`,
      `Markowitz degree ${rows} × ${columns} = ${rows * columns}`,
      `so far ${plural(fresh, "fill-in")}, ${plural(products.length - fresh, "absorption")}`,
    ];
  }
  return ["Extended Jacobian", plural(after.size, "local partial"), "A row for each result of an operation,", "a column for each value that is used"];
}

function* neighbors(sort: Sorted, pivot: string): Iterable<Mark> {
  const { panel, products, before } = sort;
  const current = products.at(-1)!;
  const names = new Map(panel.vertices.map(({ thing, label }) => [thing, label]));
  const { wide, high } = LABEL;
  const spots = new Map<string, Point>();
  for (const [into, x] of [[true, LENS + 66 + wide / 2], [false, RIGHT - 66 - wide / 2]] as const) {
    const side = neighboring(sort, pivot, into);
    const factor = into ? current.tail : current.head;
    const shown = side.slice(0, MOST);
    if (side.includes(factor) && !shown.includes(factor)) shown[shown.length - 1] = factor;
    shown.forEach((thing, k) => spots.set(thing, [x, MIDDLE + APART * (k - (shown.length - 1) / 2)]));
    if (side.length > MOST) yield text(`more/${into}`, `and ${side.length - MOST} more`, x, MIDDLE + (APART * (shown.length + 1)) / 2, SMALL, "sans", "muted", 1);
  }
  for (const [number, product] of products.entries()) {
    const [tail, head] = [spots.get(product.tail), spots.get(product.head)];
    if (!tail || !head) continue;
    const [begin, end] = [tail[0] + wide / 2, head[0] - wide / 2];
    const half = (begin + end) / 2;
    const points = [begin, tail[1], half, tail[1], half, MIDDLE, half, MIDDLE, half, MIDDLE, half, head[1], end, head[1]];
    yield curve(`lane/${number}`, points, product.hue, product === current ? 4 : 2);
  }
  yield box("pivot", { x: (LENS + RIGHT) / 2, y: MIDDLE, w: 40, h: 40 }, 20, "paper", "edge", 2, 1, true);
  for (const [thing, [x, y]] of spots) {
    const into = endsOf(thing)[1] === pivot;
    const isFactor = thing === current.tail || thing === current.head;
    const name = [...names.get(endsOf(thing)[into ? 0 : 1])!].slice(0, 10).join("");
    yield box(`label/${thing}`, { x, y, w: wide, h: high }, 6, isFactor ? `${current.hue} 14` : "paper", isFactor ? current.hue : "edge", isFactor ? 3 : 1, 1);
    yield* written(`label/${thing}`, before.get(thing), x, y, wide - 4, 1);
    const away = wide / 2 + 6 + wideOf(name, SMALL) / 2;
    yield text(`neighbor/${thing}`, name, into ? x - away : x + away, y + 0.35 * SMALL, SMALL, "sans", "muted", 1);
  }
}

/** The row and the column at a place of the picture, after the steps. */
export function locate({ fields: [, { rows, columns }] }: Sorted, x: number, y: number): readonly [row: string, column: string] | null {
  const find = (spans: ReadonlyMap<string, Span>, at: number): string | undefined => [...spans].find(([, [start, size]]) => start <= at && at < start + size)?.[0];
  const [row, column] = [find(rows, y - TOP), find(columns, x - LEFT)];
  return row !== undefined && column !== undefined ? [row, column] : null;
}
