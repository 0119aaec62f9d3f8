// The search box: shows what a query finds while it is typed, selects it on Enter.

import type { Actions } from "./actions.js";
import type { Graph } from "../graph/graph.js";
import { type Mistake, parse } from "../graph/query-language.js";
import { matches } from "../graph/search.js";
import { atEnd, closest, html, listen, reveal, setAttribute } from "../ui/dom.js";
import { count, cut } from "../ui/format.js";

const MOST_RESULTS = 50;
/** Typing is answered once it pauses. */
const PAUSE = 120;

const EXAMPLES: [query: string, meaning: string][] = [
  ["sin", "in a block, a name, a scope or the source"],
  ["block == sin", "exactly; * is anything"],
  ["scope ~ layer", "has it in its name"],
  ["line 12..20", "made on these lines"],
  ["times_used > 3", "also bytes, depth, operations"],
  ["isnan", "also isinf, dead, live, input, output"],
  ["not dead or value < 0", "also and, ( )"],
];

export class SearchBox {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #count: HTMLElement;
  readonly #note = html("p.adviz-search-note");
  readonly #list: HTMLElement;
  readonly #popup: HTMLElement;
  #found: number[] = [];
  #active = -1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly graph: Graph,
    readonly actions: Actions,
    prefix: string,
    signal: AbortSignal,
    readonly done: () => void,
  ) {
    const list = `${prefix}-results`;
    this.#input = html("input", {
      type: "text",
      class: "adviz-query",
      placeholder: "Search  /",
      "aria-label": "Search nodes",
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": list,
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      autocapitalize: "off",
    });
    this.#count = html("span.adviz-found", { "aria-live": "polite" });
    this.#list = html("div", { id: list, role: "listbox", "aria-label": "Results" });
    this.#popup = html("div.adviz-results", { hidden: true }, this.#note, this.#list);
    this.element = html("div.adviz-search", { role: "search" }, this.#input, this.#count, this.#popup);
    this.#listen(signal);
  }

  #listen(signal: AbortSignal): void {
    listen(this.#input, signal, {
      input: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#answer(), PAUSE);
      },
      focus: () => this.#answer(),
      keydown: (event) => this.#key(event),
    });
    listen(this.element, signal, {
      focusout: ({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && this.element.contains(relatedTarget))) this.#close();
      },
    });
    // The box keeps the focus while the list is used by mouse.
    listen(this.#popup, signal, { pointerdown: (event) => event.preventDefault() });
    listen(this.#list, signal, { click: (event) => this.#pick(closest(event, "[role=option]")) });
    atEnd(signal, () => clearTimeout(this.#timer));
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** Find what the query in the box asks for, and show it. */
  #answer(): void {
    clearTimeout(this.#timer);
    const query = parse(this.#input.value);
    this.#active = -1;
    const failed = query !== null && "error" in query;
    this.#found = failed || !query ? [] : matches(this.graph, query);
    setAttribute(this.#input, "aria-invalid", failed ? "true" : null);
    this.#count.textContent = failed || !query ? "" : count(this.#found.length);
    setAttribute(this.#note, "role", failed ? "alert" : null);
    if (failed) this.#explain(query);
    else if (!query)
      this.#open(
        "Find nodes by words and conditions, all of which must hold unless “or” stands between them.",
        EXAMPLES.map(([example, meaning]) => this.#example(example, meaning)),
      );
    else this.#open(this.#outcome(), this.#results());
    this.actions.preview(this.#found);
  }

  /** Say what is wrong with the query, and mark the character. */
  #explain({ error, at }: Mistake): void {
    const characters = Array.from(this.#input.value);
    const wrong = html("mark", { "data-at": at }, characters[at] ?? "\u00a0");
    const query = html("code.adviz-query-mistake", characters.slice(0, at).join(""), wrong, characters.slice(at + 1).join(""));
    this.#open(error, []);
    this.#note.append(query);
  }

  #example(example: string, meaning: string): HTMLElement {
    return html(
      "div",
      { role: "option", class: "adviz-result", "data-query": example, "aria-selected": "false" },
      html("code", example),
      html("span.adviz-muted", meaning),
    );
  }

  #results(): HTMLElement[] {
    const { graph } = this;
    return this.#found.slice(0, MOST_RESULTS).map((node) => {
      const source = graph.span(node) ? graph.spanText(graph.columns.span[node]!) : "";
      return html(
        "div",
        { role: "option", class: "adviz-result", "data-result": node, "aria-selected": "false" },
        html("code", graph.fullLabel(node)),
        html("span.adviz-muted", cut(source, 60)),
      );
    });
  }

  #outcome(): string {
    const total = this.#found.length;
    if (!total) return "Nothing found.";
    return `Enter selects ${total === 1 ? "it" : `all ${count(total)}`}.${total > MOST_RESULTS ? ` The first ${MOST_RESULTS} are listed.` : ""}`;
  }

  #open(note: string, options: HTMLElement[]): void {
    this.#note.textContent = note;
    this.#list.replaceChildren(...options);
    this.#popup.hidden = false;
    setAttribute(this.#input, "aria-expanded", "true");
  }

  #close(): void {
    if (this.#popup.hidden) return;
    clearTimeout(this.#timer);
    this.#popup.hidden = true;
    setAttribute(this.#input, "aria-expanded", "false");
    setAttribute(this.#input, "aria-activedescendant", null);
    this.actions.preview([]);
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#move(step);
    else if (event.key === "Enter") this.#enter();
    else if (event.key === "Escape") this.#escape();
    else return;
    event.preventDefault();
  }

  #move(step: number): void {
    const options = [...this.#list.querySelectorAll<HTMLElement>("[role=option]")];
    if (!options.length) return;
    this.#active = Math.max(-1, Math.min(options.length - 1, this.#active + step));
    options.forEach((option, i) => {
      setAttribute(option, "aria-selected", String(i === this.#active));
      option.id = `${this.#list.id}-${i}`;
    });
    const option = options[this.#active];
    setAttribute(this.#input, "aria-activedescendant", option?.id ?? null);
    if (option) reveal(this.#popup, option);
    const node = option?.dataset["result"];
    this.actions.preview(node === undefined ? this.#found : [Number(node)]);
  }

  #enter(): void {
    const option = this.#list.querySelector<HTMLElement>("[aria-selected=true]");
    if (option && !this.#popup.hidden) return this.#pick(option);
    this.#answer();
    if (this.#found.length) this.#choose(this.#found);
  }

  #pick(option: HTMLElement | SVGElement | null): void {
    const { result, query } = option?.dataset ?? {};
    if (query !== undefined) {
      this.#input.value = query;
      this.#answer();
    } else if (result !== undefined) this.#choose([Number(result)]);
  }

  #choose(nodes: readonly number[]): void {
    this.#close();
    this.actions.select(nodes);
    if (nodes.length === 1) this.actions.show(nodes[0]!);
  }

  /** First close the list, then empty the box, then return to the picture. */
  #escape(): void {
    if (!this.#popup.hidden && this.#input.value) this.#close();
    else if (this.#input.value) {
      this.#input.value = "";
      this.#count.textContent = "";
      setAttribute(this.#input, "aria-invalid", null);
    } else this.done();
  }
}
