// The Player: a show at a cursor, and the clock that moves it. Panels know only the moment they are to show; everything
// subscribed to ends with one AbortSignal.

import { Audience } from "./audience.js";
import { Clock } from "./clock.js";
import { Floor } from "./floor.js";
import { frame } from "./frame.js";
import { Inputs } from "./inputs.js";
import { Quiz } from "./quiz.js";
import { Stand } from "./stand.js";
import { leading, sentences } from "./telling.js";
import { KEYS_OF_OWN, OwnOrder, noOwn } from "../elimination/own-order.js";
import { sameNodes } from "../graph/graph.js";
import type { Answer, PlayerHost } from "../host.js";
import type { Moment } from "../panels/panel.js";
import { keyLegend } from "../picture/legend.js";
import { type Grain, breakNodes } from "../playback/playback.js";
import { type Show, type Step, SceneError, isShow, panelOf, readScene } from "../scene/scene.js";
import { type Command, Controls, WORDS, commandOf, nextSpeed } from "../ui/controls.js";
import { atEnd, focusedIn, html, prefersStill } from "../ui/dom.js";
import { onSwipe } from "../ui/swipe.js";

/** Steps that follow each other faster than this are not read out. */
const READABLE = 1;

export class Player {
  readonly element: HTMLElement;
  readonly #host: PlayerHost;
  readonly #ending = new AbortController();
  readonly #controls: Controls;
  readonly #floor: Floor;
  readonly #inputs: Inputs | null;
  readonly #keys: HTMLElement;
  readonly #audience: Audience;
  readonly #clock = new Clock((steps) => this.#beat(steps));
  readonly #caption = html("p.adviz-caption");
  readonly #spoken = html("div.adviz-unseen", { role: "status", "aria-live": "polite" });
  #quiz: Quiz;
  #own: OwnOrder | null;
  #stand: Stand;
  #grain: Grain = "fine";
  #loop = false;
  #teach: boolean;
  #selected: readonly number[] = [];
  #names: readonly string[] = [];
  #stops: ReadonlySet<number> = new Set();
  #scrubbed: number | null = null;

