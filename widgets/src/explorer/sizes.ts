// Sizes at a glance: how large the graph is and what it is made of. Each bar and each number with nodes behind it
// is a button that selects them; pointing at it shows them.

import type { Actions } from "./actions.js";
import { SizeTable } from "./size-table.js";
import { type Graph, sameNodes } from "../graph/graph.js";
import type { GraphPanel, Peak, SizesPanel } from "../scene/scene.js";
import { dataOf, html, listen, onPoint, setAttribute } from "../ui/dom.js";
import { bytes, count, cut, large, percent, plural } from "../ui/format.js";

/** Characters of a name in few words. */
const LONGEST_NAME = 12;

/** One row: its words, how long its bar is, and the nodes it stands for, found when asked. */
interface Row {
  readonly label: string;
  readonly title: string;
  readonly value: number;
  readonly nodes: () => number[];
}

export class Sizes {
  /** Few numbers that tell how large it is. */
  readonly facts = html("div.adviz-glance");
  readonly #charted = html("div");
  readonly element = html("div.adviz-sizes", this.facts, this.#charted);
  readonly table: SizeTable;
  /** How to find what each row and button stands for, by its data-row. */
  readonly #finders = new Map<string, () => number[]>();
  #scope = 0;
  #selected: readonly number[] = [];
  /** The row pointed at last. The nodes of one row only are kept, as they may be most of a large graph. */
  #pointed: { row: string; nodes: readonly number[] } = { row: "", nodes: [] };

  constructor(
    readonly graph: Graph,
    /** The sizes of the whole graph. */
    readonly whole: SizesPanel,
    readonly actions: Actions,
    signal: AbortSignal,
    /** Told when the table counts by something else. */
    counted: () => void = () => undefined,
  ) {
    const changed = (): void => {
      this.#pointed = { row: "", nodes: [] };
      this.mark(this.#selected);
      counted();
    };
    this.table = new SizeTable(graph, (row, nodes) => this.#finders.set(row, nodes), changed, signal);
    for (const each of [this.facts, this.#charted]) {
      listen(each, signal, { click: (event) => this.#point(event).length && actions.select(this.#pointed.nodes) });
      onPoint(each, signal, (event) => actions.preview(this.#point(event)), () => actions.preview([]));
    }
  }

  /** Show the sizes of an opened scope, and say of which. */
  show({ sizes, path }: GraphPanel): void {
    const panel = sizes ?? this.whole;
    const name = panel.scope ? `Sizes of ${path.at(-1)?.label ?? "the opened scope"}` : "Sizes of the whole graph";
    this.#scope = panel.scope ?? 0;
    this.#pointed = { row: "", nodes: [] };
    this.#finders.clear();
    this.table.show(this.#scope);
    this.facts.replaceChildren(html("h3.adviz-scope-name", name), this.#totals(panel));
    this.#charted.replaceChildren(...this.#charts(panel));
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
    this.#selected = selected;
    const { row, nodes } = this.#pointed;
    const pressed = nodes.length > 0 && sameNodes(nodes, selected);
    for (const each of [this.facts, this.#charted].flatMap((part) => [...part.querySelectorAll<HTMLElement>("[data-row]")])) {
      const button = each.querySelector("button") ?? each;
      setAttribute(button, "aria-pressed", String(pressed && each.dataset["row"] === row));
    }
  }

  /** The nodes of the row that an event is about. */
  #point(event: Event): readonly number[] {
    const row = dataOf(event, "row");
    if (row === undefined) return [];
    if (row !== this.#pointed.row) this.#pointed = { row, nodes: this.#finders.get(row)?.() ?? [] };
    return this.#pointed.nodes;
  }

  #register(nodes: () => number[]): string {
    const row = String(this.#finders.size);
    this.#finders.set(row, nodes);
    return row;
  }

  #totals(panel: SizesPanel): HTMLElement {
    const [inner, { columns }] = [panel.scope, this.graph];
    const nodes = this.graph.inScope(this.#scope);
    const largest = nodes.reduce((most, node) => (columns.bytes[node]! > columns.bytes[most]! ? node : most), nodes[0] ?? 0);
    const [used] = panel.most_used;
    const peak = inner ? undefined : panel.peaks?.at(-1);
    const named = (node: number): string => cut(this.graph.name(node) ?? this.graph.label(node), LONGEST_NAME);
    const numbers: (readonly [string, string, (() => number[]) | null])[] = [
      ["nodes", count(panel.nodes), null],
      ["edges", count(panel.edges), null],
      ["depth", count(panel.depth), null],
      peak ? ["held at peak", bytes(peak.bytes), () => [...peak.nodes]] : ["held", bytes(panel.bytes), null],
      ["operations", large(nodes.reduce((sum, node) => sum + columns.operations[node]!, 0)), null],
      [`largest ${bytes(columns.bytes[largest]!)}`, named(largest), () => [largest]],
      ...(used ? [[`most used ${count(used.uses)}×`, named(used.node), () => [used.node]] as const] : []),
      // Of an inner scope they are outside, in the picture.
      [inner ? "come in" : "inputs", count(panel.inputs), inner ? null : () => this.#are("input")],
      ...(inner || panel.outputs > 1 ? [[inner ? "go out" : "outputs", count(panel.outputs), inner ? null : () => this.#are("output")] as const] : []),
      ...(panel.dead ? [["dead", count(panel.dead), () => this.#where((node) => !this.graph.is("live", node))] as const] : []),
    ];
    return html(
      "div.adviz-totals",
      ...numbers.map(([name, value, found]) => {
        const words = [html("strong", value), html("span", name)];
        return found
          ? html("button.adviz-total", { "data-row": this.#register(found) }, ...words)
          : html("div.adviz-total", ...words);
      }),
    );
  }

  #charts(panel: SizesPanel): HTMLElement[] {
    const { columns } = this.graph;
    return [
      this.#unknown(),
      this.table.element,
      this.#memory(),
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
        panel.most_used.filter(({ uses }) => uses > 1).map(({ node, uses, label }) => ({
          label: this.graph.fullLabel(node),
          title: label,
          value: uses,
          nodes: () => [node],
        })),
      ),
    ].filter((chart) => chart !== null);
  }

  /** What holds the most memory at once, of the whole graph. */
  #memory(): HTMLElement | null {
    const { peaks } = this.whole;
    if (this.#scope || !peaks?.some(({ count }) => count)) return null;
    return html("section.adviz-section", html("h4", "Memory"), ...peaks.map((peak) => this.#peak(peak)), this.#single());
  }

  #peak({ gradient, bytes: most, node, back, count: holders, nodes, holders: named }: Peak): HTMLElement {
    const whole = gradient ? "with the gradient" : "of the evaluation";
    const all = holders > nodes.length ? `the ${count(nodes.length)} largest of ${count(holders)} nodes` : plural(holders, "node");
    const button = html("button.adviz-link", { "data-row": this.#register(() => [...nodes]) }, all);
    const rest = holders > named.length;
    const links = named.flatMap((each, k) => [
      " ",
      html(
        "span",
        html("button.adviz-link", { "data-link": each.node, title: `${each.what}: ${bytes(each.bytes)}` }, this.graph.fullLabel(each.node)),
        each.what === "adjoint" ? " (adjoint)" : "",
        rest || k < named.length - 1 ? "," : "",
      ),
    ]);
    return html(
      "p.adviz-peak",
      html("strong", bytes(most)),
      ` at the peak ${whole}, ${back ? "on the way back at" : "at"} `,
      html("button.adviz-link", { "data-link": node }, this.graph.label(node)),
      "; held by ",
      html("span", button, ":"),
      ...links,
      rest ? " …" : "",
    );
  }

  /** What float32 would save. */
  #single(): HTMLElement | null {
    const { columns, scene, size } = this.graph;
    const isDouble = (scene.tables.dtypes ?? []).map((name) => name === "float64" || name === "complex128");
    let [all, double] = [0, 0];
    for (let node = 0; node < size; node++) {
      all += columns.held[node]!;
      if (isDouble[columns.dtype[node]!]) double += columns.held[node]!;
    }
    if (!double) return null;
    return html("p.adviz-peak", html("strong", bytes(all - double / 2)), ` held in single precision instead of ${bytes(all)}: ${percent(double / 2 / all)} less`);
  }

  /** Where numbers that are not finite begin. */
  #unknown(): HTMLElement | null {
    const rows = (["inf", "nan"] as const).flatMap((flag) => {
      const nodes = this.#where((node) => this.graph.is(flag, node));
      const [first] = nodes;
      if (first === undefined) return [];
      const place = this.graph.place(first);
      const name = flag === "nan" ? "NaN" : "infinity";
      return [
        html(
          "p.adviz-peak",
          html("button.adviz-link", { "data-link": first }, `first ${name}: ${this.graph.fullLabel(first)}`),
          place && ` at ${place}`,
          "; in ",
          html("button.adviz-link", { "data-row": this.#register(() => nodes) }, plural(nodes.length, "node")),
        ),
      ];
    });
    return rows.length ? html("section.adviz-section", html("h4", "Not finite"), ...rows) : null;
  }

  #chart(title: string, rows: readonly Row[]): HTMLElement | null {
    if (!rows.length) return null;
    const most = Math.max(1, ...rows.map(({ value }) => value));
    const longest = Math.max(...rows.map(({ label }) => label.length));
    return html("section.adviz-section", { style: `--labels:${longest + 1}ch` }, html("h4", title), ...rows.map((row) => this.#row(row, most)));
  }

  #row({ label, title, value, nodes }: Row, most: number): HTMLElement {
    return html(
      "button.adviz-row",
      { "data-row": this.#register(nodes), title },
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
