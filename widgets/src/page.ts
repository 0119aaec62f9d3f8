// The door to saved pages: everything is in one embedded document; there is no kernel and no network.

import { html } from "./dom.js";
import { hideFallback } from "./fallback.js";
import type { PlayerHost, Traits } from "./host.js";
import type { Detail, GraphPanel } from "./scene.js";
import { type View, viewOf } from "./view.js";

/** What a saved page embeds; `columns` is the binary buffer in base64. */
export interface SavedDocument {
  scene: unknown;
  columns: string;
  views?: Record<string, GraphPanel>;
  details?: Record<string, Detail>;
  selection?: number[];
  fallback?: string;
  /** Where a show stands when it is opened. */
  traits?: Partial<Traits>;
}

export class PageHost implements PlayerHost {
  readonly live: boolean = false;
  readonly conducts = true;
  readonly columns: ArrayBuffer;
  selection: readonly number[];
  readonly #listeners = new Set<(nodes: readonly number[]) => void>();
  readonly #traits: Partial<Traits>;
  readonly #hearers = new Map<string, Set<() => void>>();

  constructor(readonly saved: SavedDocument) {
    this.columns = Uint8Array.from(atob(saved.columns), (character) => character.charCodeAt(0)).buffer;
    this.selection = saved.selection ?? [];
    this.#traits = { ...saved.traits };
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

  trait<K extends keyof Traits>(name: K): Traits[K] | undefined {
    return this.#traits[name];
  }

  tell<K extends keyof Traits>(name: K, value: Traits[K]): void {
    this.#traits[name] = value;
    this.notify(name);
  }

  /** Call those who hear of a trait. */
  protected notify(name: string): void {
    for (const listener of this.#hearers.get(name) ?? []) listener();
  }

  hear(name: string, listener: () => void): () => void {
    const hearers = this.#hearers.get(name) ?? new Set();
    this.#hearers.set(name, hearers.add(listener));
    return () => hearers.delete(listener);
  }

  async view(scope: number): Promise<GraphPanel> {
    return embedded(this.saved.views?.[scope], "This scope is not in this saved page.");
  }

  async detail(node: number): Promise<Detail> {
    return embedded(this.saved.details?.[node], "Not in this saved page.");
  }

  dispose(): void {
    this.#listeners.clear();
    this.#hearers.clear();
  }
}

function embedded<T>(found: T | undefined, otherwise: string): T {
  if (found === undefined) throw new Error(otherwise);
  return found;
}

/** On a page with one view, keys are for it until something has the focus; returns how to end that. */
function lendKeys(view: View, page: Document): () => void {
  const lend = (event: KeyboardEvent): void => {
    const [shown, ...others] = page.querySelectorAll(".adviz");
    if (event.target !== page.body || shown !== view.element || others.length) return;
    if (!view.keyboard.dispatchEvent(new KeyboardEvent(event.type, event))) event.preventDefault();
  };
  page.addEventListener("keydown", lend);
  return () => page.removeEventListener("keydown", lend);
}

/** Show a saved document in an element; returns how to end it. */
export function mount(element: HTMLElement, saved: SavedDocument): () => void {
  try {
    const view = viewOf(new PageHost(saved));
    element.append(view.element);
    const showFallback = hideFallback(saved.fallback ?? "", element.ownerDocument);
    const keepKeys = lendKeys(view, element.ownerDocument);
    return () => {
      keepKeys();
      view.dispose();
      showFallback();
    };
  } catch (error) {
    element.append(html("pre", { role: "alert" }, `adviz cannot show this graph. ${(error as Error).message}`));
    return () => element.replaceChildren();
  }
}
