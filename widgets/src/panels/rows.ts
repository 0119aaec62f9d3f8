// A long list of rows of equal height, of which only those in sight are in the document. The rows stand for nodes: arrows
// move along them and select, Enter and a double click run to them, and marks from elsewhere are shown.

import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import type { Size } from "../picture/camera.js";
import { type Child, consume, dataOf, html, isModified, listen, onResize, setAttribute, uniqueName } from "../ui/dom.js";

/** As high as a row is drawn, as wide as a character of it, and what lies between two cells (styles/tables.css). */
export const ROW = 26;
const CHARACTER = 7.25;
const GAP = 12;
/** A cell wider than so many characters is cut: its title says all. */
const WIDEST = 40;
/** Rows kept above and below those in sight. */
const SPARE = 8;
/** Where nothing is laid out yet, so many rows are taken to be in sight. */
const UNSEEN = 24;

/** The rows from the first up to, not including, the last that are in sight, with some to spare. */
export function windowOf(top: number, height: number, count: number): [number, number] {
  const first = Math.max(0, Math.min(Math.floor(top / ROW), count) - SPARE);
  const last = Math.min(count, Math.ceil((top + height) / ROW) + SPARE);
  return [first, Math.max(first, last)];
}

/** Where to scroll so that a row is in sight, in the middle unless it is already. */
export function scrolledTo(row: number, top: number, height: number, count: number): number {
  const place = row * ROW;
  if (place >= top && place + ROW <= top + height) return top;
  return Math.max(0, Math.min(count * ROW - height, place - (height - ROW) / 2));
}

/** The characters of the longest text. */
export const longest = (texts: readonly string[]): number =>
  texts.reduce((most, { length }) => Math.max(most, length), "node".length);

/** The name of a row; what there is to say of it besides is seen where one points at it. */
export const rowName = ({ label, title = label }: { label: string; title?: string }, more: Child = ""): HTMLElement =>
  html("span.adviz-row-node", { title }, label, more);

interface RowSource {
  readonly label: string;
  readonly head: readonly Child[];
  /** The most characters that each column will ever hold. */
  readonly widths: readonly number[];
  /** So many more follow the name of a node where there is room. */
  readonly details?: number;
  /** The node of each row. */
  readonly nodes: readonly number[];
  /** The cells of a row, empty; all rows have the same number. */
  cells(row: number): HTMLElement[];
  /** Write into the cells what is on stage. */
  fill(row: number, cells: readonly HTMLElement[], line: HTMLElement): void;
}

interface Line {
  readonly element: HTMLElement;
  readonly cells: readonly HTMLElement[];
}

export class Rows {
  readonly element: HTMLElement;
  /** What all rows take. */
  readonly size: Size;
  readonly #body = html("div.adviz-entries", { role: "rowgroup" });
  readonly #head: HTMLElement;
  readonly #prefix = uniqueName();
  readonly #lines = new Map<number, Line>();
  readonly #places: ReadonlyMap<number, number>;
  #marked: ReadonlySet<number> = new Set();
  #breaks: ReadonlySet<number> = new Set();
  /** Pixels of width in which the details have room, too. */
  readonly #whole: number;
  #active = -1;
  #current = -1;

  constructor(
    readonly source: RowSource,
    readonly context: PanelContext,
  ) {
    const { label, head, nodes, widths, details = 0 } = source;
    const room = widths.map((width) => Math.min(width, WIDEST));
    const gaps = GAP * (room.length + 1);
    const characters = room.reduce((sum, width) => sum + width, 0);
    this.size = { width: Math.ceil(CHARACTER * characters + gaps), height: ROW * (nodes.length + 1) };
    this.#whole = this.size.width + Math.ceil(CHARACTER * details);
    const columns = room.map((width, k) =>
      head[k] === "node" ? `minmax(calc(${width}ch + var(--details)),${width}fr)` : `minmax(${width}ch,${width}fr)`,
    );
    this.#places = new Map(nodes.map((node, row) => [node, row]));
    this.#head = html(
      "div.adviz-entry-head",
      { role: "row", "aria-rowindex": 1 },
      ...head.map((cell) => html("div", { role: "columnheader" }, cell)),
    );
    this.#body.style.height = `${nodes.length * ROW}px`;
    this.element = html(
      "div.adviz-rows",
      {
        role: "grid",
        tabindex: 0,
        "aria-label": label,
        "aria-rowcount": nodes.length + 1,
        style: `--more:${details}ch;--cells:${columns.join(" ")};--wide:calc(${characters}ch + ${gaps}px)`,
      },
      html("div", { role: "rowgroup", class: "adviz-entries-head" }, this.#head),
      this.#body,
    );
    this.#listen(context.signal);
    this.draw();
  }

