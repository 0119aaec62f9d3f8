// Bytes over the running order: who lives where, from when until when. A switch turns to another plan of the same bytes; a
// line is where the computation is.

import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import { Drawing } from "../motion/drawing.js";
import { type Lived, MemoryPlan, lifeOf } from "./memory-marks.js";
import type { MemoryPanel as Description } from "../scene/document.js";
import { closest, html, listen, onResize, setAttribute, setText, svg } from "../ui/dom.js";
import { bytes } from "../ui/format.js";

/** Pixels of the picture before it is laid out. */
const UNSEEN = { width: 460, height: 240 };

interface Drawn {
  readonly lived: Lived;
  readonly element: SVGGElement;
  readonly drawing: Drawing;
}

export class MemoryPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size = { width: 460, height: 330 };
  readonly #buttons: readonly HTMLElement[];
  readonly #words = html("p.adviz-memory-words");
  readonly #blocks = svg("g");
  readonly #over = new Drawing(svg("g", { "aria-hidden": "true" }), true);
  #extent = UNSEEN;
  #chosen: number;
  #plan!: MemoryPlan;
  #drawn: Drawn[] = [];
  #cursor = 0;
  #selected: readonly number[] = [];

  constructor(
    readonly description: Description,
    readonly context: PanelContext,
  ) {
    const { layouts, chosen } = description;
    this.#chosen = chosen;
    this.#buttons = layouts.map(({ method, bytes: taken, words }, k) =>
      html("button.adviz-memory-way", { "data-way": k, title: words, style: `--share:${taken / this.#most}` }, method, html("b", bytes(taken))),
    );
    const { signal } = context;
    const ways = html("div.adviz-memory-ways", { role: "group", "aria-label": "How memory is planned" }, ...this.#buttons);
    listen(ways, signal, {
      click: (event) => this.#choose(Number(closest(event, "[data-way]")?.dataset["way"] ?? this.#chosen)),
    });
    const picture = svg("svg.adviz-memory-picture", { role: "img", "aria-label": "Memory over the running order" }, this.#blocks, this.#over.element);
    listen(picture as unknown as HTMLElement, signal, {
      click: (event) => {
        const node = closest(event, "[data-block]")?.dataset["node"];
        context.select(node ? [Number(node)] : []);
      },
    });
    const sheet = html("div.adviz-memory-sheet", picture);
    this.element = html("div.adviz-memory", html("div.adviz-bar", html("h4", "Memory"), ways), sheet, this.#words);
    onResize(sheet, signal, () => {
      this.#extent = { width: sheet.clientWidth || UNSEEN.width, height: sheet.clientHeight || UNSEEN.height };
      this.#choose(this.#chosen);
    });
    this.#draw();
  }

  /** What is still to come would tell what is asked for. */
  ask(_: unknown, isQuiz: boolean): void {
    setAttribute(this.element, "data-quiz", isQuiz);
  }

  show({ cursor }: Moment): void {
    this.#cursor = cursor;
    const at = this.#at;
    this.#over.show(this.#plan.over(at));
    for (const { element, drawing, lived } of this.#drawn) {
      setAttribute(element, "data-life", lifeOf(lived, at));
      drawing.show(this.#plan.blockMarks(lived, lifeOf(lived, at)));
    }
    this.#tell();
  }

  mark(nodes: readonly number[]): void {
    this.#selected = nodes;
    for (const { element, lived: { block } } of this.#drawn) setAttribute(element, "data-mark", block.node !== null && nodes.includes(block.node) ? "selected" : null);
  }

  adopt(other: PlayerPanel): void {
    if (other instanceof MemoryPanel) this.#choose(other.#chosen);
  }

  get #at(): number {
    return this.description.at[this.#cursor] ?? 0;
  }

  get #layout(): Description["layouts"][number] {
    return this.description.layouts[this.#chosen]!;
  }

  /** The bytes of the plainest plan, of which the switch shows the share of each. */
  get #most(): number {
    return Math.max(1, ...this.description.layouts.map((layout) => layout.bytes));
  }

  #choose(way: number): void {
    this.#chosen = way;
    this.#draw();
    this.show({ cursor: this.#cursor } as Moment);
    this.mark(this.#selected);
  }

  // ---- drawing ----

  #draw(): void {
    this.#plan = new MemoryPlan(this.description, this.#chosen, this.#extent);
    this.#buttons.forEach((button, k) => {
      setAttribute(button, "aria-pressed", String(k === this.#chosen));
    });
    this.#drawn = this.#plan.blocks.map((lived, k) => this.#block(lived, k));
    this.#blocks.replaceChildren(...this.#drawn.map(({ element }) => element));
  }

  #block(lived: Lived, k: number): Drawn {
    const { node } = lived.block;
    const element = svg("g.adviz-memory-block", { "data-block": k, "data-node": node }, svg("title", this.#plan.titleOf(lived.block)));
    return { lived, element, drawing: new Drawing(element, true) };
  }

  /** What is taken now, and what this plan saves. */
  #tell(): void {
    const { words, bytes: taken, method } = this.#layout;
    const alive = this.#drawn.filter(({ element }) => element.dataset["life"] === "now").map(({ lived }) => lived.block);
    const now = alive.reduce((sum, block) => sum + block.bytes, 0);
    const { bound } = this.description;
    const least = taken === bound ? "as few as live at once" : `${bytes(bound)} live at once at the peak`;
    setText(this.#words, `${method}: ${words}. ${bytes(taken)}; ${least}. Now ${bytes(now)} in use: ${alive.map(({ name }) => name).join(", ") || "nothing"}.`);
  }
}
