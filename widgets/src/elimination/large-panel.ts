// One side of the elimination of a large graph. All that will ever be there has its place from the start, so that nothing
// moves; what is there at a cursor is shown, and what the step took away as a ghost.

import { StageGraph } from "../panels/graph-panel.js";
import { type Moment, type PanelContext, focusOf, signList } from "../panels/panel.js";
import { partOf } from "../playback/runs.js";
import type { LargePanel as Description, Step } from "../scene/scene.js";
import { type SmallArray, alike, short } from "../scene/values.js";
import { html, setAttribute, svg } from "../ui/dom.js";

/** Characters that labels have room for. */
const MOST = 9;
/** Number of hues that distinguish intermediates. */
const HUES = 7;

const isVertex = ({ key }: { readonly key: string }): boolean => key.startsWith("vertex/");

export class LargePanel extends StageGraph {
  readonly isLasting = true;
  readonly #labels = new Map<string, SVGTextElement>();

  constructor(
    readonly side: Description,
    context: PanelContext,
  ) {
    super({ ...side, kind: "graph" }, context);
    const panel = side;
    panel.nodes.forEach((item, i) => {
      const element = this.picture.node(item.key)!;
      const text = svg("text.adviz-factor", { y: 4, "text-anchor": "middle", "aria-hidden": "true" });
      element.setAttribute("data-sort", item.key.split("/")[0]!);
      if (!isVertex(item)) element.append(text), this.#labels.set(item.key, text);
      else if (item.kind === "block") element.setAttribute("data-hue", String(i % HUES));
    });
    this.element.classList.add("adviz-large");
    this.element.dataset["side"] = panel.side;
    const signs = signList([["factor", "factor"], ["fresh", "fill-in"], ["changed", "absorbed"], ["gone", "gone"]]);
    this.element.append(html("h4.adviz-run-title", panel.side === "cgraph" ? "Computational graph" : "Line graph"), signs);
    if (panel.note) this.picture.element.before(html("p.adviz-note", panel.note));
  }

  override show({ stage, step, taken = step ? [step] : [], next, cursor }: Moment): void {
    const { nodes, edges, run, id } = this.side;
    const roles = this.#roles(stage, taken);
    const isThere = ({ key }: { readonly key: string }): boolean => stage.has(`${run}/${key}`);
    for (const each of [...nodes, ...edges])
      for (const element of [this.picture.node(each.key), this.picture.edge(each.key)]) {
        if (!element) continue;
        setAttribute(element, "data-absent", isThere(each) ? null : "");
        setAttribute(element, "data-role", roles.get(each.key) ?? null);
      }
    for (const [key, text] of this.#labels) {
      const value = stage.get(`${run}/${key}`);
      text.textContent = typeof value === "object" ? (value as SmallArray).shape.join("×") : short(value, MOST);
    }
    this.picture.limit({ nodes: nodes.filter(isThere), edges });
    // Where a step only removes, what stays is not dimmed.
    this.picture.surface.classList.toggle("adviz-stepping", [...roles.values()].some((role) => role !== "gone"));
    // A folded picture has no labels to look at: the last focus of a product leads to its vertex.
    const focus = focusOf(step, id).flatMap((key) => [key, `vertex/${key.slice(5).split(".")[1]}`]);
    if (!next && !nodes.some((item) => item.kind === "block" && isVertex(item) && isThere(item))) this.picture.survey();
    else this.picture.follow(focus.filter((key) => this.picture.node(key)).slice(0, 1));
    if (!cursor) this.picture.rewind();
  }

  /** What part things have in the steps just taken: factors, what is new or changed by them, what is gone. */
  #roles(stage: Moment["stage"], taken: readonly Step[]): Map<string, string> {
    const start = `${this.side.run}/`;
    const factors = taken.flatMap((step) => partOf(step, this.side.run)?.product?.factors ?? []);
    const roles = new Map(factors.map((key) => [key.replace("node/", "edge/"), "factor"]));
    const before = new Map([...taken].reverse().flatMap(({ edits }) => [...edits].reverse().map(([key, old]) => [key, old] as const)));
    for (const [key, old] of before) {
      const now = stage.get(key) ?? null;
      if (key.startsWith(start) && !alike(old, now)) roles.set(key.slice(start.length), old === null ? "fresh" : now === null ? "gone" : "changed");
    }
    return roles;
  }
}
