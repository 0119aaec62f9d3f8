// The nudge: the result along one entry of an input, what the derivative says of a small change, and what really happens.

import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import { Beside, type Known, signed } from "./beside.js";
import { color } from "../motion/marks.js";
import { entryOf, hue } from "../picture/heat-map.js";
import type { Nudge, NudgePanel as Description, NudgedInput } from "../scene/scene.js";
import { dataOf, html, listen, onResize, setAttribute, svg } from "../ui/dom.js";
import { minus } from "../ui/format.js";

/** How many steps an entry is nudged by at first, where there is room. */
const FIRST = 6;
/** Pixels of the plot where it has no size yet; beside the curve, so that it lies below the way of the slider's knob; above and below it; and of the numbers below. */
const USUAL = { width: 420, height: 76 };
const [EDGE, AROUND, NUMBERS] = [8, 6, 18];
/** Of what is compared, the share that is no more than rounding. */
const NOISE = 1e-10;

const figure = (value: number): string => {
  const size = Math.abs(value);
  return minus(String(Number(size < 0.1 ? value.toPrecision(4) : size < 1e4 ? value.toFixed(4) : value.toPrecision(8))));
};
const brief = (value: number, digits: number): string => minus(String(Number(value.toPrecision(digits))));

/** How many steps down and up from the middle there are values throughout. */
export function reach({ values, gaps }: Nudge): [low: number, high: number] {
  const middle = (values.length - 1) / 2;
  const below = gaps.filter((gap) => gap < middle).at(-1) ?? -1;
  const above = gaps.find((gap) => gap >= middle) ?? values.length - 1;
  return [below + 1 - middle, above - middle];
}

/** By how many steps an entry is nudged first: not to where the function ends, if it has room. */
export function first(nudge: Nudge): number {
  const [low, high] = reach(nudge);
  const room = high || -low;
  return (high ? 1 : -1) * (room >= FIRST ? FIRST : Math.ceil(room / 2));
}

export class NudgePanel extends Beside {
  readonly element: HTMLElement;
  readonly #choice: HTMLElement;
  readonly #index = html("span");
  readonly #slider = html("input", { type: "range", "aria-label": "Nudge" });
  readonly #moved = html("output");
  readonly #plot = svg("svg", { role: "img" });
  readonly #words = html("div.adviz-terms");
  /** What there is of entries, by input and entry; a text says why there is nothing. */
  readonly #found = new Map<string, Nudge | string>();
  #known: Known | null = null;
  #at = 0;
  #entry = -1;
  /** By how many steps the entry is nudged. */
  #steps = NaN;

