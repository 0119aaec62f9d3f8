// The reader's own order: moves made by hand, what they cost so far, and what the best would be. A move drops what came
// after; undo and redo take whole moves. The Player plays the steps that the moves lead to.

import { fineCaption, foreseenCaption, formulaOf, scoreOf, whyIllegal, wholeCaption } from "./elimination-words.js";
import { type Elementary, Elimination } from "./elimination.js";
import { Fewest } from "./fewest.js";
import type { EliminationMove } from "../host.js";
import type { Sort, Staged } from "../panels/panel.js";
import type { Own, Show, Step } from "../scene/scene.js";
import { html, setAttribute } from "../ui/dom.js";

/** What moves lead to: the steps, and the number of them after each move. */
interface Timeline {
  readonly moves: readonly EliminationMove[];
  readonly steps: readonly Step[];
  readonly ends: readonly number[];
  /** The graph at the end. */
  readonly graph: Elimination;
}

/** The timeline of moves from the start; one that is not possible ends it. */
export function timelineOf(scene: Show, moves: readonly EliminationMove[]): Timeline {
  const graph = new Elimination(scene.own!);
  const found: { moves: EliminationMove[]; steps: Step[]; ends: number[] } = { moves: [], steps: [], ends: [] };
  for (const move of moves) {
    if (whyIllegal(graph, move)) break;
    found.steps.push(...stepsOf(scene, move, graph.make(move)));
    found.moves.push(move);
    found.ends.push(found.steps.length);
  }
  return { ...found, graph };
}

/** A move that was made as steps of the show. */
function stepsOf({ own, runs, panels }: Show, move: EliminationMove, elementary: readonly Elementary[]): Step[] {
  const run = runs[0]!.id;
  const places = panels.filter((panel) => panel.kind === "elimination" && panel.run === run);
  return elementary.map((each, i) => ({
    kind: each.kind,
    product: each.product,
    merge: each.merge,
    caption: fineCaption(own!, each),
    ...(i ? {} : { whole: wholeCaption(own!, move, elementary) }),
    edits: each.edits.map(([key, before, after]) => [`${run}/${key}`, before, after]),
    focus: places.flatMap(({ id }) => each.focus.map((key) => `${id}/${key}`)),
    cost: { ...each.cost, comparisons: 0, visits: 0 },
    run,
    node: null,
    edge: null,
    formula: formulaOf(own!, each),
    bytes: 0,
    peak: 0,
    coarse: !i,
    question: null,
  }));
}

/** Moves as Python takes them: `[3, 2]`, `[("front", 1, 3)]`, `[((0, 1), (1, 3))]`. */
export function listed({ texts }: Own, moves: readonly EliminationMove[]): string {
  const vertex = (j: string): string => texts?.[Number(j)] ?? j;
  const pair = (thing: string): string => {
    const [tail, head, twin] = thing.split(".") as [string, string, string?];
    return [vertex(tail), vertex(head), ...(twin ? [twin] : [])].join(", ");
  };
  const written = moves.map((move) => {
    if (move[0] === "vertex") return vertex(move[1]);
    return move[0] === "face" ? `((${pair(move[1])}), (${pair(move[2])}))` : `("${move[0]}", ${pair(move[1])})`;
  });
  return `[${written.join(", ")}]`;
}

/** What a move would do, and in words; no steps where it is not possible. */
export interface Foresight {
  readonly steps: readonly Step[];
  readonly words: string;
}

interface OwnEvents {
  /** The reader starts an order, or returns to the show. */
  opened(isOpen: boolean): void;
  /** There are other steps: stand at one cursor and play on to another. */
  changed(from: number, to: number): void;
  go(cursor: number): void;
  say(words: string): void;
  /** Save the page with the order; absent where Python does that. */
  keep?(): unknown;
}

const INVITATIONS: Record<Own["technique"], string> = {
  vertex: "Your own order: choose an intermediate to eliminate it.",
  edge: "Your own order: choose the right half of a label for front elimination, the left half for back elimination.",
  face: "Your own order: choose a face, which is a line between two labels, to eliminate it.",
};

