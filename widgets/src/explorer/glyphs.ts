// Small drawings inside the inspector: the structure of a Jacobian and a histogram.

import { html, svg } from "../ui/dom.js";
import { count, number } from "../ui/format.js";

/** What each structure looks like as a 12 × 12 matrix; filled where entries may differ from zero. */
const STRUCTURES: Record<string, string> = {
  zero: "",
  identity: "M0 0L12 12",
  scalar: "M0 0L12 12",
  diagonal: "M0 0L12 12",
  selection: "M1 1h2v2h-2zM5 4h2v2h-2zM9 8h2v2h-2z",
  reduction: "M0 4.5h12v3h-12z",
  "rank-one": "M4.5 0h3v12h-3zM0 4.5h12v3h-12z",
  broadcast: "M0 0L12 4M0 4L12 8M0 8L12 12",
  kronecker: "M0 0h6v6h-6zM6 6h6v6h-6z",
  sparse: "M1 1h2v2h-2zM9 1h2v2h-2zM5 5h2v2h-2zM1 9h2v2h-2zM5 9h2v2h-2z",
  dense: "M0 0h12v12h-12z",
};

/** The matrix of a structure; an unknown one is drawn as dense, which is never wrong. */
export function structureGlyph(structure: string): SVGSVGElement {
  const path = Object.hasOwn(STRUCTURES, structure) ? STRUCTURES[structure]! : STRUCTURES["dense"]!;
  return svg(
    "svg.adviz-structure",
    { viewBox: "-1 -1 14 14", width: 14, height: 14, "aria-hidden": "true" },
    svg("rect", { width: 12, height: 12, class: "adviz-structure-frame" }),
    svg(`path.adviz-structure-${path.includes("L") ? "line" : "fill"}`, { d: path }),
  );
}

const WIDTH = 240;
const HEIGHT = 44;

export function histogram({ low, high, counts }: { low: number; high: number; counts: number[] }): HTMLElement {
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(1, counts.length);
  const bars = counts.map((value, i) => {
    const height = value ? Math.max(1.5, (HEIGHT * value) / most) : 0;
    return svg("rect", { x: i * step + 0.5, y: HEIGHT - height, width: Math.max(0.5, step - 1), height });
  });
  const label = `Histogram from ${number(low)} to ${number(high)}: ${counts.map((value) => count(value)).join(", ")}`;
  return html(
    "div.adviz-histogram",
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      ...bars,
    ),
    html("div.adviz-ends", { "aria-hidden": "true" }, html("span", number(low)), html("span", number(high))),
  );
}
