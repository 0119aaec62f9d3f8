// The pictures of a show in files: what the Player draws of its moments, asked for by Python, which has no page. Questions
// and answers are JSON.

import { items as elimination, paled } from "./elimination/elimination-marks.js";
import { stand as instant } from "./elimination/elimination-standing.js";
import { type Beat, type State, beatsOf, stateAt } from "./elimination/elimination-steps.js";
import { extended, labelsIn, sorted } from "./elimination/extended-marks.js";
import { framed, inPlay, overlay, windowOf } from "./flow/framing.js";
import { type Item, items as flow } from "./flow/moment.js";
import { stand } from "./flow/standing.js";
import { beside } from "./layout/changes.js";
import { type Laid, laid } from "./layout/layout.js";
import type { Placed } from "./layout/placed.js";
import { sweepAt } from "./flow/sweeps.js";
import { timed } from "./motion/schedule.js";
import type { Size } from "./picture/camera.js";
import type { EliminationPanel, ExtendedPanel, FlowPanel, Show } from "./scene/document.js";

/** Shows that are kept for further questions. */
const MOST = 2;

/** What is asked: a moment in the cursors of the show, or of one of its runs. */
interface Moment {
  readonly before: number;
  readonly from: number;
  readonly to: number;
  readonly progress: number;
}

/** A sweep on a stage, and how much of it is seen at a time; null: all. */
interface Shown {
  readonly panel: string;
  readonly stage: Size;
  readonly window: Size | null;
}

class Pictures {
  readonly #laid = new Map<string, Laid>();
  readonly #runs = new Map<string, { readonly start: State; readonly beats: readonly Beat[] }>();

  constructor(readonly show: Pick<Show, "panels" | "steps" | "start">) {}

  /** Lay a sweep out for a stage: the size of its picture, and how much of it is seen at a time; null: all. */
  place({ panel, stage, letters }: { panel: string; stage: Size; letters: number }): Size & { readonly window: Size | null } {
    const placed = this.#placed(panel, stage);
    return { width: placed.width, height: placed.height, window: windowOf(placed, stage, letters) };
  }

  /** Milliseconds that a step of a sweep takes. */
  duration({ window, before, from, to, ...shown }: Omit<Moment, "progress"> & Shown): number {
    const sweep = this.#flow({ ...shown, to });
    return (window ? framed(sweep, window, [before, from, to], 1).lead : 0) + timed(sweep, from, to).total;
  }

  /** A moment of a sweep: its items, what is seen of them, and what lies over that. */
  flow({ window, before, from, to, progress, ...shown }: Moment & Shown): object {
    const sweep = this.#flow({ ...shown, to });
    if (!window) return { items: flow(sweep, from, to, progress) };
    const { frame, share } = framed(sweep, window, [before, from, to], progress);
    const over = overlay(stand(sweep, from, to, share, null), window, frame, inPlay(sweep, from, to));
    return { items: flow(sweep, from, to, share), frame, over };
  }

  /** A moment of the elimination of a run; `page` are the edges that are looked at, or null. */
  elimination({ panel, from, to, progress, page }: Omit<Moment, "before"> & { panel: string; page: string[] | null }): object {
    const description = this.#panel<EliminationPanel | ExtendedPanel>(panel);
    const { start, beats } = this.#run(description.run);
    if (description.kind === "extended") {
      const [before, after] = [labelsIn(stateAt(start, beats, from)), labelsIn(stateAt(start, beats, to))];
      const { first = to } = beats[to - 1] ?? {};
      const products = beats.slice(first, to).flatMap(({ product }) => product ?? []);
      const given = new Set(labelsIn(start).keys());
      const marks = extended(sorted({ panel: description, given, before, after, products }), progress);
      return { items: [{ kind: "matrix", key: "", title: "", marks }] satisfies Item[] };
    }
    const items = elimination(instant(description, start, beats, from, to, progress, Number(description.reading === "line graph")));
    return { items: page ? paled(items, new Set(page)) : items };
  }

  #panel<Panel>(id: string): Panel {
    return this.show.panels.find((each) => each.id === id) as Panel;
  }

  #flow({ panel, stage, to }: { panel: string; stage: Size; to: number }): Placed {
    return sweepAt(this.#placed(panel, stage), to);
  }

  #placed(id: string, stage: Size): Laid {
    const key = `${id} ${stage.width} ${stage.height}`;
    const placed = this.#laid.get(key) ?? laid(beside(this.#panel<FlowPanel>(id), this.show.panels), stage);
    this.#laid.set(key, placed);
    return placed;
  }

  #run(run: string): { readonly start: State; readonly beats: readonly Beat[] } {
    const own = `${run}/`;
    const start = new Map(Object.entries(this.show.start ?? {}).filter(([key]) => key.startsWith(own)).map(([key, value]) => [key.slice(own.length), value]));
    const known = this.#runs.get(run) ?? { start, beats: beatsOf(this.show.steps, run) };
    this.#runs.set(run, known);
    return known;
  }
}

const known = new Map<number, Pictures>();

const questions = {
  /** Keep a show for questions under a number. */
  open(number: number, show: string): void {
    for (const first of [...known.keys()].slice(0, Math.max(0, known.size - MOST + 1))) known.delete(first);
    known.set(number, new Pictures(JSON.parse(show)));
  },
  /** The answer to a question about a show; empty if the show is not known any more. */
  ask(number: number, what: "place" | "duration" | "flow" | "elimination", about: string): string {
    const pictures = known.get(number);
    return pictures ? JSON.stringify(pictures[what](JSON.parse(about))) : "";
  },
};

Object.assign(globalThis, { adviz: questions });
