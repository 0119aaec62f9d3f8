// Where the reader is among the scopes: a breadcrumb to leave by, and a stepper through repeated iterations.

import type { Actions } from "./actions.js";
import type { Graph } from "../graph/graph.js";
import { type Boxes, type Opened, besides, wayInto } from "../layout/boxes.js";
import type { GraphPanel, Siblings } from "../scene/scene.js";
import { dataOf, focusedIn, html, listen } from "../ui/dom.js";
import { count } from "../ui/format.js";

export class ScopeTrail {
  readonly element: HTMLElement;
  #siblings: Siblings | null = null;

  constructor(
    readonly graph: Graph,
    readonly actions: Actions,
    /** Open or close a box of the graph by its statements. */
    turn: (box: number) => void,
    signal: AbortSignal,
  ) {
    this.element = html("nav.adviz-trail", { "aria-label": "Scopes" });
    listen(this.element, signal, {
      click: (event) => {
        const scope = dataOf(event, "scope");
        const step = dataOf(event, "step");
        const box = dataOf(event, "box");
        if (box !== undefined) turn(Number(box));
        if (scope !== undefined) actions.open(Number(scope));
        if (step !== undefined && this.#siblings) this.#goTo(this.#siblings.index + Number(step));
      },
      change: ({ target }) => this.#goTo(Number((target as HTMLInputElement).value) - 1),
    });
  }

  /** Show the way to a scope, or into open boxes of its statements. */
  show(panel: GraphPanel, boxes: Boxes, opened: Opened): void {
    const { path, siblings } = panel;
    // The loop around iterations made alike opens as one of them: there is nothing else to open.
    const closed = this.graph.scopes.leadsBack(panel) ? path.length - 2 : -1;
    const step = focusedIn(this.element)?.getAttribute("data-step");
    this.#siblings = siblings;
    const crumbs = path.map(({ scope, label }, i) =>
      i < path.length - 1 && i !== closed
        ? html("button.adviz-crumb", { "data-scope": scope, title: label }, label)
        : html("span.adviz-crumb", { "aria-current": i === closed ? null : "location", title: label }, label),
    );
    if (opened.length) crumbs.splice(-1, 1, ...this.#boxes(path.at(-1)!.label, boxes, opened));
    // Among repeated iterations the stepper stands for the last crumb.
    if (siblings) crumbs.splice(-1, 1, this.#stepper(siblings));
    this.element.replaceChildren(html("ol", ...crumbs.map((crumb) => html("li", crumb))));
    if (step) this.element.querySelector<HTMLElement>(`[data-step="${step}"]`)?.focus();
  }

  #boxes(root: string, boxes: Boxes, opened: Opened): HTMLElement[] {
    const last = opened.at(-1)!;
    const button = (step: -1 | 1, sign: string, name: string): HTMLElement => {
      const box = besides(boxes, last, step);
      return html("button.adviz-step", { "data-box": box, "aria-label": name, disabled: box < 0 }, sign);
    };
    const way = wayInto(boxes, opened, root).map(([label, box]) =>
      box === undefined
        ? html("span.adviz-crumb", { "aria-current": "location", title: label }, label)
        : html("button.adviz-crumb", { "data-box": box, title: label }, label),
    );
    if (boxes[last]!.loop) way.push(html("div.adviz-stepper", way.pop()!, button(-1, "‹", "Iterations before"), button(1, "›", "Iterations after")));
    return way;
  }

  #stepper({ index, first, count: total }: Siblings): HTMLElement {
    const kind = this.graph.scopes.kind(first);
    const button = (step: number, sign: string, name: string): HTMLElement =>
      html(
        "button.adviz-step",
        { "data-step": step, "aria-label": name, disabled: index + step < 0 || index + step >= total },
        sign,
      );
    return html(
      "div.adviz-stepper",
      { role: "group", "aria-label": `${kind} ${index + 1} of ${total}` },
      button(-1, "‹", `Previous ${kind}`),
      html("span", kind),
      html("input", { type: "number", min: 1, max: total, value: index + 1, "aria-label": `Number of the ${kind}` }),
      html("span", `of ${count(total)}`),
      button(1, "›", `Next ${kind}`),
    );
  }

  #goTo(index: number): void {
    const siblings = this.#siblings;
    if (!siblings) return;
    if (Number.isInteger(index) && index >= 0 && index < siblings.count)
      this.actions.open(siblings.first + index * siblings.stride);
    else this.element.querySelector("input")!.value = String(siblings.index + 1);
  }
}
