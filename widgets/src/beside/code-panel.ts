// The code panel: the user's source, where the sub-expression of the current step is marked, with numbers or a program.

import type { Moment, PanelContext } from "../panels/panel.js";
import { Program } from "./program.js";
import { Numbers, SMALLEST } from "./source-numbers.js";
import { Source } from "../panels/source.js";
import { Beside, type Known } from "./beside.js";
import { partsOf } from "../playback/runs.js";
import type { CodePanel as Description, ProgramLine, Step } from "../scene/scene.js";
import { dataOf, html, listen, onResize } from "../ui/dom.js";

/** Pixels of the font of the source with a program, and the least before an audience, where all is enlarged. */
const [LARGEST, LEAST, LEAST_BEFORE_ALL] = [15, 11, 12];

export class CodePanel extends Beside {
  readonly element: HTMLElement;
  readonly #source: Source;
  #numbers: Numbers | null;
  #program: Program | null = null;
  #known: Known | null = null;
  #step: Step | null = null;
  #stops: ReadonlySet<string> = new Set();

  constructor(description: Description, context: PanelContext) {
    super(description, context);
    const { graph, signal } = context;
    const { numbers } = description;
    this.#numbers = numbers && this.flow ? new Numbers(numbers, this.flow, context.scene.source.files) : null;
    this.#source = new Source(graph, { select: context.select, preview: () => undefined }, signal, "Source", this.#numbers);
    this.element = html("div.adviz-codepanel", this.#source.element);
    if (numbers && this.#numbers) {
      this.element.classList.add("adviz-numbered");
      if (numbers.word !== "value") this.#source.element.append(html("p.adviz-terms", `plain: value   coloured: ${numbers.word}`));
    }
    const { program } = description;
    if ((numbers || program) && context.scene.source.files.length === 1) this.element.querySelector(".adviz-bar")?.remove();
    if (program?.length) this.#write(program);
    else if (program) context.program?.().then((lines) => lines.length && this.#write(lines), () => undefined);
    listen(this.element, signal, {
      click: (event) => {
        const node = dataOf(event, "node");
        if (node) context.select([Number(node)]);
      },
      dblclick: (event) => this.#toggle(event, context),
      change: () => this.#showStops(),
    });
    this.#source.skip(description.skipped ?? []);
    this.#fit();
    onResize(this.element, signal, () => {
      this.#fit();
      this.#source.settle();
    });
  }

  /** Write the backward program below the source, in the place of the numbers. */
  #write(lines: readonly ProgramLine[]): void {
    this.#numbers = null;
    this.#program = new Program(lines);
    this.element.className = "adviz-codepanel adviz-programmed";
    this.element.querySelector(".adviz-terms")?.remove();
    this.element.append(this.#program.element);
    this.#source.write(null);
    this.#fit();
    if (this.#known) this.tell(this.#known);
  }

  /** Set the source as large as there is room for: all of it is to be seen, if letters are not too small then. */
  #fit(): void {
    const code = this.#source.element.querySelector<HTMLElement>(".adviz-code")!;
    code.style.maxHeight = "";
    const least = (this.element.currentCSSZoom ?? 1) > 1 ? LEAST_BEFORE_ALL : this.#program ? LEAST : SMALLEST;
    const set = (most?: number): number | undefined => {
      const size = this.#program ? (most ?? LARGEST) : this.#fitNumbers(most);
      if (size) this.element.style.setProperty("--code-size", `${size}px`);
      return size;
    };
    // In a smaller font numbers stand in more rows: where no size has room for all, the one that lacks least is taken.
    let [best, lack] = [0, Infinity];
    const lacking = (box: Element): number => Math.max(0, box.scrollHeight - box.clientHeight) + Math.max(0, box.scrollWidth - box.clientWidth);
    const boxes = [code, ...(this.#program ? [this.#program.element] : [])];
    for (let size = set(); size; size = size > least ? set(Math.max(least, size - 1)) : 0) {
      const lacks = boxes.reduce((sum, box) => sum + lacking(box), 0);
      if (lacks < lack) [best, lack] = [size, lacks];
      if (!lacks) break;
    }
    if (lack && best) set(best);
    // Of what has no room whole lines are in sight.
    const line = this.#program ? code.querySelector(".adviz-line-number")?.clientHeight : 0;
    if (line && code.scrollHeight > code.clientHeight) code.style.maxHeight = `${code.clientHeight - (code.clientHeight % line)}px`;
  }

  /** Give the numbers their places, below lines that are broken where there is no room for them. */
  #fitNumbers(most?: number): number | undefined {
    const sized = this.#numbers?.sized(this.element.clientWidth || 400, most);
    if (!this.#numbers || !sized) return undefined;
    if (this.#numbers.breakAt(sized[1])) this.#source.write(this.#numbers);
    this.#numbers.fit(sized[0]);
    return sized[0];
  }

  /** What is in sight depends on the step alone, so that going back shows the same. */
  override show(moment: Moment): void {
    this.#step = moment.step;
    this.#source.rewind();
    if (this.#numbers || this.#program) super.show(moment);
    else this.#markStep();
    if (this.#stops.size) this.#showStops();
  }

  tell(known: Known): void {
    this.#known = known;
    this.#program?.show(known);
    const [nodes, spans] = this.#numbers?.show(known) ?? [known.acting];
    if (known.played.length || nodes.length) this.#source.mark(nodes, spans);
    else this.#markStep();
  }

  /** Mark what a move of the engine is about. */
  #markStep(): void {
    const nodes = this.#step ? partsOf(this.#step).map(({ node }) => node) : [];
    this.#source.mark(nodes.filter((node) => node !== null));
  }

  override mark(nodes: readonly number[]): void {
    this.#source.preview(nodes);
  }

  breaks(_nodes: ReadonlySet<number>, names: readonly string[]): void {
    this.#stops = new Set(names);
    this.#showStops();
  }

  #toggle(event: Event, context: PanelContext): void {
    const line = dataOf(event, "line");
    if (line !== undefined) context.toggleBreakpoint(`line:${line}`);
  }

  #showStops(): void {
    for (const number of this.element.querySelectorAll<HTMLElement>("[data-line]"))
      number.classList.toggle("adviz-line-stop", this.#stops.has(`line:${number.dataset["line"]}`));
  }
}
