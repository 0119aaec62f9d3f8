// The picture of one opened scope: drawing, camera, keyboard focus, and marks.

import {
  type Box,
  type Camera,
  READABLE,
  type Size,
  around,
  beyond,
  bringIn,
  centerOn,
  filled,
  filling,
  fit,
  hasRoom,
  isInView,
  isWholeInView,
  onScreen,
  opening,
  pan,
  transform,
  zoomAt,
} from "./camera.js";
import { Gestures } from "./gestures.js";
import type { Mark, Marks } from "./relations.js";
import { drawGroup } from "./op-shapes.js";
import { edgeLook, itemLook } from "./paints.js";
import { type Drawn, type Parts, drawEdge, drawItem, drawOpener, edgeMarks, partsOf, squeeze } from "./shapes.js";
import { Viewpoint } from "./viewpoint.js";
import { type Direction, type Trail, inReadingOrder, walk } from "./walk.js";
import type { Edge, GraphPanel, Item } from "../scene/scene.js";
import { atEnd, closest, focusedIn, html, isModified, listen, onResize, prefersStill, setAttribute, svg } from "../ui/dom.js";

interface PictureEvents {
  /** An item was clicked or chosen by keyboard; null: the background was. */
  choose(item: Item | null, extend: boolean): void;
  open(item: Item): void;
  leave(): void;
  hover(item: Item | null): void;
  /** The picture got a size, at first or another one. */
  resized(): void;
}

/** A scope that is drawn in another way. */
export interface Styled extends GraphPanel {
  readonly draw?: { item(item: Item): Drawn; edge(edge: Edge): Drawn; frames(): SVGElement[] };
}

/** Where a new picture comes from: out of an item of the old one, back to an item of its own, or in its place. */
export type Entrance = { outOf: string } | { backTo: string } | "inPlace" | null;

const WORDS = ".adviz-label:not([data-fitted]), .adviz-detail:not([data-fitted])";
const ZOOM_STEP = 1.3;
/** Below these scales the second lines, and then all words, are left out, being illegible. */
const FAR = 0.5;
const FARTHER = 0.3;
const HINT = "Click the picture, then turn the wheel to zoom. Or hold Ctrl (⌘) and turn it.";
const HINT_TIME = 1800;

