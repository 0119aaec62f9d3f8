// The picture of one opened scope: drawing, looking around, the keyboard's place in it, and marks.

import {
  type Camera, type Point, type Size, between, bringIn, filling, fit, isInView, opening, pan, transform, zoomAt,
} from "./camera.js";
import { closest, html, prefersStill, setAttribute, svg } from "./dom.js";
import { Gestures } from "./gestures.js";
import type { Mark, Marks } from "./marks.js";
import type { GraphPanel, Item } from "./scene.js";
import { drawEdge, drawItem, squeeze } from "./shapes.js";
import { type Direction, type Trail, inReadingOrder, walk } from "./walk.js";

export interface PictureEvents {
  /** An item was clicked or taken by keyboard; null: the empty ground was. */
  choose(item: Item | null, extend: boolean): void;
  open(item: Item): void;
  leave(): void;
  hover(item: Item | null): void;
  /** The picture got a size, at first or another one. */
  resized(): void;
}

/** Where a new picture comes from: out of an item of the old one, back to an item of its own, or in the old one's place. */
export type Entrance = { outOf: string } | { backTo: string } | "inPlace" | null;

const DURATION = 180;
const ZOOM_STEP = 1.3;
/** Below this scale the second lines of labels are left out, as nobody can read them. */
const FAR = 0.5;
const HINT = "Click the picture, then turn the wheel to zoom. Or hold Ctrl (⌘) and turn it.";

/** The marks as they are told to a screen reader, after the name of an item. */
const SPOKEN: Record<NonNullable<Mark>, string> = {
  selected: "selected", contains: "holds selected nodes", feeds: "feeds the selected", fed: "fed by the selected", path: "on a path",
};

const ARROWS: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

const KEYS: Record<string, (picture: Picture, event: KeyboardEvent) => void> = {
  Enter: (picture, { shiftKey }) => picture.take(shiftKey ? "extend" : "open"),
  " ": (picture, { shiftKey }) => picture.take(shiftKey ? "extend" : "choose"),
  Backspace: ({ events }) => events.leave(),
  Escape: ({ events }) => events.leave(),
  Home: (picture) => picture.goTo(picture.ordered[0]),
  End: (picture) => picture.goTo(picture.ordered.at(-1)),
  f: (picture) => picture.fit(),
  "+": (picture) => picture.zoom(ZOOM_STEP),
  "=": (picture) => picture.zoom(ZOOM_STEP),
  "-": (picture) => picture.zoom(1 / ZOOM_STEP),
};

export class Picture {
  readonly element: HTMLElement;
  readonly #surface: SVGSVGElement;
  readonly #hint: HTMLElement;
  readonly #gestures: Gestures;
  #world: SVGGElement = svg("g");
  #elements = new Map<string, SVGGElement>();
  #edges = new Map<string, SVGGElement>();
  #items = new Map<string, Item>();
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #cameras = new Map<number, Camera>();
  #looked = false;
  #glide = 0;
  #hintTimer: ReturnType<typeof setTimeout> | undefined;
  #focused = "";
  #trail: Trail | null = null;
  ordered: Item[] = [];

