// Where the reader can point in the picture of a sweep: a place over each node and each gate, with what is said there.

import type { Hull } from "../layout/boxes.js";
import { gateNote, nodeNote } from "./notes.js";
import { edgesOf } from "./paths.js";
import { entryAt } from "./pills.js";
import type { PanelContext } from "../panels/panel.js";
import type { Box } from "../picture/camera.js";
import type { Placed, PlacedEdge, PlacedNode } from "../layout/placed.js";
import { closest, dataOf, html, listen, setAttribute, setText, svg } from "../ui/dom.js";

/** Pixels around a note. */
const MARGIN = 8;
/** How much worse it is to cover what a note is about than anything else. */
const OWN = 9;

export class Pointing {
  readonly element = svg("g");
  /** What is said of what the reader points at. */
  readonly note = html("div.adviz-note", { role: "note", hidden: true });
  /** What an engine keeps stands beside the places, whose descriptions tell it. */
  readonly #engine = svg("g", { "aria-hidden": "true" });
  /** Edges whose partials are not told. */
  silent: ReadonlySet<string> = new Set();
  readonly #nodes = new Map<number, { node: PlacedNode; area: SVGGElement; engine: SVGTextElement }>();
  readonly #hulls = svg("g");
  /** The nodes that are selected, and those at which playing stops. */
  marked: readonly number[] = [];
  stops: ReadonlySet<number> = new Set();
  readonly #gates = new Map<string, { edge: PlacedEdge; area: SVGRectElement }>();
  #at: PlacedNode | PlacedEdge | null = null;
  #placed: Placed;
  #frame: Box = { x: 0, y: 0, w: 1, h: 1 };
  #cursor = 0;

