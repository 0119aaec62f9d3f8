// The floor of the Player: panels in columns, as many as there is room for, with borders that the reader can move.

import { aboveAll, across as columnsFor, arrange, left, shares } from "./arrange.js";
import { isOfOps } from "./levels.js";
import type { PlayerPanel } from "../panels/panel.js";
import type { Size } from "../picture/camera.js";
import { type GraphPanel, type Panel, type Run, isGraph } from "../scene/scene.js";
import { alike } from "../scene/values.js";
import { border } from "../ui/border.js";
import { html, listen, onResize, setAttribute } from "../ui/dom.js";

/** The least share of the width that a column keeps, and the least pixels of height that a panel does. */
const SMALLEST = 0.12;
const LOWEST = 48;

/** The height of the title of a sweep beside others, and what is seen of the panels below sweeps that take all the height. */
const [TITLE, PEEP] = [34, 30];

/** The share of the height that a single picture above all other panels takes at least, and at most. */
const [LEAST_ABOVE, MOST_ABOVE] = [0.42, 0.58];
/** How many times as large as it must be text is above a bench before this has height that the picture could take. */
const LARGE = 1.27;

/** The other kinds have titles of their own. */
const TITLES: Partial<Record<Panel["kind"], string>> = { tape: "Tape", table: "Evaluation trace", meters: "Meters" };

export interface Placed {
  readonly description: Panel;
  readonly element: HTMLElement;
  readonly size?: PlayerPanel["size"] | undefined;
  readonly panel?: Pick<PlayerPanel, "prefers" | "sizeOn" | "heightAt">;
}

interface Framed extends Placed {
  readonly section: HTMLElement;
}

export class Floor {
  readonly element = html("div.adviz-floor");
  #all: readonly Framed[] = [];
  /** Those in sight. */
  #panels: readonly Framed[] = [];
  #sections: HTMLElement[] = [];
  #columns: number[][] = [];
  #above: number[] = [];
  #elements: HTMLElement[] = [];
  #times = 1;
  #isOfOps = false;
  #shares: number[] = [];
  /** The shares of the width that the reader has chosen, by the number of columns. */
  readonly #chosen = new Map<number, number[]>();

