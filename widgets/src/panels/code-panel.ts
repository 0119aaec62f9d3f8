// The code panel: the user's source, where the sub-expression of the current step is marked.

import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import { Source } from "./source.js";
import { partsOf } from "../playback/runs.js";
import type { CodePanel as Description } from "../scene/scene.js";
import { closest, html } from "../ui/dom.js";

export class CodePanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #source: Source;
  #stops: ReadonlySet<string> = new Set();

  constructor(_description: Description, context: PanelContext) {
    const { graph, signal } = context;
    this.#source = new Source(graph, { select: context.select, preview: () => undefined }, signal);
    this.element = html("div", { class: "adviz-codepanel" }, this.#source.element);
    this.element.addEventListener("dblclick", (event) => this.#toggle(event, context), { signal });
    this.element.addEventListener("change", () => this.#showStops(), { signal });
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => this.#source.settle());
    observer.observe(this.element);
    signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  }

  /** What is in sight depends on the step alone, so that going back shows the same. */
  show({ step }: Moment): void {
    this.#source.rewind();
    const nodes = step ? partsOf(step).map(({ node }) => node) : [];
    this.#source.mark(nodes.filter((node) => node !== null));
    if (this.#stops.size) this.#showStops();
  }

  mark(nodes: readonly number[]): void {
    this.#source.preview(nodes);
  }

  breaks(_nodes: ReadonlySet<number>, names: readonly string[]): void {
    this.#stops = new Set(names);
    this.#showStops();
  }

  #toggle(event: Event, context: PanelContext): void {
    const line = closest(event, "[data-line]")?.dataset["line"];
    if (line !== undefined) context.toggleBreakpoint(`line:${line}`);
  }

  #showStops(): void {
    for (const number of this.element.querySelectorAll<HTMLElement>("[data-line]"))
      number.classList.toggle("adviz-line-stop", this.#stops.has(`line:${number.dataset["line"]}`));
  }
}
