// Place a sweep for the window it is in: straight, from left to right. Several forms are tried, and inputs at the left or
// beside the nodes that use them; the one is taken whose text is large, as far as that serves, and whose edges are short and
// cross least. More nodes may stand in several rows. The order in the columns depends on the graph alone.

import { type Columns, type Ends, columnsOf, inRows, satelliteWays } from "./ordering.js";
import { FORMS, type FormName, named, sizesOf } from "./forms.js";
import type { Placed } from "./placed.js";
import { Plan } from "./row.js";
import { Sheet } from "./sheet.js";
import type { Size } from "../picture/camera.js";
import type { FlowPanel } from "../scene/document.js";
import { EM, stripHeight, stripWidth } from "./lengths.js";

/** So few nodes stand in one row where they can be read there. */
export const FEW = 14;
const MOST_ROWS = 6;
/** Around the picture; above and below it also room for equations, where there is height to spare. */
const [SIDE, END, EQUATION] = [0.75 * EM, 0.7 * EM, 2.4 * EM];
/** How large the text of values is at most, by the width of the stage, and before an audience. */
const [LARGEST, LARGER, ENLARGED, WIDE] = [20, 26, 34, 1000];
/** The size of text beyond which other things count; what a larger size still counts; and the least at which the smallest text is legible. */
const COMFORT = { narrow: 12.5, usual: 14, enlarged: 24 };
const NARROW = 800;
const [BEYOND, LEGIBLE, LEGIBLE_ENLARGED] = [1.12, 11, 24];
/** Few nodes in one row that are smaller than this are cut into rows as many nodes are. */
const STILL_READ = { usual: 10.5, enlarged: 21 };
const WORTH: Record<FormName, number> = { broad: 1, tall: 0.97, short: 0.97 * 0.88, least: 0.97 * 0.8 };
/** What an edge more to a later row counts where rows are cut, in pixels of their mean width. */
const LINE = 8 * EM;
/** What any layout that can be read has before others, and the least width of what lies between two columns. */
const [READS, LEAST_GAP] = [1000, 0.5 * EM];
const [CROSSING, RETURN, RETURN_OF_FEW, ROW] = [0.9, 0.96, 0.75, 0.9];
/** By how much each lead and each gap may grow where there is room. */
const [LEAD, GAP] = [1.6 * EM, 1.6 * EM];

/** Columns with sizes, and the layers with which rows begin. */
interface Option {
  readonly plan: Plan;
  readonly form: FormName;
  readonly begins: readonly number[];
}

type Extent = Pick<Sheet, "width" | "height">;

interface Candidate extends Option {
  /** The size of the text of values, in pixels of the stage. */
  readonly em: number;
  readonly score: number;
}

export interface Laid extends Placed {
  readonly em: number;
  /** In how many rows it stands. */
  readonly rows: number;
}

export interface Stage extends Size {
  readonly isEnlarged?: boolean;
  /** Whether only size counts, and what runs back or crosses. */
  readonly isPlain?: boolean;
}

const orders = new WeakMap<FlowPanel, Columns[]>();

/** The columns of a sweep, with each way to let inputs stand beside nodes. */
function columnsFor(panel: FlowPanel, ends: readonly Ends[]): Columns[] {
  const known = orders.get(panel) ?? satelliteWays(panel.nodes.length, ends).map((way) => columnsOf(panel.nodes.length, ends, way));
  orders.set(panel, known);
  return known;
}

function endsOf(panel: FlowPanel): Ends[] {
  const number = new Map(panel.nodes.map(({ node }, k) => [node, k]));
  return panel.edges.map(({ tail, head }) => [number.get(tail)!, number.get(head)!]);
}

/** The ways to place a sweep in one row. */
const inOneRow = (panel: FlowPanel, ends: readonly Ends[], sized: typeof sizesOf): Option[] =>
  FORMS.flatMap((form) => {
    const sizes = sized(panel, form);
    return columnsFor(panel, ends).map((columns): Option => ({ plan: new Plan(columns, sizes, ends), form, begins: [0] }));
  });

