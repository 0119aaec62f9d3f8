// The elimination panel: a c-graph or its line graph while moves change it. All that will ever be there has its place
// from the start, so that nothing moves; what is there at a cursor is shown, and what the step took away as a ghost.

import { LABEL, type Union, addLine, endKeysOf, huesOf, isOfEdges, parted, pictured, viaOf } from "./elimination-picture.js";
import { type Moment, type PanelContext, type PlayerPanel, type Sort, focusOf, signList } from "../panels/panel.js";
import type { Mark } from "../picture/relations.js";
import { Motion } from "../picture/motion.js";
import { Picture } from "../picture/picture.js";
import { partOf } from "../playback/runs.js";
import type { Stage } from "../playback/stage.js";
import type { EliminationPanel as Description, Item, Part, Step } from "../scene/scene.js";
import { type SmallArray, alike, exact, short } from "../scene/values.js";
import { atEnd, html, setAttribute, svg } from "../ui/dom.js";

/** Characters that these and the nodes of a line graph have room for. */
const MOST = 9;
/** Pixels by which twins without a place of their own are shifted. */
const ASIDE = 11;
/** Down to this scale, at which labels can be read, a show is seen whole; else in part, following the steps. */
const WHOLE = 0.5;
/** Products of a coarse step that are shown as motion. */
const MOST_MOVING = 12;
/** The share of its time after which a product has arrived, and those of the stations on its way. */
const ARRIVES = 0.65;
const TRAVEL = [0, 0.1, 0.2, ARRIVES, 1];
/** What pulses grows to this. */
const PULSE = 1.22;
/** What is new fades in once the factors have come together; what is removed fades to a ghost. */
const FADING: Record<string, Keyframe[]> = {
  fresh: [{ opacity: 0 }, { opacity: 0, offset: ARRIVES }, { opacity: 1 }],
  gone: [{ opacity: 1 }, { opacity: 0.4 }],
};

const SIGNS = [
  ["factor", "factor"],
  ["fresh", "fill-in"],
  ["changed", "absorbed"],
  ["gone", "gone"],
] as const;

/** The edge that a node of the line graph stands for: twins belong to their pair. */
const pairOf = (thing: string): string => thing.split(".", 2).join(".");

/** Panels of one show: what is chosen in one is marked in all. */
const companions = new WeakMap<object, Set<EliminationPanel>>();

