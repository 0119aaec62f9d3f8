// What stands on the graph of a run at a moment: at each node, on each edge, and which of them the step is about.

import { AWAITED, COUNTERS, awaits } from "./counters.js";
import { focusOf } from "./panel.js";
import { type Rectangle, overlap, reversed } from "../motion/curves.js";
import { HEIGHT, type Line, lineOf, pointOn } from "../picture/motion.js";
import { firstTimes, partOf, partials, partsOf } from "../playback/runs.js";
import type { Stage } from "../playback/stage.js";
import type { Edge, GraphPanel, HeatMap, Item, Run, Show, Step } from "../scene/scene.js";
import { partial, short } from "../scene/values.js";
import { plural } from "../ui/format.js";

/** What a run writes under a node, with its sign. The value stands there anyway: its detail appears. */
const STATE: Record<Run["kind"], readonly [what: string, sign: string | null]> = {
  reverse: ["adjoint", "v̄"],
  forward: ["tangent", "v̇"],
  evaluation: ["value", null],
  ops: ["value", ""],
};

/** What is on stage under a key of one run. */
export interface Key {
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

/** The value of an op that is an array. */
const mapOf = (value: unknown): HeatMap | null => (typeof value === "object" && value !== null && "scale" in value ? (value as HeatMap) : null);

/** What stands at a node. */
export interface Standing {
  /** Its tangent or adjoint, or what it awaits, in so many characters. */
  readonly held: (most: number) => string;
  readonly counters: string;
  readonly map: HeatMap | null;
  readonly isFreed: boolean;
  /** More will be added, or is awaited. */
  readonly isPartial: boolean;
  readonly isReady: boolean;
  readonly stored: "kept" | "freed" | null;
  /** The value is not computed yet. */
  readonly isUnknown: boolean;
}

/** A road on which products travel: an edge of the picture, with the node of the operand. */
export interface Road {
  readonly edge: Edge;
  readonly operand: number;
  /** In the direction in which products travel. */
  readonly line: Line;
  /** The share of it after which they wait. */
  readonly share: number;
}

/** Which items and edges a step is about: one item at first, and what else takes part. */
interface Roles {
  readonly nodes: ReadonlyMap<string, "at" | "other">;
  readonly edges: ReadonlySet<string>;
}

/** A run over the graph of a panel, and what all of its steps tell of it. */
export class GraphRun {
  readonly first: ReadonlyMap<string, number>;
  /** The roads by "node/place". */
  readonly roads: ReadonlyMap<string, Road>;
  /** After how many steps an item is there, in a show that builds what it shows. */
  readonly #born: ReadonlyMap<string, number>;
  readonly #isPartial: (key: string, cursor: number) => boolean;

  constructor(
    readonly panel: GraphPanel,
    readonly run: Pick<Run, "id" | "kind">,
    steps: Show["steps"],
  ) {
    this.first = firstTimes({ steps });
    this.#isPartial = partials({ steps });
    this.roads = roadsOf(panel, run, steps);
    const builds = [...this.first.keys()].some((key) => key.startsWith(`${run.id}/built/`));
    this.#born = builds ? this.#births(steps) : new Map();
  }

  /** What stands at an item after so many steps, under its node; a folded composite op says nothing, another fold its turns. */
  standing(item: Item, node: number, stage: Stage, cursor: number): Standing {
    const { id, kind } = this.run;
    const isFolded = item.node === null;
    const isSilent = isFolded && kind === "ops";
    const at = (what: string): unknown => (isSilent ? undefined : stage.get(`${id}/${what}/${node}`));
    const gone = (what: string): boolean => {
      if (isSilent) return false;
      const first = this.first.get(`${id}/${what}/${node}`);
      // A forward run may sweep the graph several times: a node is there again as soon as its value is.
      const again = kind === "forward" && at("value") !== undefined;
      return at(what) === undefined && first !== undefined && first <= cursor && !again;
    };
    const [what, letter] = STATE[kind];
    const isPartial = this.#isPartial(`${id}/${what}/${node}`, cursor);
    const awaited = at(what) === undefined && !gone(what) ? awaits(at(AWAITED)) : "";
    const turns = isFolded && Number(at("times_visited") ?? 0);
    const held = (most: number): string => {
      if (isFolded) return turns ? plural(turns, "turn") : "";
      if (at(what) === undefined) return gone(what) ? "freed" : awaited;
      if (letter === "") return mapOf(at(what)) ? "" : short(at(what), most);
      return letter ? `${letter} = ${isPartial ? partial(at(what), most - 5) : short(at(what), most - 5)}` : "";
    };
    const counted = COUNTERS.filter(([counter]) => !isFolded && at(counter) !== undefined && !gone(what) && !(awaited && counter === AWAITED));
    return {
      held,
      counters: counted.map(([counter, tell]) => tell(at(counter))).filter(Boolean).join(" · "),
      map: kind === "ops" ? mapOf(at("value")) : null,
      isFreed: gone(what),
      isPartial: isPartial || awaited !== "",
      isReady: at("ready") !== undefined,
      stored: at("stored") === undefined ? (gone("stored") ? "freed" : null) : "kept",
      isUnknown: !isFolded && at("value") === undefined && !gone("value"),
    };
  }

