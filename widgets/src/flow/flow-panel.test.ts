import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TIMES } from "../motion/schedule.js";
import { FlowPanel } from "./flow-panel.js";
import { panelOf } from "../scene/scene.js";
import { play, still } from "../testing/shows.js";

let frames: ((now: number) => void)[] = [];
let now = 0;

/** Let time pass, with a frame at its end. */
function pass(milliseconds: number): void {
  now += milliseconds;
  const due = frames;
  frames = [];
  due.forEach((frame) => frame(now));
}

beforeEach(() => {
  document.body.replaceChildren();
  localStorage.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals(); // another file may have asked for less motion
  [frames, now] = [[], 0];
  vi.stubGlobal("requestAnimationFrame", (frame: (now: number) => void) => frames.push(frame));
  vi.stubGlobal("cancelAnimationFrame", () => (frames = []));
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  localStorage.clear();
});

const pictured = (find: (selector: string) => Element): string => find(".adviz-flow > g").innerHTML;

/** A pointer or a focus comes to an element, or leaves it. */
const send = (element: Element, type: string): boolean => element.dispatchEvent(new MouseEvent(type, { bubbles: true }));

test("a step forward is seen as motion, which the next one finishes at once and goes on", () => {
  const { press, find, cursor } = play("backward");
  press("ArrowRight");
  press("ArrowRight");
  const begun = pictured(find);
  pass(TIMES.send / 3);
  const midway = pictured(find);
  expect(midway).not.toBe(begun);
  expect(find(".adviz-flow").innerHTML).toContain("1");
  press("ArrowRight");
  expect([cursor(), frames.length]).toEqual([4, 1]);
  pass(60_000);
  expect(frames.length).toBe(0);
});

test("a step back and a jump are shown at once", () => {
  const { press, find } = play("backward");
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight"]) press(key), pass(60_000);
  const there = pictured(find);
  press("ArrowRight");
  pass(60_000);
  press("ArrowLeft");
  expect([frames.length, pictured(find)]).toEqual([0, there]);
  press("End");
  expect(frames.length).toBe(0);
});

test("who wants less motion sees the step at its end at once", () => {
  const moving = play("backward");
  for (let k = 0; k < 4; k++) moving.press("ArrowRight"), pass(60_000);
  vi.stubGlobal("matchMedia", still);
  const calm = play("backward");
  for (let k = 0; k < 4; k++) calm.press("ArrowRight");
  expect([frames.length, pictured(calm.find)]).toEqual([0, pictured(moving.find)]);
});

test("nodes are reached by keyboard, say what they are, and are chosen", () => {
  const { all, find, host, press } = play("backward");
  const areas = all(".adviz-flow [role=button]");
  expect(areas.map((area) => area.getAttribute("aria-label"))).toContain("x, value 2");
  expect(areas.filter((area) => area.getAttribute("tabindex") === "0").length).toBe(1);
  (areas[0] as SVGElement).focus();
  press("ArrowDown", areas[0]!);
  expect([areas[0], areas[1]].map((area) => area!.getAttribute("tabindex"))).toEqual(["-1", "0"]);
  press("Enter", areas[1]!);
  expect(host.selection).toEqual([Number(areas[1]!.getAttribute("data-node"))]);
  expect(find("[data-mark=selected]")).toBe(areas[1]);
  expect(find(".adviz-flow").getAttribute("aria-description")).toBe(find(".adviz-caption").textContent);
  find(".adviz-flowpanel").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(host.selection).toEqual([]);
});

test("who points at an input sees its paths and what they bring, and at a gate its local partial", () => {
  vi.stubGlobal("matchMedia", still);
  const { find, all, press } = play("backward");
  press("End");
  const faint = (): number => all(".adviz-flow > g:first-child [opacity='0.13']").length;
  expect([faint(), find(".adviz-note").hidden]).toEqual([0, true]);
  send(find(".adviz-flow [data-node='0']"), "pointerover");
  expect(faint()).toBeGreaterThan(0);
  expect(find(".adviz-note").textContent).toContain("2 paths");
  send(find(".adviz-flow [data-node='0']"), "pointerout");
  expect([faint(), find(".adviz-note").hidden]).toEqual([0, true]);
  send(find(".adviz-flow [data-edge='2/0']"), "pointerover");
  expect(find(".adviz-note").textContent).toBe("∂(x·y)/∂x = y = 0.4");
});

test("a double click runs to where the show tells of the node", () => {
  const { find, scene, cursor, host } = play("backward");
  send(find(".adviz-flow [data-node='3']"), "dblclick");
  expect(scene.steps[Number(host.trait("cursor")) - 1]!.rests!.nodes!.nodes).toEqual([3]);
  expect(cursor()).toBeGreaterThan(1);
  expect(find("[data-role=at]").getAttribute("data-node")).toBe("3");
});

