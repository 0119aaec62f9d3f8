// A graph of ops whose composite ops are folded, each into one box, or opened: two pictures, of which one is in sight.

import { StageGraph } from "../panels/graph-panel.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import type { GraphPanel } from "../scene/scene.js";
import { closest, html, listen } from "../ui/dom.js";

export class FoldingGraph implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #folded: StageGraph;
  readonly #opened: StageGraph | null;
  #seen: StageGraph;

  constructor(
    readonly panel: GraphPanel,
    context: PanelContext,
  ) {
    const own = { ...context, fold: (isFolded: boolean, nodes: readonly number[] = []) => this.#fold(context, isFolded, nodes) };
    this.#seen = this.#folded = new StageGraph(panel, panel.opened ? own : context);
    this.#opened = panel.opened ? new StageGraph(panel.opened, own) : null;
    this.element = this.#opened ? html("div.adviz-folding", this.#folded.element) : this.#folded.element;
    if (this.#opened) listen(this.element, context.signal, { click: (event) => this.#click(event, own) });
  }

  #fold(context: PanelContext, isFolded: boolean, nodes: readonly number[]): void {
    const { hasFocus } = this.#seen;
    context.fold?.(isFolded);
    this.#seen.lookAt(nodes, hasFocus);
  }

  /** The minus of an opened composite op folds. */
  #click(event: Event, { fold }: Required<Pick<PanelContext, "fold">>): void {
    const box = closest(event, "[data-close]")?.closest(".adviz-group");
    const { groups = [], nodes } = this.panel.opened!;
    const group = box && groups[[...box.parentElement!.children].indexOf(box)];
    if (group) fold(true, group.nodes.map((index) => nodes[index]!.node).filter((node) => node !== null));
  }

  get #pictures(): StageGraph[] {
    return this.#opened ? [this.#folded, this.#opened] : [this.#folded];
  }

  show(moment: Moment): void {
    const seen = this.#opened && moment.level !== "nodes" ? this.#opened : this.#folded;
    const isTurned = seen !== this.#seen;
    if (isTurned) this.element.replaceChildren(seen.element);
    this.#seen = seen;
    // The other picture has missed what happened meanwhile.
    seen.show(isTurned ? { ...moment, changed: null } : moment);
  }

  mark(nodes: readonly number[]): void {
    for (const each of this.#pictures) each.mark(nodes);
  }

  breaks(nodes: ReadonlySet<number>): void {
    for (const each of this.#pictures) each.breaks(nodes);
  }

  enlarge(times: number): void {
    for (const each of this.#pictures) each.enlarge(times);
  }

  adopt(other: PlayerPanel): void {
    if (!(other instanceof FoldingGraph)) return;
    this.#folded.adopt(other.#folded);
    if (this.#opened && other.#opened) this.#opened.adopt(other.#opened);
  }
}
