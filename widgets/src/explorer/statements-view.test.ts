import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Explorer } from "./explorer.js";
import { RememberingHost } from "../testing/explorers.js";
import { statements, still } from "../testing/shows.js";
import type { LinesPanel, Scene } from "../scene/scene.js";

let explorer: Explorer;
let host: RememberingHost;

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
  host = new RememberingHost(statements());
  explorer = new Explorer(host);
  document.body.replaceChildren(explorer.element);
});
afterEach(() => {
  explorer.dispose();
  vi.unstubAllGlobals();
});

const lines = (statements().scene as Scene).panels.find((panel): panel is LinesPanel => panel.kind === "lines")!;
const nodeOf = (name: string): number => lines.nodes.find((each) => each.name[0] === name)!.node;
const all = (selector: string): HTMLElement[] => [...explorer.element.querySelectorAll<HTMLElement>(selector)];
const find = (selector: string): HTMLElement => all(selector)[0]!;
const box = (name: string): HTMLElement => find(`[data-key="n${nodeOf(name)}"]`);
const labels = (): string[] => all("[data-key] .adviz-label").map((label) => label.textContent!);
const fire = (target: Element, type: string): boolean => target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
const press = (key: string): boolean => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const marked = (mark: string): string[] => all(`[data-key][data-mark="${mark}"] .adviz-label`).map((label) => label.textContent!);

const MOST_SEEN = 14;
const CLOSED = ["W1", "W2", "b1", "b2", "e", "h", "loss", "p", "z"];

test("it opens with a box for each statement, its source below and the Inspector before the sizes", () => {
  expect(labels().sort()).toEqual(CLOSED);
  expect(all(".adviz-above > *").map(({ className }) => className)).toEqual(["adviz-main", "adviz-source"]);
  expect(all("[role=tab]").map((tab) => tab.textContent)).toEqual(["Inspector", "Sizes"]);
  expect(find(".adviz-inspector h3").textContent).toContain("loss");
});

test("a box is read with its name, its shape, its uses and its statement", () => {
  expect(box("z").getAttribute("aria-label")).toBe("z, 4×2, used 2 times, 2 operations: z = h @ W2 + b2");
  expect(box("z").querySelector(".adviz-times")!.textContent).toBe("2");
  expect(box("W1").querySelector(".adviz-open")).toBeNull();
});

test("a click chooses what the box computes; operands and users are outlined, its expression is marked", () => {
  fire(box("z"), "click");
  expect(host.told).toEqual([[nodeOf("z")]]);
  expect(marked("selected")).toEqual(["z"]);
  expect(marked("feeds").sort()).toEqual(["W2", "b2", "h"]);
  expect(marked("fed")).toEqual(["e"]);
  expect(all(".adviz-mark").map(({ textContent }) => textContent).join("")).toBe("h @ W2 + b2");
});

test("pointing at an expression marks the box of its node, closed and open", () => {
  const word = (): HTMLElement => all(".adviz-code span").find(({ textContent }) => textContent!.includes("max"))!;
  fire(word(), "pointerover");
  expect(all(".adviz-preview .adviz-label").map(({ textContent }) => textContent)).toEqual(["e"]);
  fire(box("e"), "dblclick");
  fire(find(".adviz-code"), "pointerleave");
  fire(word(), "pointerover");
  expect(all(".adviz-preview").map(({ dataset }) => dataset["key"])).toEqual([`n${nodeOf("e") - 2}`]);
});

test("a box opens in place and closes: by its sign, by Enter and Escape, by its frame, by a button", () => {
  const isOpen = (): boolean => labels().length === CLOSED.length + 2;
  fire(box("e").querySelector(".adviz-open")!, "click");
  expect(isOpen()).toBe(true);
  expect(find(".adviz-hull-label").textContent).toMatch(/^e = /);
  fire(find(".adviz-hull-label"), "click");
  expect(isOpen()).toBe(false);
  box("e").focus();
  press("Enter");
  expect(isOpen()).toBe(true);
  expect((document.activeElement as HTMLElement).dataset["key"]).toBe(`n${nodeOf("e")}`);
  press("Escape");
  expect(isOpen()).toBe(false);
  fire(box("e").querySelector(".adviz-open")!, "click");
  expect(find(".adviz-trail").textContent).toContain("e = ");
  fire(find(".adviz-trail button"), "click");
  expect(isOpen()).toBe(false);
});

test("opening another box closes the one before", () => {
  fire(box("e").querySelector(".adviz-open")!, "click");
  fire(box("z").querySelector(".adviz-open")!, "click");
  expect(labels()).toHaveLength(CLOSED.length + 1);
});

test("matches inside of closed boxes are counted, and shown by themselves in an open one", () => {
  const inside = lines.boxes[0]!.inside;
  host.select([...inside, nodeOf("b1")]);
  const counts = (): string[] => all(".adviz-matches").map(({ textContent }) => textContent!);
  expect(counts()).toEqual([String(inside.length)]);
  fire(box("h").querySelector(".adviz-open")!, "click");
  expect(counts()).toEqual([]);
  expect(marked("selected")).toHaveLength(inside.length + 1);
});

test("a node inside is shown by opening its box", () => {
  const inner = nodeOf("e") - 1;
  host.select([inner]);
  expect(box("e").getAttribute("data-mark")).toBe("contains");
  fire(find(`[data-show="${inner}"]`), "click");
  expect(find(`[data-key="n${inner}"]`).getAttribute("data-mark")).toBe("selected");
});

test("arrow keys lead to the nearest box in a direction", () => {
  box("z").focus();
  press("ArrowRight");
  expect(document.activeElement).toBe(box("e"));
  press("ArrowLeft");
  press("ArrowLeft");
  expect(document.activeElement).toBe(box("h"));
});

test("the picture of all operations is the other level", () => {
  const [, operations] = all(".adviz-level button");
  fire(operations!, "click");
  expect(find(".adviz-picture").classList.contains("adviz-lines")).toBe(false);
  expect(all("[data-key]")).toHaveLength(20);
  fire(all(".adviz-level button")[0]!, "click");
  expect(labels().sort()).toEqual(CLOSED);
});

test("the Inspector tells a small matrix in numbers, and names in the source", async () => {
  fire(box("z"), "click");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(find(".adviz-heading h3").textContent).toContain("z");
  expect(all(".adviz-inspector [data-link]").map(({ textContent }) => textContent)).toContain("b2");
});

test("some iterations open into each, one of these into its operations, and Escape closes one after the other", () => {
  explorer.dispose();
  explorer = new Explorer(new RememberingHost(statements("iterations")));
  document.body.replaceChildren(explorer.element);
  const closed = labels();
  expect(closed.some((label) => / × \d+$/.test(label))).toBe(true);
  const openers = (): HTMLElement[] => all(".adviz-node .adviz-open");
  fire(openers()[0]!, "click");
  const iterations = labels();
  expect(iterations).not.toEqual(closed);
  expect(iterations.length).toBeLessThanOrEqual(MOST_SEEN);
  fire(openers()[0]!, "click");
  expect(labels()).not.toEqual(iterations);
  find(".adviz-node").focus();
  press("Escape");
  expect(labels()).toEqual(iterations);
  press("Escape");
  expect(labels()).toEqual(closed);
});
