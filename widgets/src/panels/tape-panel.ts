// The tape panel: the Wengert list from top to bottom, with the current node, what is stored and what has been freed.

import { StageCells, widest } from "./cells.js";
import type { Moment, PanelContext } from "./panel.js";
import { Rows, RowsPanel, longest, rowName } from "./rows.js";
import { firstTurns, partOf } from "../playback/runs.js";
import type { Part, Run, TapePanel as Description } from "../scene/scene.js";
import { brief } from "../scene/values.js";
import { html, setAttribute, setText } from "../ui/dom.js";
import { bytes } from "../ui/format.js";

/** The direction of a run along the tape, and what it propagates. */
const KINDS = {
  reverse: ["▲", "upwards", "adjoint"],
  forward: ["▼", "downwards", "tangent"],
  evaluation: ["▼", "downwards", "value"],
  ops: ["▼", "downwards", "value"],
} as const satisfies Record<Run["kind"], unknown>;

export class TapePanel extends RowsPanel {
  readonly element: HTMLElement;
  protected readonly rows: Rows;
  readonly #kind: (typeof KINDS)[Run["kind"]];
  readonly #stage: StageCells;
  /** After how many steps each node is first visited. */
  readonly #turns: ReadonlyMap<number, number>;
  #part: Part | null = null;
  #cursor = 0;

  constructor(
    readonly description: Description,
    context: PanelContext,
  ) {
    super();
    const { scene } = context;
    const { rows, run } = description;
    this.#kind = KINDS[scene.runs.find(({ id }) => id === run)?.kind ?? "evaluation"];
    this.#stage = new StageCells(scene);
    this.#turns = firstTurns(scene, run);
    const [arrow, way, what] = this.#kind;
    this.rows = new Rows(
      {
        label: `Tape, read ${way}`,
        head: [html("span", { role: "img", "aria-label": way }, arrow), "node", "stored", what],
        details: 1 + longest(rows.map(({ detail }) => detail)),
        nodes: rows.map(({ node }) => node),
        widths: [
          2,
          longest(rows.map(({ label }) => label)),
          widest(scene, `${run}/stored/`, (size) => bytes(Number(size))),
          widest(scene, `${run}/${what}/`, brief),
        ],
        cells: (row) => this.#cells(row),
        fill: (row, cells, line) => this.#fill(row, cells, line),
      },
      context,
    );
    this.element = html("div.adviz-tape", this.rows.element);
  }

  show(moment: Moment): void {
    this.#stage.take(moment);
    this.#cursor = moment.cursor;
    this.#part = partOf(moment.step, this.description.run);
    this.rows.show(this.#part?.node ?? null);
    if (!moment.cursor) this.rows.rewind();
  }

  #cells(row: number): HTMLElement[] {
    const described = this.description.rows[row]!;
    return [
      html("span.adviz-turn"),
      rowName(described, html("small", ` ${described.detail}`)),
      html("span.adviz-kept"),
      html("span.adviz-cell"),
    ];
  }

  #fill(row: number, cells: readonly HTMLElement[], line: HTMLElement): void {
    const { node, dead } = this.description.rows[row]!;
    const [turn, name, stored, state] = cells as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];
    const { run } = this.description;
    const current = this.#part?.node === node;
    const mark = current ? this.#kind[0] : "";
    setText(turn, mark);
    // A value that is not yet computed is not shown: the reader may be asked for it.
    (name.lastElementChild as HTMLElement).hidden = !this.#stage.reached(`${run}/value/${node}`);
    setAttribute(line, "data-dead", dead);
    setAttribute(line, "data-passed", (this.#turns.get(node) ?? Infinity) <= this.#cursor);
    setAttribute(line, "data-partner", !current && this.#part?.edge?.slice(0, 2).includes(node));
    this.#stage.write(stored, `${run}/stored/${node}`, (size) => bytes(Number(size)));
    this.#stage.write(state, `${run}/${this.#kind[2]}/${node}`);
  }
}