const BUTTONS = [
  ["toggle", "Your own order", "Eliminate by hand, in an order of your own"],
  ["undo", "Undo", "Take back the last move (u)"],
  ["redo", "Redo", "Make it again (U)"],
  ["anew", "Start over", "Take back all moves"],
  ["copy", "Copy order", "Copy the moves as a list for Python"],
  ["keep", "Save page", "Save this page with your order in it"],
] as const;

/** Descriptions of the keys while an order is made. */
export const KEYS_OF_OWN: readonly (readonly [keys: string, meaning: string])[] = [
  ["↑ ↓ ← →", "your own order: move through a picture"],
  ["Enter", "your own order: eliminate it"],
  ["u U", "your own order: undo, redo (also Ctrl+Z, Ctrl+Shift+Z)"],
];

type Act = (typeof BUTTONS)[number][0];

export class OwnOrder {
  readonly element: HTMLElement;
  readonly #score = html("span.adviz-own-score", { role: "status" });
  readonly #buttons = new Map<Act, HTMLElement>();
  readonly #own: Own;
  readonly #fewest: Fewest;
  #timeline: Timeline;
  #cursor = 0;
  #isOpen = false;

  constructor(
    readonly scene: Show,
    readonly events: OwnEvents,
    signal: AbortSignal,
  ) {
    this.#own = scene.own!;
    this.#fewest = new Fewest(this.#own);
    this.#timeline = timelineOf(scene, []);
    for (const [act, words, title] of BUTTONS)
      this.#buttons.set(act, html("button.adviz-command", { "data-own": act, title }, words));
    this.element = html(
      "div.adviz-own",
      { role: "group", "aria-label": "Your own order" },
      ...this.#buttons.values(),
      this.#score,
    );
    this.element.addEventListener("click", (event) => this.#click(event), { signal });
    this.show(0);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get steps(): readonly Step[] {
    return this.#timeline.steps;
  }

  get invitation(): string {
    return INVITATIONS[this.#own.technique];
  }

  /** The moves made up to the cursor; one that is under way belongs to them. */
  get moves(): readonly EliminationMove[] {
    const begun = [0, ...this.#timeline.ends].filter((end) => end < this.#cursor).length;
    return this.#timeline.moves.slice(0, begun);
  }

  get cost(): number {
    return sum(this.steps.slice(0, this.#cursor));
  }

  /** Start with given moves, or return to the show. */
  set(isOpen: boolean, moves: readonly EliminationMove[] = this.#timeline.moves): void {
    this.#isOpen = isOpen;
    this.#timeline = timelineOf(this.scene, moves);
    this.events.opened(isOpen);
  }

  show(cursor: number): void {
    this.#cursor = cursor;
    const { ends, graph } = this.#timeline;
    const able = { toggle: true, undo: cursor > 0, redo: cursor < (ends.at(-1) ?? 0), anew: cursor > 0, copy: cursor > 0, keep: cursor > 0 };
    for (const [act, button] of this.#buttons) {
      button.hidden = (act !== "toggle" && !this.#isOpen) || (act === "keep" && !this.events.keep);
      setAttribute(button, "aria-disabled", able[act] ? null : "true");
    }
    setAttribute(this.#buttons.get("toggle")!, "aria-pressed", String(this.#isOpen));
    const isEnd = graph.isFinished && !able.redo;
    this.#score.textContent = this.#isOpen ? scoreOf(this.#own, this.cost, isEnd) : "";
  }

  /** Something was chosen. Returns whether it was a move; if not, a caption says what would be one. */
  take(sort: Sort, thing: string): boolean {
    if (!this.#isOpen) return false;
    const move = this.#moveOf(sort, thing);
    if (move) this.#try(move);
    else this.events.say(this.invitation);
    return move !== null;
  }

  /** What choosing something would do where the cursor is; null where it is no move, or another is under way. */
  foresee(sort: Sort, thing: string): Foresight | null {
    const move = this.#isOpen ? this.#moveOf(sort, thing) : null;
    const { graph, steps } = timelineOf(this.scene, this.moves);
    if (!move || steps.length !== this.#cursor) return null;
    const reason = whyIllegal(graph, move);
    if (reason) return { steps: [], words: reason };
    const least = this.#fewest.from(graph);
    const elementary = graph.make(move);
    const rest = this.#fewest.from(graph);
    const spent = this.cost + sum(elementary);
    const totals = least === null || rest === null ? null : ([this.cost + least, spent + rest] as const);
    return { steps: stepsOf(this.scene, move, elementary), words: foreseenCaption(this.#own, move, elementary, totals) };
  }

  #moveOf(sort: Sort, thing: string): EliminationMove | null {
    const isMove = this.#own.technique === (sort === "front" || sort === "back" ? "edge" : sort);
    return isMove ? ([sort, ...thing.split("/")] as unknown as EliminationMove) : null;
  }

  undo(): void {
    this.events.go([0, ...this.#timeline.ends].filter((end) => end < this.#cursor).at(-1) ?? 0);
  }

  redo(): void {
    this.events.go(this.#timeline.ends.find((end) => end > this.#cursor) ?? this.#cursor);
  }

  /** Make a move where the cursor is, or say why it is not possible. */
  #try(move: EliminationMove): void {
    const { graph, steps } = timelineOf(this.scene, this.moves);
    const reason = whyIllegal(graph, move);
    if (reason) return this.events.say(reason);
    this.#timeline = timelineOf(this.scene, [...this.moves, move]);
    this.events.changed(steps.length, this.steps.length);
  }

  /** Whether a key is taken here: while an order is made arrows and Enter are for what is in the pictures. */
  takesKey(event: KeyboardEvent): boolean {
    const { key, target } = event;
    const isWithin = target instanceof Element && target.closest(".adviz-elimination") !== null;
    if (isWithin && (key.startsWith("Arrow") || key === "Enter")) return true;
    const undoes = event.ctrlKey || event.metaKey ? "z" : "u";
    if (event.altKey || key.toLowerCase() !== undoes) return false;
    event.preventDefault();
    if (key === "U" || event.shiftKey) this.redo();
    else this.undo();
    return true;
  }

  #click(event: Event): void {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-own]") : null;
    if (button && !button.hasAttribute("aria-disabled")) this.#acts[button.dataset["own"] as Act]();
  }

  readonly #acts: Record<Act, () => void> = {
    toggle: () => this.set(!this.#isOpen),
    undo: () => this.undo(),
    redo: () => this.redo(),
    anew: () => this.events.go(0),
    copy: () => this.#copy(),
    keep: () => this.events.keep?.(),
  };

  /** Where a page may not write to the clipboard, the list is there to be read. */
  #copy(): void {
    const words = listed(this.#own, this.moves);
    this.events.say(`Your order: ${words}`);
    void navigator.clipboard?.writeText(words).catch(() => undefined);
  }
}

/** Shown where the reader can make no order: why, and what to write to make it possible. */
export const noOwn = ({ why_not_own: why }: Show): HTMLElement | null =>
  why ? html("p.adviz-own.adviz-muted", why) : null;

const sum = (steps: readonly { cost: { multiplications: number } }[]): number =>
  steps.reduce((total, { cost }) => total + cost.multiplications, 0);

/** The show in which an order is made: of the first run, with the meters open, and as large as the show was. */
export function stagedForOwn(scene: Show): Staged {
  const run = scene.runs[0]!;
  const panels = scene.panels
    .filter((panel) => !("run" in panel) || panel.run === run.id)
    .map((panel) => (panel.kind === "meters" ? { ...panel, isOpen: true } : panel));
  return { ...scene, runs: [run], panels, shown: scene.steps };
}
