// Which multiplication waits for which, as arrows; those that wait in a circle are red.

import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import { Linked, lit } from "./linked.js";
import type { DependenciesPanel as Description } from "../scene/document.js";
import { closest, html, onPoint, svg } from "../ui/dom.js";
import { raised } from "../ui/format.js";

const ROW = 28;
const LANE = 14;
const LEFT = 8;

export class DependenciesPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size: { width: number; height: number };
  readonly #body = html("div.adviz-waiting");
  readonly #told = html("p.adviz-muted");

  constructor(
    readonly description: Description,
    { scene, signal }: PanelContext,
  ) {
    this.size = { width: 330, height: 44 + ROW * Math.max(1, ...description.sets.map(({ multiplications }) => multiplications.length)) };
    this.element = html("div.adviz-dependencies", html("h4", "Dependencies"), this.#told, this.#body);
    const linked = Linked.of(scene);
    const point = (event: Event): void => {
      const text = raised(closest(event, "[data-product]")?.textContent ?? "");
      linked.point(text ? lit([], text.match(/e[\d,]+|X\d+/g) ?? []) : null);
    };
    onPoint(this.#body, signal, point, () => linked.point(null));
  }

  show({ cursor }: Moment): void {
    const { multiplications, waits, cycle } = this.description.sets[cursor]!;
    this.#told.textContent = !waits.length
      ? "No product here stands in a bracket as well: none waits for another."
      : cycle.length
        ? `${cycle.length > 1 ? "Those in red wait for each other in a circle" : "The one in red waits for itself"}: no order of faces keeps all brackets.`
        : "Each waits for those that its arrows lead to: they stand between its factors in a bracket.";
    const isRed = (one: number, other: number): boolean => cycle.some((each, k) => each === one && cycle[(k + 1) % cycle.length] === other);
    const wide = LEFT + LANE * Math.max(1, ...waits.map(([one, other]) => Math.abs(one - other)));
    const middle = (k: number): number => ROW * (k + 0.5);
    const arrows = waits.map(([one, other], k) => {
      const out = wide - LANE * Math.max(1, Math.abs(one - other));
      // What waits for itself has an arrow from below its middle to above it.
      const [from, to] = one === other ? [middle(one) + 9, middle(one) - 5] : [middle(one) + (one < other ? 4 : -4), middle(other)];
      const head = `M${wide - 7} ${to - 4}L${wide} ${to}L${wide - 7} ${to + 4}`;
      return svg("path", { "data-cycle": isRed(one, other), d: `M${wide} ${from}C${out} ${from} ${out} ${to} ${wide} ${to}${head}`, "data-arrow": k });
    });
    const height = ROW * multiplications.length;
    this.#body.replaceChildren(
      svg("svg", { width: wide, height, viewBox: `0 0 ${wide} ${height}`, "aria-hidden": "true" }, ...arrows),
      html(
        "ol",
        ...multiplications.map((words, k) =>
          html("li", { tabindex: 0, "data-product": "", "data-cycle": cycle.includes(k), "aria-description": waits.filter(([one]) => one === k).map(([, other]) => `waits for ${multiplications[other]}`).join(", ") }, words),
        ),
      ),
    );
  }

  mark(): void {}
}
