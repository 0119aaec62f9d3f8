// The code panel: the user's source, where the sub-expression of the current step is marked.

import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import { Source } from "./source.js";
import { partsOf } from "../playback/runs.js";
import type { CodePanel as Description } from "../scene/scene.js";
import { closest, html, listen, onResize } from "../ui/dom.js";

export class CodePanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #source: Source;
  #stops: ReadonlySet<string> = new Set();

  constructor(_description: Description, context: PanelContext) {
    const { graph, signal } = context;
    this.#source = new Source(graph, { select: context.select, preview: () => undefined }, signal);
    this.element = html("div.adviz-codepanel", this.#source.element);
    listen(this.element, signal, {
      dblclick: (event) => this.#toggle(event, context),
      change: () => this.#showStops(),
    });
    onResize(this.element, signal, () => this.#source.settle());
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
