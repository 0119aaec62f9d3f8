// The Jacobian of an elimination: an entry says of which products it is the sum.

import { symbol } from "./elimination-values.js";
import { MatrixPanel, type Place } from "../panels/matrix-panel.js";
import type { Moment, PanelContext } from "../panels/panel.js";
import { partOf } from "../playback/runs.js";
import type { EliminationPanel, MatrixPanel as Description, Step } from "../scene/document.js";

/** Products of an entry that are told. */
const MOST = 4;

export class EntriesPanel extends MatrixPanel {
  readonly #run: string;
  readonly #vertices: EliminationPanel["vertices"] | null;
  #steps: readonly Step[] = [];

  constructor(description: Description, context: PanelContext) {
    super(description, context);
    this.#run = description.run;
    this.#vertices = context.scene.panels.find((panel): panel is EliminationPanel => panel.kind === "elimination")?.vertices ?? null;
  }

  override show(moment: Moment): void {
    this.#steps = moment.steps.slice(0, moment.cursor);
    super.show(moment);
  }

  /** " = c₅₂ · c₂₀ + c₅₄ · c₄₀": what an entry was filled in with, and what was added to it. */
  protected override origin([i, j]: Place): string {
    const vertices = this.#vertices;
    if (!vertices) return "";
    const name = (key: string): string => symbol({ vertices }, key.slice(key.indexOf("/") + 1));
    const terms = this.#steps.flatMap((step): string[] => {
      if (!step.edits.some(([key]) => key === `${this.#run}/cell/${i}/${j}`)) return [];
      const { product, merge } = partOf(step, this.#run)!;
      return product ? [product.factors.map(name).join(" · ")] : merge ? [name(merge.from)] : [];
    });
    return terms.length ? ` = ${terms.slice(0, MOST).join(" + ")}${terms.length > MOST ? " + …" : ""}` : "";
  }
}
