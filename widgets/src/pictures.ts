// The pictures of a show in files: what the Player draws of its moments, asked for by Python, which has no page. Questions
// and answers are JSON.

import { inPlay as operationsOf } from "./bench/playing.js";
import { isComputed, largest, sumOf } from "./bench/sums.js";
import { RAISED, drawn, heightOf } from "./bench/tables.js";
import { items as elimination, paled } from "./elimination/elimination-marks.js";
import { stand as instant } from "./elimination/elimination-standing.js";
import { Places } from "./elimination/elimination-places.js";
import { type Beat, type State, beatsOf, ownOf } from "./elimination/elimination-steps.js";
import { SIZE as EXTENDED, extended, sorted } from "./elimination/extended-marks.js";
import { type Told, still } from "./explorer/adjoint-marks.js";
import { seen } from "./flow/lines.js";
import { items as flow } from "./flow/moment.js";
import { beside } from "./layout/changes.js";
import { type Laid, laid } from "./layout/layout.js";
import type { Placed, PlacedElimination } from "./layout/placed.js";
import { sweepAt } from "./flow/several.js";
import { type Item, moved } from "./motion/marks.js";
import { timed } from "./motion/schedule.js";
import { memoryMarks } from "./ops/memory-marks.js";
import { type Homes, homesOf, items as graph } from "./panels/graph-marks.js";
import { GraphRun } from "./panels/graph-state.js";
import { matrixItems, sizeOf as matrixSize } from "./panels/matrix-marks.js";
import type { Size } from "./picture/camera.js";
import { partials } from "./playback/runs.js";
import { type Stage, sought, takenAt } from "./playback/stage.js";
import type { BenchPanel, EliminationPanel, ExtendedPanel, FlowPanel, GraphPanel, MatrixPanel, MemoryPanel, Panel, Show } from "./scene/document.js";

/** Shows that are kept for further questions. */
const MOST = 2;

/** What is asked: a moment in the cursors of the show, or of one of its runs. */
interface Moment {
  readonly from: number;
  readonly to: number;
  readonly progress: number;
}

/** A sweep on a stage. */
interface Shown {
  readonly panel: string;
  readonly stage: Size;
}

class Pictures {
  readonly #laid = new Map<string, Laid>();
  readonly #runs = new Map<string, { readonly start: State; readonly beats: readonly Beat[] }>();
  readonly #places = new Map<string, Places>();

  readonly #graphs = new Map<string, readonly [GraphRun, Homes]>();
  readonly #stageAt: (cursor: number) => Stage;
  readonly #isPartial: (key: string, cursor: number) => boolean;

  constructor(readonly show: Pick<Show, "panels" | "runs" | "steps" | "start">) {
    this.#stageAt = sought(show.steps, show.start);
    this.#isPartial = partials(show);
  }

  /** Lay a sweep out for a stage: the size of its picture. */
  place({ panel, stage }: Shown): Size {
    const { width, height } = this.#placed(panel, stage);
    return { width, height };
  }

