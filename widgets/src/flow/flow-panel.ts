// The picture of a sweep in the Player: where numbers travel, how far they are, and what the reader points at.

import { type Hull, type Opened, besides, boxAt, boxOf, hullMarks, hulls, wayInto } from "../layout/boxes.js";
import { beside, between, grown, isAlike } from "../layout/changes.js";
import { EM } from "../layout/lengths.js";
import { type Laid, type Stage, laid, legibleOn, legibleWidth } from "../layout/layout.js";
import type { Placed } from "../layout/placed.js";
import { alone, boxesOf, seen } from "./lines.js";
import { type Lit, asked, moment, untold } from "./moment.js";
import { engineNote } from "./notes.js";
import { picked } from "./pills.js";
import { Pointing } from "./pointing.js";
import { Drawing } from "../motion/drawing.js";
import type { Mark } from "../motion/marks.js";
import { eased, played, timed } from "../motion/schedule.js";
import { sweepAt } from "./several.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import type { Box, Size } from "../picture/camera.js";
import { firstTimes } from "../playback/runs.js";
import type { FlowPanel as Description, Question } from "../scene/document.js";
import { atEnd, html, listen, onResize, prefersStill, setAttribute, svg } from "../ui/dom.js";

/** A stage of usual proportions, for the first layout: it tells how large the picture wants to be. */
const USUAL = { width: 880, height: 560 };
/** Parts of a stage that a picture takes if it can be read there, and the size of text that is large enough. */
const [PARTS, ENOUGH] = [[0.75, 0.85, 1], 1.1];
/** So many times as large is a picture that is worth a stage for which others have to move. */
const LARGER = 1.1;
/** Milliseconds in which everything moves to a new layout, and in which a box opens or closes. */
const [GLIDE, OPENS] = [250, 420];
/** Milliseconds: motion that would be shorter is not shown. */
const SHORTEST = 90;
/** Pixels of the smallest letters, for a reader and, where everything has its usual size, for an audience. */
const LETTERS = 10;
const BEFORE_ALL = 12;

