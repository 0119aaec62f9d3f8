// Marks as SVG: elements stay from one moment to the next, and only what differs is written.

import type { Mark, Words } from "../motion/marks.js";
import { type Paint, color } from "../picture/heat-map.js";
import { setAttribute, svg } from "../ui/dom.js";

const TAGS = { box: "rect", curve: "path", arrow: "path", text: "text" } as const;

interface Drawn {
  readonly element: SVGElement;
  mark: Mark;
}

const path = (points: readonly number[]): string =>
  `M${points[0]} ${points[1]}C${points.slice(2).map((number) => Math.round(number * 10) / 10).join(" ")}`;

export class Drawing {
  readonly element = svg("g");
  #drawn = new Map<string, Drawn>();

  /** Draw these marks, in this order, and nothing else. */
  show(marks: readonly Mark[]): void {
    const kept = new Map<string, Drawn>();
    let before: SVGElement | null = null;
    for (const mark of marks) {
      const old = this.#drawn.get(mark.key);
      const drawn: Drawn = old?.mark.type === mark.type ? old : { element: svg(TAGS[mark.type]), mark: null as never };
      const next: Element | null = before ? before.nextElementSibling : this.element.firstElementChild;
      if (next !== drawn.element) this.element.insertBefore(drawn.element, next);
      if (drawn.mark !== mark) write(drawn.element, mark, drawn.mark);
      drawn.mark = mark;
      kept.set(mark.key, drawn);
      before = drawn.element;
    }
    for (const [key, { element }] of this.#drawn) if (kept.get(key)?.element !== element) element.remove();
    this.#drawn = kept;
  }
}

const SYMBOLS = /([\p{L}_]+)(?![\p{L}_]|[\p{L}\p{N}_]*\(| [\p{L}\p{N}_])|[\p{L}_]+|[^\p{L}_]+/gu;

/** Mathematics: identifiers in italics; names of functions, digits and signs upright. */
const typeset = (text: string): (Node | string)[] =>
  [...text.matchAll(SYMBOLS)].map(([part, name]) => (name && name !== "NaN" ? svg("tspan.adviz-italic", {}, name) : part));

function write(element: SVGElement, mark: Mark, old: Mark | null): void {
  const set = (name: string, value: number | string): void => setAttribute(element, name, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
  const paint = (property: "fill" | "stroke", name: Paint): void => element.style.setProperty(property, name ? color(name) : "none");
  if (mark.opacity !== old?.opacity) set("opacity", mark.opacity);
  switch (mark.type) {
    case "box":
      set("x", mark.x), set("y", mark.y), set("width", mark.w), set("height", mark.h), set("rx", mark.corner);
      set("stroke-width", mark.thickness);
      set("stroke-dasharray", mark.dashed ? "5 4" : "none");
      paint("fill", mark.fill), paint("stroke", mark.line);
      break;
    case "curve":
      set("d", path(mark.points));
      set("fill", "none"), set("stroke-width", mark.thickness);
      set("stroke-dasharray", mark.dashed ? "2 5" : "none");
      paint("stroke", mark.line);
      break;
    case "arrow":
      set("d", `M${mark.points.map((number) => Math.round(number * 10) / 10).join(" ")}Z`);
      paint("fill", mark.fill);
      break;
    case "text":
      set("x", mark.x), set("y", mark.y), set("font-size", mark.size);
      set("class", `adviz-${mark.font}`), set("text-anchor", "middle");
      if (mark.text !== element.textContent || mark.font !== (old as Words | null)?.font) element.replaceChildren(...(mark.font === "serif" ? typeset(mark.text) : [mark.text]));
      paint("fill", mark.fill);
  }
}
