// The floor of the Player: panels in columns that the reader can make wider, and as many columns as there is room for.

import { arrange } from "./arrange.js";
import { html, setAttribute } from "./dom.js";
import type { Panel, Run } from "./scene.js";

/** A key moves a border by this share of the width. */
const NUDGE = 0.03;
const SMALLEST = 0.12;

/** The other kinds say themselves what they are. */
const TITLES: Partial<Record<Panel["kind"], string>> = { tape: "Tape", table: "Evaluation trace", meters: "Meters" };

export interface Placed {
  readonly description: Panel;
  readonly element: HTMLElement;
}

export class Floor {
  readonly element = html("div", { class: "adviz-floor" });
  #sections: HTMLElement[] = [];
  #panels: readonly Placed[] = [];
  #columns: number[][] = [];
  /** Shares of the width, by the number of columns. */
  readonly #shares = new Map<number, number[]>([
    [1, [1]],
    [2, [0.58, 0.42]],
    [3, [0.46, 0.27, 0.27]],
  ]);

  constructor(readonly signal: AbortSignal) {
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => this.#arrange());
    observer.observe(this.element);
    signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  }

  put(panels: readonly Placed[], runs: readonly Run[]): void {
    this.#panels = panels;
    this.#sections = panels.map(({ description, element }) => section(description, element, runs));
    this.#columns = [];
    this.#arrange();
  }

  #arrange(): void {
    const columns = arrange(
      this.#panels.map(({ description }) => description),
      this.element.clientWidth || 900,
    );
    if (JSON.stringify(columns) === JSON.stringify(this.#columns)) return;
    this.#columns = columns;
    const elements = columns.map((column) => this.#column(column));
    this.element.replaceChildren(
      ...elements.flatMap((element, i) => (i ? [this.#border(i - 1, elements), element] : [element])),
    );
    this.#share(elements);
  }

  /** A column; graphs stand side by side in it. */
  #column(indices: readonly number[]): HTMLElement {
    const graphs = indices.filter((i) => this.#panels[i]!.description.kind === "graph");
    const others = indices.filter((i) => !graphs.includes(i));
    const of = (i: number): HTMLElement => this.#sections[i]!;
    const row = graphs.length ? html("div", { class: "adviz-graphs" }, ...graphs.map(of)) : null;
    return html("div", { class: "adviz-column" }, row, ...others.map(of));
  }

  #share(elements: readonly HTMLElement[]): void {
    this.#shares
      .get(elements.length)!
      .forEach((share, i) => elements[i]!.style.setProperty("flex-grow", String(share)));
  }

  /** What lies between two columns, and moves. */
  #border(left: number, elements: readonly HTMLElement[]): HTMLElement {
    const border = html("div", {
      class: "adviz-border",
      role: "separator",
      "aria-orientation": "vertical",
      "aria-label": "Width of the columns",
      tabindex: 0,
    });
    const shares = this.#shares.get(elements.length)!;
    const tell = (): void => setAttribute(border, "aria-valuenow", String(Math.round(100 * shares[left]!)));
    const widen = (by: number): void => {
      const most = shares[left]! + shares[left + 1]! - SMALLEST;
      const share = Math.min(Math.max(shares[left]! + by, SMALLEST), most);
      shares[left + 1]! += shares[left]! - share;
      shares[left] = share;
      this.#share(elements);
      tell();
    };
    tell();
    const { signal } = this;
    border.addEventListener(
      "keydown",
      (event) => {
        const by = { ArrowLeft: -NUDGE, ArrowRight: NUDGE }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        widen(by);
      },
      { signal },
    );
    border.addEventListener("pointerdown", (event) => border.setPointerCapture(event.pointerId), { signal });
    border.addEventListener(
      "pointermove",
      (event) => {
        if (border.hasPointerCapture(event.pointerId)) widen(event.movementX / (this.element.clientWidth || 1));
      },
      { signal },
    );
    return border;
  }
}

function section(description: Panel, content: HTMLElement, runs: readonly Run[]): HTMLElement {
  const run = "run" in description && runs.length > 1 ? runs.find(({ id }) => id === description.run)?.label : null;
  const title = TITLES[description.kind];
  const words = [title, run].filter(Boolean).join(": ");
  return html(
    "section",
    { class: "adviz-panel", "data-kind": description.kind, "aria-label": words || null },
    title ? html("h4", {}, words) : null,
    content,
  );
}
