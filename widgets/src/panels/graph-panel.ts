// The graph during a run: the picture of the Explorer, with what is on stage. Places never change; what a
// step changes is written where it changed, tokens travel, and what takes no part in the step is dimmed.

import { AWAITED, COUNTERS, awaits } from "./counters.js";
import { type Moment, type PanelContext, type PlayerPanel, focusOf, signList } from "./panel.js";
import { row } from "../graph/links.js";
import { READABLE } from "../picture/camera.js";
import { Places } from "../picture/relations.js";
import { type Line, Motion, drawToken, lineOf, way } from "../picture/motion.js";
import { type Room, drawMap, noteOf, sizeOf } from "../picture/heat-map.js";
import { Picture } from "../picture/picture.js";
import { backwards } from "../picture/shapes.js";
import { firstTimes, partOf, partials } from "../playback/runs.js";
import type { Stage } from "../playback/stage.js";
import type { GraphPanel, Item, Run } from "../scene/scene.js";
import { type HeatMap } from "../scene/scene.js";
import { short } from "../scene/values.js";
import { atEnd, closest, html, setAttribute, svg } from "../ui/dom.js";

/** What a run writes under a node, with its sign. The value stands there anyway: its detail appears. */
const STATE: Record<Run["kind"], readonly [what: string, sign: string | null]> = {
  reverse: ["adjoint", "v̄"],
  forward: ["tangent", "v̇"],
  evaluation: ["value", null],
  ops: ["value", ""],
};

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
/** A share of the way along an edge: where a product waits. */
const WAITING = 0.5;
/** Between two products that wait on one line. */
const APART = 0.16;
/** Pixels that a character of the state line takes, and that stay free beside it. */
const CHARACTER = 6.2;
const BESIDE = 10;

/** A sum to which more will be added; where there is no room to say so, it only looks so. */
const partial = (value: unknown, most: number): string => {
  const words = `${short(value, most - 4)} + …`;
  return words.length <= most && !words.endsWith("… + …") ? words : short(value, most);
};

/** The characters of a token, and of the description of a node for a screen reader. */
const MOST_CARRIED = 14;
const MOST_SPOKEN = 120;

/** What is on stage under a key of one run. */
interface Key {
  readonly what: string;
  readonly node: number;
  readonly place: number;
}

/** "run/what/node/place" of one run; null for keys of other runs. */
export function readKey(key: string, run: string): Key | null {
  if (!key.startsWith(`${run}/`)) return null;
  const [what = "", node = "", place = "0"] = key.slice(run.length + 1).split("/");
  return { what, node: Number(node), place: Number(place) };
}

/** What stands on one item; a folded composite op whose value is not drawn says nothing. */
interface Sign {
  /** The nodes that the item stands for. */
  readonly nodes: readonly number[];
  readonly isSilent: boolean;
  readonly element: SVGGElement;
  readonly state: SVGTextElement;
  readonly counters: SVGTextElement;
  readonly room: number;
  /** Where the map of an array stands: its middle, and how large it may be. */
  readonly map: SVGGElement;
  readonly middle: number;
  readonly sheet: Room;
}

/** The value of an op that is an array. */
const mapOf = (value: unknown): HeatMap | null => (typeof value === "object" && value !== null && "scale" in value ? (value as HeatMap) : null);

