import { expect, test } from "vitest";
import { step } from "../testing/panels-shown.js";
import { leading, sentences } from "./telling.js";

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
