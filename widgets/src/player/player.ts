// The Player: a show at a cursor, and the clock that moves it. Panels know only the moment they are to show; everything
// subscribed to ends with one AbortSignal.

import { Audience } from "./audience.js";
import { BEAT, Clock } from "./clock.js";
import { Floor } from "./floor.js";
import { frame } from "./frame.js";
import { Inputs } from "./inputs.js";
import { coarseOf, hasComposites, isInSight, isTold, levelFor, levelsIn, remember, rememberedLevel, sideKeys } from "./levels.js";
import { type Kit, associationOf } from "./panel-kinds.js";
import { Quiz } from "./quiz.js";
import { Stand } from "./stand.js";
import { keepRoom, reading, tell } from "./telling.js";
import type { Foresight, OwnOrder } from "../elimination/own-order.js";
import { sameNodes } from "../graph/graph.js";
import type { Answer, PlayerHost } from "../host.js";
import { keyLegend, meet } from "../picture/legend.js";
import { type Level, breakNodes, levelsOf, toggled } from "../playback/playback.js";
import { type Question, type Show, type Step, readShow } from "../scene/scene.js";
import { alike } from "../scene/values.js";
import { type Command, Controls, commandOf, nextSpeed, wordsOf } from "../ui/controls.js";
import { atEnd, consume, focusedIn, html, listen, prefersStill } from "../ui/dom.js";
import { onSwipe } from "../ui/swipe.js";

/** Steps that follow each other faster than this are not read out. */
const READABLE = 1;

/** Milliseconds at the speed 1 before the first step of a sweep. */
const SOON = 500;

