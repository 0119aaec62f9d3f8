// The controls of the Player: buttons, the slider over all steps, speed, and which key means which command.

import { dataOf, html, isModified, listen, setAttribute, svg } from "./dom.js";
import { count } from "./format.js";
import { type TextMark, typeset } from "./typesetting.js";

export type Command =
  | "start"
  | "back"
  | "play"
  | "forward"
  | "end"
  | "faster"
  | "slower"
  | "loop"
  | "grain"
  | "teach"
  | "present"
  | "above"
  | "below"
  | "keys"
  | "breakpoint"
  | "run"
  | "leave";

const KEYS: Record<string, Command> = {
  " ": "play",
  ArrowLeft: "back",
  ArrowRight: "forward",
  PageUp: "back",
  PageDown: "forward",
  Home: "start",
  End: "end",
  "+": "faster",
  "=": "faster",
  "-": "slower",
  b: "breakpoint",
  r: "run",
  c: "grain",
  l: "loop",
  p: "present",
  "?": "keys",
  Escape: "leave",
};

/** Keys in presenter view: one key steps, others scroll to the panels that do not fit. */
const PRESENTING: Record<string, Command> = { " ": "forward", Enter: "forward", ArrowUp: "above", ArrowDown: "below" };

/** The command of a key; null where the key belongs to the browser or to the focused element. */
export function commandOf(event: KeyboardEvent, presenting: boolean): Command | null {
  if (isModified(event) || (event.shiftKey && !"+?".includes(event.key))) return null;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input:not(.adviz-slider), select, textarea, [role=separator]")) return null;
  // Characters typed ahead of the next question are not commands.
  if (event.key.length === 1 && event.key !== " " && target?.closest(".adviz-quiz")) return null;
  if ((event.key === " " || event.key === "Enter") && target?.closest("button, a, summary")) return null;
  return (presenting ? PRESENTING[event.key] : undefined) ?? KEYS[event.key] ?? null;
}

/** Descriptions of the keys. */
const WORDS: readonly (readonly [keys: string, meaning: string])[] = [
  ["space", "play, pause"],
  ["← →", "step back, step forward"],
  ["Home End", "to the start, to the end"],
  ["+ −", "faster, slower"],
  ["c", "coarser or finer steps"],
  ["l", "loop"],
  ["r", "run to the selected node"],
  ["b", "set a stop at the selected node, or take it away"],
  ["p", "present; then Space and Enter step"],
  ["Esc", "leave the presentation"],
  ["f", "in the graph: fit all of it"],
  ["?", "these keys"],
];

/** Descriptions of the keys of a show; sweeps and eliminations are always seen as a whole. */
export const wordsOf = ({ panels }: { readonly panels: readonly { readonly kind: string }[] }): typeof WORDS =>
  WORDS.filter(([key]) => key !== "f" || panels.some(({ kind }) => kind === "graph"));

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;

/** The next higher or lower speed, clamped to the range. */
export function nextSpeed(speed: number, direction: 1 | -1): number {
  const others = SPEEDS.filter((other) => (direction > 0 ? other > speed : other < speed));
  return (direction > 0 ? others[0] : others.at(-1)) ?? speed;
}

/** A cursor at which the show rests, with its name, what is mathematics in it, and the line that it is about. */
export type Stop = readonly [cursor: number, name: string, marks?: readonly TextMark[] | undefined, line?: string | undefined];

/** More rests than these are put together. */
const MOST_STOPS = 16;

/** Rests, each by itself; where there are many, those that are about the same line together, and neighbors. */
export function inGroups(stops: readonly Stop[]): Stop[][] {
  const many = stops.length > MOST_STOPS;
  const runs: Stop[][] = [];
  for (const stop of stops) {
    const last = runs.at(-1);
    if (many && last && stop[3] !== undefined && last[0]![3] === stop[3]) last.push(stop);
    else runs.push([stop]);
  }
  const size = Math.ceil(runs.length / MOST_STOPS);
  return runs.flatMap((_, k) => (k % size ? [] : [runs.slice(k, k + size).flat()]));
}

