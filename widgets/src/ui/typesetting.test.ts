import { expect, test } from "vitest";
import { html } from "./dom.js";
import { typeset } from "./typesetting.js";

test("formulas are set in the letters of mathematics, and results in the hue of their sign", () => {
  const caption = "So 𝑎 receives 1·cos x = −0.5.";
  const element = html("p", ...typeset(caption, [[3, 5, null], [17, 22, null], [25, 29, -1]]));
  expect(element.textContent).toBe(caption);
  expect([...element.querySelectorAll("var")].map(({ innerHTML }) => innerHTML)).toEqual(["<i>𝑎</i>", "cos <i>x</i>"]);
  expect(element.querySelector("b[data-value='-1']")!.textContent).toBe("−0.5");
});

test("what is marked is text, whatever its characters", () => {
  const caption = "<b>x</b> is 1";
  const element = html("p", ...typeset(caption, [[0, 8, null]]));
  expect(element.querySelectorAll("b")).toHaveLength(0);
  expect(element.textContent).toBe(caption);
});

test("a text without marks is itself", () => {
  expect(typeset("seed")).toEqual(["seed"]);
});