export class Player {
  readonly element: HTMLElement;
  readonly #host: PlayerHost;
  readonly #kit: Kit;
  readonly #ending = new AbortController();
  readonly #controls: Controls;
  readonly #floor: Floor;
  readonly #inputs: Inputs | null;
  readonly #keys: HTMLElement;
  readonly #audience: Audience;
  readonly #clock = new Clock(
    (steps) => this.#beat(steps),
    () => this.#lasting,
  );
  readonly #caption = html("p.adviz-caption");
  readonly #engines = html("span.adviz-muted");
  readonly #spoken = html("div.adviz-unseen", { role: "status", "aria-live": "polite" });
  #quiz: Quiz;
  #own: OwnOrder | null;
  #stand: Stand;
  readonly #keepRoom: (isCoarse: boolean) => void;
  #level: Level;
  #loop = false;
  #teach: boolean;
  #selected: readonly number[] = [];
  #names: readonly string[] = [];
  #stops: ReadonlySet<number> = new Set();
  #scrubbed: number | null = null;
  /** Milliseconds that the present moment takes at the speed 1. */
  #lasting = BEAT;

  /** Throws SceneError when the columns are not what the scene says; `back` leads to the view that the show replaces. */
  constructor(host: PlayerHost, scene: Show, kit: Kit, back: HTMLElement | null = null) {
    const { signal } = this.#ending;
    [this.#host, this.#kit, this.#teach] = [host, kit, scene.teach];
    this.#level = levelFor(scene, rememberedLevel(scene), scene.teach);
    this.#floor = new Floor(signal);
    this.#stand = this.#build(scene);
    this.#controls = new Controls(
      {
        command: (command) => this.#do(command),
        scrub: (cursor) => this.#scrub(cursor),
        speed: (speed) => this.#host.tell("speed", speed),
        level: (level) => this.#rest(level as Level),
      },
      scene.steps.some(({ question }) => question),
      signal,
      levelsIn(scene), coarseOf(scene),
    );
    this.#quiz = this.#makeQuiz(host.trait("answers") ?? []);
    this.#inputs =
      host.live && scene.inputs.length
        ? new Inputs(scene.inputs, (inputs) => host.tell("inputs", inputs), signal)
        : null;
    this.#own = scene.own && kit.own ? this.#makeOwn(scene, kit.own) : null;
    this.#keys = keyLegend([...wordsOf(scene), ...sideKeys(scene), ...(kit.keys?.(scene) ?? []), ...(this.#own ? kit.own!.KEYS_OF_OWN : [])]);
    this.#engines.textContent = scene.runs.map(({ label }) => label).join(" vs. ");
    this.element = frame(scene, {
      back, styles: kit.styles ?? "",
      header: [this.#engines, this.#inputs?.element ?? null, this.#own?.element ?? kit.own?.noOwn(scene) ?? null],
      floor: [this.#floor.element],
      foot: [this.#keys, this.#caption, this.#quiz.element, this.#controls.element],
      spoken: this.#spoken,
    });
    const enlarge = (times: number): void => [this.#floor, this.#stand].forEach((each) => each.enlarge(times));
    this.#keepRoom = keepRoom(this.#caption, scene, signal);
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
    const stand = Stand.of(this.#kit, scene, this.#host, this.#floor, {
      select: (nodes) => this.#select(nodes),
      runTo: (node) => this.#runTo(node),
      toggleBreakpoint: (name) => this.#toggle(name),
      ...(hasComposites(scene) && { fold: (isFolded: boolean) => this.#rest(isFolded ? "nodes" : "engine") }),
      point: (nodes, isPath) => this.#stand.panels.forEach((panel) => panel.point?.(nodes, isPath)),
      open: (box) => (this.#quiz.close(), this.#stand.turn(box), this.#settle("lines")),
      take: (sort, thing) => this.#own?.take(sort, thing) ?? false,
      association: associationOf(this.#host),
      foresee: (sort, thing) => this.#foresee((sort && this.#own?.foresee(sort, thing)) || null),
    });
    this.#askPanels(null, stand);
    return stand;
  }

  #makeOwn(scene: Show, { OwnOrder, stagedForOwn }: NonNullable<Kit["own"]>): OwnOrder {
    return new OwnOrder(
      scene,
      {
        opened: (isOpen) => {
          this.#pause();
          this.#quiz.stop();
          // An order is made move by move.
          this.#level = isOpen ? "nodes" : "engine";
          this.#restage(isOpen ? { ...stagedForOwn(scene), steps: [...this.#own!.steps] } : scene, 0);
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
        asking: (question) => this.#askPanels(question),
        proceed: () => this.#advance(this.#stand.playback.after(this.#level)),
        label: (node) => this.#stand.label(node),
        find: (text) => this.#stand.find(text),
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
    this.#stand.open(old.opened);
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
      const scene = readShow(this.#host.scene);
      this.#quiz.close();
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
    listen(this.element, signal, { keydown: (event) => this.#key(event) }, { capture: true });
    // The notebook must not handle the same keys.
    listen(this.element, signal, { keydown: (event) => event.stopPropagation() });
    onSwipe(this.element, (direction) => this.#do(direction === "left" ? "forward" : "back"), signal);
  }

  /** Commands come before what the panels do with their keys: they work wherever the focus is. */
  #key(event: KeyboardEvent): void {
    if (this.#own?.isOpen && this.#own.takesKey(event)) return;
    if (!this.#quiz.waiting && this.#audience.takesKey(event, this.#stand.scene)) return this.#show(null, false);
    if (this.#stand.takesKey(event)) return consume(event);
    const command = commandOf(event, this.#audience.isThere);
    if (!command || (command === "leave" && !this.#audience.isThere && !this.#explaining)) return;
    consume(event);
    this.#do(command);
  }

  readonly #commands: Record<Command, () => void> = {
    start: () => this.#jump(0),
    back: () => this.#jump(this.#stand.playback.before(this.#level)),
    play: () => this.#host.tell("playing", !this.#clock.playing),
    forward: () => this.#advance(this.#stand.playback.after(this.#level)),
    end: () => this.#jump(this.#stand.playback.length),
    faster: () => this.#host.tell("speed", nextSpeed(this.#clock.speed, 1)),
    slower: () => this.#host.tell("speed", nextSpeed(this.#clock.speed, -1)),
    loop: () => {
      this.#loop = !this.#loop;
      this.#showControls();
    },
    grain: () => {
      const levels = levelsIn(this.#stand.scene)?.map(([level]) => level) ?? levelsOf(this.#stand.scene.steps);
      this.#rest(levels[(levels.indexOf(this.#level) + 1) % levels.length]!);
    },
    teach: () => {
      this.#teach = !this.#teach;
      this.#quiz.stop();
      const { scene } = this.#stand;
      if (isTold(scene)) this.#settle(this.#level === "edges" ? rememberedLevel(scene) : this.#level);
      this.#showControls();
      if (this.#teach) this.#do("forward"); // to the next question
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
    if (["start", "back", "forward", "end"].includes(command)) this.#pause();
    this.#commands[command]();
  }

  // ---- moving ----

  #pause(): void {
    if (this.#clock.playing) this.#host.tell("playing", false);
  }

  /** Go forward to a cursor, but no further than to a question; returns whether that was reached. */
  #advance(target: number): boolean {
    const { playback } = this.#stand;
    const asked = this.#teach ? playback.question(this.#level, playback.cursor, target, this.#quiz.isDone) : null;
    this.#move(asked?.at ?? target, true);
    return asked === null || !this.#quiz.ask(asked.step, asked.question);
  }

  #askPanels(question: Question | null, { panels } = this.#stand): void {
    for (const panel of panels) panel.ask?.(question, this.#teach);
  }

  /** Be at a cursor, without questions on the way. */
  #jump(cursor: number): void {
    this.#quiz.close();
    this.#move(cursor, false);
  }

  #move(cursor: number, motion: boolean): void {
    const { playback } = this.#stand;
    if (cursor === playback.cursor) return;
    this.#show(playback.seek(cursor), motion);
    if (!this.#own?.isOpen) return this.#host.tell("cursor", playback.cursor);
    this.#host.tell("order", this.#own.moves);
    this.#host.tell("cost", this.#own.cost);
  }

  /** Another view made an order, or the page was saved with one. */
  #hearOrder(): void {
    const own = this.#own;
    const moves = this.#host.trait("order") ?? [];
    if (!own || alike(moves, own.moves)) return;
    own.set(true, moves);
    this.#jump(own.steps.length);
  }

  /** Another view, or Python, moved the cursor. */
  #goTo(cursor: number): void {
    const { playback } = this.#stand;
    if (cursor === playback.cursor) return;
    this.#quiz.close();
    const next = cursor === playback.after(this.#level);
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
    const cursor = this.#stand.playback.turnOf(node, this.#level);
    if (cursor === null) return void this.#say(`${this.#stand.label(node)} has no turn in this show.`);
    this.#pause();
    this.#jump(cursor);
  }

  // ---- the clock ----

  #setPlaying(playing: boolean): void {
    if (playing === this.#clock.playing) return;
    this.#clock.playing = playing;
    const { playback } = this.#stand;
    const isOver = playback.cursor === playback.length;
    if (playing && isOver && this.#host.conducts) this.#jump(0);
    // What stands there has been read, unless it has just come.
    this.#clock.wind(isTold(this.#stand.scene) && !isOver ? SOON : undefined);
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
    for (let k = 0; k < steps; k++) target = playback.after(this.#level, target);
    const stop = playback.turn(this.#stops, playback.cursor, target, this.#level);
    const isReached = this.#advance(stop ?? target);
    if ((isReached && stop !== null) || (playback.cursor === playback.length && !this.#loop)) this.#pause();
  }

  // ---- showing ----

  readonly #words = (): string => this.#stand.words(this.#level) ?? (this.#own?.isOpen ? this.#own.invitation : (this.#stand.scene.invitation ?? "Press play, or → for one step."));

  /** Show and say what a move would do; null: nothing, and say again what was done. */
  #foresee(foresight: Foresight | null): void {
    if (!this.#own?.isOpen || this.#clock.playing) return;
    this.#stand.panels.forEach((panel) => panel.foresee?.(foresight?.steps ?? []));
    this.#tell(foresight?.words ?? this.#words());
  }

  #show(changed: ReadonlySet<string> | null, forward: boolean): void {
    const stand = this.#stand;
    const { playback, scene } = stand;
    const words = this.#words();
    const clock = forward && !prefersStill() ? this.#clock : null;
    const moment = stand.moment(this.#level, words, changed, clock);
    tell(this.#caption, scene, playback, this.#level, words, moment.rest ?? null);
    this.#floor.show((panel) => isInSight(scene, panel, this.#level, this.#audience, this.#teach));
    stand.show(moment);
    const moving = clock ? stand.duration(moment) : 0;
    this.#lasting = moving + (this.#level !== "engine" && isTold(scene) ? reading(words) : BEAT);
    this.#own?.show(playback.cursor);
    if (!this.#clock.playing || this.#clock.speed <= READABLE) this.#say(words);
    this.#engines.hidden = this.#level !== "engine" && isTold(scene);
    this.#showControls();
  }

  /** Rest at another level from now on, here too: the cursor goes back to where that level rests. */
  #rest(level: Level): void {
    if (isTold(this.#stand.scene)) remember(level);
    this.#quiz.close();
    this.#settle(level);
  }

  #settle(level: Level): void {
    this.#level = levelFor(this.#stand.scene, level, this.#teach);
    this.#keepRoom(this.#level === "nodes");
    const { playback } = this.#stand;
    const stop = playback.before(this.#level, playback.cursor + 1);
    if (stop === playback.cursor) return this.#show(null, false);
    this.#pause();
    this.#jump(stop);
  }

  /** Show a text in place of the caption. */
  #tell(words: string): void {
    this.#caption.textContent = words;
    this.#say(words);
  }

  readonly #say = (words: string): unknown => (this.#spoken.textContent = words);

  #showControls(): void {
    const { playback } = this.#stand;
    const { playing, speed } = this.#clock;
    this.#controls.show({
      ...{ cursor: playback.cursor, length: playback.length, playing, speed },
      loop: this.#loop,
      level: this.#level,
      stops: this.#stand.stops(this.#level),
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

  readonly #mark = (nodes: readonly number[]): unknown => (this.#selected = this.#stand.mark(nodes));

  #toggle(name: string): void {
    const { names, words } = toggled(this.#names, name);
    this.#host.tell("breakpoints", names);
    this.#say(words);
  }

  #hearBreakpoints(): void {
    this.#names = this.#host.trait("breakpoints") ?? [];
    this.#stops = breakNodes(this.#stand.graph, this.#names);
    for (const panel of this.#stand.panels) panel.breaks?.(this.#stops, this.#names);
  }

  /** Another view, or Python, changed the record of answers. */
  #hearAnswers(): void {
    const answers = this.#host.trait("answers") ?? [];
    const { element, answers: known } = this.#quiz;
    if (!alike(answers, known)) element.replaceWith((this.#quiz = this.#makeQuiz(answers)).element);
  }

  get #explaining(): boolean {
    return !this.#keys.hidden;
  }

  /** Show or hide the legend of keys. */
  #explain(on: boolean): void {
    if (!on && focusedIn(this.#keys)) this.element.focus({ preventScroll: true });
    this.#keys.hidden = !on;
    if (on) meet(this.#keys, this.#floor.element.clientHeight, this.#audience.times);
    this.#showControls();
  }

  // ---- before an audience ----

  #present(on: boolean): void {
    if (on === this.#audience.isThere) return;
    this.#audience.present(on);
    this.#show(null, false);
  }
}