  constructor(
    readonly panel: Placed,
    readonly context: PanelContext,
    /** Hears which edges stand out; null: all alike. */
    readonly light: (edges: ReadonlySet<string> | null) => void,
    /** The box that a node stands for, or stood for before it was opened: its number, or -1. */
    readonly boxOf: (node: number) => number = () => -1,
  ) {
    this.#placed = panel;
    this.element.append(this.#engine, this.#hulls);
    for (const edge of panel.edges) this.#gate(edge);
    panel.nodes.forEach((node, i) => this.#node(node, i));
    const over = (event: Event): void => this.#point(this.#thing(event));
    listen(this.element as unknown as HTMLElement, context.signal, {
      pointerover: over,
      focusin: over,
      pointerout: () => this.#point(null),
      focusout: () => this.#point(null),
      keydown: (event) => this.#key(event),
      click: (event) => {
        const box = dataOf(event, "box");
        if (box !== undefined) this.#open(event, Number(box));
        else if (this.#thing(event)) this.#choose(event);
      },
      dblclick: (event) => {
        const node = this.#thing(event);
        if (node && "node" in node) context.runTo(node.node);
      },
    });
  }

  /** Put the places where the picture has been spread to; `hulls` are around the nodes of lines. */
  place(placed: Placed, hulls: readonly Hull[] = []): void {
    const { nodes, edges } = (this.#placed = placed);
    for (const { node, x, y, w, h } of nodes) {
      const { area, engine } = this.#nodes.get(node)!;
      fit(area.firstElementChild!, { x, y, w, h });
      const stop = area.querySelector("circle")!;
      stop.setAttribute("cx", String(x + w / 2)), stop.setAttribute("cy", String(y - h / 2));
      engine.setAttribute("x", String(x)), engine.setAttribute("y", String(y + h / 2 + 17));
    }
    this.#hulls.replaceChildren(...hulls.map((hull) => {
      const area = svg("rect.adviz-gate", { "data-box": hull.number });
      fit(area, hull);
      return area;
    }));
    for (const { key, gate } of edges) fit(this.#gates.get(key)!.area, gate);
  }

  /** What is seen of the picture. */
  look(frame: Box): void {
    this.#frame = frame;
  }

  /** Follow the cursor: what is said depends on what is known there. */
  show(cursor: number, acting: readonly number[], engineNotes: (node: number) => string): void {
    this.#cursor = cursor;
    for (const [node, { area, engine }] of this.#nodes) {
      const words = engineNotes(node);
      setText(engine, words);
      setAttribute(area, "data-role", acting.includes(node) ? "at" : null);
      setAttribute(area, "aria-description", words || null);
    }
    if (this.#at) this.#say(this.#at);
  }

  mark(nodes: readonly number[]): void {
    this.marked = nodes;
    for (const [node, { area }] of this.#nodes) {
      setAttribute(area, "data-mark", nodes.includes(node) ? "selected" : null);
      setAttribute(area, "aria-pressed", String(nodes.includes(node)));
    }
  }

  breaks(nodes: ReadonlySet<number>): void {
    this.stops = nodes;
    for (const [node, { area }] of this.#nodes) setAttribute(area, "data-break", nodes.has(node) ? "" : null);
  }

  /** The reader points at nodes in another panel, or at the paths between two. */
  point(nodes: readonly number[], isPath = false): void {
    const found = nodes.map((node) => (this.#nodes.has(node) ? edgesOf(this.panel, this.#nodes.get(node)!.node) : new Set<string>()));
    const lit = found.flatMap((edges) => [...edges]).filter((edge) => !isPath || found.every((edges) => edges.has(edge)));
    this.light(nodes.length ? new Set(lit) : null);
  }

  #node(node: PlacedNode, i: number): void {
    const engine = svg("text.adviz-counters", { "text-anchor": "middle" });
    this.#engine.append(engine);
    const attributes = { role: "button", tabindex: i ? -1 : 0, "data-node": node.node, "aria-label": node.title };
    const area = svg("g.adviz-node", attributes, svg("rect.adviz-ring", { rx: 14 }), svg("circle.adviz-stop", { r: 7 }));
    this.#nodes.set(node.node, { node, area, engine });
    this.element.append(area);
  }

  #gate(edge: PlacedEdge): void {
    const area = svg("rect.adviz-gate", { "data-edge": edge.key });
    this.#gates.set(edge.key, { edge, area });
    this.element.append(area);
  }

  #thing(event: Event): PlacedNode | PlacedEdge | null {
    const { node, edge } = closest(event, "[data-node], [data-edge]")?.dataset ?? {};
    return (node !== undefined ? this.#nodes.get(Number(node))?.node : this.#gates.get(edge ?? "")?.edge) ?? null;
  }

  #choose(event: Event): void {
    const node = dataOf(event, "node");
    if (node === undefined) return;
    event.stopPropagation();
    this.context.select([Number(node)]);
    this.#nudge(event, Number(node));
    const box = this.boxOf(Number(node));
    if (box >= 0) this.#open(event, box);
  }

  /** A click on a number, or on a cell of an array, chooses what is nudged. */
  #nudge(event: Event, node: number): void {
    const placed = this.#placed.nodes.find((each) => each.node === node)!;
    if (placed.kind !== "input") return;
    const { left, top, width, height } = this.#nodes.get(node)!.area.firstElementChild!.getBoundingClientRect();
    const { clientX, clientY } = event as MouseEvent;
    const share = (from: number, size: number, at: number): number => (at - from) / size - 0.5;
    const entry = placed.map ? entryAt(placed, placed.x + placed.w * share(left, width, clientX), placed.y + placed.h * share(top, height, clientY)) : 0;
    if (entry !== null) this.context.nudge?.(node, entry);
  }

  #open(event: Event, box: number): void {
    event.stopPropagation();
    this.context.open?.(box);
  }

  #key(event: KeyboardEvent): void {
    const areas = [...this.#nodes.values()].map(({ area }) => area);
    const at = areas.indexOf(event.target as SVGGElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") this.#choose(event);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = areas[(at + step + areas.length) % areas.length]!;
    areas[at]!.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  }

  #point(found: PlacedNode | PlacedEdge | null): void {
    const thing = found && this.silent.has(found.key) ? null : found;
    this.#at = thing;
    this.note.hidden = !thing;
    const isNode = thing && "node" in thing;
    this.light(isNode ? edgesOf(this.panel, thing) : null);
    this.context.point?.(isNode ? [thing.node] : []);
    if (thing) this.#say(thing);
  }

  #say(thing: PlacedNode | PlacedEdge): void {
    const { context } = this;
    const panel = this.#placed;
    const node = panel.nodes.find(({ key }) => key === thing.key);
    const edge = panel.edges.find(({ key }) => key === thing.key);
    const lines = "node" in thing ? nodeNote(panel, node!, context.scene.steps, this.#cursor) : [gateNote(panel, edge!)];
    this.note.replaceChildren(...lines.map((line) => html("p", line)));
    this.#settle(thing);
  }

  /** Put the note where it covers least, and never what it is about. */
  #settle(thing: PlacedNode | PlacedEdge): void {
    const { note } = this;
    const { clientWidth, clientHeight } = note.parentElement!;
    const { nodes, edges } = this.#placed;
    const { x: middle, y: level, w, h } = this.#frame;
    const scale = clientWidth / w;
    const boxes = [...nodes, ...edges.map(({ key, gate }) => ({ ...gate, key }))].map(
      (box) => [box.key, { ...box, x: box.x - middle + w / 2, y: box.y - level + h / 2 }] as const,
    );
    const [wide, high] = [note.offsetWidth, note.offsetHeight];
    const shared = (from: number, size: number, center: number, room: number): number =>
      Math.max(0, Math.min(from + size, scale * (center + room / 2)) - Math.max(from, scale * (center - room / 2)));
    const covered = ([x, y]: readonly [number, number]): number =>
      boxes.reduce((sum, [key, box]) => {
        const own = key === thing.key ? OWN : 1;
        return sum + own * shared(x, wide, box.x, box.w) * shared(y, high, box.y, box.h);
      }, 0);
    const [right, bottom] = [clientWidth - wide - MARGIN, clientHeight - high - MARGIN].map((most) => Math.max(MARGIN, most));
    const own = boxes.find(([key]) => key === thing.key)![1];
    const [besideX, besideY] = [scale * (own.x + own.w / 2) + MARGIN, scale * (own.y + own.h / 2) + MARGIN];
    const near: (readonly [number, number])[] = [
      [scale * own.x - wide / 2, besideY],
      [scale * own.x - wide / 2, scale * (own.y - own.h / 2) - high - MARGIN],
      [besideX, scale * own.y - high / 2],
      [scale * (own.x - own.w / 2) - wide - MARGIN, scale * own.y - high / 2],
    ];
    const places = [...near, ...[MARGIN, right!].flatMap((x) => [MARGIN, bottom!].map((y) => [x, y] as const))].map(
      ([x, y]) => [Math.min(Math.max(x, MARGIN), right!), Math.min(Math.max(y, MARGIN), bottom!)] as const,
    );
    const [x, y] = places.reduce((best, place) => (covered(place) < covered(best) ? place : best));
    note.style.transform = `translate(${x}px, ${y}px)`;
  }
}

export function fit(area: Element, { x, y, w, h }: Box): void {
  const numbers = { x: x - w / 2, y: y - h / 2, width: w, height: h };
  for (const [name, value] of Object.entries(numbers)) area.setAttribute(name, String(value));
}
