// How graphs are colored, in files and in the page.

import type { Look } from "./op-shapes.js";
import { type EdgeLook, isUse, lineWidth } from "./shapes.js";
import { FAMILIES, type Paint } from "../motion/marks.js";
import type { Edge, Item } from "../scene/scene.js";
import { count } from "../ui/format.js";

/** What a step is about, what takes part in it, and what steps back. */
export type Role = "at" | "other" | "back";

/** What is told of an item beyond what it is. */
export interface Told {
  /** Hue says the sign of derivatives, and nothing else. */
  readonly signed?: boolean;
  readonly role?: Role | undefined;
  readonly freed?: boolean;
  /** What is not finite begins here. */
  readonly first?: boolean;
}

const STATES: Record<NonNullable<Item["change"]>["state"], Paint> = { added: "positive", removed: "negative", changed: "changed", mixed: "changed" };

/** The name of the color that an item is drawn in; "" where color is not told by it. */
function familyOf({ kind, family, sides }: Item, signed: boolean): Paint {
  if (signed || sides || kind === "scope" || kind === "outside" || family === "op") return "";
  return FAMILIES.has(family) ? family : "neutral";
}

/** The color of what differs of an item in two graphs. */
export const stateOf = ({ change }: Item): Paint => (change ? STATES[change.state] : "");

/** Whether the words of an item are muted. */
export const isMuted = ({ dead }: Item, { role }: Told): boolean => dead || role === "back";

/** What the outline of an item is filled and drawn with. */
export function itemLook(item: Item, { signed = false, role, freed = false, first = false }: Told): Look {
  const family = familyOf(item, signed);
  const line = `${family || "neutral"}-line`;
  const isFolded = item.kind === "scope";
  const plain = { fill: family || (isFolded ? "cell" : "paper"), line, thickness: isFolded ? 1.6 : 1.4, dashed: item.kind === "outside" };
  const state = stateOf(item);
  const isGone = item.change?.state === "removed" && item.sides?.[1] === null;
  const own = state ? { fill: `${state} 14`, line: state, thickness: 2, dashed: isGone } : item.dead ? { ...plain, fill: "paper", dashed: true } : plain;
  if (first) return { ...own, line: "ink", thickness: 3 };
  if (role === "at") return { ...own, fill: "accent 24", line: "accent", thickness: 3.4 };
  if (role === "other") return { ...own, line: "accent", thickness: 2.4 };
  if (role === "back") return { ...own, fill: freed || !family ? "paper" : `${family} 45`, thickness: 1 };
  return freed && family ? { ...own, fill: `${family} 35` } : own;
}

/** The lines of those that only must be in order, of an edge that a step is about, and of one that only one of two graphs has. */
const LINES: Readonly<Record<string, number>> = { control: 1.7, initializer: 2.2 };
const ON_THE_WAY = 2.4;
const ONLY = 2;

/** What an edge is drawn with: one that a step is about, or that steps back. */
export function edgeLook(edge: Edge, role?: "way" | "back"): EdgeLook {
  const [before, after] = edge.sides ?? [1, 1];
  const isOnly = !before || !after;
  const paint = role === "way" ? "accent" : role === "back" ? "faint" : isOnly ? (before ? "negative" : "positive") : "edge";
  const thickness = Math.max(lineWidth(edge), LINES[edge.kind] ?? 0, role === "way" ? ON_THE_WAY : isOnly ? ONLY : 0);
  const dotted = edge.kind === "initializer";
  return { paint, thickness, dashed: !after || (!dotted && !isUse(edge)), ...(dotted && { dotted }) };
}

const MEANINGS: Readonly<Record<string, string>> = { returned: "returned", control: "must run before", initializer: "stored at first" };

/** What an edge is in words, where it is not one use of a value. */
export const titleOf = (edge: Edge): string =>
  edge.count > 1 ? `${count(edge.count)} ${isUse(edge) ? "edges" : "values returned"}` : isUse(edge) ? "" : (MEANINGS[edge.kind] ?? edge.kind);
