// Captions of the steps just taken, and how long they are read.

import { isRace } from "./levels.js";
import type { Level, Playback } from "../playback/playback.js";
import { partsOf } from "../playback/runs.js";
import type { Part, Rest, Show, Step } from "../scene/scene.js";
import { html, onResize } from "../ui/dom.js";
import { typeset } from "../ui/typesetting.js";

/** Sentences of a coarse step that are shown. */
const MOST_SENTENCES = 4;

/** The step that represents several: the last product, since a coarse step is about the node of its products. */
export function leading(taken: readonly Step[]): Step | null {
  const last = (holds: (step: Step) => boolean): Step | undefined => taken.filter(holds).at(-1);
  return last(({ kind }) => kind === "product") ?? last(({ formula }) => formula !== null) ?? taken.at(-1) ?? null;
}

/** The captions of several steps, each sentence once. */
export function sentences(taken: readonly Step[]): string {
  const told = taken.filter(({ kind }, i) => i === 0 || kind === "accumulate");
  const captions = [...new Set((taken.length === told.length ? taken : told).map(({ caption }) => caption))];
  const left = captions.length - MOST_SENTENCES;
  return [...captions.slice(0, MOST_SENTENCES), left > 0 ? `And ${left} more.` : ""].join(" ").trim();
}

/** Write what is said at a cursor: of several sweeps side by side what each does, else the words where the show rests. */
export function tell(caption: HTMLElement, show: Show, playback: Playback, level: Level, words: string, rest: Rest | null): void {
  const { cursor } = playback;
  if (isRace(show) && cursor) caption.replaceChildren(...sideBySide(show, playback.before(level), cursor, level === "nodes"));
  else caption.replaceChildren(rest ? html("span", ...typeset(words, rest.marks)) : words);
}

/** Of a step or a coarse one, what each of several runs does: beside each other. A run that waits says what it did last. */
export function sideBySide({ runs, steps }: Show, from: number, cursor: number, isWhole: boolean): HTMLElement[] {
  return runs.map((run) => {
    const parts = (some: readonly Step[]): Part[] => some.flatMap(partsOf).filter((part) => part.run === run.id);
    const now = parts(steps.slice(from, cursor));
    const told = now.length ? now : parts(steps.slice(0, cursor)).slice(-1);
    const whole = isWhole && now[0]?.whole;
    const words = whole ? [whole] : told.map(({ caption }) => caption);
    const title = run.label[0]!.toUpperCase() + run.label.slice(1);
    return html("span", { "data-waits": !now.length }, html("b", title), ...words.map((each) => ` ${each.replace(`${title}: `, "")}`));
  });
}

/** Milliseconds for reading a caption: at least, and for each character. */
const READING = 1300;
const CHARACTER = 38;

export const reading = (caption: string): number => Math.max(READING, CHARACTER * caption.length);

/** The width of a character as a share of the size of the font, how many a line loses at its end, and the most lines. */
const WIDE = 0.52;
const LOST = 4;
const MOST_LINES = 10;
/** Characters of the name of a run. */
const LABEL = 20;

/**
 * Give the captions of a told sweep the lines that the longest takes, so that the panels above stay where they are; returns
 * what does so again, where coarse steps are told or not any more.
 */
export function keepRoom(caption: HTMLElement, { steps, runs }: Show, signal: AbortSignal): (isCoarse: boolean) => void {
  const rests = steps.flatMap(({ rests }) => Object.values(rests ?? {}).flat());
  const parts = runs.length > 1 ? steps.flatMap(partsOf) : [];
  const longestOf = (isCoarse: boolean): number => Math.max(
    ...[0, ...rests.map((rest) => rest?.caption.length ?? 0)],
    ...parts.map((part) => runs.length * (((isCoarse && part.whole) || part.caption).length + LABEL)),
  );
  let longest = longestOf(false);
  const fit = (): void => {
    const { fontSize, paddingLeft } = getComputedStyle(caption);
    const [size, room] = [parseFloat(fontSize), caption.clientWidth - 2 * parseFloat(paddingLeft)];
    if (room > 0) caption.style.setProperty("--lines", String(Math.min(MOST_LINES, Math.max(2, Math.ceil(longest / (room / (WIDE * size) - LOST))))));
  };
  if (longest) onResize(caption, signal, fit);
  return (isCoarse) => {
    longest = longestOf(isCoarse);
    fit();
  };
}
