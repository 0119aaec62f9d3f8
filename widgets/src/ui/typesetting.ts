// Sentences with mathematics in them.

import { html } from "./dom.js";
import { mathematics } from "./format.js";

/** From where to where a text is mathematics: a result with its sign, or null for a formula. */
export type TextMark = readonly [start: number, end: number, sign: number | null];

/** A text with its names and formulas in the letters of mathematics, and its results in the hue of their sign. */
export function typeset(text: string, marks: readonly TextMark[] = []): (Node | string)[] {
  let done = 0;
  const parts = marks.flatMap(([start, end, sign]) => {
    const [before, marked] = [text.slice(done, start), text.slice(start, end)];
    done = end;
    return [before, sign === null ? html("var", ...mathematics(marked, (name) => html("i", name))) : html("b", { "data-value": sign }, marked)];
  });
  return [...parts, text.slice(done)];
}
