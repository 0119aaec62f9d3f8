// The meters: what each run has done so far, in exact numbers, and over the steps in small plots with the cursor on them.

import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import type { Size } from "../picture/camera.js";
import { partOf } from "../playback/runs.js";
import { type Cost, type MetersPanel as Described, type Part, type Reference, type Run, type Show, type Step, panelOf } from "../scene/scene.js";
import { type Attributes, html, svg } from "../ui/dom.js";
import { count } from "../ui/format.js";

/** What is metered: how it is called, what a step adds or sets, and how it is written. */
interface Quantity {
  readonly label: string;
  readonly after: (before: number, part: Part | null) => number;
  readonly write: (value: number) => string;
}

const adding =
  (cost: keyof Cost): Quantity["after"] =>
  (before, part) =>
    before + (part?.cost[cost] ?? 0);

/** "1,440 B": to the byte, unlike elsewhere. */
const exactly = (value: number): string => `${count(value)} B`;

const QUANTITIES = {
  multiplications: { label: "Multiplications", after: adding("multiplications"), write: count },
  additions: { label: "Additions", after: adding("additions"), write: count },
  comparisons: { label: "Comparisons", after: adding("comparisons"), write: count },
  visits: { label: "Visits", after: adding("visits"), write: count },
  bytes: { label: "Bytes live", after: (before, part) => part?.bytes ?? before, write: exactly },
  peak: { label: "Peak", after: (before, part) => part?.peak ?? before, write: exactly },
} satisfies Record<string, Quantity>;

type Meter = keyof typeof QUANTITIES;

/** Quantities with a plot; the peak is shown beside the bytes. */
const PLOTTED = ["multiplications", "additions", "comparisons", "visits", "bytes"] as const satisfies Meter[];

/** One quantity of one run after each number of steps. */
export function metered({ steps }: Pick<Show, "steps">, run: string, meter: Meter): Float64Array {
  const { after } = QUANTITIES[meter];
  const values = new Float64Array(steps.length + 1);
  steps.forEach((step, k) => {
    values[k + 1] = after(values[k]!, partOf(step, run));
  });
  return values;
}

/** The meters of a show, without those that stay at 0. */
const metersOf = (scene: Pick<Show, "steps" | "runs">): readonly Meter[] =>
  PLOTTED.filter((meter) => scene.runs.some(({ id }) => metered(scene, id, meter).some((value) => value > 0)));

const WIDTH = 240;
const HEIGHT = 48;
const PAD = 5;

/** Pixels of height of a meter of one run, where it has two lines, and around all of them. */
const LINE = 50;
const PADDING = 12;
const OF_SEVERAL = 160;
/** Pixels of width of a plot beside its numbers, and around two of them. */
const [PLOT, AROUND] = [48, 40];

/** Pixels of a character of a number and of the words after it, and of the sample of a line before it. */
const LARGE = 10.5;
const SMALL = 7;
const SAMPLE = 34;

/** The largest number, or 0; an argument for each number would be too many. */
const largest = (numbers: Float64Array | readonly number[]): number =>
  [...numbers].reduce((one, other) => Math.max(one, other), 0);

const across = (cursor: number, steps: number): number => (WIDTH * cursor) / Math.max(1, steps);
const up = (value: number, most: number): number => HEIGHT - PAD - ((HEIGHT - 2 * PAD) * value) / (most || 1);
const place = (value: number): string => String(Math.round(100 * value) / 100);

/** A stepped line through the values. Of many that share a hair's breadth the highest and the last are drawn. */
export function lineOf(values: Float64Array, most: number): string {
  const steps = values.length - 1;
  const stride = Math.max(1, Math.ceil(steps / (2 * WIDTH)));
  let path = `M0,${place(up(values[0]!, most))}`;
  for (let k = 1; k <= steps; k += stride) {
    const last = Math.min(steps, k + stride - 1);
    const shared = values.subarray(k, last + 1);
    path += `H${place(across(last, steps))}V${place(up(Math.max(...shared), most))}`;
    if (shared.length > 1) path += `V${place(up(shared.at(-1)!, most))}`;
  }
  return path;
}

