import { expect, test } from "vitest";
import { MetersPanel, lineOf, metered } from "./meters-panel.js";
import { STEPS, contextOf, momentAt, part, showOf, step } from "../testing/panels-shown.js";
import type { Step } from "../scene/scene.js";
import { goldens } from "../testing/shows.js";

test("meters add up what the steps cost, to the unit", () => {
  const show = showOf(STEPS);
  expect([...metered(show, "a", "multiplications")]).toEqual([0, 0, 0, 1, 1, 1]);
  expect([...metered(show, "a", "additions")]).toEqual([0, 0, 0, 0, 2, 2]);
  expect([...metered(show, "a", "visits")]).toEqual([0, 0, 1, 1, 1, 1]);
  expect([...metered(show, "a", "bytes")]).toEqual([0, 16, 16, 24, 24, 8]);
});

test("each run is metered by its own parts, and stands still where it waits", () => {
  const cost = (multiplications: number) => ({ multiplications, additions: 0, comparisons: 3, visits: 1 });
  const show = showOf([
    step({ edits: [], parts: [part({ cost: cost(2), bytes: 8 }), part({ run: "b", cost: cost(5), bytes: 80 })] }),
    step({ edits: [], run: "b", cost: cost(1), bytes: 40 }),
  ]);
  expect([...metered(show, "a", "multiplications")]).toEqual([0, 2, 2]);
  expect([...metered(show, "b", "multiplications")]).toEqual([0, 5, 6]);
  expect([...metered(show, "a", "bytes")]).toEqual([0, 8, 8]);
  expect([...metered(show, "b", "comparisons")]).toEqual([0, 3, 6]);
});

test("the meters of the goldens end at the sums of their steps", () => {
  for (const { scene } of [goldens.backward, goldens.folded, goldens.tapeVsGraph]) {
    for (const { id } of scene.runs) {
      const parts = scene.steps.flatMap(({ parts, ...whole }) => parts ?? [whole]).filter(({ run }) => run === id);
      for (const meter of ["multiplications", "additions", "comparisons", "visits"] as const) {
        const sum = parts.reduce((total, { cost }) => total + cost[meter], 0);
        expect(metered(scene, id, meter).at(-1)).toBe(sum);
      }
      expect(metered(scene, id, "bytes").at(-1)).toBe(parts.at(-1)!.bytes);
      expect(metered(scene, id, "peak").at(-1)).toBe(Math.max(...parts.map(({ peak }) => peak)));
    }
  }
});

test("a line is stepped, rises with the values, and stays small for long timelines", () => {
  expect(lineOf(Float64Array.of(0, 1, 2), 2)).toBe("M0,43H120V24H240V5");
  const long = Float64Array.from({ length: 10_001 }, (_, k) => (k === 5000 ? 9 : 1));
  expect(lineOf(long, 9).length).toBeLessThan(20_000);
  // The one value that stands out is not lost among its neighbors.
  expect(lineOf(long, 9)).toContain("V5V");
});

test("nothing at all is a flat line at the ground", () => {
  expect(lineOf(Float64Array.of(0, 0), 0)).toBe("M0,43H240V43");
  expect(lineOf(Float64Array.of(0), 0)).toBe("M0,43");
});

test("the panel says the exact numbers at the cursor, beside the plots; what stays at 0 is left out", () => {
  const show = showOf(STEPS);
  const panel = new MetersPanel({ id: "m", kind: "meters" }, contextOf(show).context);
  const numbers = () => [...panel.element.querySelectorAll(".adviz-meter-number")].map((at) => at.textContent);
  expect(numbers()).toEqual(["0 of 1", "0 of 2", "0 of 1", "0 B peak 0 B"]);
  panel.show(momentAt(show, 5));
  expect(numbers()).toEqual(["1 of 1", "2 of 2", "1 of 1", "8 B peak 24 B"]);
});

test("several runs stand in one plot, told apart by more than color", () => {
  const show = showOf(STEPS, [
    { id: "a", label: "tape", kind: "reverse" },
    { id: "b", label: "graph", kind: "reverse" },
  ]);
  const panel = new MetersPanel({ id: "m", kind: "meters" }, contextOf(show).context);
  const plot = panel.element.querySelector("section > svg")!;
  expect([...plot.querySelectorAll(".adviz-meter-line")].map((line) => line.getAttribute("data-series"))).toEqual([
    "0",
    "1",
  ]);
  expect(plot.getAttribute("aria-label")).toBe("Multiplications over the steps: tape ends at 1, graph ends at 0");
  expect([...panel.element.querySelectorAll(".adviz-meter-key li")].map((at) => at.textContent)).toEqual([
    "tape",
    "graph",
  ]);
});

test("what other orders take lies as lines in the plot of multiplications, the dearest told first", () => {
  const show = showOf(STEPS);
  const references = [
    { label: "best possible", multiplications: 2, kind: "optimum" as const },
    { label: "forward", multiplications: 4, kind: "forward" as const },
  ];
  const panel = new MetersPanel({ id: "m", kind: "meters", references }, contextOf(show).context);
  const [plot] = panel.element.querySelectorAll("section");
  const lines = [...plot!.querySelectorAll(":scope > svg > .adviz-meter-reference")];
  expect(lines.map((line) => [line.getAttribute("data-kind"), line.getAttribute("d")])).toEqual([
    ["optimum", "M0 24H240"],
    ["forward", "M0 5H240"],
  ]);
  expect([...plot!.querySelectorAll("li")].map((at) => at.textContent)).toEqual(["forward 4", "best possible 2"]);
  expect(panel.element.querySelectorAll("section")).toHaveLength(4);
});

test("before anything is multiplied there is what it will be compared with", () => {
  const references = [{ label: "best possible", multiplications: 2, kind: "optimum" as const }];
  const panel = new MetersPanel({ id: "m", kind: "meters", references }, contextOf(showOf([])).context);
  expect(panel.element.querySelector(".adviz-meter-number")!.textContent).toBe("0 of 0");
});

test("what a move would cost is added to what is done, and goes away again", () => {
  const show = showOf([]);
  const references = [{ label: "best possible", multiplications: 8, kind: "optimum" as const }];
  const panel = new MetersPanel({ id: "m", kind: "meters", references }, contextOf(show).context);
  const [number, line] = [".adviz-meter-number", ".adviz-meter-next"].map((name) => panel.element.querySelector(name)!);
  panel.foresee([{ cost: { multiplications: 3 } }, { cost: { multiplications: 1 } }] as Step[]);
  expect(number!.textContent).toBe("0 + 4");
  expect(line!.getAttribute("d")).toBe("M0 43V24");
  panel.foresee([]);
  expect(number!.textContent).toBe("0 of 0");
  expect(line!.getAttribute("d")).toBe("M0 0");
});
