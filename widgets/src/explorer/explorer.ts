// The Explorer: one selection and one opened scope, shown by a picture, an inspector, sizes and source that each know
// only the actions they may ask for. Everything subscribed to ends with one AbortSignal.

import type { Actions } from "./actions.js";
import { Comparing } from "../comparison/comparing.js";
import { Derivative, chooser, decorate } from "./adjoints.js";
import { Evaluation, PANELS } from "./evaluation.js";
import { Inspector } from "./inspector.js";
import { Measures } from "./measures.js";
import { SearchBox } from "./search-box.js";
import { Sizes } from "./sizes.js";
import { ScopeTrail } from "./trail.js";
import type { Box, StatementsPanel } from "../statements/statements.js";
import { StatementsView } from "../statements/statements-view.js";
import { compiledFrom } from "../graph/compiled.js";
import { Graph, sameNodes } from "../graph/graph.js";
import type { GraphHost } from "../host.js";
import { Source } from "../panels/source.js";
import { READABLE } from "../picture/camera.js";
import { BOX_KEYS, PLAY_KEYS, legend } from "../picture/legend.js";
import { type Phrase, Places, marksFor, phrases, relationOf, sentence } from "../picture/relations.js";
import { type Entrance, Picture } from "../picture/picture.js";
import { Player } from "../player/player.js";
import { decodeColumns } from "../scene/columns.js";
import {
  type DerivativesPanel,
  type Detail,
  type GraphPanel,
  type Item,
  SceneError,
  panelOf,
  readScene,
  readView,
} from "../scene/scene.js";
import { styles } from "../styles/styles.js";
import { commandOf } from "../ui/controls.js";
import { atEnd, closest, consume, html, isModified, listen, uniqueName } from "../ui/dom.js";
import { plural } from "../ui/format.js";
import { listenToLinks } from "../ui/node-links.js";
import { Requests, remember } from "../ui/requests.js";
import { Tabs } from "../ui/tabs.js";

/** Down to this scale the graph of a program, which is beside what can be read, opens as a whole. */
const WHOLE = 0.6;
/** Of so few nodes, seen by statements, one is told of first, and then the sizes. */
const SMALL = 200;
/** Statements open as a whole, as large as they are laid out. */
const LARGE = 2;

export class Explorer {
  /** Holds the region of the graph, and while its evaluation is played a Player in its place. */
  readonly element = html("div");
  readonly #region: HTMLElement;
  readonly #host: GraphHost;
  readonly #graph: Graph;
  readonly #ending = new AbortController();
  readonly #picture: Picture;
  readonly #trail: ScopeTrail;
  /** The graph by its statements, where they can be seen at once. */
  readonly #statements: StatementsView | null;
  readonly #inspector: Inspector;
  /** What the graph was made by; and for a program what that was compiled from. */
  readonly #sources: readonly Source[];
  readonly #sizes: Sizes | null;
  readonly #measures: Measures;
  /** What differs, where two graphs are laid over each other. */
  readonly #comparing: Comparing | null;
  /** Null where there are none, which the chooser explains. */
  readonly #derivatives: DerivativesPanel | null;
  readonly #search: SearchBox;
  readonly #tabs: Tabs;
  readonly #status = html("div.adviz-status");
  readonly #play: HTMLElement;
  readonly #back: HTMLElement;
  readonly #live = html("div.adviz-unseen", { role: "status", "aria-live": "polite" });
  readonly #views = new Map<number, Promise<GraphPanel>>();
  readonly #details = new Map<number, Promise<Detail>>();
  #panel: GraphPanel;
  #places: Places;
  #selected: readonly number[] = [];
  /** Whether a row or a box was selected, and not one node and another. */
  #isGroup = false;
  #previewed: readonly number[] = [];
  /** For scopes and shows, and for derivatives. */
  readonly #requests: Requests;
  #evaluation: Evaluation | null = null;
  #player: Player | null = null;
  /** What is shown beside the values. */
  #derivative: Derivative | null = null;

