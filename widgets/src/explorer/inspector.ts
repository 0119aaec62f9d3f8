// The inspector: one node in full, two nodes and the paths between them, or a summary of many.

import type { Actions } from "./actions.js";
import type { Derivative } from "./adjoints.js";
import { type Knowledge, drawDetail, knownDetail, nodeLink } from "./details.js";
import type { Graph } from "../graph/graph.js";
import { type Relation, phrases, sentence, setMembers } from "../picture/relations.js";
import { differencesOf } from "../comparison/comparing.js";
import type { ComparisonPanel, Detail } from "../scene/scene.js";
import { atEnd, closest, dataOf, html, listen } from "../ui/dom.js";
import { count, plural } from "../ui/format.js";

const MOST_LINKS = 50;
const MOST_BLOCKS = 8;
/** Python is asked for a node only once the pointer rests on it. */
const REST = 90;

export class Inspector {
  readonly element: HTMLElement;
  #relation: Relation = { selected: [], feeds: null, fed: null, paths: null };
  #derivative: Derivative | null = null;
  #shown: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly graph: Graph,
    readonly actions: Actions,
    signal: AbortSignal,
    showSource: (node: number) => void,
    /** Two graphs that are laid over each other. */
    readonly compared: ComparisonPanel | null = null,
    /** Told of while nothing is selected. */
    readonly rest: number | null = null,
  ) {
    this.element = html("div.adviz-inspector");
    listen(this.element, signal, {
      click: (event) => {
        const show = dataOf(event, "show");
        if (show !== undefined) actions.show(Number(show));
        if (closest(event, "[data-origin]") && this.#shown !== null) showSource(this.#shown);
      },
    });
    atEnd(signal, () => clearTimeout(this.#timer));
    this.select(this.#relation);
  }

  /** Show what the selection means, with the derivative by it if there is one. */
  select(relation: Relation, derivative = this.#derivative): void {
    this.#relation = relation;
    this.#derivative = derivative;
    this.element.classList.remove("adviz-previewing");
    if (relation.selected.length === 1) this.#showNode(relation.selected[0]!, 0);
    else if (relation.selected.length) this.#put(null, this.#summary(relation));
    else if (this.rest !== null) this.#showNode(this.rest, 0);
    else this.#put(null, [this.#invitation()]);
  }

  /** Show a node pointed at; null shows the selection again. */
  preview(node: number | null): void {
    if (node === null) {
      if (this.element.classList.contains("adviz-previewing")) this.select(this.#relation);
    } else if (node !== this.#shown) {
      this.#showNode(node, REST);
      this.element.classList.add("adviz-previewing");
    }
  }

  #showNode(node: number, rest: number): void {
    const draw = (detail: Detail, knowledge: Knowledge): void => {
      const [heading, ...rest] = drawDetail(this.graph, detail, knowledge, this.#derivative);
      const differences = this.compared && differencesOf(this.graph, this.compared, detail);
      this.#put(node, [heading!, ...(differences ? [differences] : []), ...rest]);
    };
    const known = knownDetail(this.graph, node);
    draw(known, "asking");
    const ask = (): void => {
      this.actions.detail(node).then(
        (detail) => {
          if (this.#shown === node) draw(detail, "complete");
        },
        (error: Error) => {
          if (this.#shown === node) draw(known, { missing: error.message });
        },
      );
    };
    if (rest) this.#timer = setTimeout(ask, rest);
    else ask();
  }

  #put(node: number | null, children: HTMLElement[]): void {
    clearTimeout(this.#timer);
    const same = this.#shown === node;
    this.#shown = node;
    // An answer that arrives for the node shown keeps its preview state and the reader's place.
    if (!same) {
      this.element.classList.remove("adviz-previewing");
      this.element.scrollTop = 0;
    }
    this.element.replaceChildren(...children);
  }

  #invitation(): HTMLElement {
    return html(
      "p.adviz-invitation",
      "Click a node to see its value, its local Jacobians, what feeds it and what it feeds. " +
        "Shift-click a second one to see all paths between the two.",
    );
  }

  #summary(relation: Relation): HTMLElement[] {
    const { selected, paths } = relation;
    const between = paths ? [...setMembers(paths.on)].filter((node) => !selected.includes(node)) : [];
    return [
      html("h3.adviz-sentence", sentence(phrases(this.graph, relation))),
      ...(selected.length > 2 ? [this.#blocks(selected)] : []),
      this.#links(selected),
      ...(between.length ? [html("section.adviz-section", html("h4", "On the way"), this.#links(between))] : []),
    ];
  }

  #links(nodes: readonly number[]): HTMLElement {
    const links = nodes.slice(0, MOST_LINKS).map((node) => html("li", nodeLink(node, this.graph.fullLabel(node))));
    const more =
      nodes.length > MOST_LINKS ? html("li.adviz-muted", `and ${count(nodes.length - MOST_LINKS)} more`) : null;
    return html("ul.adviz-inline", ...links, more);
  }

  /** How often each block occurs among the selected nodes. */
  #blocks(selected: readonly number[]): HTMLElement {
    const tally = new Map<string, number>();
    for (const node of selected)
      tally.set(this.graph.block(node).name, (tally.get(this.graph.block(node).name) ?? 0) + 1);
    const ranked = [...tally].sort((a, b) => b[1] - a[1]).slice(0, MOST_BLOCKS);
    const words = ranked.map(([name, times]) => `${count(times)} ${name}`).join(", ");
    return html(
      "p.adviz-muted",
      tally.size > MOST_BLOCKS ? `${words} and ${plural(tally.size - MOST_BLOCKS, "other block")}` : words,
    );
  }
}
