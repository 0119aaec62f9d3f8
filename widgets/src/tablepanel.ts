// The table panel: the evaluation trace as in textbooks, a row per node and a column per quantity, filling line by line.

import { html, setAttribute } from "./dom.js";
import type { Moment, PanelContext, PlayerPanel } from "./panels.js";
import { Rows } from "./rows.js";
import { firstTimes, partOf } from "./runs.js";
import type { TablePanel as Description } from "./scene.js";
import { startStage } from "./stage.js";
import { brief, exact } from "./values.js";

/**
 * Write what stands at a key into a cell: not yet there, there, just written, or freed. "Not yet" and zero look
 * different, as they are.
 */
export function writeCell(
  cell: HTMLElement,
  key: string,
  { stage, step, cursor }: Moment,
  times: ReadonlyMap<string, number>,
  read: (value: unknown) => string = brief,
): void {
  const value = stage.get(key);
  const present = value !== undefined;
  const freed = !present && (times.get(key) ?? Infinity) < cursor;
  const words = present ? read(value) : freed ? "freed" : "";
  if (cell.textContent !== words) cell.textContent = words;
  setAttribute(cell, "title", present ? exact(value) : null);
  setAttribute(cell, "data-freed", freed ? "" : null);
  setAttribute(cell, "data-lit", present && step?.edits.some(([edited]) => edited === key) ? "" : null);
}

export class TablePanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #rows: Rows;
  readonly #times: ReadonlyMap<string, number>;
  #moment: Moment;

  constructor(
    readonly description: Description,
    context: PanelContext,
  ) {
    const { rows, columns } = description;
    this.#times = firstTimes(context.scene);
    const stage = startStage(context.scene.steps);
    this.#moment = { cursor: 0, stage, step: null, next: null, changed: null, motion: false };
    this.#rows = new Rows(
      {
        label: `Table of ${columns.map(({ what }) => what.replaceAll("_", " ")).join(", ")}`,
        head: ["node", ...columns.map(({ label }) => label)],
        nodes: rows.map(({ node }) => node),
        cells: (row) => [
          html("span", { class: "adviz-row-node", title: rows[row]!.label }, rows[row]!.label),
          ...columns.map(() => html("span", { class: "adviz-state" })),
        ],
        fill: (row, cells) =>
          columns.forEach(({ what }, k) =>
            writeCell(cells[k + 1]!, `${description.run}/${what}/${rows[row]!.node}`, this.#moment, this.#times),
          ),
      },
      context,
    );
    this.element = html(
      "div",
      { class: "adviz-table", style: `--columns:${columns.length}` },
      this.#rows.element,
    );
  }

  show(moment: Moment): void {
    this.#moment = moment;
    this.#rows.show(this.#written() ?? partOf(moment.step, this.description.run)?.node ?? null);
  }

  mark(nodes: readonly number[]): void {
    this.#rows.mark(nodes);
  }

  breaks(nodes: ReadonlySet<number>): void {
    this.#rows.breaks(nodes);
  }

  adopt(other: PlayerPanel): void {
    if (other instanceof TablePanel) this.#rows.adopt(other.#rows);
  }

  /** The row into which the step writes: the eye belongs there rather than at the node whose turn it is. */
  #written(): number | null {
    const { run, columns } = this.description;
    const prefixes = columns.map(({ what }) => `${run}/${what}/`);
    const edit = this.#moment.step?.edits.find(
      ([key, , after]) => after !== null && prefixes.some((prefix) => key.startsWith(prefix)),
    );
    return edit ? Number(edit[0].split("/")[2]) : null;
  }
}
