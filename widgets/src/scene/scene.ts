// The Scene (version 1), the one document between Python and the front end: its reader, and the first questions about it.

import { agreement } from "./agreement.js";
import type { Check } from "./check.js";
import { GraphPanel, type Panel, Scene, Show } from "./document.js";

export type * from "./document.js";

/** A document that is not what this front end can draw; the message names the place. */
export class SceneError extends Error {
  override name = "SceneError";
}

function read<T>(check: Check<T>, value: unknown, root: string): T {
  const found = check(value);
  if (found) throw new SceneError(`${root}${found.place}: ${found.message}`);
  return value as T;
}

/** The document as a Scene, and as a Show where it has runs. Throws SceneError. */
export function readScene(value: unknown): Scene {
  return read(isShow(value as Scene) ? (whole) => Show(whole) ?? agreement(whole as Show) : Scene, value, "scene");
}

/** A Scene with runs. Throws SceneError for any other. */
export function readShow(value: unknown): Show {
  const scene = readScene(value);
  if (!isShow(scene)) throw new SceneError("scene.runs: expected at least one, found none");
  return scene;
}

/** Whether a Scene is one for the Player. */
const isShow = (document: Partial<Show> | null): document is Show => Boolean(document?.runs?.length);

/** Whether a panel is a picture of a graph. */
export const isGraph = ({ kind }: Pick<Panel, "kind">): boolean => ["graph", "flow", "elimination", "extended"].includes(kind);

/** Whether a show is that of an elimination. */
export const isElimination = (scene: Scene): boolean => scene.panels.some(({ kind }) => kind === "elimination" || kind === "extended");

/** One opened scope as Python sends it on request. Throws SceneError. */
export const readView = (value: unknown): GraphPanel => read(GraphPanel, value, "view");

/** The first panel of a kind, or null. */
export function panelOf<K extends Panel["kind"]>(document: Scene, kind: K): Extract<Panel, { kind: K }> | null {
  return (document.panels.find((panel) => panel.kind === kind) as Extract<Panel, { kind: K }> | undefined) ?? null;
}
