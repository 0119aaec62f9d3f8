// What a selection means in a picture: which nodes it relates to, and how each item and edge is marked for it.

import type { Graph } from "../graph/graph.js";
import { type Paths, countSet, pathsBetween, reach } from "../graph/links.js";
import type { Edge, GraphPanel, Item } from "../scene/scene.js";
import { count, plural } from "../ui/format.js";

/** `contains` marks a folded item of which some, but not all, nodes are selected. */
export type Mark = "selected" | "contains" | "feeds" | "fed" | "path" | null;

/** The nodes that a selection lights up. Sets have one entry per node and include the selected nodes. */
export interface Relation {
  readonly selected: readonly number[];
  /** One node selected: the nodes that feed it, and those that it feeds. */
  readonly feeds: Uint8Array | null;
  readonly fed: Uint8Array | null;
  /** Two nodes selected: the paths between them. */
  readonly paths: Paths | null;
}

/** Two nodes are ends of paths, but for those of a group, such as a row of a table. */
export function relationOf(graph: Graph, selected: readonly number[], isGroup = false): Relation {
  const [one, other] = selected;
  const feeds = selected.length === 1 ? reach(graph.operands, one!) : null;
  const fed = selected.length === 1 ? reach(graph.users, one!) : null;
  const paths = selected.length === 2 && !isGroup ? pathsBetween(graph.operands, graph.users, one!, other!) : null;
  return { selected, feeds, fed, paths };
}

/** A phrase, with the mark it explains. */
export interface Phrase {
  readonly mark: Mark;
  readonly words: string;
}

/** The relation in words; nothing when nothing is selected. */
export function phrases(graph: Graph, { selected, feeds, fed, paths }: Relation): Phrase[] {
  if (feeds && fed) {
    return [
      { mark: "selected", words: graph.label(selected[0]!) },
      { mark: "feeds", words: `${count(countSet(feeds) - 1)} feed it` },
      { mark: "fed", words: `it feeds ${count(countSet(fed) - 1)}` },
    ];
  }
  if (paths) return [{ mark: paths.count === 0n ? null : "path", words: pathSentence(graph, paths) }];
  return selected.length ? [{ mark: "selected", words: `${plural(selected.length, "node")} selected` }] : [];
}

function pathSentence(graph: Graph, { from, to, on, count: total }: Paths): string {
  const ends = `from ${graph.label(from)} to ${graph.label(to)}`;
  if (total === 0n) return `No path ${ends}`;
  return `${total === null ? "More than 10^300 paths" : plural(total, "path")} ${ends}, through ${plural(countSet(on), "node")}`;
}

export const sentence = (parts: readonly Phrase[]): string => parts.map(({ words }) => words).join(", ");

/** An item, perhaps with the nodes that are in it. */
type Holding = Item & { readonly inside?: readonly number[] };

/** Where the nodes of a graph are in one picture. */
export class Places {
  readonly #items: readonly Item[];
  readonly #ofNode = new Map<number, number>();
  readonly #ofScope: Int32Array;

  constructor(
    readonly graph: Graph,
    panel: GraphPanel,
  ) {
    this.#items = panel.nodes;
    this.#ofScope = new Int32Array(graph.scopes.size).fill(-1);
    const folded = panel.nodes.map((item, index) => ({ span: item.span, index })).filter(({ span }) => span !== null);
    // Wide spans first: an item for what lies outside may span scopes around the opened one.
    folded.sort((a, b) => b.span![1] - b.span![0] - (a.span![1] - a.span![0]));
    for (const { span, index } of folded) this.#ofScope.fill(index, span![0], span![1]);
    panel.nodes.forEach((item, index) => this.#own(item).forEach((node) => this.#ofNode.set(node, index)));
  }

  /** The item that is or holds a node, or null where the picture does not show it. */
  item(node: number): Item | null {
    return this.#items[this.index(node)] ?? null;
  }

  index(node: number): number {
    return this.#ofNode.get(node) ?? this.#ofScope[this.graph.columns.scope[node]!] ?? -1;
  }

  #own({ node, inside }: Holding): number[] {
    return inside ? [...inside] : node === null ? [] : [node];
  }

  /** The nodes that an item stands for. */
  nodes(item: Item): number[] {
    if (!item.span) return this.#own(item);
    const index = this.#items.indexOf(item);
    return this.graph.inScopes(...item.span).filter((node) => this.index(node) === index);
  }

  /** How many of the nodes each item stands for. */
  tally(nodes: Iterable<number>): Int32Array {
    const tally = new Int32Array(this.#items.length);
    for (const node of nodes) {
      const index = this.index(node);
      if (index >= 0) tally[index]!++;
    }
    return tally;
  }

  /** The keys of the items that hold some of the nodes. */
  keys(nodes: Iterable<number>): Set<string> {
    const tally = this.tally(nodes);
    return new Set(this.#items.filter((_, index) => tally[index]).map(({ key }) => key));
  }
}

export interface Marks {
  readonly items: ReadonlyMap<string, Mark>;
  readonly edges: ReadonlyMap<string, Mark>;
}

export function* setMembers(set: Uint8Array): Generator<number> {
  for (let node = 0; node < set.length; node++) if (set[node]) yield node;
}

/** Keys of the edges both of whose ends are in a set of items. */
const edgesWithin = (edges: readonly Edge[], keys: ReadonlySet<string>): Edge[] =>
  edges.filter(({ tail, head }) => keys.has(tail) && keys.has(head));

/** The mark of every marked item and edge of a picture. */
export function marksFor(panel: GraphPanel, places: Places, relation: Relation): Marks {
  const items = new Map<string, Mark>();
  const edges = new Map<string, Mark>();
  const sets: [Mark, Uint8Array | null][] = [
    ["feeds", relation.feeds],
    ["fed", relation.fed],
    ["path", relation.paths?.on ?? null],
  ];
  for (const [mark, set] of sets) {
    if (!set || (mark === "path" && relation.paths?.count === 0n)) continue;
    const keys = places.keys(setMembers(set));
    for (const key of keys) items.set(key, mark);
    for (const { key } of edgesWithin(panel.edges, keys)) edges.set(key, mark);
  }
  const tally = places.tally(relation.selected);
  panel.nodes.forEach((item, index) => {
    if (tally[index]) items.set(item.key, item.node !== null || tally[index]! >= item.count ? "selected" : "contains");
  });
  return { items, edges };
}