  /** Milliseconds that a step of a sweep takes. */
  duration({ from, to, ...shown }: Omit<Moment, "progress"> & Shown): number {
    return timed(this.#flow({ ...shown, to }), from, to).total;
  }

  /** A moment of a sweep. */
  flow({ from, to, progress, ...shown }: Moment & Shown): object {
    return { items: flow(this.#flow({ ...shown, to }), from, to, progress) };
  }

  /** How much room the picture of an elimination takes. */
  eliminationSize({ panel }: { panel: string }): Size {
    const { width, height } = this.#panel<Panel>(panel).kind === "extended" ? EXTENDED : this.#eliminated(panel);
    return { width, height };
  }

  /** A moment of the elimination of a run; `page` are the edges that are looked at, or null. */
  elimination({ panel, from, to, progress, page }: Moment & { panel: string; page: string[] | null }): object {
    const description = this.#panel<EliminationPanel | ExtendedPanel>(panel);
    const { start, beats } = this.#run(description.run);
    if (description.kind === "extended") {
      const marks = extended(sorted(description, start, beats, from, to), progress);
      return { items: [{ kind: "matrix", key: "", title: "", marks }] satisfies Item[] };
    }
    const items = elimination(instant(this.#eliminated(panel), start, beats, from, to, progress, Number(description.reading === "line graph")));
    return { items: page ? paled(items, new Set(page)) : items };
  }

  /** A moment of a run over a graph. */
  graph({ panel, cursor, progress }: { panel: string; cursor: number; progress: number }): object {
    const taken = takenAt(this.show.steps, cursor);
    return { items: graph(...this.#graph(panel), { stage: this.#stageAt(cursor), cursor, step: taken.at(-1) ?? null, taken, progress }) };
  }

  /** A graph that nothing happens on, as the Explorer shows it; with the adjoints of its items, or null. */
  still({ panel, adjoints }: { panel: string; adjoints: Told | null }): object {
    return { items: still(this.#panel<GraphPanel>(panel), adjoints) };
  }

  /** How much room the matrix of a run takes. */
  matrixSize({ panel }: { panel: string }): Size {
    return matrixSize(this.#panel<MatrixPanel>(panel));
  }

  /** The matrix of a run after so many steps, those from `before` on are the last; with the sums that are under way, or not. */
  matrix({ panel, before, cursor, sums }: { panel: string; before: number; cursor: number; sums: boolean }): object {
    const changed = new Set(this.show.steps.slice(before, cursor).flatMap(({ edits }) => edits.map(([key]) => key)));
    const isPartial = (key: string): boolean => sums && this.#isPartial(key, cursor);
    return { items: matrixItems(this.#panel<MatrixPanel>(panel), { stage: this.#stageAt(cursor), changed, isPartial }) };
  }

  /** The memory of a computation over ops. */
  memory({ panel, cursor, size }: { panel: string; cursor: number; size: Size }): object {
    return { marks: memoryMarks(this.#panel<MemoryPanel>(panel), cursor, size) };
  }

  /** The last operation between two cursors, its tables at a height that is the same for all, and its largest entry. */
  bench({ panel, from, to }: { panel: string; from: number; to: number }): object {
    const { benches: ofNodes, lines } = this.#panel<BenchPanel>(panel);
    const benches = lines ?? ofNodes;
    const height = heightOf(benches);
    const [bench] = operationsOf(benches, from, to).slice(-1);
    if (!bench) return { height, width: 0, marks: [], title: null, line: null };
    const entry = isComputed(bench) ? largest(bench) : null;
    const { marks, width } = drawn(bench, entry, true);
    const placed = marks.map((mark) => moved(mark, 0, height / 2 + RAISED));
    return { height, width, marks: placed, title: bench.title, line: entry === null ? null : sumOf(bench, entry) };
  }

  #panel<Panel>(id: string): Panel {
    return this.show.panels.find((each) => each.id === id) as Panel;
  }

  #flow({ panel, stage, to }: { panel: string; stage: Size; to: number }): Placed {
    return sweepAt(this.#placed(panel, stage), to);
  }

  #placed(id: string, stage: Size): Laid {
    const key = `${id} ${stage.width} ${stage.height}`;
    const placed = this.#laid.get(key) ?? laid(beside(seen(this.#panel<FlowPanel>(id), "lines", []), this.show.panels), stage);
    this.#laid.set(key, placed);
    return placed;
  }

  #eliminated(id: string): PlacedElimination {
    const panel = this.#panel<EliminationPanel>(id);
    const { start, beats } = this.#run(panel.run);
    const places = this.#places.get(id) ?? new Places(panel, start, beats);
    this.#places.set(id, places);
    return places.on(places.size);
  }

  #graph(id: string): readonly [GraphRun, Homes] {
    const panel = this.#panel<GraphPanel>(id);
    const run = this.show.runs.find((each) => each.id === panel.run) ?? this.show.runs[0]!;
    const { steps } = this.show;
    const known = this.#graphs.get(id) ?? [new GraphRun(panel, run, steps), homesOf(panel, run.id, steps)] as const;
    this.#graphs.set(id, known);
    return known;
  }

  #run(run: string): { readonly start: State; readonly beats: readonly Beat[] } {
    const known = this.#runs.get(run) ?? { start: ownOf(Object.entries(this.show.start ?? {}), run), beats: beatsOf(this.show.steps, run) };
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
  ask(number: number, what: "place" | "duration" | "flow" | "elimination" | "graph" | "still" | "memory" | "matrix" | "matrixSize" | "bench" | "eliminationSize", about: string): string {
    const pictures = known.get(number);
    return pictures ? JSON.stringify(pictures[what](JSON.parse(about))) : "";
  },
};

Object.assign(globalThis, { adviz: questions });
