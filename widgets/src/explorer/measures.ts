// Color and size by a measure: how many bytes, uses or operations each item of the picture stands for. A folded box has
// the sum of its nodes. Color says the order of magnitude, a bar along the lower edge the part of the largest.

import type { Actions } from "./actions.js";
import type { Derivative } from "./adjoints.js";
import { colorByScope, eraseHue } from "./scope-hues.js";
import type { Graph } from "../graph/graph.js";
import type { Sum } from "../graph/groups.js";
import { box } from "../motion/marks.js";
import type { Picture } from "../picture/picture.js";
import { corner } from "../picture/shapes.js";
import type { Places } from "../picture/relations.js";
import type { HeatMap, Item } from "../scene/scene.js";
import type { Source, Weights } from "../panels/source.js";
import { dataOf, html, listen, setAttribute, setText } from "../ui/dom.js";
import { bytes, count, duration, number } from "../ui/format.js";

/** How a measure is read of a node, how those of a box become one number, and how that is written. */
interface Measure {
  readonly words: string;
  readonly note?: string;
  readonly of: (graph: Graph, derivative: Derivative | null) => (node: number) => number;
  readonly total: "sum" | "largest";
  readonly write: (value: number) => string;
}

const MEASURES: Record<string, Measure> = {
  bytes: { words: "bytes", of: ({ columns }) => at(columns.held), total: "sum", write: bytes },
  uses: { words: "times used", of: ({ columns }) => at(columns.uses), total: "sum", write: (value) => `${count(value)}×` },
  operations: {
    words: "operations",
    of: ({ columns }) => at(columns.operations),
    total: "sum",
    write: (value) => count(Math.round(value)),
  },
  nodes: { words: "nodes", of: () => () => 1, total: "sum", write: count },
  seconds: { words: "time", of: ({ columns }) => at(columns.seconds), total: "sum", write: duration },
  depth: { words: "depth", of: (graph) => at(graph.depths()), total: "largest", write: count },
  adjoint: {
    words: "|adjoint|",
    of: (graph, derivative) => (node) => magnitude(derivative?.of(graph, node) ?? NaN),
    note: ", of an array the largest entry",
    total: "largest",
    write: number,
  },
};

const SUMS = ["nodes", "bytes", "operations", "uses"] as const;

const magnitude = (adjoint: number | HeatMap): number => (typeof adjoint === "number" ? Math.abs(adjoint) : adjoint.scale);

const at =
  (column: ArrayLike<number>) =>
  (node: number): number =>
    column[node]!;

/** What a folded box shows of its nodes. */
const FOLDED = { sum: ", summed in folded boxes", largest: ", the largest in folded boxes" } as const;
/** The items that are named, of the largest. */
const NAMED = 3;
/** Colors follow orders of magnitude where the largest is so many times the smallest. */
const FAR = 20;
/** Percent of the color in the smallest and in the largest item. */
const [FAINT, FULL] = [6, 46];
const BAR = 4;

/** An item with its measure. */
interface Measured {
  readonly item: Item;
  readonly value: number;
}

export class Measures {
  /** The list to choose the measure from. */
  readonly element: HTMLElement;
  /** The scale, and the largest items; empty for none. */
  readonly key = html("div.adviz-measure-key", { hidden: true });
  /** What the lines are weighed by, to choose from. */
  readonly lines: HTMLElement;
  #ofLines: Sum | null = null;
  readonly #picker: HTMLSelectElement;
  /** Show what is chosen once more. */
  redraw: () => void = () => undefined;

