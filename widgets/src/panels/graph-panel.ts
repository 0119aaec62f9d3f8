// The graph during a run: the picture of the Explorer, with what is on stage. Places never change; what a
// step changes is written where it changed, tokens travel, and what takes no part in the step is dimmed.

import { type Homes, MOST_CARRIED, cornerOf, homesOf, partsAt, sheetOf } from "./graph-marks.js";
import { GraphRun, type Road, readKey } from "./graph-state.js";
import { type Moment, type PanelContext, type PlayerPanel, signList } from "./panel.js";
import { Drawing } from "../motion/drawing.js";
import { eased, played } from "../motion/schedule.js";
import { READABLE } from "../picture/camera.js";
import { drawMap, noteOf } from "../picture/heat-map.js";
import { tokenMarks } from "../picture/motion.js";
import { type Role, edgeLook } from "../picture/paints.js";
import { Picture } from "../picture/picture.js";
import { Places } from "../picture/relations.js";
import { edgeMarks, ringOf } from "../picture/shapes.js";
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

/** A product on its edge, and from where to where it goes in the step just taken: as shares of its way. */
interface Travel {
  readonly name: string;
  readonly road: Road;
  readonly words: string;
  readonly from: number;
  readonly to: number;
}

export class StageGraph implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #run: string;
  readonly #kind: Run["kind"];
  readonly #places: Places;
  protected readonly picture: Picture;
  readonly #told: GraphRun;
  readonly #homes: Homes;
  /** The maps of arrays, by the keys of their items. */
  readonly #maps = new Map<string, SVGGElement>();
  readonly #overlay = svg("g.adviz-tokens", { "aria-hidden": "true" });
  readonly #tokens = new Drawing(this.#overlay, true);
  /** The parts that items and edges had in the step when they were drawn last. */
  readonly #looks = new Map<string, Role | "way" | "none">();
  /** The products that were on their edges at the last moment. */
  #carried: ReadonlySet<string> = new Set();
  #stop = (): void => {};
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
    this.#homes = homesOf(panel, run.id, scene.steps);
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
    for (const item of panel.nodes) {
      const map = svg("g");
      this.#maps.set(item.key, map);
      this.picture.node(item.key)!.append(svg("circle.adviz-stop", { cx: item.w / 2, cy: 0, r: 6 }), map);
    }
    const title = scene.runs.length > 1 ? html("h4.adviz-run-title", run.label) : null;
    this.element = html("div.adviz-stagegraph", { "data-run": run.id }, title, this.picture.element, this.#legend());
    const runTo = (event: Event): void => {
      const { node, open } = closest(event, "[data-node], [data-open]")?.dataset ?? {};
      const isFolded = open !== undefined || closest(event, ".adviz-scope") !== null;
      if (node && !isFolded) context.runTo(Number(node));
    };
    this.element.addEventListener("dblclick", runTo, { signal });
    this.picture.leaveSwipes();
    atEnd(signal, () => this.#stop());
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
    this.#stop();
    this.#focus = this.#told.focus(moment.step, moment.taken ?? []);
    this.#follow();
    if (!moment.cursor) this.picture.rewind();
    const roles = this.#told.roles(moment.step, this.#focus);
    const other = roles.nodes.size + roles.edges.size > 0 ? "back" : "none";
    for (const edge of this.panel.edges) {
      const look = roles.edges.has(edge.key) ? "way" : other;
      if (this.#looks.get(edge.key) !== look) this.picture.put(edge.key, { shape: edgeMarks(edge, edgeLook(edge, look === "none" ? undefined : look)) });
      setAttribute(this.picture.edge(edge.key)!, "data-role", look === "way" ? look : null);
      this.#looks.set(edge.key, look);
    }
    if (this.#kind === "ops") this.#build(moment.cursor);
    const [travels, waiting] = this.#travels(moment);
    const write = (item: Item, waits = false): void => this.#write(item, moment, roles.nodes.get(item.key) ?? other, waits);
    const changed = moment.changed && new Set([...moment.changed].map((key) => this.#places.item(readKey(key, this.#run)?.node ?? -1)?.key));
    for (const item of this.panel.nodes) {
      const { key } = item;
      if (!changed || changed.has(key) || waiting.has(key) || this.#looks.get(key) !== (roles.nodes.get(key) ?? other)) write(item, waiting.has(key));
      setAttribute(this.picture.node(key)!, "data-role", roles.nodes.get(key));
    }
    const isMoving = moment.motion && travels.some(({ from, to }) => from !== to);
    this.#stop = played(isMoving ? (moment.pace ?? 0) : 0, (share) => {
      const there = travels.filter(({ to }) => share < 1 || to < 1);
      this.#tokens.show(there.flatMap(({ name, words, road, from, to }) => tokenMarks(name, words, road.line, from + eased(share) * (to - from))));
      if (share >= 1) this.panel.nodes.filter(({ key }) => waiting.has(key)).forEach((item) => write(item));
    });
    this.picture.fitWords();
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
    const [node] = this.#places.nodes(item);
    if (node !== undefined) this.context.runTo(node);
  }

  /** What is not built yet is not seen. */
  #build(cursor: number): void {
    const unborn = (key: string): boolean => !this.#told.isThere(key, cursor);
    const { nodes, edges, groups = [] } = this.panel;
    for (const { key } of nodes) setAttribute(this.picture.node(key)!, "data-unborn", unborn(key));
    for (const { key, head } of edges) setAttribute(this.picture.edge(key)!, "data-unborn", unborn(head));
    const drawn = this.picture.world.querySelectorAll(".adviz-group");
    groups.forEach((group, k) => setAttribute(drawn[k]!, "data-unborn", group.nodes.every((index) => unborn(nodes[index]!.key))));
  }

  /** Write what is on stage at an item; as long as that waits, only show which part the item has in the step. */
  #write(item: Item, { stage, cursor }: Moment, look: Role | "none", waits: boolean): void {
    const element = this.picture.node(item.key)!;
    const { standing, ...parts } = partsAt(this.#told, item, this.#homes.get(item.key), { stage, cursor }, look === "none" ? undefined : look);
    const { map = null, counters = "", isFreed = false, isPartial = false } = standing ?? {};
    if (waits) {
      this.#looks.delete(item.key);
      return this.picture.put(item.key, { shape: parts.shape! });
    }
    this.#looks.set(item.key, look);
    this.picture.put(item.key, { ...parts, ring: parts.ring?.length ? parts.ring : [ringOf(item)] });
    this.#maps.get(item.key)!.replaceChildren(...(map ? [drawMap(map, sheetOf(item), ...cornerOf(item, map))] : []));
    setAttribute(element, "data-freed", isFreed);
    setAttribute(element, "data-partial", isPartial);
    setAttribute(element, "aria-description", [standing?.held(MOST_SPOKEN), map && noteOf(map), counters].filter(Boolean).join(", ") || null);
  }

  /** The products on their edges: a new one comes from the node that made it; and the items whose numbers wait until one has arrived. */
  #travels({ stage, changed, motion, cursor }: Moment): [travels: Travel[], waiting: Set<string>] {
    const [travels, waiting, carried] = [[] as Travel[], new Set<string>(), new Set<string>()];
    for (const [place, road] of this.#told.roads) {
      const name = `${this.#run}/product/${place}`;
      const [value, isMoved, was] = [stage.get(name), motion && changed?.has(name), this.#carried.has(name)];
      if (value !== undefined) {
        carried.add(name);
        travels.push({ name, road, words: short(value, MOST_CARRIED), from: isMoved && !was ? 0 : road.share, to: road.share });
      } else if (isMoved) {
        const target = this.#places.item(this.#kind === "reverse" ? road.operand : parseInt(place));
        if (target) waiting.add(target.key);
        travels.push({ name, road, words: short(this.#sent(name, cursor), MOST_CARRIED), from: was ? road.share : 0, to: 1 });
      }
    }
    this.#carried = carried;
    return [travels, waiting];
  }

  /** The last value that a product had in the steps just taken. */
  #sent(name: string, cursor: number): unknown {
    const edits = this.context.scene.steps.slice(this.#cursor, cursor).flatMap((step) => step.edits);
    return edits.filter(([key, before]) => key === name && before !== null).at(-1)?.[1];
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
