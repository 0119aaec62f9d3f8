// Bytes over the running order: who lives where, from when until when. A switch turns to another plan of the same bytes; a
// line is where the computation is.

import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import type { MemoryBlock, MemoryPanel as Description } from "../scene/document.js";
import { closest, html, listen, onResize, setAttribute, setText, svg } from "../ui/dom.js";
import { bytes, plural } from "../ui/format.js";

/** Pixels: the picture before it is laid out, and what is kept free around the blocks for words. */
const UNSEEN = { width: 460, height: 240 };
const [LEFT, RIGHT, TOP, BOTTOM] = [6, 8, 30, 24];
/** A block is at least as high as this, and its name as wide as so many pixels a character. */
const LEAST = 2.5;
const CHARACTER = 6.3;
const LOWEST = 12;
/** Letters of a name that is cut; and the height from which on it is seen who had the bytes. */
const FEWEST = 4;
const SEEN = 7;

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
  readonly #line = svg("path");
  readonly #now = svg("g.adviz-memory-now", { "aria-hidden": "true" }, this.#line, svg("path.adviz-memory-hand", { d: `M-5 ${TOP - 24}h10l-5 8Z` }));
  readonly #name = svg("text.adviz-memory-name", { y: 12 });
  #extent = UNSEEN;
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
      html("button.adviz-memory-way", { "data-way": k, title: words, style: `--share:${taken / this.#most}` }, method, html("b", bytes(taken))),
    );
    const { signal } = context;
    const ways = html("div.adviz-memory-ways", { role: "group", "aria-label": "How memory is planned" }, ...this.#buttons);
    listen(ways, signal, {
      click: (event) => this.#choose(Number(closest(event, "[data-way]")?.dataset["way"] ?? this.#chosen)),
    });
    const picture = svg("svg.adviz-memory-picture", { role: "img", "aria-label": "Memory over the running order" }, this.#blocks, this.#marks, this.#now, this.#name);
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
    setAttribute(this.element, "data-quiz", isQuiz ? "" : null);
  }

  show({ cursor }: Moment): void {
    this.#cursor = cursor;
    const at = this.#at;
    this.#now.setAttribute("transform", `translate(${this.#x(at)},0)`);
    const name = this.description.running[at - 1] ?? "";
    setText(this.#name, name);
    const isLeft = this.#x(at) > this.#extent.width / 2;
    this.#name.setAttribute("x", String(this.#x(at) + (isLeft ? -9 : 9)));
    this.#name.setAttribute("text-anchor", isLeft ? "end" : "start");
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

  /** The bytes of the plainest plan, of which the switch shows the share of each. */
  get #most(): number {
    return Math.max(1, ...this.description.layouts.map((layout) => layout.bytes));
  }

  #x(at: number): number {
    return LEFT + ((this.#extent.width - LEFT - RIGHT) * Math.max(0, at)) / Math.max(1, this.description.running.length + 1);
  }

  #y(offset: number): number {
    const { height } = this.#extent;
    return height - BOTTOM - ((height - TOP - BOTTOM) * offset) / Math.max(1, this.#layout.bytes);
  }

  #choose(way: number): void {
    this.#chosen = way;
    this.#draw();
    this.show({ cursor: this.#cursor } as Moment);
    this.mark(this.#selected);
  }

  // ---- drawing ----

  #draw(): void {
    const { blocks, bytes: taken } = this.#layout;
    const { width, height } = this.#extent;
    this.#line.setAttribute("d", `M0 ${TOP - 16}V${height - BOTTOM}`);
    this.#buttons.forEach((button, k) => {
      setAttribute(button, "aria-pressed", String(k === this.#chosen));
    });
    const takers = new Set(blocks.flatMap(({ in_place, before }) => (in_place && before !== undefined ? [before] : [])));
    // Who writes in place takes over in the middle of its turn.
    const ends = blocks.map(({ first, last, in_place }, k) => [first + (in_place ? 0.5 : 0), last + (takers.has(k) ? 0.5 : 1)] as const);
    this.#drawn = blocks.map((block, k) => this.#block(block, k, ...ends[k]!));
    this.#blocks.replaceChildren(...this.#drawn.map(({ element }) => element));
    const top = this.#y(taken);
    const { peak, bound } = this.description;
    this.#marks.replaceChildren(
      svg("path.adviz-memory-floor", { d: `M${LEFT} ${this.#y(0)}H${width - RIGHT}` }),
      svg("path.adviz-memory-top", { d: `M${LEFT} ${top}H${width - RIGHT}` }),
      svg("text.adviz-memory-total", { x: LEFT, y: top - 4 }, bytes(taken)),
      svg("text.adviz-memory-total", { x: this.#x(peak + 0.5), y: height - 8, "text-anchor": "middle" }, "▲ peak"),
      svg("path.adviz-memory-peak", { d: `M${this.#x(peak)} ${this.#y(0)}V${this.#y(bound)}H${this.#x(peak + 1)}V${this.#y(0)}` }),
      ...blocks.flatMap(({ before, offset, bytes: size }, k) =>
        before === undefined || this.#y(offset) - this.#y(offset + size) < SEEN ? [] : [this.#handOver(blocks[before]!, blocks[k]!, ends[before]![1], ends[k]![0])],
      ),
    );
  }

  #block(block: MemoryBlock, k: number, from: number, to: number): Drawn {
    const { node, name, offset, bytes: taken, first, last } = block;
    const [x, y] = [this.#x(from), this.#y(offset + taken)];
    const [w, h] = [this.#x(to) - x, Math.max(LEAST, this.#y(offset) - y)];
    const room = Math.floor((w - 6) / CHARACTER);
    const shown = h < LOWEST ? "" : name.length <= room ? name : room > FEWEST ? `${name.slice(0, room - 1)}…` : "";
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
    const [start, end] = [this.#x(from), this.#x(to)];
    return svg("g.adviz-memory-hands", svg("path", { d: `M${start} ${y}H${end}` }), svg("path.adviz-memory-hand", { d: `M${end - 3} ${y - 3.5}l6 3.5l-6 3.5Z` }));
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