/** The least width of a stage on which a sweep can be read in one row, if it is high enough. */
export const legibleWidth = (panel: FlowPanel): number =>
  Math.min(...inOneRow(panel, endsOf(panel), sizesOf).map((option) => (outer(panel, new Sheet(option.plan, option.begins)).width * LEGIBLE) / EM));

/** A sweep laid out for a stage. */
export const laid = (panel: FlowPanel, stage: Stage): Laid => laidWith(panel, stage, sizesOf);

/** What is like a sweep, whose nodes and gates have sizes of its own. */
export function laidWith(panel: FlowPanel, stage: Stage, sized: typeof sizesOf): Laid {
  const ends = endsOf(panel);
  const oneRow = inOneRow(panel, ends, sized);
  const first = best(panel, oneRow, stage)!;
  if (first.em >= legibleOn(stage)) return placed(panel, first, stage);
  const severalRows = oneRow.flatMap(({ plan, form }) => {
    const layers = (plan.graph.columns.length + 1) / 2;
    return Array.from({ length: Math.min(MOST_ROWS, layers) - 1 }, (_, k): Option => {
      const begins = cuts(plan, k + 2);
      return { plan: new Plan(inRows(plan.graph, begins), plan.sizes, plan.ends), form, begins };
    });
  });
  // Few nodes stand in several rows only where that makes them as much larger as it makes them harder to follow.
  const isFew = panel.nodes.length <= FEW && first.em >= STILL_READ[stage.isEnlarged ? "enlarged" : "usual"];
  return placed(panel, best(panel, severalRows, isFew ? { ...stage, isPlain: true } : stage, first)!, stage);
}

/** The size of the text of values at which the smallest text is legible on a stage. */
export const legibleOn = ({ isEnlarged }: Stage): number => (isEnlarged ? LEGIBLE_ENLARGED : LEGIBLE);

/** The option with the highest score; one that cannot have it is not made. */
function best(panel: FlowPanel, options: readonly Option[], stage: Stage, start: Candidate | null = null): Candidate | null {
  const hopes = options.map((option) => ({ option, most: score(option, sizeOn(stage, outer(panel, leastSize(option))), 1, stage) }));
  let result = start;
  for (const { option, most } of hopes.sort((one, other) => other.most - one.most)) {
    if (result && most <= result.score) break;
    const sheet = new Sheet(option.plan, option.begins);
    const em = sizeOn(stage, outer(panel, sheet));
    if (result && score(option, em, 1, stage) <= result.score) continue;
    const made = { ...option, em, score: score(option, em, sheet.stretch(), stage) };
    if (!result || made.score > result.score) result = made;
  }
  return result;
}

/** How good a layout is; where text is too small, nothing counts but its size and what runs back or crosses. */
function score({ plan, form, begins }: Option, em: number, stretch: number, stage: Stage): number {
  const rowOf = (v: number): number => begins.filter((begin) => plan.graph.items[v]!.column >= 2 * begin).length;
  const returns = begins.length > 1 ? [...plan.graph.chains.values()].filter((chain) => rowOf(chain[0]!) !== rowOf(chain.at(-1)!)).length : 0;
  const ways = CROSSING ** plan.graph.crossings * (stage.isPlain ? RETURN_OF_FEW : RETURN) ** returns * ROW ** (begins.length - 1);
  if (em < legibleOn(stage)) return em * ways;
  if (stage.isPlain) return em * ways;
  const comfort = stage.isEnlarged ? COMFORT.enlarged : stage.width < NARROW ? COMFORT.narrow : COMFORT.usual;
  return READS + Math.min(em, BEYOND * comfort) * ways * WORTH[form] * (1 - (stretch - 1) / 4);
}

