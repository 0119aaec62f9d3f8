// The nodes of a scope counted by line, function, scope, Block or shape: a table that a click on a heading sorts. The
// name of each row is a button for its nodes.

import type { Graph } from "../graph/graph.js";
import { CRITERIA, type Criterion, type Groups, type Row, type Sum, grouped } from "../graph/groups.js";
import { dataOf, html, listen } from "../ui/dom.js";
import { bytes, count, cut, duration, large, percent } from "../ui/format.js";

/** A column of numbers: how it is read of a row, and how it is written. */
interface Heading {
  readonly sum: Sum;
  readonly words: string;
  readonly write: (value: number) => string;
}

const HEADINGS: readonly Heading[] = [
  { sum: "nodes", words: "nodes", write: large },
  { sum: "bytes", words: "bytes", write: bytes },
  { sum: "operations", words: "operations", write: large },
  { sum: "uses", words: "uses", write: large },
  { sum: "seconds", words: "time", write: duration },
];
/** Rows that are there at first, and that each click on "more" adds. */
const SOME_ROWS = 15;
const LONGEST = 80;

export class SizeTable {
  readonly element = html("section.adviz-section.adviz-counted");
  readonly #headings: readonly Heading[];
  readonly #groups = new Map<string, Groups>();
  #scope = 0;
  #criterion: Criterion = "line";
  /** The column that the rows are sorted by, null for their names. */
  #by: Heading | null = HEADINGS[0]!;
  #falling = true;
  #shown = SOME_ROWS;

  constructor(
    readonly graph: Graph,
    /** Take note of the nodes that a row stands for, under the name that it has as `data-row`. */
    readonly register: (row: string, nodes: () => number[]) => void,
    /** Told when other rows are there, or in another order. */
    readonly changed: () => void,
    signal: AbortSignal,
  ) {
    const isTimed = graph.scene.columns.some(({ name }) => name === "seconds");
    this.#headings = HEADINGS.filter(({ sum }) => isTimed || sum !== "seconds");
    listen(this.element, signal, {
      change: ({ target }) => {
        this.#criterion = (target as HTMLSelectElement).value as Criterion;
        this.#shown = SOME_ROWS;
        this.#draw("select");
      },
      click: (event) => {
        const sort = dataOf(event, "sort");
        if (sort !== undefined) this.#sort(sort);
        if (dataOf(event, "more") === undefined) return;
        this.#shown += SOME_ROWS;
        this.#draw("[data-more]");
      },
    });
  }

  /** What the lines of the source are weighed by. */
  get sum(): Sum {
    return this.#by?.sum ?? "nodes";
  }

  show(scope: number): void {
    if (scope !== this.#scope) this.#groups.clear();
    this.#scope = scope;
    this.#draw();
  }

  /** Numbers fall at first, names rise; a second click turns the order round. */
  #sort(sort: string): void {
    const by = this.#headings.find(({ sum }) => sum === sort) ?? null;
    this.#falling = by === this.#by ? !this.#falling : by !== null;
    this.#by = by;
    this.#draw(`[data-sort="${sort}"]`);
  }

  get #counted(): Groups {
    const known = this.#groups.get(this.#criterion) ?? grouped(this.graph, this.#criterion, this.#scope);
    this.#groups.set(this.#criterion, known);
    return known;
  }

  #sorted(rows: readonly Row[]): Row[] {
    const by = this.#by;
    const way = this.#falling ? -1 : 1;
    const compare = by
      ? (one: Row, other: Row) => one[by.sum] - other[by.sum]
      : (one: Row, other: Row) => naturally.compare(one.label, other.label);
    return [...rows].sort((one, other) => way * compare(one, other));
  }

  /** Draw all of it anew; the keyboard stays where it is. */
  #draw(focused?: string): void {
    const { rows, nodes, total } = this.#counted;
    const shown = this.#sorted(rows).slice(0, this.#shown);
    const options = CRITERIA.map((name) => html("option", { value: name }, name));
    const picker = html("select.adviz-measure", { "aria-label": "Count nodes by" }, ...options);
    picker.value = this.#criterion;
    const rest = rows.length - shown.length;
    this.element.style.setProperty("--numbers", String(this.#headings.length + 1));
    this.element.replaceChildren(
      html("h4", "Nodes by ", picker),
      html(
        "table.adviz-groups",
        { role: "table" },
        html("thead", { role: "rowgroup" }, this.#head()),
        html("tbody", { role: "rowgroup" }, ...shown.map((row, k) => this.#row(row, k, total, () => nodes(row)))),
        html("tfoot", { role: "rowgroup" }, this.#foot(total)),
      ),
      ...(rest ? [html("button.adviz-link", { "data-more": "" }, `${count(rest)} more`)] : []),
    );
    this.changed();
    if (focused) this.element.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true });
  }

  #head(): HTMLElement {
    const heading = (sort: string, words: string, isChosen: boolean): HTMLElement =>
      html(
        "th",
        { role: "columnheader", scope: "col", "aria-sort": isChosen ? (this.#falling ? "descending" : "ascending") : "none" },
        html("button", { "data-sort": sort }, words),
      );
    return html(
      "tr",
      { role: "row" },
      heading("name", this.#criterion, this.#by === null),
      ...this.#headings.map((each) => heading(each.sum, each.words, each === this.#by)),
      html("th", { role: "columnheader", scope: "col", title: `of all ${(this.#by ?? HEADINGS[0]!).words}` }, "share"),
    );
  }

  #row(row: Row, place: number, total: Groups["total"], nodes: () => number[]): HTMLElement {
    const name = `group-${place}`;
    this.register(name, nodes);
    const share = row[this.sum] / (total[this.sum] || 1);
    const [label, further] = row.shown;
    const bar = `--bar:${(100 * share).toFixed(2)}%`;
    const words = row.further ? `${row.label}: ${row.further}` : row.label;
    return html(
      "tr",
      { role: "row", "data-row": name, title: words },
      html(
        "th",
        { role: "rowheader", scope: "row", style: bar },
        html("button", cut(label, LONGEST), further ? html("code", cut(further, LONGEST)) : null),
      ),
      ...this.#numbers(row),
      html("td", { role: "cell" }, percent(share)),
    );
  }

  #foot(total: Groups["total"]): HTMLElement {
    const all = html("th", { role: "rowheader", scope: "row" }, "all");
    const share = html("td", { role: "cell" }, percent(total[this.sum] ? 1 : 0));
    return html("tr", { role: "row" }, all, ...this.#numbers(total), share);
  }

  #numbers(of: Groups["total"]): HTMLElement[] {
    return this.#headings.map(({ sum, write }) => {
      const written = write(of[sum]);
      const exact = sum === "seconds" ? `${of[sum]} s` : count(of[sum]);
      return html("td", { role: "cell", title: exact === written ? null : exact }, written);
    });
  }
}

/** As people sort names: "line 9" before "line 10". */
const naturally = new Intl.Collator("en", { numeric: true });
