// The bench: the operation in play on arrays, with its matrices in numbers. One entry of the result is chosen, by pointing
// or by keys; what it is made of is outlined, and written out below.

import { inPlay, scenes } from "./playing.js";
import { isComputed, largest, placeOf, resultOf, spoken, sumOf } from "./sums.js";
import { type Cell, type Drawn, RAISED, drawn, heightOf } from "./tables.js";
import { Drawing } from "../motion/drawing.js";
import { seen, toldAt } from "../flow/lines.js";
import { type Mark, box } from "../motion/marks.js";
import { formula } from "../panels/formula-panel.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import { entryOf as numberOf } from "../picture/heat-map.js";
import type { Bench, BenchPanel as Description, BenchTable, FlowPanel, Formula } from "../scene/document.js";
import { panelOf } from "../scene/scene.js";
import { mathematics } from "../ui/format.js";
import { atEnd, closest, dataOf, html, isModified, listen, onResize, setAttribute, svg } from "../ui/dom.js";
import { typeset } from "../ui/typesetting.js";

/** How much larger than in the layout anything is at most. */
const LARGEST = 1.72;

/** How much smaller formulas get at most, and how often that is tried: their margins stay. */
const SMALLEST = 0.6;
const TRIES = 4;

/** What keys do on the bench, for the legend. */
export const KEYS_OF_BENCH: [keys: string, meaning: string][] = [
  ["[ ]", "the operation before, the next one of the step"],
  ["Tab, ← ↑ ↓ →", "to the matrices, and there to another entry"],
];

/** By which key the entry moves how many rows and columns. */
const ARROWS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
};

/** Let a line get smaller until nothing of it is cut; returns whether that is so. */
function fitted(line: HTMLElement): boolean {
  let fit = 1;
  for (let k = 0; k < TRIES; k++) {
    line.style.setProperty("--fit", String(fit));
    const { clientWidth, scrollWidth } = line;
    if (!clientWidth || scrollWidth <= clientWidth) return true;
    fit = Math.max(SMALLEST, (fit * clientWidth) / scrollWidth - 0.01);
  }
  return false;
}

/** What a formula begins with, which stands for it where it has no room: what is computed. */
const firstOf = (tree: Formula): Formula => (tree[0] === "row" ? firstOf(tree[1] as Formula) : tree);

/** The operations of lines, and those inside of them. */
const ofLines = ({ lines, inner = [] }: Description): readonly (readonly Bench[])[] => (lines ? [lines, ...inner] : []);

const all = (panel: Description): readonly Bench[] => [...panel.benches, ...ofLines(panel).flat()];

