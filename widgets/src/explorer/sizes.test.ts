import { expect, test, vi } from "vitest";
import type { Actions } from "./actions.js";
import { Sizes } from "./sizes.js";
import type { GraphPanel, SizesPanel } from "../scene/scene.js";
import { goldenGraph, goldenScene } from "../testing/explorers.js";

function open() {
  const scene = goldenScene();
  const panel = scene.panels.find(({ kind }) => kind === "graph") as GraphPanel;
  const whole = scene.panels.find(({ kind }) => kind === "sizes") as SizesPanel;
  const select = vi.fn();
  const actions = { select, preview: vi.fn() } as unknown as Actions;
  const sizes = new Sizes(goldenGraph(), whole, actions, new AbortController().signal);
  document.body.replaceChildren(sizes.element);
  sizes.show(panel);
  const chosen = (): HTMLSelectElement => sizes.element.querySelector("select")!;
  const rows = (): HTMLElement[] => [...chosen().closest("section")!.querySelectorAll<HTMLElement>(".adviz-row")];
  return { chosen, rows, select };
}

test("the lines of the source are added up by what is chosen", () => {
  const { chosen, rows } = open();
  expect(rows().map(({ textContent }) => textContent)).toEqual(["3: x = x * x3"]);
  chosen().value = "uses";
  chosen().dispatchEvent(new Event("change", { bubbles: true }));
  expect(rows().map(({ textContent }) => textContent)).toEqual(["3: x = x * x4"]);
  expect(chosen().value).toBe("uses");
  expect(document.activeElement).toBe(chosen());
  expect([...chosen().options].map(({ textContent }) => textContent)).toEqual(["nodes", "bytes", "operations", "uses"]);
});

test("a line is a button for its nodes", () => {
  const { rows, select } = open();
  rows()[0]!.click();
  expect(select).toHaveBeenCalledWith([1, 2, 3]);
  expect(rows()[0]!.title).toBe("loop.py:3");
});
