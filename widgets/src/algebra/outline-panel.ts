// The tree of chains and blocks as an indented outline.

import { type Lit, Linked, lit } from "./linked.js";
import { Tree } from "./tree.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import type { OutlinePanel as Description, OutlineRow } from "../scene/document.js";
import { html, setAttribute } from "../ui/dom.js";

const HEIGHT = 25;

export class OutlinePanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size: { width: number; height: number };
  readonly #tree: Tree;
  readonly #linked: Linked;
  #rows: readonly (readonly [HTMLElement, OutlineRow, Lit])[] = [];
  #cursor = -1;

  constructor(
    readonly description: Description,
    { scene, signal }: PanelContext,
  ) {
    this.size = { width: 330, height: HEIGHT * Math.min(8, Math.max(...description.trees.map(({ length }) => length))) };
    this.#linked = Linked.of(scene);
    this.#linked.hear((shown) => this.#light(shown), signal);
    this.#tree = new Tree("div.adviz-outline-rows", "Chains and blocks", this.#linked, signal, (item) => this.#rows.find(([element]) => element === item)?.[2] ?? null);
    this.element = html("div.adviz-outline", html("h4", "Chains and blocks"), this.#tree.element);
  }

  show({ cursor }: Moment): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.#rows = this.description.trees[cursor]!.map((row) => {
      const [name, ...rest] = row.words.split(/(?=[,:])/);
      const element = html(
        "div.adviz-outline-row",
        { role: "treeitem", "aria-level": row.depth + 1, "data-sort": row.kind, style: `--depth:${row.depth}` },
        html("b", name!),
        rest.join(""),
      );
      return [element, row, lit(row.edges)] as const;
    });
    this.#tree.fill(...(this.#rows.length ? this.#rows.map(([element]) => element) : [html("p.adviz-muted", "Neither chains nor blocks: only edges from inputs to outputs are left.")]));
    this.#light(this.#linked.lit);
  }

  mark(): void {}

  /** A row that is exactly what is lit, and those that hold all of it. */
  #light({ edges }: Lit): void {
    for (const [element, row] of this.#rows) {
      const holds = edges.size > 0 && [...edges].every((edge) => row.edges.includes(edge));
      setAttribute(element, "data-holds", holds);
      setAttribute(element, "data-lit", holds && edges.size === row.edges.length);
    }
  }
}