export class FlowPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly size: Size & { readonly legible: number };
  readonly #drawing = new Drawing();
  #pointing: Pointing;
  /** The sweep as it is seen: line by line, or node by node. */
  #seen: Description;
  /** The lines that are open, and those that were open before. */
  #opened: Opened = [];
  #earlier: Opened = [];
  readonly #picture: SVGSVGElement;
  /** The open boxes around what is seen alone. */
  readonly #path = html("nav.adviz-path", { "aria-label": "Open boxes" });
  readonly #first: ReadonlyMap<string, number>;
  readonly #stage: HTMLElement;
  /** The layout for the stage as it is, and in it the sweep that is shown, of several that follow each other. */
  #laid: Laid;
  #placed: Placed;
  /** The stage in the units of the layout. */
  #whole: Box;
  /** The sweep with room for what it has said before. */
  #given: Description;
  /** The sweep with nothing opened. */
  readonly #begun: Description;
  /** The layout that everything comes from, and how far it has come. */
  #glide: { readonly from: Placed; readonly whole: Box; readonly share: number } | null = null;
  #halt = (): void => {};
  #isShown = false;
  #letters = LETTERS;
  #cursors: readonly [from: number, to: number] = [0, 0];
  #progress = 1;
  #stop = (): void => {};
  #lit: Lit = null;
  #question: Question | null = null;
  #isQuiz = false;
  /** The input, and its entry, that is nudged. */
  #nudged: readonly [input: number, entry: number] = [-1, 0];

  constructor(
    readonly panel: Description,
    readonly context: PanelContext,
  ) {
    const { scene, signal } = context;
    this.#seen = seen(panel, "lines", []);
    this.#begun = this.#given = beside(this.#seen, scene.panels);
    this.#placed = this.#laid = laid(this.#given, USUAL);
    this.#whole = middle(this.#laid);
    this.#first = firstTimes(scene);
    this.size = { width: this.#laid.width, height: this.#laid.height, legible: legibleWidth(this.#given) };
    this.#pointing = this.#pointingAt(this.#laid);
    // Words in the picture are those of the nodes, which are read out by their labels, and of the description.
    this.#drawing.element.setAttribute("aria-hidden", "true");
    const [title, way] = panel.title ?? [];
    if (title) this.#path.setAttribute("aria-label", `${title}: open boxes`);
    const attributes = { role: "group", "aria-label": `${title ? `${title}: the` : "The"} sweep over ${scene.title}` };
    this.#picture = svg("svg.adviz-flow", attributes, this.#drawing.element, this.#pointing.element);
    this.#stage = html("div.adviz-flowpanel", this.#path, this.#picture, this.#pointing.note);
    this.element = title ? html("div.adviz-half", html("p", { title: way }, html("b", title), scene.runs.length > 2 ? "" : (way ?? "")), this.#stage) : this.#stage;
    onResize(this.#stage, signal, () => this.#fit());
    atEnd(signal, () => {
      this.#stop();
      this.#halt();
    });
    listen(this.element, signal, { click: () => context.select([]) });
    this.#listen(signal);
    this.#fit();
  }

  #pointingAt(placed: Placed): Pointing {
    const light = (lit: Lit): void => {
      this.#lit = lit;
      this.#draw(this.#progress);
    };
    return new Pointing(placed, this.context, light, (node) => (this.#seen === this.panel ? -1 : boxAt(boxesOf(this.panel), node, this.#opened)));
  }

  /** What is drawn around the nodes of lines. */
  #hulls(placed: Placed): Hull[] {
    return this.#seen === this.panel ? [] : hulls(placed, boxesOf(this.panel), this.#opened, alone(this.panel, this.#opened));
  }

  /** Show the sweep with other lines open, or node by node. */
  #turn(description: Description, opened: Opened): void {
    [this.#seen, this.#opened, this.#earlier] = [description, opened, this.#opened];
    this.#given = beside(description, this.context.scene.panels);
    this.#lit = null;
    this.#path.replaceChildren(...this.#steps());
    const from = this.#placed;
    this.#placed = this.#laid = laid(this.#given, USUAL); // for a stage that has no size yet
    this.#fit(OPENS, from);
  }

  /** Buttons that lead out of the box that alone is seen, its name, and where it is iterations, buttons to those beside. */
  #steps(): Node[] {
    const [only, boxes] = [this.#seen === this.panel ? -1 : alone(this.panel, this.#opened), boxesOf(this.panel)];
    const path = this.#opened.filter((number) => number <= only);
    if (!path.length) return [];
    const step = (label: string, box: number | undefined, attributes = {}): Node => {
      const element = html(box === undefined ? "b" : "button", attributes, label);
      listen(element, this.context.signal, { click: () => box !== undefined && this.context.open?.(box) });
      return element;
    };
    const beside = boxes[only]!.loop ? ([[-1, "‹", "Iterations before"], [1, "›", "Iterations after"]] as const) : [];
    return [
      ...wayInto(boxes, path, "All lines").map(([label, box]) => step(label, box)),
      ...beside.map(([by, sign, name]) => step(sign, besides(boxes, only, by), { class: "adviz-step", "aria-label": name, disabled: besides(boxes, only, by) < 0 })),
    ];
  }

  duration(moment: Moment): number {
    return timed(sweepAt(this.#laid, moment.cursor), ...cursorsOf(moment)).total;
  }

  /** Whatever is open: other panels do not move when a box opens. */
  prefers(stage: Size, to: Size): boolean {
    const [here, there] = [this.#laidOn(stage, this.#begun), this.#laidOn(to, this.#begun)];
    const legible = legibleOn(this.#stageOf(to));
    return (here.em > LARGER * there.em && there.em < legible) || (here.rows < there.rows && here.em >= Math.min(legible, there.em));
  }

  sizeOn(stage: Size): readonly [size: number, rows: number] {
    const { em, rows } = this.#laidOn(stage, this.#begun);
    return [em / legibleOn(this.#stageOf(stage)), rows];
  }

  heightAt(stage: Size, times = ENOUGH): number {
    const all = PARTS.map((part) => ({ ...stage, height: part * stage.height }));
    const enough = all.find((each) => this.sizeOn(each)[0] >= times) ?? stage;
    const { em, height } = this.#laidOn(enough, this.#begun);
    return (height * em) / EM;
  }

  #stageOf(size: Size): Stage {
    return { ...size, isEnlarged: this.#letters !== LETTERS };
  }

  #laidOn(size: Size, sweep = this.#given): Laid {
    return laid(sweep, this.#stageOf(size));
  }

  enlarge(times: number): void {
    this.#letters = times === 1 ? LETTERS : BEFORE_ALL * times;
    this.#fit();
  }

  show(moment: Moment): void {
    const { cursor, speed, stage, step, level, rest, words, opened = [] } = moment;
    this.#stop();
    this.#cursors = cursorsOf(moment);
    const description = seen(this.panel, level ?? "nodes", opened);
    if (description !== this.#seen) this.#turn(description, opened);
    const sweep = sweepAt(this.#laid, cursor);
    if (sweep !== this.#placed) {
      this.#placed = sweep;
      this.#pointing.place(sweep, this.#hulls(sweep));
    }
    setAttribute(this.#picture, "aria-description", words ?? null);
    const acting = rest?.nodes ?? (step && step.node !== null ? [step.node] : []);
    const note = (node: number): string =>
      level === "engine" ? engineNote(this.#laid, node, stage, this.#isGone(node, cursor, stage)) : "";
    this.#pointing.show(cursor, acting, note);
    const total = speed ? this.duration(moment) / speed : 0;
    this.#stop = played(total < SHORTEST ? 0 : total, (progress) => this.#draw(progress));
  }

  /** Keep the room of an earlier sweep over the same nodes, and move on from its layout. */
  adopt(other: PlayerPanel): void {
    if (!(other instanceof FlowPanel) || !isAlike(this.panel, other.panel)) return;
    [this.#opened, this.#seen] = [other.#opened, other.#seen === other.panel ? this.panel : seen(this.panel, "lines", other.#opened)];
    this.#given = grown(beside(this.#seen, this.context.scene.panels), other.#given);
    [this.#laid, this.#placed, this.#whole] = [other.#laid, other.#placed, other.#whole];
    this.#fit();
  }

  ask(question: Question | null, isQuiz: boolean): void {
    this.#question = question;
    this.#isQuiz = isQuiz;
    this.#draw(this.#progress);
  }

  mark(nodes: readonly number[]): void {
    this.#pointing.mark(nodes);
  }

  nudge(...nudged: readonly [input: number, entry: number]): void {
    this.#nudged = nudged;
    this.#draw(this.#progress);
  }

  breaks(nodes: ReadonlySet<number>): void {
    this.#pointing.breaks(nodes);
  }

  point(nodes: readonly number[], isPath?: boolean): void {
    this.#pointing.point(nodes, isPath);
  }

  /** Whether an engine has freed the derivative of a node. */
  #isGone(node: number, cursor: number, stage: Moment["stage"]): boolean {
    const key = `${this.panel.run}/${this.panel.reverse ? "adjoint" : "tangent"}/${node}`;
    return !stage.has(key) && (this.#first.get(key) ?? Infinity) <= cursor;
  }

  #draw(progress: number): void {
    this.#progress = progress;
    const glide = this.#glide;
    const placed = glide ? between(glide.from, this.#placed, glide.share, (node) => this.#home(node)) : this.#placed;
    const whole = glide ? mixed(glide.whole, this.#whole, glide.share) : this.#whole;
    const [question, [from, to]] = [this.#question, this.#cursors];
    const marks = moment(placed, from, to, progress, this.#lit);
    const silent = (this.#pointing.silent = this.#isQuiz ? untold(placed, to) : new Set());
    this.#drawing.show([...this.#hulls(placed).flatMap(hullMarks), ...asked(marks, placed, question, silent), ...this.#picked(placed)]);
    setAttribute(this.#picture, "viewBox", [whole.x - whole.w / 2, whole.y - whole.h / 2, whole.w, whole.h].join(" "));
    this.#pointing.look(whole);
  }

  #picked({ nodes }: Placed): Mark[] {
    const [input, entry] = this.#nudged;
    return nodes.filter(({ node }) => node === input).flatMap((node) => picked(node, entry));
  }

  /** The node that another one was in while its line was one box. */
  readonly #home = (node: number): number => {
    const boxes = boxesOf(this.panel);
    return boxes[boxOf(boxes, node, this.#earlier)]?.exits.at(-1) ?? node;
  };

  #fit(lasts = GLIDE, from = this.#placed): void {
    const [whole, wasShown] = [this.#whole, this.#stage.isConnected && this.#isShown];
    this.#place();
    this.#halt();
    this.#halt = played(wasShown && !prefersStill() ? lasts : 0, (share) => {
      this.#glide = share < 1 ? { from, whole, share: eased(share) } : null;
      this.#draw(this.#progress);
    });
  }

  /** Lay the picture out for the stage. */
  #place(): void {
    const { clientWidth: width, clientHeight } = this.#stage;
    const height = clientHeight - this.#path.offsetHeight;
    if (width && height) {
      this.#isShown = true;
      this.#laid = this.#laidOn({ width, height });
      this.#placed = sweepAt(this.#laid, this.#cursors[1]);
      const scale = Math.min(this.#laid.em / EM, width / this.#laid.width, height / this.#laid.height);
      this.#whole = { ...middle(this.#laid), w: width / scale, h: height / scale };
    }
    if (this.#pointing.panel.nodes.length === this.#placed.nodes.length && isAlike(this.#pointing.panel, this.#placed)) return this.#pointing.place(this.#placed, this.#hulls(this.#placed));
    const old = this.#pointing;
    this.#pointing = this.#pointingAt(this.#placed);
    old.element.replaceWith(this.#pointing.element);
    old.note.replaceWith(this.#pointing.note);
    this.#pointing.place(this.#placed, this.#hulls(this.#placed));
    this.#pointing.mark(old.marked);
    this.#pointing.breaks(old.stops);
  }

  #listen(signal: AbortSignal): void {
    listen(this.element, signal, {
      keydown: ({ key }) => {
        if (key === "Escape" && this.#opened.length && this.#seen !== this.panel) this.context.open?.(this.#opened.at(-1)!);
      },
    });
  }
}

const mixed = (one: Box, other: Box, t: number): Box => {
  const mix = (side: keyof Box): number => one[side] + t * (other[side] - one[side]);
  return { x: mix("x"), y: mix("y"), w: mix("w"), h: mix("h") };
};

const middle = ({ width, height }: Size): Box => ({ x: width / 2, y: height / 2, w: width, h: height });

const cursorsOf = ({ cursor, taken }: Moment): [from: number, to: number] => [cursor - (taken?.length ?? 0), cursor];
