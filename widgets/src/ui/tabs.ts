// Panels of which one is shown at a time, by tabs that follow the WAI-ARIA pattern.

import { dataOf, html, listen, setAttribute } from "./dom.js";

export class Tabs {
  readonly element: HTMLElement;
  readonly #buttons: HTMLElement[];
  readonly #panels: HTMLElement[];

  constructor(
    prefix: string,
    readonly entries: readonly (readonly [name: string, content: HTMLElement])[],
    signal: AbortSignal,
  ) {
    this.#buttons = entries.map(([name], i) =>
      html(
        "button.adviz-tab",
        { role: "tab", id: `${prefix}-tab-${i}`, "aria-controls": `${prefix}-panel-${i}`, "data-tab": i },
        name,
      ),
    );
    this.#panels = entries.map(([, content], i) =>
      html(
        "div.adviz-tabpanel",
        { role: "tabpanel", id: `${prefix}-panel-${i}`, "aria-labelledby": `${prefix}-tab-${i}`, tabindex: 0 },
        content,
      ),
    );
    const list = html("div.adviz-tabs", { role: "tablist" }, ...this.#buttons);
    this.element = html("div.adviz-tabbed", list, ...this.#panels);
    listen(list, signal, {
      click: (event) => {
        const tab = dataOf(event, "tab");
        if (tab !== undefined) this.#open(Number(tab));
      },
      keydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const at = this.#buttons.indexOf(event.target as HTMLElement);
        if (!step || at < 0) return;
        const next = (at + step + this.#buttons.length) % this.#buttons.length;
        this.#open(next);
        this.#buttons[next]!.focus();
      },
    });
    this.#open(0);
  }

  open(name: string): void {
    this.#open(this.entries.findIndex(([entry]) => entry === name));
  }

  #open(index: number): void {
    if (index < 0) return;
    this.#buttons.forEach((button, i) => {
      setAttribute(button, "aria-selected", String(i === index));
      setAttribute(button, "tabindex", i === index ? "0" : "-1");
    });
    this.#panels.forEach((panel, i) => {
      panel.hidden = i !== index;
    });
  }
}
