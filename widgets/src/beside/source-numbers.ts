// Numbers under the source: a bracket for every sub-expression and every use of a name, its value, and its derivative
// once that has arrived.

import { type Known, actors, derivative } from "./beside.js";
import { breaksOf } from "./broken-lines.js";
import { type Room, figureOf, isUnknown } from "../picture/heat-map.js";
import type { Below } from "../panels/source.js";
import type { Amount, Bracket, FlowPanel, SourceFile, SourceNumbers, Span } from "../scene/document.js";
import { html, setAttribute } from "../ui/dom.js";

/** Pixels of a cell of a heat map, of a digit, and between numbers. */
const [CELL, DIGIT, APART] = [5, 7.1, 3];
const ROOM: Room = [Infinity, Infinity, CELL];
/** Pixels of the font of the source; of one in which lines have to be broken; and its advance as a share of that. */
export const SMALLEST = 11;
const [LARGEST, BROKEN, ADVANCE] = [22, 12, 0.602];
/** Pixels beside the source. */
const MARGIN = 56;

type Evaluation = Bracket["evaluations"][number];

interface Drawn {
  readonly bracket: Bracket;
  readonly element: HTMLElement;
  /** What it shows: an evaluation, and its derivative. */
  shown: readonly [Evaluation | null, Amount | null];
}

const spanOf = ({ file, line, start, end }: Bracket): Span => [file, line, start, line, end, null];

/** What is below a line, or below a part of it where it is broken. */
type Part = readonly [file: number, line: number, part: number];

