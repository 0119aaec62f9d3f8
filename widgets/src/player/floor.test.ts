import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Floor, type Placed } from "./floor.js";
import type { Panel, Run } from "../scene/scene.js";
import { NUDGE } from "../ui/border.js";
import { html } from "../ui/dom.js";

const RUNS: Run[] = [
  { id: "a", label: "tape", kind: "reverse" },
  { id: "b", label: "node graph", kind: "reverse" },
];

let resized: () => void = () => undefined;
beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(act: () => void) {
        resized = act;
      }
      observe(): void {}
      disconnect(): void {
        resized = () => undefined;
      }
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

function lay(width: number, kinds: Panel["kind"][], runs = RUNS.slice(0, 1)) {
  const ending = new AbortController();
  const floor = new Floor(ending.signal);
  const resize = (to: number): void => {
    Object.defineProperty(floor.element, "clientWidth", { value: to, configurable: true });
    resized();
  };
  resize(width);
  const panels = kinds.map((kind): Placed => {
    const description = { id: kind, kind, run: "a" } as Panel;
    return { description, element: html("div", { "data-made": kind }) };
  });
  floor.put(panels, runs);
  const columns = (): string[][] =>
    [...floor.element.querySelectorAll(".adviz-column")].map((column) =>
      [...column.querySelectorAll<HTMLElement>("[data-made]")].map(({ dataset }) => dataset["made"]!),
    );
  return { floor, columns, resize, ending };
}

test("panels stand in as many columns as there is room for, and move when that changes", () => {
  const { columns, resize, ending } = lay(1400, ["graph", "tape", "formula", "table"]);
  expect(columns()).toEqual([["graph", "formula"], ["tape"], ["table"]]);
  resize(900);
  expect(columns()).toEqual([
    ["graph", "formula"],
    ["tape", "table"],
  ]);
  resize(400);
  expect(columns()).toEqual([["graph", "formula", "tape", "table"]]);
  ending.abort();
  resize(1400);
  expect(columns().length).toBe(1);
});

test("a border moves by the arrow keys, tells where it is, and stops before a column is gone", () => {
  const { floor, resize } = lay(900, ["graph", "tape"]);
  const widths = (): number[] =>
    [...floor.element.querySelectorAll<HTMLElement>(".adviz-column")].map(({ style }) => Number(style.flexGrow));
  const border = (): HTMLElement => floor.element.querySelector<HTMLElement>("[role=separator]")!;
  const press = (key: string): boolean =>
    border().dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true, bubbles: true }));
  const [before] = widths() as [number];
  press("ArrowRight");
  expect(widths()[0]).toBeCloseTo(before + NUDGE / 900, 6);
  expect(border().getAttribute("aria-valuenow")).toBe("67");
  for (let i = 0; i < 50; i++) press("ArrowLeft");
  expect(widths()[0]).toBeCloseTo(0.12, 9);
  expect(widths()[0]! + widths()[1]!).toBeCloseTo(1, 9);
  const kept = widths();
  resize(400);
  resize(900);
  expect(widths()).toEqual(kept);
});

test("panels that do not say what they are have a title, with the run where there are several", () => {
  const title = ({ floor }: ReturnType<typeof lay>): (string | null)[] =>
    [...floor.element.querySelectorAll("h4")].map(({ textContent }) => textContent);
  expect(title(lay(900, ["graph", "tape", "formula"]))).toEqual(["Tape"]);
  expect(title(lay(900, ["table"], RUNS))).toEqual(["Evaluation trace: tape"]);
});

test("a panel named like its run is not told twice, and graphs of several runs are told apart from it", () => {
  const { floor } = lay(900, ["graph", "tape"], RUNS);
  expect([...floor.element.querySelectorAll("section")].map((each) => each.getAttribute("aria-label"))).toEqual([
    "graph: tape",
    "Tape",
  ]);
});

test("panels below each other have borders that keep a height, also when new numbers come", () => {
  const { floor } = lay(900, ["graph", "tape", "table"]);
  const panel = (): HTMLElement => floor.element.querySelector<HTMLElement>('[data-kind="tape"]')!;
  Object.defineProperty(panel(), "offsetHeight", { value: 200 });
  const border = floor.element.querySelector<HTMLElement>('[aria-orientation="horizontal"]')!;
  border.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", cancelable: true }));
  expect(panel().style.flex).toBe(`0 0 ${200 + NUDGE}px`);
  const description = (kind: Panel["kind"]) => ({ id: kind, kind, run: "a" }) as Panel;
  floor.put(
    (["graph", "tape", "table"] as const).map((kind) => ({ description: description(kind), element: html("div") })),
    RUNS.slice(0, 1),
  );
  expect(panel().style.flex).toBe(`0 0 ${200 + NUDGE}px`);
});

test("a single picture above everything else has the height that it takes, within limits", () => {
  const { floor, resize } = lay(1200, []);
  Object.defineProperty(floor.element, "clientHeight", { value: 600 });
  const high = (taken: number): string => {
    const made = ["flow", "bench", "code", "nudge"].map((kind): Placed => ({
      description: { id: kind, kind, run: "a" } as Panel, element: html("div"),
      ...(kind === "flow" && { panel: { prefers: () => true, heightAt: ({ height }) => Math.min(taken, height) } }),
    }));
    floor.put(made, RUNS.slice(0, 1));
    resize(1200);
    expect(floor.element.dataset["alone"]).toBe("");
    return floor.element.style.getPropertyValue("--high");
  };
  expect([100, 300, 500].map(high)).toEqual(["252px", "300px", "348px"]);
});