test("what the engine keeps is noted at its level only", () => {
  const { host, scene, find, press, all } = play("backward");
  const notes = (): string => all(".adviz-flow .adviz-counters").map(({ textContent }) => textContent).join(" ");
  const counted = scene.steps.findIndex(({ edits }) => edits.some(([key, , after]) => /times_used\/4$/.test(key) && after === 1));
  host.tell("cursor", counted + 1);
  expect(notes().trim()).toBe("");
  press("c");
  press("c");
  host.tell("cursor", counted + 1);
  expect(notes()).toContain("awaits 1");
  expect(find(".adviz-flow [data-node='4']").getAttribute("aria-description")).toContain("awaits 1");
  for (let cursor = 0; cursor <= scene.steps.length; cursor++) {
    host.tell("cursor", cursor);
    expect(find(".adviz-flow").textContent).not.toContain("freed");
  }
});

test("the keys of a sweep name none that fits a graph: it is always seen as a whole", () => {
  const { find } = play("backward");
  const keys = [...find(".adviz-legend").querySelectorAll("kbd, dt")].map(({ textContent }) => textContent);
  expect(keys).toContain("c");
  expect(keys).not.toContain("f");
});

test("a line opens in place when it is clicked, is told operation by operation, and closes again", () => {
  const { press, find, all, click } = play("lines");
  const nodes = (): string[] => all(".adviz-node").map((node) => (node as HTMLElement).dataset["node"]!);
  const stops = (): number => all(".adviz-stops button").length || Number(find(".adviz-step-count").textContent!.split("of ")[1]);
  const [closed, few] = [nodes(), stops()];
  click('.adviz-node[data-node="11"]');
  expect(nodes()).toEqual(expect.arrayContaining([...closed, "9", "10"]));
  expect(stops()).toBeGreaterThan(few);
  click('.adviz-node[data-node="11"]');
  expect([nodes(), stops()]).toEqual([closed, few]);
  press("Enter", find('.adviz-node[data-node="8"]'));
  expect(nodes()).toContain("7");
  press("Escape", find('.adviz-node[data-node="8"]'));
  expect(nodes()).toEqual(closed);
  click('[data-level="nodes"]');
  expect(nodes()).toHaveLength(19);
});

test("boxes open inside of boxes; where too much would be beside it a box is seen alone, with the way out above", () => {
  const { find, all, click } = play("boxes");
  const nodes = (): string[] => all(".adviz-node").map((node) => (node as HTMLElement).dataset["node"]!);
  const way = (): string[] => [...find(".adviz-path").children].map((each) => each.textContent!);
  const closed = nodes();
  expect(way()).toEqual([]);
  const last = closed.at(-2)!;
  click(`.adviz-node[data-node="${last}"]`);
  expect(way()).toEqual(["All lines", "iteration 4 of 4", "‹", "›"]);
  expect(all(".adviz-path .adviz-step").map((each) => (each as HTMLButtonElement).disabled)).toEqual([false, true]);
  click(".adviz-path .adviz-step");
  expect(way()[1]).toBe("iteration 3 of 4");
  click(".adviz-path .adviz-step:last-child");
  const opened = nodes();
  expect(opened).not.toEqual(expect.arrayContaining(closed));
  click(`.adviz-node[data-node="${last}"]`);
  expect(nodes().length).toBeGreaterThan(opened.length);
  click(".adviz-path button:first-child");
  expect([nodes(), way()]).toEqual([closed, []]);
});

test("a picture prefers a stage where it is much larger, if it could not be read on the other, and takes what it needs of it", () => {
  const { host, scene } = play("backward");
  const panel = panelOf(scene, "flow")!;
  const { signal } = new AbortController();
  const context = { ...host, scene, signal, select: () => undefined } as never;
  const picture = new FlowPanel(panel, context);
  const [small, wide, large] = [{ width: 180, height: 400 }, { width: 400, height: 300 }, { width: 900, height: 500 }];
  expect(picture.prefers(wide, small)).toBe(true);
  expect(picture.prefers(small, wide)).toBe(false);
  expect(picture.prefers({ width: 1200, height: 600 }, large)).toBe(false);
  expect(picture.heightAt(large)).toBeLessThanOrEqual(0.75 * large.height);
  const lines = play("lines");
  const sweep = new FlowPanel(panelOf(lines.scene, "flow")!, { ...lines.host, scene: lines.scene, signal, select: () => undefined } as never);
  const high = sweep.heightAt(large);
  sweep.show({ cursor: 0, stage: new Map(), step: null, steps: [], next: null, changed: null, motion: false, level: "lines", opened: [1] } as never);
  expect(sweep.heightAt(large)).toBe(high); // other panels do not move when a box opens
});
