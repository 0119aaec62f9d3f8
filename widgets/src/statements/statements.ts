// The graph as its statements: which boxes are seen while some are open, how often values are used between them, and where
// they stand in a window of some size. Pure.

import type { Graph } from "../graph/graph.js";
import { row } from "../graph/links.js";
import { type Hull, type Opened, boxOf, crowded, hulls, timesOf } from "../layout/boxes.js";
import type { FormName } from "../layout/forms.js";
import { laidWith } from "../layout/layout.js";
import { CELL, EM } from "../layout/lengths.js";
import type { Form } from "../layout/placed.js";
import type { Point } from "../motion/curves.js";
import type { Size } from "../picture/camera.js";
import { NOTHING } from "../picture/shapes.js";
import type { Edge, FlowPanel, GraphPanel, Item, LinesPanel, NamedValue } from "../scene/scene.js";
import { count, plural } from "../ui/format.js";

/** A statement, or a node by itself. */
export interface Box extends Item {
  readonly inside: readonly number[];
  /** What is used outside, or returned. */
  readonly exits: readonly number[];
  /** The number of the closed box, or -1. */
  readonly box: number;
  /** How many iterations it is. */
  readonly times: number;
  readonly isReturned: boolean;
  readonly form: Form;
  /** Where its edges leave, from its middle. */
  readonly port: Point;
}

export interface Use extends Edge {
  /** The middle of the edge. */
  readonly at: Point;
}

export interface StatementsPanel extends GraphPanel {
  readonly nodes: Box[];
  readonly edges: Use[];
  readonly hulls: readonly Hull[];
}

/** Around a picture in its window. */
const MARGIN = 10;
/** Around a label, and smaller; above a heat map and below it; a line of text. */
const [PAD, TIGHT, HEAD, FOOT, LINE, NAME] = [12, 9, 34, 14, 22, 24];
/** Between a name and a shape, and between names. */
const [GAP, COMMA] = [8, 11];
/** The most that a letter is wide. */
const LETTER = 13;
/** The most edges that are seen where a box is open and what is beside it as well. */
const MOST_EDGES = 13;
const SMALL = 10;
/** The room of an edge with a count above it, and how much of the usual room is left to edges in a form. */
const COUNTED = { w: 24, h: 48 };
const TIGHTNESS: Record<FormName, number> = { broad: 1, tall: 0.8, short: 0.6, least: 0.6 };
/** What an input is higher, for a port above its name. */
const PORT = 8;

/** What is seen as one before it has a place. */
interface Unit {
  readonly node: number;
  readonly kind: "scope" | "input" | "block";
  readonly inside: number[];
  readonly exits: readonly number[];
  readonly box: number;
  readonly times: number;
  readonly named: Pick<NamedValue, "name" | "value" | "map">;
  /** The name in full, where it is known. */
  readonly called: string | null;
  readonly isReturned: boolean;
  readonly dead: boolean;
}

/** What is seen while some boxes are open, to be laid out for any window. */
export interface Seen {
  readonly lines: LinesPanel;
  readonly opened: Opened;
  /** The open box that alone is seen, or -1. */
  readonly only: number;
  readonly units: readonly Unit[];
  /** How often values of a unit are used in another one: being returned is no use. */
  readonly uses: readonly (readonly [tail: Unit, head: Unit, count: number])[];
  /** What the layout needs of a sweep. */
  readonly flow: FlowPanel;
}

