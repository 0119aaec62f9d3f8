// What a place that shows an Explorer must offer: a notebook through widget.ts, a saved page through page.ts.

import type { Detail, GraphPanel } from "./scene.js";

export interface Host {
  /** The Scene, not yet checked. */
  readonly scene: unknown;
  readonly columns: ArrayBuffer | ArrayBufferView;
  readonly selection: readonly number[];
  /** Tell the selection to everyone who shares it. */
  select(nodes: readonly number[]): void;
  /** Hear of the selection, also of one's own; returns how to stop. */
  onSelection(listener: (nodes: readonly number[]) => void): () => void;
  /** An opened scope, placed. Rejects with a plain sentence. */
  view(scope: number): Promise<GraphPanel>;
  /** All about a node. Rejects with a plain sentence. */
  detail(node: number): Promise<Detail>;
  /** Let go of everything held. */
  dispose(): void;
}
