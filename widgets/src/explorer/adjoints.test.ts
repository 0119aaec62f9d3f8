import { afterEach, beforeEach, expect, test } from "vitest";
import { Explorer } from "./explorer.js";
import { RememberingHost, copy, golden, saved } from "../testing/explorers.js";

let explorers: Explorer[] = [];

beforeEach(() => document.body.replaceChildren());
afterEach(() => {
  explorers.forEach((explorer) => explorer.dispose());
  explorers = [];
});

const base64 = (numbers: number[]): string =>
  btoa(String.fromCharCode(...new Uint8Array(new Float64Array(numbers).buffer)));

const MAP = { shape: [1, 2], rows: [0], columns: [0, 1], data: [1, -2], scale: 2, note: "1 × 2, full color is ±2" };
const OTHER = { ...MAP, data: [0, 4], scale: 4 };
const OUTPUTS = ["f", "g"].map((label) => ({ node: 4, place: null, label }));

/** The golden graph with derivatives: a number at n0, an array at n4; the fold is an array too. */
function open(panel: object = {}, adjoints: object = {}, changes: Parameters<typeof saved>[0] = {}, detail?: string) {
  const scene = copy(golden.scene) as any;
  scene.panels.push({ id: "derivatives", kind: "derivatives", outputs: OUTPUTS, chosen: 0, why: null, ...panel });
  const [first, fold, last] = scene.panels[0].nodes;
  Object.assign(first, { beside: 61, ...(detail && { detail }) });
  Object.assign(last, { map: MAP, beside: 90, kind: "block" });
  Object.assign(fold, { map: MAP, beside: 90 });
  const known = { numbers: base64([2.5403, 1, 0, Number.NaN, 1]), maps: { s1: OTHER, n4: OTHER }, note: null };
  const host = new RememberingHost(saved({ scene, adjoints: { 0: known, ...adjoints }, ...changes }));
  const explorer = new Explorer(host);
  explorers.push(explorer);
  document.body.append(explorer.element);
  const find = (selector: string): HTMLElement | null => explorer.element.querySelector(selector);
  const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  const choose = async (value: string): Promise<void> => {
    const select = find(".adviz-derivative select") as HTMLSelectElement;
    select.value = value;
    select.dispatchEvent(new Event("change"));
    await answered();
  };
  return { host, explorer, find, answered, choose };
}

test("the output that Python chose is differentiated: its adjoints stand beside the values", async () => {
  const { find, answered } = open();
  await answered();
  const pill = ["shape", "number"].map((part) => find(`[data-key=n0] .adviz-pill-${part}`)!);
  expect([pill[0]!.getAttribute("fill"), pill[1]!.textContent]).toEqual(["var(--positive)", "2.54"]);
  expect(find("[data-key=n0]")!.getAttribute("aria-label")).toContain(", adjoint 2.5403");
  expect(find(".adviz-frame")!.classList.contains("adviz-signed")).toBe(true);
});

test("a value that is not finite has a band below it, and ink where it began", async () => {
  const { find, explorer, answered } = open({}, {}, {});
  await answered();
  const firsts = (of: HTMLElement): number => of.querySelectorAll(".adviz-shape[stroke='var(--ink)']").length;
  expect([find(".adviz-band"), firsts(explorer.element)]).toEqual([null, 0]);
  const other = open({}, {}, {}, "x = NaN");
  await other.answered();
  expect([other.find("[data-key=n0] .adviz-band")!.tagName, firsts(other.explorer.element), firsts(explorer.element)]).toEqual(["path", 1, 0]);
});

test("a folded argument has the maps of its values and of its adjoints, with its shape", async () => {
  const { find, answered } = open();
  await answered();
  const fold = find("[data-key=s1]")!;
  expect(fold.querySelector(".adviz-detail")!.textContent).toBe("1×2");
  const signs = [...fold.querySelectorAll(".adviz-heat")].map((cell) => cell.getAttribute("fill")!.match(/--(\w+)\)/)![1]);
  expect(signs).toEqual(["positive", "negative", "zero", "positive"]);
});

