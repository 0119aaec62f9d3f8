// Marks as SVG: elements stay from one moment to the next, and only what differs is written.

import type { Mark, Words } from "../motion/marks.js";
import { color } from "../picture/heat-map.js";
import { svg } from "../ui/dom.js";
import { mathematics } from "../ui/format.js";

const TAGS = { box: "rect", curve: "path", arrow: "path", text: "text", cells: "path" } as const;

interface Drawn {
  readonly element: SVGElement;
  readonly mark: Mark;
}

const tenths = (number: number): number => Math.round(number * 10) / 10;
const round = (number: number): number => Math.round(number * 100) / 100;

const path = (points: readonly number[]): string => {
  const [x, y, ...more] = points.map(tenths);
  return `M${x} ${y}C${more.join(" ")}`;
};

function outline(boxes: readonly number[]): string {
  let d = "";
  for (let k = 0; k < boxes.length; k += 4) d += `M${round(boxes[k]!)} ${round(boxes[k + 1]!)}h${round(boxes[k + 2]!)}v${round(boxes[k + 3]!)}h${-round(boxes[k + 2]!)}z`;
  return d;
}

export class Drawing {
  readonly element = svg("g");
  #drawn = new Map<string, Drawn>();

  /** Draw these marks, in this order, and nothing else. */
  show(marks: readonly Mark[]): void {
    const old = this.#drawn;
    const types = new Map(marks.map(({ key, type }) => [key, type]));
    // What goes, goes first: all elements behind it would have to be moved otherwise.
    for (const [key, { element, mark }] of old)
      if (types.get(key) !== mark.type) {
        element.remove();
        old.delete(key);
      }
    this.#drawn = new Map();
    let next = this.element.firstElementChild;
    for (const mark of marks) {
      const drawn = old.get(mark.key);
      const element = drawn?.element ?? svg(TAGS[mark.type]);
      if (!drawn || !isSame(mark, drawn.mark)) write(element, mark, drawn?.mark ?? null);
      if (element === next) next = next.nextElementSibling;
      else this.element.insertBefore(element, next);
      this.#drawn.set(mark.key, { element, mark });
    }
  }
}

/** Whether two marks look the same: most do from one frame to the next, and then nothing is written. */
function isSame(mark: Mark, old: Mark): boolean {
  for (const name in mark) {
    const [now, before] = [mark[name as keyof Mark] as unknown, old[name as keyof Mark] as unknown];
    if (now === before) continue;
    if (!Array.isArray(now) || !Array.isArray(before) || now.length !== before.length) return false;
    if (now.some((number, i) => number !== before[i])) return false;
  }
  return true;
}

/** Write what differs from the mark before. */
function write(element: SVGElement, mark: Mark, old: Mark | null): void {
  const before = old && attributesOf(old);
  const now = attributesOf(mark);
  for (const name in now) if (now[name] !== before?.[name]) element.setAttribute(name, String(now[name]));
  if (mark.type !== "text") return;
  const was = old as Words | null;
  if (mark.text === was?.text && mark.font === was.font) return;
  element.replaceChildren(...(mark.font === "serif" ? mathematics(mark.text, (name) => svg("tspan.adviz-italic", {}, name)) : [mark.text]));
}

function attributesOf(mark: Mark): Record<string, number | string> {
  const { opacity } = mark;
  switch (mark.type) {
    case "box":
      return {
        opacity, x: round(mark.x), y: round(mark.y), width: round(mark.w), height: round(mark.h), rx: mark.corner,
        "stroke-width": mark.thickness, "stroke-dasharray": mark.dashed ? "5 4" : "none",
        style: `fill:${color(mark.fill)};stroke:${color(mark.line)}`,
      };
    case "curve":
      return {
        opacity, d: path(mark.points), "stroke-width": round(mark.thickness), "stroke-dasharray": mark.dashed ? "2 5" : "none",
        style: `fill:none;stroke:${color(mark.line)}`,
      };
    case "arrow":
      return { opacity, d: `M${mark.points.map(tenths).join(" ")}Z`, style: `fill:${color(mark.fill)}` };
    case "cells":
      return { opacity, d: outline(mark.boxes), style: `fill:${color(mark.fill)}` };
    case "text":
      return {
        opacity, x: round(mark.x), y: round(mark.y), "font-size": round(mark.size), class: `adviz-${mark.font}`,
        "text-anchor": mark.anchor ?? "middle", style: `fill:${color(mark.fill)}`,
      };
  }
}
