// The table panel: the evaluation trace as in textbooks, a row per node and a column per quantity, filling line by line.

import { StageCells, widest } from "./cells.js";
import type { Moment, PanelContext } from "./panel.js";
import { Rows, RowsPanel, longest, rowName } from "./rows.js";
import { partOf } from "../playback/runs.js";
import type { TablePanel as Description, Step } from "../scene/scene.js";
import { brief } from "../scene/values.js";
import { html } from "../ui/dom.js";

/** The node of the row into which a step writes, if it writes into any. */
function writtenRow(step: Step | null, { run, columns }: Description): number | null {
  const prefixes = columns.map(({ what }) => `${run}/${what}/`);
  const edit = step?.edits.find(
    ([key, , after]) => after !== null && prefixes.some((prefix) => key.startsWith(prefix)),
  );
  return edit ? Number(edit[0].split("/")[2]) : null;
}

export class TablePanel extends RowsPanel {
  readonly element: HTMLElement;
  protected readonly rows: Rows;
  readonly #stage: StageCells;

  constructor(
    readonly description: Description,
    context: PanelContext,
  ) {
    super();
    const { rows, columns, run } = description;
    this.#stage = new StageCells(context.scene);
    this.rows = new Rows(
      {
        label: `Table of ${columns.map(({ what }) => what.replaceAll("_", " ")).join(", ")}`,
        head: ["node", ...columns.map(({ label }) => label)],
        nodes: rows.map(({ node }) => node),
        widths: [longest(rows.map(({ label }) => label)), ...columns.map(({ what }) => widest(context.scene, `${run}/${what}/`, brief))],
        cells: (row) => [
          rowName(rows[row]!),
          ...columns.map(() => html("span.adviz-cell")),
        ],
        fill: (row, [, ...cells]) =>
          columns.forEach(({ what }, k) => this.#stage.write(cells[k]!, `${run}/${what}/${rows[row]!.node}`)),
      },
      context,
    );
    this.element = html("div.adviz-table", this.rows.element);
  }

  /** Follow the row that is written into, rather than the node being visited. */
  show(moment: Moment): void {
    const { step } = moment;
    this.#stage.take(moment);
    this.rows.show(writtenRow(step, this.description) ?? partOf(step, this.description.run)?.node ?? null);
    if (!moment.cursor) this.rows.rewind();
  }
}
