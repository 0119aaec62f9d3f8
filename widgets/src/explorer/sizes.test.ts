import { expect, test, vi } from "vitest";
import type { Actions } from "./actions.js";
import { Sizes } from "./sizes.js";
import { FLAGS } from "../scene/columns.js";
import type { GraphPanel, SizesPanel } from "../scene/scene.js";
import { goldenGraph, goldenScene } from "../testing/explorers.js";

function open(flags: readonly number[] = [], scope = 0) {
  const scene = goldenScene();
  const panel = scene.panels.find(({ kind }) => kind === "graph") as GraphPanel;
  const whole = scene.panels.find(({ kind }) => kind === "sizes") as SizesPanel;
  const select = vi.fn();
  const actions = { select, preview: vi.fn() } as unknown as Actions;
  const graph = goldenGraph();
  flags.forEach((flag, node) => (graph.columns.flags[node]! |= flag));
  const sizes = new Sizes(graph, whole, actions, new AbortController().signal);
  document.body.replaceChildren(sizes.element);
  sizes.show({ ...panel, sizes: { ...whole, scope } });
  const section = (title: string): HTMLElement | undefined =>
    [...sizes.element.querySelectorAll("section")].find((each) => each.querySelector("h4")?.textContent === title);
  return { sizes, section, select };
}

test("who holds the peak of memory is a click away", () => {
  const { section, select } = open();
  const [evaluation, gradient, single] = [...section("Memory")!.querySelectorAll("p")];
  expect(evaluation!.textContent).toBe("16 B at the peak of the evaluation, at v1 (×); held by 2 nodes: v0 (x), v1 (×) x");
  expect(gradient!.textContent).toBe("56 B at the peak with the gradient, on the way back at v4 (output); held by 5 nodes: v0 (x), v4 (output) (adjoint), …");
  expect(single!.textContent).toBe("20 B held in single precision instead of 40 B: 50.0 % less");
  gradient!.querySelector<HTMLElement>("[data-row]")!.click();
  expect(select).toHaveBeenLastCalledWith([0, 1, 2, 3, 4]);
  expect(evaluation!.querySelectorAll("[data-link]")).toHaveLength(3);
});

test("of an opened scope no peak is told", () => {
  expect(open([], 1).section("Memory")).toBe(undefined);
});

test("where numbers stop being finite is told, and selected by a click", () => {
  expect(open().section("Not finite")).toBe(undefined);
  const { section, select } = open([0, 0, FLAGS.inf, FLAGS.nan, FLAGS.nan]);
  const [infinity, nan] = [...section("Not finite")!.querySelectorAll("p")];
  expect(infinity!.textContent).toBe("first infinity: v2 (×) x at loop.py:3; in 1 node");
  expect(nan!.textContent).toBe("first NaN: v3 (×) x at loop.py:3; in 2 nodes");
  nan!.querySelector<HTMLElement>("[data-row]")!.click();
  expect(select).toHaveBeenLastCalledWith([3, 4]);
});
