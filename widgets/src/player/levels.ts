// The levels of detail of a sweep: the one that the reader chose last, and which panels are in sight.

import { type Level, levelsOf } from "../playback/playback.js";
import { isWhole } from "../flow/lines.js";
import { type Panel, type Run, type Show, isElimination, isGraph } from "../scene/scene.js";

/** The levels, and what they are called. */
export const LEVELS: readonly (readonly [level: Level, words: string, title: string])[] = [
  ["lines", "Lines", "One step for each line of the function; click a box to open it (c)"],
  ["nodes", "Operations", "One step for each operation that passes its derivative on or adds up (c)"],
  ["edges", "Edges", "One step for each contribution (c)"],
  ["engine", "Engine", "Every move of the engine: counting, ordering, freeing (c)"],
];

/** What takes the place of operations where these are folded. */
const SCOPES = ["nodes", "Scopes", "One step for each call, loop, iteration or part of the program (c)"] as const;

/**
 * Where it is kept whether the reader chose edges last, for all shows. The engine is looked at in one show: it is about how
 * a program does the work, and the next show, perhaps for an audience, is to open with derivatives again.
 */
const KEPT = "adviz-level";

/** Whether a show has levels with words of their own. */
export const isTold = ({ steps }: Pick<Show, "steps">): boolean => steps.some(({ rests }) => rests);

/** The levels that the reader may choose from; nothing where steps have no words of their own. */
export function levelsIn(show: Show): typeof LEVELS | null {
  if (!isTold(show)) return null;
  // Too many nodes to be seen at once are seen in their lines only.
  const all = levelsOf(show.steps).filter((level) => level !== "nodes" || show.panels.every((panel) => panel.kind !== "flow" || isWhole(panel)));
  const isFolded = show.panels.some((panel) => panel.kind === "flow" && panel.nodes.some(({ fold }) => fold !== undefined));
  return LEVELS.filter(([level]) => all.includes(level)).map((level) => (isFolded && level[0] === "nodes" ? SCOPES : level));
}

/** The level to begin with. Pages without storage, as in a sandbox, forget it. */
export function rememberedLevel(show: Show): Level {
  if (!isTold(show)) return hasComposites(show) ? "nodes" : "engine";
  if (levelsOf(show.steps).includes("lines")) return "lines";
  try {
    return localStorage.getItem(KEPT) === "edges" ? "edges" : "nodes";
  } catch {
    return "nodes";
  }
}

/** The level at which a show rests: questions are asked edge by edge, as one step of a node would answer several. */
export const levelFor = (show: Show, level: Level, isAsking: boolean): Level =>
  isAsking && (level === "nodes" || level === "lines") && levelsOf(show.steps).includes("edges") ? "edges" : level;

export function remember(level: Level): void {
  if (level === "engine") return;
  try {
    localStorage.setItem(KEPT, level);
  } catch {
    // Nothing is lost but a preference.
  }
}

/** Panels that tell of the engine and not of derivatives; those that do not tell of it, and would tell what is asked. */
const OF_THE_ENGINE: readonly string[] = ["tape", "table", "meters"];
const OF_DERIVATIVES: readonly string[] = ["nudge"];

/** Before an audience one panel at a time stands beside the picture of a sweep: the keys, and what they are called. */
const SIDES: Readonly<Record<string, readonly [key: string, words: string]>> = {
  code: ["s", "source"],
  table: ["t", "trace"],
  tape: ["a", "tape"],
  meters: ["m", "meters"],
  matrix: ["j", "Jacobian"],
  formula: ["e", "formula"],
  result: ["g", "gradient"],
  nudge: ["n", "nudge"],
};

/** The key of a panel that stands beside the picture of a sweep: a letter, or its number among the others. */
const keyOf = (panels: readonly Panel[], panel: Panel): string =>
  SIDES[panel.kind]?.[0] ?? String(1 + panels.filter(({ kind }) => !isGraph({ kind }) && !SIDES[kind]).indexOf(panel));

const isFlow = ({ panels }: Pick<Show, "panels">): boolean => panels.some(({ kind }) => kind === "flow");

/** Whether a show is that of an op graph: each of its steps is of one op. */
export const isOfOps = ({ runs }: { readonly runs: readonly Pick<Run, "kind">[] }): boolean => runs.every(({ kind }) => kind === "ops");

/** Whether a show has composite ops, each of which is a box and a step as long as they are folded. */
export const hasComposites = ({ panels }: Pick<Show, "panels">): boolean => panels.some((panel) => panel.kind === "graph" && panel.opened !== undefined);

/** The button of coarse steps: what is on it, and what it does; null where no step is coarse. */
export function coarseOf(show: Show): readonly [words: string, title: string] | null {
  if (hasComposites(show)) return ["Composite ops folded", "Each composite op as one box and one step, or opened as its ops (c)"];
  if (isOfOps(show)) return null;
  const unit = isElimination(show) ? "move" : "node";
  return [`${unit[0]!.toUpperCase()}${unit.slice(1)} by ${unit}`, `Coarse steps: one ${unit} at a time (c)`];
}

/** Whether several sweeps run side by side, each as numbers that flow, or ops are built beside others that run. */
export const isRace = (show: Show): boolean => show.runs.length > 1 && (isFlow(show) || isOfOps(show));

/** Whether a panel stands beside the picture only when it is asked for, before an audience. */
const isBeside = ({ kind }: Panel): boolean => !isGraph({ kind }) && kind !== "bench";

/** The panel that a key asks for, before an audience. */
export function sideOf(show: Show, key: string): Panel | null {
  const others = show.panels.filter(isBeside);
  return (isFlow(show) && others.find((panel) => keyOf(show.panels, panel) === key)) || null;
}

/** What keys do before an audience, for the legend: beside the picture of a sweep there is never more than one panel to turn to. */
export function sideKeys(show: Show): [keys: string, meaning: string][] {
  if (!isFlow(show)) return [["p, then", "↑ ↓: more panels"]];
  const others = show.panels.filter(isBeside);
  const told = others.map((panel) => `${keyOf(show.panels, panel)} ${SIDES[panel.kind]?.[1] ?? panel.kind}`);
  return told.length ? [["p, then", `${told.join(", ")}: show or hide that panel`]] : [];
}

/** Whether a panel is in sight: at a level, while questions are asked, and before an audience with one panel beside the picture, or none. */
export function isInSight(show: Show, panel: Panel, level: Level, { isThere, side }: Audience, isAsking = false): boolean {
  // Sweeps that fill a Jacobian are shown with it.
  const beside = side ?? show.panels.find(({ kind }) => kind === "matrix" && show.panels.some((other) => other.kind === "flow" && other.sweeps));
  if (isThere && isFlow(show)) return isGraph(panel) || panel.kind === "bench" || panel === beside;
  return !isTold(show) || !(level === "engine" ? OF_DERIVATIVES : isAsking ? [...OF_THE_ENGINE, ...OF_DERIVATIVES] : OF_THE_ENGINE).includes(panel.kind);
}

interface Audience {
  readonly isThere: boolean;
  readonly side: Panel | null;
}
