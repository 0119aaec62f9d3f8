// Bytes over the running order: who lives where, from when until when. A switch turns to another plan of the same bytes; a
// line is where the computation is.

import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import type { MemoryBlock, MemoryPanel as Description } from "../scene/document.js";
import { closest, consume, html, isModified, listen, setAttribute, setText, svg } from "../ui/dom.js";
import { bytes, plural } from "../ui/format.js";

/** Pixels: the picture, and what is kept free around the blocks for words. */
const WIDTH = 560;
const HEIGHT = 300;
const [LEFT, RIGHT, TOP, BOTTOM] = [10, 12, 34, 34];
/** A block is at least as high as this, and its name as wide as so many pixels a character. */
const LEAST = 2.5;
const CHARACTER = 6.3;
const LOWEST = 12;

interface Drawn {
  readonly block: MemoryBlock;
  readonly element: SVGGElement;
  readonly from: number;
  readonly to: number;
}

export class MemoryPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size = { width: 460, height: 330 };
  readonly #buttons: readonly HTMLElement[];
  readonly #words = html("p.adviz-memory-words");
  readonly #blocks = svg("g");
  readonly #marks = svg("g", { "aria-hidden": "true" });
  readonly #now = svg("g.adviz-memory-now", { "aria-hidden": "true" }, svg("path", { d: `M0 ${TOP - 8}V${HEIGHT - BOTTOM}` }), svg("path.adviz-memory-hand", { d: `M-5 ${TOP - 14}h10l-5 8Z` }));
  readonly #name = svg("text.adviz-memory-name", { y: HEIGHT - 12, "text-anchor": "middle" });
  #chosen: number;
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
      html("button.adviz-memory-way", { "data-way": k, role: "radio", title: words }, method, html("b", bytes(taken))),
    );
    const { signal } = context;
    const ways = html("div.adviz-memory-ways", { role: "radiogroup", "aria-label": "How memory is planned" }, ...this.#buttons);
    listen(ways, signal, {
      click: (event) => this.#choose(Number(closest(event, "[data-way]")?.dataset["way"] ?? this.#chosen)),
      keydown: (event) => this.#key(event),
    });
    const picture = svg("svg.adviz-memory-picture", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Memory over the running order" }, this.#blocks, this.#marks, this.#now, this.#name);
    listen(picture as unknown as HTMLElement, signal, {
      click: (event) => {
        const node = closest(event, "[data-block]")?.dataset["node"];
        context.select(node ? [Number(node)] : []);
      },
    });
    this.element = html("div.adviz-memory", html("h4", "Memory"), ways, picture, this.#words);
    this.#draw();
  }

  show({ cursor }: Moment): void {
    this.#cursor = cursor;
    const at = this.#at;
    this.#now.setAttribute("transform", `translate(${this.#x(at)},0)`);
    const name = this.description.running[at - 1] ?? "";
    setText(this.#name, name);
    const half = (name.length * CHARACTER) / 2;
    this.#name.setAttribute("x", String(Math.min(Math.max(this.#x(at - 0.5), LEFT + half), WIDTH - RIGHT - half)));
    for (const { element, from, to } of this.#drawn) setAttribute(element, "data-life", at <= from ? "later" : at - 1 >= to ? "over" : "now");
    this.#tell();
  }

  mark(nodes: readonly number[]): void {
    this.#selected = nodes;
    for (const { element, block } of this.#drawn) setAttribute(element, "data-mark", block.node !== null && nodes.includes(block.node) ? "selected" : null);
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

  /** The bytes of the plainest plan: all plans have one scale, so that what is saved is seen. */
  get #most(): number {
    return Math.max(1, ...this.description.layouts.map((layout) => layout.bytes));
  }

  #x(at: number): number {
    return LEFT + ((WIDTH - LEFT - RIGHT) * Math.max(0, at)) / Math.max(1, this.description.running.length + 1);
  }

  #y(offset: number): number {
    return HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * offset) / this.#most;
  }

  #choose(way: number): void {
    this.#chosen = way;
    this.#draw();
    this.show({ cursor: this.#cursor } as Moment);
    this.mark(this.#selected);
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || isModified(event)) return;
    consume(event);
    const count = this.#buttons.length;
    this.#choose((this.#chosen + step + count) % count);
    this.#buttons[this.#chosen]!.focus({ preventScroll: true });
  }

  // ---- drawing ----

  #draw(): void {
    const { blocks, bytes: taken } = this.#layout;
    this.#buttons.forEach((button, k) => {
      setAttribute(button, "aria-checked", String(k === this.#chosen));
      button.tabIndex = k === this.#chosen ? 0 : -1;
    });
    const takers = new Set(blocks.flatMap(({ in_place, before }) => (in_place && before !== undefined ? [before] : [])));
    // Who writes in place takes over in the middle of its turn.
    const ends = blocks.map(({ first, last, in_place }, k) => [first + (in_place ? 0.5 : 0), last + (takers.has(k) ? 0.5 : 1)] as const);
    this.#drawn = blocks.map((block, k) => this.#block(block, k, ...ends[k]!));
    this.#blocks.replaceChildren(...this.#drawn.map(({ element }) => element));
    const top = this.#y(taken);
    const { peak, bound } = this.description;
    this.#marks.replaceChildren(
      svg("path.adviz-memory-floor", { d: `M${LEFT} ${this.#y(0)}H${WIDTH - RIGHT}` }),
      svg("path.adviz-memory-top", { d: `M${LEFT} ${top}H${WIDTH - RIGHT}` }),
      svg("text.adviz-memory-total", { x: WIDTH - RIGHT, y: top - 4, "text-anchor": "end" }, bytes(taken)),
      svg("path.adviz-memory-peak", { d: `M${this.#x(peak)} ${this.#y(0)}V${this.#y(bound)}H${this.#x(peak + 1)}V${this.#y(0)}` }),
      ...blocks.flatMap(({ before }, k) => (before === undefined ? [] : [this.#handOver(blocks[before]!, blocks[k]!, ends[before]![1], ends[k]![0])])),
    );
  }

  #block(block: MemoryBlock, k: number, from: number, to: number): Drawn {
    const { node, name, offset, bytes: taken, first, last } = block;
    const [x, y] = [this.#x(from), this.#y(offset + taken)];
    const [w, h] = [this.#x(to) - x, Math.max(LEAST, this.#y(offset) - y)];
    const room = Math.floor((w - 6) / CHARACTER);
    const shown = h < LOWEST || room < 2 ? "" : name.length <= room ? name : `${name.slice(0, room - 1)}…`;
    const { running } = this.description;
    const until = running[last] ? `read last by ${running[last]}` : "kept to the end";
    const title = `${name}: ${plural(taken, "byte")} from byte ${offset} on; computed as number ${first + 1}, ${until}`;
    const element = svg(
      "g.adviz-memory-block",
      { "data-block": k, "data-node": node, transform: `translate(${x},${y})` },
      svg("rect", { width: Math.max(1, w - 1), height: Math.max(1.5, h - 1) }),
      svg("text", { x: (w - 1) / 2, y: h / 2 + 3.5, "text-anchor": "middle" }, shown),
      svg("title", title),
    );
    return { block, element, from, to };
  }

  /** An arrow where bytes go from one value to another. */
  #handOver(old: MemoryBlock, now: MemoryBlock, from: number, to: number): SVGElement {
    const [low, high] = [Math.max(old.offset, now.offset), Math.min(old.offset + old.bytes, now.offset + now.bytes)];
    const y = this.#y((low + Math.max(low, high)) / 2);
    const [start, end] = [this.#x(from) - 5, this.#x(to) + 5];
    return svg("path.adviz-memory-hands", { d: `M${start} ${y}H${end}M${end - 4} ${y - 3}l4 3l-4 3` });
  }

  /** What is taken now, and what this plan saves. */
  #tell(): void {
    const { words, bytes: taken, method } = this.#layout;
    const alive = this.#drawn.filter(({ element }) => element.dataset["life"] === "now").map(({ block }) => block);
    const now = alive.reduce((sum, block) => sum + block.bytes, 0);
    const { bound } = this.description;
    const least = taken === bound ? "as few as live at once" : `${bytes(bound)} live at once at the peak`;
    setText(this.#words, `${method}: ${words}. ${bytes(taken)}; ${least}. Now ${bytes(now)} in use: ${alive.map(({ name }) => name).join(", ") || "nothing"}.`);
  }
}
