import { afterEach, expect, test, vi } from "vitest";
import type { Actions } from "./actions.js";
import { Sizes } from "./sizes.js";
import { Graph } from "../graph/graph.js";
import type { GraphPanel, SizesPanel } from "../scene/scene.js";
import { HOSTILE } from "../testing/explorers.js";
import { graphs } from "../testing/sent-graphs.js";

const ending = new AbortController();
afterEach(() => document.body.replaceChildren());

function open(graph: Graph) {
  const { panels } = graph.scene;
  const [select, counted] = [vi.fn(), vi.fn()];
  const actions = { select, preview: vi.fn() } as unknown as Actions;
  const whole = panels.find(({ kind }) => kind === "sizes") as SizesPanel;
  const sizes = new Sizes(graph, whole, actions, ending.signal, counted);
  sizes.show(panels.find(({ kind }) => kind === "graph") as GraphPanel);
  document.body.append(sizes.element);
  const all = (selector: string): HTMLElement[] => [...sizes.element.querySelectorAll<HTMLElement>(`.adviz-groups ${selector}`)];
  const column = (place: number): string[] => all("tbody tr").map((row) => row.children[place]!.textContent!);
  const heading = (words: string): HTMLElement => all("thead button").find((button) => button.textContent === words)!;
  const picker = sizes.element.querySelector<HTMLSelectElement>(".adviz-counted select")!;
  const choose = (criterion: string): void => {
    const now = sizes.element.querySelector<HTMLSelectElement>(".adviz-counted select")!;
    now.value = criterion;
    now.dispatchEvent(new Event("change", { bubbles: true }));
  };
  return { sizes, all, column, heading, picker, choose, select, counted };
}

test("lines are counted, the one with most nodes first; the total is the summary's", () => {
  const { all, column, picker } = open(graphs["network"]!);
  expect([...picker.options].map(({ value }) => value)).toEqual(["line", "function", "scope", "iteration", "block", "shape"]);
  expect(all("thead th").map((head) => head.textContent)).toEqual(["line", "nodes", "bytes", "operations", "uses", "share"]);
  expect(column(1)).toEqual(["4", "4", "1", "1", "1"]);
  expect(column(0)[1]).toBe("query_programs.py:7return np.tanh(x @ w)");
  expect(all("tfoot th, tfoot td").map((each) => each.textContent)).toEqual(["all", "11", "448 B", "92", "8", "100.0 %"]);
});

test("a click on a heading sorts, a second one turns the order round, and the keyboard stays", () => {
  const { all, column, heading, counted, sizes } = open(graphs["network"]!);
  expect(all('[aria-sort="descending"]')[0]!.textContent).toBe("nodes");
  heading("operations").focus();
  heading("operations").click();
  expect(column(3)).toEqual(["80", "8", "2", "2", "0"]);
  expect(document.activeElement).toBe(heading("operations"));
  expect(sizes.table.sum).toBe("operations");
  heading("operations").click();
  expect(column(3)).toEqual(["0", "2", "2", "8", "80"]);
  expect(all("[aria-sort]").map((head) => head.getAttribute("aria-sort"))).toEqual(["none", "none", "none", "ascending", "none"]);
  heading("line").click();
  expect(column(0).map((name) => name.split(":")[1]?.match(/^\d+/)?.[0])).toEqual([undefined, "7", "12", "13", "17"]);
  expect(counted).toHaveBeenCalledTimes(4);
});

test("a row is a button for its nodes, and says when they are selected", () => {
  const { all, choose, select, sizes } = open(graphs["network"]!);
  choose("scope");
  expect(document.activeElement).toBe(sizes.element.querySelector(".adviz-counted select"));
  const row = all("tbody tr").find((each) => each.textContent!.includes("layer (query_programs.py:14)"))!;
  row.querySelector("td")!.click();
  const [nodes] = select.mock.lastCall as [number[]];
  expect(nodes.map((node) => graphs["network"]!.block(node).name)).toEqual(["matmul", "tanh"]);
  sizes.mark(nodes);
  expect(row.querySelector("button")!.getAttribute("aria-pressed")).toBe("true");
  sizes.mark([0]);
  expect(all('[aria-pressed="true"]')).toHaveLength(0);
});

test("long tables show some rows, and more when asked", () => {
  const graph = graphs["valley"]!;
  const blocks = Array.from({ length: 40 }, (_, k) => ({ name: `block${k}`, family: "", symbol: "" }));
  const many = new Graph(
    { ...graph.scene, tables: { ...graph.scene.tables, blocks } },
    { ...graph.columns, block: Uint8Array.from(graph.columns.block, (_, node) => node % 40) },
  );
  const { all, choose, sizes } = open(many);
  choose("block");
  const before = all("tbody tr").length;
  expect(before).toBe(15);
  const more = sizes.element.querySelector<HTMLElement>("[data-more]")!;
  expect(more.textContent).toMatch(/^\d+ more$/);
  more.click();
  expect(all("tbody tr").length).toBeGreaterThan(before);
});

test("names are text", () => {
  const graph = graphs["writing"]!;
  const blocks = graph.scene.tables.blocks.map((block, k) => ({ ...block, name: HOSTILE + k }));
  const hostile = new Graph({ ...graph.scene, tables: { ...graph.scene.tables, blocks } }, graph.columns);
  const { all, choose, sizes } = open(hostile);
  choose("block");
  expect(sizes.element.querySelector("img, script")).toBe(null);
  expect(all("tbody button")[0]!.textContent).toContain("<script>");
});