export class StageGraph implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #run: string;
  readonly #kind: Run["kind"];
  readonly #places: Places;
  protected readonly picture: Picture;
  readonly #motion = new Motion();
  readonly #first: ReadonlyMap<string, number>;
  readonly #isPartial: (key: string, cursor: number) => boolean;
  readonly #signs = new Map<number, Sign>();
  readonly #nodesOf = new Map<string, number>();
  /** The node under which the state of a folded item stands, by the nodes in it. */
  readonly #home = new Map<number, number>();
  readonly #lines = new Map<string, Line>();
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
    this.#first = firstTimes(scene);
    this.#isPartial = partials(scene);
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
    this.#focus = this.#focused(moment);
    this.#follow();
    if (!moment.cursor) this.picture.rewind();
    const keys = moment.changed ?? new Set([...moment.stage.keys(), ...this.#first.keys()]);
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
      setAttribute(this.picture.node(key)!, "data-break", keys.has(key) ? "" : null);
  }

  /** The items that a step is about; of a coarse one all that its steps are. What is folded away is not there. */
  #focused({ step, taken = [] }: Moment): string[] {
    if (this.#kind !== "ops") return focusOf(step, this.panel.id);
    const keys = [...(taken.length ? taken : [step])].reverse().flatMap((each) => focusOf(each, this.panel.id));
    return [...new Set(keys)].filter((key) => this.picture.node(key));
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
    const bottom = item.h / 2 - (item.room ?? 0) / 2;
    const state = svg("text.adviz-state", { y: bottom - 0.5, "text-anchor": "middle", "aria-hidden": "true" });
    const counters = svg("text.adviz-counters", { x: -item.w / 2 + 2, y: -item.h / 2 - 5, "aria-hidden": "true" });
    const stored = svg("rect.adviz-stored", { x: -item.w / 2 - 5, y: -5, width: 10, height: 10, rx: 2 });
    const stop = svg("circle.adviz-stop", { cx: item.w / 2, cy: 0, r: 6 });
    const map = svg("g", { "aria-hidden": "true" });
    element.append(stored, state, counters, stop, map);
    this.#nodesOf.set(item.key, node);
    const isSilent = this.#kind === "ops" && item.node === null;
    const nodes = this.#kind === "ops" ? this.#places.nodes(item) : [node];
    for (const each of nodes) this.#home.set(each, node);
    const sheet: Room = [item.w - 2 * BESIDE, (item.room ?? 0) - 6, 9];
    const room = Math.floor((item.w - BESIDE) / CHARACTER);
    this.#signs.set(node, { nodes, isSilent, element, state, counters, room, map, middle: bottom - 4, sheet });
  }

  /** Write what is on stage at a node. */
  #write(node: number, stage: Stage, cursor: number): void {
    const sign = this.#signs.get(node);
    if (!sign) return;
    const at = (what: string): unknown => (sign.isSilent ? undefined : stage.get(`${this.#run}/${what}/${node}`));
    const gone = (what: string): boolean => {
      if (sign.isSilent) return false;
      const first = this.#first.get(`${this.#run}/${what}/${node}`);
      // A forward run may sweep the graph several times: a node is there again as soon as its value is.
      const again = this.#kind === "forward" && at("value") !== undefined;
      return at(what) === undefined && first !== undefined && first <= cursor && !again;
    };
    const [what, letter] = STATE[this.#kind];
    const isPartial = this.#isPartial(`${this.#run}/${what}/${node}`, cursor);
    const awaited = at(what) === undefined && !gone(what) ? awaits(at(AWAITED)) : "";
    const held = (most: number): string => {
      if (at(what) === undefined) return gone(what) ? "freed" : awaited;
      if (letter === "") return mapOf(at(what)) ? "" : short(at(what), most);
      return letter ? `${letter} = ${isPartial ? partial(at(what), most - 5) : short(at(what), most - 5)}` : "";
    };
    const counted = COUNTERS.filter(([counter]) => at(counter) !== undefined && !gone(what));
    const counters = counted
      .filter(([counter]) => !(awaited && counter === AWAITED))
      .map(([counter, tell]) => tell(at(counter)))
      .filter(Boolean)
      .join(" · ");
    const shown = held(sign.room);
    if (sign.state.textContent !== shown) sign.state.textContent = shown;
    if (sign.counters.textContent !== counters) sign.counters.textContent = counters;
    const { element } = sign;
    setAttribute(element, "data-freed", gone(what) ? "" : null);
    setAttribute(element, "data-partial", isPartial || awaited ? "" : null);
    setAttribute(element, "data-ready", at("ready") === undefined ? null : "");
    setAttribute(element, "data-stored", at("stored") === undefined ? (gone("stored") ? "freed" : null) : "kept");
    setAttribute(element, "data-unknown", at("value") === undefined && !gone("value") ? "" : null);
    const map = this.#kind === "ops" ? mapOf(at("value")) : null;
    if (this.#kind === "ops") this.#writeOp(sign, map, sign.nodes.every((each) => this.#isUnborn(each, stage)));
    setAttribute(element, "aria-description", [held(MOST_SPOKEN), map && noteOf(map), counters].filter(Boolean).join(", ") || null);
  }

  #isUnborn(node: number, stage: Stage): boolean {
    const key = `${this.#run}/built/${node}`;
    return stage.get(key) === undefined && this.#first.has(key);
  }

  /** Draw the value of an op that is an array; an op that is not built yet is not seen, and what belongs to it. */
  #writeOp({ element, map, middle, sheet }: Sign, value: HeatMap | null, isUnborn: boolean): void {
    const [width, height] = value ? sizeOf(value, sheet) : [0, 0];
    map.replaceChildren(...(value ? [drawMap(value, sheet, -width / 2, middle - height / 2)] : []));
    const own = element.dataset["key"];
    const unborn = isUnborn ? "" : null;
    setAttribute(element, "data-unborn", unborn);
    for (const { key, tail, head, kind } of this.panel.edges) {
      if (head !== own) continue;
      setAttribute(this.picture.edge(key)!, "data-unborn", unborn);
      if (kind === "initializer") setAttribute(this.picture.node(tail)!, "data-unborn", unborn);
    }
    this.panel.groups?.forEach(({ nodes }, k) => {
      const isEmpty = nodes.every((index) => this.picture.node(this.panel.nodes[index]!.key)?.dataset["unborn"] !== undefined);
      setAttribute(this.picture.world.querySelectorAll(".adviz-group")[k]!, "data-unborn", isEmpty ? "" : null);
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
      const line = this.#line(key);
      if (!line) continue;
      if (value !== undefined) this.#wait(name, key, line, value, old ? null : moment);
      else if (moment.motion) waiting.add(this.#deliver(name, key, line, old !== undefined, moment));
    }
    return waiting;
  }

  /** A product waits on its edge; when it is new it comes there from the node that made it. */
  #wait(name: string, key: Key, line: Line, value: unknown, moment: Moment | null): void {
    const share = this.#share(key);
    const element = drawToken(short(value, MOST_CARRIED), line, share);
    // In the order of their keys, whichever came first: tokens may lie on each other.
    const next = [...this.#tokens.keys()].filter((other) => other > name).sort()[0];
    this.#overlay.insertBefore(element, this.#tokens.get(next ?? "") ?? null);
    this.#tokens.set(name, element);
    if (moment?.motion) this.#motion.play(element, way(line, 0, share), moment.pace ?? 0, () => undefined);
  }

  /** Let a product travel the rest of its edge; returns the node where it is added. */
  #deliver(name: string, key: Key, line: Line, waited: boolean, moment: Moment): number {
    const target = this.#kind === "reverse" ? this.#operand(key) : key.node;
    const element = drawToken(short(this.#sent(name, moment.cursor), MOST_CARRIED), line, 1);
    this.#overlay.append(element);
    this.#motion.play(element, way(line, waited ? this.#share(key) : 0, 1), moment.pace ?? 0, () => {
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

  #operand({ node, place }: Key): number {
    return this.#operands(node)[place] ?? -1;
  }

  #operands(node: number): number[] {
    return [...row(this.context.graph.operands, node)];
  }

  /** Where on its way a product waits. Those of repeated operands share a line: each stands a little aside. */
  #share({ node, place }: Key): number {
    const operands = this.#operands(node);
    const same = [...operands.keys()].filter((i) => operands[i] === operands[place]);
    return WAITING + APART * (same.indexOf(place) - (same.length - 1) / 2);
  }

  /** The line of an edge, in the direction in which its products travel. */
  #line(key: Key): Line | null {
    const edge = this.#edge(key.node, this.#operand(key));
    if (!edge) return null;
    const found = this.#lines.get(edge.key) ?? lineOf(this.#kind === "reverse" ? backwards(edge.points) : edge.points);
    this.#lines.set(edge.key, found);
    return found;
  }

  #edge(head: number, operand: number): GraphPanel["edges"][number] | null {
    const [from, to] = [this.#places.item(operand)?.key, this.#places.item(head)?.key];
    return this.panel.edges.find(({ tail, head: end }) => tail === from && end === to) ?? null;
  }

  // ---- the step ----

  /** Mark the items and the edge that take part in the step just taken. */
  #assignRoles({ step }: Moment): void {
    const roles = new Map<Element, string>();
    const part = partOf(step, this.#run);
    this.#focus.forEach((key, i) => {
      const element = this.picture.node(key);
      if (element && !roles.has(element)) roles.set(element, i && part?.node !== null ? "other" : "at");
    });
    const edge = part?.edge && this.#edge(part.edge[0], part.edge[1]);
    if (edge) roles.set(this.picture.edge(edge.key)!, "way");
    // Of an op everything is marked that it waits for.
    const [first] = this.#kind === "ops" ? this.#focus : [];
    for (const { key, head } of this.panel.edges) if (head === first) roles.set(this.picture.edge(key)!, "way");
    for (const element of this.#roles.keys()) if (!roles.has(element)) element.removeAttribute("data-role");
    for (const [element, role] of roles) setAttribute(element, "data-role", role);
    this.#roles = roles;
    this.picture.surface.classList.toggle("adviz-stepping", roles.size > 0);
  }

  #legend(): HTMLElement | null {
    const occurring = new Set([...this.#first.keys()].map((key) => readKey(key, this.#run)?.what));
    if (this.#kind === "ops") {
      const kinds = new Set([...this.panel.edges.map(({ kind }) => kind), ...this.panel.nodes.flatMap(({ derived }) => (derived ? ["derived"] : []))]);
      const signs = SIGNS_OF_OPS.filter(([kind]) => kinds.has(kind));
      return signs.length > 1 ? signList(signs) : null;
    }
    const signs = SIGNS.filter(([what]) => occurring.has(what));
    return signs.length ? signList(signs.map(([, sign, words]) => [sign, words])) : null;
  }
}
