import { expect, test } from "vitest";
import type { Rest } from "../scene/scene.js";
import { step } from "../testing/panels-shown.js";
import { leading, sentences, typeset } from "./telling.js";

const told = (kind: string, caption: string) => step({ kind, caption, edits: [] });

test("a coarse step is represented by its last product, else by its last formula, else by its last step", () => {
  const product = told("product", "");
  const formula = step({ formula: ["num", "1"], edits: [] });
  const other = told("visit", "");
  expect(leading([other, product, formula])).toBe(product);
  expect(leading([formula, other])).toBe(formula);
  expect(leading([other])).toBe(other);
  expect(leading([])).toBeNull();
});

test("each sentence is said once, and of many the first four", () => {
  expect(sentences([told("visit", "One."), told("accumulate", "One."), told("accumulate", "Two.")])).toBe("One. Two.");
  const many = ["visit", ...Array(6).fill("accumulate")].map((kind, i) => told(kind, `${i}.`));
  expect(sentences(many)).toBe("0. 1. 2. 3. And 3 more.");
});

test("of a visit the beginning and the sums are told", () => {
  const steps = [told("visit", "A."), told("product", "B."), told("accumulate", "C.")];
  expect(sentences(steps)).toBe("A. C.");
});

test("formulas are set in the letters of mathematics, and results in the hue of their sign", () => {
  const caption = "So 𝑎 receives 1·cos x = −0.5.";
  const element = typeset({ caption, marks: [[3, 5, null], [17, 22, null], [25, 29, -1]] } as unknown as Rest);
  expect(element.textContent).toBe(caption);
  expect([...element.querySelectorAll("var")].map(({ innerHTML }) => innerHTML)).toEqual(["<i>𝑎</i>", "cos <i>x</i>"]);
  expect(element.querySelector("b[data-value='-1']")!.textContent).toBe("−0.5");
});

test("what is marked is text, whatever its characters", () => {
  const caption = "<b>x</b> is 1";
  expect(typeset({ caption, marks: [[0, 8, null]] } as unknown as Rest).querySelectorAll("b")).toHaveLength(0);
  expect(typeset({ caption } as Rest).textContent).toBe(caption);
});