export class EliminationPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly isLasting = true;
  readonly #picture: Picture;
  readonly #motion = new Motion();
  #union: Union;
  #hues: ReadonlyMap<string, number>;
  /** What there is a place for, each with where its number is written. */
  #things = new Map<string, SVGTextElement | null>();
  #stage: Stage = new Map();
  #roles: ReadonlyMap<string, string> = new Map();
  /** What there was before the steps just taken, by keys of what they took away. */
  #gone = new Map<string, unknown>();
  #vertices: readonly number[] = [];
  #chosen: string | null = null;

  constructor(
    readonly panel: Description,
    readonly context: PanelContext,
  ) {
    const { scene, signal } = context;
    this.#union = pictured(panel, this.#takesFaces);
    this.#hues = huesOf(panel);
    this.#picture = new Picture(
      this.#union,
      {
        choose: (item) => this.#choose(item),
        open: (item) => this.#choose(item),
        leave: () => this.#choose(null),
        hover: () => undefined,
        resized: () => undefined,
      },
      signal,
      WHOLE,
    );
    const run = scene.runs.find(({ id }) => id === panel.run)!;
    const side = panel.side === "cgraph" ? "Computational graph" : "Line graph";
    const title = [scene.runs.length > 1 ? run.label : null, side].filter(Boolean).join(": ");
    this.element = html(
      "div.adviz-stagegraph.adviz-elimination",
      { "data-run": run.id, "data-side": panel.side },
      html("h4.adviz-run-title", title),
      panel.note ? html("p.adviz-note", panel.note) : null,
      this.#picture.element,
      signList(SIGNS),
    );
    this.#dress();
    this.#picture.leaveSwipes();
    atEnd(signal, () => this.#motion.finish());
    companions.set(scene, (companions.get(scene) ?? new Set()).add(this));
  }

  /** Look from where another one was looked from. */
  adopt(other: PlayerPanel): void {
    if (!(other instanceof EliminationPanel) || other.panel.side !== this.panel.side) return;
    const camera = other.#picture.chosenCamera;
    if (camera) this.#picture.lookFrom(camera);
  }

  enlarge(times: number): void {
    this.#picture.openAt(WHOLE * times);
  }

  show(moment: Moment): void {
    this.#motion.finish();
    this.#stage = new Map(this.#own(moment.stage.keys()).map((key) => [key, moment.stage.get(this.#whole(key))]));
    const isRedrawn = this.#extend();
    const isThere = ["edge", "node", "face"].some((sort) => this.#stage.has(`${sort}/${this.#chosen}`));
    if (this.#chosen !== null && !isThere) this.#markThing(null);
    const taken = (moment.taken ?? [moment.step]).filter((step) => step !== null);
    const old = this.#roles;
    this.#gone = new Map();
    this.#roles = this.#rolesIn(taken);
    const changed = moment.changed && !isRedrawn ? this.#own(moment.changed) : this.#things.keys();
    const waiting = moment.motion ? this.#move(taken.slice(-MOST_MOVING), moment.pace ?? 0) : new Set<string>();
    for (const key of new Set([...changed, ...old.keys(), ...this.#roles.keys()])) this.#write(key, !waiting.has(key));
    this.#limit();
    // Where a step only removes, what stays is not dimmed.
    const isMade = [...this.#roles.values()].some((role) => role !== "gone");
    this.#picture.surface.classList.toggle("adviz-stepping", isMade);
    const focus = focusOf(moment.step, this.panel.id);
    // A folded picture has no labels to look at: the last focus of a product leads to its vertex.
    const first = focus.find((key) => this.#item(key)) ?? focus.flatMap(endKeysOf).filter((key) => this.#item(key)).at(-1);
    if (!moment.next && this.#isDone) this.#picture.survey();
    else if (first !== undefined) this.#picture.follow([first]);
    if (!moment.cursor) this.#picture.rewind();
  }

  mark(nodes: readonly number[]): void {
    this.#vertices = nodes;
    if (nodes.length) this.#chosen = null;
    this.#mark();
  }

  // ---- choosing ----

  #choose(item: Item | null): void {
    const [sort, thing] = item ? parted(item.key) : [null, null];
    const isVertex = sort === "vertex";
    if (isVertex && this.context.take?.(sort, thing)) return;
    if (isVertex) return this.context.select([this.#numberOf(thing)]);
    if (this.#vertices.length) this.context.select([]);
    const chosen = sort === "edge" || sort === "node" ? pairOf(thing) : thing;
    for (const panel of companions.get(this.context.scene) ?? []) panel.#markThing(chosen);
    if (sort) this.context.take?.(sort, thing);
  }

  #markThing(thing: string | null): void {
    this.#chosen = thing;
    this.#mark();
  }

  /** The name of a vertex in the selection. */
  #numberOf(thing: string): number {
    return this.panel.nodes.find((node) => node.thing === thing)?.node ?? Number(thing);
  }

  #mark(): void {
    const items = new Map<string, Mark>();
    const edges = new Map<string, Mark>();
    const vertices = new Set(this.#vertices);
    const isChosen = (thing: string | null): boolean => thing !== null && vertices.has(this.#numberOf(thing));
    for (const key of this.#things.keys()) {
      const [sort, thing] = parted(key);
      const mark = this.#markOf(sort, thing, isChosen);
      if (!mark) continue;
      items.set(key, mark);
      edges.set(key, mark === "selected" ? "path" : mark);
    }
    this.#picture.mark({ items, edges });
  }

  #markOf(sort: Sort, thing: string, isChosen: (vertex: string | null) => boolean): Mark {
    if (sort === "vertex") return isChosen(thing) ? "selected" : null;
    if (sort === "face") return thing === this.#chosen || isChosen(viaOf(thing)) ? "path" : null;
    if (pairOf(thing) === this.#chosen || this.#chosen?.split("/").includes(thing)) return "selected";
    const [tail, head] = thing.split(".") as [string, string];
    return isChosen(head) ? "feeds" : isChosen(tail) ? "fed" : null;
  }

  // ---- what is there ----

  /** Give a place to what is on stage without one: it was not foreseen. Returns whether the picture was drawn anew. */
  #extend(): boolean {
    const unknown = (sort: Sort): string[] =>
      [...this.#stage.keys()].filter((key) => key.startsWith(`${sort}/`) && !this.#things.has(key));
    const added = isOfEdges(this.panel) ? unknown("edge") : [...unknown("node"), ...unknown("face")];
    if (!added.length) return false;
    for (const key of added) this.#place(key);
    this.#picture.show(this.#union, "inPlace");
    this.#dress();
    this.#mark();
    return true;
  }

  #place(key: string): void {
    const [sort, thing] = parted(key);
    if (sort === "node") {
      const base = this.#item(`node/${pairOf(thing)}`) ?? this.#union.nodes[0]!;
      const aside = ASIDE * (Number(thing.split(".")[2] ?? 1) - 1);
      return void this.#union.nodes.push({ ...base, key, x: base.x + aside, y: base.y + aside });
    }
    addLine(this.#union, this.panel, { key }, this.#takesFaces);
  }

  /** Whether nothing is left that could be eliminated. */
  get #isDone(): boolean {
    const intermediates = this.panel.nodes.filter(({ role }) => role === "intermediate");
    const isInterior = (key: string): boolean => key.startsWith("face/") && viaOf(parted(key)[1]) !== null;
    return !intermediates.some(({ key }) => this.#stage.has(key)) && ![...this.#stage.keys()].some(isInterior);
  }

  #item(key: string): Item | undefined {
    return this.#union.nodes.find((item) => item.key === key);
  }

  get #takesFaces(): boolean {
    return !isOfEdges(this.panel) && this.context.scene.own?.technique === "face";
  }

  /** Prepare what is drawn for what will be written on it. */
  #dress(): void {
    this.#things = new Map(this.#union.edges.map(({ key }) => [key, null]));
    for (const { key } of this.#union.edges) {
      const element = this.#picture.edge(key)!;
      this.#paint(key, element);
      // Wider than what is seen, for fingers.
      element.append(svg("path.adviz-reach", { d: element.querySelector("path")!.getAttribute("d") }));
    }
    for (const { key, kind, h } of this.#union.nodes) {
      const element = this.#picture.node(key)!;
      const [sort] = parted(key);
      this.#paint(key, element);
      element.setAttribute("data-sort", sort);
      if (sort === "face") element.append(svg("circle.adviz-grip", { r: h / 3 }));
      const isNumbered = sort === "edge" || (sort === "node" && kind === "block");
      const y = sort === "node" ? h / 2 - 6 : 4;
      const text = svg("text.adviz-factor", { y, "text-anchor": "middle", "aria-hidden": "true" });
      if (isNumbered) element.append(text);
      this.#things.set(key, isNumbered ? text : null);
    }
  }

  #paint(key: string, element: Element): void {
    const [sort, thing] = parted(key);
    const vertex = sort === "vertex" ? thing : sort === "face" ? viaOf(thing) : null;
    const hue = vertex === null ? undefined : this.#hues.get(vertex);
    if (hue !== undefined) element.setAttribute("data-hue", String(hue));
  }

  /** Show whether something is there, its part in the step, and its number; a ghost has the one that it had. */
  #write(key: string, isNumberDue = true): void {
    const value = this.#stage.get(key) ?? this.#gone.get(key);
    for (const element of this.#elements(key)) {
      setAttribute(element, "data-absent", this.#stage.has(key) ? null : "");
      setAttribute(element, "data-role", this.#roles.get(key) ?? null);
    }
    const text = this.#things.get(key);
    if (!text || !isNumberDue) return;
    const words = typeof value === "object" ? (value as SmallArray).shape.join("×") : short(value, MOST);
    if (text.textContent !== words) text.textContent = words;
    setAttribute(this.#picture.node(key)!, "aria-description", exact(value) || null);
  }

  #elements(key: string): Element[] {
    return [this.#picture.node(key), this.#picture.edge(key)].filter((element) => element !== undefined);
  }

  /** The keyboard reaches what is there. */
  #limit(): void {
    const isThere = (key: string): boolean => this.#stage.has(key);
    const { nodes, edges, links } = this.#union;
    this.#picture.limit({
      nodes: nodes.filter(({ key }) => isThere(key)),
      edges,
      links: links.filter(({ key }) => isThere(key)),
    });
  }

  // ---- the step ----

  /** What part things have in the steps just taken: factors, what is new or changed by them, what is gone. */
  #rolesIn(taken: readonly Step[]): Map<string, string> {
    const roles = new Map<string, string>();
    for (const key of this.#parts(taken).flatMap(({ product }) => product?.factors ?? [])) roles.set(this.#here(key), "factor");
    for (const key of focusOf(taken.at(-1) ?? null, this.panel.id)) if (!roles.has(key)) roles.set(key, "at");
    const before = new Map<string, unknown>();
    for (const { edits } of taken) for (const [key, value] of edits) if (!before.has(key)) before.set(key, value);
    for (const key of this.#own(before.keys())) {
      const [from, to] = [before.get(this.#whole(key)), this.#stage.get(key)];
      if (from === null) roles.set(key, "fresh");
      else if (to === undefined) roles.set(key, "gone");
      else if (!alike(from, to)) roles.set(key, "changed");
      if (to === undefined) this.#gone.set(key, from);
    }
    const isSeen = (key: string): boolean => this.#things.has(key) && (this.#stage.has(key) || this.#gone.get(key) != null);
    return new Map([...roles].filter(([key]) => isSeen(key)));
  }

  /** What the steps are to this run. */
  #parts(taken: readonly Step[]): Part[] {
    return taken.map((step) => partOf(step, this.panel.run)).filter((part) => part !== null);
  }

  /** Those of the keys that are of this panel's run, without it. */
  #own(keys: Iterable<string>): string[] {
    const start = this.#whole("");
    return [...keys].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  }

  #whole(key: string): string {
    return `${this.panel.run}/${key}`;
  }

  /** A key of either side as one of this side. */
  #here(key: string): string {
    const [sort, thing] = parted(key);
    const isHere = isOfEdges(this.panel);
    if (isHere && sort === "node") return `edge/${pairOf(thing)}`;
    return !isHere && sort === "edge" ? `node/${thing}` : key;
  }

  // ---- motion ----

  /** Let products and twins travel; the keys whose numbers must wait for them. */
  #move(taken: readonly Step[], pace: number): ReadonlySet<string> {
    const play = (element: Element | undefined, frames: Keyframe[], arrive = (): void => undefined): unknown =>
      element && this.#motion.play(element, frames, pace, arrive);
    for (const [key, role] of this.#roles)
      for (const element of this.#elements(key)) if (FADING[role]) play(element, FADING[role]);
    const waiting = new Set<string>();
    const change = (key: string): void => {
      const at = this.#placeOf(key);
      const scales = [1, 1, PULSE, 1];
      const frames = scales.map((scale, i) => ({ transform: at(scale), offset: [0, ARRIVES, (1 + ARRIVES) / 2, 1][i]! }));
      play(this.#picture.node(key), frames, () => this.#write(key));
      waiting.add(key);
    };
    for (const { product, merge } of this.#parts(taken)) {
      const into = product?.result ?? merge?.into;
      if (into === undefined || !this.#item(this.#here(into))) continue;
      const end = this.#placeOf(this.#here(into));
      for (const factor of product?.factors ?? []) {
        const token = this.#token(this.#here(factor));
        const at = this.#placeOf(this.#here(factor));
        const places = [at(1), at(PULSE), at(1), end(1), end(0.6)];
        const frames = places.map((transform, i) => ({ transform, opacity: Number(i < 4), offset: TRAVEL[i]! }));
        play(token, frames, () => token?.remove());
      }
      if (merge) {
        const from = this.#here(merge.from);
        const frames = [this.#placeOf(from)(1), end(1), end(1)].map((transform, i) => ({ transform, opacity: 1 - i / 2, offset: [0, ARRIVES, 1][i]! }));
        play(this.#picture.node(from), frames);
      }
      change(this.#here(into));
    }
    return waiting;
  }

  /** A copy of a factor's number, which will travel. */
  #token(key: string): SVGGElement | undefined {
    const words = this.#things.get(key)?.textContent;
    if (!words) return undefined;
    const token = svg(
      "g.adviz-token",
      svg("rect", { x: -LABEL.w / 2, y: -10, width: LABEL.w, height: 20, rx: 10 }),
      svg("text", { y: 4, "text-anchor": "middle" }, words),
    );
    this.#picture.world.append(token);
    return token;
  }

  /** The transforms that put things where another is. */
  #placeOf(key: string): (scale: number) => string {
    const { x, y } = this.#item(key) ?? { x: 0, y: 0 };
    return (scale) => `translate(${x}px, ${y}px) scale(${scale})`;
  }
}