export class Numbers implements Below {
  /** The columns at which lines are broken, by file and line. */
  #breaks = new Map<string, readonly number[]>();
  readonly #drawn: readonly Drawn[];
  readonly #nodes: ReadonlyMap<number, FlowPanel["nodes"][number]>;
  readonly #products: ReadonlyMap<string, Amount | undefined>;
  constructor(
    readonly numbers: SourceNumbers,
    readonly panel: FlowPanel,
    readonly files: readonly SourceFile[] = [],
  ) {
    this.#nodes = new Map(panel.nodes.map((node) => [node.node, node]));
    this.#products = new Map(panel.edges.map(({ key, product }) => [key, product]));
    // The longest come last: they stand below those inside them.
    const sorted = [...numbers.brackets].sort((one, other) => one.end - one.start - (other.end - other.start));
    this.#drawn = sorted.map((bracket) => {
      return { bracket, element: html("div.adviz-bracket"), shown: [null, null] };
    });
  }

  /** Where the source may be marked, and where lines are broken. */
  get spans(): readonly Span[] {
    const broken = [...this.#breaks].flatMap(([place, columns]) => {
      const [file, line] = place.split("/").map(Number) as [number, number];
      return columns.map((column): Span => [file, line, 0, line, column, null]);
    });
    return [...this.numbers.brackets.map(spanOf), ...broken];
  }

  breaks(file: number, line: number): readonly number[] {
    return this.#breaks.get(`${file}/${line}`) ?? [];
  }

  /** What stands below a line, or a part of it; null where nothing does. */
  below(...[file, line, part = 0]: readonly [file: number, line: number, part?: number]): HTMLElement | null {
    const here = this.#drawn.filter(({ bracket }) => `${this.#partOf(bracket)}` === `${[file, line, part]}`);
    return here.length ? html("div.adviz-brackets", ...here.map(({ element }) => element)) : null;
  }

  /** A bracket stands below the part of its line that it ends in. */
  #partOf({ file, line, end }: Bracket): Part {
    return [file, line, this.breaks(file, line).filter((column) => column < end).length];
  }

  /** From where to where a bracket goes in its part of the line; one that begins in an earlier part has no left end. */
  #columns(bracket: Bracket): readonly [from: number, to: number, isContinued: boolean] {
    const column = this.breaks(bracket.file, bracket.line)[this.#partOf(bracket)[2] - 1] ?? 0;
    return [Math.max(0, bracket.at[0] - column), bracket.at[1] - column, bracket.at[0] < column];
  }

  /** Break the lines that are longer than so many characters; returns whether any of them is broken elsewhere than before. */
  breakAt(room: number): boolean {
    const before = JSON.stringify([...this.#breaks]);
    const lines = this.files.flatMap(({ text, line }, file) => text.split("\n").map((words, k) => [`${file}/${line + k}`, breaksOf(words, room)] as const));
    this.#breaks = new Map(lines.filter(([, columns]) => columns.length));
    return JSON.stringify([...this.#breaks]) !== before;
  }

  /** The size of the font where the source is so many px wide, and for how many characters a line then has room. */
  sized(width: number, most = LARGEST): readonly [size: number, room: number] {
    const whole = (width - MARGIN) / ADVANCE / this.numbers.width;
    const size = Math.min(most, whole < SMALLEST && this.files.length ? BROKEN : Math.max(SMALLEST, whole));
    return [size, whole < SMALLEST ? Math.floor((width - MARGIN) / ADVANCE / size) : Infinity];
  }

  /** Give every bracket its place where the font of the source has a size. */
  fit(size: number): void {
    const lines = new Map<string, [Bracket, number, number, number][]>();
    for (const { bracket, element } of this.#drawn) {
      const { start, end, evaluations } = bracket;
      const [first, last, isContinued] = this.#columns(bracket);
      element.style.marginLeft = `${first}ch`;
      element.style.width = `${last - first}ch`;
      setAttribute(element, "data-continued", isContinued ? "" : null);
      const [from, to] = [first * ADVANCE * size, last * ADVANCE * size];
      const half = Math.max(to - from, ...evaluations.map((each) => this.#wide(each))) / 2 + APART / 2;
      const [left, right] = [(from + to) / 2 - half, (from + to) / 2 + half];
      const name = String(this.#partOf(bracket));
      const beside = lines.get(name) ?? [];
      let row = Math.max(0, ...beside.map(([one, , , its]) => (one.start >= start && one.end <= end ? its : 0)));
      do row++;
      while (beside.some(([, low, high, its]) => its === row && low < right && left < high));
      lines.set(name, [...beside, [bracket, left, right, row]]);
      element.style.gridRow = String(row);
    }
  }

  #wide([, node, text]: Evaluation): number {
    const { map, value, result } = this.#nodes.get(node) ?? { value: text };
    return Math.max(map ? (2 * map.columns.length + 1) * CELL : 0, DIGIT * Math.max(value.length, result?.text.length ?? 0));
  }

  /** Show what is known; returns what is in play: nodes by what made them, and names in the source. */
  show({ cursor, sent, whole, played }: Known): [nodes: number[], spans: Span[]] {
    const moves = played.filter(({ kind }) => kind !== "result");
    const acting = actors(moves);
    const spans: Span[] = [];
    for (const drawn of this.#drawn) {
      const { bracket, element } = drawn;
      const evaluation = bracket.evaluations.filter(([step]) => step < cursor).at(-1)!;
      const [, node, edge] = evaluation;
      const amount = edge && this.panel.reverse ? sent.has(edge) && this.#products.get(edge) : whole.has(node) && this.#nodes.get(node)?.result;
      this.#fill(drawn, evaluation, amount || null);
      setAttribute(element, "data-unvalued", this.numbers.word === "value" && node >= 0 && !whole.has(node));
      const isPlayed = edge ? moves.some((move) => move.edge === edge) : acting.includes(node);
      setAttribute(element, "data-play", isPlayed);
      if (!edge && moves.some((move) => !move.edge && move.nodes.includes(node))) spans.push(spanOf(bracket));
    }
    return [acting, spans];
  }

  #fill(drawn: Drawn, evaluation: Evaluation, amount: Amount | null): void {
    if (drawn.shown[0] === evaluation && drawn.shown[1] === amount) return;
    drawn.shown = [evaluation, amount];
    const { element } = drawn;
    const found = this.#nodes.get(evaluation[1]);
    if (!found) return element.replaceChildren(html("span", evaluation[2]), html("b"));
    const { node, value, map, title, first } = found;
    const { word } = this.numbers;
    element.dataset["node"] = String(node);
    element.title = amount ? `${title}, ${word}${amount.map ? " of shape" : ""} ${amount.text}` : title;
    const shown = amount ? derivative(amount, ROOM, word) : html("b");
    if (map) shown.style.width = `${CELL * map.columns.length}px`;
    setAttribute(element, "data-first", first);
    element.replaceChildren(...(map ? [html("div", figureOf(map, ROOM, "value"), shown), html("span", value)] : [html("span", { "data-unknown": isUnknown(value) }, value), shown]));
  }
}
