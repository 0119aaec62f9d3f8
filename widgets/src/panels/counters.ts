// What an engine keeps at a node for the order of its work, in words.

import { brief } from "../scene/values.js";

/** The number of contributions a node waits for is shown in it until there is a value. */
export const AWAITED = "times_used";
export const awaits = (value: unknown): string => (value ? `awaits ${brief(value)}` : "");

export const COUNTERS: readonly (readonly [what: string, words: (value: unknown) => string])[] = [
  [AWAITED, awaits],
  ["times_visited", (value) => `got ${brief(value)}`],
  ["rank", (value) => `rank ${brief(value)}`],
  ["flag", (value) => (value ? "flagged" : "")],
  ["references", (value) => `held ×${brief(value)}`],
];
