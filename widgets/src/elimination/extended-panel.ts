// The extended Jacobian of a large elimination in the Player.

import { type Beat, type State, beatsOf, duration, ownOf } from "./elimination-steps.js";
import { SIZE, type Sorted, extended, locate, sorted } from "./extended-marks.js";
import { told } from "./elimination-values.js";
import { Drawing } from "../motion/drawing.js";
import { played } from "../motion/schedule.js";
import { type Moment, type PanelContext, type PlayerPanel } from "../panels/panel.js";
import { partOf } from "../playback/runs.js";
import type { ExtendedPanel as Description } from "../scene/document.js";
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
  readonly #start: State;
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
    this.#start = ownOf(Object.entries(scene.start ?? {}), run);
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

  /** The cursors of the run between which a moment lies. */
  #between({ cursor, taken = [] }: Moment): [from: number, to: number] {
    return [this.#counts[cursor - taken.length]!, this.#counts[cursor]!];
  }

  duration(moment: Moment): number {
    return Math.min(LONGEST, duration(this.#beats, ...this.#between(moment)) / QUICKER);
  }

  show(moment: Moment): void {
    this.#sorted = sorted(this.panel, this.#start, this.#beats, ...this.#between(moment));
    setAttribute(this.#picture, "aria-description", moment.words ?? null);
    this.#stop();
    this.#stop = played(moment.speed ? this.duration(moment) / moment.speed : 0, (share) => this.#drawing.show(extended(this.#sorted!, share)));
  }

  mark(): void {}

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
