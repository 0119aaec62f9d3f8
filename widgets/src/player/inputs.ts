// Sliders for the numbers that a program was called with; each change requests the show of the new numbers.

import type { Input } from "../scene/scene.js";
import { html, listen } from "../ui/dom.js";
import { number } from "../ui/format.js";

/** Positions of a slider. */
const POSITIONS = 200;

interface Row {
  readonly slider: HTMLInputElement;
  readonly output: HTMLElement;
  readonly start: number;
}

export class Inputs {
  readonly element: HTMLElement;
  readonly #rows = new Map<string, Row>();
  readonly #why = html("p", { role: "alert" });
  #values: Record<string, number> = {};

  constructor(inputs: readonly Input[], changed: (values: Record<string, number>) => void, signal: AbortSignal) {
    this.element = html("div.adviz-inputs", { role: "group", "aria-label": "Inputs" });
    for (const { name, value, min, max } of inputs) {
      const slider = html("input", {
        type: "range",
        min,
        max,
        step: Number(((max - min) / POSITIONS).toPrecision(9)),
        "aria-label": name,
        "data-input": name,
      });
      const output = html("output");
      this.#rows.set(name, { slider, output, start: value });
      this.element.append(html("label", html("code", name), slider, output));
    }
    listen(this.element, signal, { input: (event) => changed(this.#moved(event.target as HTMLInputElement)) });
    this.element.append(this.#why);
    this.show(inputs);
  }

  /** Show the numbers of a new scene; a slider that is being dragged stays. */
  show(inputs: readonly Input[]): void {
    for (const { name, value } of inputs) {
      const row = this.#rows.get(name);
      if (!row) continue;
      this.#values[name] = value;
      if (!row.slider.matches(":active")) row.slider.value = String(value);
      row.output.textContent = number(value);
    }
  }

  /** The kernel is gone: disable the sliders, and say why. */
  stop(why: string): void {
    for (const { slider } of this.#rows.values()) slider.disabled = true;
    this.#why.textContent = why;
  }

  /** One number is another; the others stay to the last digit, whatever a slider can show of them. */
  #moved(slider: HTMLInputElement): Record<string, number> {
    const name = slider.dataset["input"]!;
    const { start } = this.#rows.get(name)!;
    const number = Number(slider.value);
    const isStart = Math.abs(number - start) < Number(slider.step) / 2; // which may have more digits than the slider
    return (this.#values = { ...this.#values, [name]: isStart ? start : number });
  }
}
