// A tree whose items light what they stand for: by the pointer, or by arrow keys, which go from item to item.

import type { Lit, Linked } from "./linked.js";
import { closest, consume, focusedIn, html, isModified, listen, onPoint } from "../ui/dom.js";

export class Tree {
  readonly element: HTMLElement;

  /** `litOf` tells what an item stands for. */
  constructor(name: "div.adviz-formulas" | "div.adviz-outline-rows", label: string, linked: Linked, signal: AbortSignal, litOf: (item: HTMLElement) => Lit | null) {
    this.element = html(name, { role: "tree", "aria-label": label });
    const at = (event: Event): HTMLElement | null => closest(event, "[role=treeitem]") as HTMLElement | null;
    const meant = (event: Event): Lit | null => {
      const item = at(event);
      return item && litOf(item);
    };
    onPoint(this.element, signal, (event) => linked.point(meant(event)), () => linked.point(null));
    listen(this.element, signal, {
      click: (event) => {
        linked.keep(meant(event));
        this.#focus(at(event));
      },
      keydown: (event) => {
        if (isModified(event)) return;
        if (event.key === "Enter") linked.keep(meant(event));
        const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!way) return;
        consume(event);
        const all = this.#items;
        this.#focus(all[all.indexOf(at(event)!) + way] ?? null);
      },
    });
  }

  get #items(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("[role=treeitem]")];
  }

  /** Show other items; if one had the focus, the first has it now. */
  fill(...content: Node[]): void {
    const hadFocus = focusedIn(this.element) !== null;
    this.element.replaceChildren(...content);
    const [first, ...others] = this.#items;
    for (const each of others) each.tabIndex = -1;
    if (first) first.tabIndex = 0;
    if (hadFocus) first?.focus({ preventScroll: true });
  }

  #focus(item: HTMLElement | null): void {
    if (!item) return;
    for (const each of this.#items) each.tabIndex = each === item ? 0 : -1;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }
}