/** What the controls show. */
export interface Standing {
  readonly cursor: number;
  readonly length: number;
  readonly playing: boolean;
  readonly speed: number;
  readonly loop: boolean;
  readonly level: string;
  /** Where the show rests; none without names. */
  readonly stops: readonly Stop[];
  readonly teach: boolean;
  readonly presenting: boolean;
  readonly keys: boolean;
  readonly caption: string;
}

interface ControlEvents {
  command(command: Command): void;
  /** The slider was moved. */
  scrub(cursor: number): void;
  speed(value: number): void;
  level(name: string): void;
}

/** Drawings of 16 × 16. */
const ICONS = {
  start: "M1.5 3h1.7v10H1.5zM9 3v10L3.8 8zM14.5 3v10L9.3 8z",
  back: "M12 3h1.7v10H12zM10.5 3v10L4 8z",
  play: "M4 2.5v11L14 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M2.3 3H4v10H2.3zM5.5 3v10L12 8z",
  end: "M12.8 3h1.7v10h-1.7zM7 3v10l5.2-5zM1.5 3v10l5.2-5z",
} as const;

const icon = (path: string): SVGSVGElement =>
  svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d: path }));

const BUTTONS = [
  ["start", "To the start (Home)"],
  ["back", "Step back (←)"],
  ["play", "Play (space)"],
  ["forward", "Step forward (→)"],
  ["end", "To the end (End)"],
] as const;

type Levels = readonly (readonly [level: string, words: string, title: string])[];

type Button = readonly [words: string, label: string];

const togglesOf = (coarse: Button | null): (readonly [command: string, ...Button])[] => [
  ...(coarse ? [["grain", ...coarse] as const] : []),
  ["loop", "Loop", "Begin again at the end (l)"],
  ["teach", "Ask me", "Teaching mode: guess values before they are shown"],
  ["present", "Present", "Large and full screen (p); there ↑ and ↓ turn to more panels"],
  ["keys", "Keys", "What the keys do (?)"],
];

/** A rest by its name; or several, each a bar, below which stands what they have in common, and the name of the present one. */
function itemOf(group: readonly Stop[]): HTMLElement {
  const [[stop, name, marks, line]] = group as [Stop];
  if (group.length === 1) return html("li", html("button", { "data-stop": stop, title: name }, ...typeset(name, marks)));
  const bars = group.map(([at, called]) => html("button", { "data-stop": at, title: called, "aria-label": called }));
  return html("li.adviz-group", { style: `flex-grow: ${Math.sqrt(group.length)}` }, html("div", ...bars), html("span", line ?? name, html("b")));
}

export class Controls {
  readonly element: HTMLElement;
  readonly #slider: HTMLInputElement;
  readonly #counter = html("output.adviz-step-count");
  readonly #speed: HTMLSelectElement;
  readonly #buttons = new Map<string, HTMLElement>();

  readonly #levels: HTMLElement | null;
  readonly #stops = html("ol.adviz-stops", { "aria-label": "Steps" });

