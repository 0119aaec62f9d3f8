// The graph by its statements, as the Explorer opens: which boxes are open, what is marked, and which level the reader chose.

import { type Box, type Seen, type StatementsPanel, placed, seen } from "./statements.js";
import { countOf, drawn } from "./statement-shapes.js";
import type { Graph } from "../graph/graph.js";
import { row } from "../graph/links.js";
import { type Opened, turned } from "../layout/boxes.js";
import type { Size } from "../picture/camera.js";
import type { Picture } from "../picture/picture.js";
import { type Mark, type Marks, type Places, type Relation, marksFor } from "../picture/relations.js";
import type { GraphPanel, Item, LinesPanel } from "../scene/scene.js";
import { dataOf, html, listen, prefersStill } from "../ui/dom.js";

/** Milliseconds in which a box opens or closes. */
const OPENS = 420;
const LEVELS = ["Lines", "Operations"] as const;

export class StatementsView {
  /** The levels to choose from; nothing where each node is by itself. */
  readonly element: HTMLElement;
  opened: Opened = [];
  /** Whether a box opens or closes. */
  isMoving = false;
  #isOn = true;
  #seen: Seen;
  #placed: StatementsPanel | null = null;
  #size: Size = { width: 0, height: 0 };

  constructor(
    readonly graph: Graph,
    readonly root: GraphPanel,
    readonly lines: LinesPanel,
    /** Told when another picture is to be shown. */
    readonly changed: () => void,
    signal: AbortSignal,
  ) {
    this.#seen = seen(graph, lines, []);
    const buttons = LEVELS.map((words) => html("button.adviz-quiet", { "aria-pressed": String(words === LEVELS[0]) }, words));
    buttons.forEach((button, k) => listen(button, signal, { click: () => this.#turn(k === 0) }));
    this.element = html("div.adviz-level", { role: "group", "aria-label": "Level of detail", hidden: !lines.boxes.length }, ...buttons);
  }

  /** What the graph returns. */
  get result(): number {
    const output = this.graph.where((node) => this.graph.is("output", node))[0]!;
    return row(this.graph.operands, output)[0] ?? output;
  }

  #turn(isOn: boolean): void {
    this.#isOn = isOn;
    [...this.element.children].forEach((button, k) => button.setAttribute("aria-pressed", String(isOn === (k === 0))));
    this.changed();
  }

  /** What is shown of a scope: of the whole graph its statements, at that level. */
  seen(panel: GraphPanel, size: Size): GraphPanel {
    if (panel.scope !== this.root.scope || !this.#isOn) return panel;
    const isKnown = size.width === this.#size.width && size.height === this.#size.height;
    this.#placed = (isKnown && this.#placed) || drawn(placed(this.#seen, this.root, size));
    this.#size = size;
    return this.#placed;
  }

  /** Open a box in place, and those around it, or close it; false where there is too much in it. */
  turn(box: number): boolean {
    const { boxes, nodes } = this.lines;
    const known = new Set([...nodes.map(({ node }) => node), ...boxes.slice(box + 1).flatMap(({ inside }) => inside)]);
    if (!boxes[box]?.inside.every((node) => known.has(node))) return false;
    this.#set(turned(boxes, this.opened, box));
    return true;
  }

  /** Close what was opened last; false where nothing is open. */
  close(): boolean {
    return this.opened.length > 0 && this.turn(this.opened.at(-1)!);
  }

  #set(opened: Opened): void {
    this.opened = opened;
    [this.#seen, this.#placed] = [seen(this.graph, this.lines, opened), null];
    this.isMoving = !prefersStill();
    this.changed();
    this.isMoving = false;
  }

  /** Close a box whose frame is clicked. */
  listen(picture: Picture, signal: AbortSignal): void {
    listen(picture.element, signal, { click: (event) => dataOf(event, "box") !== undefined && this.close() });
  }

  /** The marks of a selection: the box that it is in, and what that is computed from and used by. */
  marks(panel: StatementsPanel, places: Places, relation: Relation): Marks {
    const { selected, paths } = relation;
    if (paths) return marksFor(panel, places, relation);
    const tally = places.tally(selected);
    const items = new Map<string, Mark>();
    const edges = new Map<string, Mark>();
    panel.nodes.forEach(({ key, exits, inside }, k) => {
      if (tally[k]) items.set(key, tally[k] === inside.length || exits.every((node) => selected.includes(node)) ? "selected" : "contains");
    });
    if (items.size !== 1) return { items, edges };
    const [own] = items.keys();
    for (const { key, tail, head } of panel.edges) {
      if (tail !== own && head !== own) continue;
      const mark = head === own ? "feeds" : "fed";
      edges.set(key, mark);
      items.set(head === own ? tail : head, mark);
    }
    return { items, edges };
  }

  /** Say at each closed box how many of some nodes are inside. */
  count(picture: Picture, panel: StatementsPanel, places: Places, nodes: readonly number[]): void {
    picture.element.querySelectorAll(".adviz-matches").forEach((each) => each.remove());
    if (nodes.length < 2) return;
    const tally = places.tally(nodes);
    panel.nodes.forEach(({ key, w, h, box }, k) => {
      if (tally[k] && box >= 0) picture.node(key)!.append(countOf("matches", tally[k]!, [-w / 2, -h / 2]));
    });
  }

  /** Let everything move from where it was. */
  move(picture: Picture, before: readonly Item[]): void {
    const known = new Map(before.map((item) => [item.key, item]));
    const home = before.find((item) => this.opened.includes((item as Box).box));
    for (const item of picture.panel.nodes) {
      const { x, y } = known.get(item.key) ?? home ?? item;
      const [element, from] = [picture.node(item.key)!, `translate(${x}px,${y}px)`];
      element.animate?.({ transform: [from, `translate(${item.x}px,${item.y}px)`], opacity: [known.has(item.key) ? 1 : 0, 1] }, { duration: OPENS, easing: "ease-in-out" });
    }
    for (const { key } of picture.panel.edges) picture.edge(key)!.animate?.({ opacity: [0, 0, 1] }, { duration: OPENS });
  }
}
