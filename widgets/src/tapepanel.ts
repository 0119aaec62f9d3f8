// The tape panel: the Wengert list from top to bottom, with whose turn it is, what is stored and what has been freed.

import { html, setAttribute } from "./dom.js";
import { bytes } from "./format.js";
import type { Moment, PanelContext, PlayerPanel } from "./panels.js";
import { Rows } from "./rows.js";
import { firstTimes, firstTurns, partOf } from "./runs.js";
import type { Part, TapePanel as Description } from "./scene.js";
import { startStage } from "./stage.js";
import { writeCell } from "./tablepanel.js";
import { brief } from "./values.js";

/** Which way a run goes along the tape, and what it carries. */
const KINDS = {
  reverse: { arrow: "▲", way: "upwards", what: "cotangent", letter: "v̄" },
  forward: { arrow: "▼", way: "downwards", what: "tangent", letter: "v̇" },
  evaluation: { arrow: "▼", way: "downwards", what: "value", letter: "v" },
} as const;

export class TapePanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #rows: Rows;
  readonly #kind: (typeof KINDS)[keyof typeof KINDS];
  readonly #times: ReadonlyMap<string, number>;
  readonly #turns: ReadonlyMap<number, number>;
  #moment: Moment;
  #part: Part | null = null;

  constructor(
    readonly description: Description,
    context: PanelContext,
  ) {
    const { scene } = context;
    const { rows, run } = description;
    this.#kind = KINDS[scene.runs.find(({ id }) => id === run)!.kind];
    this.#times = firstTimes(scene);
    this.#turns = firstTurns(scene, run);
    this.#moment = { cursor: 0, stage: startStage(scene.steps), step: null, next: null, changed: null, motion: false };
    const { arrow, way, letter } = this.#kind;
    this.#rows = new Rows(
      {
        label: `Tape, read ${way}`,
        head: [html("span", { role: "img", "aria-label": way }, arrow), "node", "stored", letter],
        nodes: rows.map(({ node }) => node),
        cells: (row) => this.#cells(row),
        fill: (row, cells, line) => this.#fill(row, cells, line),
      },
      context,
    );
    this.element = html("div", { class: "adviz-tape" }, this.#rows.element);
  }

  show(moment: Moment): void {
    this.#moment = moment;
    this.#part = partOf(moment.step, this.description.run);
    this.#rows.show(this.#part?.node ?? null);
  }

  mark(nodes: readonly number[]): void {
    this.#rows.mark(nodes);
  }

  breaks(nodes: ReadonlySet<number>): void {
    this.#rows.breaks(nodes);
  }

  adopt(other: PlayerPanel): void {
    if (other instanceof TapePanel) this.#rows.adopt(other.#rows);
  }

  #cells(row: number): HTMLElement[] {
    const { label, detail } = this.description.rows[row]!;
    return [
      html("span", { class: "adviz-turn" }),
      html(
        "span",
        { class: "adviz-row-node", title: detail ? `${label}: ${detail}` : label },
        label,
        detail ? html("small", {}, ` ${detail}`) : null,
      ),
      html("span", { class: "adviz-stored" }),
      html("span", { class: "adviz-state" }),
    ];
  }

  #fill(row: number, cells: readonly HTMLElement[], line: HTMLElement): void {
    const { node, dead } = this.description.rows[row]!;
    const { cursor } = this.#moment;
    const current = this.#part?.node === node;
    const [turn, , stored, state] = cells as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];
    const mark = current ? this.#kind.arrow : "";
    if (turn.textContent !== mark) turn.textContent = mark;
    setAttribute(line, "data-dead", dead ? "" : null);
    setAttribute(line, "data-passed", (this.#turns.get(node) ?? Infinity) <= cursor ? "" : null);
    setAttribute(line, "data-partner", !current && this.#part?.edge?.slice(0, 2).includes(node) ? "" : null);
    this.#write(stored, node, "stored", (value) => (typeof value === "number" ? bytes(value) : brief(value)));
    this.#write(state, node, this.#kind.what, brief);
  }

  #write(cell: HTMLElement, node: number, what: string, read: (value: unknown) => string): void {
    writeCell(cell, `${this.description.run}/${what}/${node}`, this.#moment, this.#times, read);
  }
}
