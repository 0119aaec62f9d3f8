// The derivatives of one output with respect to all nodes: beside the values in the picture, and for the inspector.

import type { Graph } from "../graph/graph.js";
import { row } from "../graph/links.js";
import { NODE_ROOM, drawMap, pill, pillWidth, sizeOf } from "../picture/heat-map.js";
import type { Picture } from "../picture/picture.js";
import { fromBase64 } from "../scene/base64.js";
import type { Adjoints, DerivativesPanel, HeatMap, Item } from "../scene/scene.js";
import { html, setAttribute, svg } from "../ui/dom.js";
import { number } from "../ui/format.js";

/** Px between a value and its adjoint, and of a character of the value. */
const GAP = 7;
const CHARACTER = 6.6;

/** A number, the heat map of an array, or null where there is nothing to show. */
export type Adjoint = number | HeatMap | null;

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
  for (const item of picture.panel.nodes) {
    const group = picture.node(item.key)!;
    if (!titles.has(item)) titles.set(item, item.title);
    group.querySelector(".adviz-known")?.remove();
    if (item.beside === undefined) continue;
    const adjoint = item.kind === "outside" ? null : (derivative?.ofItem(graph, item) ?? null);
    item.title = titles.get(item)! + (typeof adjoint === "number" ? `, adjoint ${number(adjoint)}` : "");
    const { node } = item;
    const unknown = node !== null && graph.isUnknown(node);
    const begins = unknown && row(graph.operands, node).every((operand) => !graph.isUnknown(operand));
    setAttribute(group, "data-first", begins && item.kind !== "outside" ? "" : null);
    group.append(svg("g.adviz-known", ...(item.map ? maps(graph, item, adjoint, group) : beside(item, adjoint, group, unknown))));
  }
}

function write(group: Element, line: "label" | "detail", changes: Record<string, number>): SVGElement {
  const text = group.querySelector<SVGElement>(`.adviz-${line}`)!;
  for (const [name, value] of Object.entries(changes)) text.setAttribute(name, String(value));
  return text;
}

function beside({ detail }: Item, adjoint: Adjoint, group: Element, unknown: boolean): SVGElement[] {
  const is = typeof adjoint === "number";
  const width = is ? GAP + pillWidth(adjoint) : 0;
  write(group, "detail", { x: -width / 2 });
  const room = CHARACTER * detail.length;
  return [
    ...(unknown ? [svg("path.adviz-band", { d: `M${-(room + width) / 2} 17h${room}` })] : []),
    ...(is ? [pill(adjoint, (room - width) / 2 + GAP, 8.5)] : []),
  ];
}

/** Name and shape, the heat map of the value and that of the adjoint, under a bar as the symbol of an adjoint has one. */
function maps(graph: Graph, { map, node, kind }: Item, adjoint: Adjoint, group: Element): SVGElement[] {
  const [width, height] = sizeOf(map!, NODE_ROOM);
  const name = node === null || kind !== "block" ? null : graph.name(node);
  const text = `${name ? `${name} ` : ""}${map!.shape.join("×")}`;
  const room = CHARACTER * text.length;
  const has = adjoint !== null && typeof adjoint === "object";
  const left = -(room + (GAP + width) * (has ? 2 : 1)) / 2;
  const top = 10 - height / 2;
  const [first, second] = [left + room + GAP, left + room + GAP + width + GAP];
  write(group, "label", { y: -10 });
  write(group, "detail", { x: left + room / 2, y: 14 }).textContent = text;
  const bar = svg("path.adviz-bar-over", { d: `M${second} ${top - 2}h${width}` });
  return [drawMap(map!, NODE_ROOM, first, top), ...(has ? [drawMap(adjoint, NODE_ROOM, second, top), bar] : [])];
}
