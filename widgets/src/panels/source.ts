// The user's functions: marks on the sub-expressions that made the selected nodes, and the way back from code to nodes.

import { type Atom, atomsOf, isIndentation } from "../graph/code.js";
import { type Graph, covers } from "../graph/graph.js";
import type { Span } from "../scene/scene.js";
import { closest, dataOf, html, listen, onPoint, reveal, setAttribute } from "../ui/dom.js";
import { fileName } from "../ui/format.js";

/** Actions of the reader: select nodes, or point at them. */
export interface SourceActions {
  select(nodes: readonly number[]): void;
  preview(nodes: readonly number[]): void;
}

/** What stands below lines, and spans of it that may be marked. */
export interface Below {
  readonly spans: readonly Span[];
  below(file: number, line: number, part?: number): HTMLElement | null;
  /** The columns at which a line is broken: something stands below each part. */
  breaks?(file: number, line: number): readonly number[];
}

/** For files and lines, "0:12", the part of the largest, from 0 to 1. */
export type Weights = ReadonlyMap<string, { readonly share: number; readonly figure: string; readonly words: string }>;

interface Drawn {
  readonly atom: Atom;
  readonly element: HTMLElement;
}

/** The room beside code that is scrolled to; the line numbers stand in it. */
const MARGIN = 50;

/** The spaces that a line begins with. */
const indentation = (atoms: readonly Atom[]): number => (atoms[0] && isIndentation(atoms[0]) ? atoms[0].text.length : 0);

export class Source {
  readonly element: HTMLElement;
  /** Its head, with what is shown to be chosen. */
  readonly bar: HTMLElement;
  readonly #box: HTMLElement;
  readonly #picker: HTMLSelectElement;
  #file = -1;
  #drawn: Drawn[] = [];
  readonly #painted = new Map<string, readonly Drawn[]>();
  #atoms = new Map<Element, Atom>();
  #marked: readonly number[] = [];
  #skipped: readonly Span[] = [];
  #start: number | null = null;
  #top = 0;
  #weights: Weights = new Map();
  #signs: ReadonlyMap<string, string> = new Map();

