// The matrix panel: the Jacobian while it fills. What is not yet known is empty, a zero is a light dot, and the row or
// column being filled is lit.

import { signed, wordsOf } from "./matrix-marks.js";
import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import type { MatrixPanel as Description } from "../scene/scene.js";
import { exact } from "../scene/values.js";
import { closest, consume, dataOf, html, isModified, listen, onPoint, setAttribute, setText } from "../ui/dom.js";

/** Past so many rows or columns cells are small squares: the structure is seen, numbers are read one at a time. */
const READABLE = 16;

/** Letters for which the head of a row has room. */
const LETTERS = 15;

/** Room left around a cell that is scrolled to. */
const GAP = 8;

export type Place = readonly [row: number, column: number];

/** The place of the cell that a key names; null for any other key. */
export function placeOf(key: string, run: string): Place | null {
  const prefix = `${run}/cell/`;
  return key.startsWith(prefix) ? (key.slice(prefix.length).split("/").map(Number) as [number, number]) : null;
}

/** The one row and the one column that all places share, where they do. */
export function linesOf(places: readonly Place[]): { row: number | null; column: number | null } {
  const [first] = places;
  const shared = (axis: 0 | 1): number | null =>
    first && places.every((place) => place[axis] === first[axis]) ? first[axis] : null;
  return { row: shared(0), column: shared(1) };
}

