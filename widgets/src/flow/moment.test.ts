import { expect, test } from "vitest";

import { Drawing } from "./drawing.js";
import { type Cursors, framed, inPlay, overlay, windowOf } from "./framing.js";
import type { Mark } from "../motion/marks.js";
import { moment } from "./moment.js";
import { places } from "./places.js";
import { stand } from "./standing.js";
import { sweepAt } from "./sweeps.js";
import type { FlowPanel } from "../scene/document.js";

type Told = [from: number, to: number, share: number, lit: string[] | null, marks: Record<string, unknown>[]];

type Seen = [stage: [number, number, number], cursors: Cursors, progress: number, frame: number[], share: number, marks: Record<string, unknown>[]];

/** What Python draws (tests/stage/flow_goldens.py). */
const goldens = import.meta.glob<{ panel: FlowPanel; moments: Told[]; windows: Seen[] }>("../../../build/flow/*.json", { eager: true, import: "default" });

/** A mark without its name, with numbers to a hundredth. */
function plain({ key: _, ...mark }: Mark): Record<string, unknown> {
  return mark as unknown as Record<string, unknown>;
}

/** Whether two values are the same, numbers up to what rounding makes of them. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "number") return typeof other === "number" && Math.abs(one - other) < 0.0101;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((each, k) => isSame(each, other[k]));
  return one === other;
}

test("there are moments of Python to compare with", () => {
  expect(Object.keys(goldens).length).toBeGreaterThanOrEqual(12);
});

/** Expect marks to be those of Python. */
function compare(made: readonly Record<string, unknown>[], marks: readonly Record<string, unknown>[], where: string): void {
  expect(made.length, where).toBe(marks.length);
  made.forEach((mark, k) => {
    const other = marks[k]!;
    const wrong = [...new Set([...Object.keys(mark), ...Object.keys(other)])].filter((name) => !isSame(mark[name], other[name]));
    if (wrong.length) expect(mark, `mark ${k}, ${where}`).toEqual(other);
  });
}

for (const [file, { panel, windows }] of Object.entries(goldens).filter(([, { windows }]) => windows.length))
  test(`what is seen of ${file.split("/").pop()} is what Python shows of it`, () => {
    for (const [[width, height, letters], cursors, progress, frame, share, marks] of windows) {
      const window = windowOf(panel, { width, height }, letters)!;
      const made = framed(panel, window, cursors, progress);
      const where = `${cursors} at ${progress} on ${width}`;
      const { x, y, w, h } = made.frame;
      expect([x, y, w, h, made.share].every((number, k) => Math.abs(number - [...frame, share][k]!) < 0.01), `${[x, y, w, h]} for ${frame}, ${where}`).toBe(true);
      const [, from, to] = cursors;
      compare(overlay(stand(panel, from, to, made.share, null), window, made.frame, inPlay(panel, from, to)).map(plain), marks, where);
    }
  });

test("there are sweeps that are not seen as a whole", () => {
  expect(Object.values(goldens).filter(({ windows }) => windows.length).length).toBeGreaterThanOrEqual(3);
});

for (const [file, { panel, moments }] of Object.entries(goldens))
  test(`the marks of ${file.split("/").pop()} are those that Python draws`, () => {
    for (const [from, to, share, lit, marks] of moments) {
      compare(moment(sweepAt(panel, to), from, to, share, lit && new Set(lit)).map(plain), marks, `${from} to ${to} at ${share}`);
    }
  });

const golden = (name: string): { panel: FlowPanel; moments: Told[] } => goldens[`../../../build/flow/${name}.json`]!;

test("a moment does not depend on the moments shown before it", () => {
  const { panel, moments } = golden("three_uses");
  const [from, to] = moments.at(-3)!;
  const fresh = moment(structuredClone(panel), from, to, 0.4);
  for (const share of [1, 0, 0.9]) moment(panel, from, to, share);
  expect(moment(panel, from, to, 0.4)).toEqual(fresh);
});

test("every mark of a moment has a name of its own", () => {
  for (const { panel, moments } of Object.values(goldens))
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
