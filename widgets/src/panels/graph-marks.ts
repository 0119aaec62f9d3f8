// A moment of a run over a graph as marks, in files and in the page.

import { type GraphRun, type Standing, readKey } from "./graph-state.js";
import { focusOf } from "./panel.js";
import { type Item as Drawn, type Mark, box, moved, text } from "../motion/marks.js";
import { type Room, cellMarks, sizeOf } from "../picture/heat-map.js";
import { tokenMarks } from "../picture/motion.js";
import { groupMarks } from "../picture/op-shapes.js";
import { type Role, edgeLook, isMuted, itemLook, titleOf } from "../picture/paints.js";
import { type Parts, badgeMarks, edgeMarks, openerMarks, ringOf, shapeMarks, wordMarks } from "../picture/shapes.js";
import type { Stage } from "../playback/stage.js";
import type { GraphPanel, Item, Show, Step } from "../scene/scene.js";
import { short } from "../scene/values.js";

/** Pixels that a character of the state line takes, and that stay free beside it. */
const CHARACTER = 6.2;
const BESIDE = 10;
/** The characters of a token. */
export const MOST_CARRIED = 14;

/** The bottom of what stands in an item. */
const bottomOf = ({ h, room = 0 }: Item): number => h / 2 - room / 2;

/** For how many characters of its state an item has room. */
const roomOf = ({ w }: Item): number => Math.floor((w - BESIDE) / CHARACTER);

/** How large the map of an array may be, and where it stands. */
export const sheetOf = ({ w, room = 0 }: Item): Room => [w - 2 * BESIDE, room - 6, 9];
export function cornerOf(item: Item, map: NonNullable<Standing["map"]>): [x: number, y: number] {
  const [width, height] = sizeOf(map, sheetOf(item));
  return [-width / 2, bottomOf(item) - 4 - height / 2];
}

/** The last line of an item. */
const stateMark = (item: Item, words: string, isPartial: boolean, isMuted = false): Mark =>
  text("state", words, 0, bottomOf(item) - 0.5, isPartial ? 10.5 : 11.5, "mono", isMuted ? "muted" : isPartial ? "ink 88" : "ink");

/** What an engine keeps at an item for the order of its work, above its left end. */
const countersMark = (item: Item, words: string): Mark => ({
  ...text("counters", words, -item.w / 2 + 2, -item.h / 2 - 5, 10.5, "sans", "ink"),
  anchor: "start",
});

/** The sign of a value that is stored, or was. */
const storedMark = ({ w }: Item, isKept: boolean): Mark =>
  box("stored", { x: -w / 2, y: 0, w: 10, h: 10 }, 2, isKept ? "kept" : "paper", isKept ? "paper" : "muted", 1);

// ---- a moment ----

/** Where a run is: its stage after so many steps, the last of which is this far on its way. */
interface Instant {
  readonly stage: Stage;
  readonly cursor: number;
  readonly step: Step | null;
  /** The steps of the coarse one. */
  readonly taken: readonly Step[];
  readonly progress: number;
}

/** The node under which the state of each item stands: of a fold that whose visits are counted when a step is about it. */
export type Homes = ReadonlyMap<string, number>;

export function homesOf({ id, nodes }: GraphPanel, run: string, steps: Show["steps"]): Homes {
  const homes = new Map<string, number>();
  const folded = new Set<string>();
  for (const { key, node } of nodes)
    if (node !== null) homes.set(key, node);
    else folded.add(key);
  for (const step of folded.size ? steps : []) {
    const [first = ""] = focusOf(step, id);
    const visited = step.edits.map(([key]) => readKey(key, run)).find((key) => key?.what === "times_visited");
    if (folded.has(first) && visited && !homes.has(first)) homes.set(first, visited.node);
  }
  return homes;
}

