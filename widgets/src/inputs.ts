// Sliders for the numbers that a program was called with; each change asks for the show of the new numbers.

import { html } from "./dom.js";
import { number } from "./format.js";
import type { Input } from "./scene.js";

/** Positions of a slider. */
const POSITIONS = 200;

interface Row {
  readonly slider: HTMLInputElement;
  readonly output: HTMLElement;
}

export class Inputs {
  readonly element: HTMLElement;
  readonly #rows = new Map<string, Row>();
  #values: Record<string, number> = {};

  constructor(inputs: readonly Input[], changed: (values: Record<string, number>) => void, signal: AbortSignal) {
    this.element = html("div", { class: "adviz-inputs", role: "group", "aria-label": "Inputs" });
    for (const { name, min, max } of inputs) {
      const slider = html("input", {
        type: "range",
        min,
        max,
        step: (max - min) / POSITIONS,
        "aria-label": name,
        "data-input": name,
      });
      const output = html("output", {});
      this.#rows.set(name, { slider, output });
      this.element.append(html("label", {}, html("code", {}, name), slider, output));
    }
    this.element.addEventListener("input", (event) => changed(this.#moved(event.target as HTMLInputElement)), {
      signal,
    });
    this.show(inputs);
  }

  /** Show the numbers of a new scene; a slider that is being moved stays where the hand has it. */
  show(inputs: readonly Input[]): void {
    for (const { name, value } of inputs) {
      const row = this.#rows.get(name);
      if (!row) continue;
      this.#values[name] = value;
      if (!row.slider.matches(":active")) row.slider.value = String(value);
      row.output.textContent = number(value);
    }
  }

  /** One number is another; the others stay to the last digit, whatever a slider can show of them. */
  #moved(slider: HTMLInputElement): Record<string, number> {
    return (this.#values = { ...this.#values, [slider.dataset["input"]!]: Number(slider.value) });
  }
}
