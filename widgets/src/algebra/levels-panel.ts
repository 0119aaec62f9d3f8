// The local Jacobians between levels: the reader chooses which neighbours are multiplied next.

import { Linked, lit } from "./linked.js";
import type { PanelContext, PlayerPanel } from "../panels/panel.js";
import type { LevelMatrix, LevelsPanel as Description } from "../scene/document.js";
import { atEnd, closest, dataOf, focusedIn, html, listen, setText } from "../ui/dom.js";
import { lowered, plural, raised } from "../ui/format.js";

/** A matrix by its number, or a product of two. */
export type Order = number | readonly [Order, Order];

/** The most characters of an entry that is written out. */
const LONGEST = 24;

const first = (order: Order): number => (typeof order === "number" ? order : first(order[0]));
const stop = (order: Order): number => (typeof order === "number" ? order + 1 : stop(order[1]));

/** "(J₁ J₂) J₃" */
export function named(order: Order, isInside = false): string {
  if (typeof order === "number") return lowered(`J${order + 1}`);
  const words = order.map((each) => named(each, true)).join(" ");
  return isInside ? `(${words})` : words;
}

/** What has been multiplied so far, from left to right, and what it cost. */
export class Association {
  constructor(
    readonly description: Description,
    readonly forest: readonly Order[],
  ) {}

  static start(description: Description): Association {
    const count = Math.max(0, ...description.matrices.map((matrix) => matrix.stop));
    return new Association(description, Array.from({ length: count }, (_, k) => k));
  }

  /** What it costs to multiply two neighbours. */
  price(left: Order, right: Order): number {
    return this.description.costs.find(([from, cut, to]) => from === first(left) && cut === stop(left) && to === stop(right))![3]!;
  }

  get cost(): number {
    const of = (order: Order): number => (typeof order === "number" ? 0 : of(order[0]) + of(order[1]) + this.price(...order));
    return this.forest.reduce<number>((sum, order) => sum + of(order), 0);
  }

  /** The same with two neighbours multiplied. */
  joined(at: number): Association {
    const { forest } = this;
    return new Association(this.description, [...forest.slice(0, at), [forest[at]!, forest[at + 1]!], ...forest.slice(at + 2)]);
  }

  matrix(order: Order): LevelMatrix {
    return this.description.matrices.find((each) => each.first === first(order) && each.stop === stop(order))!;
  }
}

export class LevelsPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly isLasting = true;
  readonly size = { width: 460, height: 190 };
  readonly #row = html("div.adviz-levels-row");
  readonly #told = html("p.adviz-levels-told", { role: "status" });
  readonly #undo = html("button.adviz-quiet", { "data-act": "undo" }, "Undo");
  readonly #again = html("button.adviz-quiet", { "data-act": "again" }, "Start again");
  readonly #linked: Linked;
  #past: Association[] = [];
  #now: Association;

  constructor(
    readonly description: Description,
    readonly context: PanelContext,
  ) {
    const { scene, signal, association } = context;
    this.#linked = Linked.of(scene);
    this.#now = Association.start(description);
    const bar = html("div.adviz-levels-bar", html("h4", "Levels"), this.#undo, this.#again);
    this.element = html("div.adviz-local-jacobians", bar, ...(description.why_not ? [html("p.adviz-muted", description.why_not)] : [this.#row, this.#told]));
    if (description.why_not) return;
    const point = (event: Event): void => this.#point(event);
    listen(this.element, signal, { click: (event) => this.#act(event), pointerover: point, pointerout: () => this.#linked.point(null), focusin: point });
    if (association) atEnd(signal, association.hear(() => this.#take(association.now() as readonly Order[])));
    this.#take((association?.now() ?? []) as readonly Order[]);
  }

  show(): void {}
  mark(): void {}

  /** What Python or another view has multiplied. */
  #take(forest: readonly Order[]): void {
    if (JSON.stringify(forest) === JSON.stringify(this.#now.forest) && this.#row.childElementCount) return;
    this.#past = [];
    this.#now = forest.length ? new Association(this.description, forest) : Association.start(this.description);
    this.#draw();
  }

  #act(event: Event): void {
    const [at, act] = [dataOf(event, "join"), dataOf(event, "act")];
    if (at !== undefined) {
      this.#past.push(this.#now);
      this.#now = this.#now.joined(Number(at));
    } else if (act === "undo" && this.#past.length) this.#now = this.#past.pop()!;
    else if (act === "again") [this.#past, this.#now] = [[], Association.start(this.description)];
    else return;
    const hadFocus = focusedIn(this.element) !== null;
    this.#draw();
    if (hadFocus) (this.#row.querySelector("button") ?? this.#undo).focus({ preventScroll: true });
    this.context.association?.tell(this.#now.forest);
  }

  #draw(): void {
    const { forest, cost } = this.#now;
    const items = forest.flatMap((order, k) => (k ? [this.#button(forest[k - 1]!, order, k - 1), this.#matrix(order)] : [this.#matrix(order)]));
    this.#row.replaceChildren(...items);
    this.#undo.disabled = !this.#past.length;
    this.#again.disabled = forest.every((order) => typeof order === "number");
    const { best, order } = this.description;
    const cheapest = `The cheapest order, ${named(order as Order)}, takes ${best}.`;
    const done = forest.length === 1;
    const so = done ? `${named(forest[0]!)} takes ${plural(cost, "multiplication")}` : `${plural(cost, "multiplication")} so far`;
    const verdict = done && cost === best ? "No order takes fewer." : cheapest;
    setText(this.#told, `${so}. ${verdict}`);
  }

  /** What multiplies two neighbours, with its price. */
  #button(left: Order, right: Order, at: number): HTMLElement {
    const price = this.#now.price(left, right);
    const words = `Multiply ${named(left, true)} by ${named(right, true)}: ${plural(price, "multiplication")}`;
    return html("button.adviz-levels-times", { "data-join": at, title: words, "aria-label": words }, html("span", "·"), html("small", String(price)));
  }

  #matrix(order: Order): HTMLElement {
    const { rows, columns, entries } = this.#now.matrix(order);
    const cells = rows.map((_, i) => columns.map((_, j) => entries.find(([row, column]) => row === i && column === j)?.[2]));
    const line = (name: string, i: number): HTMLElement => html("tr", html("th", { scope: "row" }, name), ...cells[i]!.map(cell));
    return html(
      "figure.adviz-level",
      html("figcaption", named(order)),
      html("table", html("thead", html("tr", html("td"), ...columns.map((name) => html("th", { scope: "col" }, name)))), html("tbody", ...rows.map(line))),
    );
  }

  /** Letters in the entry that is pointed at are lit everywhere. */
  #point(event: Event): void {
    const text = closest(event, "[data-entry]")?.dataset["entry"];
    this.#linked.point(text ? lit([], raised(text).match(/e[\d,]+/g) ?? []) : null);
  }
}

/** An entry: nothing for a zero, a pale 1 for a copy, what is too long by how many products it is the sum of. */
function cell(text: string | undefined): HTMLElement {
  if (text === undefined) return html("td");
  if (!text) return html("td", { "data-copy": "", title: "a copy: multiplying by it costs nothing" }, "1");
  return html("td", { "data-entry": text, title: text }, text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 2)} …`);
}
