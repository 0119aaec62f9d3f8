// The formula panel: this step's arithmetic with its numbers, typeset. Formulas come as trees and become MathML elements,
// which browsers set with the fonts they have.

import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import { partOf } from "../playback/runs.js";
import type { Formula, FormulaPanel as Description, Step } from "../scene/scene.js";
import { html, mathml as math, onResize } from "../ui/dom.js";
import { mathematics } from "../ui/format.js";

/** A sign over a letter, or a line over a name that is longer: fonts do not stretch the sign. */
const over = (base: Formula, accent: string): MathMLElement =>
  accent === "¯" && base[0] === "id" && base[1].length > 1 ? math("mrow.adviz-over", mathOf(base)) : math("mover", { accent: "true" }, mathOf(base), math("mo", { stretchy: "false" }, accent));

/** A name as in the picture: italic, however long it is, but for functions that are called in it. */
function named(name: string): MathMLElement {
  const parts = mathematics(name, (part) => math(part.length > 1 ? "mi.adviz-italic" : "mi", part));
  return name.length === 1 ? math("mi", name) : math("mrow", ...parts.map((part) => (typeof part === "string" ? math("mi", part) : part)));
}

/** A matrix; the style sheet draws its brackets, which only fonts for mathematics can stretch. */
const cells = (rows: readonly Formula[][]): MathMLElement =>
  math("mtable.adviz-bracketed", ...rows.map((row) => math("mtr", ...row.map((cell) => math("mtd", mathOf(cell))))));

/** What each kind of tree becomes. */
const RULES: { [Kind in Formula[0]]: (tree: Extract<Formula, readonly [Kind, ...unknown[]]>) => MathMLElement } = {
  row: ([, ...parts]) => math("mrow", ...parts.map(mathOf)),
  id: ([, name]) => named(name),
  num: ([, digits]) => math("mn", digits.replace(/^-/, "−")),
  op: ([, sign]) => math("mo", sign),
  text: ([, words]) => math("mtext", words),
  sub: ([, base, index]) => math("msub", mathOf(base), mathOf(index)),
  bar: ([, base]) => over(base, "¯"),
  dot: ([, base]) => over(base, "˙"),
  frac: ([, top, bottom]) => math("mfrac", mathOf(top), mathOf(bottom)),
  matrix: ([, rows]) => cells(rows),
};

/** A formula tree as MathML elements. */
export const mathOf = (tree: Formula): MathMLElement => (RULES[tree[0]] as (tree: Formula) => MathMLElement)(tree);

/** A whole formula, displayed; a long one may be broken between equations, or before a sum or a sign of equality. */
export const formula = (tree: Formula): MathMLElement =>
  math("math", { display: "block", "data-equations": isSeveral(tree) }, ...segments(tree).map(mathOf));

/** Whether a formula is several equations. */
const isSeveral = ([kind, ...parts]: Formula): boolean => kind === "row" && parts.some((part) => part[0] === "op" && part[1] === ",");

/** Signs at which lines may begin. */
const BREAKS = ["=", "+=", "≈", "+"];

/** The parts of a row; those of a row of several sides in it are among them. */
const partsOf = ([kind, ...parts]: Formula): Formula[] =>
  kind === "row" && parts.some((part) => part[0] === "op" && part[1] === "=") ? (parts as Formula[]) : [[kind, ...parts] as Formula];

/** A row cut behind its commas; without any, before such signs but the first. */
function segments(tree: Formula): Formula[] {
  if (tree[0] !== "row") return [tree];
  const parts = tree.slice(1).flatMap((part) => partsOf(part as Formula));
  const after = (signs: readonly string[]): number[] =>
    parts.flatMap(([kind, sign], i) => (kind === "op" && signs.includes(sign as string) ? i + 1 : []));
  const commas = after([","]);
  const starts = [0, ...(commas.length ? commas : after(BREAKS).slice(1).map((i) => i - 1))];
  return starts.map((start, k) => ["row", ...parts.slice(start, starts[k + 1])]);
}

const hasMatrix = ([kind, ...parts]: Formula): boolean =>
  kind === "matrix" || parts.some((part) => Array.isArray(part) && hasMatrix(part as unknown as Formula));

/** A formula is scaled down to this share of its size to fit; beyond that the last of several equations are left out. */
const SMALLEST = 0.65;

/** By cursor: the step with a run's last formula up to there, or -1. */
function formulaSteps(steps: readonly Step[], run: string): Int32Array {
  const latest = new Int32Array(steps.length + 1).fill(-1);
  steps.forEach((step, k) => {
    latest[k + 1] = partOf(step, run)?.formula ? k : latest[k]!;
  });
  return latest;
}

export class FormulaPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #latest: readonly Int32Array[];

  constructor(
    _description: Description,
    readonly context: PanelContext,
  ) {
    const { steps, runs } = context.scene;
    this.#latest = runs.map(({ id }) => formulaSteps(steps, id));
    this.element = html("div.adviz-arithmetic", {
      role: "group",
      "aria-label": "Formula",
      tabindex: 0,
      "data-several": runs.length > 1,
      "data-tall": runs.length === 1 && steps.some(({ formula }) => formula && hasMatrix(formula)),
    });
    onResize(this.element, context.signal, () => this.#fit());
  }

  /** The formula of the step; of several runs each one's last, fainter if it is of an earlier step. */
  show({ cursor, rest, taken }: Moment): void {
    const { steps, runs } = this.context.scene;
    const told = rest && [rest.formula && html("div.adviz-equation", formula(rest.formula))];
    const lines = told ?? runs.map(({ id, label }, i) => {
      const k = this.#latest[i]![cursor]!;
      if (k < (runs.length > 1 ? 0 : Math.max(0, cursor - (taken?.length || 1)))) return null;
      return html(
        "div.adviz-equation",
        { "data-run": id, "data-past": k < cursor - 1 },
        runs.length > 1 ? html("span.adviz-run", label) : null,
        formula(partOf(steps[k]!, id)!.formula!),
      );
    });
    this.element.replaceChildren(...lines.filter((line) => line !== null));
    this.#fit();
  }

  mark(): void {}

  /** Set formulas that are too large for the panel smaller, and of several equations as many as are then seen whole. */
  #fit(): void {
    const equations = [...this.element.querySelectorAll("[data-equations] > *")];
    for (let count = equations.length; ; count--) {
      equations.forEach((each, k) => {
        each.toggleAttribute("hidden", k >= count);
        if (k < equations.length - 1) each.lastElementChild!.toggleAttribute("hidden", k === count - 1); // its comma
      });
      this.element.style.removeProperty("--fit");
      const wide = [...this.element.querySelectorAll("math")].map((each) => each.clientWidth / each.scrollWidth);
      const room = Math.min(this.element.clientHeight / this.element.scrollHeight, ...wide);
      if (room < 1) this.element.style.setProperty("--fit", String(Math.max(SMALLEST, 0.95 * room)));
      if (count <= 1 || this.element.scrollHeight <= this.element.clientHeight) return;
    }
  }
}
