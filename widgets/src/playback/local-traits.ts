// The traits of a Player on a page without a kernel.

import type { Traits } from "../host.js";

export class LocalTraits {
  readonly live: boolean = false;
  readonly conducts = true;
  readonly #traits: Partial<Traits>;
  readonly #hearers = new Map<string, Set<() => void>>();

  constructor(traits: Partial<Traits> = {}) {
    this.#traits = { ...traits };
  }

  trait<K extends keyof Traits>(name: K): Traits[K] | undefined {
    return this.#traits[name];
  }

  tell<K extends keyof Traits>(name: K, value: Traits[K]): void {
    this.#traits[name] = value;
    this.notify(name);
  }

  hear(name: string, listener: () => void): () => void {
    const hearers = this.#hearers.get(name) ?? new Set();
    this.#hearers.set(name, hearers.add(listener));
    return () => hearers.delete(listener);
  }

  /** Call the listeners of a trait, or of the selection. */
  protected notify(name: string): void {
    for (const listener of this.#hearers.get(name) ?? []) listener();
  }

  dispose(): void {
    this.#hearers.clear();
  }
}
