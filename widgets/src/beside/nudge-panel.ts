// The nudge: the result as a function of one input, what the derivative says of a small change, and what really happens.

import type { PanelContext, PlayerPanel } from "../panels/panel.js";
import { Beside, type Known, signed } from "./beside.js";
import { hue } from "../picture/heat-map.js";
import type { NudgePanel as Description } from "../scene/scene.js";
import { dataOf, html, listen, setAttribute, svg } from "../ui/dom.js";

export class NudgePanel extends Beside {
  readonly element: HTMLElement;
  readonly #buttons: readonly HTMLElement[];
  readonly #slider: HTMLInputElement;
  readonly #title = html("span");
  readonly #plot = svg("svg", { viewBox: "0 0 320 110", role: "img" });
  readonly #words = html("div.adviz-terms");
  #whole: ReadonlySet<number> = new Set();
  #chosen = 0;

  constructor(
    readonly panel: Description,
    context: PanelContext,
  ) {
    super(panel, context);
    this.#buttons = panel.inputs.map(({ name }, i) => html("button", { "data-choice": i }, html("i", name)));
    const most = (panel.inputs[0]!.nudges.length - 1) / 2;
    this.#slider = html("input", { type: "range", min: -most, max: most, value: panel.inputs[0]!.first, "aria-label": "Nudge" });
    this.element = html("div.adviz-card", html("div", ...this.#buttons, this.#title, this.#slider), this.#plot, this.#words);
    listen(this.element, context.signal, {
      input: () => this.#draw(),
      click: (event) => {
        const choice = dataOf(event, "choice");
        if (choice) this.#choose(Number(choice));
      },
    });
  }

  tell({ whole }: Known): void {
    this.#whole = whole;
    this.#draw();
  }

  adopt(other: PlayerPanel): void {
    if (!(other instanceof NudgePanel)) return;
    this.#slider.value = other.#slider.value;
    this.#choose(other.#chosen);
  }

  #choose(number: number): void {
    this.#chosen = Math.min(number, this.panel.inputs.length - 1);
    if (this.#isBeyond()) this.#slider.value = String(this.panel.inputs[this.#chosen]!.first);
    this.#draw();
  }

  /** Whether there is a point without a value on the way. */
  #isBeyond(): boolean {
    const [low, high] = this.panel.inputs[this.#chosen]!.reach;
    const places = Number(this.#slider.value);
    return places < low || places > high;
  }

  #draw(): void {
    const { change, inputs } = this.panel;
    const input = inputs[this.#chosen]!;
    const { name, symbol, nudges } = input;
    const middle = (nudges.length - 1) / 2;
    const [, , , here, level] = nudges[middle]!;
    const [moved, said, real, there, end, tangent] = nudges[middle + Number(this.#slider.value)]!;
    const amount = this.#whole.has(input.node) && this.flow!.nodes.find(({ node }) => node === input.node)!.result;
    this.#buttons.forEach((button, i) => setAttribute(button, "aria-pressed", String(i === this.#chosen)));
    this.#title.textContent = `Nudge ${name} by ${input.change} = ${moved}`;
    this.#slider.setAttribute("aria-valuetext", moved);

    const line = (d: string, color: string, width: number): SVGElement => svg("path", { d, style: `stroke:var(--${color});stroke-width:${width}` });
    const dot = (cx: number, cy: number, fill: string): SVGElement => svg("circle", { cx, cy, r: 4.5, style: `fill:var(--${fill})` });
    const color = hue(amount ? amount.sign : 0);
    this.#plot.replaceChildren(
      svg("title", `${change} for ${input.change} = ${moved}`),
      line(`M${here} 0V110`, "rule", 1),
      line(input.curve, "muted", 2),
      ...(amount ? [line(input.tangent, color, 2), line(`M${there} ${level}V${tangent}`, color, 4)] : []),
      line(`M${here} ${level}H${there}V${end ?? level}`, "ink", 1.4),
      ...(end === null ? [] : [dot(there, end, "ground")]),
      dot(here, level!, "ink"),
    );

    const gap = this.#isBeyond() ? ", beyond a point without a value" : real === said ? "" : ": curvature makes the gap";
    const factor = moved.startsWith("−") ? `(${moved})` : moved;
    const sum = said === "0" ? 0 : said.startsWith("−") ? -1 : 1;
    this.#words.replaceChildren(
      ...(amount
        ? [
            html("p", `${change} ≈ ${symbol}·${input.change} = `, signed(amount.text, amount.sign), `·${factor} = `, signed(said, sum)),
            html("p", real ? `really ${real}${gap}.` : "no value there: a derivative tells what happens nearby."),
          ]
        : [html("p", `${change} = ${real || "no value"}`), html("p", `The sweep will predict it from ${symbol}.`)]),
    );
  }
}