/** The statements as they are seen while some are open: of a crowded one only what is inside, and what that is joined to. */
export function seen(graph: Graph, lines: LinesPanel, opened: Opened): Seen {
  const all = (some: Opened): Pick<Seen, "units" | "uses"> => unitsOf(graph, lines, some);
  const joined = ({ units, uses }: Pick<Seen, "units" | "uses">, only: number): Pick<Seen, "units" | "uses"> => {
    const within = new Set(lines.boxes[only]?.inside);
    const isIn = ({ node }: Unit): boolean => !within.size || within.has(node);
    const left = uses.filter(([tail, head]) => isIn(tail) || isIn(head));
    const ends = new Set(left.flatMap(([tail, head]) => [tail, head]));
    return { uses: left, units: units.filter((unit) => isIn(unit) || ends.has(unit)) };
  };
  const only = crowded(opened, MOST_EDGES, (some, only) => joined(all(some), only).uses.length);
  const { units, uses } = joined(all(opened), only);
  const edges = uses.map(([tail, head]) => ({ key: `${tail.node}>${head.node}`, tail: tail.node, head: head.node, gate: {} }));
  return { lines, opened, only, units, uses, flow: { nodes: units.map(({ node }) => ({ node })), edges } as FlowPanel };
}

function unitsOf(graph: Graph, lines: LinesPanel, opened: Opened): Pick<Seen, "units" | "uses"> {
  const closed = lines.boxes.flatMap(({ inside, exits }, box) => (boxOf(lines.boxes, inside[0]!, opened) === box ? [{ inside: [...inside], exits: leaving(graph, inside, exits), box }] : []));
  const taken = new Set(closed.flatMap(({ inside }) => inside));
  const single = lines.nodes.flatMap(({ node }) => (taken.has(node) ? [] : [{ inside: [node], exits: [node], box: -1 }]));
  const known = new Map(lines.nodes.map((each) => [each.node, each]));
  const unitOf = new Map<number, Unit>();
  const units = [...closed, ...single]
    .sort((one, other) => one.inside.at(-1)! - other.inside.at(-1)!)
    .map(({ inside, exits, box }): Unit => {
      const [node, times] = [exits.at(-1)!, box < 0 ? 1 : timesOf(lines.boxes[box]!)];
      const results = inside.flatMap((each) => [...row(graph.users, each)].filter((user) => graph.is("output", user)));
      const unit: Unit = {
        dead: !graph.is("live", node), called: exits.length > 1 ? null : graph.name(node), node, exits, box, inside: [...inside, ...results], named: repeated(named(exits.map((each) => known.get(each)!), lines.boxes[box]?.label), times), times, isReturned: results.length > 0,
        kind: box >= 0 ? "scope" : graph.is("input", node) ? "input" : "block",
      };
      unit.inside.forEach((each) => unitOf.set(each, unit));
      return unit;
    });
  const uses = new Map<string, [Unit, Unit, number]>();
  for (const [each, head] of unitOf)
    for (const operand of row(graph.operands, each)) {
      const tail = unitOf.get(operand);
      if (!tail || tail === head) continue;
      const key = `${tail.node}>${head.node}`;
      uses.set(key, [tail, head, (uses.get(key)?.[2] ?? 0) + 1]);
    }
  return { units, uses: [...uses.values()] };
}

/** Those of some nodes that are used outside of their box, or returned. */
function leaving(graph: Graph, inside: readonly number[], nodes: readonly number[]): readonly number[] {
  const within = new Set(inside);
  return nodes.filter((node) => [...row(graph.users, node)].some((user) => !within.has(user)));
}

/** The name of a box and its value; of several exits the names, and the shape if all have it, or what they are assigned to. */
function named([first, ...others]: readonly NamedValue[], label = ""): Unit["named"] {
  if (!others.length) return first!;
  const all = [first!, ...others];
  const target = /^(\w+) = /.exec(label)?.[1];
  if (target) return { name: [target, LETTER * target.length], value: [plural(all.length, "value"), LETTER * 8] };
  const isAlike = first!.map && all.every(({ value }) => value[0] === first!.value[0]);
  const width = all.reduce((sum, { name }) => sum + name[1] + COMMA, -COMMA);
  return { name: [all.map(({ name }) => name[0]).join(", "), width], value: isAlike ? first!.value : ["", 0] };
}

/** What is named, with how many iterations it is. */
function repeated(what: Unit["named"], times: number): Unit["named"] {
  const more = times > 1 ? ` × ${count(times)}` : "";
  return { ...what, name: [what.name[0] + more, what.name[1] + LETTER * more.length * 0.75] };
}

