// The backward program below the source, in the order in which it runs: of its lines those are seen that have been run.

import { type Known } from "./beside.js";
import type { ProgramLine } from "../scene/document.js";
import { html, reveal, setAttribute } from "../ui/dom.js";

export class Program {
  readonly element: HTMLElement;
  readonly #lines: (readonly [line: ProgramLine, element: HTMLElement])[];

  constructor(lines: readonly ProgramLine[]) {
    this.#lines = lines.map((line) => [line, html("code", line.text)]);
    this.element = html("div.adviz-program", { role: "group", "aria-label": "Backward program" }, html("h4", "Backward program"), ...this.#lines.map(([, element]) => element));
  }

  /** Show what has been run; of a statement that is run several times what the sweep is at, and first the last of them. */
  show({ isEnded, whole, played }: Known): void {
    const runs = new Map<string, number>();
    for (const [{ node, at }, element] of this.#lines) {
      const [place, isRun] = [`${at[0]}/${at[1]}`, isEnded || whole.has(node)];
      if (at[2] && (isRun || !runs.has(place))) runs.set(place, at[2]);
      setAttribute(element, "data-hidden", isRun ? null : "");
      setAttribute(element, "data-play", played.some(({ kind, nodes }) => kind !== "result" && nodes.includes(node)));
    }
    for (const [{ at }, element] of this.#lines) element.hidden = !!at[2] && at[2] !== runs.get(`${at[0]}/${at[1]}`);
    const last = this.#lines.filter(([, { hidden, dataset }]) => !hidden && !("hidden" in dataset)).at(-1)?.[1];
    if (last) reveal(this.element, last);
    else this.element.scrollTop = 0;
  }
}
