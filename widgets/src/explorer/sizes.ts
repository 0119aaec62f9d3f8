// Sizes at a glance: how large the graph is and what it is made of. Each bar and each number with nodes behind it
// is a button that selects them; pointing at it shows them.

import type { Actions } from "./actions.js";
import { type Graph, sameNodes } from "../graph/graph.js";
import type { Columns } from "../scene/columns.js";
import type { GraphPanel, SizesPanel, Span } from "../scene/scene.js";
import { dataOf, html, listen, setAttribute } from "../ui/dom.js";
import { bytes, count, cut } from "../ui/format.js";

/** One row: its words, how long its bar is, and the nodes it stands for, found when asked. */
interface Row {
  readonly label: string;
  readonly title: string;
  readonly value: number;
  readonly family?: string;
  readonly nodes: () => number[];
}

/** What the nodes of a line are added up by. */
const MEASURES: Record<string, (columns: Columns, node: number) => number> = {
  nodes: () => 1,
  bytes: ({ held }, node) => held[node]!,
  operations: ({ operations }, node) => operations[node]!,
  uses: ({ uses }, node) => uses[node]!,
};
const MOST_LINES = 15;

export class Sizes {
  readonly element = html("div.adviz-sizes");
  /** How to find what each button stands for, by its data-row. */
  readonly #finders: (() => number[])[] = [];
  #scope = 0;
  #measure = "nodes";
  #shown: GraphPanel | null = null;
  /** The row pointed at last. The nodes of one row only are kept, as they may be most of a large graph. */
  #pointed: { row: string; nodes: readonly number[] } = { row: "", nodes: [] };

