// One selection for all panels of a show: what the reader points at in one of them is lit in all.

import type { Show } from "../scene/scene.js";

/** Edges of the picture, and names of letters and references such as "e57" and "X1", which stand for some of them. */
export interface Lit {
  readonly edges: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

type Listener = (lit: Lit) => void;

const NOTHING: Lit = { edges: new Set(), names: new Set() };

export const lit = (edges: Iterable<string>, names: Iterable<string> = []): Lit => ({ edges: new Set(edges), names: new Set(names) });

const known = new WeakMap<Show, Linked>();

export class Linked {
  readonly #listeners = new Set<Listener>();
  #pointed: Lit | null = null;
  #kept: Lit | null = null;

  /** The selection of a show. */
  static of(scene: Show): Linked {
    const found = known.get(scene) ?? new Linked();
    known.set(scene, found);
    return found;
  }

  /** What is pointed at, or else what was chosen. */
  get lit(): Lit {
    return this.#pointed ?? this.#kept ?? NOTHING;
  }

  hear(listener: Listener, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener));
  }

  /** The reader points at something; null: no longer at anything. */
  point(at: Lit | null): void {
    this.#pointed = at;
    this.#tell();
  }

  /** The reader chooses something, which stays lit until something else is; null: nothing. */
  keep(chosen: Lit | null): void {
    this.#kept = chosen;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.lit);
  }
}
