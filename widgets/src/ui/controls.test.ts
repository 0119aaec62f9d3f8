import { expect, test } from "vitest";
import { commandOf, nextSpeed } from "./controls.js";
import { html } from "./dom.js";

function pressed(key: string, target: HTMLElement = html("div"), options: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, ...options });
  Object.defineProperty(event, "target", { value: target });
  return event;
}

test.each([
  [" ", "play"],
  ["ArrowRight", "forward"],
  ["ArrowLeft", "back"],
  ["Home", "start"],
  ["End", "end"],
  ["+", "faster"],
  ["-", "slower"],
  ["b", "breakpoint"],
  ["r", "run"],
  ["p", "present"],
  ["?", "keys"],
])("the key %j means %s", (key, command) => {
  expect(commandOf(pressed(key), false)).toBe(command);
});

test("what is typed ahead of the next question is no command, but space and arrows are", () => {
  const quiz = html("section.adviz-quiz");
  expect(["p", "b", "-", "1", " ", "ArrowRight"].map((key) => commandOf(pressed(key, quiz), false))).toEqual([
    ...[null, null, null, null],
    "play",
    "forward",
  ]);
});

test("keys with a modifier are the browser's, but + and ? are keys with Shift", () => {
  for (const modifier of ["ctrlKey", "metaKey", "altKey"])
    expect(commandOf(pressed("r", undefined, { [modifier]: true }), false)).toBeNull();
  expect(commandOf(pressed("ArrowRight", undefined, { shiftKey: true }), false)).toBeNull();
  expect(commandOf(pressed("+", undefined, { shiftKey: true }), false)).toBe("faster");
  expect(commandOf(pressed("?", undefined, { shiftKey: true }), false)).toBe("keys");
});

test("who writes, chooses or moves a border keeps the keys; a button keeps space and Enter only", () => {
  for (const target of [html("input"), html("select"), html("div", { role: "separator" })])
    expect(commandOf(pressed("ArrowLeft", target), false)).toBeNull();
  const button = html("button");
  expect([commandOf(pressed(" ", button), false), commandOf(pressed("ArrowLeft", button), false)]).toEqual([
    null,
    "back",
  ]);
  expect(commandOf(pressed("ArrowLeft", html("input.adviz-slider")), false)).toBe("back");
});

test("before an audience space is one step forward, as the keys of a clicker are", () => {
  expect([" ", "Enter", "PageDown", "PageUp"].map((key) => commandOf(pressed(key), true))).toEqual([
    "forward",
    "forward",
    "forward",
    "back",
  ]);
});

test("speeds go up and down a ladder, from between its steps too, and stay at its ends", () => {
  expect([
    nextSpeed(1, 1),
    nextSpeed(1, -1),
    nextSpeed(3, 1),
    nextSpeed(3, -1),
    nextSpeed(64, 1),
    nextSpeed(0.25, -1),
  ]).toEqual([2, 0.5, 4, 2, 64, 0.25]);
});
