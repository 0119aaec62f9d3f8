// The picture of an elimination in the Player: a graph and its line graph in one, which a slider turns into each other.

import { frameOf, laneOf, moment as marksOf } from "./elimination-marks.js";
import { type Context, labels, stand } from "./elimination-standing.js";
import { type Beat, type State, beatsOf, duration } from "./elimination-steps.js";
import { symbol, told } from "./elimination-values.js";
import { isInterior } from "./elimination.js";
import { foreseen } from "./own-places.js";
import { Drawing } from "../flow/drawing.js";
import type { Moment, PanelContext, PlayerPanel, Sort } from "../panels/panel.js";
import { partOf } from "../playback/runs.js";
import type { EliminationPanel as Description, Place, Step } from "../scene/document.js";
import { atEnd, closest, focusedIn, html, listen, onResize, prefersStill, setAttribute, svg } from "../ui/dom.js";

/** The picture is not drawn larger than this, however large the stage. */
const LARGEST = 2.4;
/** Milliseconds: motion that would be shorter is not shown; the longest of a step; and what a change of reading takes. */
const SHORTEST = 90;
const LONGEST = 12000;
const TURNING = 900;
/** What keeps its distance from the borders of the stage. */
const MARGIN = { x: 60, y: 40 };

const WAYS: Readonly<Record<string, readonly [x: number, y: number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Panels of one show: what is pointed at or chosen in one is marked in all. */
const companions = new WeakMap<object, Set<EliminationPanel>>();

/** Something to point at: its key, what it is called, its shape, and its middle. */
interface Target {
  readonly key: string;
  readonly title: string;
  readonly d: string;
  readonly at: readonly [x: number, y: number];
}

export class EliminationPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly isLasting = true;
  readonly size: { width: number; height: number };
  readonly #drawing = new Drawing();
  readonly #picture: SVGSVGElement;
  readonly #stage: HTMLElement;
  readonly #targets = svg("g");
  readonly #slider = html("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "From the graph to its line graph (m)" });
  readonly #start: State;
  #placed: Description;
  #steps: readonly Step[] | null = null;
  #beats: readonly Beat[] = [];
  #places: readonly Place[] = [];
  #cursors: readonly [from: number, to: number] = [0, 0];
  #progress = 1;
  #morph: number;
  #request = 0;
  #turn = 0;
  #vertices: readonly number[] = [];
  #chosen: string | null = null;
  #middles = new Map<string, readonly [x: number, y: number]>();

  constructor(
    readonly panel: Description,
    readonly context: PanelContext,
  ) {
    const { scene, signal } = context;
    this.#placed = panel;
    this.size = { width: panel.width, height: panel.height };
    this.#morph = Number(panel.reading === "line graph");
    const own = `${panel.run}/`;
    this.#start = new Map(Object.entries(scene.start ?? {}).filter(([key]) => key.startsWith(own)).map(([key, value]) => [key.slice(own.length), value]));
    this.#drawing.element.setAttribute("aria-hidden", "true");
    this.#picture = svg("svg.adviz-flow", { role: "group", "aria-label": `The graph of ${scene.title}` }, this.#drawing.element, this.#targets);
    this.#stage = html("div.adviz-flowpanel", this.#picture);
    const { label } = scene.runs.find(({ id }) => id === panel.run)!;
    const words = panel.fixed ? [html("span", panel.reading)] : [html("span", "graph"), this.#slider, html("span", "line graph")];
    this.element = html(
      "div.adviz-elimination",
      { "data-run": panel.run, "data-reading": panel.fixed ? panel.reading : null },
      html("div.adviz-reading", scene.runs.length > 1 ? html("h4.adviz-run-title", label) : null, ...words),
      this.#stage,
    );
    onResize(this.#stage, signal, () => this.#draw(this.#progress));
    atEnd(signal, () => [this.#request, this.#turn].forEach(cancelAnimationFrame));
    companions.set(scene, (companions.get(scene) ?? new Set()).add(this));
    const point = (event: Event): void => this.#all((each) => each.#light(closest(event, "[data-key]")?.dataset["key"]));
    listen(this.#slider, signal, { input: () => this.#read(Number(this.#slider.value)) });
    listen(this.#targets as unknown as HTMLElement, signal, {
      pointerover: point,
      pointerout: () => this.#all((each) => each.#light()),
      focusin: point,
      click: (event) => this.#choose(event),
      keydown: (event) => this.#key(event),
    });
    listen(this.#stage, signal, { click: (event) => closest(event, "[data-key]") ?? this.#leave() });
  }

  duration({ cursor, taken, steps }: Moment): number {
    this.#know(steps);
    return Math.min(LONGEST, duration(this.#beats, ...this.#between(cursor, taken)));
  }

  adopt(other: PlayerPanel): void {
    if (other instanceof EliminationPanel && !this.panel.fixed) this.#morph = other.#morph;
  }

  /** Turn to the other reading. */
  turn(): void {
    if (this.panel.fixed) return;
    cancelAnimationFrame(this.#turn);
    const [from, to] = [this.#morph, Number(this.#morph < 0.5)];
    const start = performance.now();
    const next = (now: number): void => {
      const share = prefersStill() ? 1 : Math.min(1, Math.max(0, now - start) / TURNING);
      this.#read(from + share * (to - from));
      if (share < 1) this.#turn = requestAnimationFrame(next);
    };
    next(start);
  }

  show(moment: Moment): void {
    cancelAnimationFrame(this.#request);
    this.#know(moment.steps);
    this.#cursors = this.#between(moment.cursor, moment.taken);
    setAttribute(this.#picture, "aria-description", moment.words ?? null);
    const total = moment.speed ? this.duration(moment) / moment.speed : 0;
    if (total < SHORTEST) return this.#draw(1);
    const start = performance.now();
    const next = (now: number): void => {
      const progress = Math.min(1, Math.max(0, now - start) / total);
      this.#draw(progress);
      if (progress < 1) this.#request = requestAnimationFrame(next);
    };
    next(start);
  }

  mark(nodes: readonly number[]): void {
    this.#vertices = nodes;
    if (nodes.length) this.#chosen = null;
    this.#mark();
  }

  // ---- what is known ----

  /** The steps may be those of the reader's own order. */
  #know(steps: readonly Step[]): void {
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.#beats = beatsOf(steps, this.panel.run);
    this.#places = foreseen(this.panel, this.#start, this.#beats);
  }

  /** How many steps this run has taken, before and after the steps just taken. */
  #between(cursor: number, taken: readonly Step[] = []): readonly [number, number] {
    const count = (steps: readonly Step[]): number => steps.filter((step) => partOf(step, this.panel.run)).length;
    const to = count(this.#steps!.slice(0, cursor));
    return [to - count(taken), to];
  }

  // ---- drawing ----

  #read(morph: number): void {
    this.#morph = morph;
    this.#draw(this.#progress);
  }

  #draw(progress: number): void {
    this.#progress = progress;
    this.#slider.value = String(this.#morph);
    this.element.style.setProperty("--morph", String(this.#morph));
    const { clientWidth: w, clientHeight: h } = this.#stage;
    const scale = w && h ? Math.min(LARGEST, w / this.panel.width, h / this.panel.height) : 1;
    const [width, height] = [(w || this.panel.width) / scale, (h || this.panel.height) / scale];
    const spread = (at: number, size: number, room: number, margin: number): number => margin + ((at - margin) * (room - 2 * margin)) / (size - 2 * margin);
    const places = this.#places.map(([after, key, x, y]): Place => [after, key, spread(x, this.panel.width, width, MARGIN.x), spread(y, this.panel.height, height, MARGIN.y)]);
    this.#placed = { ...this.panel, width, height, places };
    const [from, to] = this.#cursors;
    this.#drawing.show(marksOf(this.#placed, this.#start, this.#beats, from, to, progress, this.#morph));
    setAttribute(this.#picture, "viewBox", `0 0 ${width} ${height}`);
    if (progress >= 1) this.#aim(stand(this.#placed, this.#start, this.#beats, from, to, 1, this.#morph));
  }

  // ---- pointing ----

  /** Have something to point at over everything that is there, and nothing else. */
  #aim(context: Context): void {
    const targets = this.#found(context);
    const old = new Map([...this.#targets.children].map((element) => [(element as SVGElement).dataset["key"]!, element as SVGElement]));
    const had = focusedIn(this.#targets) as SVGElement | null;
    const elements = targets.map(({ key, title, d }, i) => {
      const element = old.get(key) ?? svg("path", { role: "button", "data-key": key, "data-sort": key.split("/")[0] });
      for (const [name, value] of Object.entries({ d, "aria-label": title, tabindex: i ? "-1" : "0" })) setAttribute(element, name, value);
      return element;
    });
    const left = had && this.#middles.get(had.dataset["key"]!);
    this.#middles = new Map(targets.map(({ key, at }) => [key, at]));
    if (elements.length !== old.size || elements.some((each) => !each.isConnected)) this.#targets.replaceChildren(...elements);
    if (had && !had.isConnected && left) this.#nearest(left)?.focus({ preventScroll: true });
    else if (had?.isConnected && focusedIn(this.#targets) !== had) had.focus({ preventScroll: true });
    this.#mark();
  }

  #found(context: Context): Target[] {
    const { after, spots } = context;
    const technique = this.context.scene.own?.technique;
    const box = (x: number, y: number, w: number, h: number): string => `M${x} ${y}h${w}v${h}h${-w}z`;
    const vertices = this.panel.vertices.filter(({ thing }) => after.has(`vertex/${thing}`));
    const found = vertices.map(({ thing, name, w }): Target => {
      const [x, y] = spots.get(`vertex/${thing}`)!;
      return { key: `vertex/${thing}`, title: name, d: box(x - w / 2, y - 22, w, 44), at: [x, y] };
    });
    const called = new Map(vertices.map(({ thing, name }) => [thing, name]));
    const faces = technique !== "face" ? [] : [...after.keys()].filter((key) => key.startsWith("face/"));
    for (const key of faces) {
      const [tail, head] = key.slice(5).split("/") as [string, string];
      if (!isInterior(tail) || !isInterior(head)) continue;
      const points = laneOf(tail, head, context.opened(tail.split(".")[1]!), context);
      const [x, y, ...rest] = points;
      const title = `face from ${symbol(this.panel, tail)} to ${symbol(this.panel, head)}`;
      found.push({ key, title, d: `M${x} ${y}C${rest.join(" ")}`, at: [points[10]!, points[11]!] });
    }
    for (const thing of labels(after)) {
      const { x, y, w, h } = frameOf(thing, context);
      const [tail, head] = thing.split(".").map((end) => called.get(end) ?? end);
      const title = `${symbol(this.panel, thing)}, edge from ${tail} to ${head}: ${told(after.get(`node/${thing}`))}`;
      if (technique !== "edge") found.push({ key: `edge/${thing}`, title, d: box(x - w / 2, y - h / 2, w, h), at: [x, y] });
      else for (const [sort, side] of [["back", -1], ["front", 1]] as const)
        found.push({ key: `${sort}/${thing}`, title: `${sort} of ${title}`, d: box(x - (side < 0 ? w / 2 : 0), y - h / 2, w / 2, h), at: [x + (side * w) / 4, y] });
    }
    return found;
  }

  /** The thing that is nearest to a place, or the nearest in a direction. */
  #nearest([x, y]: readonly [number, number], way: readonly [number, number] | null = null): SVGElement | null {
    const far = ([u, v]: readonly [number, number]): number => {
      if (!way) return Math.hypot(u - x, v - y);
      const along = (u - x) * way[0] + (v - y) * way[1];
      return along > 1 ? along + 2 * Math.abs((u - x) * way[1] + (v - y) * way[0]) : Infinity;
    };
    const [best] = [...this.#middles].map(([key, at]) => ({ key, far: far(at) })).filter((each) => each.far < Infinity).sort((one, other) => one.far - other.far);
    return best ? this.#targets.querySelector(`[data-key="${best.key}"]`) : null;
  }

  #key(event: KeyboardEvent): void {
    const key = closest(event, "[data-key]")?.dataset["key"];
    const way = WAYS[event.key];
    if (event.key === "Enter") this.#choose(event);
    if (!way || key === undefined) return;
    event.preventDefault();
    this.#nearest(this.#middles.get(key)!, way)?.focus({ preventScroll: true });
  }

  #choose(event: Event): void {
    const key = closest(event, "[data-key]")?.dataset["key"];
    if (key === undefined) return;
    event.stopPropagation();
    const at = key.indexOf("/");
    const [sort, thing] = [key.slice(0, at) as Sort, key.slice(at + 1)];
    if (this.context.take?.(sort, thing)) return;
    if (sort === "vertex") return this.context.select([this.#numberOf(thing)]);
    if (this.#vertices.length) this.context.select([]);
    this.#all((each) => each.#keep(thing));
  }

  #leave(): void {
    this.context.select([]);
    this.#all((each) => each.#keep(null));
  }

  #all(act: (panel: EliminationPanel) => void): void {
    companions.get(this.context.scene)?.forEach(act);
  }

  #keep(thing: string | null): void {
    this.#chosen = thing;
    this.#mark();
  }

  #light(key?: string): void {
    for (const element of this.#targets.children) setAttribute(element, "data-lit", key !== undefined && (element as SVGElement).dataset["key"] === key ? "" : null);
  }

  /** The name of a vertex in the selection. */
  #numberOf(thing: string): number {
    return this.panel.vertices.find((vertex) => vertex.thing === thing)?.node ?? Number(thing);
  }

  #mark(): void {
    for (const element of this.#targets.children) {
      const [sort, ...rest] = (element as SVGElement).dataset["key"]!.split("/");
      const isMarked = sort === "vertex" ? this.#vertices.includes(this.#numberOf(rest[0]!)) : rest.join("/") === this.#chosen;
      setAttribute(element, "data-mark", isMarked ? "selected" : null);
    }
  }
}
