// The tree of chains and blocks as an indented outline.

import { type Lit, Linked, lit } from "./linked.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import type { OutlinePanel as Description, OutlineRow } from "../scene/document.js";
import { closest, focusedIn, html, isModified, listen, setAttribute } from "../ui/dom.js";

const HEIGHT = 25;

export class OutlinePanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size: { width: number; height: number };
  readonly #list = html("div.adviz-outline-rows", { role: "tree", "aria-label": "Chains and blocks" });
  readonly #linked: Linked;
  #rows: readonly (readonly [HTMLElement, OutlineRow, Lit])[] = [];
  #cursor = -1;

  constructor(
    readonly description: Description,
    { scene, signal }: PanelContext,
  ) {
    this.size = { width: 330, height: HEIGHT * Math.min(8, Math.max(...description.trees.map(({ length }) => length))) };
    this.element = html("div.adviz-outline", html("h4", "Chains and blocks"), this.#list);
    this.#linked = Linked.of(scene);
    this.#linked.hear((shown) => this.#light(shown), signal);
    const at = (event: Event): Lit | null => this.#rows.find(([element]) => element === closest(event, "[role=treeitem]"))?.[2] ?? null;
    const point = (event: Event): void => this.#linked.point(at(event));
    const leave = (): void => this.#linked.point(null);
    listen(this.#list, signal, {
      pointerover: point,
      pointerleave: leave,
      focusin: point,
      focusout: leave,
      click: (event) => {
        this.#linked.keep(at(event));
        this.#focus(closest(event, "[role=treeitem]") as HTMLElement | null);
      },
      keydown: (event) => this.#key(event, at(event)),
    });
  }

  show({ cursor }: Moment): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    const hadFocus = focusedIn(this.#list) !== null;
    this.#rows = this.description.trees[cursor]!.map((row, k) => {
      const [name, ...rest] = row.words.split(/(?=[,:])/);
      const element = html(
        "div.adviz-outline-row",
        { role: "treeitem", "aria-level": row.depth + 1, tabindex: k ? -1 : 0, "data-sort": row.kind, style: `--depth:${row.depth}` },
        html("b", name!),
        rest.join(""),
      );
      return [element, row, lit(row.edges)] as const;
    });
    this.#list.replaceChildren(...(this.#rows.length ? this.#rows.map(([element]) => element) : [html("p.adviz-muted", "Neither chains nor blocks: only edges from inputs to outputs are left.")]));
    if (hadFocus) this.#rows[0]?.[0].focus({ preventScroll: true });
    this.#light(this.#linked.lit);
  }

  mark(): void {}

  /** A row that is exactly what is lit, and those that hold all of it. */
  #light({ edges }: Lit): void {
    for (const [element, row] of this.#rows) {
      const holds = edges.size > 0 && [...edges].every((edge) => row.edges.includes(edge));
      setAttribute(element, "data-holds", holds ? "" : null);
      setAttribute(element, "data-lit", holds && edges.size === row.edges.length ? "" : null);
    }
  }

  #focus(row: HTMLElement | null): void {
    if (!row) return;
    for (const [element] of this.#rows) element.tabIndex = element === row ? 0 : -1;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  #key(event: KeyboardEvent, at: Lit | null): void {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isModified(event)) return;
    if (event.key === "Enter") this.#linked.keep(at);
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const now = this.#rows.findIndex(([element]) => element === closest(event, "[role=treeitem]"));
    this.#focus(this.#rows[now + way]?.[0] ?? null);
  }
}
