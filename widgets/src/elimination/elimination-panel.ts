// The picture of an elimination in the Player: a graph and its line graph in one, which a slider turns into each other.

import { fly } from "./elimination-flight.js";
import { frameOf, items, laneOf, paled, roadOf } from "./elimination-marks.js";
import { type Context, labels, stand } from "./elimination-standing.js";
import { Places } from "./elimination-places.js";
import { type Beat, type State, beatsOf, duration, ownOf } from "./elimination-steps.js";
import { symbol, told } from "./elimination-values.js";
import { isInterior } from "./elimination.js";
import { ghosts } from "./ghosts.js";
import { type Lit, Linked, lit } from "../algebra/linked.js";
import { Drawing } from "../motion/drawing.js";
import type { Point } from "../motion/curves.js";
import { played } from "../motion/schedule.js";
import type { Moment, PanelContext, PlayerPanel, Sort } from "../panels/panel.js";
import type { Size } from "../picture/camera.js";
import { partOf } from "../playback/runs.js";
import type { EliminationPanel as Description, Step } from "../scene/document.js";
import { atEnd, closest, focusedIn, html, listen, onResize, prefersStill, setAttribute, svg } from "../ui/dom.js";
import { raised } from "../ui/format.js";

/** Milliseconds: the longest that a step takes, and what a change of reading takes. */
const LONGEST = 12000;
const TURNING = 900;
const WAYS: Readonly<Record<string, Point>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Panels of one show: what is pointed at or chosen in one is marked in all. */
const companions = new WeakMap<object, Set<EliminationPanel>>();

/** A letter or the name of a reference. */
const SYMBOL = /^[eX][₀-₉]/;

const keyAt = (event: Event): string => closest(event, "[data-key]")?.dataset["key"] ?? "";