  constructor(
    readonly graph: Graph,
    readonly actions: SourceActions,
    signal: AbortSignal,
    title = "Source",
    private numbers: Below | null = null,
  ) {
    const { files } = graph.scene.source;
    this.#picker = html(
      "select.adviz-picker",
      { "aria-label": "Function" },
      ...files.map(({ name, path, line }, i) =>
        html("option", { value: i }, `${name}  (${fileName(path)}:${line})`),
      ),
    );
    this.#box = html("div.adviz-code", { role: "group", "aria-label": `${title} code` });
    this.bar = html("div.adviz-bar", html("h4", title), this.#picker);
    this.element = html("div.adviz-source", this.bar, this.#box);
    listen(this.#picker, signal, { change: () => this.#open(Number(this.#picker.value)) });
    this.#listen(signal);
    if (files.length) this.#open(0);
    else this.#box.append(html("p.adviz-invitation", "The source is not known."));
  }

  #listen(signal: AbortSignal): void {
    listen(this.#box, signal, { click: (event) => this.#click(event), keydown: (event) => this.#key(event) });
    onPoint(this.#box, signal, (event) => this.actions.preview(this.#nodesAt(event)), () => this.actions.preview([]));
  }

  /** Mark what made the nodes, and more, in the file shown if it has any of them. */
  mark(nodes: readonly number[], more: readonly Span[] = []): void {
    this.#marked = nodes;
    const spans = [...this.#spansOf(nodes), ...more];
    const here = spans.filter(([file]) => file === this.#file);
    if (spans.length && !here.length) this.#open(spans[0]![0]);
    this.#paint("adviz-mark", spans);
  }

  /** Let stretches stand back that were not run. */
  skip(spans: readonly Span[]): void {
    this.#skipped = spans;
    this.#paint("adviz-skipped", spans, false);
  }

  /** Hint at what made the nodes. */
  preview(nodes: readonly number[]): void {
    this.#paint("adviz-premark", this.#spansOf(nodes), false);
  }

  /** Show the file of a node, and scroll to what made it. */
  show(node: number): void {
    const span = this.graph.span(node);
    if (span) this.#open(span[0]);
    this.#paint("adviz-mark", this.#spansOf([node]));
  }

  /** Show beside each line the part that it has of something: a bar behind its number. */
  weigh(weights: Weights): void {
    this.#weights = weights;
    for (const number of this.#box.querySelectorAll<HTMLElement>("[data-line]")) {
      const weight = weights.get(`${this.#file}:${number.dataset["line"]}`);
      number.style.setProperty("--share", weight ? `${(100 * weight.share).toFixed(1)}%` : "");
      setAttribute(number, "data-figure", weight?.figure ?? null);
      number.title = weight?.words ?? "";
    }
  }

  /** Show a sign beside each line that has one, by files and lines as weights are. */
  sign(signs: ReadonlyMap<string, string>): void {
    this.#signs = signs;
    for (const number of this.#box.querySelectorAll<HTMLElement>("[data-line]")) {
      const sign = signs.get(`${this.#file}:${number.dataset["line"]}`) ?? null;
      setAttribute(number, "data-change", sign);
      if (sign) setAttribute(number, "aria-label", `${sign} Line ${number.dataset["line"]}: select its nodes`);
    }
  }

  /** Write something else below lines. */
  write(below: Below | null): void {
    const file = this.#file;
    [this.numbers, this.#file] = [below, -1];
    this.#open(file);
  }

  #spansOf(nodes: readonly number[]): Span[] {
    const indices = new Set(nodes.map((node) => this.graph.columns.span[node]!));
    return [...indices].map((index) => this.graph.scene.tables.spans[index]).filter((span) => span !== undefined);
  }

  #paint(className: string, spans: readonly Span[], scroll = true): void {
    const here = spans.filter(([file]) => file === this.#file);
    const painted = this.#drawn.filter(
      ({ atom }) =>
        !isIndentation(atom) && here.some((span) => covers(span, atom.line, atom.from, atom.line, atom.to)),
    );
    for (const { element } of this.#painted.get(className) ?? []) element.classList.remove(className);
    for (const { element } of painted) element.classList.add(className);
    this.#painted.set(className, painted);
    const line = painted.filter(({ atom }) => atom.line === painted[0]!.atom.line);
    if (line.length && scroll) this.#reveal(line[0]!.element, line.at(-1)!.element);
  }

  /** Scroll to code in one line: its beginning, and as much of the rest as there is room for. */
  #reveal(first: HTMLElement, last: HTMLElement): void {
    reveal(this.#box, (this.numbers && first.closest<HTMLElement>(".adviz-code-line")) || first);
    const { left, right } = this.#box.getBoundingClientRect();
    const before = first.getBoundingClientRect().left - left - MARGIN;
    const behind = last.getBoundingClientRect().right - right + MARGIN;
    if (before < 0 || behind > 0) this.#box.scrollLeft += before < 0 ? before : Math.min(before, behind);
  }

  #open(file: number): void {
    if (file === this.#file) return;
    this.#file = file;
    this.#picker.value = String(file);
    const spans = this.graph.scene.tables.spans.filter(([of]) => of === file);
    this.#drawn = [];
    const cuts = [...spans, ...(this.numbers?.spans ?? []).filter(([of]) => of === file)];
    const lines = atomsOf(this.graph.scene.source.files[file]!, cuts).map((atoms, i) => this.#line(atoms, i));
    this.#box.replaceChildren(...lines);
    this.weigh(this.#weights);
    this.sign(this.#signs);
    this.#atoms = new Map(this.#drawn.map(({ element, atom }) => [element, atom]));
    this.#paint("adviz-mark", this.#spansOf(this.#marked), false);
    this.skip(this.#skipped);
    this.#start = Math.min(...spans.map(([, first]) => first));
    this.settle();
  }

  /** Scroll a newly opened file past what made no nodes, such as a long docstring; possible once it is laid out. */
  settle(): void {
    if (!this.#box.clientHeight || this.#start === null) return;
    const number = this.#box.querySelector<HTMLElement>(`[data-line="${this.#start}"]`);
    this.#start = null;
    this.#box.scrollTo(0, 0);
    if (number) reveal(this.#box, number);
    this.#top = this.#box.scrollTop;
  }

  /** Scroll to where the file was opened. */
  rewind(): void {
    this.#box.scrollTo(0, this.#top);
  }

  #line(atoms: readonly Atom[], index: number): HTMLElement {
    const line = this.graph.scene.source.files[this.#file]!.line + index;
    const pieces = atoms.map((atom) => {
      const element = html("span", { class: atom.word ? `adviz-word-${atom.word}` : "" }, atom.text);
      this.#drawn.push({ atom, element });
      return element;
    });
    // Line numbers are the keyboard's way from code to nodes: one tab stop, arrows move along it.
    const number = html(
      "button.adviz-line-number",
      { "data-line": line, tabindex: index ? -1 : 0, "aria-label": `Line ${line}: select its nodes` },
      String(line),
    );
    const cuts = this.numbers?.breaks?.(this.#file, line) ?? [];
    const parts = [0, ...cuts].map((from, k) => {
      const inside = pieces.filter((_, place) => atoms[place]!.from >= from && atoms[place]!.from < (cuts[k] ?? Infinity));
      return [...inside, this.numbers?.below(this.#file, line, k) ?? null];
    });
    const [first, ...others] = parts.map((part, k) => (k ? html("div.adviz-continued", ...part) : part)) as [HTMLElement[], ...HTMLElement[]];
    return html("div.adviz-code-line", number, html("code", { style: `--indent:${indentation(atoms)}` }, ...first, ...others));
  }

  #nodesAt(event: Event): number[] {
    const line = dataOf(event, "line");
    if (line !== undefined) return this.graph.atLine(Number(line), this.#file);
    const atom = event.target instanceof Element ? this.#atoms.get(event.target) : undefined;
    if (atom?.word === "comment") return this.graph.atLine(atom.line, this.#file);
    return atom ? this.#around(atom, atom) : [];
  }

  /** The nodes made by the code from one atom to another. */
  #around(start: Atom, end: Atom): number[] {
    return this.graph.fromSource(this.#file, start.line, start.from, end.line, end.to);
  }

  #click(event: MouseEvent): void {
    const nodes = this.#textSelection() ?? this.#nodesAt(event);
    if (nodes.length) this.actions.select(nodes);
  }

  /** The nodes of the text that the reader dragged over; null where nothing was. */
  #textSelection(): number[] | null {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    const touched = this.#drawn.filter(({ element }) => range.intersectsNode(element));
    return touched.length ? this.#around(touched[0]!.atom, touched.at(-1)!.atom) : null;
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const current = closest(event, "[data-line]");
    if (!step || !current) return;
    event.preventDefault();
    const numbers = [...this.#box.querySelectorAll<HTMLElement>("[data-line]")];
    const next = numbers[numbers.indexOf(current as HTMLElement) + step];
    if (!next) return;
    current.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus({ preventScroll: true });
    reveal(this.#box, next);
  }
}
