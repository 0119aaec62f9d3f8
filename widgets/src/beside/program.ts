// The backward program under the source: under each statement its lines, of which those are seen that have been run.

import { type Known } from "./beside.js";
import type { Below } from "../panels/source.js";
import type { ProgramLine } from "../scene/document.js";
import { html, setAttribute } from "../ui/dom.js";

export class Program implements Below {
  readonly spans = [];
  readonly #lines: (readonly [line: ProgramLine, element: HTMLElement])[];

  constructor(lines: readonly ProgramLine[]) {
    this.#lines = lines.map((line) => [line, html("code", line.text)]);
  }

  below(file: number, line: number): HTMLElement | null {
    const here = this.#lines.filter(({ 0: { at } }) => at[0] === file && at[1] === line);
    return here.length ? html("div.adviz-program", ...here.map(([, element]) => element)) : null;
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
  }
}
