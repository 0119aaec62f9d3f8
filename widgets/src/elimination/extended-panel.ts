// The extended Jacobian of a large elimination in the Player.

import { type Beat, beatsOf, duration, ownOf } from "./elimination-steps.js";
import { SIZE, type Sorted, extended, labelsIn, locate, sorted } from "./extended-marks.js";
import { told } from "./elimination-values.js";
import { Drawing } from "../motion/drawing.js";
import { played } from "../motion/schedule.js";
import { type Moment, type PanelContext, type PlayerPanel } from "../panels/panel.js";
import { partOf } from "../playback/runs.js";
import { unapply } from "../playback/stage.js";
import type { ExtendedPanel as Description, Step } from "../scene/document.js";
import { atEnd, html, listen, setAttribute, svg } from "../ui/dom.js";

/** Milliseconds: the longest that a step takes, and how much quicker steps are than those of a small picture. */
const LONGEST = 2500;
const QUICKER = 2;

export class ExtendedPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size = SIZE;
  readonly #drawing = new Drawing();
  readonly #picture: SVGSVGElement;
  readonly #pointed = html("p.adviz-pointed");
  readonly #given: ReadonlySet<string>;
  readonly #beats: readonly Beat[];
  /** How many steps this run has taken, by the steps of the show. */
  readonly #counts: readonly number[];
  #sorted: Sorted | null = null;
  #stop = (): void => {};

  constructor(
    readonly panel: Description,
    readonly context: PanelContext,
  ) {
    const { scene, signal } = context;
    const { run } = panel;
    const { label } = scene.runs.find(({ id }) => id === run)!;
    this.#given = new Set(labelsIn(ownOf(Object.entries(scene.start ?? {}), run)).keys());
    this.#beats = beatsOf(scene.steps, run);
    let count = 0;
    this.#counts = [0, ...scene.steps.map((step) => (count += Number(partOf(step, run) !== null)))];
    this.#picture = svg("svg.adviz-flow", { role: "img", viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, "aria-label": `The extended Jacobian of ${scene.title}` }, this.#drawing.element);
    this.element = html(
      "div.adviz-elimination",
      { "data-run": run },
      html("div.adviz-reading", scene.runs.length > 1 ? html("h4.adviz-run-title", label) : null, this.#pointed),
      html("div.adviz-flowpanel", this.#picture),
    );
    atEnd(signal, () => this.#stop());
    listen(this.#picture as unknown as HTMLElement, signal, {
      pointermove: (event) => this.#point(event),
      pointerleave: () => (this.#pointed.textContent = ""),
      click: (event) => this.#choose(event),
    });
  }

  duration({ cursor, taken = [] }: Moment): number {
    const to = this.#counts[cursor]!;
    return Math.min(LONGEST, duration(this.#beats, to - this.#count(taken), to) / QUICKER);
  }

  show(moment: Moment): void {
    const { cursor, stage, taken = [], words } = moment;
    const after = ownOf(stage, this.panel.run);
    const before = new Map(after);
    const to = this.#counts[cursor]!;
    for (const { edits } of this.#beats.slice(to - this.#count(taken), to).reverse()) unapply(before, edits);
    const { first = to } = this.#beats[to - 1] ?? {};
    const products = this.#beats.slice(first, to).flatMap(({ product }) => product ?? []);
    this.#sorted = sorted({ panel: this.panel, given: this.#given, before: labelsIn(before), after: labelsIn(after), products });
    setAttribute(this.#picture, "aria-description", words ?? null);
    this.#stop();
    this.#stop = played(moment.speed ? this.duration(moment) / moment.speed : 0, (share) => this.#drawing.show(extended(this.#sorted!, share)));
  }

  mark(): void {}

  #count(steps: readonly Step[]): number {
    return steps.filter((step) => partOf(step, this.panel.run)).length;
  }

  // ---- pointing ----

  #at({ clientX, clientY }: MouseEvent): readonly [row: string, column: string] | null {
    const matrix = this.#picture.getScreenCTM();
    if (!matrix || !this.#sorted) return null;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    return locate(this.#sorted, x, y);
  }

  #point(event: MouseEvent): void {
    const at = this.#at(event);
    const name = (thing: string): string => this.panel.vertices.find((vertex) => vertex.thing === thing)!.name;
    const value = at && this.#sorted!.after.get(`${at[1]}.${at[0]}`);
    this.#pointed.textContent = at ? `∂${name(at[0])}/∂${name(at[1])}${value === undefined ? "" : ` = ${told(value)}`}` : "";
  }

  #choose(event: MouseEvent): void {
    const at = this.#at(event);
    const node = (thing: string): number => this.panel.vertices.find((vertex) => vertex.thing === thing)!.node ?? Number(thing);
    this.context.select(at ? at.map(node) : []);
  }
}
