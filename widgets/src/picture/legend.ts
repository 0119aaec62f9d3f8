// The legend: shapes, families, marks and keys.

import { drawItem } from "./shapes.js";
import type { Item } from "../scene/scene.js";
import { html, svg } from "../ui/dom.js";

const KINDS: [Item["kind"], string][] = [
  ["input", "input"],
  ["block", "block"],
  ["output", "output"],
  ["scope", "folded scope"],
  ["outside", "outside the scope"],
];

const FAMILIES: [family: string, blocks: string][] = [
  ["arithmetic", "+ − × ÷"],
  ["power", "power, exp, log, sqrt"],
  ["trigonometric", "sin, tanh …"],
  ["reduction", "sum, mean, prod"],
  ["linear", "dot, matmul"],
  ["shape", "reshape, index, stack"],
  ["selection", "max, where, abs"],
  ["input", "inputs and outputs"],
];

const MARKS: [mark: string, meaning: string][] = [
  ["selected", "selected"],
  ["contains", "holds selected nodes"],
  ["feeds", "feeds it"],
  ["fed", "is fed by it"],
  ["path", "on a path"],
  ["dead", "dead: reaches no output"],
];

const KEYS: [keys: string, meaning: string][] = [
  ["↑ ↓", "walk along edges"],
  ["← →", "move among siblings"],
  ["Enter", "select, open a scope"],
  ["Shift+Enter", "second node: paths"],
  ["Backspace", "leave the scope"],
  ["/", "search"],
  ["f  +  −", "fit, zoom"],
  ["e", "play the evaluation"],
];

function kindSample(kind: Item["kind"]): SVGElement {
  const item = drawItem({
    key: "",
    kind,
    label: "",
    detail: "",
    family: kind === "input" || kind === "output" ? "input" : "",
    x: 0,
    y: 0,
    w: 30,
    h: 16,
    node: null,
    span: null,
    count: 1,
    repeat: kind === "scope" ? 2 : 1,
    uses: 1,
    dead: false,
    title: "",
  });
  const shape = svg("g", { class: item.getAttribute("class"), "data-family": item.dataset["family"] });
  shape.append(
    ...[...item.children].filter((child) => child.tagName === "rect" && !child.classList.contains("adviz-ring")),
  );
  return svg("svg", { width: 42, height: 26, viewBox: "-19 -11 42 26", "aria-hidden": "true" }, shape);
}

const list = (title: string, rows: readonly (readonly [Element, string])[]): HTMLElement =>
  html("section", html("h4", title), html("ul", ...rows.map(([sample, words]) => html("li", sample, words))));

const keyList = (keys: readonly (readonly [keys: string, meaning: string])[]): HTMLElement =>
  list(
    "Keys",
    keys.map(([key, words]) => [html("kbd", key), words]),
  );

/** A legend of keys alone. */
export const keyLegend = (keys: readonly (readonly [keys: string, meaning: string])[]): HTMLElement =>
  html("div.adviz-legend", { role: "region", "aria-label": "Keys", hidden: true, tabindex: -1 }, keyList(keys));

export function legend(): HTMLElement {
  return html(
    "div.adviz-legend",
    { role: "region", "aria-label": "Legend", hidden: true, tabindex: -1 },
    list(
      "Shapes",
      KINDS.map(([kind, words]) => [kindSample(kind), words]),
    ),
    list(
      "Families",
      FAMILIES.map(([family, words]) => [html("i.adviz-swatch", { "data-family": family }), `${family}: ${words}`]),
    ),
    list("Marks", [
      ...MARKS.map(([mark, words]) => [html("i.adviz-mark-sample", { "data-sign": mark }), words] as const),
      [html("span.adviz-sign", "×3"), "used 3 times; on an edge: 3 edges"],
    ]),
    keyList(KEYS),
  );
}