  constructor(
    readonly panel: Description,
    context: PanelContext,
  ) {
    super(panel, context);
    const { inputs, why = "" } = panel;
    this.#choice = html("span", ...inputs.map(({ name }, i) => html("button", { "data-choice": i }, html("i", name))));
    const parts = [html("div", html("h4", "Nudge"), this.#choice, this.#index, this.#moved), html("div", this.#slider), this.#plot, this.#words];
    this.element = html("div.adviz-card.adviz-nudge", ...(inputs.length ? parts : [html("h4", "Nudge"), html("p", why)]));
    for (const { input, nudges } of inputs) for (const nudge of nudges) this.#found.set(`${input}/${nudge.entry}`, nudge);
    onResize(this.#plot, context.signal, () => this.#entry >= 0 && this.#draw());
    listen(this.element, context.signal, {
      input: (event) => {
        if (event.target !== this.#slider) return;
        this.#steps = Number(this.#slider.value);
        this.#draw();
      },
      change: (event) => event.target !== this.#slider && this.#change(),
      click: (event) => {
        const choice = dataOf(event, "choice");
        if (choice) this.#choose(Number(choice));
      },
    });
  }

  override show(moment: Moment): void {
    if (this.#entry < 0 && this.panel.inputs.length) this.#choose(0);
    super.show(moment);
  }

  tell(known: Known): void {
    this.#known = known;
    if (this.#entry >= 0) this.#draw();
  }

  adopt(other: PlayerPanel): void {
    if (!(other instanceof NudgePanel) || !this.panel.inputs[other.#at]) return;
    this.#steps = other.#steps;
    this.#choose(other.#at, other.#entry);
  }

  /** The reader has chosen an entry, here or elsewhere. */
  nudge(input: number, entry: number): void {
    const at = this.panel.inputs.findIndex((each) => each.input === input);
    if (at < 0 || (at === this.#at && entry === this.#entry)) return;
    [this.#at, this.#entry] = [at, entry];
    this.#ask(input, entry);
    this.#pick();
    this.#aim();
    this.#draw();
  }

  get #input(): NudgedInput {
    return this.panel.inputs[this.#at]!;
  }

  get #nudge(): Nudge | string {
    return this.#found.get(`${this.#input.input}/${this.#entry}`) ?? "";
  }

  #choose(at: number, entry?: number): void {
    const { input, nudges } = this.panel.inputs[at]!;
    this.context.nudge!(input, entry ?? nudges[0]?.entry ?? this.#largest(input));
  }

  /** The entry that matters most, of those that are drawn. */
  #largest(input: number): number {
    const map = this.flow?.nodes.find(({ node }) => node === input)?.result?.map;
    const sizes = map?.data.map((value) => (typeof value === "string" ? 0 : Math.abs(value))) ?? [];
    return map && sizes.length ? entryOf(map, sizes.indexOf(Math.max(...sizes))) : 0;
  }

  #ask(input: number, entry: number): void {
    const key = `${input}/${entry}`;
    const { nudged } = this.context;
    if (typeof (this.#found.get(key) ?? "") !== "string") return;
    this.#found.set(key, nudged ? "…" : `This page has ${this.#input.nudges.length} entries of ${this.#input.name}, and this is none of them: a notebook computes it.`);
    nudged?.(input, entry)
      .catch((error: Error) => error.message)
      .then((found) => {
        this.#found.set(key, found);
        this.#aim();
        this.#draw();
      });
  }

  /** Choose the entry of the index that was entered, or the nearest one that there is. */
  #change(): void {
    const { shape } = this.#input;
    const places = [...(this.#index.children as HTMLCollectionOf<HTMLInputElement>)].map(({ value }, k) => Math.min(Math.max(Math.round(Number(value)), 0), shape[k]! - 1));
    this.#choose(this.#at, places.reduce((entry, place, k) => entry * shape[k]! + place, 0));
    this.#pick();
  }

  /** Say which entry is chosen. */
  #pick(): void {
    const { shape } = this.#input;
    [...this.#choice.children].forEach((button, i) => setAttribute(button, "aria-pressed", String(i === this.#at)));
    const fields = this.#index.children as HTMLCollectionOf<HTMLInputElement>;
    if (fields.length !== shape.length) this.#index.replaceChildren(...shape.map((_, k) => html("input", { type: "number", min: 0, "aria-label": `Index of axis ${k}` })));
    this.#places.forEach((place, k) => ([fields[k]!.max, fields[k]!.value] = [String(shape[k]! - 1), String(place)]));
  }

  /** The index of the entry, axis by axis. */
  get #places(): number[] {
    const places: number[] = [];
    let rest = this.#entry;
    for (const size of [...this.#input.shape].reverse()) {
      places.unshift(rest % size);
      rest = Math.floor(rest / size);
    }
    return places;
  }

  /** Be where there are values, if the entry has any. */
  #aim(): void {
    const nudge = this.#nudge;
    setAttribute(this.#slider, "disabled", typeof nudge === "string");
    if (typeof nudge === "string") return;
    const most = (nudge.values.length - 1) / 2;
    const [low, high] = reach(nudge);
    if (!(this.#steps >= low && this.#steps <= high)) this.#steps = first(nudge);
    [this.#slider.min, this.#slider.max, this.#slider.value] = [-most, most, this.#steps].map(String) as [string, string, string];
  }

  #draw(): void {
    const nudge = this.#nudge;
    if (typeof nudge === "string") {
      this.#plot.replaceChildren();
      this.#moved.textContent = "";
      return this.#words.replaceChildren(html("p", nudge));
    }
    const { node, name, symbol } = this.#input;
    const { start, step, slope, values, changes } = nudge;
    const steps = this.#steps;
    const middle = (values.length - 1) / 2;
    const moved = Number((steps * step).toPrecision(9));
    const base = values[middle]!;
    const said = base + slope * moved;
    const real = values[middle + steps] ?? null;
    const isSaid = this.#known !== null && (this.#known.whole.has(node) || this.#known.isEnded);
    const called = name + (this.#places.length ? `[${this.#places.join(", ")}]` : "");
    this.#moved.textContent = (moved > 0 ? "+" : "") + brief(moved, 6);
    this.#slider.setAttribute("aria-valuetext", this.#moved.textContent);
    this.#plot.replaceChildren(...this.#drawn(nudge, steps, isSaid, `${this.panel.result} along ${called}`));

    const [low, high] = reach(nudge);
    const at = start + moved;
    const change = changes.find(([place]) => (place - start) * moved > 0 && (place - at) * moved <= 0);
    const apart = real === null ? 0 : real - said;
    const isBeyond = steps < low || steps > high;
    const note = real === null ? "a derivative tells what happens nearby" : isBeyond ? "beyond a point without a value" : change ? `the branch changes at ${called} = ${brief(change[0], 6)}` : "";
    this.#words.title = change?.[1] ?? "";
    const row = (word: string, more: Node | string, value: Node | string): Node[] => [html("span", word), html("span", more), typeof value === "string" ? html("b", value) : value];
    const formula = html("span", `${figure(base)} + `, signed(slope < 0 ? `(${figure(slope)})` : figure(slope), Math.sign(slope) as -1 | 0 | 1), `·${moved < 0 ? `(${brief(moved, 6)})` : brief(moved, 6)}`);
    this.#words.replaceChildren(
      ...(isSaid ? row("gradient says", formula, figure(said)) : row("gradient says", `once ${symbol} is known`, "?")),
      ...row("computed again", "", real === null ? "no value" : figure(real)),
      ...row("apart", note, real === null || !isSaid ? "" : Math.abs(apart) <= NOISE * Math.max(Math.abs(base), Math.abs(said)) ? "0" : brief(apart, 2)),
    );
  }

  /** The curve, its tangent once that is known, and how far they are apart. */
  #drawn({ start, step, slope, values, gaps }: Nudge, steps: number, isSaid: boolean, words: string): Node[] {
    const { clientWidth: wide = 0, clientHeight: high = 0 } = this.#plot;
    const { width, height } = wide && high ? { width: wide, height: high } : USUAL;
    setAttribute(this.#plot, "viewBox", `0 0 ${width} ${height}`);
    const bottom = height - NUMBERS;
    const middle = (values.length - 1) / 2;
    const base = values[middle]!;
    const line = (k: number): number => base + slope * (k - middle) * step;
    const [left, right] = [line(0), line(values.length - 1)];
    const all = [...values.filter((value) => value !== null), left, right];
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const x = (k: number): number => EDGE + (k / (values.length - 1)) * (width - 2 * EDGE);
    const y = (value: number): number => bottom - AROUND - ((value - least) / (most - least || 1)) * (bottom - 2 * AROUND);
    const path = (d: string, line: string): SVGElement => svg("path", { d, style: `stroke:${line}` });
    const dot = (k: number, value: number, style: string): SVGElement => svg("circle", { cx: x(k), cy: y(value), r: 4.5, style });
    const label = (at: number, anchor: string, text: string): SVGElement => svg("text", { x: at, y: bottom + 15, "text-anchor": anchor }, text);
    const curve = values.map((value, k) => (value === null ? "" : `${!k || gaps.includes(k - 1) ? "M" : "L"}${x(k)} ${y(value)}`)).join("");
    const paint = color(hue(Math.sign(slope)));
    const [k, real] = [middle + steps, values[middle + steps] ?? null];
    const said = line(k);
    return [
      svg("title", words),
      path(`M${x(middle)} 0V${bottom}`, "var(--rule);stroke-dasharray:2 4"),
      path(curve, "var(--ink);stroke-width:2"),
      ...(isSaid ? [path(`M${x(0)} ${y(left)}L${x(values.length - 1)} ${y(right)}`, `${paint};stroke-width:2;stroke-dasharray:6 4`)] : []),
      ...(isSaid && real !== null ? [path(`M${x(k)} ${y(real)}V${y(said)}`, "var(--ink);stroke-width:3")] : []),
      ...(isSaid ? [dot(k, said, `fill:var(--ground);stroke:${paint}`)] : []),
      ...(real === null ? [] : [dot(k, real, "fill:var(--ink);r:3.4px")]),
      label(EDGE, "start", brief(-middle * step, 4)),
      label(x(middle), "middle", brief(start, 5)),
      label(width - EDGE, "end", `+${brief(middle * step, 4)}`),
    ];
  }
}
