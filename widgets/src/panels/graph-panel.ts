// The graph during a run: the picture of the Explorer, with what is on stage. Places never change; what a
// step changes is written where it changed, tokens travel, and what takes no part in the step is dimmed.

import { MOST_CARRIED, cornerOf, countersMark, roomOf, sheetOf, stateMark, storedMark } from "./graph-marks.js";
import { GraphRun, type Key, type Road, readKey } from "./graph-state.js";
import { type Moment, type PanelContext, type PlayerPanel, signList } from "./panel.js";
import { READABLE } from "../picture/camera.js";
import { Places } from "../picture/relations.js";
import { drawMark } from "../picture/drawn.js";
import { Motion, drawToken, way } from "../picture/motion.js";
import { drawMap, noteOf } from "../picture/heat-map.js";
import { Picture } from "../picture/picture.js";
import type { Stage } from "../playback/stage.js";
import type { GraphPanel, Item, Run } from "../scene/scene.js";
import { short } from "../scene/values.js";
import { atEnd, closest, html, setAttribute, svg } from "../ui/dom.js";

/** The signs of the legend, by what must occur in the show for them to be explained. */
const SIGNS: readonly (readonly [what: string, sign: string, words: string])[] = [
  ["stored", "stored", "stored"],
  ["ready", "ready", "ready"],
  ["product", "token", "on its way"],
];

/** The signs of a picture of ops, by the kinds of its edges and of its items. */
const SIGNS_OF_OPS: readonly (readonly [kind: string, words: string])[] = [
  ["data", "value"],
  ["control", "must run before"],
  ["initializer", "stored at first"],
  ["derived", "part of a derivative"],
];

/** A show is seen whole as long as its labels can be guessed: what happens may be anywhere. */
const WHOLE = 0.52;
/** Before an audience labels are as large as other words. */
const PRESENTED = 0.93;

/** What an op is, its words say: they are read, and none is smaller than its 11 pixels. */
const READ = 1;

/** The least scale in which graphs are seen whole, and that of a part of them, where everything is so many times as large. */
function scales(times: number, isOfOps: boolean): [whole: number, readable: number] {
  if (isOfOps && times === 1) return [READ, READ];
  return times === 1 ? [WHOLE, READABLE] : [times * PRESENTED, times * PRESENTED];
}
/** The characters of the description of a node for a screen reader. */
const MOST_SPOKEN = 120;

/** What stands on one item. */
interface Sign {
  readonly item: Item;
  readonly element: SVGGElement;
  readonly state: SVGElement;
  readonly counters: SVGElement;
  readonly map: SVGGElement;
}

