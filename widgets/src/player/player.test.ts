import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Player } from "./player.js";
import type { Traits } from "../host.js";
import { HOSTILE } from "../testing/explorers.js";
import { drawn, goldens, play, showOf, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", still);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("steps go forward and back by keys and by buttons, and tell where they lead", () => {
  const { press, click, cursor, host, caption, scene } = play("backward");
  expect([cursor(), caption()]).toEqual([0, "Press play, or → for one step."]);
  press("ArrowRight");
  click("[data-command=forward]");
  expect([cursor(), caption()]).toEqual([2, scene.steps[1]!.caption]);
  press("ArrowLeft");
  expect([cursor(), host.trait("cursor")]).toEqual([1, 1]);
  press("End");
  press("ArrowRight");
  expect(cursor()).toBe(scene.steps.length);
  press("Home");
  press("ArrowLeft");
  expect(cursor()).toBe(0);
});

test("playing takes a step a second, stops at the end, and begins anew from there", () => {
  const { press, cursor, host, scene } = play("tapeVsGraph");
  press(" ");
  expect(host.trait("playing")).toBe(true);
  vi.advanceTimersByTime(3000);
  expect(cursor()).toBe(3);
  vi.advanceTimersByTime(1000 * scene.steps.length);
  expect([cursor(), host.trait("playing")]).toEqual([scene.steps.length, false]);
  press(" ");
  expect(cursor()).toBe(0);
  vi.advanceTimersByTime(1000);
  expect(cursor()).toBe(1);
});

test("a step by hand and a pause stop the clock", () => {
  const { press, cursor, host } = play("backward");
  press(" ");
  press("ArrowRight");
  expect([cursor(), host.trait("playing")]).toEqual([1, false]);
  vi.advanceTimersByTime(5000);
  expect(cursor()).toBe(1);
});

test("speed changes the clock, and the fastest takes several steps a frame", () => {
  const { press, cursor, host } = play("backward");
  press("+");
  expect(host.trait("speed")).toBe(2);
  press(" ");
  vi.advanceTimersByTime(1000);
  expect(cursor()).toBe(2);
  host.tell("speed", 500);
  vi.advanceTimersByTime(16);
  expect(cursor()).toBe(10);
});

test("a loop begins again", () => {
  const { press, cursor, scene } = play("tapeVsGraph");
  press("l");
  press(" ");
  vi.advanceTimersByTime(1000 * (scene.steps.length + 1));
  expect(cursor()).toBe(0);
  vi.advanceTimersByTime(1000);
  expect(cursor()).toBe(1);
});

test("coarse steps go turn by turn, are seen at the node whose turn it is, and tell of all that happened", () => {
  const { press, cursor, host, scene, caption, find } = play("backward");
  const begin = scene.steps.findIndex(({ kind, node }) => kind === "visit" && node === 5);
  host.tell("cursor", begin);
  press("c");
  press("ArrowRight");
  const end = scene.steps.findIndex(({ coarse }, k) => k > begin && coarse);
  expect(cursor()).toBe(end);
  expect(caption()).toBe(scene.steps[begin]!.whole);
  expect(find(".adviz-stagegraph [data-role='at']").dataset["node"]).toBe("5");
  press("ArrowLeft");
  expect(cursor()).toBe(begin);
});