  /** Throws SceneError when the columns are not what the scene says. */
  constructor(
    host: PlayerHost,
    scene: Show,
    /** Leads back to the view that the show replaces. */
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
    this.element = frame(scene, {
      back,
      header: [this.#inputs?.element ?? null, this.#own?.element ?? noOwn(scene)],
      floor: [this.#floor.element, this.#keys],
      foot: [this.#caption, this.#quiz.element, this.#controls.element],
      spoken: this.#spoken,
    });
    const enlarge = (times: number): void => [this.#floor, this.#stand].forEach((each) => each.enlarge(times));
    this.#audience = new Audience(this.element, enlarge, () => this.#present(false), signal);
    this.#listen();
    this.#clock.speed = host.trait("speed") ?? 1;
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
    this.#clock.stop();
    this.#host.dispose();
    this.element.remove();
  }

  // ---- made of ----

  #build(scene: Show): Stand {
    return Stand.of(scene, this.#host.columns, this.#floor, {
      select: (nodes) => this.#select(nodes),
      runTo: (node) => this.#runTo(node),
      toggleBreakpoint: (name) => this.#toggle(name),
      take: (sort, thing) => this.#own?.take(sort, thing) ?? false,
    });
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
          // An order is made move by move.
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

  #restage(scene: Show, cursor: number): void {
    const old = this.#stand;
    this.#stand = this.#build(scene);
    if (this.#audience.isThere) this.#stand.enlarge(this.#audience.times);
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
    this.#stand = this.#stand.withSteps(steps, this.#audience.times);
    this.#stand.playback.seek(from);
    this.#show(null, false);
    this.#move(to, true);
  }

  /** A new scene, as after inputs have changed: the cursor stays, and how the reader looks at things. */
  #renew(): void {
    try {
      const scene = readScene(this.#host.scene);
      if (!isShow(scene)) throw new SceneError("scene.runs: expected at least one, found none");
      this.#restage(scene, this.#stand.playback.cursor);
    } catch (error) {
      this.#tell(`The new numbers cannot be shown. ${(error as Error).message}`);
    }
  }

  // ---- listening ----

  #listen(): void {
    const { signal } = this.#ending;
    const host = this.#host;
    const hear = (name: Parameters<PlayerHost["hear"]>[0], act: () => void): void =>
      atEnd(signal, host.hear(name, act));
    const marks = (nodes: readonly number[]): unknown => sameNodes(nodes, this.#selected) || this.#mark(nodes);
    atEnd(signal, host.onSelection(marks));
    hear("cursor", () => this.#goTo(host.trait("cursor")!));
    hear("playing", () => this.#setPlaying(host.trait("playing")!));
    hear("speed", () => this.#setSpeed(host.trait("speed")!));
    hear("breakpoints", () => this.#hearBreakpoints());
    hear("answers", () => this.#hearAnswers());
    hear("scene", () => this.#renew());
    hear("order", () => this.#hearOrder());
    host.onLost?.((why) => this.#inputs?.stop(why));
    this.element.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    // The notebook must not handle the same keys.
    this.element.addEventListener("keydown", (event) => event.stopPropagation(), { signal });
    onSwipe(this.element, (direction) => this.#do(direction === "left" ? "forward" : "back"), signal);
  }

  /** Commands come before what the panels do with their keys: they work wherever the focus is. */
  #key(event: KeyboardEvent): void {
    if (this.#own?.isOpen && this.#own.takesKey(event)) return;
    const command = commandOf(event, this.#audience.isThere);
    if (!command || (command === "leave" && !this.#audience.isThere && !this.#explaining)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#do(command);
  }

  readonly #commands: Record<Command, () => void> = {
    start: () => this.#jump(0),
    back: () => this.#jump(this.#stand.playback.before(this.#grain)),
    play: () => this.#host.tell("playing", !this.#clock.playing),
    forward: () => this.#forward(),
    end: () => this.#jump(this.#stand.playback.length),
    faster: () => this.#host.tell("speed", nextSpeed(this.#clock.speed, 1)),
    slower: () => this.#host.tell("speed", nextSpeed(this.#clock.speed, -1)),
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
    present: () => this.#present(!this.#audience.isThere),
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
    if (this.#clock.playing) this.#host.tell("playing", false);
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

  /** Another view made an order, or the page was saved with one. */
  #hearOrder(): void {
    const own = this.#own;
    const moves = this.#host.trait("order") ?? [];
    if (!own || JSON.stringify(moves) === JSON.stringify(own.moves)) return;
    own.set(true, moves);
    this.#jump(own.steps.length);
  }

  /** Another view, or Python, moved the cursor. */
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
    if (playing === this.#clock.playing) return;
    this.#clock.playing = playing;
    const { playback } = this.#stand;
    if (playing && playback.cursor === playback.length && this.#host.conducts) this.#jump(0);
    this.#clock.wind();
    this.#showControls();
  }

  #setSpeed(speed: number): void {
    this.#clock.speed = speed;
    this.#clock.wind();
    this.#showControls();
  }

  /** As many steps as there is time for, up to a breakpoint, a question or the end. */
  #beat(steps: number): void {
    if (!this.#host.conducts || this.#quiz.waiting) return;
    const { playback } = this.#stand;
    if (playback.cursor === playback.length) {
      if (this.#loop) this.#jump(0);
      else this.#pause();
      return;
    }
    let target = playback.cursor;
    for (let k = 0; k < steps; k++) target = playback.after(this.#grain, target);
    const stop = playback.turn(this.#stops, playback.cursor, target);
    const isReached = this.#advance(stop ?? target);
    if ((isReached && stop !== null) || (playback.cursor === playback.length && !this.#loop)) this.#pause();
  }

  // ---- showing ----

  #show(changed: ReadonlySet<string> | null, forward: boolean): void {
    this.#stand.show(this.#moment(changed, forward));
    this.#own?.show(this.#stand.playback.cursor);
    this.#caption.textContent = this.#words();
    if (!this.#clock.playing || this.#clock.speed <= READABLE) this.#say(this.#caption.textContent);
    this.#showControls();
  }

  #moment(changed: ReadonlySet<string> | null, forward: boolean): Moment {
    const { cursor, stage, steps } = this.#stand.playback;
    const taken = this.#taken();
    const { pace } = this.#clock;
    const motion = forward && pace !== null && !prefersStill();
    return { cursor, stage, step: leading(taken), taken, next: steps[cursor] ?? null, changed, motion, pace: pace ?? 0 };
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
    return whole || sentences(taken);
  }

  /** Show a text in place of the caption. */
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
      playing: this.#clock.playing,
      speed: this.#clock.speed,
      loop: this.#loop,
      coarse: this.#grain === "coarse",
      teach: this.#teach,
      presenting: this.#audience.isThere,
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
    this.#selected = this.#stand.mark(nodes);
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

  /** Another view, or Python, changed the record of answers. */
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

  /** Show or hide the legend of keys. */
  #explain(on: boolean): void {
    const had = focusedIn(this.#keys);
    this.#keys.hidden = !on;
    if (on) this.#keys.focus({ preventScroll: true });
    else if (had) this.element.focus({ preventScroll: true });
    this.#showControls();
  }

  // ---- before an audience ----

  #present(on: boolean): void {
    if (on === this.#audience.isThere) return;
    this.#audience.present(on);
    this.#showControls();
  }
}