  constructor(
    readonly graph: Graph,
    /** The sizes of the whole graph. */
    readonly whole: SizesPanel,
    readonly actions: Actions,
    signal: AbortSignal,
  ) {
    const preview = (event: Event): void => actions.preview(this.#point(event));
    const end = (): void => actions.preview([]);
    listen(this.element, signal, {
      click: (event) => this.#point(event).length && actions.select(this.#pointed.nodes),
      pointerover: preview,
      focusin: preview,
      pointerleave: end,
      focusout: end,
      change: ({ target }) => {
        this.#measure = (target as HTMLSelectElement).value;
        if (this.#shown) this.show(this.#shown);
        this.element.querySelector("select")?.focus();
      },
    });
  }

  /** Show the sizes of an opened scope, and say of which. */
  show(shown: GraphPanel): void {
    const { sizes, path } = (this.#shown = shown);
    const panel = sizes ?? this.whole;
    const name = panel.scope ? `Sizes of ${path.at(-1)?.label ?? "the opened scope"}` : "Sizes of the whole graph";
    this.#scope = panel.scope ?? 0;
    this.#pointed = { row: "", nodes: [] };
    this.#finders.length = 0;
    this.element.replaceChildren(html("h3.adviz-scope-name", name), this.#totals(panel), ...this.#charts(panel));
  }

  /** The nodes of the shown scope that satisfy a test. */
  #where(holds: (node: number) => boolean): number[] {
    return this.graph.inScope(this.#scope).filter(holds);
  }

  #are(flag: "input" | "output"): number[] {
    return this.#where((node) => this.graph.is(flag, node));
  }

  /** Show whether the selection is what the row pointed at stands for. */
  mark(selected: readonly number[]): void {
    const { row, nodes } = this.#pointed;
    const pressed = nodes.length > 0 && sameNodes(nodes, selected);
    for (const button of this.element.querySelectorAll<HTMLElement>("[data-row]")) {
      setAttribute(button, "aria-pressed", String(pressed && button.dataset["row"] === row));
    }
  }

  /** The nodes of the row that an event is about. */
  #point(event: Event): readonly number[] {
    const row = dataOf(event, "row");
    if (row === undefined) return [];
    if (row !== this.#pointed.row) this.#pointed = { row, nodes: this.#finders[Number(row)]!() };
    return this.#pointed.nodes;
  }

  #register(nodes: () => number[]): number {
    return this.#finders.push(nodes) - 1;
  }

  #totals(panel: SizesPanel): HTMLElement {
    const inner = panel.scope;
    const numbers: (readonly [string, string, (() => number[]) | null])[] = [
      ["nodes", count(panel.nodes), null],
      ["edges", count(panel.edges), null],
      ["depth", count(panel.depth), null],
      ["width", count(panel.width), null],
      ["held", bytes(panel.bytes), null],
      // Of an inner scope they are outside, in the picture.
      [inner ? "come in" : "inputs", count(panel.inputs), inner ? null : () => this.#are("input")],
      [inner ? "go out" : "outputs", count(panel.outputs), inner ? null : () => this.#are("output")],
      ["dead", count(panel.dead), panel.dead ? () => this.#where((node) => !this.graph.is("live", node)) : null],
    ];
    return html(
      "div.adviz-totals",
      ...numbers.map(([name, value, nodes]) => {
        const words = [html("strong", value), html("span", name)];
        return nodes
          ? html("button.adviz-total", { "data-row": this.#register(nodes) }, ...words)
          : html("div.adviz-total", ...words);
      }),
    );
  }

  #charts(panel: SizesPanel): HTMLElement[] {
    const { graph } = this;
    const { columns, scopes } = graph;
    const { blocks } = graph.scene.tables;
    return [
      this.#chart(
        "Blocks",
        panel.blocks.map(({ block, count: value }) => ({
          label: blocks[block]?.name ?? "?",
          title: "",
          value,
          family: blocks[block]?.family ?? "",
          nodes: () => this.#where((node) => columns.block[node] === block),
        })),
      ),
      this.#lines(),
      this.#chart(
        "Scopes",
        panel.scopes.map(({ scope, count: value }) => ({
          label: scopes.label(scope),
          title: scopes.path(scope),
          value,
          nodes: () => graph.inScope(scope),
        })),
      ),
      this.#chart(
        "Times used",
        panel.uses.map(({ uses, upto, count: value }) => ({
          label: uses === upto ? count(uses) : `${count(uses)}–${count(upto)}`,
          title: `used ${uses} to ${upto} times`,
          value,
          nodes: () => this.#where((node) => columns.uses[node]! >= uses && columns.uses[node]! <= upto),
        })),
      ),
      this.#chart(
        "Used most",
        panel.most_used.map(({ node, uses, label }) => ({
          label,
          title: `node ${node}`,
          value: uses,
          nodes: () => [node],
        })),
      ),
    ].filter((chart) => chart !== null);
  }

  /** The lines of the source whose nodes in this scope come to most. */
  #lines(): HTMLElement | null {
    const { graph } = this;
    const { spans } = graph.scene.tables;
    const sums = new Map<number, number>();
    for (const node of graph.inScope(this.#scope)) {
      const span = graph.columns.span[node]!;
      if (span >= 0) sums.set(span, (sums.get(span) ?? 0) + MEASURES[this.#measure]!(graph.columns, node));
    }
    const begins = spans.map(([file, line]) => `${file}:${line}`);
    const totals = new Map<string, { span: Span; value: number }>();
    for (const [span, sum] of sums) {
      const value = sum + (totals.get(begins[span]!)?.value ?? 0);
      totals.set(begins[span]!, { span: spans[span]!, value });
    }
    const rows = [...totals.entries()]
      .sort(([, one], [, other]) => other.value - one.value)
      .slice(0, MOST_LINES)
      .map(([key, { span, value }]) => ({
        label: `${span[1]}: ${graph.lineText(span)}`,
        title: `${graph.scene.source.files[span[0]]?.path ?? ""}:${span[1]}`,
        value,
        nodes: () => this.#where((node) => begins[graph.columns.span[node]!] === key),
      }));
    const options = Object.keys(MEASURES).map((name) => html("option", { value: name }, name));
    const choice = html("select.adviz-measure", { "aria-label": "Lines by" }, ...options);
    choice.value = this.#measure;
    return this.#chart("Lines", rows, choice);
  }

  #chart(title: string, rows: readonly Row[], control: HTMLElement | null = null): HTMLElement | null {
    if (!rows.length) return null;
    const most = Math.max(1, ...rows.map(({ value }) => value));
    return html("section.adviz-section", html("h4", title, control && " by ", control), ...rows.map((row) => this.#row(row, most)));
  }

  #row({ label, title, value, family, nodes }: Row, most: number): HTMLElement {
    return html(
      "button.adviz-row",
      { "data-row": this.#register(nodes), "data-family": family, title: title || null },
      html("span.adviz-row-label", cut(label, 60)),
      html(
        "span.adviz-row-track",
        { "aria-hidden": "true" },
        html("span", { class: "adviz-row-bar", style: `width:${Math.max(1, (100 * value) / most).toFixed(2)}%` }),
      ),
      html("span.adviz-row-value", count(value)),
    );
  }
}