interface Series {
  readonly values: Float64Array;
  readonly dot: SVGElement;
  readonly number: HTMLElement;
  /** The text after the number at a cursor. */
  readonly end: (cursor: number) => string;
}

interface Plot {
  readonly meter: Meter;
  readonly most: number;
  /** A dashed line up to what would be done with the next move. */
  readonly next: SVGElement;
  readonly series: readonly Series[];
}

/** Where the run ends is not known while the reader is making it. */
type Description = Described & { readonly isOpen?: boolean };

export class MetersPanel implements PlayerPanel {
  readonly element: HTMLElement;
  readonly #plots: Plot[] = [];
  readonly #cursors: SVGElement[] = [];
  readonly #steps: number;
  readonly #isOpen: boolean;
  #cursor = 0;

  constructor({ references = [], isOpen = false }: Description, { scene }: PanelContext) {
    this.#isOpen = isOpen;
    this.#steps = scene.steps.length;
    this.element = html(
      "div.adviz-meters",
      { role: "group", "aria-label": "Meters", tabindex: 0 },
      scene.runs.length > 1 ? key(scene.runs) : null,
      ...(references.length ? [this.#meter(scene, "multiplications", references)] : []),
      ...metersOf(scene)
        .filter((meter) => meter !== "multiplications" || !references.length)
        .map((meter) => this.#meter(scene, meter)),
    );
    this.element.style.setProperty("--numbers", `${this.#widest(scene.runs.length > 1)}px`);
    this.#move(0);
  }

  /** Pixels for the longest numbers, so that all plots are of one width. */
  #widest(isSeveral: boolean): number {
    const widths = this.#plots.flatMap(({ meter, series }) =>
      series.map(({ values, end }) => {
        const most = QUANTITIES[meter].write(largest(values));
        return LARGE * most.length + SMALL * end(this.#steps).length;
      }),
    );
    return Math.ceil(Math.max(0, ...widths)) + (isSeveral ? SAMPLE : 0);
  }

  /** Meters of one run adapt to the width that there is; of several runs two stand side by side. */
  get size(): Size {
    if (this.#plots.every(({ series }) => series.length === 1)) return { width: 0, height: LINE * this.#plots.length + PADDING };
    return { width: 2 * (PLOT + this.#widest(true)) + AROUND, height: OF_SEVERAL };
  }

  show({ cursor }: Moment): void {
    this.#move(cursor);
  }

  /** Add what a move would cost to the multiplications. */
  foresee(steps: readonly Step[]): void {
    const more = steps.reduce((sum, { cost }) => sum + cost.multiplications, 0);
    this.#move(this.#cursor);
    const plot = this.#plots.find(({ meter }) => meter === "multiplications");
    if (!plot || !more) return;
    const { most, next, series } = plot;
    const { values, number } = series[0]!;
    const done = values[this.#cursor]!;
    const x = place(across(this.#cursor, this.#steps));
    next.setAttribute("d", `M${x} ${place(up(done, most))}V${place(up(Math.min(most, done + more), most))}`);
    number.replaceChildren(html("b", `${count(done)} + ${count(more)}`));
  }

  mark(): void {}

  /** A plot of one quantity, with lines at what it is compared with. */
  #meter(scene: Show, meter: Meter, references: readonly Reference[] = []): HTMLElement {
    const { label: plain, write } = QUANTITIES[meter];
    const label = meter === "multiplications" && panelOf(scene, "flow") ? `${plain} (not by ±1)` : plain;
    const all = scene.runs.map(({ id }) => metered(scene, id, meter));
    const compared = references.map(({ multiplications }) => multiplications);
    const most = largest([...all.map(largest), ...compared]);
    const series = all.map((values, i) => ({
      values,
      dot: svg("path.adviz-meter-dot", { d: "M0 0h0", "data-series": i }),
      number: html("span.adviz-meter-number"),
      end: this.#endOf(scene, i, meter, write(values.at(-1)!), references),
    }));
    const cursor = svg("path", { class: "adviz-meter-cursor", d: `M0 0V${HEIGHT}` });
    const next = svg("path.adviz-meter-next", { d: "M0 0" });
    this.#plots.push({ meter, most, next, series });
    this.#cursors.push(cursor);
    return html(
      "section.adviz-meter",
      { "data-compared": references.length > 0 },
      html("h4", label),
      svg(
        "svg",
        {
          viewBox: `-3 0 ${WIDTH + 6} ${HEIGHT}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": `${label} over the steps: ${scene.runs
            .map((run, i) => `${run.label} ends at ${write(all[i]!.at(-1)!)}`)
            .join(", ")}`,
        },
        svg("path", { class: "adviz-meter-ground", d: `M0 ${HEIGHT - PAD}H${WIDTH}` }),
        ...references.map(({ kind, multiplications }) =>
          svg("path.adviz-meter-reference", { "data-kind": kind, d: `M0 ${place(up(multiplications, most))}H${WIDTH}` }),
        ),
        cursor,
        next,
        ...all.map((values, i) => svg("path.adviz-meter-line", { "data-series": i, d: lineOf(values, most) })),
        ...series.map(({ dot }) => dot),
      ),
      html(
        "div.adviz-meter-numbers",
        ...series.map(({ number }, i) =>
          html("div", { "data-series": i }, scene.runs.length > 1 ? sample(i) : null, number),
        ),
      ),
      references.length ? comparison(references) : null,
    );
  }

  #move(cursor: number): void {
    this.#cursor = cursor;
    const x = place(across(cursor, this.#steps));
    for (const line of this.#cursors) line.setAttribute("transform", `translate(${x},0)`);
    for (const { meter, most, next, series } of this.#plots) {
      const { write } = QUANTITIES[meter];
      next.setAttribute("d", "M0 0");
      for (const { values, dot, number, end } of series) {
        dot.setAttribute("transform", `translate(${x},${place(up(values[cursor]!, most))})`);
        number.replaceChildren(html("b", write(values[cursor]!)), html("small", end(cursor)));
      }
    }
  }

  /** What a number is compared with: its peak, its final value, or, while the reader makes an order, the optimum. */
  #endOf(scene: Show, run: number, meter: Meter, last: string, references: readonly Reference[]): Series["end"] {
    if (meter === "bytes") {
      const peaks = metered(scene, scene.runs[run]!.id, "peak");
      return (cursor) => ` peak ${exactly(peaks[cursor]!)}`;
    }
    if (!this.#isOpen) return () => ` of ${last}`;
    const best = references.find(({ kind }) => kind === "optimum");
    return () => (best ? `, ${best.label.toLowerCase().replace(" possible", "")} ${count(best.multiplications)}` : "");
  }
}

/** A piece of a line, as it is drawn in the plots: of a run, or of what it is compared with. */
const sampleOf = (line: "line" | "reference", attributes: Attributes): SVGElement =>
  svg(
    "svg.adviz-meter-sample",
    { viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true" },
    svg(`path.adviz-meter-${line}`, { ...attributes, d: "M0 4H26" }),
  );

const sample = (series: number): SVGElement => sampleOf("line", { "data-series": series });

/** The work of other orders, the most expensive first, as it is drawn on top. */
const comparison = (references: readonly Reference[]): HTMLElement =>
  html(
    "ul.adviz-meter-key",
    ...[...references]
      .sort((one, other) => other.multiplications - one.multiplications)
      .map(({ kind, label, multiplications }) =>
        html("li", sampleOf("reference", { "data-kind": kind }), `${label} ${count(multiplications)}`),
      ),
  );

const key = (runs: readonly Run[]): HTMLElement =>
  html("ul.adviz-meter-key", ...runs.map(({ label }, i) => html("li", { "data-series": i }, sample(i), label)));