export class EliminationPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly isLasting = true;
  readonly size: Size;
  readonly #drawing = new Drawing();
  readonly #ghosts = new Drawing();
  readonly #picture: SVGSVGElement;
  readonly #stage: HTMLElement;
  readonly #targets = svg("g");
  readonly #ways = svg("g", { "aria-hidden": "true" });
  readonly #air = html("div.adviz-air", { "aria-hidden": "true" });
  readonly #slider = html("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "From the graph to its line graph (m)" });
  readonly #start: State;
  #steps: readonly Step[] | null = null;
  #beats: readonly Beat[] = [];
  /** Those of the show, and those of the steps as they are. */
  readonly #places: Places;
  #own: Places;
  #cursors: readonly [from: number, to: number] = [0, 0];
  #progress = 1;
  #morph: number;
  #stop = (): void => {};
  #vertices: readonly number[] = [];
  #chosen = "";
  #aiming = false;
  #context: Context | null = null;
  readonly #middles = new Map<string, Point>();
  readonly #linked: Linked;
  /** The edges of the page that the step takes out of the graph. */
  #page: ReadonlySet<string> | null = null;
  /** By edge its way through the picture, and the name of the letter on it: where there are letters, no numbers. */
  readonly #roads = new Map<string, readonly [road: SVGElement, name: string]>();

  constructor(
    readonly panel: Description,
    readonly context: PanelContext,
  ) {
    const { scene, signal } = context;
    this.#morph = Number(panel.reading === "line graph");
    this.#start = ownOf(Object.entries(scene.start ?? {}), panel.run);
    this.#places = this.#own = new Places(panel, this.#start, beatsOf(scene.shown ?? scene.steps, panel.run));
    this.size = this.#places.least;
    for (const { element } of [this.#drawing, this.#ghosts]) element.setAttribute("aria-hidden", "true");
    this.#picture = svg("svg.adviz-flow", { role: "group", "aria-label": `The graph of ${scene.title}` }, this.#drawing.element, this.#ghosts.element, this.#ways, this.#targets);
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
    atEnd(signal, () => {
      this.#stop();
      this.#air.remove();
    });
    this.#linked = Linked.of(scene);
    this.#linked.hear((shown) => this.#link(shown), signal);
    companions.set(scene, (companions.get(scene) ?? new Set()).add(this));
    const point = (event: Event): void => this.#point(["pointerout", "focusout"].includes(event.type) ? "" : keyAt(event));
    listen(this.#slider, signal, { input: () => this.#read(Number(this.#slider.value)) });
    listen(this.#targets as unknown as HTMLElement, signal, {
      pointerover: point,
      pointerout: point,
      focusin: point,
      focusout: point,
      click: (event) => this.#choose(event),
      keydown: (event) => this.#key(event),
    });
    listen(this.#stage, signal, {
      click: () => {
        this.#linked.keep(null);
        this.context.select([]);
      },
    });
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
    const [from, to] = [this.#morph, Number(this.#morph < 0.5)];
    this.#progress = 1;
    this.#play(prefersStill() ? 0 : TURNING, (share) => this.#read(from + share * (to - from)));
  }

  show(moment: Moment): void {
    this.#know(moment.steps);
    this.#page = moment.step?.kind === "page" ? new Set(moment.step.focus.map((key) => key.slice("edge/".length))) : null;
    this.#cursors = this.#between(moment.cursor, moment.taken);
    setAttribute(this.#picture, "aria-description", moment.words ?? null);
    this.#play(moment.speed ? this.duration(moment) / moment.speed : 0, (progress) => this.#draw(progress));
  }

  /** Show what a move would do to what stands there. */
  foresee(steps: readonly Step[]): void {
    const [, to] = this.#cursors;
    const context = this.#context;
    if (!steps.length || !context || this.#progress < 1) return this.#ghosts.show([]);
    const beats = beatsOf([...this.#steps!.slice(0, to), ...steps], this.panel.run);
    const { places } = new Places(this.panel, this.#start, beats, this.#places).on(this.#room);
    this.#ghosts.show(ghosts(context, beats.slice(to), places));
  }

  mark(nodes: readonly number[]): void {
    this.#vertices = nodes;
    this.#chosen = "";
    this.#mark();
  }

  #play(total: number, act: (share: number) => void): void {
    this.#stop();
    this.#stop = played(total, act);
  }

  // ---- what is known ----

  /** The steps may be those of the reader's own order. */
  #know(steps: readonly Step[]): void {
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.#beats = beatsOf(steps, this.panel.run);
    const { scene } = this.context;
    this.#own = steps === (scene.shown ?? scene.steps) ? this.#places : new Places(this.panel, this.#start, this.#beats, this.#places);
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

  /** The size of the stage. */
  get #room(): Size {
    const { clientWidth: width, clientHeight: height } = this.#stage;
    return width && height ? { width, height } : this.#places.size;
  }

  #draw(progress: number): void {
    this.#progress = progress;
    this.#slider.value = String(this.#morph);
    const placed = this.#own.on(this.#room);
    const context = stand(placed, this.#start, this.#beats, ...this.#cursors, progress, this.#morph);
    this.#context = context;
    const drawn = this.#page ? paled(items(context), this.#page) : items(context);
    this.#drawing.show(drawn.flatMap(({ marks }) => marks));
    this.#ghosts.show([]);
    setAttribute(this.#picture, "viewBox", `0 0 ${placed.width} ${placed.height}`);
    fly(this.#air, this.#picture, context, (vertex) => this.#numberOf(`vertex/${vertex}`));
    if (progress >= 1) this.#aim(context);
  }

  // ---- pointing ----

  #point(key: string): void {
    this.#all((each) => each.#light(key));
    if (this.#aiming) return;
    this.#linked.point(this.#litOf(key));
    const [sort, ...things] = key.split("/") as [Sort, ...string[]];
    this.context.foresee?.(key ? sort : null, things.join("/"));
  }

  /** Have something to point at over everything that is there. */
  #aim(context: Context): void {
    const { after, spots } = context;
    const { technique } = this.context.scene.own ?? {};
    const had = (focusedIn(this.#targets) as SVGElement | null)?.dataset["key"];
    // What is put in the place of something is not pointed at by the reader.
    this.#aiming = true;
    const left = this.#middles.get(had ?? "");
    this.#middles.clear();
    this.#roads.clear();
    this.#targets.replaceChildren();
    this.#ways.replaceChildren();
    const add = (key: string, title: string, d: string, at: Point): void => {
      this.#middles.set(key, at);
      this.#targets.append(svg("path", { role: "button", "data-key": key, "data-sort": key.split("/")[0], d, "aria-label": title, tabindex: this.#middles.size > 1 ? -1 : 0 }));
    };
    const box = (x: number, y: number, w: number, h: number): string => `M${x - w / 2} ${y - h / 2}h${w}v${h}h${-w}z`;
    for (const { thing, name, w } of context.panel.vertices) {
      if (!after.has(`vertex/${thing}`)) continue;
      const [x, y] = spots.get(`vertex/${thing}`)!;
      add(`vertex/${thing}`, name, box(x, y, w, 44), [x, y]);
    }
    for (const key of technique === "face" ? after.keys() : []) {
      const [sort, tail, head] = key.split("/") as [string, string, string];
      if (sort !== "face" || !isInterior(tail) || !isInterior(head)) continue;
      const [x, y, ...rest] = laneOf(tail, head, context.opened(tail.split(".")[1]!), context);
      add(key, `face from ${symbol(this.panel, tail)} to ${symbol(this.panel, head)}`, `M${x} ${y}C${rest}`, [(rest[4]! + rest[10]!) / 2, (rest[5]! + rest[11]!) / 2]);
    }
    for (const thing of labels(after)) {
      const { x, y, w, h } = frameOf(thing, context);
      const value = after.get(`node/${thing}`);
      const isLetter = typeof value === "string" && this.panel.fixed && SYMBOL.test(value);
      const title = isLetter ? value : `${symbol(this.panel, thing)} = ${told(value)}`;
      if (isLetter) {
        const road = svg("path", { class: "adviz-road", d: roadOf(thing, context) });
        this.#roads.set(thing, [road, raised(value)]);
        this.#ways.append(road);
      }
      if (technique !== "edge") add(`edge/${thing}`, title, box(x, y, w, h), [x, y]);
      else
        for (const [sort, side] of [["back", -1], ["front", 1]] as const)
          add(`${sort}/${thing}`, `${sort} of ${title}`, box(x + (side * w) / 4, y, w / 2, h), [x + (side * w) / 4, y]);
    }
    // The focus stays, or goes to what is nearest to what has gone.
    if (had !== undefined) (this.#target(had) ?? this.#nearest(left!))?.focus({ preventScroll: true });
    this.#aiming = false;
    this.#mark();
    this.#link(this.#linked.lit);
  }

  // ---- letters ----

  /** What pointing at a letter lights: its edge, and all that have the same letter. */
  #litOf(key: string): Lit | null {
    const thing = key.slice("edge/".length);
    const name = this.#roads.get(thing)?.[1];
    return name ? lit([thing], [name]) : null;
  }

  #link({ edges, names }: Lit): void {
    for (const [thing, [road, name]] of this.#roads) {
      const how = edges.has(thing) ? "edge" : names.has(name) ? "copy" : null;
      setAttribute(road, "data-lit", how);
      setAttribute(this.#target(`edge/${thing}`)!, "data-linked", how);
    }
  }

  #target(key: string): SVGElement | null {
    return this.#targets.querySelector(`[data-key="${key}"]`);
  }

  /** The thing that is nearest to a place, or the nearest in a direction. */
  #nearest([x, y]: Point, [right, down]: Point = [0, 0]): SVGElement | null {
    let [best, least] = ["", Infinity];
    for (const [key, [u, v]] of this.#middles) {
      const along = (u - x) * right + (v - y) * down;
      const far = Math.hypot(u - x, v - y) + 2 * Math.abs((u - x) * down + (v - y) * right);
      if (far < least && (along > 1 || !(right || down))) [best, least] = [key, far];
    }
    return this.#target(best);
  }

  #key(event: KeyboardEvent): void {
    const way = WAYS[event.key];
    if (event.key === "Enter") this.#choose(event);
    if (!way) return;
    event.preventDefault();
    this.#nearest(this.#middles.get(keyAt(event))!, way)?.focus({ preventScroll: true });
  }

  #choose(event: Event): void {
    const key = keyAt(event);
    event.stopPropagation();
    const [sort, ...things] = key.split("/") as [Sort, ...string[]];
    if (this.context.take?.(sort, things.join("/"))) return;
    this.#linked.keep(this.#litOf(key));
    this.context.select(sort === "vertex" ? [this.#numberOf(key)] : []);
    if (sort !== "vertex") this.#all((each) => each.#keep(key));
  }

  #all(act: (panel: EliminationPanel) => void): void {
    companions.get(this.context.scene)?.forEach(act);
  }

  #keep(key: string): void {
    this.#chosen = key;
    this.#mark();
  }

  #light(key: string): void {
    for (const element of this.#targets.children) element.toggleAttribute("data-lit", element.getAttribute("data-key") === key);
  }

  /** The name of a vertex in the selection. */
  #numberOf(key: string): number {
    const thing = key.slice("vertex/".length);
    return this.panel.vertices.find((vertex) => vertex.thing === thing)?.node ?? Number(thing);
  }

  #mark(): void {
    for (const element of this.#targets.children) {
      const key = element.getAttribute("data-key")!;
      const isMarked = key === this.#chosen || (key.startsWith("vertex/") && this.#vertices.includes(this.#numberOf(key)));
      setAttribute(element, "data-mark", isMarked ? "selected" : null);
    }
  }
}