export class MatrixPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly isLasting = true;
  readonly #table: HTMLElement;
  readonly #readout = html("span.adviz-readout");
  readonly #heads: { row: HTMLElement[]; column: HTMLElement[] };
  readonly #cells: HTMLElement[][];
  #stage: Moment["stage"] = new Map();
  #lit: HTMLElement[] = [];
  /** The entry that the reader points at or stands on. */
  #asked: Place | null = null;
  #filled: Place | null = null;

  constructor(
    readonly description: Description,
    { signal, select, point }: PanelContext,
  ) {
    const { rows, columns, label, row_nodes = [], column_nodes = [] } = description;
    const head = (scope: string, name: string, node?: number | null): HTMLElement =>
      html("th", { scope, title: name, "data-of": node, "data-name": name.split("[")[0] }, name);
    this.#heads = {
      row: rows.map((name, i) => head("row", name, row_nodes[i])),
      column: columns.map((name, j) => head("col", name, column_nodes[j])),
    };
    this.#cells = rows.map((_, i) =>
      columns.map((_, j) => html("td", { role: "gridcell", tabindex: i || j ? -1 : 0, "data-cell": `${i}/${j}` })),
    );
    // Where the entries of another input begin.
    for (const j of columns.keys())
      if (j && column_nodes[j] !== column_nodes[j - 1])
        for (const cell of [this.#heads.column[j]!, ...this.#cells.map((cells) => cells[j]!)]) cell.dataset["begins"] = "";
    const dense = rows.length > READABLE || columns.length > READABLE;
    const letters = Math.min(LETTERS, Math.max(...rows.map((name) => name.length)));
    this.#table = html(
      "table",
      {
        class: "adviz-matrix",
        role: "grid",
        "aria-label": label,
        "data-dense": dense,
        style: `--rows:${rows.length};--columns:${columns.length};--letters:${letters}`,
      },
      html("thead", html("tr", html("td"), ...this.#heads.column)),
      html("tbody", ...this.#cells.map((cells, i) => html("tr", this.#heads.row[i]!, ...cells))),
    );
    this.element = html(
      "div.adviz-matrix-panel",
      html("div.adviz-matrix-bar", html("h4", label), this.#readout),
      html("div.adviz-matrix-box", this.#table),
    );
    const ask = (place: Place | null): void => {
      this.#asked = place;
      const ends = place ? [row_nodes[place[0]], column_nodes[place[1]]].filter((node) => node != null) : [];
      point?.(ends, ends.length > 1);
      this.#read();
    };
    onPoint(this.#table, signal, (event) => ask(this.#placeAt(event)), () => ask(null));
    listen(this.#table, signal, { keydown: (event) => this.#key(event), click: (event) => this.#choose(event, select) });
    this.#draw(null);
  }

  show({ stage, step, taken = step ? [step] : [], changed }: Moment): void {
    this.#stage = stage;
    this.#draw(changed);
    this.#light(this.#places(taken.flatMap(({ edits }) => edits.map(([key]) => key))));
    this.#read();
  }

  /** Mark the rows and the columns that are entries of nodes. */
  mark(nodes: readonly number[]): void {
    for (const head of [...this.#heads.row, ...this.#heads.column])
      setAttribute(head, "data-selected", nodes.includes(Number(head.dataset["of"] ?? -1)));
  }

  /** Select the node of a head, or the two that an entry is about. */
  #choose(event: Event, select: PanelContext["select"]): void {
    const [i, j] = this.#placeAt(event) ?? [-1, -1];
    const heads = [closest(event, "[data-of]"), this.#heads.row[i], this.#heads.column[j]];
    const nodes = heads.flatMap((head) => (head?.dataset["of"] ? [Number(head.dataset["of"])] : []));
    if (nodes.length) select([...new Set(nodes)]);
  }

  /** What there is to say after the number of an entry. */
  protected origin(_place: Place): string {
    return "";
  }

  #value([i, j]: Place): unknown {
    return this.#stage.get(`${this.description.run}/cell/${i}/${j}`);
  }

  #draw(changed: Moment["changed"]): void {
    if (!changed) this.#cells.forEach((cells, i) => cells.forEach((_, j) => this.#write([i, j])));
    else for (const place of this.#places(changed)) this.#write(place);
  }

  /** The places of this matrix that some keys name. */
  #places(keys: Iterable<string>): Place[] {
    const places = [...keys].map((key) => placeOf(key, this.description.run));
    return places.filter((place): place is Place => place !== null && this.#cell(place) !== undefined);
  }

  #cell([i, j]: Place): HTMLElement | undefined {
    return this.#cells[i]?.[j];
  }

  #write(place: Place): void {
    const cell = this.#cell(place)!;
    const value = this.#value(place);
    const words = wordsOf(value);
    setText(cell, words);
    setAttribute(cell, "data-holds", value === undefined ? null : words === "·" ? "zero" : "number");
    setAttribute(cell, "aria-label", words === "·" ? "0" : words || "not yet known");
  }

  #light(places: readonly Place[]): void {
    for (const element of this.#lit) element.removeAttribute("data-lit");
    const { row, column } = linesOf(places);
    const cells = places.map((place) => this.#cell(place)!);
    const heads = [row === null ? null : this.#heads.row[row], column === null ? null : this.#heads.column[column]];
    this.#lit = [...cells, ...heads.filter((head) => head != null)];
    for (const element of this.#lit) element.setAttribute("data-lit", "");
    this.#filled = places[0] ?? null;
    if (cells[0]) this.#reveal(cells[0], cells.at(-1)!);
  }

  /** Scroll so that the last of the cells being filled is in sight, and the first if there is room, clear of the heads. */
  #reveal(first: HTMLElement, last: HTMLElement): void {
    const box = this.#table.parentElement!;
    const corner = this.#table.querySelector("td")!.getBoundingClientRect();
    const { left, top } = box.getBoundingClientRect();
    for (const cell of [last, first]) {
      const place = cell.getBoundingClientRect();
      const [behind, below] = [place.right - left - box.clientWidth, place.bottom - top - box.clientHeight];
      const [before, above] = [place.left - left - corner.width - GAP, place.top - top - corner.height - GAP];
      box.scrollLeft += before < 0 ? before : Math.max(0, behind + GAP);
      box.scrollTop += above < 0 ? above : Math.max(0, below + GAP);
    }
  }

  #placeAt(event: Event): Place | null {
    const place = dataOf(event, "cell");
    return place ? (place.split("/").map(Number) as [number, number]) : null;
  }

  /** Say one entry with all its digits: that asked for, else the first that was just filled. */
  #read(): void {
    const place = this.#asked ?? this.#filled;
    const { rows, columns } = this.description;
    this.#readout.textContent = place
      ? `${rows[place[0]]}, ${columns[place[1]]}: ${signed(exact(this.#value(place))) || "not yet known"}${this.origin(place)}`
      : "";
  }

  #key(event: KeyboardEvent): void {
    const moves: Record<string, Place> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
    };
    const from = this.#placeAt(event);
    const move = moves[event.key];
    if (!from || !move || isModified(event)) return;
    consume(event);
    const next = this.#cell([from[0] + move[0], from[1] + move[1]]);
    if (!next) return;
    this.#cell(from)!.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