export class StageGraph implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #run: string;
  readonly #kind: Run["kind"];
  readonly #places: Places;
  protected readonly picture: Picture;
  readonly #motion = new Motion();
  readonly #told: GraphRun;
  readonly #signs = new Map<number, Sign>();
  readonly #nodesOf = new Map<string, number>();
  /** The node under which the state of a folded item stands, by the nodes in it. */
  readonly #home = new Map<number, number>();
  readonly #tokens = new Map<string, SVGGElement>();
  readonly #overlay = svg("g.adviz-tokens", { "aria-hidden": "true" });
  /** Elements that show a part in the step, and which. */
  #roles = new Map<Element, string>();
  #cursor = 0;
  /** The items that the step is about, the most important first. */
  #focus: readonly string[] = [];

  constructor(
    readonly panel: GraphPanel,
    readonly context: PanelContext,
  ) {
    const { scene, graph, signal } = context;
    const run = scene.runs.find(({ id }) => id === panel.run) ?? scene.runs[0]!;
    this.#run = run.id;
    this.#kind = run.kind;
    this.#places = new Places(graph, panel);
    this.#told = new GraphRun(panel, run, scene.steps);
    this.picture = new Picture(
      panel,
      {
        choose: (item) => context.select(item ? this.#places.nodes(item) : []),
        open: (item) => this.#open(item),
        leave: () => context.select([]),
        hover: () => undefined,
        resized: () => this.#follow(),
      },
      signal,
      ...scales(1, this.#kind === "ops"),
    );
    this.picture.world.append(this.#overlay);
    for (const item of panel.nodes) this.#sign(item);
    const title = scene.runs.length > 1 ? html("h4.adviz-run-title", run.label) : null;
    this.element = html("div.adviz-stagegraph", { "data-run": run.id }, title, this.picture.element, this.#legend());
    const runTo = (event: Event): void => {
      const { node, open } = closest(event, "[data-node], [data-open]")?.dataset ?? {};
      const isFolded = open !== undefined || closest(event, ".adviz-scope") !== null;
      if (node && !isFolded) context.runTo(Number(node));
    };
    this.element.addEventListener("dblclick", runTo, { signal });
    this.picture.leaveSwipes();
    atEnd(signal, () => this.#motion.finish());
  }

  /** Look from where another one was looked from. */
  adopt(other: PlayerPanel): void {
    const camera = other instanceof StageGraph ? other.picture.chosenCamera : null;
    if (camera) this.picture.lookFrom(camera);
  }

  get hasFocus(): boolean {
    return this.picture.hasFocus;
  }

  /** Look to what the step is about. A graph of ops is read: it is seen in parts, with room around. */
  #follow(): void {
    this.picture.follow(this.#focus, this.#kind === "ops");
  }

  /** Have nodes in sight, and the keyboard at the last of them, if it is to be here. */
  lookAt(nodes: readonly number[], withKeyboard: boolean): void {
    this.#focus = [...this.#places.keys(nodes)];
    this.#follow();
    if (withKeyboard) this.picture.focus(this.#focus.at(-1));
  }

  enlarge(times: number): void {
    this.picture.openAt(...scales(times, this.#kind === "ops"));
    this.#follow();
  }

  show(moment: Moment): void {
    this.#motion.finish();
    this.#focus = this.#told.focus(moment.step, moment.taken ?? []);
    this.#follow();
    if (!moment.cursor) this.picture.rewind();
    const keys = moment.changed ?? new Set([...moment.stage.keys(), ...this.#told.first.keys()]);
    const read = [...keys].map((key) => [key, readKey(key, this.#run)] as const);
    const waiting = this.#moveTokens(moment, read);
    const shown = (node: number): number => this.#home.get(node) ?? node;
    const nodes = new Set(moment.changed ? read.map(([, key]) => shown(key?.node ?? -1)) : this.#signs.keys());
    for (const node of nodes) if (!waiting.has(node)) this.#write(node, moment.stage, moment.cursor);
    this.#assignRoles(moment);
    this.#cursor = moment.cursor;
  }

  mark(nodes: readonly number[]): void {
    const keys = this.#places.keys(nodes);
    this.picture.mark({ items: new Map([...keys].map((key) => [key, "selected"])), edges: new Map() });
  }

  breaks(nodes: ReadonlySet<number>): void {
    const keys = this.#places.keys(nodes);
    for (const { key } of this.panel.nodes)
      setAttribute(this.picture.node(key)!, "data-break", keys.has(key));
  }

  #open(item: Item): void {
    if (item.kind === "scope" && this.context.fold) this.context.fold(false, this.#places.nodes(item));
    else this.#runTo(item);
  }

  #runTo(item: Item): void {
    const node = this.#nodesOf.get(item.key);
    if (node !== undefined) this.context.runTo(node);
  }

  /** Prepare an item for what will stand on it. Folded items show what their first node stands for. */
  #sign(item: Item): void {
    const node = item.node ?? this.#places.nodes(item)[0];
    const element = this.picture.node(item.key)!;
    if (node === undefined || item.kind === "outside") return;
    const hidden = { "aria-hidden": "true" };
    const state = drawMark(stateMark(item, "", false), hidden);
    const counters = drawMark(countersMark(item, ""), hidden);
    const stop = svg("circle.adviz-stop", { cx: item.w / 2, cy: 0, r: 6 });
    const map = svg("g", hidden);
    element.append(drawMark(storedMark(item, true)), state, counters, stop, map);
    this.#nodesOf.set(item.key, node);
    const nodes = this.#kind === "ops" ? this.#places.nodes(item) : [node];
    for (const each of nodes) this.#home.set(each, node);
    this.#signs.set(node, { item, element, state, counters, map });
  }

  /** Write what is on stage at a node. */
  #write(node: number, stage: Stage, cursor: number): void {
    const sign = this.#signs.get(node);
    if (!sign) return;
    const { item, element } = sign;
    const { held, counters, map, isFreed, isPartial, isReady, stored, isUnknown } = this.#told.standing(item, node, stage, cursor);
    const shown = held(roomOf(item));
    if (sign.state.textContent !== shown) sign.state.textContent = shown;
    if (sign.counters.textContent !== counters) sign.counters.textContent = counters;
    setAttribute(element, "data-freed", isFreed);
    setAttribute(element, "data-partial", isPartial);
    setAttribute(element, "data-ready", isReady);
    setAttribute(element, "data-stored", stored);
    setAttribute(element, "data-unknown", isUnknown);
    sign.map.replaceChildren(...(map ? [drawMap(map, sheetOf(item), ...cornerOf(item, map))] : []));
    if (this.#kind === "ops") this.#writeBuilt(item, element, cursor);
    setAttribute(element, "aria-description", [held(MOST_SPOKEN), map && noteOf(map), counters].filter(Boolean).join(", ") || null);
  }

  /** An op that is not built yet is not seen, and what belongs to it. */
  #writeBuilt(item: Item, element: SVGGElement, cursor: number): void {
    const unborn = (key: string): boolean => !this.#told.isThere(key, cursor);
    setAttribute(element, "data-unborn", unborn(item.key));
    for (const { key, tail, head, kind } of this.panel.edges) {
      if (head !== item.key) continue;
      setAttribute(this.picture.edge(key)!, "data-unborn", unborn(head));
      if (kind === "initializer") setAttribute(this.picture.node(tail)!, "data-unborn", unborn(tail));
    }
    this.panel.groups?.forEach(({ nodes }, k) => {
      const isEmpty = nodes.every((index) => !this.#told.isThere(this.panel.nodes[index]!.key, cursor));
      setAttribute(this.picture.world.querySelectorAll(".adviz-group")[k]!, "data-unborn", isEmpty);
    });
  }

  // ---- tokens ----

  /** Put tokens where products wait and let them travel; the nodes whose numbers must wait for a token to arrive. */
  #moveTokens(moment: Moment, keys: readonly (readonly [string, Key | null])[]): Set<number> {
    const products = keys.filter(([, key]) => key?.what === "product") as [string, Key][];
    const waiting = new Set<number>();
    for (const [name, key] of products) {
      const old = this.#tokens.get(name);
      const value = moment.stage.get(name);
      this.#tokens.delete(name);
      old?.remove();
      const road = this.#told.roads.get(`${key.node}/${key.place}`);
      if (!road) continue;
      if (value !== undefined) this.#wait(name, road, value, old ? null : moment);
      else if (moment.motion) waiting.add(this.#deliver(name, key, road, old !== undefined, moment));
    }
    return waiting;
  }

  /** A product waits on its edge; when it is new it comes there from the node that made it. */
  #wait(name: string, { line, share }: Road, value: unknown, moment: Moment | null): void {
    const element = drawToken(short(value, MOST_CARRIED), line, share);
    // In the order of their keys, whichever came first: tokens may lie on each other.
    const next = [...this.#tokens.keys()].filter((other) => other > name).sort()[0];
    this.#overlay.insertBefore(element, this.#tokens.get(next ?? "") ?? null);
    this.#tokens.set(name, element);
    if (moment?.motion) this.#motion.play(element, way(line, 0, share), moment.pace ?? 0, () => undefined);
  }

  /** Let a product travel the rest of its edge; returns the node where it is added. */
  #deliver(name: string, key: Key, { line, share, operand }: Road, waited: boolean, moment: Moment): number {
    const target = this.#kind === "reverse" ? operand : key.node;
    const element = drawToken(short(this.#sent(name, moment.cursor), MOST_CARRIED), line, 1);
    this.#overlay.append(element);
    this.#motion.play(element, way(line, waited ? share : 0, 1), moment.pace ?? 0, () => {
      element.remove();
      this.#write(target, moment.stage, moment.cursor);
    });
    return target;
  }

  /** The last value that a product had in the steps just taken. */
  #sent(name: string, cursor: number): unknown {
    const edits = this.context.scene.steps.slice(this.#cursor, cursor).flatMap((step) => step.edits);
    return edits.filter(([key, before]) => key === name && before !== null).at(-1)?.[1];
  }

  // ---- the step ----

  /** Mark the items and the edge that take part in the step just taken. */
  #assignRoles({ step }: Moment): void {
    const { nodes, edges } = this.#told.roles(step, this.#focus);
    const roles = new Map<Element, string>();
    for (const [key, role] of nodes) roles.set(this.picture.node(key)!, role);
    for (const key of edges) roles.set(this.picture.edge(key)!, "way");
    for (const element of this.#roles.keys()) if (!roles.has(element)) element.removeAttribute("data-role");
    for (const [element, role] of roles) setAttribute(element, "data-role", role);
    this.#roles = roles;
    this.picture.surface.classList.toggle("adviz-stepping", roles.size > 0);
  }

  #legend(): HTMLElement | null {
    const occurring = new Set([...this.#told.first.keys()].map((key) => readKey(key, this.#run)?.what));
    if (this.#kind === "ops") {
      const kinds = new Set([...this.panel.edges.map(({ kind }) => kind), ...this.panel.nodes.flatMap(({ derived }) => (derived ? ["derived"] : []))]);
      const signs = SIGNS_OF_OPS.filter(([kind]) => kinds.has(kind));
      return signs.length > 1 ? signList(signs) : null;
    }
    const signs = SIGNS.filter(([what]) => occurring.has(what));
    return signs.length ? signList(signs.map(([, sign, words]) => [sign, words])) : null;
  }
}