  #listen(signal: AbortSignal): void {
    listen(this.element, signal, {
      scroll: () => this.draw(),
      click: (event) => this.#choose(this.#rowAt(event)),
      dblclick: (event) => this.#run(this.#rowAt(event)),
      keydown: (event) => this.#key(event),
    });
    onResize(this.element, signal, () => {
      setAttribute(this.element, "data-brief", this.element.clientWidth < this.#whole);
      // Where there is no room for all columns, the last is in sight: what a show is about stands there.
      this.element.scrollLeft = this.element.scrollWidth;
      if (this.#current >= 0) this.#reveal(this.#current);
      this.draw();
    });
  }

  /** Scroll to the node being visited; null leaves the rows where they are. */
  show(node: number | null): void {
    const current = node === null ? -1 : (this.#places.get(node) ?? -1);
    if (current >= 0 && current !== this.#current) this.#reveal(current);
    this.#current = current;
    this.draw();
  }

  /** Scroll to the first row. */
  rewind(): void {
    this.element.scrollTop = 0;
    this.draw();
  }

  mark(nodes: readonly number[]): void {
    this.#marked = new Set(nodes);
    const row = nodes.length ? (this.#places.get(nodes[0]!) ?? -1) : -1;
    if (row !== this.#active && row >= 0) this.#reveal(row);
    this.#active = row;
    this.draw();
  }

  /** Show at which nodes playing stops. */
  breaks(nodes: ReadonlySet<number>): void {
    this.#breaks = nodes;
    this.draw();
  }

  /** Take over where another list was scrolled to. */
  adopt(other: Rows): void {
    this.element.scrollTop = other.element.scrollTop;
    this.draw();
  }

  get #height(): number {
    return this.element.clientHeight - this.#head.offsetHeight || UNSEEN * ROW;
  }

  #reveal(row: number): void {
    const top = scrolledTo(row, this.element.scrollTop, this.#height, this.source.nodes.length);
    if (top !== this.element.scrollTop) this.element.scrollTop = top;
  }

  /** Bring what is in sight up to date. */
  draw(): void {
    const { nodes } = this.source;
    const [first, last] = windowOf(this.element.scrollTop, this.#height, nodes.length);
    for (const [row, { element }] of this.#lines) {
      if (row >= first && row < last) continue;
      element.remove();
      this.#lines.delete(row);
    }
    for (let row = first; row < last; row++) this.#update(row);
    const active = this.#lines.has(this.#active) ? `${this.#prefix}-${this.#active}` : null;
    setAttribute(this.element, "aria-activedescendant", active);
  }

  #update(row: number): void {
    const { element, cells } = this.#lines.get(row) ?? this.#make(row);
    const node = this.source.nodes[row]!;
    this.source.fill(row, cells, element);
    setAttribute(element, "data-current", row === this.#current);
    setAttribute(element, "data-active", row === this.#active);
    setAttribute(element, "data-break", this.#breaks.has(node));
    setAttribute(element, "aria-description", this.#breaks.has(node) ? "Playing stops here." : null);
    setAttribute(element, "aria-selected", String(this.#marked.has(node)));
  }

  #make(row: number): Line {
    const cells = this.source.cells(row);
    for (const cell of cells) cell.setAttribute("role", "gridcell");
    const element = html(
      "div.adviz-entry",
      { role: "row", id: `${this.#prefix}-${row}`, "data-row": row, "aria-rowindex": row + 2, style: `top:${row * ROW}px` },
      ...cells,
    );
    // Rows are made downwards: each is inserted after the one above it, so that the document keeps their order.
    const above = this.#lines.get(row - 1)?.element;
    if (above) above.after(element);
    else this.#body.prepend(element);
    const line = { element, cells };
    this.#lines.set(row, line);
    return line;
  }

  #rowAt(event: Event): number {
    return Number(dataOf(event, "row") ?? -1);
  }

  #choose(row: number): void {
    const node = this.source.nodes[row];
    if (node !== undefined) this.context.select([node]);
  }

  #run(row: number): void {
    const node = this.source.nodes[row];
    if (node !== undefined) this.context.runTo(node);
  }

  #key(event: KeyboardEvent): void {
    if (isModified(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (event.key === "Enter" && this.#active >= 0) this.#run(this.#active);
    else if (step) this.#choose(this.#after(step));
    else return;
    // The player also listens for keys.
    consume(event);
  }

  #after(step: number): number {
    const from = this.#active >= 0 ? this.#active + step : Math.max(0, this.#current);
    return Math.max(0, Math.min(this.source.nodes.length - 1, from));
  }
}

/** What panels of rows have in common: the rows do most of their work. */
export abstract class RowsPanel implements PlayerPanel {
  abstract readonly element: HTMLElement;
  protected abstract readonly rows: Rows;

  abstract show(moment: Moment): void;

  get size(): Size {
    return this.rows.size;
  }

  mark(nodes: readonly number[]): void {
    this.rows.mark(nodes);
  }

  breaks(nodes: ReadonlySet<number>): void {
    this.rows.breaks(nodes);
  }

  adopt(other: PlayerPanel): void {
    if (other instanceof RowsPanel && other.constructor === this.constructor) this.rows.adopt(other.rows);
  }
}
