// Walking a picture by keyboard: along edges to users and operands, and sideways among siblings.

import type { GraphPanel, Item } from "../scene/scene.js";

type Paths = Pick<GraphPanel, "nodes" | "edges" | "direction">;

export type Direction = "up" | "down" | "left" | "right";

/** The last move along an edge: sideways moves go among the other items that it could have reached. */
export interface Trail {
  readonly from: string;
  readonly direction: "up" | "down";
}

/** How much more it counts to lie aside than ahead, and how steeply at most. */
const [ASIDE, STEEP] = [2, 3];

const byPlace = (a: Item, b: Item): number => a.x - b.x || a.y - b.y;

/** The items that edges lead to, from left to right. */
export function neighbors(panel: Paths, key: string, direction: "up" | "down"): Item[] {
  const keys = new Set(
    panel.edges
      .filter(({ tail, head }) => (direction === "down" ? tail : head) === key)
      .map(({ tail, head }) => (direction === "down" ? head : tail)),
  );
  return panel.nodes.filter((item) => keys.has(item.key)).sort(byPlace);
}

/** The items in the same row: those whose heights overlap. */
const rowOf = (panel: Paths, at: Item): Item[] =>
  panel.nodes.filter(({ y, h }) => Math.abs(y - at.y) < (h + at.h) / 2).sort(byPlace);

function siblings(panel: Paths, at: Item, trail: Trail | null): Item[] {
  const reached = trail ? neighbors(panel, trail.from, trail.direction) : [];
  return reached.length > 1 && reached.includes(at) ? reached : rowOf(panel, at);
}

/** The item that an arrow key leads to, or null at an end. */
export function walk(panel: Paths, at: Item, direction: Direction, trail: Trail | null): Item | null {
  if (panel.direction === "LR") return nearest(panel, at, direction);
  if (direction === "up" || direction === "down") {
    const next = neighbors(panel, at.key, direction);
    const distance = ({ x, y }: Item): number => Math.hypot(x - at.x, y - at.y);
    return next.sort((a, b) => distance(a) - distance(b))[0] ?? null;
  }
  const side = siblings(panel, at, trail);
  return side[side.indexOf(at) + (direction === "right" ? 1 : -1)] ?? null;
}

/** The nearest item in a direction. */
function nearest({ nodes }: Paths, at: Item, direction: Direction): Item | null {
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  const [along, across] = direction === "left" || direction === "right" ? (["x", "y"] as const) : (["y", "x"] as const);
  const ahead = (item: Item): number => sign * (item[along] - at[along]);
  const far = (item: Item): number => ahead(item) + ASIDE * Math.abs(item[across] - at[across]);
  const those = nodes.filter((item) => ahead(item) > Math.abs(item[across] - at[across]) / STEEP);
  return those.sort((one, other) => far(one) - far(other))[0] ?? null;
}

/** Items in reading order, the first being where the keyboard enters. */
export const inReadingOrder = ({ nodes, direction }: Pick<Paths, "nodes" | "direction">): Item[] =>
  [...nodes].sort(direction === "LR" ? byPlace : (a, b) => a.y - b.y || a.x - b.x);
