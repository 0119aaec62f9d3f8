import { expect, test } from "vitest";
import { brief, exact, short } from "./values.js";

test.each([
  [undefined, ""],
  [null, ""],
  [0, "0"],
  [-0.1234567891, "−0.1235"],
  [2.8414709848, "2.8415"],
  [123.456789, "123.4568"],
  [0.03125, "0.0312"],
  [999999.99996, "1000000"],
  [123456789, "1.235e+08"],
  [1e-12, "1e−12"],
  [-0, "0"],
  [true, "yes"],
  [false, "no"],
  ["NaN", "NaN"],
  ["-inf", "-inf"],
  [{ shape: [3], data: [1, -2, "NaN"] }, "[1, -2, NaN]"],
  [{ shape: [2, 2], data: [1, 2, 3, 4] }, "[1, 2; 3, 4]"],
  [{ shape: [0], data: [] }, "[]"],
  [{ shape: [64, 10], norm: 3.21 }, "64×10 matrix, norm 3.21"],
])("%j reads %s", (value, text) => {
  expect(brief(value)).toBe(text);
});

test("an exact value keeps every digit", () => {
  expect(exact(0.1 + 0.2)).toBe("0.30000000000000004");
  expect(exact({ shape: [1], data: [-1 / 3] })).toBe("[-0.3333333333333333]");
});

test("words stay words", () => {
  expect(brief("<b>1</b>")).toBe("<b>1</b>");
});

test.each<[unknown, number, string]>([
  [0.7173560908995228, 12, "0.7174"],
  [-1234567.8, 12, "-1.235e+06"],
  [0.00001234, 12, "1.234e-05"],
  [9999.5, 12, "1e+04"],
  [1.0625, 12, "1.062"],
  [1.1875, 12, "1.188"],
  [-4338.5, 12, "-4338"],
  [12345, 12, "1.234e+04"],
  [1.0005, 12, "1"],
  [-0, 12, "0"],
  ["NaN", 12, "NaN"],
  [{ shape: [2], data: [1, -0.25] }, 12, "[1, -0.25]"],
  [{ shape: [3, 2], data: [1, 2, 3, 4, 5, 6] }, 12, "3×2 matrix"],
  [{ shape: [2], data: [1 / 3, -2 / 3] }, 15, "[0.333, -0.667]"],
  [{ shape: [1200], norm: 1 }, 15, "vector of 1,200"],
  [{ shape: [2, 3, 4], norm: 1 }, 12, "2×3×4 array"],
  [{ shape: [64, 10], norm: 3.21 }, 12, "64×10 matrix"],
  ["a very long text", 6, "a ver…"],
])("%j in %i characters is %s", (value, most, text) => {
  expect(short(value, most)).toBe(text);
});
