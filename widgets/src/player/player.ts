// The Player: a show at a cursor, and the clock that moves it. Panels know only the moment they are to show; everything
// subscribed to ends with one AbortSignal.

import { decodeColumns } from "../scene/columns.js";
import { type Command, Controls, WORDS, commandOf, nextSpeed } from "../ui/controls.js";
import { focusedIn, html, prefersStill } from "../ui/dom.js";
import { Floor } from "./floor.js";
import { Graph, sameNodes } from "../graph/graph.js";
import type { PlayerHost } from "../host.js";
import { Inputs } from "./inputs.js";
import { keyLegend } from "../picture/legend.js";
import { KEYS_OF_OWN, OwnOrder, noOwn } from "../elimination/own-order.js";
import { type Moment, type PanelContext, type PlayerPanel, makePanel } from "../panels/panels.js";
import { type Grain, Playback, breakNodes } from "../playback/playback.js";
import { type Answer, Quiz } from "./quiz.js";
import { type Panel, type Show, type Step, SceneError, isGraph, isShow, panelOf, readScene } from "../scene/scene.js";
import { styles } from "../styles/index.js";
import { onSwipe } from "../ui/swipe.js";

/** Milliseconds of a step at the speed 1, and how much of them motion may take at most. */
const BEAT = 1000;
const MOVING = 0.6;
/** No motion takes longer, and none that would be shorter is shown. */
const LONGEST = 700;
const SHORTEST = 90;
/** Milliseconds of a frame: a clock that beats faster takes several steps at once. */
const FRAME = 16;
/** A screen on which everything has its usual size. */
const STAGE = { width: 960, height: 540 };
/** Steps that follow each other faster than this are not read out. */
const READABLE = 1;
/** A caption of more characters takes more than two lines of a usual width. */
const TWO_LINES = 230;
/** Sentences of a coarse step that are shown. */
const MOST_SENTENCES = 4;

/** What belongs to one scene, and is made anew with the next. */
interface Stand {
  readonly scene: Show;
  readonly graph: Graph;
  readonly playback: Playback;
  readonly made: readonly { readonly description: Panel; readonly panel: PlayerPanel }[];
  readonly panels: readonly PlayerPanel[];
  readonly context: PanelContext;
  readonly ending: AbortController;
}

export class Player {
  readonly element: HTMLElement;
  readonly #host: PlayerHost;
  readonly #ending = new AbortController();
  readonly #controls: Controls;
  readonly #floor: Floor;
  readonly #inputs: Inputs | null;
  readonly #keys: HTMLElement;
  readonly #caption = html("p", { class: "adviz-caption" });
  readonly #spoken = html("div", { class: "adviz-unseen", role: "status", "aria-live": "polite" });
  #quiz: Quiz;
  #own: OwnOrder | null;
  #stand: Stand;
  #grain: Grain = "fine";
  #loop = false;
  #teach: boolean;
  #playing = false;
  #speed = 1;
  #times = 1;
  #selected: readonly number[] = [];
  #names: readonly string[] = [];
  #stops: ReadonlySet<number> = new Set();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #scrubbed: number | null = null;