test("nothing can be chosen: values stay, adjoints go", async () => {
  const { find, answered, choose } = open();
  await answered();
  const before = find("[data-key=n0]")!.getAttribute("aria-label");
  await choose("");
  expect(find(".adviz-pill-shape")).toBeNull();
  expect(find("[data-key=s1]")!.querySelectorAll(".adviz-heat").length).toBe(2);
  expect(find("[data-key=n0]")!.getAttribute("aria-label")).not.toContain("adjoint");
  await choose("0");
  expect(find("[data-key=n0]")!.getAttribute("aria-label")).toBe(before);
});

test("an output whose derivatives are not in the page says so, and shows none", async () => {
  const { find, answered, choose } = open();
  await answered();
  await choose("1");
  expect(find(".adviz-status")!.textContent).toBe("The derivatives of this output are not in this saved page.");
  expect(find(".adviz-pill-shape")).toBeNull();
});

test("of several outputs none is shown until one is chosen, and each is called by its name", async () => {
  const minus = { numbers: base64([-3, 1, 0, 0, 1]), maps: {}, note: "g is NaN" };
  const { find, host, answered, choose } = open({ chosen: null }, { 1: minus });
  await answered();
  expect(find(".adviz-pill-shape")).toBeNull();
  await choose("1");
  expect(find("[data-key=n0] .adviz-pill-shape")!.getAttribute("fill")).toBe("var(--negative)");
  expect(find(".adviz-status")!.textContent).toContain("g is NaN");
  host.select([0]);
  await answered();
  expect(find(".adviz-inspector")!.textContent).toContain("∂ g / ∂ x-3");
});

test("the last choice wins, however late an earlier one is answered", async () => {
  const { find, host, answered, choose } = open({ chosen: null });
  const waiting: (() => void)[] = [];
  const real = host.adjoints.bind(host);
  host.adjoints = async (output) => {
    if (output === 1) await new Promise<void>((resolve) => waiting.push(resolve));
    return real(0);
  };
  await choose("1");
  await choose("");
  waiting[0]!();
  await answered();
  expect(find(".adviz-pill-shape")).toBeNull();
});

test("where there is nothing to differentiate, the reason stands in place of the choice", () => {
  const { find } = open({ outputs: [], chosen: null, why: "No output depends on an input." });
  expect([find(".adviz-derivative")!.textContent, find(".adviz-derivative select")]).toEqual([
    "No output depends on an input.",
    null,
  ]);
});

test("the sizes follow the opened scope, and say so", async () => {
  const sizes = { ...copy(golden.scene.panels[2]), scope: 2, nodes: 1, inputs: 1, blocks: [{ block: 1, count: 1 }] };
  const views = { 1: { ...copy(golden.views["2"]), sizes } } as any;
  const { find, host, explorer, answered } = open({}, {}, { views });
  const click = (selector: string): unknown =>
    find(selector)!.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  const total = (name: string): string | undefined =>
    [...explorer.element.querySelectorAll(".adviz-total")].find(({ textContent }) => textContent!.endsWith(name))
      ?.textContent!;
  expect([find(".adviz-scope-name")!.textContent, total("nodes")]).toEqual(["Sizes of the whole graph", "5nodes"]);
  click("[data-open]");
  await answered();
  expect([find(".adviz-scope-name")!.textContent, total("nodes"), total("come in")]).toEqual([
    "Sizes of iteration 1",
    "1nodes",
    "1come in",
  ]);
  click(".adviz-groups tbody tr");
  expect(host.selection).toEqual([1]);
  click(".adviz-crumb[data-scope]");
  await answered();
  expect([find(".adviz-scope-name")!.textContent, total("inputs")]).toEqual(["Sizes of the whole graph", "1inputs"]);
});
