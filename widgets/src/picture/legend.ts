// The legend: shapes, families, marks and keys.

import { drawMarks } from "../motion/drawing.js";
import { edgeLook, itemLook } from "./paints.js";
import { NOTHING, drawEdge, edgeMarks, shapeMarks } from "./shapes.js";
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
  ["Enter", "select, open"],
  ["Shift+Enter", "second node: paths"],
  ["Backspace", "leave the scope"],
  ["/", "search"],
  ["f  +  −", "fit, zoom"],
];

export const PLAY_KEYS: Keys = [["e", "play the evaluation"]];
export const BOX_KEYS: Keys = [["Esc", "close a box"]];

function kindSample(kind: Item["kind"]): SVGElement {
  const family = kind === "input" || kind === "output" ? "input" : "";
  const repeat = kind === "scope" ? 2 : 1;
  const item = { ...NOTHING, key: "", kind, label: "", detail: "", family, x: 0, y: 0, w: 30, h: 16, repeat };
  const shape = svg("g", { class: `adviz-node adviz-${kind}`, "data-family": family }, ...drawMarks(shapeMarks(item, itemLook(item, {}))));
  return svg("svg", { width: 42, height: 26, viewBox: "-19 -11 42 26", "aria-hidden": "true" }, shape);
}

const list = (title: string, rows: readonly (readonly [Element, string])[]): HTMLElement =>
  html("section", html("h4", title), html("ul", ...rows.map(([sample, words]) => html("li", sample, words))));

const region = (label: string, ...lists: HTMLElement[]): HTMLElement =>
  html("div.adviz-legend", { role: "region", "aria-label": label, hidden: true, tabindex: -1 }, ...lists);

type Keys = readonly (readonly [keys: string, meaning: string])[];
/** A part of the legend: its title, and samples with what they mean. */
export type Samples = readonly [title: string, rows: readonly (readonly [Element, string])[]];

const keyList = (keys: Keys): HTMLElement => {
  const rows = keys.map(([key, words]) => [html("kbd", key), words] as const);
  return list("Keys", rows);
};

/** A legend of keys alone. */
export const keyLegend = (keys: Keys): HTMLElement => region("Keys", keyList(keys));

/** Let the reader see a legend, in a room of some pixels, where everything is so many times as large as usual. */
export function meet(legend: HTMLElement, room: number, times: number): void {
  legend.style.maxHeight = `${Math.min(room, innerHeight * 0.7) / times - 20}px`;
  legend.focus({ preventScroll: true });
  legend.scrollIntoView({ block: "nearest" });
}

const SIGNS: [value: string, meaning: string][] = [
  ["1", "positive"],
  ["-1", "negative"],
  ["0", "zero"],
];

/** With derivatives hue says their sign, and families of operations have none; or it says what else is told. */
export function legend(signed: boolean, keys: Keys, told?: Samples): HTMLElement {
  const kinds = KINDS.map(([kind, words]) => [kindSample(kind), words] as const);
  const swatch = (family: string): HTMLElement => html("i.adviz-swatch", { "data-family": family });
  const families = FAMILIES.map(([family, words]) => [swatch(family), `${family}: ${words}`] as const);
  const signs = SIGNS.map(([value, words]) => [html("i.adviz-swatch", { "data-value": value }), words] as const);
  const marks = MARKS.map(([mark, words]) => [html("i.adviz-mark-sample", { "data-sign": mark }), words] as const);
  const line = { key: "", tail: "", head: "", count: 1, kind: "returned", points: [0, 8, 9, 8, 18, 8, 28, 8] };
  const sample = drawEdge(line, edgeMarks(line, edgeLook(line))).element;
  sample.removeAttribute("data-edge"); // it is none of the picture
  const returned = [svg("svg", { width: 30, height: 16, "aria-hidden": "true" }, sample), "returned: no use"] as const;
  const times = [html("span.adviz-sign", "×3"), "used 3 times; on an edge: 3 edges"] as const;
  return region(
    "Legend",
    list("Shapes", kinds),
    told ? list(...told) : signed ? list("Hue: sign", signs) : list("Families", families),
    list("Marks", [...marks, times, returned]),
    keyList([...KEYS, ...keys]),
  );
}
