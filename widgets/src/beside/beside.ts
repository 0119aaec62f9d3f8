// What stands beside the picture of a sweep: panels that tell a derivative once it has arrived in the picture.

import { boxesOf, seen } from "../flow/lines.js";
import { type Opened, boxOf } from "../layout/boxes.js";
import { color } from "../motion/marks.js";
import { TIMES, timed } from "../motion/schedule.js";
import type { Moment, PanelContext, PlayerPanel } from "../panels/panel.js";
import { type Room, figureOf, hue, isUnknown } from "../picture/heat-map.js";
import type { Level } from "../playback/playback.js";
import type { Amount, FlowPanel, Move } from "../scene/document.js";
import { type Panel, panelOf } from "../scene/scene.js";
import { atEnd, html } from "../ui/dom.js";

/** What a sweep has brought: the edges whose product has arrived, the nodes that have all of their derivative. */
export interface Known {
  readonly cursor: number;
  readonly sent: ReadonlySet<string>;
  readonly whole: ReadonlySet<number>;
  /** The moves of the step that is shown. */
  readonly played: readonly Move[];
  /** The nodes that the step is about; of a line that is told as one all that are inside of it. */
  readonly acting: readonly number[];
  readonly isEnded: boolean;
}

/** The nodes that moves are about: those that send or are sent to, or those that add up. */
export const actors = (moves: readonly Move[]): number[] => moves.flatMap(({ edge, nodes, kind }) => (kind === "result" ? [] : edge ? [Number(edge.split("/")[0])] : nodes));

/** What a step is about where a sweep is seen at a level: an engine may do things of several lines in turn. */
function acting(panel: FlowPanel, from: number, cursor: number, level: Level, opened: Opened): number[] {
  const view = seen(panel, level, opened);
  const nodes = actors(timed(view, from, cursor).moves.map(({ move }) => move));
  const boxes = view === panel ? [] : boxesOf(panel);
  return nodes.flatMap((node) => boxes[boxOf(boxes, node, opened)]?.inside ?? [node]);
}

/** What is known when a step has taken so many milliseconds. */
export function known(panel: FlowPanel, from: number, cursor: number, elapsed = Infinity, level: Level = "nodes", opened: Opened = []): Known {
  const { moves } = timed(panel, from, cursor);
  const done = new Set(panel.moves.filter(({ step }) => step < from));
  for (const { move, start } of moves) if (start + TIMES[move.kind] <= elapsed) done.add(move);
  const last = new Map(panel.moves.flatMap((move) => (move.kind === "result" ? [] : move.nodes.map((node) => [node, move] as const))));
  return {
    cursor,
    sent: new Set([...done].map(({ edge }) => edge)),
    whole: new Set([...last.keys()].filter((node) => done.has(last.get(node)!))),
    played: moves.map(({ move }) => move),
    acting: acting(panel, from, cursor, level, opened),
    isEnded: [...done].some(({ kind }) => kind === "result"),
  };
}

export abstract class Beside implements PlayerPanel {
  abstract readonly element: HTMLElement;
  readonly flow: FlowPanel | null;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(
    _: Panel,
    readonly context: PanelContext,
  ) {
    this.flow = panelOf(context.scene, "flow");
    atEnd(context.signal, () => this.#timers.forEach(clearTimeout));
  }

  abstract tell(known: Known): void;

  mark(_nodes: readonly number[]): void {}

  show({ cursor, taken, speed, level = "nodes", opened = [] }: Moment): void {
    const { flow } = this;
    this.#timers.forEach(clearTimeout);
    if (!flow) return;
    const from = cursor - (taken?.length ?? 0);
    const tell = (elapsed?: number): void => this.tell(known(flow, from, cursor, elapsed, level, opened));
    tell(speed ? 0 : Infinity);
    if (!speed) return;
    const { moves, total } = timed(flow, from, cursor);
    // All that happens inside of a line comes while the picture shows what the line sends.
    const pace = total && (speed * total) / timed(seen(flow, level, opened), from, cursor).total;
    const ends = moves.map(({ move, start }) => start + TIMES[move.kind]);
    this.#timers = ends.map((end) => setTimeout(tell, end / pace, end));
  }
}

/** A derivative: its number in the hue of its sign, or its map under a bar. */
export const derivative = ({ map, sign, text }: Amount, room: Room, what: string): HTMLElement =>
  map ? html("b.adviz-barred", figureOf(map, room, what)) : signed(text, sign);

export const signed = (text: string, sign: Amount["sign"]): HTMLElement => html("b", { style: `color:${color(hue(sign))}`, "data-unknown": isUnknown(text) }, text);
