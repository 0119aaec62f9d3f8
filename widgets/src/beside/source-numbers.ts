// Numbers under the source: a bracket for every sub-expression and every use of a name, its value, and its derivative
// once that has arrived.

import { type Known, derivative } from "./beside.js";
import { type Room, figureOf, isUnknown } from "../picture/heat-map.js";
import type { Amount, Bracket, FlowPanel, Move, SourceNumbers, Span } from "../scene/document.js";
import { html, setAttribute } from "../ui/dom.js";

/** Pixels of a cell of a heat map, of a digit, and between numbers. */
const [CELL, DIGIT, APART] = [5, 6.7, 3];
const ROOM: Room = [Infinity, Infinity, CELL];
/** Pixels of the font of the source, and its advance as a share of that. */
export const SMALLEST = 13;
const [LARGEST, ADVANCE] = [22, 0.602];
/** Pixels beside the source. */
const MARGIN = 56;

type Evaluation = Bracket["evaluations"][number];

interface Drawn {
  readonly bracket: Bracket;
  readonly element: HTMLElement;
  /** What it shows: an evaluation, and its derivative. */
  shown: readonly [Evaluation | null, Amount | null];
}

/** The nodes whose rules are applied. */
export const actors = (moves: readonly Move[]): number[] => moves.flatMap(({ edge, nodes, kind }) => (kind === "result" ? [] : edge ? [Number(edge.split("/")[0])] : nodes));

const spanOf = ({ file, line, start, end }: Bracket): Span => [file, line, start, line, end, null];

export class Numbers {
  readonly spans: readonly Span[];
  readonly #drawn: readonly Drawn[];
  readonly #nodes: ReadonlyMap<number, FlowPanel["nodes"][number]>;
  readonly #products: ReadonlyMap<string, Amount | undefined>;
  constructor(
    readonly numbers: SourceNumbers,
    readonly panel: FlowPanel,
  ) {
    this.spans = numbers.brackets.map(spanOf);
    this.#nodes = new Map(panel.nodes.map((node) => [node.node, node]));
    this.#products = new Map(panel.edges.map(({ key, product }) => [key, product]));
    // The longest come last: they stand below those inside them.
    const sorted = [...numbers.brackets].sort((one, other) => one.end - one.start - (other.end - other.start));
    this.#drawn = sorted.map((bracket) => {
      const [from, to] = bracket.at;
      const element = html("div.adviz-bracket", { style: `margin-left:${from}ch;width:${to - from}ch` });
      return { bracket, element, shown: [null, null] };
    });
  }

  /** What stands below a line; null where nothing does. */
  below(file: number, line: number): HTMLElement | null {
    const here = this.#drawn.filter(({ bracket }) => bracket.file === file && bracket.line === line);
    return here.length ? html("div.adviz-brackets", ...here.map(({ element }) => element)) : null;
  }

  /** Give every bracket its row where the source is so many px wide; returns the size of its font, which has a limit. */
  fit(width: number, most = LARGEST): number {
    const size = Math.min(most, Math.max(SMALLEST, (width - MARGIN) / ADVANCE / this.numbers.width));
    const lines = new Map<string, [Bracket, number, number, number][]>();
    for (const { bracket, element } of this.#drawn) {
      const { file, line, at, start, end, evaluations } = bracket;
      const [from, to] = at.map((column) => column * ADVANCE * size) as [number, number];
      const half = Math.max(to - from, ...evaluations.map((each) => this.#wide(each))) / 2 + APART / 2;
      const [left, right] = [(from + to) / 2 - half, (from + to) / 2 + half];
      const name = `${file}/${line}`;
      const beside = lines.get(name) ?? [];
      let row = Math.max(0, ...beside.map(([one, , , its]) => (one.start >= start && one.end <= end ? its : 0)));
      do row++;
      while (beside.some(([, low, high, its]) => its === row && low < right && left < high));
      lines.set(name, [...beside, [bracket, left, right, row]]);
      element.style.gridRow = String(row);
    }
    return size;
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
