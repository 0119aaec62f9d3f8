import { beforeEach, expect, test } from "vitest";
import { mount } from "./page.js";
import { saved } from "./testing.js";

beforeEach(() => {
  document.body.replaceChildren();
});

const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test("a saved page shows its picture, its details and its selection, and ends", async () => {
  const end = mount(document.body, saved({ selection: [1] }));
  await answered();
  expect(document.querySelectorAll("[data-key]").length).toBe(3);
  expect(document.querySelector(".adviz-formula")?.textContent).toBe("v1 = v0 × v0");
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
