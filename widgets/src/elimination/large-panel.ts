// One side of the elimination of a large graph. All that will ever be there has its place from the start, so that nothing
// moves; what is there at a cursor is shown, and what the step took away as a ghost.

import { type Moment, type PanelContext, type PlayerPanel, focusOf, signList } from "../panels/panel.js";
import { Picture } from "../picture/picture.js";
import { partOf } from "../playback/runs.js";
import type { Stage } from "../playback/stage.js";
import type { LargePanel as Description, Item, Step } from "../scene/scene.js";
import { type SmallArray, exact, short } from "../scene/values.js";
import { html, setAttribute, svg } from "../ui/dom.js";

/** Characters that labels have room for. */
const MOST = 9;
/** Down to this scale, at which labels can be read, a show is seen whole; else in part, following the steps. */
const WHOLE = 0.5;
/** Number of hues that distinguish intermediates. */
const HUES = 7;

const SIGNS = [
  ["factor", "factor"],
  ["fresh", "fill-in"],
  ["changed", "absorbed"],
  ["gone", "gone"],
] as const;

export class LargePanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #picture: Picture;
  readonly #labels = new Map<string, SVGTextElement>();

  constructor(
    readonly panel: Description,
    readonly context: PanelContext,
  ) {
    const { scene, signal } = context;
    const choose = (item: Item | null): void => context.select(item?.key.startsWith("vertex/") ? [numberOf(item)] : []);
    const nothing = (): void => undefined;
    const events = { choose, open: choose, leave: () => choose(null), hover: nothing, resized: nothing };
    this.#picture = new Picture({ ...panel, kind: "graph" }, events, signal, WHOLE);
    const { id, label } = scene.runs.find((run) => run.id === panel.run)!;
    const side = panel.side === "cgraph" ? "Computational graph" : "Line graph";
    this.element = html(
      "div.adviz-stagegraph.adviz-large",
      { "data-run": id, "data-side": panel.side },
      html("h4.adviz-run-title", scene.runs.length > 1 ? `${label}: ${side}` : side),
      panel.note ? html("p.adviz-note", panel.note) : null,
      this.#picture.element,
      signList(SIGNS),
    );
    panel.nodes.forEach(({ key, kind }, i) => {
      const element = this.#picture.node(key)!;
      const text = svg("text.adviz-factor", { y: 4, "text-anchor": "middle", "aria-hidden": "true" });
      element.setAttribute("data-sort", key.split("/")[0]!);
      if (!key.startsWith("vertex/")) element.append(text), this.#labels.set(key, text);
      else if (kind === "block") element.setAttribute("data-hue", String(i % HUES));
    });
    this.#picture.leaveSwipes();
  }

  adopt(other: PlayerPanel): void {
    const camera = other instanceof LargePanel ? other.#picture.chosenCamera : null;
    if (camera) this.#picture.lookFrom(camera);
  }

  enlarge(times: number): void {
    this.#picture.openAt(WHOLE * times);
  }

  show({ stage, step, taken, next, cursor }: Moment): void {
    const roles = this.#roles(stage, taken ?? (step ? [step] : []));
    const { nodes, edges, run, id } = this.panel;
    for (const { key } of [...nodes, ...edges])
      for (const element of [this.#picture.node(key), this.#picture.edge(key)]) {
        if (!element) continue;
        setAttribute(element, "data-absent", stage.has(`${run}/${key}`) ? null : "");
        setAttribute(element, "data-role", roles.get(key) ?? null);
      }
    for (const [key, text] of this.#labels) {
      const value = stage.get(`${run}/${key}`);
      const words = typeof value === "object" ? (value as SmallArray).shape.join("×") : short(value, MOST);
      if (text.textContent !== words) text.textContent = words;
      setAttribute(this.#picture.node(key)!, "aria-description", exact(value) || null);
    }
    this.#picture.limit({ nodes: nodes.filter(({ key }) => stage.has(`${run}/${key}`)), edges });
    // Where a step only removes, what stays is not dimmed.
    this.#picture.surface.classList.toggle("adviz-stepping", [...roles.values()].some((role) => role !== "gone"));
    // A folded picture has no labels to look at: the last focus of a product leads to its vertex.
    const focus = focusOf(step, id);
    const ends = focus.flatMap((key) => (key.startsWith("edge/") ? key.slice(5).split(".").map((end) => `vertex/${end}`) : []));
    const first = focus.find((key) => this.#picture.node(key)) ?? ends.at(-1);
    if (!next && !nodes.some(({ key, kind }) => kind === "block" && key.startsWith("vertex/") && stage.has(`${run}/${key}`))) this.#picture.survey();
    else if (first !== undefined) this.#picture.follow([first]);
    if (!cursor) this.#picture.rewind();
  }

  mark(nodes: readonly number[]): void {
    const chosen = this.panel.nodes.filter((item) => item.key.startsWith("vertex/") && nodes.includes(numberOf(item)));
    this.#picture.mark({ items: new Map(chosen.map(({ key }) => [key, "selected"])), edges: new Map() });
  }

  /** What part things have in the steps just taken: factors, what is new or changed by them, what is gone. */
  #roles(stage: Stage, taken: readonly Step[]): Map<string, string> {
    const start = `${this.panel.run}/`;
    const factors = taken.flatMap((step) => partOf(step, this.panel.run)?.product?.factors ?? []);
    const roles = new Map(factors.map((key) => [key.replace("node/", "edge/"), "factor"]));
    const before = new Map<string, unknown>();
    for (const { edits } of taken) for (const [key, value] of edits) if (key.startsWith(start) && !before.has(key)) before.set(key, value);
    for (const [key, old] of before) {
      const now = stage.get(key) ?? null;
      if (JSON.stringify(old) !== JSON.stringify(now)) roles.set(key.slice(start.length), old === null ? "fresh" : now === null ? "gone" : "changed");
    }
    return roles;
  }
}

/** The name of a vertex in the selection. */
const numberOf = ({ key, node }: Item): number => node ?? Number(key.slice("vertex/".length));