/** Label and value beside each other; below each other where there is less room, with small cells where there is little. */
function formOf({ kind, named: { name, value, map } }: Unit, form: FormName): Form {
  const isShort = form === "short" || form === "least";
  const cell = isShort ? SMALL : CELL;
  const isWide = form === "broad" && map !== undefined;
  const [wide, high] = map ? [cell * map.columns.length, cell * map.rows.length] : [0, 0];
  const head = HEAD + (isWide ? 0 : LINE);
  const port = kind === "input" ? PORT : 0;
  const h = head + high + FOOT + port;
  const top = port - h / 2;
  const label = isWide ? name[1] + GAP + value[1] : Math.max(name[1], value[1]);
  return {
    w: Math.max(isShort ? 44 : 56, label, wide) + 2 * ((isShort ? TIGHT : PAD) + (map ? 0 : 6)),
    h,
    head: top + NAME,
    at: [isWide ? -(value[1] + GAP) / 2 : 0, top + head + high / 2],
    slot: isWide ? [(name[1] + GAP) / 2, top + NAME] : [0, top + NAME + LINE + (map ? 0 : 3)],
    size: cell,
  };
}

/** The statements of an opened scope, laid out for a window. */
export function placed({ lines, opened, only, units, uses, flow }: Seen, root: GraphPanel, window: Size): StatementsPanel {
  const sized = (_: FlowPanel, form: FormName) => ({
    nodes: units.map((unit) => formOf(unit, form)),
    gates: uses.map(([, , count]) => (count > 1 ? COUNTED : { w: 0, h: 1 })),
    rooms: units.map(() => [0, 0] as const),
    tight: TIGHTNESS[form],
  });
  const stage = { width: Math.max(200, window.width - 2 * MARGIN), height: Math.max(120, window.height - 2 * MARGIN) };
  const result = laidWith(flow, stage, sized);
  const scale = Math.min(result.em / EM, stage.width / result.width, stage.height / result.height);
  const [width, height] = [stage.width / scale, stage.height / scale];
  const [left, top] = [(width - result.width) / 2, (height - result.height) / 2];
  const moved = (points: readonly number[]): number[] => points.map((at, k) => at + (k % 2 ? top : left));
  const edges = result.edges.map(({ tail, head, before, after, gate }, k): Use => {
    const across = gate.w ? [...before.slice(-2), ...after.slice(0, 2), ...after.slice(0, 2)] : [];
    const points = moved([...before, ...across, ...after.slice(2)]);
    const at = moved([gate.x, gate.y]) as [number, number];
    return { key: `n${tail}>n${head}`, tail: `n${tail}`, head: `n${head}`, count: uses[k]![2], kind: "data", points, at };
  });
  const nodes = result.nodes.map(({ x, y, ...form }, k): Box => {
    const { named: { name: [label], value: [detail], map }, ...unit } = units[k]!;
    const key = `n${unit.node}`;
    const leaving = edges.filter(({ tail }) => tail === key);
    const used = leaving.reduce((sum, { count }) => sum + count, 0);
    const more = unit.box < 0 ? "" : `, ${plural(unit.inside.length, "operation")}: ${lines.boxes[unit.box]!.label}`;
    const [atX, atY] = [x + left, y + top];
    return {
      ...NOTHING, ...unit, form, key, label, detail, family: "", uses: used, title: `${unit.called ?? label}, ${detail}, used ${plural(used, "time")}${more}`,
      x: atX, y: atY, w: form.w, h: form.h, port: leaving[0] ? [leaving[0].points[0]! - atX, leaving[0].points[1]! - atY] : [0, 0], ...(map && { map }),
    };
  });
  const around = hulls(result, lines.boxes, opened, only).map((each) => ({ ...each, x: each.x + left, y: each.y + top }));
  return { ...root, width, height, direction: "LR", nodes, edges, hulls: around };
}