test("the slider scrubs once a frame, to the last place", () => {
  const frames: (() => void)[] = [];
  vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
  const { find, cursor, host } = play("backward");
  const slider = find<HTMLInputElement>(".adviz-slider");
  for (const place of [5, 30, 12]) {
    slider.value = String(place);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  expect([cursor(), frames.length]).toEqual([0, 1]);
  frames.forEach((frame) => frame());
  expect(cursor()).toBe(12);
  expect(host.told.filter(([name]) => name === "cursor")).toEqual([["cursor", 12]]);
});

test("traits set by somebody else are followed", () => {
  const traits: Partial<Traits> = { cursor: 7, speed: 4, breakpoints: ["node:3"] };
  const { host, cursor, find, all } = play("backward", {}, traits);
  expect([cursor(), find<HTMLSelectElement>(".adviz-speed").value]).toEqual([7, "4"]);
  expect(all(".adviz-stagegraph [data-break]").map((node) => node.getAttribute("data-node"))).toEqual(["3"]);
  host.tell("cursor", 20);
  host.tell("speed", 3);
  host.tell("breakpoints", []);
  expect([cursor(), find<HTMLSelectElement>(".adviz-speed").value]).toEqual([20, "3"]);
  expect(all("[data-break]")).toEqual([]);
  host.tell("playing", true);
  vi.advanceTimersByTime(400);
  expect(cursor()).toBe(21);
});

test("playing stops at a breakpoint, where the turn of the node begins, and goes on from there", () => {
  const { press, cursor, host, scene, find } = play("backward");
  find("[data-node='4']").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  press("b");
  expect(host.trait("breakpoints")).toEqual(["node:4"]);
  press(" ");
  vi.advanceTimersByTime(1000 * scene.steps.length);
  const stop = cursor();
  expect([scene.steps[stop - 1]!.node, host.trait("playing")]).toEqual([4, false]);
  press(" ");
  vi.advanceTimersByTime(1000);
  expect(cursor()).toBe(stop + 1);
  press("b");
  expect(host.trait("breakpoints")).toEqual([]);
});

test("run to here goes to the next turn of the selected node, from any panel", () => {
  const { press, cursor, find, scene } = play("backward");
  find("[data-node='2']").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  press("r");
  expect(scene.steps[cursor() - 1]!.node).toBe(2);
  find("[data-node='5']").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  expect(scene.steps[cursor() - 1]!.node).toBe(5);
});

test("a node selected in one panel is marked in all, and told", () => {
  const { host, find, all } = play("backward");
  find("[data-node='3']").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(host.told).toContainEqual(["selection", [3]]);
  expect(find("[data-mark=selected]").getAttribute("data-node")).toBe("3");
  expect(all("[aria-selected=true]").length).toBe(2);
  host.select([1]);
  expect(find("[data-mark=selected]").getAttribute("data-node")).toBe("1");
});

test("teaching asks before a step is taken, and an answer takes it", () => {
  const { press, cursor, find, host, scene } = play("backward", { teach: true });
  const asked = scene.steps.findIndex(({ question }) => question);
  host.tell("cursor", asked);
  press("ArrowRight");
  expect([cursor(), find(".adviz-prompt").textContent]).toEqual([asked, scene.steps[asked]!.question!.prompt]);
  const skip = find("[data-act=skip]");
  skip.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(cursor()).toBe(asked + 1);
  expect(host.trait("answers")).toMatchObject([{ step: asked, given: null, right: false }]);
  press("l", find(".adviz-quiz"));
  expect(find("[data-command=loop]").getAttribute("aria-pressed")).toBe("false");
});

test("answers taken back from outside are asked for again", () => {
  const { press, cursor, find, host, scene } = play("backward", { teach: true });
  const asked = scene.steps.findIndex(({ question }) => question);
  host.tell("cursor", asked);
  press("ArrowRight");
  find("[data-act=skip]").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  press("ArrowLeft");
  press("ArrowRight");
  expect(cursor()).toBe(asked + 1);
  host.tell("answers", []);
  press("ArrowLeft");
  press("ArrowRight");
  expect([cursor(), find(".adviz-prompt").textContent]).toEqual([asked, scene.steps[asked]!.question!.prompt]);
});

test("the clock waits for an answer, and a coarse step goes no further than to a question", () => {
  const { press, cursor, host, scene } = play("backward", { teach: true });
  const asked = scene.steps.findIndex(({ question, coarse }) => question && !coarse);
  host.tell("answers", []);
  host.tell("cursor", asked - 1);
  press("c");
  press("ArrowRight");
  expect(cursor()).toBe(asked);
  host.tell("playing", true);
  vi.advanceTimersByTime(10_000);
  expect(cursor()).toBe(asked);
});

test("a new scene keeps the cursor, the selection and the breakpoints", () => {
  const { host, cursor, find, state } = play("backward", {}, { cursor: 46, breakpoints: ["node:2"] });
  host.select([2]);
  const other = JSON.parse(
    JSON.stringify(showOf("backward", { teach: false })).replaceAll("3.7868268373886615", "5.5"),
  );
  host.renew(other);
  expect([cursor(), state(1)]).toEqual([46, "v̄ = 5.5"]);
  expect(find("[data-mark=selected]").getAttribute("data-node")).toBe("2");
  expect(find("[data-break]").getAttribute("data-node")).toBe("2");
});

test("sliders tell all inputs to whoever computes; a page without a kernel has none", () => {
  const { host, find } = play("backward");
  const slider = find<HTMLInputElement>("[data-input=x]");
  slider.value = "1.5";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  expect(host.trait("inputs")).toEqual({ x: 1.5, y: 0.4 });
  slider.value = "2";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  expect(host.trait("inputs")).toEqual({ x: 2, y: 0.4 });
  host.live = false;
  expect(new Player(host, showOf("backward")).element.querySelector(".adviz-inputs")).toBeNull();
});

test("? tells what the keys do; Escape closes that, and only then leaves the presentation", () => {
  const { player, press, find } = play("backward");
  const keys = find(".adviz-legend");
  player.element.focus();
  press("p");
  press("?", undefined, { shiftKey: true });
  expect([keys.hidden, document.activeElement]).toEqual([false, keys]);
  expect(keys.textContent).toContain("run to the selected node");
  expect(find("[data-command=keys]").getAttribute("aria-pressed")).toBe("true");
  press("Escape", keys);
  expect([keys.hidden, document.activeElement]).toEqual([true, player.element]);
  expect(player.element.classList.contains("adviz-presenting")).toBe(true);
  press("Escape");
  expect(player.element.classList.contains("adviz-presenting")).toBe(false);
});

test("before an audience the chrome is hidden and one key is enough", () => {
  const { player, press, cursor } = play("backward");
  press("p");
  expect(player.element.classList.contains("adviz-presenting")).toBe(true);
  press(" ");
  expect(cursor()).toBe(1);
  press("Escape");
  expect(player.element.classList.contains("adviz-presenting")).toBe(false);
});

test("players on one page do not interfere, and none is left with a clock after its end", () => {
  const one = play("backward");
  const other = play("backward");
  one.press(" ");
  vi.advanceTimersByTime(2000);
  expect([one.cursor(), other.cursor()]).toEqual([2, 0]);
  one.player.dispose();
  expect([vi.getTimerCount(), one.player.element.isConnected, other.player.element.isConnected]).toEqual([
    0,
    false,
    true,
  ]);
  one.host.tell("cursor", 9);
  expect(one.cursor()).toBe(2);
});

test("a view that does not conduct follows without a clock of its own", () => {
  const { host, cursor } = play("backward");
  Object.defineProperty(host, "conducts", { value: false });
  host.tell("playing", true);
  vi.advanceTimersByTime(5000);
  expect(cursor()).toBe(0);
  host.tell("cursor", 3);
  expect(cursor()).toBe(3);
});

test("what comes from a user stays text in every panel", () => {
  const scene = JSON.parse(JSON.stringify(showOf("backward")), (key, value: unknown) =>
    ["label", "detail", "caption", "text", "prompt", "hint", "title"].includes(key) && typeof value === "string"
      ? `${value}${HOSTILE}`
      : value,
  ) as ReturnType<typeof showOf>;
  const { player, host, find } = play("backward", { ...scene, teach: true });
  for (let cursor = 0; cursor <= scene.steps.length; cursor++) host.tell("cursor", cursor);
  expect(player.element.querySelector("img, script")).toBeNull();
  expect(find(".adviz-caption").textContent).toContain(HOSTILE);
  expect("broken" in globalThis).toBe(false);
});

test("the same cursor shows the same whatever was done before", () => {
  const { press, player, host } = play("backward");
  host.tell("cursor", 12);
  const shown = drawn(player.element);
  press("End");
  press("Home");
  host.tell("cursor", 30);
  host.tell("cursor", 12);
  expect(drawn(player.element)).toEqual(shown);
});

test("columns that end too early are refused", () => {
  const { host } = play("backward");
  Object.defineProperty(host, "columns", { value: new ArrayBuffer(8) });
  expect(() => new Player(host, showOf("backward"))).toThrow(/^columns\.\w+: reaches past the end/);
  expect(goldens.backward.columns.length).toBeGreaterThan(8);
});
