// What stands in the items of the Explorer: beside each value its adjoint, arrays as heat maps, and a band below what is
// not finite.

import { straight } from "../motion/curves.js";
import { type Item as Drawn, type Mark, curve, moved, text } from "../motion/marks.js";
import { NODE_ROOM, cellMarks, pillMarks, pillWidth, short, sizeOf } from "../picture/heat-map.js";
import { edgeLook, itemLook, stateOf, titleOf } from "../picture/paints.js";
import { badgeMarks, changeMarks, edgeMarks, shapeMarks, wordMarks } from "../picture/shapes.js";
import type { GraphPanel, HeatMap, Item } from "../scene/scene.js";

/** Px between a value and its adjoint, and of a character of the value. */
const GAP = 7;
const CHARACTER = 6.6;
/** The thickness of the band below a value, and how far below the middle of the item it is. */
const BAND = 4;
const BELOW = 17;

/** A number, the heat map of an array, or null where there is nothing to show. */
export type Adjoint = number | HeatMap | null;

/** What stands in an item around its middle. */
export interface Known {
  /** Its name and its value. */
  readonly words: readonly Mark[];
  readonly maps: readonly { readonly map: HeatMap; readonly x: number; readonly y: number }[];
  /** The number of the adjoint. */
  readonly pill: readonly Mark[];
  /** The bar over the map of an adjoint, as its symbol has one, and the band below what is not finite. */
  readonly lines: readonly Mark[];
}

export const known = (item: Item, adjoint: Adjoint): Known => (item.map ? maps(item, item.map, adjoint) : beside(item, adjoint));

/** Adjoints by the keys of items; what JSON has no number for is a text. */
export type Told = Readonly<Record<string, Adjoint | string>>;

/** A graph that nothing happens on; with the adjoints of its items, hue says their sign and nothing else. */
export function still(panel: GraphPanel, adjoints: Told | null): Drawn[] {
  const first = beginnings(panel);
  return [
    ...panel.edges.map((edge) => ({ kind: "edge", key: edge.key, title: titleOf(edge), marks: edgeMarks(edge, edgeLook(edge)) })),
    ...panel.nodes.map((item) => {
      const given = adjoints?.[item.key] ?? null;
      const adjoint = typeof given === "string" ? Number(given) : given;
      const own = item.beside === undefined && !item.map ? wordMarks(item) : knownMarks(item, adjoint);
      const words = mutedIf(item.dead, own);
      const shape = shapeMarks(item, itemLook(item, { signed: adjoints !== null, first: first.has(item.key) }));
      const marks = [...shape, ...words, ...badgeMarks(item), ...changeMarks(item, stateOf(item))].map((mark) => moved(mark, item.x, item.y));
      const told = typeof adjoint === "number" ? `, adjoint ${short(adjoint)}` : "";
      return { kind: item.kind, key: item.key, title: item.title + told, marks };
    }),
  ];
}

/** What is dead has faint words, but on the ground of a hue. */
export const mutedIf = (isDead: boolean, marks: readonly Mark[]): readonly Mark[] =>
  isDead ? marks.map((mark) => (mark.type === "text" && mark.fill !== "on-hue" ? { ...mark, fill: "muted" } : mark)) : marks;

const knownMarks = (item: Item, adjoint: Adjoint): Mark[] => {
  const { words, maps: drawn, pill, lines } = known(item, adjoint);
  return [...words, ...drawn.flatMap(({ map, x, y }) => cellMarks(map, NODE_ROOM, x, y).flat()), ...pill, ...lines];
};

function beside(item: Item, adjoint: Adjoint): Known {
  const [name, value] = wordMarks(item) as [Mark, Mark?];
  const is = typeof adjoint === "number";
  const width = is ? GAP + pillWidth(adjoint) : 0;
  const room = CHARACTER * item.detail.length;
  const [left, right] = [-(room + width) / 2, (room - width) / 2];
  return {
    words: value?.type === "text" ? [name, { ...value, x: -width / 2 }] : [name],
    maps: [],
    pill: is ? pillMarks(adjoint, right + GAP, 8.5) : [],
    lines: isNotFinite(item) ? band(left, right) : [],
  };
}

/** A line of bars on a grey ground. */
const band = (left: number, right: number): Mark[] => {
  const points = straight([[left, BELOW], [right, BELOW]]);
  return [curve("band-ground", points, "hatched", BAND), curve("band", points, "zero", BAND, { dashed: true })];
};

/** Name and shape, the heat map of the value and that of the adjoint. */
function maps(item: Item, map: HeatMap, adjoint: Adjoint): Known {
  const [width, height] = sizeOf(map, NODE_ROOM);
  const [name, value] = item.detail.split(" = ");
  const words = `${value !== undefined && item.kind === "block" ? `${name} ` : ""}${map.shape.join("×") || "scalar"}`;
  const room = CHARACTER * words.length;
  const other = adjoint !== null && typeof adjoint === "object" ? adjoint : null;
  const left = -(room + (GAP + width) * (other ? 2 : 1)) / 2;
  const [first, y] = [left + room + GAP, 10 - height / 2];
  const second = first + width + GAP;
  return {
    words: [text("label", item.label, 0, -10, 13, "bold", "ink"), text("detail", words, left + room / 2, 14, 11, "mono", "ink 88")],
    maps: [{ map, x: first, y }, ...(other ? [{ map: other, x: second, y }] : [])],
    pill: [],
    lines: other ? [curve("bar-over", straight([[second, y - 2], [second + width, y - 2]]), "ink", 1)] : [],
  };
}

/** Whether the value of an item is not finite, or an entry of it. */
const isNotFinite = ({ map, beside: room, detail }: Item): boolean =>
  map ? map.data.some((entry) => typeof entry === "string") : room !== undefined && /\b(NaN|inf)$/.test(detail);

/** Where in a picture what is not finite begins: nothing that feeds these items is. */
export function beginnings({ nodes, edges }: Pick<GraphPanel, "nodes" | "edges">): ReadonlySet<string> {
  const unknown = new Set(nodes.filter(isNotFinite).map(({ key }) => key));
  const fed = new Set(edges.filter(({ tail }) => unknown.has(tail)).map(({ head }) => head));
  return new Set(nodes.filter(({ key, kind }) => unknown.has(key) && !fed.has(key) && kind !== "outside").map(({ key }) => key));
}