  constructor(public panel: GraphPanel, readonly events: PictureEvents, readonly signal: AbortSignal) {
    this.#surface = svg("svg", { class: "adviz-surface", role: "application", "aria-roledescription": "graph" }, this.#world);
    this.#hint = html("div", { class: "adviz-hint", "aria-hidden": "true" }, HINT);
    this.element = html("div", { class: "adviz-picture" }, this.#surface, this.#hint, this.#controls());
    this.#gestures = new Gestures(this.#surface, {
      pan: (dx, dy) => this.#look(pan(this.#camera, dx, dy)),
      zoom: (factor, at) => this.#look(zoomAt(this.#camera, factor, at)),
      scrolledPast: () => this.#showHint(),
    }, signal);
    this.#listen();
    this.#observeSize();
    this.show(panel, null);
  }

  #controls(): HTMLElement {
    const button = (label: string, sign: string, act: () => void): HTMLElement => {
      const element = html("button", { type: "button", class: "adviz-control", title: label, "aria-label": label }, sign);
      element.addEventListener("click", act, { signal: this.signal });
      return element;
    };
    return html("div", { class: "adviz-controls", role: "group", "aria-label": "Zoom" },
      button("Zoom out (−)", "−", () => this.zoom(1 / ZOOM_STEP)),
      button("Zoom in (+)", "+", () => this.zoom(ZOOM_STEP)),
      button("Fit the picture (f)", "Fit", () => this.fit()));
  }

  #listen(): void {
    const { signal } = this;
    const on = <K extends keyof SVGElementEventMap>(type: K, handle: (event: SVGElementEventMap[K]) => void): void =>
      this.#surface.addEventListener(type, handle as EventListener, { signal });
    on("click", (event) => this.#click(event));
    on("dblclick", (event) => {
      const item = this.#at(event);
      if (item?.kind === "scope") this.events.open(item);
    });
    on("pointerover", (event) => { if (!this.#gestures.dragged || !event.buttons) this.events.hover(this.#at(event)); });
    on("pointerleave", () => this.events.hover(null));
    on("focusin", (event) => this.#focusedOn(this.#at(event)));
    on("focusout", () => this.events.hover(null));
    on("keydown", (event) => this.#key(event));
  }

  #observeSize(): void {
    const resized = (): void => {
      if (!this.#looked) this.#set(opening(this.panel, this.size));
      this.#fitLabels();
      this.events.resized();
    };
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(resized);
    observer.observe(this.element);
    this.signal.addEventListener("abort", () => {
      observer.disconnect();
      cancelAnimationFrame(this.#glide);
      clearTimeout(this.#hintTimer);
    }, { once: true });
  }

  get size(): Size {
    const { clientWidth, clientHeight } = this.element;
    return { width: clientWidth || 640, height: clientHeight || 400 };
  }

  /** Put another opened scope on the surface. */
  show(panel: GraphPanel, entrance: Entrance): void {
    const old = this.panel;
    if (this.#looked) this.#cameras.set(old.scope, this.#camera);
    const from = this.#entranceCamera(panel, entrance);
    this.panel = panel;
    this.#draw();
    const keeps = entrance === "inPlace" && old.width === panel.width && old.height === panel.height;
    const known = keeps ? this.#camera : this.#cameras.get(panel.scope);
    const target = known ?? opening(panel, this.size);
    this.#looked = known !== undefined;
    this.#rove(this.ordered.find((item) => isInView(target, item, this.size)) ?? this.ordered[0]);
    this.#fitLabels();
    if (from && !prefersStill()) {
      this.#set(from(this));
      this.#world.classList.add("adviz-entering");
      this.#glideTo(target);
    } else this.#set(target);
  }

  /** Where the eye is when a new picture comes in: at the item that was opened, or inside the one it comes back to. */
  #entranceCamera(panel: GraphPanel, entrance: Entrance): ((picture: Picture) => Camera) | null {
    if (entrance === null || entrance === "inPlace") return null;
    if ("outOf" in entrance) {
      const item = this.#items.get(entrance.outOf);
      const camera = item && filling(panel, this.#onScreen(item));
      return camera ? () => camera : null;
    }
    const item = panel.nodes.find(({ key }) => key === entrance.backTo);
    if (!item) return null;
    return ({ size }) => {
      const scale = Math.min(size.width / item.w, size.height / item.h, 4);
      return { scale, x: size.width / 2 - scale * item.x, y: size.height / 2 - scale * item.y };
    };
  }

  #onScreen({ x, y, w, h }: Item): Point & { w: number; h: number } {
    const { scale } = this.#camera;
    return { x: scale * x + this.#camera.x, y: scale * y + this.#camera.y, w: scale * w, h: scale * h };
  }

  #draw(): void {
    const { nodes, edges, path } = this.panel;
    this.#items = new Map(nodes.map((item) => [item.key, item]));
    this.#elements = new Map(nodes.map((item) => [item.key, drawItem(item)]));
    this.#edges = new Map(edges.map((edge) => [edge.key, drawEdge(edge)]));
    this.ordered = inReadingOrder(this.panel);
    this.#trail = null;
    const world = svg("g", { class: "adviz-world" },
      svg("g", { "aria-hidden": "true" }, ...this.#edges.values()),
      svg("g", {}, ...this.ordered.map(({ key }) => this.#elements.get(key)!)));
    this.#world.replaceWith(world);
    this.#world = world;
    const name = path.at(-1)?.label ?? "";
    setAttribute(this.#surface, "aria-label", `Graph of ${name}: ${nodes.length} items. Arrow keys walk along its edges.`);
    this.#focused = "";
  }

  #fitLabels(): void {
    if (!this.element.isConnected || !this.element.clientWidth) return;
    squeeze([...this.#world.querySelectorAll<SVGTextElement>("text[data-room]")]);
  }

  /** Mark items and edges for the selection. */
  mark({ items, edges }: Marks): void {
    for (const [key, element] of this.#elements) {
      const mark = items.get(key) ?? null;
      setAttribute(element, "data-mark", mark);
      setAttribute(element, "aria-label", [this.#items.get(key)!.title, mark && SPOKEN[mark]].filter(Boolean).join(", "));
    }
    for (const [key, element] of this.#edges) setAttribute(element, "data-mark", edges.get(key) ?? null);
    const related = [...items.values()].some((mark) => mark !== null && mark !== "selected" && mark !== "contains");
    this.#surface.classList.toggle("adviz-related", related);
  }

  /** Hint at items without selecting them. */
  preview(keys: ReadonlySet<string>): void {
    for (const [key, element] of this.#elements) element.classList.toggle("adviz-preview", keys.has(key));
  }

  /** Move the keyboard's place to an item, and the focus with it. */
  goTo(item: Item | undefined): void {
    if (!item) return;
    this.#rove(item);
    this.bringIn(item.key);
    this.#elements.get(item.key)?.focus({ preventScroll: true });
  }

  get hasFocus(): boolean {
    return this.#surface.contains((this.#surface.getRootNode() as Document | ShadowRoot).activeElement ?? null);
  }

  /** Give the focus to an item, or to where the keyboard was; this looks nowhere else. */
  focus(key?: string): void {
    this.#rove(this.#items.get(key ?? ""));
    this.#elements.get(this.#focused)?.focus({ preventScroll: true });
  }

  /** Look to where an item can be seen. */
  bringIn(key: string): void {
    const item = this.#items.get(key);
    if (!item) return;
    const camera = bringIn(this.#camera, item, this.size);
    if (camera.x !== this.#camera.x || camera.y !== this.#camera.y) this.#look(camera, true);
  }

  /** Act on the keyboard's item. */
  take(how: "open" | "choose" | "extend"): void {
    const item = this.#items.get(this.#focused);
    if (!item) return;
    if (how === "open" && item.kind === "scope") this.events.open(item);
    else this.events.choose(item, how === "extend");
  }

  fit(): void {
    this.#look(fit(this.panel, this.size), true);
  }

  zoom(factor: number): void {
    const { width, height } = this.size;
    this.#look(zoomAt(this.#camera, factor, { x: width / 2, y: height / 2 }), true);
  }

  #at(event: Event): Item | null {
    return this.#items.get(closest(event, "[data-key]")?.dataset["key"] ?? "") ?? null;
  }

  #click(event: MouseEvent): void {
    if (this.#gestures.dragged) return;
    const item = this.#at(event);
    if (item && closest(event, "[data-open]")) return this.events.open(item);
    if (item) this.goTo(item);
    else this.focus();
    this.events.choose(item, event.shiftKey);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = ARROWS[event.key];
    const act = KEYS[event.key];
    if (!direction && !act) return;
    event.preventDefault();
    if (direction) this.#step(direction);
    else act!(this, event);
  }

  #step(direction: Direction): void {
    const at = this.#items.get(this.#focused);
    const next = at && walk(this.panel, at, direction, this.#trail);
    if (!at || !next) return;
    if (direction === "up" || direction === "down") this.#trail = { from: at.key, direction };
    this.goTo(next);
  }

  #focusedOn(item: Item | null): void {
    if (item) this.#rove(item);
    // A screen reader may put the focus anywhere. A press does too, and what is under a pointer must not move away.
    if (item && !this.#gestures.pressed) this.bringIn(item.key);
    this.events.hover(item);
  }

  /** Make an item the one tab stop of the picture. */
  #rove(item: Item | undefined): void {
    if (!item || item.key === this.#focused) return;
    this.#elements.get(this.#focused)?.setAttribute("tabindex", "-1");
    this.#elements.get(item.key)?.setAttribute("tabindex", "0");
    this.#focused = item.key;
  }

  #look(camera: Camera, smooth = false): void {
    this.#looked = true;
    if (smooth && !prefersStill()) this.#glideTo(camera);
    else this.#set(camera);
  }

  #set(camera: Camera): void {
    cancelAnimationFrame(this.#glide);
    this.#place(camera);
  }

  #place(camera: Camera): void {
    this.#camera = camera;
    this.#world.setAttribute("transform", transform(camera));
    this.#surface.classList.toggle("adviz-far", camera.scale < FAR);
  }

  #glideTo(target: Camera): void {
    cancelAnimationFrame(this.#glide);
    const from = this.#camera;
    let start: number | null = null;
    const frame = (now: number): void => {
      start ??= now;
      const t = Math.min(1, (now - start) / DURATION);
      this.#place(between(from, target, 1 - (1 - t) ** 3));
      if (t < 1) this.#glide = requestAnimationFrame(frame);
    };
    this.#glide = requestAnimationFrame(frame);
  }

  #showHint(): void {
    clearTimeout(this.#hintTimer);
    this.#hint.classList.add("adviz-shown");
    this.#hintTimer = setTimeout(() => this.#hint.classList.remove("adviz-shown"), 1600);
  }
}