  /** Throws SceneError when the host's documents are not what the front end reads. */
  constructor(host: GraphHost) {
    const scene = readScene(host.scene);
    const panel = panelOf(scene, "graph");
    if (!panel) throw new SceneError("scene.panels: expected a panel of kind graph, found none");
    this.#host = host;
    this.#graph = new Graph(scene, decodeColumns(host.columns, scene.columns));
    this.#panel = panel;
    this.#places = new Places(this.#graph, panel);
    this.#views.set(panel.scope, Promise.resolve(panel));

    const { signal } = this.#ending;
    this.#requests = new Requests(
      () => this.#say(this.#requests.awaited.map(plain)),
      (why) => this.#tell(this.#say([plain(why)])),
      signal,
    );
    const actions = this.#actions();
    const prefix = uniqueName();
    const sizes = panelOf(scene, "sizes");
    const derivatives = panelOf(scene, "derivatives");
    this.#derivatives = derivatives?.outputs.length ? derivatives : null;
    const from = panelOf(scene, "function");
    const lines = panelOf(scene, "lines");
    this.#statements = lines && new StatementsView(this.#graph, panel, lines, () => this.#arrive(panel), signal);
    this.#picture = this.#draw(panel, from ? WHOLE : READABLE);
    this.#statements?.listen(this.#picture, signal);
    this.#trail = new ScopeTrail(this.#graph, actions, (box) => this.#statements!.turn(box), signal);
    // The graph of a program follows the selection in its source.
    const showing = {
      ...actions,
      select: (nodes: readonly number[]) => {
        actions.select(nodes);
        if (nodes.length === 1) actions.show(nodes[0]!);
      },
    };
    const compared = panelOf(scene, "comparison");
    this.#comparing = compared && new Comparing(this.#graph, compared, { ...actions, mark: (nodes) => this.#select(nodes, true) }, signal);
    this.#sources = this.#comparing
      ? this.#comparing.sources
      : from
      ? [
          new Source(this.#graph, showing, signal, "Program"),
          new Source(compiledFrom(this.#graph, from), showing, signal, "Function"),
        ]
      : [new Source(this.#graph, actions, signal)];
    const showSource = (node: number): void => this.#sources.forEach((source) => source.show(node));
    this.#inspector = new Inspector(this.#graph, actions, signal, showSource, compared, this.#statements?.result ?? null);
    // Choosing a bar must not switch to another tab.
    this.#sizes =
      sizes &&
      new Sizes(this.#graph, sizes, { ...actions, select: (nodes) => this.#select(nodes, true) }, signal, () =>
        this.#measures.redraw(),
      );
    this.#measures = new Measures(
      this.#graph,
      actions,
      this.#sources[0]!,
      compared ? "difference" : this.#derivatives ? "sign" : "kind",
      this.#derivatives !== null,
      () => this.#sizes?.table.sum ?? null,
      signal,
    );
    this.#search = new SearchBox(this.#graph, actions, prefix, signal, () => this.#picture.focus());
    const beside = this.#sizes ? [["Sizes", this.#sizes.element] as const] : [];
    const isSmall = lines !== null && this.#graph.size <= SMALL;
    this.#tabs = new Tabs(
      prefix,
      [
        ...(this.#comparing ? [["Differences", this.#comparing.element] as const] : []),
        ...(isSmall ? [] : beside),
        ["Inspector", this.#inspector.element],
        ...(isSmall ? beside : []),
      ],
      signal,
    );
    this.#play = this.#button("play", "Play", "Watch the evaluation, step by step (e)", () => void this.#perform());
    this.#back = this.#button("back", "Back to the graph", "Back to the graph (Esc)", () => this.#return());
    this.#region = this.#compose(scene.title);
    this.element.append(this.#region);
    this.#listen();
    this.#arrive(panel);
    this.#apply(host.selection);
    if (this.#derivatives && this.#derivatives.chosen !== null) void this.#differentiate(this.#derivatives.chosen);
    if (host.selection.length) this.#tabs.open("Inspector");
  }

  get #canPlay(): boolean {
    return Boolean(this.#host.play) && !this.#comparing;
  }

  get keyboard(): Element {
    return (this.#player ?? this.#picture).keyboard;
  }

  /** End every subscription, and take the element off its page. */
  dispose(): void {
    this.#ending.abort();
    this.#player?.dispose();
    this.#host.dispose();
    this.element.remove();
  }

  #actions(): Actions {
    return {
      select: (nodes) => {
        this.#select(nodes);
        this.#tabs.open("Inspector");
      },
      preview: (nodes) => this.#preview(nodes),
      show: (node) => void this.#show(node),
      open: (scope) => void this.#open(scope),
      detail: (node) => remember(this.#details, node, () => this.#host.detail(node)),
    };
  }

  #draw(panel: GraphPanel, whole: number): Picture {
    return new Picture(
      panel,
      {
        choose: (item, extend) => this.#choose(item, extend),
        open: (item) => this.#enter(item),
        leave: () => this.#leave(),
        hover: (item) => this.#preview(item ? this.#places.nodes(item) : []),
        resized: () => {
          this.#sources.forEach((source) => source.settle());
          if (this.#lines) this.#arrive(this.#statements!.root);
        },
      },
      this.#ending.signal,
      whole,
    );
  }

  /** The statements, where they are shown. */
  get #lines(): StatementsPanel | null {
    return "hulls" in this.#panel ? (this.#panel as StatementsPanel) : null;
  }

  /** Open an item: a statement in place, a scope as the picture. */
  #enter(item: Item): void {
    if (this.#lines && this.#statements!.turn((item as Box).box)) return;
    const scope = item.span?.[0] ?? this.#graph.columns.scope[item.node!];
    if (scope === undefined) return;
    // The click that began a double click chose all inside: nothing would stand out there.
    if (sameNodes(this.#selected, this.#places.nodes(item))) this.#select([]);
    void this.#open(scope);
  }

  #compose(title: string): HTMLElement {
    const key = legend(this.#derivatives !== null, this.#comparing?.keys ?? [...(this.#statements ? BOX_KEYS : []), ...(this.#canPlay ? PLAY_KEYS : [])], this.#comparing?.legend);
    const toggle = this.#button("legend-toggle", "Legend", null, () => {
      key.hidden = !key.hidden;
      toggle.setAttribute("aria-expanded", String(!key.hidden));
    });
    toggle.setAttribute("aria-expanded", "false");
    this.#play.hidden = !this.#canPlay;
    const named = title && title !== this.#panel.path[0]?.label ? html("strong.adviz-title", title) : null;
    return html(
      "div",
      { class: "adviz", "data-lm-suppress-shortcuts": "true", role: "region", "aria-label": `Explorer of ${title}` },
      html("style", styles),
      html(
        "div",
        { class: `adviz-frame${this.#comparing ? " adviz-comparing" : this.#sources[1] ? " adviz-compiled" : ""}${this.#derivatives ? " adviz-signed" : ""}` },
        html("div.adviz-header", named, this.#trail.element, this.#statements?.element ?? null, this.#search.element, this.#measures.element, this.#play, toggle),
        ...(this.#comparing ? [this.#comparing.strip] : []),
        ...this.#columns(html("div.adviz-main", this.#measures.key, this.#picture.element, this.#status, key)),
      ),
      this.#live,
    );
  }

  /** The picture and the panels beside it; a program stands between its function and its graph. */
  #columns(picture: HTMLElement): HTMLElement[] {
    if (this.#comparing) {
      const sources = this.#sources.map(({ element }) => element).reverse();
      return [picture, html("div.adviz-side", this.#tabs.element, ...sources)];
    }
    const [source, from] = this.#sources;
    const side = html("div.adviz-side", from?.element ?? this.#tabs.element);
    if (this.#statements) {
      source!.bar.append(this.#measures.lines);
      picture = html("div.adviz-above", picture, source!.element);
    }
    const derivatives = panelOf(this.#graph.scene, "derivatives");
    if (derivatives) side.prepend(chooser(derivatives, (choice) => void this.#differentiate(choice)));
    side.append(!this.#statements ? (from ? this.#tabs : source!).element : (this.#sizes?.facts ?? ""));
    return from ? [side, source!.element, picture] : [picture, side];
  }

  #button(name: string, words: string, title: string | null, act: () => void): HTMLElement {
    const button = html(`button.adviz-quiet.adviz-${name}`, { title }, words);
    listen(button, this.#ending.signal, { click: act });
    return button;
  }

  #listen(): void {
    const { signal } = this.#ending;
    const apply = (nodes: readonly number[]): unknown => sameNodes(nodes, this.#selected) || this.#apply(nodes);
    atEnd(signal, this.#host.onSelection(apply));
    const keys: Record<string, () => void> = { "/": () => this.#search.focus() };
    if (this.#comparing) Object.assign(keys, { n: () => this.#comparing!.step(1), p: () => this.#comparing!.step(-1) });
    if (this.#canPlay) keys["e"] = () => void this.#perform();
    listen(this.#region, signal, {
      keydown: (event) => {
        // The notebook must not handle the same keys.
        event.stopPropagation();
        const typing = closest(event, "input, select, textarea");
        const act = keys[event.key];
        if (!act || typing || isModified(event)) return;
        event.preventDefault();
        act();
      },
    });
    listenToLinks(this.#region, signal, (node) => this.#preview(node === null ? [] : [node], false), (node) => {
      this.#select([node]);
      this.#bringIn(node);
    });
  }

  #choose(item: Item | null, extend: boolean): void {
    const nodes = item ? [...((item as Box).exits ?? this.#places.nodes(item))] : [];
    if (item && !nodes.length) return;
    const anchor = this.#selected[0];
    if (extend && anchor !== undefined && nodes.length === 1) this.#select([...new Set([anchor, ...nodes])]);
    else if (!extend || nodes.length) this.#select(nodes, true);
    if (nodes.length) this.#tabs.open("Inspector");
  }

  #select(nodes: readonly number[], isGroup = false): void {
    const before = this.#selected;
    this.#apply(nodes, isGroup);
    if (!sameNodes(before, this.#selected)) this.#host.select(this.#selected);
  }

  /** Show a selection everywhere. */
  #apply(nodes: readonly number[], isGroup = false): void {
    this.#isGroup = isGroup;
    this.#selected = [...new Set(nodes)].filter((node) => this.#graph.has(node));
    this.#previewed = [];
    this.#sources.forEach((source) => source.mark(this.#selected));
    this.#sizes?.mark(this.#selected);
    const one = this.#selected.length === 1 ? this.#places.item(this.#selected[0]!) : null;
    this.#tell([one?.title, this.#mark()].filter(Boolean).join(": "));
  }

  /** Mark what the selection relates to in the opened scope; returns the relation in words. */
  #mark(): string {
    const relation = relationOf(this.#graph, this.#selected, this.#isGroup);
    this.#picture.preview(new Set());
    const lines = this.#lines;
    this.#picture.mark(lines ? this.#statements!.marks(lines, this.#places, relation) : marksFor(this.#panel, this.#places, relation));
    if (lines) this.#statements!.count(this.#picture, lines, this.#places, this.#selected);
    this.#inspector.select(relation, this.#derivative);
    const away = this.#selected.filter((node) => this.#places.index(node) < 0).length;
    return this.#say([
      ...(lines && !relation.paths ? [] : phrases(this.#graph, relation)),
      plain(away ? `${plural(away, "node")} not in this view` : ""),
      plain(this.#panel.note ?? ""),
      plain(this.#derivative?.known.note ?? ""),
      ...this.#requests.awaited.map(plain),
    ]);
  }

  #preview(nodes: readonly number[], inspect = true): void {
    if (sameNodes(nodes, this.#previewed)) return;
    this.#previewed = nodes;
    this.#picture.preview(this.#places.keys(nodes));
    this.#sources.forEach((source) => source.preview(nodes));
    // Beside statements nothing moves while something is pointed at.
    if (inspect && !this.#lines) this.#inspector.preview(nodes.length === 1 ? nodes[0]! : null);
  }

  async #show(node: number): Promise<void> {
    const item = this.#places.item(node);
    if (item && item.node !== node && this.#lines) this.#enter(item);
    else if (item?.node !== node) await this.#open(this.#graph.columns.scope[node]!);
    this.#bringIn(node);
    // The keyboard follows what is shown.
    if (this.#picture.hasFocus) this.#picture.focus(this.#places.item(node)?.key);
  }

  #bringIn(node: number): void {
    const item = this.#places.item(node);
    if (item) this.#picture.follow([item.key], true);
  }

  #leave(): void {
    if (this.#lines && this.#statements!.close()) return;
    const parent = this.#panel.path.at(this.#graph.scopes.leadsBack(this.#panel) ? -3 : -2);
    if (parent) void this.#open(parent.scope);
    else this.#select([]);
  }

  async #open(scope: number): Promise<void> {
    const ask = () => remember(this.#views, scope, async () => readView(await this.#host.view(scope)));
    if (scope === this.#panel.scope) this.#requests.forget();
    else await this.#requests.ask("Waiting for Python to place this scope …", ask, (panel) => this.#arrive(panel));
  }

  /** Show the derivatives of an output with respect to everything; null: none. */
  async #differentiate(choice: number | null): Promise<void> {
    const arrive = (derivative: Derivative | null): void => {
      this.#derivative = derivative;
      decorate(this.#picture, this.#graph, derivative);
      this.#measures.show(this.#picture, this.#places, derivative);
      this.#mark();
    };
    arrive(null);
    const { label } = this.#derivatives!.outputs[choice ?? 0]!;
    const ask = async () => (choice === null ? null : new Derivative(label, await this.#host.adjoints!(choice)));
    await this.#requests.ask("Waiting for Python to differentiate …", ask, arrive, 1);
  }

  /** Play the evaluation in the place of the graph, from the moment at which it was left. */
  async #perform(): Promise<void> {
    const ask = async () => (this.#evaluation ??= new Evaluation(this.#host, await this.#host.play!()));
    await this.#requests.ask("Waiting for Python to play the evaluation …", ask, (evaluation) => {
      this.#player = new Player(evaluation, evaluation.scene, PANELS, this.#back);
      const { element } = this.#player;
      element.addEventListener("keydown", (event) => this.#leaveShow(event), { capture: true });
      this.#region.hidden = true;
      this.element.append(element);
      element.focus({ preventScroll: true });
    });
  }

  /** Before anything in the show takes the key, but not before the show itself, which has a presenter view to leave. */
  #leaveShow(event: KeyboardEvent): void {
    if (event.defaultPrevented || commandOf(event, false) !== "leave") return;
    consume(event);
    this.#return();
  }

  /** Leave the show, and find the graph as it was. */
  #return(): void {
    this.#evaluation!.tell("playing", false);
    this.#player!.dispose();
    this.#player = null;
    this.#region.hidden = false;
    this.#apply(this.#selected, this.#isGroup);
    this.#play.focus({ preventScroll: true });
  }

  #arrive(given: GraphPanel): void {
    const panel = this.#statements?.seen(given, this.#picture.size) ?? given;
    const [before, wasLines] = [this.#picture.panel.nodes, this.#lines !== null];
    const focused = this.#picture.hasFocus;
    const at = (this.#picture.keyboard as SVGElement).dataset["key"];
    const entrance = this.#entrance(panel);
    const moved = panel !== this.#panel;
    this.#panel = panel;
    this.#places = new Places(this.#graph, panel);
    if (moved) this.#picture.show(panel, entrance);
    this.#picture.element.classList.toggle("adviz-lines", this.#lines !== null);
    const isAgain = this.#lines !== null && wasLines; // with another box open, or in another window
    if (!isAgain && (this.#lines || wasLines)) this.#picture.openAt(this.#lines ? 0 : READABLE, this.#lines ? LARGE : READABLE);
    if (this.#lines && this.#statements!.isMoving) this.#statements!.move(this.#picture, before);
    decorate(this.#picture, this.#graph, this.#derivative);
    this.#measures.show(this.#picture, this.#places, this.#derivative);
    this.#comparing?.show(this.#picture);
    if (!isAgain) this.#sizes?.show(panel);
    this.#trail.show(panel, this.#statements?.lines.boxes ?? [], this.#lines ? this.#statements!.opened : []);
    this.#mark();
    if (!moved) return;
    if (focused)
      this.#picture.focus(entrance && typeof entrance === "object" && "backTo" in entrance ? entrance.backTo : this.#lines ? at : undefined);
    if (!isAgain || this.#statements!.isMoving) this.#tell(`${panel.path.map(({ label }) => label).join(", ")}: ${plural(panel.nodes.length, "item")}.`);
  }

  #entrance({ scope, nodes }: GraphPanel): Entrance {
    const { path, siblings } = this.#panel;
    const step = siblings ? (scope - siblings.first) / siblings.stride : -1;
    if (siblings && Number.isInteger(step) && step >= 0 && step < siblings.count) return "inPlace";
    const left = this.#panel.scope;
    const back = nodes.find(({ span }) => span && span[0] <= left && left < span[1]);
    if (back && path.some((crumb) => crumb.scope === scope)) return { backTo: back.key };
    const opened = this.#panel.nodes.find(({ span }) => span && span[0] <= scope && scope < span[1]);
    return opened ? { outOf: opened.key } : null;
  }

  /** Write the status line. */
  #say(parts: readonly Phrase[]): string {
    const shown = parts.filter(({ words }) => words);
    this.#status.replaceChildren(...shown.map(({ mark, words }) => html("span", { "data-sign": mark }, words)));
    return sentence(shown);
  }

  /** Narrate to a screen reader. */
  #tell(words: string): void {
    this.#live.textContent = words;
  }
}

const plain = (words: string): Phrase => ({ mark: null, words });