  constructor(
    readonly graph: Graph,
    readonly actions: Actions,
    /** Its lines are weighed, too. */
    readonly source: Source,
    /** What color says where no measure is chosen. */
    hue: string,
    withAdjoints: boolean,
    /** What the lines are weighed by where nothing is chosen: what the table of sizes is sorted by. */
    readonly sorted: () => Sum | null,
    signal: AbortSignal,
  ) {
    const there: Record<string, boolean> = {
      adjoint: withAdjoints,
      seconds: graph.scene.columns.some(({ name }) => name === "seconds"),
    };
    const names = Object.entries(MEASURES).filter(([name]) => there[name] ?? true);
    this.#picker = html(
      "select.adviz-picker",
      { "aria-label": "Color and size by" },
      html("option", { value: "" }, hue),
      ...names.map(([value, { words }]) => html("option", { value }, words)),
      html("option", { value: "scope" }, "scope"),
    ) as HTMLSelectElement;
    this.element = html("label.adviz-color-by", "Color by", this.#picker);
    this.lines = html("div.adviz-level", { role: "group", "aria-label": "At the lines" }, ...SUMS.map((sum) => html("button.adviz-quiet", { "data-sum": sum }, sum)));
    listen(this.#picker, signal, { change: () => this.#weigh(null) });
    listen(this.lines, signal, { click: (event) => this.#weigh((dataOf(event, "sum") as Sum | undefined) ?? this.#ofLines) });
  }

  #weigh(sum: Sum | null): void {
    this.#ofLines = sum;
    this.redraw();
  }

  get #chosen(): Measure | null {
    return MEASURES[this.#picker.value] ?? null;
  }

  /** Show the measure that is chosen in a picture, now and when another one is chosen. */
  show(picture: Picture, places: Places, derivative: Derivative | null): void {
    this.redraw = () => this.show(picture, places, derivative);
    const measure = this.#chosen;
    for (const { key } of picture.panel.nodes) erase(picture, key);
    picture.element.toggleAttribute("data-measured", measure !== null);
    const isByScope = this.#picker.value === "scope";
    picture.element.toggleAttribute("data-by-scope", isByScope);
    this.key.hidden = measure === null && !isByScope;
    if (isByScope) this.key.replaceChildren(...colorByScope(this.graph, picture, places, this.actions));
    const beside = MEASURES[this.#ofLines ?? ""] ?? measure ?? MEASURES[this.sorted() ?? ""];
    for (const button of this.lines.children) setAttribute(button, "aria-pressed", String(MEASURES[(button as HTMLElement).dataset["sum"]!] === beside));
    const { scope } = picture.panel;
    this.source.weigh(beside ? weights(this.graph, scope, beside, beside.of(this.graph, derivative)) : new Map());
    if (!measure) return;
    const of = measure.of(this.graph, derivative);
    const measured = picture.panel.nodes
      .filter(({ kind }) => kind !== "outside")
      .map((item) => ({ item, value: total(measure, places.nodes(item).map(of)) }));
    const positive = measured.map(({ value }) => value).filter((value) => value > 0);
    const [low, high] = [Math.min(...positive), Math.max(...positive)];
    const share = scale(low, high);
    for (const { item, value } of measured) draw(picture, item, value, share(value), high, measure);
    this.#tell(measure, measured, [low, high], strength(share(low)));
  }

  #tell(measure: Measure, measured: readonly Measured[], [low, high]: readonly [number, number], faintest: string): void {
    if (!Number.isFinite(high)) {
      this.key.replaceChildren(html("span", `no ${measure.words} here`));
      return;
    }
    const largest = [...measured].sort((a, b) => b.value - a.value).slice(0, NAMED);
    const folded = measured.some(({ item }) => item.kind === "scope") ? FOLDED[measure.total] : "";
    const buttons = largest
      .filter(({ value }) => value > 0)
      .map(({ item, value }) => {
        const name = item.node === null ? item.label : this.graph.fullLabel(item.node);
        const button = html("button.adviz-link", `${name}: ${measure.write(value)}`);
        button.addEventListener("click", () => this.actions.select(itemNodes(this.graph, item)));
        return button;
      });
    this.key.replaceChildren(
      html("span", `${measure.words}${measure.note ?? ""}${folded}`),
      html("span.adviz-scale", html("span", measure.write(low)), html("i", { style: `--faintest:${faintest}` }), html("span", measure.write(high))),
      html("span.adviz-muted", high > FAR * low ? "color: order of magnitude; bar: part of the largest" : "color and bar: part of the largest"),
      html("span", "largest: ", ...buttons.flatMap((button, k) => (k ? [", ", button] : [button]))),
    );
  }
}

/** What the lines of the source have of a measure, of the nodes in a scope. */
function weights(graph: Graph, scope: number, measure: Measure, of: (node: number) => number): Weights {
  const { columns, scene } = graph;
  const end = graph.scopes.end(scope);
  const sums = new Float64Array(scene.tables.spans.length).fill(NaN);
  const add = measure.total === "sum" ? (sum: number, value: number) => sum + value : Math.max;
  for (let node = 0; node < graph.size; node++) {
    const span = columns.span[node]!;
    if (span < 0 || columns.scope[node]! < scope || columns.scope[node]! >= end) continue;
    const value = of(node);
    if (!Number.isNaN(value)) sums[span] = Number.isNaN(sums[span]!) ? value : add(sums[span]!, value);
  }
  const found = new Map<string, number>();
  scene.tables.spans.forEach(([file, first], span) => {
    const [line, value] = [`${file}:${first}`, sums[span]!];
    const known = found.get(line);
    if (!Number.isNaN(value)) found.set(line, known === undefined ? value : add(known, value));
  });
  const largest = [...found.values()].reduce((most, value) => Math.max(most, value), 0) || 1; // of any number of lines
  const told = ([line, value]: [string, number]) =>
    [line, { share: value / largest, figure: measure.write(value), words: `${measure.words}: ${measure.write(value)}` }] as const;
  return new Map([...found].map(told));
}

const itemNodes = (graph: Graph, { node, span }: Item): number[] =>
  node === null ? (span ? graph.inScopes(span[0], span[1]) : []) : [node];

/** The measure of an item; NaN where no node has one. */
function total({ total: how }: Measure, values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  if (!known.length) return NaN;
  return how === "sum" ? known.reduce((sum, value) => sum + value, 0) : known.reduce((a, b) => Math.max(a, b));
}

/** From a value to the share of the color, from 0 to 1. */
function scale(low: number, high: number): (value: number) => number {
  if (high > FAR * low) return (value) => (value > 0 ? Math.log(value / low) / Math.log(high / low) : 0);
  return (value) => (high > 0 ? value / high : 0);
}

/** The part of the color for a share of it. */
const strength = (share: number): string => `${(FAINT + (FULL - FAINT) * Math.min(Math.max(share, 0), 1)).toFixed(1)}%`;

function erase(picture: Picture, key: string): void {
  const group = picture.node(key)!;
  picture.put(key, { bar: [] });
  group.style.removeProperty("--measure");
  eraseHue(group);
  const written = group.querySelector(".adviz-measured");
  if (written) setText(written, "");
  const title = group.querySelector("title")!;
  title.textContent = title.textContent!.split("\n")[0]!;
}

function draw(picture: Picture, item: Item, value: number, share: number, high: number, measure: Measure): void {
  if (Number.isNaN(value)) return;
  const group = picture.node(item.key)!;
  group.style.setProperty("--measure", value > 0 ? strength(share) : "0%");
  const margin = corner(item) > BAR * 2 ? 0.42 * item.h : 6; // round corners leave less room
  const width = value > 0 ? Math.max((item.w - 2 * margin) * (value / high), BAR) : 0;
  const at = { x: margin + (width - item.w) / 2, y: item.h / 2 - BAR / 2 - 2, w: width, h: BAR };
  picture.put(item.key, { bar: [box("measure-bar", at, BAR / 2, "ink", "", 0)] });
  const written = group.querySelector(".adviz-measured");
  if (written) setText(written, measure.write(value));
  group.querySelector("title")!.textContent += `\n${measure.words}: ${measure.write(value)}`;
}