/** The marks as a screen reader says them, after the name of an item. */
const SPOKEN: Record<NonNullable<Mark>, string> = {
  selected: "selected",
  contains: "holds selected nodes",
  feeds: "feeds the selected",
  fed: "fed by the selected",
  path: "on a path",
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
  /** The items from top to bottom. */
  ordered: Item[] = [];
  readonly surface = svg("svg.adviz-surface", { role: "application", "aria-roledescription": "graph" });
  readonly #hint = html("div.adviz-hint", { "aria-hidden": "true" }, HINT);
  readonly #gestures: Gestures;
  readonly #view = new Viewpoint((camera) => this.#moved(camera));
  /** The last camera of each scope, restored on return. */
  readonly #cameras = new Map<number, Camera>();
  #world = svg("g");
  #nodes = new Map<string, Drawn>();
  #edges = new Map<string, Drawn>();
  #items = new Map<string, Item>();
  #focused = "";
  /** Whether the camera moved only to follow something. */
  #followed = false;
  #hovered: Item | null = null;
  #trail: Trail | null = null;
  #hintTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    public panel: Styled,
    readonly events: PictureEvents,
    readonly signal: AbortSignal,
    /** Down to this scale a picture opens as a whole; else in one that can be read. */
    private whole = READABLE,
    private readable = READABLE,
  ) {
    this.surface.append(this.#world);
    this.element = html("div.adviz-picture", this.surface, this.#hint, this.#controls());
    this.#gestures = new Gestures(
      this.surface,
      {
        pan: (dx, dy) => this.#view.look(pan(this.#view.camera, dx, dy), "jump"),
        zoom: (factor, at) => this.#view.look(zoomAt(this.#view.camera, factor, at), "jump"),
        scrolledPast: () => this.#showHint(),
      },
      signal,
    );
    this.#listen();
    this.#observeSize();
    atEnd(signal, () => {
      this.#view.stop();
      clearTimeout(this.#hintTimer);
    });
    this.show(panel, null);
  }

  get size(): Size {
    const { clientWidth, clientHeight } = this.element;
    return { width: clientWidth || 640, height: clientHeight || 400 };
  }

  /** What moves with the pictured world: things are added here to lie above it. */
  get world(): SVGGElement {
    return this.#world;
  }

  /** The item that has the keyboard focus, or would get it. */
  get keyboard(): Element {
    return this.node(this.#focused) ?? this.surface;
  }

  node(key: string): SVGGElement | undefined {
    return this.#nodes.get(key)?.element;
  }

  edge(key: string): SVGGElement | undefined {
    return this.#edges.get(key)?.element;
  }

  /** Draw parts of an item or an edge anew. */
  put(key: string, parts: Parts): void {
    (this.#nodes.get(key) ?? this.#edges.get(key))!.put(parts);
  }

  /** The camera that the reader chose; null where the picture chose. */
  get chosenCamera(): Camera | null {
    return this.#view.chosen ? this.#view.target : null;
  }

  lookFrom(camera: Camera): void {
    this.#view.look(camera, "jump");
  }

  /** Open in a scale that can be read from where the reader is now. */
  openAt(whole: number, readable = READABLE): void {
    [this.whole, this.readable] = [whole, readable];
    this.#view.chosen = this.#followed = false;
    this.#view.jump(this.#opening());
  }

  #opening(panel = this.panel): Camera {
    return opening(panel, this.size, this.whole, this.readable);
  }

  get hasFocus(): boolean {
    return focusedIn(this.surface) !== null;
  }

  /** Put an opened scope on the surface. */
  show(panel: Styled, entrance: Entrance): void {
    const old = this.panel;
    if (this.#view.chosen) this.#cameras.set(old.scope, this.#view.target);
    const from = this.#entrance(panel, entrance);
    this.panel = panel;
    this.#draw();
    const stays = entrance === "inPlace" && old.width === panel.width && old.height === panel.height;
    const known = stays ? this.#view.target : this.#cameras.get(panel.scope);
    const target = known ?? this.#opening(panel);
    this.#view.chosen = known !== undefined;
    this.#rove(this.ordered.find((item) => isInView(target, item, this.size)) ?? this.ordered[0]);
    this.fitWords();
    this.#view.jump(from ?? target);
    this.#world.classList.toggle("adviz-entering", from !== null);
    if (from) this.#view.glide(target);
  }

  /** Where the eye is as a new picture comes in: at the item that was opened, or inside the one it comes back to. */
  #entrance(panel: GraphPanel, entrance: Entrance): Camera | null {
    if (entrance === null || entrance === "inPlace" || prefersStill()) return null;
    if ("outOf" in entrance) {
      const item = this.#items.get(entrance.outOf);
      return item ? filling(panel, onScreen(this.#view.camera, item)) : null;
    }
    const item = panel.nodes.find(({ key }) => key === entrance.backTo);
    return item ? filled(item, this.size) : null;
  }

  #draw(): void {
    const { nodes, edges, path, groups = [], draw } = this.panel;
    this.#items = new Map(nodes.map((item) => [item.key, item]));
    this.#nodes = new Map(nodes.map((item) => [item.key, draw?.item(item) ?? drawItem(item, partsOf(item, itemLook(item, {})), item.kind === "scope" ? [drawOpener(item)] : [])]));
    this.#edges = new Map(edges.map((edge) => [edge.key, draw?.edge(edge) ?? drawEdge(edge, edgeMarks(edge, edgeLook(edge)))]));
    this.ordered = inReadingOrder(this.panel);
    this.#trail = null;
    this.#focused = "";
    this.#hovered = null;
    const world = svg(
      "g.adviz-world",
      ...(groups.length ? [svg("g", { "aria-hidden": "true" }, ...groups.map(drawGroup))] : []),
      svg("g", { "aria-hidden": "true" }, ...edges.map(({ key }) => this.edge(key)!), ...(draw?.frames() ?? [])),
      svg("g", ...this.ordered.map(({ key }) => this.node(key)!)),
    );
    this.#world.replaceWith(world);
    this.#world = world;
    const name = path.at(-1)?.label ?? "";
    const words = `Graph of ${name}: ${nodes.length} items. Arrow keys walk along its edges.`;
    setAttribute(this.surface, "aria-label", words);
  }

  /** Let words fit their items; those of other pictures have been measured. */
  fitWords(): void {
    const waiting = this.panel.draw ? [] : [...this.#world.querySelectorAll<SVGTextElement>(WORDS)];
    if (!waiting.length || !this.element.isConnected || !this.element.clientWidth) return;
    squeeze(waiting.map((text) => [text, this.#items.get(text.parentElement!.dataset["key"]!)!.w - 16]));
  }

  /** Mark items and edges for the selection. */
  mark({ items, edges }: Marks): void {
    for (const [key, { element }] of this.#nodes) {
      const mark = items.get(key) ?? null;
      setAttribute(element, "data-mark", mark);
      const words = [this.#items.get(key)!.title, mark && SPOKEN[mark]].filter(Boolean);
      setAttribute(element, "aria-label", words.join(", "));
    }
    for (const [key, { element }] of this.#edges) setAttribute(element, "data-mark", edges.get(key) ?? null);
    const related = [...items.values()].some((mark) => mark !== "selected" && mark !== "contains");
    this.surface.classList.toggle("adviz-related", related);
  }

  /** Hint at items without selecting them. */
  preview(keys: ReadonlySet<string>): void {
    for (const [key, { element }] of this.#nodes) element.classList.toggle("adviz-preview", keys.has(key));
  }

  /** Move the focus to an item, and the camera with it. */
  goTo(item: Item | undefined): void {
    if (!item) return;
    this.focus(item.key);
    this.bringIn(item.key);
  }

  /** Give the focus to an item, or to where the keyboard was. */
  focus(key?: string): void {
    this.#rove(this.#items.get(key ?? ""));
    this.node(this.#focused)?.focus({ preventScroll: true });
  }

  /** Move the camera so that an item is in sight. */
  bringIn(key: string): void {
    const item = this.#items.get(key);
    if (item) this.#bringIn(item);
  }

  #bringIn(box: Box): void {
    const { target } = this.#view;
    // What is laid out for the window is all in sight, up to its edge.
    if (this.panel.draw && !this.#view.chosen) return;
    const camera = bringIn(target, box, this.size);
    if (camera.x !== target.x || camera.y !== target.y) this.#view.look(camera, "glide");
  }

  /** Look to where items are, unless they are in sight; the first counts where there is no room for all. */
  follow(keys: readonly string[], isCentered = false): void {
    const items = keys.map((key) => this.#items.get(key)).filter((item) => item !== undefined);
    const needed = isCentered && items.length && !hasRoom(this.#view.target, around(items), this.size) ? items.slice(0, 1) : items;
    if (needed.every((item) => isWholeInView(this.#view.target, item, this.size))) return;
    this.#followed ||= !this.#view.chosen;
    if (isCentered) return this.#view.look(centerOn(this.#view.target, around(needed), this.panel, this.size), "glide");
    this.#bringIn(around(items));
    this.#bringIn(items[0]!);
  }

  /** Look from where the picture was opened, if it has left there to follow something. */
  rewind(): void {
    if (!this.#followed) return;
    this.#followed = false;
    this.#view.look(this.#opening(), "glide");
    this.#view.chosen = false;
  }

  /** Act on the keyboard's item. */
  take(how: "open" | "choose" | "extend"): void {
    const item = this.#items.get(this.#focused);
    if (!item) return;
    if (how === "open" && item.kind === "scope") this.events.open(item);
    else this.events.choose(item, how === "extend");
  }

  fit(): void {
    this.#view.look(fit(this.panel, this.size), "glide");
  }

  zoom(factor: number): void {
    const { width, height } = this.size;
    this.#view.look(zoomAt(this.#view.target, factor, { x: width / 2, y: height / 2 }), "glide");
  }

  #controls(): HTMLElement {
    const button = (label: string, sign: string, act: () => void): HTMLElement => {
      const element = html("button.adviz-control", { title: label, "aria-label": label }, sign);
      listen(element, this.signal, { click: act });
      return element;
    };
    return html(
      "div.adviz-controls",
      { role: "group", "aria-label": "Zoom" },
      button("Zoom out (−)", "−", () => this.zoom(1 / ZOOM_STEP)),
      button("Zoom in (+)", "+", () => this.zoom(ZOOM_STEP)),
      button("Fit the picture (f)", "Fit", () => this.fit()),
    );
  }

  #listen(): void {
    listen(this.surface, this.signal, {
      click: (event) => this.#click(event),
      dblclick: (event) => {
        const item = this.#at(event);
        if (item?.kind === "scope") this.events.open(item);
      },
      pointerover: (event) => this.#gestures.pressed || this.#hover(this.#at(event)),
      pointerleave: () => this.#hover(null),
      focusin: (event) => this.#focusedOn(this.#at(event)),
      focusout: () => this.#hover(null),
      keydown: (event) => this.#key(event),
    });
  }

  /** Leave touches to a swipe around, unless the picture has the focus: the wheel is shared in the same way. */
  leaveSwipes(): void {
    const pointerdown = (event: PointerEvent): void => {
      if (event.pointerType === "touch" && !this.hasFocus) event.stopPropagation();
    };
    listen(this.element, this.signal, { pointerdown }, { capture: true });
  }

  #observeSize(): void {
    onResize(this.element, this.signal, () => {
      this.#view.jump(this.#view.chosen ? this.#view.target : this.#opening());
      this.fitWords();
      this.events.resized();
    });
  }

  #at(event: Event): Item | null {
    const { key, edge } = closest(event, "[data-key], [data-edge]")?.dataset ?? {};
    return this.#items.get(key ?? edge ?? "") ?? null;
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
    if (isModified(event)) return;
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
    this.#rove(item ?? undefined);
    // A screen reader may put the focus anywhere. A press does too, and what is under a pointer must not move away.
    const unseen = item && !isInView(this.#view.target, item, this.size);
    if (unseen && !this.#gestures.pressed) this.bringIn(item.key);
    this.#hover(item);
  }

  /** Report what is pointed at, once: moving on an item just chosen must not cover the choice with a preview. */
  #hover(item: Item | null): void {
    if (item === this.#hovered) return;
    this.#hovered = item;
    this.events.hover(item);
  }

  /** Make an item the one tab stop of the picture. */
  #rove(item: Item | undefined): void {
    if (!item || item.key === this.#focused) return;
    this.node(this.#focused)?.setAttribute("tabindex", "-1");
    this.node(item.key)?.setAttribute("tabindex", "0");
    this.#focused = item.key;
  }

  #moved(camera: Camera): void {
    // Measured before anything is written: that costs nothing.
    setAttribute(this.element, "data-more", beyond(camera, this.panel, this.size).join(" ") || null);
    this.#world.setAttribute("transform", transform(camera));
    this.surface.classList.toggle("adviz-far", camera.scale < FAR);
    this.surface.classList.toggle("adviz-farther", camera.scale < FARTHER);
  }

  #showHint(): void {
    clearTimeout(this.#hintTimer);
    this.#hint.classList.add("adviz-shown");
    this.#hintTimer = setTimeout(() => this.#hint.classList.remove("adviz-shown"), HINT_TIME);
  }
}
