import { expect, test } from "vitest";

import { Drawing } from "../motion/drawing.js";
import { laid } from "../layout/layout.js";
import type { Mark, Words } from "../motion/marks.js";
import { moment } from "./moment.js";
import { places } from "./places.js";
import { sweepAt } from "./several.js";
import { sweeps } from "../testing/flows.js";

test("there are sweeps to look at", () => {
  expect(Object.keys(sweeps).length).toBeGreaterThanOrEqual(12);
});

test("whatever is lit, the same things are drawn, and none of their numbers is missing", () => {
  for (const { panel, moments } of Object.values(sweeps))
    for (const [from, to, share, lit] of moments) {
      const sweep = sweepAt(panel, to);
      const marks = moment(sweep, from, to, share, lit && new Set(lit));
      expect(marks.map(({ key }) => key)).toEqual(moment(sweep, from, to, share).map(({ key }) => key));
      const numbers = marks.flatMap((mark) => Object.values(mark).flat()).filter((value) => typeof value === "number");
      expect(numbers.every(Number.isFinite)).toBe(true);
    }
});

const golden = (name: string): (typeof sweeps)[string] => sweeps[name]!;

test("a moment does not depend on the moments shown before it", () => {
  const { panel, moments } = golden("three_uses");
  const [from, to] = moments.at(-3)!;
  const fresh = moment(structuredClone(panel), from, to, 0.4);
  for (const share of [1, 0, 0.9]) moment(panel, from, to, share);
  expect(moment(panel, from, to, 0.4)).toEqual(fresh);
});

test("every mark of a moment has a name of its own", () => {
  for (const { panel, moments } of Object.values(sweeps))
    for (const [from, to, share] of moments) {
      const keys = moment(panel, from, to, share).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
});

test("places are found once for a picture", () => {
  const { panel } = golden("backward");
  expect(places(panel)).toBe(places(panel));
});

test("names of quantities are in italics, those of functions and digits are not", () => {
  const drawing = new Drawing();
  const text = (words: string): Mark => ({ type: "text", key: "a", x: 0, y: 0, text: words, size: 20, fill: "ink", font: "serif", opacity: 1 });
  const italic = (words: string): string[] => {
    drawing.show([text(words)]);
    expect(drawing.element.textContent).toBe(words);
    return [...drawing.element.querySelectorAll(".adviz-italic")].map((part) => part.textContent!);
  };
  expect(italic("sin(x)")).toEqual(["x"]);
  expect(italic("cos x")).toEqual(["x"]);
  expect(italic("atan2(y, x)")).toEqual(["y", "x"]);
  expect(italic("h @ W1")).toEqual(["h", "W"]);
  expect(italic("loss = 79.8738")).toEqual(["loss"]);
  expect(italic("−x/y²")).toEqual(["x", "y"]);
});

test("a gate of one line tells its symbol before it is passed, and then its number, as far as there is room", () => {
  const told = Object.values(sweeps).flatMap(({ panel }) => {
    const placed = laid(panel, { width: 300, height: 900 });
    const end = Math.max(...panel.moves.map(({ step }) => step)) + 1;
    const [before, after] = [moment(placed, 0, 0, 1), moment(placed, end, end, 1)].map((marks) => new Map(marks.map((mark) => [mark.key, mark])));
    return placed.edges.filter(({ gate, product }) => product && gate.whole && gate.number && !gate.isNumber).map(({ key, gate }) => {
      const number = after!.get(`gate/${key}/number`) as Words | undefined;
      expect(before!.has(`gate/${key}/number`)).toBe(false);
      expect(after!.has(`gate/${key}/symbol`)).toBe(!number);
      if (gate.number_w! + 5 <= gate.w) expect(number!.text).toBe(gate.number);
      return number && Number(number.text.replace("−", "-")) / Number(gate.number.replace("−", "-"));
    });
  });
  expect(told).toContain(1);
  for (const share of told) if (share !== undefined && !Number.isNaN(share)) expect(share).toBeCloseTo(1, 1);
});
