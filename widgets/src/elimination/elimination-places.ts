// Where everything stands in the picture of an elimination: what there is, and for how long, is read off the steps.

import { isWhole, labels } from "./elimination-standing.js";
import { type Beat, type State, stateAt } from "./elimination-steps.js";
import { isTall } from "./elimination-values.js";
import { endsOf } from "./elimination.js";
import { type LabelPart, type Parts, type Plan, type VertexPart, planned } from "../layout/plans.js";
import { fitted, least, wanted } from "../layout/fitting.js";
import type { PlacedElimination, PlacedVertex } from "../layout/placed.js";
import type { Size } from "../picture/camera.js";
import type { EliminationPanel, EliminationVertex } from "../scene/document.js";

/** The size of a label as a node of a line graph, of one with several rows, and of a letter. */
const [LABEL, TALL, LETTER] = [[92, 50], [92, 62], [84, 38]] as const;
/** The height of a vertex, and its least width; what is around its name; below it, for what is said of it. */
const [DISC, AROUND, DETAIL] = [44, 22, 15];
/** Bold letters are wider than those that were measured. */
const BOLD = 1.06;
/** Above a picture in which vertices lose faces, for the note that says so. */
const NOTE = 24;

/** Documents of earlier versions have the width of the box instead of that of the name. */
const widthOf = ({ label_w, w = 0 }: EliminationVertex & { readonly w?: number }): number => Math.max(DISC, label_w === undefined ? w : BOLD * label_w + AROUND);

/** A picture before it is on a stage. */
export class Places {
  readonly #plan: Plan;
  readonly #vertices: PlacedVertex[];
  readonly #top: number;
  /** The picture on the latest stage. */
  #laid: readonly [stage: Size, placed: PlacedElimination] | null = null;

  /** Those of the reader's own order are the same at its start as those of the show. */
  constructor(
    readonly panel: EliminationPanel,
    start: State,
    beats: readonly Beat[],
    readonly known: Places | null = null,
  ) {
    this.#vertices = panel.vertices.map((vertex) => ({ ...vertex, w: widthOf(vertex) }));
    this.#plan = planned(partsOf(panel, this.#vertices, start, beats), known ? known.#plan : null);
    const rests = beats.flatMap(({ last }, k) => (last === k ? [stateAt(start, beats, k + 1)] : []));
    const isBroken = panel.vertices.some(({ role, thing }) => role === "intermediate" && rests.some((state) => !isWhole(state, thing)));
    this.#top = isBroken || (known && known.#top) ? NOTE : 0;
  }

  /** The size of the smallest picture with some air. */
  get least(): Size {
    return least(this.#plan, this.#top);
  }

  /** The size that the picture wants. */
  get size(): Size {
    return wanted(this.#plan, this.#top);
  }

  /** The picture on a stage, not larger than that of the show. */
  on(stage: Size): PlacedElimination {
    const known = this.#laid;
    if (known && known[0].width === stage.width && known[0].height === stage.height) return known[1];
    const placed = this.#on(stage);
    this.#laid = [stage, placed];
    return placed;
  }

  #on(stage: Size): PlacedElimination {
    return { ...this.panel, vertices: this.#vertices, ...fitted(this.#plan, stage, this.#top, this.known ? this.known.#plan : null) };
  }
}

/** A copy has its place once its step is over. */
const COPIED = 0.5;

function partsOf(panel: EliminationPanel, placed: readonly PlacedVertex[], start: State, beats: readonly Beat[]): Parts {
  const lives = new Map<string, { from: number; until: number; values: unknown[] }>();
  for (const [key, value] of start) lives.set(key, { from: 0, until: Infinity, values: [value] });
  beats.forEach(({ edits }, k) => {
    for (const [key, , after] of edits) {
      const life = lives.get(key) ?? { from: k + 1, until: Infinity, values: [] };
      lives.set(key, { ...life, until: after === null ? k + 1 : Infinity, values: [...life.values, after] });
    }
  });
  const sources = new Map((panel.copies ?? []).map(([, copy, of]) => [copy, of]));
  for (const key of sources.keys()) {
    const [thing, life] = [key.replace("label", "node"), lives.get(key.replace("label", "node"))];
    if (life) lives.set(thing, { ...life, from: life.from + COPIED });
  }
  const vertices = placed.flatMap(({ thing, role, w, detail }): VertexPart[] => {
    const key = `vertex/${thing}`;
    const life = lives.get(key);
    return life ? [{ key, role, w, up: DISC / 2, down: DISC / 2 + (detail ? DETAIL : 0), ...life }] : [];
  });
  const things = labels(lives);
  const labelled = things.map((thing): LabelPart => {
    const { values, ...life } = lives.get(`node/${thing}`)!;
    const [tail, head] = endsOf(thing).map((end) => `vertex/${end}`) as [string, string];
    const [w, h] = values.some((value) => typeof value === "string") ? LETTER : values.some(isTall) ? TALL : LABEL;
    return { key: `label/${thing}`, tail, head, w, up: h / 2, down: h / 2, ...life };
  });
  return { vertices, labels: labelled, sources };
}
