// The result card: each derivative that the sweep computes, once it is there. Who points at one sees its paths.

import type { PanelContext } from "../panels/panel.js";
import { Beside, type Known, derivative } from "./beside.js";
import type { Room } from "../picture/heat-map.js";
import type { ResultPanel as Description } from "../scene/scene.js";
import { dataOf, html, onPoint } from "../ui/dom.js";

const ROOM: Room = [Infinity, Infinity, 13];

export class ResultPanel extends Beside {
  readonly element: HTMLElement;
  readonly #entries: readonly HTMLElement[];
  readonly #terms = html("div.adviz-terms");
  #whole: ReadonlySet<number> = new Set();

  constructor(
    readonly panel: Description,
    context: PanelContext,
  ) {
    super(panel, context);
    this.#entries = panel.rows.map((_, i) => html("li", { "data-row": i, tabindex: 0 }));
    this.element = html("div.adviz-card", html("h4", panel.title), html("ul", ...this.#entries), panel.rows.some(({ via }) => via.length) ? this.#terms : null);
    onPoint(this.element, context.signal, (event) => this.#light(dataOf(event, "row")), () => this.#light());
  }

  tell({ whole, isEnded }: Known): void {
    this.#whole = whole;
    this.panel.rows.forEach(({ node, name }, i) => {
      const amount = whole.has(node) && this.flow!.nodes.find((each) => each.node === node)!.result;
      this.#entries[i]!.replaceChildren(html("i", name), " = ", amount ? derivative(amount, ROOM, name) : isEnded ? "0" : "—");
    });
  }

  /** Let the paths of a derivative stand out, and tell what came along them once it is there. */
  #light(row?: string): void {
    const found = row && this.panel.rows[Number(row)]!;
    this.context.point?.(found ? [found.node] : []);
    const terms = found && this.#whole.has(found.node) ? found.via : [];
    this.#terms.textContent = terms.join("; ");
  }
}
