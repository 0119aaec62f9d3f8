import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Player } from "./player.js";
import { SWEEPS } from "./sweep-kit.js";
import type { Traits } from "../host.js";
import { figureOf } from "../picture/heat-map.js";
import { HOSTILE } from "../testing/explorers.js";
import { drawn, goldens, play, showOf, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  localStorage.clear();
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", still);
});
afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  vi.useRealTimers();
});

test("steps go forward and back by keys and by buttons, and tell where they lead", () => {
  const { press, click, cursor, host, caption, scene } = play("asGraph");
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
  const { press, cursor, host } = play("asGraph");
  press(" ");
  press("ArrowRight");
  expect([cursor(), host.trait("playing")]).toEqual([1, false]);
  vi.advanceTimersByTime(5000);
  expect(cursor()).toBe(1);
});

test("speed changes the clock, and the fastest takes several steps a frame", () => {
  const { press, cursor, host } = play("asGraph");
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
  const { press, cursor, host, scene, caption, find } = play("asGraph");
  const begin = scene.steps.findIndex(({ whole, node }) => whole && node === 5);
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
  const { find, cursor, host } = play("asGraph");
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
  const { host, cursor, find, all } = play("asGraph", {}, traits);
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
  const { press, cursor, host, scene, find } = play("asGraph");
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
  const { press, cursor, find, scene } = play("asGraph");
  find("[data-node='2']").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  press("r");
  expect(scene.steps[cursor() - 1]!.node).toBe(2);
  find("[data-node='5']").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  expect(scene.steps[cursor() - 1]!.node).toBe(5);
});

test("a node selected in one panel is marked in all, and told", () => {
  const { host, find, all } = play("asGraph");
  find("[data-node='3']").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(host.told).toContainEqual(["selection", [3]]);
  expect(find("[data-mark=selected]").getAttribute("data-node")).toBe("3");
  expect(all("[aria-selected=true]").length).toBe(2);
  host.select([1]);
  expect(find("[data-mark=selected]").getAttribute("data-node")).toBe("1");
});

test("teaching asks before a step is taken, and an answer takes it", () => {
  const { press, cursor, find, host, scene } = play("asGraph", { teach: true });
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
  const { press, cursor, find, host, scene } = play("asGraph", { teach: true });
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
  const { press, cursor, host, scene } = play("asGraph", { teach: true });
  const asked = scene.steps.findIndex(({ question, coarse }) => question && !coarse);
  const { prompt } = scene.steps[asked - 1]!.question!;
  host.tell("answers", [{ step: asked - 1, prompt, given: null, right: false, tries: [] }]);
  host.tell("cursor", asked - 1);
  press("c");
  press("ArrowRight");
  expect(cursor()).toBe(asked);
  host.tell("playing", true);
  vi.advanceTimersByTime(10_000);
  expect(cursor()).toBe(asked);
});

test("a new scene keeps the cursor, the selection and the breakpoints", () => {
  const { host, cursor, find, state } = play("asGraph", {}, { cursor: 40, breakpoints: ["node:2"] });
  host.select([2]);
  const other = JSON.parse(
    JSON.stringify(showOf("asGraph", { teach: false })).replaceAll("3.7868268373886615", "5.5"),
  );
  host.renew(other);
  expect([cursor(), state(1)]).toEqual([40, "v̄ = 5.5"]);
  expect(find("[data-mark=selected]").getAttribute("data-node")).toBe("2");
  expect(find("[data-break]").getAttribute("data-node")).toBe("2");
});

test("sliders tell all inputs to whoever computes; a page without a kernel has none", () => {
  const { host, find } = play("asGraph");
  const slider = find<HTMLInputElement>("[data-input=x]");
  slider.value = "1.5";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  expect(host.trait("inputs")).toEqual({ x: 1.5, y: 0.4 });
  slider.value = "2";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  expect(host.trait("inputs")).toEqual({ x: 2, y: 0.4 });
  host.live = false;
  expect(new Player(host, showOf("asGraph"), SWEEPS).element.querySelector(".adviz-inputs")).toBeNull();
});

