// Marks as SVG: elements stay from one moment to the next, and only what differs is written. Colors are attributes, which
// give way to the style sheet: it says how what the reader selects or points at stands out.

import { type Mark, type Words, color } from "./marks.js";
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
  #drawn = new Map<string, Drawn>();

  /** The marks come before what else the element holds. Where they are named, their names up to a slash are their classes. */
  constructor(
    readonly element: SVGElement = svg("g"),
    readonly isNamed = false,
  ) {}

  /** Draw these marks, in this order, and no others. */
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
      if (!drawn || !isSame(mark, drawn.mark)) write(element, mark, drawn?.mark ?? null, this.isNamed);
      if (element === next) next = next.nextElementSibling;
      else this.element.insertBefore(element, next);
      this.#drawn.set(mark.key, { element, mark });
    }
  }
}

/** Marks that stay as they are. */
export function drawMarks(marks: readonly Mark[]): SVGElement[] {
  const drawing = new Drawing(svg("g"), true);
  drawing.show(marks);
  return [...drawing.element.children] as SVGElement[];
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
function write(element: SVGElement, mark: Mark, old: Mark | null, isNamed: boolean): void {
  const before = old && attributesOf(old, isNamed);
  const now = attributesOf(mark, isNamed);
  for (const name in now) if (now[name] !== before?.[name]) element.setAttribute(name, String(now[name]));
  if (mark.type !== "text") return;
  const was = old as Words | null;
  if (mark.text === was?.text && mark.font === was.font) return;
  for (const name of ["textLength", "lengthAdjust", "data-fitted"]) element.removeAttribute(name);
  element.replaceChildren(...(mark.font === "serif" ? mathematics(mark.text, (name) => svg("tspan.adviz-italic", {}, name)) : [mark.text]));
}

/** How lines are broken: those of boxes and of curves in the pictures of sweeps, and those in graphs, as files have them. */
const DASHES = { box: "5 4", curve: "2 5", named: "4 3", dotted: "1.2 3" } as const;

const LETTERS = { sans: "inherit", bold: "inherit", serif: "var(--serif)", mono: "var(--mono)" } as const;

function attributesOf(mark: Mark, isNamed: boolean): Record<string, number | string> {
  const name = isNamed ? `adviz-${mark.key.split("/")[0]}` : "";
  const common = { opacity: mark.opacity, ...(name && { class: name }), fill: color(mark.fill ?? "") };
  switch (mark.type) {
    case "box":
      return {
        ...common, x: round(mark.x), y: round(mark.y), width: round(mark.w), height: round(mark.h), rx: mark.corner,
        stroke: color(mark.line), "stroke-width": mark.thickness, "stroke-dasharray": mark.dashed ? DASHES[isNamed ? "named" : "box"] : "none",
      };
    case "curve":
      return {
        ...common, d: path(mark.points), stroke: color(mark.line), "stroke-width": round(mark.thickness),
        "stroke-dasharray": mark.dotted ? DASHES.dotted : mark.dashed ? DASHES[isNamed ? "named" : "curve"] : "none",
      };
    case "arrow":
      return { ...common, d: `M${mark.points.map(tenths).join(" ")}Z` };
    case "cells":
      return { ...common, d: outline(mark.boxes) };
    case "text":
      return {
        ...common, x: round(mark.x), y: round(mark.y), "font-size": round(mark.size), "font-family": LETTERS[mark.font], "font-weight": mark.font === "bold" ? (isNamed ? 600 : 700) : 400,
        "text-anchor": mark.anchor ?? "middle",
      };
  }
}
