// The derivatives of one output with respect to all nodes: beside the values in the picture, and for the inspector.

import type { Graph } from "../graph/graph.js";
import { type Adjoint, beginnings, known, mutedIf } from "./adjoint-marks.js";
import { drawMarks } from "../motion/drawing.js";
import { NODE_ROOM, drawMap } from "../picture/heat-map.js";
import { itemLook } from "../picture/paints.js";
import { shapeMarks } from "../picture/shapes.js";
import type { Picture } from "../picture/picture.js";
import { fromBase64 } from "../scene/base64.js";
import type { Adjoints, DerivativesPanel, Item } from "../scene/scene.js";
import { html, svg } from "../ui/dom.js";
import { number } from "../ui/format.js";

export class Derivative {
  readonly #numbers: Float64Array;

  constructor(
    /** What is differentiated. */
    readonly output: string,
    readonly known: Adjoints,
  ) {
    this.#numbers = new Float64Array(fromBase64(known.numbers).buffer);
  }

  of(graph: Graph, node: number): Adjoint {
    return graph.is("scalar", node) ? this.#numbers[node]! : (this.known.maps[`n${node}`] ?? null);
  }

  ofItem(graph: Graph, { key, node }: Item): Adjoint {
    return node === null ? (this.known.maps[key] ?? null) : this.of(graph, node);
  }
}

/** The list to choose the output from; or why there is none. */
export function chooser(
  { outputs, chosen, why }: DerivativesPanel,
  choose: (choice: number | null) => void,
): HTMLElement {
  if (why) return html("p.adviz-derivative.adviz-muted", why);
  const options = outputs.map(({ label }, k) => html("option", { value: k, selected: k === chosen }, label));
  const select = html("select.adviz-picker", html("option", { value: "" }, "nothing"), ...options);
  select.addEventListener("change", () => choose(select.value ? Number(select.value) : null));
  return html("label.adviz-derivative", "Derivatives of", select);
}

/** Titles without adjoints, for when another output is chosen. */
const titles = new WeakMap<Item, string>();

/** Show in each item of the picture its value and, if there is one to show, its adjoint. */
export function decorate(picture: Picture, graph: Graph, derivative: Derivative | null): void {
  const first = beginnings(picture.panel);
  for (const item of picture.panel.nodes) {
    const group = picture.node(item.key)!;
    if (!titles.has(item)) titles.set(item, item.title);
    group.querySelector(".adviz-known")?.remove();
    if (item.beside === undefined) continue;
    const adjoint = item.kind === "outside" ? null : (derivative?.ofItem(graph, item) ?? null);
    item.title = titles.get(item)! + (typeof adjoint === "number" ? `, adjoint ${number(adjoint)}` : "");
    const { words, maps, pill, lines } = known(item, adjoint);
    picture.put(item.key, { shape: shapeMarks(item, itemLook(item, { first: first.has(item.key) })), words: mutedIf(item.dead, words) });
    const drawn = maps.map(({ map, x, y }) => drawMap(map, NODE_ROOM, x, y));
    group.append(svg("g.adviz-known", ...drawn, ...drawMarks([...pill, ...lines])));
  }
}
