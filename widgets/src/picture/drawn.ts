// Marks as elements of the page. Their colors are in the style sheet, by the class of their name: they follow the theme of
// the host and what the reader points at or selects.

import { type Mark, type Words } from "../motion/marks.js";
import { svg } from "../ui/dom.js";

type Attributes = Readonly<Record<string, string | number | null>>;

/** The path of a Bezier chain: x, y of the start and then three points per curve. */
export function pathOf(points: readonly number[]): string {
  let path = `M${points[0]},${points[1]}`;
  for (let i = 2; i < points.length; i += 6) path += `C${points.slice(i, i + 6).join(" ")}`;
  return path;
}

export const drawMarks = (marks: readonly Mark[]): SVGElement[] => marks.map((mark) => drawMark(mark));

export function drawMark(mark: Mark, attributes: Attributes = {}): SVGElement {
  const more = { class: `adviz-${mark.key}`, ...attributes };
  switch (mark.type) {
    case "box":
      return svg("rect", { ...more, x: mark.x, y: mark.y, width: mark.w, height: mark.h, rx: mark.corner });
    case "curve":
      return svg("path", { ...more, d: pathOf(mark.points) });
    case "arrow":
      return svg("path", { ...more, d: `M${mark.points.map(hundredths).join(" ")}Z` });
    case "cells":
      throw new Error("a picture of a graph has no cells");
    case "text":
      return svg("text", { ...more, ...placeOf(mark) }, mark.text);
  }
}

const placeOf = ({ x, y, size, anchor }: Words): Attributes => ({ x, y, "font-size": size, "text-anchor": anchor ?? "middle" });

const hundredths = (value: number): number => Math.round(100 * value) / 100;
