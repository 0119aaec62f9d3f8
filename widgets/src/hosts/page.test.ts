import { beforeEach, expect, test } from "vitest";
import { mount } from "../graphs.js";
import { mount as play } from "../sweeps.js";
import { saved } from "../testing/explorers.js";
import { explored, goldens } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
});

const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test("a saved page shows its picture, its details and its selection, and ends", async () => {
  const end = mount(document.body, saved({ selection: [1] }));
  await answered();
  expect(document.querySelectorAll("[data-key]").length).toBe(3);
  expect(document.querySelector(".adviz-heading .adviz-number")?.textContent).toBe("v1 = v0 × v0");
  end();
  expect(document.body.children.length).toBe(0);
});

test("what is not embedded is said plainly", async () => {
  mount(document.body, saved({ views: {} }));
  document.querySelector("[data-open]")!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  await answered();
  expect(document.querySelector(".adviz-status")?.textContent).toBe("This scope is not in this saved page.");
});

test("a document that cannot be read is explained in its place", () => {
  mount(document.body, saved({ scene: null }));
  expect(document.body.textContent).toContain("scene: expected an object, found nothing");
});

const press = (key: string, target: Element = document.body): KeyboardEvent => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  target.dispatchEvent(event);
  return event;
};
const cursors = (): string[] => [...document.querySelectorAll(".adviz-step-count")].map((at) => at.textContent!);

test("keys work at once on a page of one show, and end with it", () => {
  const { scene, columns } = goldens.asGraph;
  const end = play(document.body, { scene, columns });
  expect(press("ArrowRight").defaultPrevented).toBe(true);
  expect(cursors()).toEqual([`1 / ${scene.steps.length}`]);
  expect(press("q").defaultPrevented).toBe(false);
  const field = document.body.appendChild(document.createElement("input"));
  press("ArrowRight", field);
  expect(cursors()).toEqual([`1 / ${scene.steps.length}`]);
  end();
  expect(press("ArrowRight").defaultPrevented).toBe(false);
});

test("keys work at once on a page of one graph: arrows walk in it", () => {
  mount(document.body, saved());
  const from = document.querySelector('.adviz-surface [tabindex="0"]');
  press("End");
  expect(document.activeElement?.classList.contains("adviz-node")).toBe(true);
  expect(document.activeElement).not.toBe(from);
});

test("of several views on a page none takes keys that nobody gave it", () => {
  const { scene, columns } = goldens.asGraph;
  play(document.body, { scene, columns });
  play(document.body, { scene, columns });
  expect(press("ArrowRight").defaultPrevented).toBe(false);
  expect(cursors()).toEqual([`0 / ${scene.steps.length}`, `0 / ${scene.steps.length}`]);
});

test("while a graph is played, keys that nobody has are for its show", async () => {
  mount(document.body, explored("forward"));
  press("e");
  await answered();
  press("ArrowRight");
  expect(cursors()).toEqual([`1 / ${goldens.forward.scene.steps.length}`]);
  press("Escape");
  expect(cursors()).toEqual([]);
});
