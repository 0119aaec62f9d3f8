import { expect, test } from "vitest";
import { atomsOf, isIndentation } from "./code.js";
import type { Span } from "../scene/scene.js";

const file = (text: string) => ({ name: "f", path: "f.py", line: 10, text });

test("atoms put together are the text", () => {
  const text = "def f(x):\n    '''Two\n    lines'''\n\n    return x[0] + 1e-3  # \"note\"\n";
  const atoms = atomsOf(file(text), [[0, 14, 11, 14, 15, null]]);
  expect(atoms.map((line) => line.map(({ text: piece }) => piece).join("")).join("\n")).toBe(text);
  expect(atoms[4]!.map(({ text: piece }) => piece)).toEqual([
    "    ",
    "return",
    " ",
    "x[",
    "0",
    "]",
    " + ",
    "1e-3",
    "  ",
    '# "note"',
  ]);
});

test("atoms end where sub-expressions do, in characters", () => {
  const spans: Span[] = [
    [0, 10, 0, 10, 2, null],
    [0, 10, 1, 11, 1, null],
  ];
  expect(atomsOf(file("𝛼𝛽 + x\n) y"), spans).map((line) => line.map(({ from, to }) => [from, to]))).toEqual([
    [
      [0, 1],
      [1, 2],
      [2, 6],
    ],
    [
      [0, 1],
      [1, 3],
    ],
  ]);
});

test("words of the language", () => {
  const words = atomsOf(file(`for i in f'a{1}': x1 = "\\"" if 2.5 else None # if 3`), []).flat();
  expect(words.filter(({ word }) => word).map(({ text, word }) => `${word} ${text}`)).toEqual([
    "keyword for",
    "keyword in",
    "string f'a{1}'",
    'string "\\""',
    "keyword if",
    "number 2.5",
    "keyword else",
    "keyword None",
    "comment # if 3",
  ]);
});

test("indentation is an atom of its own", () => {
  const [first, second] = atomsOf(file("    x + y"), [])[0]!;
  expect([isIndentation(first!), isIndentation(second!)]).toEqual([true, false]);
});
