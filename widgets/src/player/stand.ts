// What belongs to one scene of a show, and is made anew with the next: its graph, its panels, and where it stands.

import { Graph } from "../graph/graph.js";
import type { PlayerHost } from "../host.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import { type Level, Playback } from "../playback/playback.js";
import { decodeColumns } from "../scene/columns.js";
import { type Panel, type Rest, type Show, type Step, isElimination, isGraph, panelOf } from "../scene/scene.js";
import { readNode } from "./answers.js";
import { type Opened, turned } from "../layout/boxes.js";
import { boxesOf, told } from "../flow/lines.js";
import type { Stop } from "../ui/controls.js";
import type { Clock } from "./clock.js";
import type { Floor } from "./floor.js";
import { type Kit, makePanel } from "./panel-kinds.js";
import { leading, sentences } from "./telling.js";

interface Made {
  readonly description: Panel;
  readonly panel: PlayerPanel;
}

export class Stand {
  readonly scene: Show;
  readonly graph: Graph;
  readonly playback: Playback;
  /** The lines that are open, by the numbers of their boxes. */
  opened: Opened = [];

  private constructor(
    readonly kit: Kit,
    readonly context: PanelContext,
    readonly made: readonly Made[],
    readonly ending: AbortController,
  ) {
    this.scene = context.scene;
    this.graph = context.graph;
    this.playback = new Playback(this.scene.steps, this.scene.start, this.scene.opening);
  }

  /** A scene with its panels on the floor. Throws SceneError when the columns are not what the scene says. */
  static of(
    kit: Kit,
    scene: Show,
    host: PlayerHost,
    floor: Floor,
    actions: Omit<PanelContext, "scene" | "graph" | "signal">,
  ): Stand {
    const ending = new AbortController();
    const graph = new Graph(scene, decodeColumns(host.columns, scene.columns));
    const nudge = (input: number, entry: number): void => made.forEach(({ panel }) => panel.nudge?.(input, entry));
    const asks = { ...(host.nudge && { nudged: host.nudge.bind(host) }), ...(host.program && { program: host.program.bind(host) }) };
    const context: PanelContext = { ...actions, ...asks, nudge, scene, graph, signal: ending.signal };
    const made: Made[] = scene.panels
      .map((description) => ({ description, panel: makePanel(kit, description, context) }))
      .filter((one): one is Made => one.panel !== null);
    floor.put(
      made.map(({ description, panel }) => ({ description, element: panel.element, size: panel.size, panel })),
      scene.runs,
    );
    // Graphs come last: others measure themselves, which would be slow after much has been written on a graph.
    made.sort((one, other) => Number(isGraph(one.description)) - Number(isGraph(other.description)));
    return new Stand(kit, context, made, ending);
  }

  /** See these lines opened, and rest where there is then something to say. */
  open(opened: Opened): void {
    const flow = panelOf(this.scene, "flow");
    this.opened = opened;
    if (flow) this.playback.open(told(flow, opened));
  }

  /** Open a line and none beside it, or close it. */
  turn(box: number): void {
    const flow = panelOf(this.scene, "flow");
    if (flow) this.open(turned(boxesOf(flow), this.opened, box));
  }

  /** How a node is named: as in the picture, or by its number. */
  label(node: number): string {
    return this.#names.find(([drawn]) => drawn === node)?.[1] ?? this.graph.label(node);
  }

  /** The node with a name in the picture, or with a number; null where there is none. */
  find(text: string): number | null {
    const node = this.#names.find(([, name]) => name === text.trim())?.[0] ?? readNode(text);
    return node !== null && this.graph.has(node) ? node : null;
  }

  /** Nodes with their names in the picture, where some are followed by values. */
  get #names(): [number, string][] {
    return (panelOf(this.scene, "flow")?.nodes ?? []).map(({ node, name }) => [node, name.split(" = ")[0]!]);
  }

  /** Where the show rests at a level, with the line of the function that each is about: those about inputs stay with it. */
  stops(level: Level): Stop[] {
    const rests = this.playback.rests(level);
    let line: string | undefined;
    return rests.map(([stop, rest], k) => {
      line = this.#lineOf(rest) ?? line;
      return [stop, rest?.name ?? "", rest?.named, k && k < rests.length - 1 ? line : undefined];
    });
  }

  /** The line of the function, or of the source, that is told of. */
  #lineOf(rest: Rest | null): string | undefined {
    const [flow, node] = [panelOf(this.scene, "flow"), rest?.nodes[0]];
    if (node === undefined) return undefined;
    const box = flow && boxesOf(flow).find(({ inside }) => inside.includes(node));
    const span = this.graph.span(node);
    return box ? box.label.split(" = ")[0] : span ? `line ${span[1]}` : undefined;
  }

  get panels(): readonly PlayerPanel[] {
    return this.made.map(({ panel }) => panel);
  }

  /** The same with other steps; panels that depend on them are made anew, so many times as large as usual. */
  withSteps(steps: Step[], times: number): Stand {
    const context = { ...this.context, scene: { ...this.scene, steps } };
    const made = this.made.map(({ description, panel }) => {
      if (panel.isLasting) return { description, panel };
      const other = makePanel(this.kit, description, context)!;
      panel.element.replaceWith(other.element);
      if (times !== 1) other.enlarge?.(times);
      return { description, panel: other };
    });
    return new Stand(this.kit, context, made, this.ending);
  }

  show(moment: Moment): void {
    for (const { panel } of this.made) panel.show(moment);
  }

  /** What there is to show at a level; where a clock is given, the way there may be seen. */
  moment(level: Level, words: string, changed: ReadonlySet<string> | null, clock: Clock | null): Moment {
    const { opened } = this;
    const { cursor, stage, steps } = this.playback;
    const taken = this.#taken(level);
    const rest = this.playback.rest(level);
    const shown = { cursor, stage, steps, step: leading(taken), taken, next: steps[cursor] ?? null, changed, level, rest, words, opened };
    const pace = clock?.pace ?? null;
    return { ...shown, motion: pace !== null, pace: pace ?? 0, speed: clock?.speed };
  }

  /** What has just happened; null at the start where the show has no opening. */
  words(level: Level): string | null {
    const taken = this.#taken(level);
    const whole = level === "nodes" ? this.playback.whole() : null;
    return this.playback.rest(level)?.caption ?? (taken.length ? whole || sentences(taken) : null);
  }

  /** The steps that the step just taken is made of: a coarse one is of several. */
  #taken(level: Level): Step[] {
    const { cursor, steps } = this.playback;
    return steps.slice(this.playback.before(level), cursor);
  }

  /** Milliseconds at the speed 1 that the motion to a moment takes. */
  duration(moment: Moment): number {
    return Math.max(0, ...this.panels.map((panel) => panel.duration?.(moment) ?? 0));
  }

  /** Mark the selected nodes; returns those that there are. */
  mark(nodes: readonly number[]): readonly number[] {
    // Vertices of a c-graph are no nodes of a traced program.
    const isTraced = !isElimination(this.scene);
    const marked = nodes.filter((node) => !isTraced || this.graph.has(node));
    for (const { panel } of this.made) panel.mark(marked);
    return marked;
  }

  /** Whether a panel does something with a key. */
  takesKey(event: KeyboardEvent): boolean {
    if (event.key === "m" && isElimination(this.scene)) this.panels.forEach((panel) => panel.turn?.());
    return this.panels.some((panel) => panel.takesKey?.(event));
  }

  enlarge(times: number): void {
    for (const { panel } of this.made) panel.enlarge?.(times);
  }
}
