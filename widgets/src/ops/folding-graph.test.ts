import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type GraphPanel, panelOf } from "../scene/scene.js";
import { drawn, play, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("matchMedia", still);
});
afterEach(() => vi.unstubAllGlobals());

function shown() {
  const made = play("composites");
  const { all, find, scene } = made;
  const labels = (): string[] => all(".adviz-node:not([data-unborn]) > .adviz-label").map(({ textContent }) => textContent!);
  const box = (label: string): SVGGElement => all(".adviz-node").find((node) => node.querySelector(":scope > .adviz-label")?.textContent === label) as SVGGElement;
  const click = (target: Element): unknown => target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const isPressed = (): string | null => find("[data-command=grain]").getAttribute("aria-pressed");
  const { opened } = panelOf(scene, "graph") as GraphPanel;
  return { ...made, labels, box, click, isPressed, parts: opened!.nodes.map(({ label }) => label) };
}

test("composite ops are folded at first, each into one box with its name; the button says so", () => {
  const { host, scene, labels, find, isPressed } = shown();
  host.tell("cursor", scene.steps.length);
  expect(labels()).toContain("losses");
  expect(labels()).toContain("p");
  expect(labels()).not.toContain("exp");
  expect(find("[data-command=grain]").textContent).toBe("Composite ops folded");
  expect(isPressed()).toBe("true");
});

test("a composite op is one step while it is folded, and as many as it has ops when it is opened", () => {
  const { press, caption, cursor, labels } = shown();
  press("ArrowRight");
  press("ArrowRight");
  press("ArrowRight");
  expect([cursor(), caption()]).toEqual([7, "p is built of z: softmax, 5 ops, whose value is a 2×3 matrix. Nothing is computed."]);
  expect(labels()).toEqual(expect.arrayContaining(["z", "t", "p"]));
  press("c");
  press("ArrowLeft");
  expect([cursor(), caption()]).toEqual([6, "sum of exp is built: a 2×1 matrix. Nothing is computed."]);
  expect(labels()).toEqual(expect.arrayContaining(["max", "exp", "sum"]));
  expect(labels()).not.toContain("p");
  press("c");
  expect(cursor()).toBe(2);
});

test("the plus of a box opens it, the minus of the opened one folds it again", () => {
  const { host, scene, all, box, click, labels, isPressed, parts } = shown();
  host.tell("cursor", scene.steps.length);
  click(box("p").querySelector("[data-open]")!);
  expect([...labels()].sort()).toEqual([...parts].sort());
  expect(isPressed()).toBe("false");
  expect(all("[data-composite] > text").map(({ textContent }) => textContent)).toEqual(["softmax", "cross entropy"]);
  click(all("[data-close]")[0]!);
  expect(labels()).not.toContain("exp");
  expect(isPressed()).toBe("true");
});

test("Enter opens the box that the keyboard is at, and the keyboard stays there", () => {
  const { host, scene, box, press, labels } = shown();
  host.tell("cursor", scene.steps.length);
  box("p").focus();
  press("Enter", box("p"));
  expect(labels()).toContain("exp");
  expect(document.activeElement).toBe(box("p"));
});

test("a selection of an op that is folded away marks its box", () => {
  const { host, box } = shown();
  host.select([3]);
  expect(box("p").dataset["mark"]).toBe("selected");
  expect(box("losses").dataset["mark"]).toBeUndefined();
});

test("what is drawn depends on the cursor only, also when pictures have been turned", () => {
  const { host, player, press, scene } = shown();
  const end = scene.steps.length;
  host.tell("cursor", end);
  const folded = drawn(player.element);
  press("c");
  host.tell("cursor", 4);
  host.tell("cursor", end);
  press("c");
  expect(drawn(player.element)).toEqual(folded);
});