test("? tells what the keys do; Escape closes that, and only then leaves the presentation", () => {
  const { player, press, find } = play("asGraph");
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

test("who leaves the presentation is where he was on the page", () => {
  const { player, press } = play("asGraph");
  const around = document.createElement("div");
  player.element.replaceWith(around);
  around.append(player.element);
  around.scrollTop = 500;
  for (const leave of ["Escape", "p"]) {
    press("p");
    around.scrollTop = 1285;
    press(leave);
    expect(around.scrollTop).toBe(500);
  }
});

test("before an audience the chrome is hidden and one key is enough", () => {
  const { player, press, cursor } = play("asGraph");
  press("p");
  expect(player.element.classList.contains("adviz-presenting")).toBe(true);
  press(" ");
  expect(cursor()).toBe(1);
  press("Escape");
  expect(player.element.classList.contains("adviz-presenting")).toBe(false);
});

test("before an audience the browser tells nothing in tooltips, and afterwards all of it again", async () => {
  const { player, press, find, all, host } = play("asGraph");
  const told = (): (string | null)[] => [
    ...all("[title]").map((each) => each.getAttribute("title")),
    ...all("svg title").map(({ textContent }) => textContent),
  ];
  const before = told();
  expect(before.filter(Boolean).length).toBeGreaterThan(10);
  press("p");
  expect(told().filter(Boolean)).toEqual([]);
  expect(find("[data-command=play]").getAttribute("aria-label")).toBe("Play (space)");
  press(" ");
  player.element.append(Object.assign(document.createElement("i"), { title: "new" }));
  await vi.waitFor(() => expect(told().filter(Boolean)).toEqual([]));
  press(" ");
  host.tell("cursor", 0);
  player.element.lastElementChild!.remove();
  press("Escape");
  await vi.waitFor(() => expect(told()).toEqual(before));
  expect(all("[data-told]")).toEqual([]);
});

test("before an audience a heat map still tells its numbers", () => {
  const { player, press, all } = play("asGraph");
  player.element.append(figureOf({ shape: [2], rows: [0], columns: [0, 1], data: [1, -2], scale: 2 }, [99, 99, 9]));
  press("p");
  expect(all(".adviz-heat title").map(({ textContent }) => textContent!.slice(0, 8))).toEqual(["[0] = 1 ", "[1] = -2"]);
});

test("players on one page do not interfere, and none is left with a clock after its end", () => {
  const one = play("asGraph");
  const other = play("asGraph");
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
  const { host, cursor } = play("asGraph");
  Object.defineProperty(host, "conducts", { value: false });
  host.tell("playing", true);
  vi.advanceTimersByTime(5000);
  expect(cursor()).toBe(0);
  host.tell("cursor", 3);
  expect(cursor()).toBe(3);
});

test("what comes from a user stays text in every panel", () => {
  const scene = JSON.parse(JSON.stringify(showOf("asGraph")), (key, value: unknown) =>
    ["label", "detail", "caption", "text", "prompt", "hint", "title"].includes(key) && typeof value === "string"
      ? `${value}${HOSTILE}`
      : value,
  ) as ReturnType<typeof showOf>;
  const { player, host, find } = play("asGraph", { ...scene, teach: true });
  for (let cursor = 0; cursor <= scene.steps.length; cursor++) host.tell("cursor", cursor);
  expect(player.element.querySelector("img, script")).toBeNull();
  expect(find(".adviz-caption").textContent).toContain(HOSTILE);
  expect("broken" in globalThis).toBe(false);
});

test("the same cursor shows the same whatever was done before", () => {
  const { press, player, host } = play("asGraph");
  host.tell("cursor", 12);
  const shown = drawn(player.element);
  press("End");
  press("Home");
  host.tell("cursor", 30);
  host.tell("cursor", 12);
  expect(drawn(player.element)).toEqual(shown);
});

test("columns that end too early are refused", () => {
  const { host } = play("asGraph");
  Object.defineProperty(host, "columns", { value: new ArrayBuffer(8) });
  expect(() => new Player(host, showOf("asGraph"), SWEEPS)).toThrow(/^columns\.\w+: reaches past the end/);
  expect(goldens.asGraph.columns.length).toBeGreaterThan(8);
});

// ---- a sweep that is told at levels of detail ----

const kindsOf = (all: (selector: string) => Element[]): string[] =>
  all(".adviz-panel").map((panel) => panel.getAttribute("data-kind")!);

test("a sweep is told node by node, and what tells of the engine is there at its level only", () => {
  const { press, click, find, all, scene, caption, host } = play("backward");
  const count = (): string => find(".adviz-step-count").textContent!;
  const stops = scene.steps.filter(({ rests }) => rests?.nodes).length + 1;
  expect([count(), caption()]).toEqual([`1 of ${stops}`, scene.opening!.caption]);
  expect(kindsOf(all)).not.toEqual(expect.arrayContaining(["tape"]));
  expect(find(".adviz-header .adviz-muted").hidden).toBe(true);
  press("ArrowRight");
  const first = scene.steps.findIndex(({ rests }) => rests?.nodes);
  expect([count(), caption(), host.trait("cursor")]).toEqual([`2 of ${stops}`, scene.steps[first]!.rests!.nodes!.caption, first + 1]);
  click("[data-level=engine]");
  expect(count()).toBe(`${first + 1} / ${scene.steps.length}`);
  expect(kindsOf(all)).toEqual(expect.arrayContaining(["flow", "tape", "table", "meters"]));
  expect([find(".adviz-header .adviz-muted").hidden, caption()]).toEqual([false, scene.steps[first]!.caption]);
});

test("the header says what is computed", () => {
  const { find } = play("backward");
  expect(find(".adviz-title").textContent).toBe("f(x, y) = sin(x·y)·x + y");
  expect([...find(".adviz-title").querySelectorAll("i")].map(({ textContent }) => textContent)).toEqual(["f", "x", "y", "x", "y", "x", "y"]);
});

test("the header of a function of several statements names what is returned, if that is said once", () => {
  const source = (text: string): string => {
    const scene = structuredClone(goldens.backward.scene);
    const file = scene.source.files.find((each) => each.text.includes("def f("))!;
    (file as { text: string }).text = text;
    document.body.replaceChildren();
    return play("backward", { source: scene.source }).find(".adviz-title").textContent!;
  };
  expect(source("def f(x, y):\n    a = x * y\n    return np.sin(a) * x\n")).toBe("f(x, y) returns sin(a)·x");
  expect(source("def f(x, y):\n    return x / (1 - np.exp(-y))\n")).toBe("f(x, y) = x/(1 − exp(−y))");
  expect(source("def f(x, y):\n    if x > 0:\n        return x\n    return y\n")).toBe("f(x, y)");
  expect(source("def f(x, y):\n    if x > 0:\n        x = y\n    else:\n        return y\n")).toBe("f(x, y)");
  expect(source("def f(x, y):\n    return x * y\n")).toBe("f(x, y) = x·y");
  expect(source("def f(x, y):\n    return x**3 - y ** 2 * x**2.5 + x**y\n")).toBe("f(x, y) = x³ − y²·x^2.5 + x^y");
});

test("the level is remembered for the next show, and a page without storage forgets it", () => {
  play("backward").press("c");
  expect(play("backward").find("[data-level=edges]").getAttribute("aria-pressed")).toBe("true");
  vi.stubGlobal("localStorage", {
    getItem: () => {
      throw new Error("denied");
    },
    setItem: () => {
      throw new Error("denied");
    },
  });
  const { click, find } = play("backward");
  click("[data-level=engine]");
  expect(find("[data-level=engine]").getAttribute("aria-pressed")).toBe("true");
  expect(play("backward").find("[data-level=nodes]").getAttribute("aria-pressed")).toBe("true");
});

test("the engine is looked at in one show: the next opens with nodes or edges, as the reader chose", () => {
  play("backward").click("[data-level=edges]");
  const { click, find } = play("backward");
  click("[data-level=engine]");
  expect(find("[data-level=engine]").getAttribute("aria-pressed")).toBe("true");
  expect(play("backward").find("[data-level=edges]").getAttribute("aria-pressed")).toBe("true");
  // Kept by an earlier version.
  localStorage.setItem("adviz-level", "engine");
  expect(play("backward").find("[data-level=nodes]").getAttribute("aria-pressed")).toBe("true");
});

test("only what has more than one panel to turn to before an audience lists the keys for that", () => {
  expect(play("backward").find(".adviz-legend").textContent).not.toContain("↓");
  expect(play("tapeVsGraph").find(".adviz-legend").textContent).toContain("↑ ↓: more panels");
});

test("playing takes the time of the motion and then that of reading, at the speed chosen", () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const { press, cursor, caption } = play("backward");
  press(" ");
  vi.advanceTimersByTime(499);
  expect(cursor()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(cursor()).toBe(2);
  // The seed takes 600 ms.
  const rest = (): number => Math.max(1300, 38 * caption().length);
  vi.advanceTimersByTime(599 + rest());
  expect(cursor()).toBe(2);
  vi.advanceTimersByTime(1);
  expect(cursor()).toBe(3);
  press("+");
  const double = rest() / 2;
  vi.advanceTimersByTime(double);
  expect(cursor()).toBe(3);
  vi.advanceTimersByTime(1920);
  expect(cursor()).toBe(4);
});

test("between two rests, where a breakpoint or Python may stop, the words are those of the last one", () => {
  const { host, scene, caption, find } = play("backward");
  const stops = [...scene.steps.keys()].filter((k) => scene.steps[k]!.rests?.nodes).map((k) => k + 1);
  host.tell("cursor", stops[2]! + 1);
  expect(caption()).toBe(scene.steps[stops[2]! - 1]!.rests!.nodes!.caption);
  expect(find(".adviz-stops [aria-current]").textContent).toBe(scene.steps[stops[2]! - 1]!.rests!.nodes!.name);
});

test("playing stops at a breakpoint where the show tells of the node", () => {
  const { press, scene, host } = play("backward", {}, { breakpoints: ["node:3"] });
  press(" ");
  vi.advanceTimersByTime(100_000);
  expect(host.trait("playing")).toBe(false);
  expect(scene.steps[host.trait("cursor")! - 1]!.rests!.nodes!.nodes).toContain(3);
});

test("before an audience the picture stands alone, and a key puts one panel beside it", () => {
  const { press, all, find } = play("backward");
  const before = kindsOf(all);
  press("p");
  expect(kindsOf(all)).toEqual(["flow"]);
  press("s");
  expect(kindsOf(all)).toEqual(["flow", "code"]);
  press("t");
  expect(kindsOf(all)).toEqual(["flow", "table"]);
  press("t");
  expect(kindsOf(all)).toEqual(["flow"]);
  expect(find(".adviz-legend").textContent).toContain("s source");
  press("Escape");
  expect(kindsOf(all)).toEqual(before);
});

test("shows of other kinds keep their words, their panels and their clock", () => {
  const { all, find, press, cursor, player } = play("tapeVsGraph");
  expect(find(".adviz-step-count").textContent).toMatch(/^0 \/ /);
  expect(kindsOf(all)).toEqual(expect.arrayContaining(["code", "meters"]));
  press("p");
  expect(kindsOf(all)).toEqual(expect.arrayContaining(["code", "meters"]));
  press("p");
  press(" ");
  vi.advanceTimersByTime(2000);
  expect(cursor()).toBe(2);
  expect(player.element.querySelector(".adviz-levels")).toBeNull();
});