  constructor(readonly signal: AbortSignal) {
    onResize(this.element, signal, () => this.#arrange());
  }

  put(panels: readonly Placed[], runs: readonly Run[]): void {
    this.#isOfOps = isOfOps({ runs });
    const old = this.#all;
    this.#all = panels.map((panel) => ({ ...panel, section: section(panel.description, panel.element, runs) }));
    this.#all.forEach((each, i) => (each.section.style.cssText = old[i]?.section.style.cssText ?? ""));
    this.#choose(this.#all);
  }

  /** Let only such panels be in sight. */
  show(isShown: (panel: Panel) => boolean): void {
    const shown = this.#all.filter(({ description }) => isShown(description));
    if (shown.length !== this.#panels.length || shown.some((each, i) => each !== this.#panels[i])) this.#choose(shown);
  }

  #choose(panels: readonly Framed[]): void {
    this.#panels = panels;
    this.#sections = panels.map((each) => each.section);
    this.#columns = [];
    // For the style sheets: to look into the panels with :has() would cost a new style of everything in every frame.
    setAttribute(this.element, "data-graphs", panels.find(({ description }) => isGraph(description))?.description.kind ?? null);
    setAttribute(this.element, "data-bench", panels.some(({ description }) => description.kind === "bench"));
    setAttribute(this.element, "data-memory", panels.some(({ description }) => description.kind === "memory"));
    this.#arrange();
  }

  /** Scale everything, so that less fits. */
  enlarge(times: number): void {
    this.#times = times;
    this.#arrange();
  }

  /** Scroll to the panels above or below those in sight, where a column is too high. */
  turn(direction: 1 | -1): void {
    for (const column of this.#elements) column.scrollTop += direction * column.clientHeight;
  }

  #arrange(): void {
    const whole = { width: this.element.clientWidth, height: this.element.clientHeight };
    const [across, beside] = [{ ...whole, height: MOST_ABOVE * whole.height }, left(whole)];
    const wishes = this.#panels.map(({ description, size, panel }) => ({
      kind: description.kind,
      run: "run" in description ? description.run : undefined,
      isHalf: this.#isOfOps,
      isLong: panel?.prefers?.(across, beside) ?? false,
      ...(description.kind === "graph" ? { width: description.width, height: description.height } : size),
    }));
    const width = (this.element.clientWidth || 900) / this.#times;
    const above = aboveAll(wishes, width, this.#times > 1);
    const columns = arrange(wishes, { width, height: this.element.clientHeight / this.#times }, above);
    this.#shares = this.#chosen.get(columns.length) ?? shares(wishes, columns, width);
    if (!alike([above, columns], [this.#above, this.#columns])) {
      [this.#above, this.#columns] = [above, columns];
      setAttribute(this.element, "data-above", above.length > 0);
      setAttribute(this.element, "data-halves", above.length > 0 && this.#isOfOps);
      this.#elements = columns.map((column) => this.#column(column));
      this.element.replaceChildren(
        ...(above.length ? [this.#row(above)] : []),
        ...this.#elements.flatMap((element, i) => (i ? [this.#between(i - 1), element] : [element])),
      );
    }
    this.#share();
    this.#spread();
    this.#raise();
    this.#lend();
  }

  /** Let the bench below a picture have the height that this does not take. */
  #lend(): void {
    const picture = this.#panels.find(({ description }) => description.kind === "flow");
    const graphs = picture?.section.parentElement;
    const column = graphs?.parentElement;
    if (!picture || !graphs || !this.element.clientWidth || this.#columns.length < 2 || this.#above.length || !column) return;
    setAttribute(column, "data-lent", null);
    const taken = picture.panel?.heightAt?.({ width: graphs.clientWidth, height: graphs.clientHeight }, LARGE);
    column.style.setProperty("--taken", `${taken}px`);
    setAttribute(column, "data-lent", "");
  }

  /** Let a single picture above everything else have the height that it takes. */
  #raise(): void {
    const [picture, ...others] = this.#above.map((i) => this.#panels[i]!);
    const { clientWidth: width, clientHeight: height } = this.element;
    const taken = picture?.panel?.heightAt?.({ width, height: MOST_ABOVE * height });
    setAttribute(this.element, "data-alone", taken !== undefined && !others.length);
    this.element.style.setProperty("--high", `${Math.max(LEAST_ABOVE * height, taken ?? 0)}px`);
  }

  /** Let several graphs stand so that they are seen largest; sweeps beside each other, if they can be read there. */
  #spread(): void {
    const graphs = this.#panels.filter(({ description }) => isGraph(description));
    setAttribute(this.element, "data-filled", false);
    if (graphs.length < 2) return;
    const size = (side: keyof Size): number => Math.max(...graphs.map((graph) => (graph.size ?? (graph.description as GraphPanel))[side]));
    const largest = { width: size("width"), height: size("height") };
    for (const row of this.element.querySelectorAll<HTMLElement>(".adviz-graphs")) {
      const room = { width: row.clientWidth || 600, height: row.clientHeight || 400 };
      const [across, isFilled] = (this.#above.length && this.#legible(graphs, room)) || [columnsFor(row.childElementCount, largest, room), false];
      row.style.setProperty("--across", String(across));
      setAttribute(this.element, "data-filled", isFilled);
    }
  }

  /** How many sweeps stand side by side so that all can be read, and whether they take all the height for it. */
  #legible(graphs: readonly Framed[], { width, height }: Size): readonly [across: number, isFilled: boolean] | null {
    const sizeIn = (across: number, high: number): { size: number; isOneRow: boolean } => {
      const stage = { width: width / across, height: high / Math.ceil(graphs.length / across) - TITLE };
      const all = graphs.map(({ panel }) => panel?.sizeOn?.(stage) ?? [0, 1]);
      return { size: Math.min(...all.map(([size]) => size)), isOneRow: all.every(([, rows]) => rows === 1) };
    };
    const all = [height, this.element.clientHeight - PEEP].flatMap((high, k) =>
      graphs.map((_, i) => ({ across: graphs.length - i, isFilled: k > 0, ...sizeIn(graphs.length - i, high) })));
    const read = all.filter(({ size }) => size >= 1);
    const best = read.find(({ isOneRow }) => isOneRow) ?? read[0] ?? all.reduce((most, each) => (each.size > most.size ? each : most));
    return best.size ? [best.across, best.isFilled] : null;
  }

  /** A column; graphs stand side by side in it. */
  #column(indices: readonly number[]): HTMLElement {
    const graphs = indices.filter((i) => isGraph(this.#panels[i]!.description));
    const others = indices.filter((i) => !graphs.includes(i)).map((i) => this.#sections[i]!);
    const below = others.flatMap((element, i) => (i ? [this.#under(others[i - 1]!), element] : [element]));
    return html("div.adviz-column", graphs.length ? this.#row(graphs) : null, ...below);
  }

  #row(graphs: readonly number[]): HTMLElement {
    return html("div.adviz-graphs", ...graphs.map((i) => this.#sections[i]!));
  }

  #share(): void {
    this.#elements.forEach((element, i) => element.style.setProperty("flex-grow", String(this.#shares[i])));
    this.element
      .querySelectorAll(":scope > .adviz-border")
      .forEach((element, i) => setAttribute(element, "aria-valuenow", String(Math.round(100 * this.#shares[i]!))));
  }

  /** What lies between two columns. */
  #between(left: number): HTMLElement {
    const widen = (pixels: number): void => {
      const all = [...this.#shares];
      const both = all[left]! + all[left + 1]!;
      const wider = all[left]! + pixels / (this.element.clientWidth || 900);
      all[left] = Math.min(Math.max(wider, SMALLEST), both - SMALLEST);
      all[left + 1] = both - all[left];
      this.#chosen.set(all.length, all);
      this.#shares = all;
      this.#share();
    };
    return border("vertical", "Width of the columns", widen, this.signal);
  }

  /** What lies below a panel. */
  #under(panel: HTMLElement): HTMLElement {
    const tell = (): void => setAttribute(element, "aria-valuenow", String(panel.offsetHeight));
    const heighten = (pixels: number): void => {
      panel.style.cssText = `flex:0 0 ${Math.max(LOWEST, panel.offsetHeight + pixels)}px;min-height:0`;
      tell();
    };
    const element = border("horizontal", "Height of the panel above", heighten, this.signal);
    listen(element, this.signal, { focus: tell });
    tell();
    return element;
  }
}

function section(description: Panel, content: HTMLElement, runs: readonly Run[]): HTMLElement {
  const run = "run" in description && runs.length > 1 ? runs.find(({ id }) => id === description.run)?.label : null;
  const title = TITLES[description.kind];
  const words = [title, title?.toLowerCase() === run?.toLowerCase() ? null : run].filter(Boolean).join(": ");
  const label = !title && words ? `${description.kind}: ${words}` : words || null;
  const attributes = { "data-kind": description.kind, "aria-label": label };
  return html("section.adviz-panel", attributes, title ? html("h4", words) : null, content);
}
