// The door to saved pages: everything is in one embedded document; there is no kernel and no network.

import { html } from "./dom.js";
import { Explorer } from "./explorer.js";
import { hideFallback } from "./fallback.js";
import type { Host } from "./host.js";
import type { Detail, GraphPanel } from "./scene.js";

/** What a saved page embeds; `columns` is the binary buffer in base64. */
export interface SavedDocument {
  scene: unknown;
  columns: string;
  views?: Record<string, GraphPanel>;
  details?: Record<string, Detail>;
  selection?: number[];
  fallback?: string;
}

export class PageHost implements Host {
  readonly columns: ArrayBuffer;
  selection: readonly number[];
  readonly #listeners = new Set<(nodes: readonly number[]) => void>();

  constructor(readonly saved: SavedDocument) {
    this.columns = Uint8Array.from(atob(saved.columns), (character) => character.charCodeAt(0)).buffer;
    this.selection = saved.selection ?? [];
  }

  get scene(): unknown {
    return this.saved.scene;
  }

  select(nodes: readonly number[]): void {
    this.selection = nodes;
    for (const listener of this.#listeners) listener(nodes);
  }

  onSelection(listener: (nodes: readonly number[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async view(scope: number): Promise<GraphPanel> {
    return embedded(this.saved.views?.[scope], "This scope is not in this saved page.");
  }

  async detail(node: number): Promise<Detail> {
    return embedded(this.saved.details?.[node], "Not in this saved page.");
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

function embedded<T>(found: T | undefined, otherwise: string): T {
  if (found === undefined) throw new Error(otherwise);
  return found;
}

/** Show a saved document in an element; returns how to end it. */
export function mount(element: HTMLElement, saved: SavedDocument): () => void {
  try {
    const explorer = new Explorer(new PageHost(saved));
    element.append(explorer.element);
    const showFallback = hideFallback(saved.fallback ?? "", element.ownerDocument);
    return () => {
      explorer.dispose();
      showFallback();
    };
  } catch (error) {
    element.append(html("pre", { role: "alert" }, `adviz cannot show this graph. ${(error as Error).message}`));
    return () => element.replaceChildren();
  }
}
