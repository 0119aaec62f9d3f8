// A small drawing inside the inspector: a histogram.

import { html, svg } from "../ui/dom.js";
import { count, number } from "../ui/format.js";

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