  /** Whether an item is built by now. */
  isThere(key: string, cursor: number): boolean {
    return (this.#born.get(key) ?? 0) <= cursor;
  }

  /** When items are built; what is stored at first is there as soon as it is used. */
  #births(steps: Show["steps"]): Map<string, number> {
    const births = new Map<string, number>();
    steps.forEach((step, k) => {
      const [first] = this.focus(step, []);
      if (first !== undefined && !births.has(first)) births.set(first, k + 1);
    });
    for (const { kind, tail, head } of this.panel.edges)
      if (kind === "initializer") births.set(tail, Math.min(births.get(tail) ?? Infinity, births.get(head) ?? 0));
    return births;
  }

  /** The items that a step is about, the most important first; of a coarse one over ops all that its steps are. */
  focus(step: Step | null, taken: readonly Step[]): string[] {
    if (this.run.kind !== "ops") return focusOf(step, this.panel.id);
    const there = new Set(this.panel.nodes.map(({ key }) => key));
    const keys = [...(taken.length ? taken : [step])].reverse().flatMap((each) => focusOf(each, this.panel.id));
    return [...new Set(keys)].filter((key) => there.has(key));
  }

  roles(step: Step | null, focus: readonly string[]): Roles {
    const part = partOf(step, this.run.id);
    const nodes = new Map<string, "at" | "other">();
    focus.forEach((key, i) => nodes.has(key) || nodes.set(key, i && part?.node !== null ? "other" : "at"));
    const road = part?.edge && this.roads.get(`${part.edge[0]}/${part.edge[2]}`);
    // Of an op everything is marked that it waits for.
    const [first] = this.run.kind === "ops" ? focus : [];
    const waited = this.panel.edges.filter(({ head }) => head === first).map(({ key }) => key);
    return { nodes, edges: new Set(road ? [road.edge.key, ...waited] : waited) };
  }
}

/** Px of a token, about, for which room is looked for on its edge; shares of the way where it may be. */
const TOKEN = [59, HEIGHT] as const;
const SHARES = [0.5, 0.35, 0.65, 0.2, 0.8];

/** The edges along which products travel. They wait where they are clear of the nodes and of each other, if there is room. */
function roadsOf({ id, nodes, edges }: GraphPanel, { id: run, kind }: Pick<Run, "id" | "kind">, steps: Show["steps"]): Map<string, Road> {
  const taken: Rectangle[] = nodes.map(({ x, y, w, h }) => [x, y, w, h]);
  const found = new Map<string, Omit<Road, "line" | "share">>();
  for (const step of steps)
    for (const { run: own, edge } of partsOf(step)) {
      if (own !== run || !edge || found.has(`${edge[0]}/${edge[2]}`)) continue;
      const ends = focusOf(step, id);
      const road = edges.find(({ tail, head }) => tail !== head && ends.includes(tail) && ends.includes(head));
      if (road) found.set(`${edge[0]}/${edge[2]}`, { edge: road, operand: edge[1] });
    }
  const places = new Map<string, Road>();
  for (const [key, { edge, operand }] of [...found].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const line = lineOf(kind === "reverse" ? reversed(edge.points) : edge.points);
    const spots = SHARES.map((share): Rectangle => [...pointOn(line, share), ...TOKEN]);
    const covered = spots.map((spot) => taken.reduce((sum, other) => sum + overlap(spot, other), 0));
    const best = covered.indexOf(Math.min(...covered));
    taken.push(spots[best]!);
    places.set(key, { edge, operand, line, share: SHARES[best]! });
  }
  return places;
}
