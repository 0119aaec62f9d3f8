// What the panels may ask of the Explorer; they know nothing else of it, nor of each other.

import type { Detail } from "../scene/scene.js";

export interface Actions {
  /** Make these nodes the selection. */
  select(nodes: readonly number[]): void;
  /** Point at nodes without selecting them; an empty list ends it. */
  preview(nodes: readonly number[]): void;
  /** Look at a node, in the scope where it was made. */
  show(node: number): void;
  /** Open a scope. */
  open(scope: number): void;
  /** The details of a node; rejects with a sentence for the reader where they are unknown. */
  detail(node: number): Promise<Detail>;
}