export function items(run: GraphRun, homes: Homes, instant: Instant): Drawn[] {
  const { panel } = run;
  const focus = run.focus(instant.step, instant.taken);
  const roles = run.roles(instant.step, focus);
  const isStepping = roles.nodes.size + roles.edges.size > 0;
  const isThere = (key: string): boolean => run.isThere(key, instant.cursor);
  const nodes = panel.nodes.filter(({ key }) => isThere(key));
  const groups = (panel.groups ?? []).filter((group) => group.nodes.some((index) => isThere(panel.nodes[index]!.key)));
  return [
    ...groups.map((group, k) => ({ kind: "box", key: `box${k}`, title: "", marks: groupMarks(group).map((mark) => moved(mark, group.x, group.y)) })),
    ...panel.edges.filter(({ head }) => isThere(head)).map((edge) => {
      const role = roles.edges.has(edge.key) ? "way" : isStepping ? "back" : undefined;
      return { kind: "edge", key: edge.key, title: titleOf(edge), marks: edgeMarks(edge, edgeLook(edge, role)) };
    }),
    ...nodes.flatMap((item) => nodeItems(run, item, homes.get(item.key), instant, roles.nodes.get(item.key) ?? (isStepping ? "back" : undefined))),
    ...tokens(run, instant, roles.edges),
  ];
}

/** A node in two parts, its shape and what stands in it: often only one differs from one moment to the next. */
function nodeItems(run: GraphRun, item: Item, home: number | undefined, instant: Instant, role: Role | undefined): Drawn[] {
  const { standing, ring = [], shape = [], words = [], badge = [], more = [] } = partsAt(run, item, home, instant, role);
  const opener = standing && run.run.kind === "ops" && item.kind === "scope" ? openerMarks(item) : [];
  const map = standing?.map ? cellMarks(standing.map, sheetOf(item), ...cornerOf(item, standing.map)).flat() : [];
  const { kind, key } = item;
  return [[...ring, ...shape], [...words, ...badge, ...opener, ...more, ...map]].map((marks, k) => ({ kind, key, title: k ? "" : item.title, marks: marks.map((mark) => moved(mark, item.x, item.y)) }));
}

/** What stands at an item, under its node, and the parts that it is drawn with; the cells of a map come above them. */
export function partsAt(run: GraphRun, item: Item, home: number | undefined, { stage, cursor }: Pick<Instant, "stage" | "cursor">, role: Role | undefined): Parts & { readonly standing: Standing | null } {
  const standing = home === undefined || item.kind === "outside" ? null : run.standing(item, home, stage, cursor);
  const { counters = "", stored = null, isFreed = false, isReady = false, isPartial = false, isUnknown = false } = standing ?? {};
  const held = standing?.held(roomOf(item));
  return {
    standing,
    ring: isReady ? [ringOf(item, "accent")] : [],
    shape: shapeMarks(item, itemLook(item, { role, freed: isFreed })),
    words: wordMarks(item, isMuted(item, { role })).slice(0, isUnknown && run.run.kind !== "ops" ? 1 : 2),
    badge: badgeMarks(item),
    more: [
      ...(stored ? [storedMark(item, stored === "kept")] : []),
      ...(held ? [stateMark(item, held, isPartial, isFreed && role === "back")] : []),
      ...(counters ? [countersMark(item, counters)] : []),
    ],
  };
}

/** The products that wait on their edges, and the one that comes there now. */
function tokens({ run, roads }: GraphRun, { stage, progress, step }: Instant, edges: ReadonlySet<string>): Drawn[] {
  const changed = new Set(step?.edits.map(([key]) => key));
  return [...roads].flatMap(([place, { edge, line, share }]) => {
    const name = `${run.id}/product/${place}`;
    const value = stage.get(name);
    if (value === undefined) return [];
    const at = share * (changed.has(name) && edges.has(edge.key) ? progress : 1);
    return [{ kind: "product", key: edge.key, title: "", marks: tokenMarks(name, short(value, MOST_CARRIED), line, at) }];
  });
}