  /** `levels` are what the reader chooses the detail from; without any, `coarse` is the button of coarse steps. */
  constructor(events: ControlEvents, teachable: boolean, signal: AbortSignal, levels: Levels | null = null, coarse: Button | null = null) {
    this.#slider = html("input.adviz-slider", { type: "range", min: 0, step: 1, "aria-label": "Step" });
    this.#speed = html("select.adviz-speed", { "aria-label": "Speed", title: "Speed (+ and −)" });
    for (const speed of SPEEDS) this.#speed.append(html("option", { value: speed }, `${speed}×`));
    const button = (command: string, title: string, label: string | null, content: Node | string): HTMLElement => {
      const element = html("button.adviz-command", { "data-command": command, title, "aria-label": label }, content);
      this.#buttons.set(command, element);
      return element;
    };
    const toggles = togglesOf(levels ? null : coarse).filter(([command]) => command !== "teach" || teachable);
    this.#levels = levels && html(
      "div.adviz-levels",
      { role: "group", "aria-label": "Level of detail" },
      ...levels.map(([level, words, title]) => html("button", { "data-level": level, title }, words)),
    );
    this.element = html(
      "div.adviz-playbar",
      { role: "group", "aria-label": "Controls" },
      this.#slider,
      this.#stops,
      html("div.adviz-buttons", ...BUTTONS.map(([command, label]) => button(command, label, label, icon(ICONS[command])))),
      this.#counter,
      this.#speed,
      this.#levels,
      html("div.adviz-toggles", ...toggles.map(([command, words, title]) => button(command, title, null, words))),
    );
    listen(this.element, signal, {
      click: (event) => {
        const command = dataOf(event, "command");
        if (command) events.command(command as Command);
        const level = dataOf(event, "level");
        if (level) events.level(level);
        const stop = dataOf(event, "stop");
        if (stop) events.scrub(Number(stop));
      },
    });
    listen(this.#slider, signal, { input: () => events.scrub(Number(this.#slider.value)) });
    listen(this.#speed, signal, { change: () => events.speed(Number(this.#speed.value)) });
  }

  show(standing: Standing): void {
    const { cursor, length, playing, speed, caption } = standing;
    setAttribute(this.#slider, "max", String(length));
    this.#slider.value = String(cursor);
    setAttribute(this.#slider, "aria-valuetext", `Step ${cursor} of ${length}. ${caption}`);
    this.#showStops(standing);
    this.#showSpeed(speed);
    this.#showPlaying(playing);
    const pressed = {
      loop: standing.loop,
      grain: standing.level === "nodes",
      teach: standing.teach,
      present: standing.presenting,
      keys: standing.keys,
    };
    for (const [command, on] of Object.entries(pressed))
      if (this.#buttons.has(command)) setAttribute(this.#buttons.get(command)!, "aria-pressed", String(on));
    for (const command of ["start", "back"]) this.#able(command, cursor > 0);
    for (const command of ["forward", "end"]) this.#able(command, cursor < length);
  }

  /** Rests with names are chosen by their names, or in a group that has one; without any the slider has all cursors. */
  #showStops({ stops, cursor, length, level }: Standing): void {
    const present = stops.filter(([stop]) => stop <= cursor).length - 1;
    this.#counter.textContent = stops.length
      ? `${count(present + 1)} of ${count(stops.length)}`
      : `${count(cursor)} / ${count(length)}`;
    const isNamed = stops.length > 0;
    this.#slider.hidden = isNamed;
    this.#stops.hidden = !isNamed;
    for (const button of this.#levels?.children ?? []) setAttribute(button, "aria-pressed", String((button as HTMLElement).dataset["level"] === level));
    if (!isNamed) return;
    const names = stops.map(([stop, name]) => `${stop} ${name}`).join("\n");
    if (this.#stops.dataset["names"] !== names) {
      this.#stops.dataset["names"] = names;
      this.#stops.replaceChildren(...inGroups(stops).map(itemOf));
    }
    for (const name of this.#stops.querySelectorAll("b")) name.replaceChildren();
    [...this.#stops.querySelectorAll("[data-stop]")].forEach((button, i) => {
      button.toggleAttribute("data-past", i < present);
      setAttribute(button, "aria-current", i === present ? "step" : null);
      const name = button.closest("li")!.querySelector("b");
      if (i === present && name) name.replaceChildren(" ", ...typeset(stops[i]![1], stops[i]![2]));
    });
  }

  /** Not `disabled`, which would take the focus away from the button. */
  #able(command: string, able: boolean): void {
    setAttribute(this.#buttons.get(command)!, "aria-disabled", able ? null : "true");
  }

  #showSpeed(speed: number): void {
    const known = [...this.#speed.options].some(({ value }) => Number(value) === speed);
    if (!known) this.#speed.append(html("option", { value: speed }, `${speed}×`));
    this.#speed.value = String(speed);
  }

  #showPlaying(playing: boolean): void {
    const button = this.#buttons.get("play")!;
    const label = playing ? "Pause (space)" : "Play (space)";
    if (button.ariaLabel === label && button.firstChild) return;
    button.title = button.ariaLabel = label;
    button.replaceChildren(icon(playing ? ICONS.pause : ICONS.play));
  }
}