export class BenchPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #drawing = new Drawing();
  readonly #places = svg("g");
  readonly #picture = svg("svg", { "aria-hidden": "true" }, this.#drawing.element, this.#places);
  readonly #stage: HTMLElement;
  readonly #titles = html("div.adviz-operations");
  readonly #sum = html("p", { "aria-hidden": "true" });
  readonly #spoken = html("span.adviz-unseen", { "aria-live": "polite" });
  readonly #flow: FlowPanel | null;
  readonly #height: number;
  readonly #chosen = new Map<Bench, number>();
  #played: readonly Bench[] = [];
  #operation = 0;
  #isDone = true;
  /** The input, and its entry, that is nudged. */
  #nudged: readonly [input: number, entry: number] = [-1, 0];
  #pointed: number | null = null;
  /** For which operation there are places to point at, whether it was done, and the row whose own matrix is there. */
  #placed: readonly [Bench | null, boolean, number] = [null, true, 0];
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(
    readonly panel: Description,
    readonly context: PanelContext,
  ) {
    const { signal } = context;
    this.#flow = panelOf(context.scene, "flow");
    this.#height = heightOf(all(panel));
    this.#stage = html("div.adviz-tables", { tabindex: 0, role: "application", "aria-roledescription": "matrices" }, this.#picture);
    this.element = html("div.adviz-bench", { role: "group", "aria-label": "The operation in numbers", style: `--high:${this.#height}` }, this.#titles, this.#stage, this.#sum, this.#spoken);
    atEnd(signal, () => this.#timers.forEach(clearTimeout));
    onResize(this.#stage, signal, () => {
      this.#fit();
      this.#draw();
    });
    listen(this.#titles, signal, {
      click: (event) => {
        const operation = dataOf(event, "operation");
        if (operation) this.#turn(Number(operation));
      },
    });
    const entryOf = (event: Event): number | null => {
      const entry = dataOf(event, "entry");
      return entry === undefined ? null : Number(entry);
    };
    listen(this.#stage, signal, {
      pointerover: (event) => this.#point(entryOf(event)),
      pointerleave: () => this.#point(null),
      click: (event) => {
        const entry = entryOf(event);
        const [table, cell] = dataOf(event, "cell")?.split("/").map(Number) ?? [];
        if (entry !== null) this.#choose(entry);
        else if (cell !== undefined) this.#nudge(this.#bench!.tables[table!]!, cell);
      },
    });
  }

  get #bench(): Bench | null {
    return this.#played[this.#operation] ?? null;
  }

  /** The entry that is told: the one that is pointed at, the chosen one, or the largest. */
  get #entry(): number | null {
    const bench = this.#bench;
    if (!bench || !isComputed(bench)) return null;
    return this.#pointed ?? this.#chosen.get(bench) ?? largest(bench);
  }

  show({ cursor, taken, speed, level = "nodes", opened = [] }: Moment): void {
    const from = cursor ? cursor - (taken?.length ?? 1) : -1;
    this.#timers.forEach(clearTimeout);
    this.#timers = [];
    this.#played = inPlay(toldAt(this.#flow, this.panel.benches, ofLines(this.panel), level, opened), from, cursor);
    this.#pointed = null;
    const acts = speed && this.#flow ? scenes(seen(this.#flow, level, opened), this.#played, from, cursor) : [];
    this.#see(acts[0]?.operation ?? this.#played.length - 1, !acts.length);
    this.#timers = acts.map(({ at, operation, done }) => setTimeout(() => this.#see(operation, done), at / speed!));
  }

  mark(): void {}

  /** Keep the entries that were chosen where the same operations have other numbers. */
  adopt(other: PlayerPanel): void {
    if (!(other instanceof BenchPanel)) return;
    for (const [bench, entry] of other.#chosen) {
      const same = all(this.panel)[all(other.panel).indexOf(bench)];
      if (same && entry < resultOf(same).map.data.length) this.#chosen.set(same, entry);
    }
  }

  /** The operation before or after, by its keys; the entry, by arrows while the bench has the focus. */
  takesKey(event: KeyboardEvent): boolean {
    const bench = this.#bench;
    if (!bench || isModified(event) || closest(event, "input, select, textarea")) return false;
    const step = ["[", "]"].indexOf(event.key);
    if (step >= 0 && this.#played.length > 1) {
      this.#turn((this.#operation + 2 * step - 1 + this.#played.length) % this.#played.length);
      return true;
    }
    const arrow = ARROWS[event.key];
    const entry = this.#entry;
    if (!arrow || entry === null || !this.#stage.contains(event.target as Node)) return false;
    const { rows, columns } = resultOf(bench).map;
    const [row, column] = placeOf(bench, entry);
    const within = (place: number, count: number): number => Math.min(Math.max(place, 0), count - 1);
    this.#choose(within(row + arrow[0], rows.length) * columns.length + within(column + arrow[1], columns.length));
    return true;
  }

  /** Show one of the operations in play, as it stands at the end. */
  #turn(operation: number): void {
    this.#timers.forEach(clearTimeout);
    this.#pointed = null;
    this.#see(operation, true);
    this.#say();
  }

  #see(operation: number, isDone: boolean): void {
    this.#operation = operation;
    this.#isDone = isDone;
    this.#name();
    this.#draw();
  }

  #point(entry: number | null): void {
    if (entry === this.#pointed) return;
    this.#pointed = entry;
    this.#draw();
  }

  #choose(entry: number): void {
    this.#pointed = null;
    this.#chosen.set(this.#bench!, entry);
    this.#nudge(resultOf(this.#bench!), entry);
    this.#draw();
    this.#say();
  }

  /** The input that a table holds, or the derivative with respect to it; -1: none. */
  #inputOf({ name, mark }: BenchTable): number {
    const inputs = panelOf(this.context.scene, "nudge")?.inputs ?? [];
    return mark === "" || mark === "bar" ? (inputs.find((input) => input.name === name[0])?.input ?? -1) : -1;
  }

  #nudge(table: BenchTable, cell: number): void {
    const input = this.#inputOf(table);
    if (input >= 0) this.context.nudge?.(input, numberOf(table.map, cell));
  }

  nudge(...nudged: readonly [input: number, entry: number]): void {
    this.#nudged = nudged;
    this.#draw();
  }

  /** Outlines around the cells of the entry that is nudged, where nothing is computed. */
  #picked({ cells }: Drawn): Mark[] {
    const bench = this.#bench;
    if (!bench || isComputed(bench)) return [];
    const [input, entry] = this.#nudged;
    return cells.flatMap(({ table, entry: cell, x, y, w, h }) => {
      const each = bench.tables[table]!;
      const isPicked = this.#inputOf(each) === input && numberOf(each.map, cell) === entry;
      return isPicked ? [box(`picked/${table}`, { x: x + w / 2, y: y + h / 2, w: w + 2, h: h + 2 }, 4, "", "ink", 2.6)] : [];
    });
  }

  #say(): void {
    const [bench, entry] = [this.#bench, this.#entry];
    this.#spoken.textContent = bench && entry !== null ? spoken(bench, entry) : "";
  }

  /** The operations of the step by their formulas, as buttons where there are several. */
  #name(): void {
    const isChoice = this.#played.length > 1;
    const hasFocus = this.#titles.contains((this.element.getRootNode() as Document).activeElement);
    this.#titles.replaceChildren(
      ...this.#played.map(({ title }, k) => {
        const name = title[0] === "text" ? title[1] : formula(title);
        if (!isChoice) return html("div.adviz-equation", name);
        const label = typeof name === "string" ? name : name.textContent;
        const given = html("span.adviz-given", formula(firstOf(title)));
        return html("button.adviz-equation", { "data-operation": k, "aria-pressed": String(k === this.#operation), "aria-label": label }, name, given);
      }),
    );
    if (hasFocus) (this.#titles.children[this.#operation] as HTMLElement).focus({ preventScroll: true });
    this.#fit();
  }

  /** Set what has no room in its line smaller; where there is none even so, only one formula is written. */
  #fit(): void {
    setAttribute(this.#titles, "data-brief", null);
    if (fitted(this.#titles)) return;
    setAttribute(this.#titles, "data-brief", "");
    fitted(this.#titles);
  }

  #draw(): void {
    const [bench, entry] = [this.#bench, this.#entry];
    const picture = bench ? drawn(bench, entry, this.#isDone) : { marks: [], cells: [], width: 1 };
    this.#drawing.show([...picture.marks, ...this.#picked(picture)]);
    this.#measure(picture);
    const { clientWidth = 0, clientHeight = 0 } = this.#stage;
    const scale = Math.min(LARGEST, clientWidth / picture.width, clientHeight / this.#height) || 1;
    const [w, h] = [clientWidth / scale || picture.width, clientHeight / scale || this.#height];
    setAttribute(this.#picture, "viewBox", `0 ${-h / 2 - RAISED} ${w} ${h}`);
    const isByRow = bench?.tables.some(({ by_row }) => by_row);
    const placed = [bench, this.#isDone, isByRow && entry !== null ? placeOf(bench!, entry)[0] : 0] as const;
    const isOther = placed.some((each, k) => each !== this.#placed[k]);
    this.#placed = placed;
    // What is pointed at stays.
    if (isOther) this.#places.replaceChildren(...picture.cells.map((cell) => this.#place(cell)));
    const sum = bench && entry !== null && this.#isDone ? sumOf(bench, entry) : null;
    this.#sum.replaceChildren(...(sum ? [html("var", { "data-mark": sum.mark }, ...mathematics(sum.name, (name) => html("i", name))), ...typeset(sum.text, sum.marks)] : []));
    fitted(this.#sum);
    setAttribute(this.#stage, "aria-label", bench && entry !== null ? spoken(bench, entry) : "Matrices");
  }

  /** A place to point at, over a cell: it tells its number with more digits. */
  #place({ table, entry, value, x, y, w, h }: Cell): SVGRectElement {
    const isResult = this.#bench && table === this.#bench.tables.length - 1 && isComputed(this.#bench);
    return svg("rect", { x, y, width: w, height: h, "data-entry": isResult && this.#isDone ? entry : null, "data-cell": `${table}/${entry}` }, svg("title", String(value).replaceAll("-", "−")));
  }

  /** Let bars be as long as the names below them are in the fonts of the page. */
  #measure({ marks }: Drawn): void {
    const elements = this.#drawing.element.children;
    marks.forEach((mark, k) => {
      if (!mark.key.startsWith("bar/") || mark.type !== "curve") return;
      const long = (elements[k - 1] as SVGTextElement).getComputedTextLength?.();
      const [x, y] = mark.points.slice(-2);
      if (long) elements[k]!.setAttribute("d", `M${x! - long} ${y}H${x}`);
    });
  }
}
