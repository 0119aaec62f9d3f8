// The formula panel: this step's arithmetic with its numbers, typeset. Formulas come as trees and become MathML elements,
// which browsers set with the fonts they have.

import { html } from "./dom.js";
import type { Moment, PanelContext, PlayerPanel } from "./panels.js";
import { partsOf } from "./runs.js";
import type { Formula, FormulaPanel as Description } from "./scene.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";

function math(tag: string, attributes: Record<string, string>, ...children: (Node | string)[]): MathMLElement {
  const element = document.createElementNS(MATHML, tag) as MathMLElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const over = (base: Formula, accent: string): MathMLElement =>
  math("mover", { accent: "true" }, mathOf(base), math("mo", { stretchy: "false" }, accent));

const cells = (rows: readonly Formula[][]): MathMLElement =>
  math(
    "mtable",
    {},
    ...rows.map((row) => math("mtr", {}, ...row.map((cell) => math("mtd", {}, mathOf(cell))))),
  );

/** What each kind of tree becomes. */
const RULES: { [Kind in Formula[0]]: (tree: Extract<Formula, readonly [Kind, ...unknown[]]>) => MathMLElement } = {
  row: ([, ...parts]) => math("mrow", {}, ...parts.map(mathOf)),
  id: ([, name]) => math("mi", {}, name),
  num: ([, digits]) => math("mn", {}, digits.replace(/^-/, "−")),
  op: ([, sign]) => math("mo", {}, sign),
  text: ([, words]) => math("mtext", {}, words),
  sub: ([, base, index]) => math("msub", {}, mathOf(base), mathOf(index)),
  bar: ([, base]) => over(base, "¯"),
  dot: ([, base]) => over(base, "˙"),
  frac: ([, top, bottom]) => math("mfrac", {}, mathOf(top), mathOf(bottom)),
  matrix: ([, rows]) => math("mrow", {}, math("mo", {}, "["), cells(rows), math("mo", {}, "]")),
};

/** A formula tree as MathML elements. */
export const mathOf = (tree: Formula): MathMLElement => (RULES[tree[0]] as (tree: Formula) => MathMLElement)(tree);

/** A whole formula, displayed. */
export const formula = (tree: Formula): MathMLElement => math("math", { display: "block" }, mathOf(tree));

/** No smaller than this share of its size is a formula set so that it fits; past that it is scrolled to. */
const SMALLEST = 0.55;

export class FormulaPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #context: PanelContext;

  constructor(_description: Description, context: PanelContext) {
    this.#context = context;
    this.element = html("div", { class: "adviz-arithmetic", role: "group", "aria-label": "Formula", tabindex: 0 });
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => this.#fit());
    observer.observe(this.element);
    context.signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  }

  show({ step }: Moment): void {
    const parts = step ? partsOf(step).filter((part) => part.formula) : [];
    const several = this.#context.scene.runs.length > 1;
    this.element.replaceChildren(
      ...parts.map((part) =>
        html(
          "div",
          { class: "adviz-equation", "data-run": part.run },
          several ? html("span", { class: "adviz-run" }, this.#label(part.run)) : null,
          formula(part.formula!),
        ),
      ),
    );
    this.#fit();
  }

  mark(): void {}

  #label(run: string): string {
    return this.#context.scene.runs.find(({ id }) => id === run)?.label ?? run;
  }

  /** Set formulas that are too wide smaller. */
  #fit(): void {
    this.element.style.removeProperty("--fit");
    const { clientWidth, scrollWidth } = this.element;
    if (scrollWidth > clientWidth)
      this.element.style.setProperty("--fit", String(Math.max(SMALLEST, (0.97 * clientWidth) / scrollWidth)));
  }
}