/** A size that the rows of an option are not smaller than. */
function leastSize({ plan, begins }: Option): Extent {
  const wide = plan.graph.columns.map((column) => Math.max(0, ...column.map((v) => plan.width(v))));
  const high = plan.graph.columns.map((column) => column.reduce((sum, v) => sum + plan.reach(v, -1) + plan.reach(v, 1), 0));
  const rows = begins.map((begin, k) => [k ? 2 * begin - 1 : 0, k + 1 < begins.length ? 2 * begins[k + 1]! - 1 : wide.length] as const);
  return {
    width: Math.max(0, ...rows.map(([from, to]) => wide.slice(from, to).reduce((sum, each) => sum + each + LEAST_GAP, -LEAST_GAP))),
    height: rows.reduce((sum, [from, to]) => sum + Math.max(0, ...high.slice(from, to)), 0),
  };
}

/** The size with what is around the rows. */
const outer = (panel: FlowPanel, { width, height }: Extent): Size => ({
  width: Math.max(width + 2 * SIDE, stripWidth(panel)),
  height: height + 2 * END + stripHeight(panel),
});

/** How large the text of values is where a picture of this size is shown on a stage. */
function sizeOn({ width, height, isEnlarged = false }: Stage, size: Size): number {
  const most = isEnlarged ? ENLARGED : width < WIDE ? LARGEST : LARGER;
  return Math.min(most, (EM * width) / size.width, (EM * height) / size.height);
}

/** The layers with which so many rows begin that are about equally wide. */
function cuts(plan: Plan, rows: number): number[] {
  const columns = plan.graph.columns.map((column) => Math.max(0, ...column.map((v) => plan.width(v))) + 2 * EM);
  const layers = (columns.length + 1) / 2;
  const lines = (layer: number): number => plan.graph.columns[2 * layer - 1]!.length;
  const whole = columns.reduce((sum, width) => sum + width, 0);
  const mean = whole / rows;
  let best = new Map<number, { cost: number; begins: number[] }>([[0, { cost: 0, begins: [] }]]);
  for (let row = 0; row < rows; row++) {
    const next = new Map<number, { cost: number; begins: number[] }>();
    for (const [start, { cost, begins }] of best) {
      let width = 0;
      for (let end = start + 1; end <= layers; end++) {
        width += columns[2 * end - 2]! + (end - 1 > start || start ? columns[2 * end - 3]! : 0);
        const total = cost + width ** 2 + (end < layers ? LINE * (lines(end) - 1) * mean : 0);
        if (total < (next.get(end)?.cost ?? Infinity)) next.set(end, { cost: total, begins: [...begins, start] });
      }
    }
    best = next;
  }
  return best.get(layers)!.begins;
}

/** The panel with places; what is left of the stage becomes air. */
function placed(panel: FlowPanel, { plan, form, begins, em }: Candidate, stage: Stage): Laid {
  const room = { width: (EM * stage.width) / em, height: (EM * stage.height) / em };
  const airy = [GAP, GAP / 2].map((air) => new Sheet(plan, begins, air)).find((each) => {
    const { width, height } = outer(panel, each);
    return width <= room.width && height <= room.height - EM;
  });
  const sheet = airy ?? new Sheet(plan, begins);
  sheet.widen(room.width - outer(panel, sheet).width, LEAD);
  const size = outer(panel, sheet);
  const spare = Math.min(EQUATION, Math.max(0, (room.height - size.height) / 2));
  const [left, top] = [(size.width - sheet.width) / 2, END + spare];
  const { nodes } = sheet.boxes();
  const routes = sheet.routes();
  const moved = (points: readonly number[]): number[] => points.map((at, i) => tenth(at + (i % 2 ? top : left)));
  return {
    ...panel,
    em,
    rows: begins.length,
    width: tenth(size.width),
    height: tenth(size.height + 2 * spare),
    nodes: panel.nodes.map((node, k) => {
      const { x, y, h } = nodes.get(k)!;
      return { ...named(node, form), ...plan.sizes.nodes[k]!, h, x: tenth(x + left), y: tenth(y + top) };
    }),
    edges: panel.edges.map((edge, k) => {
      const { gate: [x, y], before, after } = routes.get(k)!;
      const gate = { ...edge.gate, ...plan.sizes.gates[k]!, x: tenth(x + left), y: tenth(y + top) };
      return { ...edge, gate, before: moved(before), after: moved(after) };
    }),
  };
}

const tenth = (number: number): number => Math.round(10 * number) / 10;