  /** Throws SceneError when the columns are not what the scene says. */
  constructor(
    host: PlayerHost,
    scene: Show,
    /** Leads back to what the show stands in the place of. */
    back: HTMLElement | null = null,
  ) {
    const { signal } = this.#ending;
    this.#host = host;
    this.#teach = scene.teach;
    this.#floor = new Floor(signal);
    this.#stand = this.#build(scene);
    this.#controls = new Controls(
      {
        command: (command) => this.#do(command),
        scrub: (cursor) => this.#scrub(cursor),
        speed: (speed) => this.#host.tell("speed", speed),
      },
      scene.steps.some(({ question }) => question),
      signal,
      panelOf(scene, "elimination") ? "move" : "node",
    );
    this.#quiz = this.#makeQuiz(host.trait("answers") ?? []);
    this.#inputs =
      host.live && scene.inputs.length
        ? new Inputs(scene.inputs, (inputs) => host.tell("inputs", inputs), signal)
        : null;
    this.#own = scene.own ? this.#makeOwn(scene) : null;
    this.#keys = keyLegend(this.#own ? [...WORDS, ...KEYS_OF_OWN] : WORDS);
    this.element = this.#compose(scene, back);
    this.#listen();
    this.#speed = host.trait("speed") ?? 1;
    this.#stand.playback.seek(host.trait("cursor") ?? 0);
    this.#show(null, false);
    this.#hearBreakpoints();
    this.#mark(host.selection);
    this.#hearOrder();
    this.#setPlaying(host.trait("playing") ?? false);
  }

  get keyboard(): Element {
    return this.element;
  }

  /** End every subscription and the clock, and take the element off its page. */
  dispose(): void {
    this.#present(false);
    this.#stand.ending.abort();
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#host.dispose();
    this.element.remove();
  }

  // ---- made of ----

  #build(scene: Show): Stand {
    const ending = new AbortController();
    const graph = new Graph(scene, decodeColumns(this.#host.columns, scene.columns));
    const context: PanelContext = {
      scene,
      graph,
      signal: ending.signal,
      select: (nodes: readonly number[]) => this.#select(nodes),
      runTo: (node: number) => this.#runTo(node),
      toggleBreakpoint: (name: string) => this.#toggle(name),
      take: (sort, thing) => this.#own?.take(sort, thing) ?? false,
    };
    const made = scene.panels.map((description) => ({ description, panel: makePanel(description, context) }));
    const shown = made.filter(
      (one): one is { description: typeof one.description; panel: PlayerPanel } => one.panel !== null,
    );
    this.#floor.put(
      shown.map(({ description, panel }) => ({ description, element: panel.element, size: panel.size })),
      scene.runs,
    );
    // Graphs come last: others measure themselves, which would be slow after much has been written on a graph.
    const last = shown.sort(
      (one, other) => Number(isGraph(one.description)) - Number(isGraph(other.description)),
    );
    const playback = new Playback(scene.steps, scene.start);
    return { scene, graph, playback, made: last, panels: last.map(({ panel }) => panel), context, ending };
  }

  #makeOwn(scene: Show): OwnOrder {
    const [run] = scene.runs;
    const panels = scene.panels
      .filter((panel) => !("run" in panel) || panel.run === run!.id)
      .map((panel) => (panel.kind === "meters" ? { ...panel, isOpen: true } : panel));
    return new OwnOrder(
      scene,
      {
        opened: (isOpen) => {
          this.#pause();
          this.#quiz.stop();
          // Whoever makes moves thinks in moves.
          this.#grain = isOpen ? "coarse" : "fine";
          this.#restage(isOpen ? { ...scene, runs: [run!], panels, steps: [...this.#own!.steps] } : scene, 0);
        },
        changed: (from, to) => this.#regrow([...this.#own!.steps], from, to),
        go: (cursor) => this.#jump(cursor),
        say: (words) => this.#tell(words),
        ...(this.#host.keep && { keep: () => this.#host.keep!() }),
      },
      this.#ending.signal,
    );
  }

  #makeQuiz(answers: readonly Answer[]): Quiz {
    return new Quiz(
      {
        answered: (record) => this.#host.tell("answers", record),
        proceed: () => this.#advance(this.#stand.playback.after(this.#grain)),
        label: (node) => this.#stand.graph.label(node),
        has: (node) => this.#stand.graph.has(node),
      },
      this.#ending.signal,
      answers,
    );
  }

  #compose(scene: Show, back: HTMLElement | null): HTMLElement {
    const { title, runs, steps } = scene;
    const isWordy = steps.some(({ caption }) => caption.length > TWO_LINES);
    const heading = html("h3", { class: "adviz-title" }, title);
    const way = html("span", { class: "adviz-muted" }, runs.map(({ label }) => label).join(" vs. "));
    return html(
      "div",
      {
        class: "adviz adviz-player",
        "data-lm-suppress-shortcuts": "true",
        role: "region",
        "aria-label": title,
        tabindex: -1,
      },
      html("style", {}, styles),
      html(
        "div",
        { class: "adviz-show", style: `--runs:${runs.length};${isWordy ? `--lines:${2 + runs.length}` : ""}`, "data-crowded": runs.length > 2 },
        html("div", { class: "adviz-header" }, back, heading, way, this.#inputs?.element ?? null, this.#own?.element ?? noOwn(scene)),
        this.#floor.element,
        this.#keys,
        html("div", { class: "adviz-foot" }, this.#caption, this.#quiz.element, this.#controls.element),
      ),
      this.#spoken,
    );
  }

  /** A new scene, as after inputs have changed: the cursor stays, and how the reader looks at things. */
  #renew(): void {
    const scene = readScene(this.#host.scene);
    if (!isShow(scene)) throw new SceneError("scene.runs: expected at least one, found none");
    this.#restage(scene, this.#stand.playback.cursor);
  }

  #restage(scene: Show, cursor: number): void {
    const old = this.#stand;
    this.#stand = this.#build(scene);
    if (this.#presenting) for (const panel of this.#stand.panels) panel.enlarge?.(this.#times);
    this.#stand.panels.forEach((panel, i) => old.panels[i] && panel.adopt?.(old.panels[i]));
    old.ending.abort();
    this.#stand.playback.seek(cursor);
    this.#inputs?.show(scene.inputs);
    this.#show(null, false);
    this.#hearBreakpoints();
    this.#mark(this.#selected);
  }

  /** Other steps of the same show, of which those up to a cursor stay; then go on to another. */
  #regrow(steps: Step[], from: number, to: number): void {
    const old = this.#stand;
    const context = { ...old.context, scene: { ...old.scene, steps } };
    const made = old.made.map(({ description, panel }) => {
      if (panel.isLasting) return { description, panel };
      const other = makePanel(description, context)!;
      panel.element.replaceWith(other.element);
      if (this.#presenting) other.enlarge?.(this.#times);
      return { description, panel: other };
    });
    const playback = new Playback(steps, old.scene.start);
    this.#stand = { ...old, scene: context.scene, context, made, playback, panels: made.map(({ panel }) => panel) };
    playback.seek(from);
    this.#show(null, false);
    this.#move(to, true);
  }

  /** What cannot be read leaves the show as it was, and says why. */
  #tryRenew(): void {
    try {
      this.#renew();
    } catch (error) {
      this.#tell(`The new numbers cannot be shown. ${(error as Error).message}`);
    }
  }

  // ---- listening ----

  #listen(): void {
    const { signal } = this.#ending;
    const host = this.#host;
    const hear = (name: Parameters<PlayerHost["hear"]>[0], act: () => void): void =>
      signal.addEventListener("abort", host.hear(name, act), { once: true });
    signal.addEventListener(
      "abort",
      host.onSelection((nodes) => {
        if (!sameNodes(nodes, this.#selected)) this.#mark(nodes);
      }),
      { once: true },
    );
    hear("cursor", () => this.#goTo(host.trait("cursor")!));
    hear("playing", () => this.#setPlaying(host.trait("playing")!));
    hear("speed", () => this.#setSpeed(host.trait("speed")!));
    hear("breakpoints", () => this.#hearBreakpoints());
    hear("answers", () => this.#hearAnswers());
    hear("scene", () => this.#tryRenew());
    hear("order", () => this.#hearOrder());
    host.onLost?.((why) => this.#inputs?.stop(why));
    this.element.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    // The notebook around must not take keys for its own.
    this.element.addEventListener("keydown", (event) => event.stopPropagation(), { signal });
    this.element.addEventListener("fullscreenchange", () => this.#left(), { signal });
    window.addEventListener("resize", () => this.#enlarge(), { signal });
    onSwipe(this.element, (direction) => this.#do(direction === "left" ? "forward" : "back"), signal);
  }

  /** Commands come before what the panels do with their keys: playing goes on wherever the focus is. */
  #key(event: KeyboardEvent): void {
    if (this.#own?.isOpen && this.#own.takesKey(event)) return;
    const command = commandOf(event, this.#presenting);
    if (!command || (command === "leave" && !this.#presenting && !this.#explaining)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#do(command);
  }

  readonly #commands: Record<Command, () => void> = {
    start: () => this.#jump(0),
    back: () => this.#jump(this.#stand.playback.before(this.#grain)),
    play: () => this.#host.tell("playing", !this.#playing),
    forward: () => this.#forward(),
    end: () => this.#jump(this.#stand.playback.length),
    faster: () => this.#host.tell("speed", nextSpeed(this.#speed, 1)),
    slower: () => this.#host.tell("speed", nextSpeed(this.#speed, -1)),
    loop: () => {
      this.#loop = !this.#loop;
      this.#showControls();
    },
    grain: () => {
      this.#grain = this.#grain === "fine" ? "coarse" : "fine";
      this.#show(null, false);
    },
    teach: () => {
      this.#teach = !this.#teach;
      if (!this.#teach) this.#quiz.stop();
      this.#showControls();
    },
    above: () => this.#floor.turn(-1),
    below: () => this.#floor.turn(1),
    present: () => this.#present(!this.#presenting),
    keys: () => this.#explain(!this.#explaining),
    leave: () => (this.#explaining ? this.#explain(false) : this.#present(false)),
    breakpoint: () => this.#selected.forEach((node) => this.#toggle(`node:${node}`)),
    run: () => this.#selected[0] !== undefined && this.#runTo(this.#selected[0]),
  };

  #do(command: Command): void {
    if (command === "back" || command === "start" || command === "end") this.#pause();
    this.#commands[command]();
  }

  // ---- moving ----

  #pause(): void {
    if (this.#playing) this.#host.tell("playing", false);
  }

  /** The reader takes a step forward: the clock waits. */
  #forward(): void {
    this.#pause();
    this.#advance(this.#stand.playback.after(this.#grain));
  }

  /** Go forward to a cursor, but no further than to a question; returns whether that was reached. */
  #advance(target: number): boolean {
    const { playback } = this.#stand;
    const asked = this.#nextQuestion(playback.cursor, target);
    this.#move(asked ?? target, true);
    return asked === null || !this.#quiz.ask(asked, playback.steps[asked]!.question);
  }

  /** The first step between two cursors that has something to ask. */
  #nextQuestion(from: number, to: number): number | null {
    if (!this.#teach) return null;
    const { steps } = this.#stand.playback;
    const settled = new Set(
      this.#quiz.answers.filter(({ right, given }) => right || given === null).map(({ step }) => step),
    );
    for (let k = from; k < to; k++) if (steps[k]!.question && !settled.has(k)) return k;
    return null;
  }

  /** Be at a cursor, without questions on the way. */
  #jump(cursor: number): void {
    this.#quiz.close();
    this.#move(cursor, false);
  }

  #move(cursor: number, motion: boolean): void {
    const { playback } = this.#stand;
    if (cursor === playback.cursor) return;
    const changed = playback.seek(cursor);
    this.#show(changed, motion);
    if (this.#own?.isOpen) this.#tellOrder(this.#own);
    else this.#host.tell("cursor", playback.cursor);
  }

  #tellOrder(own: OwnOrder): void {
    this.#host.tell("order", own.moves);
    this.#host.tell("cost", own.cost);
  }

  /** Somebody else made an order, or the page was saved with one. */
  #hearOrder(): void {
    const own = this.#own;
    const moves = this.#host.trait("order") ?? [];
    if (!own || JSON.stringify(moves) === JSON.stringify(own.moves)) return;
    own.set(true, moves);
    this.#jump(own.steps.length);
  }

  /** Somebody else moved the cursor. */
  #goTo(cursor: number): void {
    const { playback } = this.#stand;
    if (cursor === playback.cursor) return;
    this.#quiz.close();
    const next = cursor === playback.after(this.#grain);
    this.#show(playback.seek(cursor), next);
  }

  /** The slider may move many times a frame; the last place counts. */
  #scrub(cursor: number): void {
    this.#pause();
    if (this.#scrubbed === null)
      requestAnimationFrame(() => {
        const target = this.#scrubbed;
        this.#scrubbed = null;
        if (target !== null && !this.#ending.signal.aborted) this.#jump(target);
      });
    this.#scrubbed = cursor;
  }

  #runTo(node: number): void {
    const cursor = this.#stand.playback.turnOf(node);
    if (cursor === null) return this.#say(`${this.#stand.graph.label(node)} has no turn in this show.`);
    this.#pause();
    this.#jump(cursor);
  }

  // ---- the clock ----

  #setPlaying(playing: boolean): void {
    if (playing === this.#playing) return;
    this.#playing = playing;
    const { playback } = this.#stand;
    if (playing && playback.cursor === playback.length && this.#host.conducts) this.#jump(0);
    this.#wind();
    this.#showControls();
  }

  #setSpeed(speed: number): void {
    this.#speed = speed;
    this.#wind();
    this.#showControls();
  }

  get #interval(): number {
    return BEAT / this.#speed;
  }

  #wind(): void {
    clearTimeout(this.#timer);
    if (this.#playing) this.#timer = setTimeout(() => this.#beat(), Math.max(FRAME, this.#interval));
  }

  #beat(): void {
    if (this.#host.conducts && !this.#quiz.waiting) this.#play();
    this.#wind();
  }

  /** As many steps as the time since the last beat has room for, up to a breakpoint, a question or the end. */
  #play(): void {
    const { playback } = this.#stand;
    if (playback.cursor === playback.length) {
      if (this.#loop) this.#jump(0);
      else this.#host.tell("playing", false);
      return;
    }
    let target = playback.cursor;
    for (let time = Math.max(FRAME, this.#interval); time >= this.#interval; time -= this.#interval)
      target = playback.after(this.#grain, target);
    const stop = playback.turn(this.#stops, playback.cursor, target);
    if (this.#advance(stop ?? target) && stop !== null) this.#host.tell("playing", false);
    if (playback.cursor === playback.length && !this.#loop) this.#host.tell("playing", false);
  }

  // ---- showing ----

  #show(changed: ReadonlySet<string> | null, forward: boolean): void {
    const { panels } = this.#stand;
    const moment = this.#moment(changed, forward);
    for (const panel of panels) panel.show(moment);
    this.#own?.show(moment.cursor);
    this.#caption.textContent = this.#words();
    if (!this.#playing || this.#speed <= READABLE) this.#say(this.#caption.textContent);
    this.#showControls();
  }

  #moment(changed: ReadonlySet<string> | null, forward: boolean): Moment {
    const { cursor, stage, steps } = this.#stand.playback;
    const taken = this.#taken();
    const pace = Math.min(MOVING * this.#interval, LONGEST);
    const motion = forward && pace >= SHORTEST && !prefersStill();
    const last = (holds: (step: Step) => boolean): Step | undefined => taken.filter(holds).at(-1);
    // A turn is that of the node of its products: where they add up are others.
    const step = last(({ kind }) => kind === "product") ?? last(({ formula }) => formula !== null) ?? last(() => true) ?? null;
    return { cursor, stage, step, taken, next: steps[cursor] ?? null, changed, motion, pace };
  }

  /** The steps that the step just taken is made of: a coarse one is of several. */
  #taken(): Step[] {
    const { playback } = this.#stand;
    return playback.steps.slice(playback.before(this.#grain), playback.cursor);
  }

  /** What has just happened; at the start, what will be shown. */
  #words(): string {
    const taken = this.#taken();
    if (!taken.length) return this.#own?.isOpen ? this.#own.invitation : "Press play, or → for one step.";
    const whole = this.#grain === "coarse" ? this.#stand.playback.whole() : null;
    if (whole) return whole;
    const told = taken.filter(({ kind }, i) => i === 0 || kind === "accumulate");
    const captions = [...new Set((taken.length === told.length ? taken : told).map(({ caption }) => caption))];
    const left = captions.length - MOST_SENTENCES;
    return [...captions.slice(0, MOST_SENTENCES), left > 0 ? `And ${left} more.` : ""].join(" ").trim();
  }

  /** Say something in the place of the caption. */
  #tell(words: string): void {
    this.#caption.textContent = words;
    this.#say(words);
  }

  #say(words: string): void {
    this.#spoken.textContent = words;
  }

  #showControls(): void {
    const { cursor, length } = this.#stand.playback;
    this.#controls.show({
      cursor,
      length,
      playing: this.#playing,
      speed: this.#speed,
      loop: this.#loop,
      coarse: this.#grain === "coarse",
      teach: this.#teach,
      presenting: this.#presenting,
      keys: this.#explaining,
      caption: this.#caption.textContent ?? "",
    });
  }

  // ---- selection and breakpoints ----

  #select(nodes: readonly number[]): void {
    if (this.#quiz.choose(nodes) || sameNodes(nodes, this.#selected)) return;
    this.#mark(nodes);
    this.#host.select(this.#selected);
  }

  #mark(nodes: readonly number[]): void {
    // Vertices of a c-graph are no nodes of a traced program.
    const isElimination = panelOf(this.#stand.scene, "elimination") !== null;
    this.#selected = nodes.filter((node) => isElimination || this.#stand.graph.has(node));
    for (const panel of this.#stand.panels) panel.mark(this.#selected);
  }

  #toggle(name: string): void {
    const others = this.#names.filter((other) => other !== name);
    const added = others.length === this.#names.length;
    this.#host.tell("breakpoints", added ? [...others, name] : others);
    this.#say(`${added ? "Playing stops at" : "Playing no longer stops at"} ${name.replace(":", " ")}.`);
  }

  #hearBreakpoints(): void {
    this.#names = this.#host.trait("breakpoints") ?? [];
    this.#stops = breakNodes(this.#stand.graph, this.#names);
    for (const panel of this.#stand.panels) panel.breaks?.(this.#stops, this.#names);
  }

  /** Somebody else wrote the record of answers, as to begin anew. */
  #hearAnswers(): void {
    const answers = this.#host.trait("answers") ?? [];
    if (JSON.stringify(answers) === JSON.stringify(this.#quiz.answers)) return;
    const old = this.#quiz.element;
    this.#quiz = this.#makeQuiz(answers);
    old.replaceWith(this.#quiz.element);
  }

  get #explaining(): boolean {
    return !this.#keys.hidden;
  }

  /** Tell what the keys do, or no longer. */
  #explain(on: boolean): void {
    const had = focusedIn(this.#keys);
    this.#keys.hidden = !on;
    if (on) this.#keys.focus({ preventScroll: true });
    else if (had) this.element.focus({ preventScroll: true });
    this.#showControls();
  }

  // ---- before an audience ----

  get #presenting(): boolean {
    return this.element.classList.contains("adviz-presenting");
  }

  #present(on: boolean): void {
    if (on === this.#presenting) return;
    this.element.classList.toggle("adviz-presenting", on);
    this.#enlarge();
    this.element.focus({ preventScroll: true });
    // Where a page may not fill the screen, its window has to do.
    if (on) this.element.requestFullscreen?.().catch(() => undefined);
    else if (this.#filling === this.element) document.exitFullscreen().catch(() => undefined);
    this.#showControls();
  }

  /** Before an audience the screen is as large as so many small ones. */
  #enlarge(): void {
    const times = this.#presenting ? Math.max(1.2, Math.min(innerWidth / STAGE.width, innerHeight / STAGE.height)) : 1;
    if (times === this.#times) return;
    this.#times = times;
    this.element.style.setProperty("--times", String(times));
    this.#floor.enlarge(times);
    for (const panel of this.#stand.panels) panel.enlarge?.(times);
  }

  /** What fills the screen, also where the page shows the player in a shadow root. */
  get #filling(): Element | null {
    return (this.element.getRootNode() as Document | ShadowRoot).fullscreenElement ?? null;
  }

  /** The reader left the full screen by the browser's own key. */
  #left(): void {
    if (this.#filling !== this.element) this.#present(false);
  }
}
