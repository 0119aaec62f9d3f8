import { afterEach, beforeEach, expect, test } from "vitest";
import { Explorer } from "./explorer.js";
import { RememberingHost, saved } from "../testing/explorers.js";
import { statements } from "../testing/shows.js";

let explorer: Explorer;

beforeEach(() => {
  document.body.replaceChildren();
  explorer = new Explorer(new RememberingHost(saved({})));
  document.body.append(explorer.element);
});
afterEach(() => explorer.dispose());

const all = (selector: string): HTMLElement[] => [...explorer.element.querySelectorAll<HTMLElement>(selector)];
const key = (): HTMLElement => all(".adviz-measure-key")[0]!;
const choose = (measure: string): void => {
  const picker = all(".adviz-color-by select")[0] as unknown as HTMLSelectElement;
  picker.value = measure;
  picker.dispatchEvent(new Event("change", { bubbles: true }));
};
const titled = (): (string | undefined)[] => all(".adviz-node title").map((title) => title.textContent!.split("\n")[1]);

test("without a measure, items have the colors of their kind", () => {
  expect(key().hidden).toBe(true);
  expect(all(".adviz-measure-bar")).toHaveLength(0);
  expect(titled().every((line) => line === undefined)).toBe(true);
});

test("a measure colors items, weighs lines and names the largest; folded boxes have sums", () => {
  choose("nodes");
  expect(key().hidden).toBe(false);
  const bars = all(".adviz-measure-bar");
  expect(bars.length).toBeGreaterThan(1);
  const widths = bars.map((bar) => Number(bar.getAttribute("width")));
  expect(Math.max(...widths)).toBeGreaterThan(0);
  const counts = titled()
    .filter((line) => line !== undefined)
    .map((line) => Number(line.replace("nodes: ", "")));
  expect(counts.reduce((a, b) => a + b)).toBe(5); // all nodes of the graph, wherever they are folded
  expect(Math.max(...counts)).toBeGreaterThan(1);
  expect(key().textContent).toContain("summed in folded boxes");
  expect(key().textContent).toContain("largest:");
  const shares = all("[data-line]").map((number) => number.style.getPropertyValue("--share"));
  expect(shares).toContain("100.0%");
});

test("a named item is selected by a click", () => {
  choose("bytes");
  key().querySelector<HTMLElement>("button")!.click();
  expect(all('[data-mark="selected"], [data-mark="contains"]').length).toBeGreaterThan(0);
});

test("another measure takes the place of the last one, and none takes it away", () => {
  choose("bytes");
  choose("operations");
  for (const bar of all(".adviz-node")) expect(bar.querySelectorAll(".adviz-measure-bar").length).toBeLessThan(2);
  expect(titled().some((line) => line?.startsWith("bytes"))).toBe(false);
  choose("");
  expect(all(".adviz-measure-bar")).toHaveLength(0);
  expect(key().hidden).toBe(true);
});

test("without a measure the lines are weighed by what the table of sizes is sorted by", () => {
  const line = (): HTMLElement => all("[data-line='3']")[0]!;
  expect([line().style.getPropertyValue("--share"), line().title]).toEqual(["100.0%", "nodes: 3"]);
  all("[data-sort='bytes']")[0]!.click();
  expect(line().title).toBe("bytes: 24 B");
  choose("uses");
  expect(line().title).toBe("times used: 4×");
  choose("");
  expect(line().title).toBe("bytes: 24 B");
});

test("what stands at the lines can be chosen beside the source, until another measure is", () => {
  explorer.dispose();
  explorer = new Explorer(new RememberingHost(statements()));
  document.body.replaceChildren(explorer.element);
  const line = (): HTMLElement => all("[data-figure]")[0]!;
  expect(line().dataset["figure"]).toBe("3");
  all("[data-sum='bytes']")[0]!.click();
  expect(line().dataset["figure"]).toMatch(/ B$/);
  expect(all("[data-sum][aria-pressed='true']").map(({ textContent }) => textContent)).toEqual(["bytes"]);
  choose("uses");
  expect(line().dataset["figure"]).toMatch(/×$/);
});
