import { expect, test } from "vitest";
import { Controls, type Standing, commandOf, nextSpeed, type Stop, inGroups } from "./controls.js";
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

/** Controls that remember what they were asked for. */
function controls() {
  const asked: unknown[] = [];
  const told = (name: string) => (value: unknown): void => void asked.push([name, value]);
  const events = { command: told("command"), scrub: told("scrub"), speed: told("speed"), level: told("level") };
  const levels = [["nodes", "Nodes", "by node"], ["engine", "Engine", "all"]] as const;
  const { element, show } = ((made) => ({ element: made.element, show: made.show.bind(made) }))(
    new Controls(events, false, new AbortController().signal, levels),
  );
  const standing: Standing = {
    ...{ cursor: 5, length: 40, playing: false, speed: 1, loop: false, level: "nodes", teach: false },
    ...{ presenting: false, keys: false, caption: "", stops: [[0, "values"], [4, "seed"], [9, "<b>f</b>"]] },
  };
  return { asked, element, show: (changes: Partial<Standing> = {}) => show({ ...standing, ...changes }) };
}

test("few rests are chosen by their names; the one shown and those before it are marked", () => {
  const { asked, element, show } = controls();
  show();
  const items = [...element.querySelectorAll(".adviz-stops li")];
  expect(items.map(({ textContent }) => textContent)).toEqual(["values", "seed", "<b>f</b>"]);
  expect(items.map((item) => item.firstElementChild!.hasAttribute("data-past"))).toEqual([true, false, false]);
  expect(items[1]!.firstElementChild!.getAttribute("aria-current")).toBe("step");
  expect(element.querySelector(".adviz-step-count")!.textContent).toBe("2 of 3");
  items[2]!.firstElementChild!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(asked).toEqual([["scrub", 9]]);
});

test("many rests stand in groups, with the lines that they are about, and the name of the present one", () => {
  const { asked, element, show } = controls();
  const stops: Stop[] = Array.from({ length: 30 }, (_, k): Stop => [k, `v${k}`, undefined, k && k < 29 ? `line ${1 + (k >> 3)}` : undefined]);
  expect(inGroups(stops).map(({ length }) => length)).toEqual([1, 7, 8, 8, 5, 1]);
  expect(inGroups(stops.slice(0, 16))).toEqual(stops.slice(0, 16).map((stop) => [stop]));
  expect(inGroups(Array.from({ length: 40 }, (_, k) => [k, `v${k}`] as const)).map(({ length }) => length)).toEqual([...Array(13).fill(3), 1]);
  show({ stops, cursor: 9 });
  expect([...element.querySelectorAll(".adviz-stops li")].map(({ textContent }) => textContent)).toEqual(["v0", "line 1", "line 2 v9", "line 3", "line 4", "v29"]);
  show({ stops, cursor: 3 });
  expect(element.querySelectorAll(".adviz-group")[1]!.textContent).toBe("line 2");
  const { dataset } = element.querySelector<HTMLElement>(".adviz-stops [aria-current]")!;
  expect(dataset["stop"]).toBe("3");
  element.querySelector("[data-stop='12']")!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(asked).toEqual([["scrub", 12]]);
});

test("steps without names are chosen on the slider", () => {
  const { element, show } = controls();
  const slider = element.querySelector<HTMLElement>(".adviz-slider")!;
  show();
  expect(slider.hidden).toBe(true);
  show({ stops: Array.from({ length: 30 }, (_, k) => [k, `v${k}`] as const) });
  expect([slider.hidden, element.querySelector(".adviz-step-count")!.textContent]).toEqual([true, "6 of 30"]);
  show({ stops: [], level: "engine" });
  expect([slider.hidden, element.querySelector(".adviz-step-count")!.textContent]).toEqual([false, "5 / 40"]);
});

test("the level of detail is one of several buttons", () => {
  const { asked, element, show } = controls();
  show();
  const pressed = (): (string | null)[] => [...element.querySelectorAll("[data-level]")].map((each) => each.getAttribute("aria-pressed"));
  expect(pressed()).toEqual(["true", "false"]);
  element.querySelector("[data-level=engine]")!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  show({ level: "engine" });
  expect([asked, pressed()]).toEqual([[["level", "engine"]], ["false", "true"]]);
});
