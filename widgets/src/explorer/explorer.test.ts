import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Explorer } from "./explorer.js";
import type { SavedDocument } from "../hosts/page.js";
import { HOSTILE, RememberingHost, copy, golden, saved } from "../testing/explorers.js";
import { explored } from "../testing/shows.js";

let explorers: Explorer[] = [];

beforeEach(() => {
  document.body.replaceChildren();
});
afterEach(() => {
  explorers.forEach((explorer) => explorer.dispose());
  explorers = [];
});

function open(changes: Parameters<typeof saved>[0] = {}) {
  const host = new RememberingHost(saved(changes));
  const explorer = new Explorer(host);
  explorers.push(explorer);
  document.body.append(explorer.element);
  const root = explorer.element;
  const find = (selector: string): HTMLElement => root.querySelector<HTMLElement>(selector)!;
  const all = (selector: string): HTMLElement[] => [...root.querySelectorAll<HTMLElement>(selector)];
  const click = (target: HTMLElement, options: MouseEventInit = {}): void => {
    target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...options }));
  };
  const key = (
    name: string,
    options: KeyboardEventInit = {},
    target: Element = document.activeElement!,
  ): KeyboardEvent => {
    const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...options });
    target.dispatchEvent(event);
    return event;
  };
  const marks = (): Record<string, string | null> =>
    Object.fromEntries(all("[data-key]").map((node) => [node.dataset["key"], node.getAttribute("data-mark")]));
  const marked = (): string =>
    all(".adviz-mark")
      .map(({ textContent }) => textContent)
      .join("");
  const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  return { host, explorer, root, find, all, click, key, marks, marked, answered };
}

/** The golden graph with its loop unfolded into three nodes. */
function unfolded() {
  const scene = copy(golden.scene) as any;
  const node = scene.panels[0].nodes[0];
  scene.panels[0].nodes = [0, 1, 2, 3, 4].map((n) => ({
    ...node,
    key: `n${n}`,
    node: n,
    kind: "block",
    y: 60 * n,
    title: `node ${n}`,
  }));
  const edge = scene.panels[0].edges[0];
  scene.panels[0].edges = [0, 1, 2, 3].map((n) => ({
    ...edge,
    key: `n${n}>n${n + 1}`,
    tail: `n${n}`,
    head: `n${n + 1}`,
  }));
  return { scene };
}

test("every node of the picture has its key, its number and a name, and the picture is one tab stop", () => {
  const { all } = open();
  expect(all("[data-key]").map(({ dataset }) => [dataset["key"], dataset["node"]])).toEqual([
    ["n0", "0"],
    ["s1", ""],
    ["n4", "4"],
  ]);
  expect(all("[data-key]").every((node) => node.getAttribute("aria-label"))).toBe(true);
  expect(all("svg [tabindex='0']").map(({ dataset }) => dataset["key"])).toEqual(["n0"]);
});

test("the inspector says what was estimated from a sample, and nothing where all entries were read", async () => {
  const note = "Mean, norm and histogram are estimated from a sample of 999,983 entries.";
  const details = copy(golden.details) as any;
  const figures = { shape: [2000, 1000], text: null, mean: 0, norm: 1, sample: 999_983, note };
  details["4"] = { ...details["1"], node: 4, value: { ...details["1"].value, ...figures } };
  const { find, all, click, answered } = open({ details });
  click(find("[data-key=n4]"));
  await answered();
  const notes = (): (string | null)[] => all(".adviz-section > p.adviz-muted").map(({ textContent }) => textContent);
  expect(notes()).toContain(note);
  click(find("[data-key=n0]"));
  await answered();
  expect(notes()).not.toContain(note);
});

test("a click selects: the host is told, the source is marked, the inspector shows the detail", async () => {
  const { host, find, click, marked, answered } = open(unfolded());
  click(find("[data-node='1']"));
  expect(host.told).toEqual([[1]]);
  expect(marked()).toBe("x * x");
  await answered();
  expect(find(".adviz-inspector").textContent).toContain("v1 = v0 × v0");
  expect(find(".adviz-inspector .adviz-single").textContent).toBe("0.25");
});

test("one node: what feeds it and what it feeds", () => {
  const { find, click, marks, all } = open(unfolded());
  click(find("[data-node='2']"));
  expect(marks()).toEqual({ n0: "feeds", n1: "feeds", n2: "selected", n3: "fed", n4: "fed" });
  expect(find("[data-node='1']").getAttribute("aria-label")).toBe("node 1, feeds the selected");
  expect(all("[data-edge]").map((edge) => edge.getAttribute("data-mark"))).toEqual(["feeds", "feeds", "fed", "fed"]);
  expect(find(".adviz-status").textContent).toBe("v2 (×)2 feed itit feeds 2");
  expect(find("[aria-live]:not(.adviz-found)").textContent).toContain("v2 (×), 2 feed it, it feeds 2");
});

test("two nodes: the paths between them, counted", () => {
  const { host, find, click, marks } = open(unfolded());
  click(find("[data-node='0']"));
  click(find("[data-node='3']"), { shiftKey: true });
  expect(host.told.at(-1)).toEqual([0, 3]);
  expect(find(".adviz-status").textContent).toBe("8 paths from v0 (x) to v3 (×), through 4 nodes");
  expect(marks()).toEqual({ n0: "selected", n1: "path", n2: "path", n3: "selected", n4: null });
});

test("folded items light up for the nodes they hold", () => {
  const { host, marks } = open();
  host.select([2]);
  expect(marks()).toEqual({ n0: "feeds", s1: "contains", n4: "fed" });
  host.select([1, 2, 3]);
  expect(marks()).toEqual({ n0: null, s1: "selected", n4: null });
});

test("a click on the ground or Escape at the root selects nothing", () => {
  const { host, find, click, key } = open();
  click(find("[data-node='0']"));
  click(find(".adviz-surface"));
  expect(host.told).toEqual([[0], []]);
  click(find("[data-node='0']"));
  key("Escape");
  expect(host.selection).toEqual([]);
});

test("the host's selection is shown and not told back; what is no node is left out", () => {
  const { host, marks } = open();
  host.select([0, 99, -1, 0.5]);
  expect(marks()["n0"]).toBe("selected");
  expect(host.told.length).toBe(1);
});

test("code selects the nodes it made, of all iterations; line numbers do it by keyboard", () => {
  const { host, all, find, click } = open();
  click(all(".adviz-code span").find(({ textContent }) => textContent === "x * x")!);
  expect(host.selection).toEqual([1, 2, 3]);
  host.select([]);
  click(find("[data-line='3']"));
  expect(host.selection).toEqual([1, 2, 3]);
});

test("each row of the sizes selects its nodes", () => {
  const { host, all, click } = open();
  const row = (label: string): HTMLElement =>
    all("[data-row]").find(({ textContent }) => textContent!.startsWith(label))!;
  click(row("loop.py:3"));
  expect(host.selection).toEqual([1, 2, 3]);
  expect(row("loop.py:3").querySelector("button")!.getAttribute("aria-pressed")).toBe("true");
  expect(all(".adviz-code .adviz-mark").map(({ textContent }) => textContent).join("")).toBe("x * x");
  click(row("1inputs"));
  expect(host.selection).toEqual([0]);
});

test("a scope that is not to be had leaves the picture and says why", async () => {
  const { find, all, answered } = open();
  find("[data-key='s1']").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  await answered();
  expect(find(".adviz-status").textContent).toBe("This scope is not in this saved page.");
  expect(all("[data-key]").map(({ dataset }) => dataset["key"])).toEqual(["n0", "s1", "n4"]);
});

test("scopes are opened by the plus or Enter, and left by breadcrumb or Backspace", async () => {
  // The loop opens as its first iteration, and so the way out of an iteration goes past the loop.
  const { find, all, click, key, answered } = open({ views: { ...golden.views, 1: golden.views["2"] } as any });
  const crumbs = (): (string | null)[] => all(".adviz-crumb").map(({ textContent }) => textContent);
  click(find("[data-open]"));
  await answered();
  expect(crumbs()).toEqual(["f", "for k in range(3)"]);
  find("[data-key='n1']").focus();
  key("Backspace");
  await answered();
  expect(crumbs()).toEqual(["f"]);
  expect((document.activeElement as HTMLElement).dataset["key"]).toBe("s1");
  key("Enter");
  await answered();
  expect(crumbs()).toEqual(["f", "for k in range(3)"]);
  expect(all("button.adviz-crumb").map(({ textContent }) => textContent)).toEqual(["f"]);
  click(find("button.adviz-crumb"));
  await answered();
  expect(crumbs()).toEqual(["f"]);
});

test("the stepper goes through repeated iterations", async () => {
  const scene = copy(golden.scene) as any;
  scene.panels[0] = golden.views["2"];
  const { find, all, click, answered } = open({ scene });
  const where = (): string =>
    `${find(".adviz-stepper input").getAttribute("value")} ${all("[data-key]")[1]!.dataset["key"]}`;
  expect(find(".adviz-stepper").textContent).toContain("of 3");
  expect(find("[data-step='-1']").hasAttribute("disabled")).toBe(true);
  click(find("[data-step='1']"));
  await answered();
  expect(where()).toBe("2 n2");
  const input = find(".adviz-stepper input") as HTMLInputElement;
  input.value = "3";
  input.dispatchEvent(new Event("change", { bubbles: true }));
  await answered();
  expect(where()).toBe("3 n3");
});

test("search previews while typing, selects on Enter, and explains a bad query", async () => {
  const { host, find, all, key } = open(unfolded());
  expect(key("/", {}, find("[data-key='n0']")).defaultPrevented).toBe(true);
  const input = find(".adviz-query") as HTMLInputElement;
  expect(document.activeElement).toBe(input);
  const type = async (query: string): Promise<void> => {
    input.value = query;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 150));
  };
  await type("block:multiply");
  expect([find(".adviz-found").textContent, all(".adviz-preview").length, host.told.length]).toEqual(["3", 3, 0]);
  key("Enter");
  expect(host.selection).toEqual([1, 2, 3]);
  await type("times_used >");
  expect(find(".adviz-results [role=alert]").textContent).toContain("needs a number");
  key("Enter");
  expect(host.selection).toEqual([1, 2, 3]);
  await type("block == multiply and sizes > 3");
  const mistake = find(".adviz-query-mistake");
  expect([mistake.textContent, mistake.querySelector("mark")!.textContent]).toEqual([input.value, "s"]);
  expect(mistake.querySelector("mark")!.dataset["at"]).toBe("22");
  expect(all(".adviz-preview").length).toBe(0);
  await type("block == multiply and not node = 2");
  key("Enter");
  expect(host.selection).toEqual([1, 3]);
  await type("node = 4");
  key("ArrowDown");
  key("Enter");
  expect(host.selection).toEqual([4]);
});

test("arrows walk along edges, and keys do not reach the notebook", () => {
  const { find, key, host } = open(unfolded());
  const heard = vi.fn();
  document.addEventListener("keydown", heard);
  find("[data-key='n0']").focus();
  key("ArrowDown");
  key("ArrowDown");
  expect((document.activeElement as HTMLElement).dataset["key"]).toBe("n2");
  key("Enter");
  expect(host.selection).toEqual([2]);
  key("ArrowUp");
  key("Enter", { shiftKey: true });
  expect(host.selection).toEqual([2, 1]);
  key("End");
  expect((document.activeElement as HTMLElement).dataset["key"]).toBe("n4");
  document.removeEventListener("keydown", heard);
  expect(heard).not.toHaveBeenCalled();
  expect(find("[data-key='n0']").closest("[data-lm-suppress-shortcuts=true]")).not.toBeNull();
});

test("what Python does not tell is drawn as missing, and what the columns tell is shown", async () => {
  const { find, click, answered } = open(unfolded());
  click(find("[data-node='2']"));
  await answered();
  expect(find(".adviz-absent").textContent).toBe("Not in this saved page.");
  expect(find(".adviz-single").textContent).toBe("0.0625");
});

test("links in the inspector select", async () => {
  const { host, find, click, answered } = open(unfolded());
  click(find("[data-node='1']"));
  await answered();
  click(find("[data-link='2']"));
  expect(host.selection).toEqual([2]);
});

test("hostile text is text everywhere", async () => {
  const scene = copy(golden.scene) as any;
  const details = copy(golden.details) as any;
  for (const node of scene.panels[0].nodes) node.label = node.detail = node.title = HOSTILE;
  for (const block of scene.tables.blocks) block.name = block.symbol = block.family = HOSTILE;
  scene.tables.scope_labels = scene.tables.scope_labels.map(() => HOSTILE);
  scene.panels[0].path[0].label = scene.panels[0].note = scene.title = HOSTILE;
  scene.panels[2].most_used[0].label = scene.tables.spans[0][5] = scene.tables.names["0"] = HOSTILE;
  Object.assign(scene.source.files[0], { name: HOSTILE, path: HOSTILE, text: `${HOSTILE}\n${HOSTILE}\n${HOSTILE}` });
  Object.assign(details["1"], { block: HOSTILE, name: HOSTILE, formula: HOSTILE, scope: HOSTILE, family: HOSTILE });
  Object.assign(details["1"].operands[0].jacobian, { structure: HOSTILE, rule: HOSTILE, text: HOSTILE });
  Object.assign(details["1"].value, { text: HOSTILE, dtype: HOSTILE, note: HOSTILE });
  const { host, root, find, key, answered } = open({ scene, details });
  host.select([1]);
  await answered();
  key("/", {}, find("[data-key='n0']"));
  expect(root.querySelectorAll("script, img, a, iframe").length).toBe(0);
  for (const element of root.querySelectorAll("*")) {
    expect([...element.attributes].filter(({ name }) => name.startsWith("on"))).toEqual([]);
  }
  expect(root.textContent).toContain(HOSTILE);
  expect((globalThis as any).broken).toBeUndefined();
});

test("two explorers on one page do not know each other", () => {
  const one = open();
  const other = open();
  one.click(one.find("[data-node='0']"));
  expect(other.marks()["n0"]).toBeNull();
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

/** The prototype that holds a method. */
function ownerOf(object: object, method: string): EventTarget {
  let owner = object;
  while (!Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object;
  return owner as EventTarget;
}

test("nothing stays subscribed after the end", () => {
  const added = vi.spyOn(ownerOf(document.body, "addEventListener"), "addEventListener");
  const observed = vi.spyOn(ResizeObserver.prototype, "observe");
  const disconnected = vi.spyOn(ResizeObserver.prototype, "disconnect");
  const { explorer, host, root, click, find } = open();
  click(find("[data-node='0']"));
  // What waits for the signal itself goes with it.
  const lasting = added.mock.calls.filter(([type]) => type !== "abort");
  expect(lasting.length).toBeGreaterThan(20);
  explorer.dispose();
  expect(lasting.filter(([, , options]) => !(options as AddEventListenerOptions | undefined)?.signal?.aborted)).toEqual(
    [],
  );
  expect(disconnected.mock.calls.length).toBe(observed.mock.calls.length);
  expect(root.isConnected).toBe(false);
  host.select([4]);
  expect(root.querySelector("[data-mark=selected]")?.getAttribute("data-key")).toBe("n0");
  vi.restoreAllMocks();
});

test("a scene that cannot be read is refused with its place", () => {
  const scene = copy(golden.scene) as any;
  scene.panels[0].nodes[0].w = null;
  expect(() => new Explorer(new RememberingHost(saved({ scene })))).toThrow(
    "scene.panels[0].nodes[0].w: expected a number, found nothing",
  );
});

// ---- its evaluation played ----

const played = (changes: Partial<SavedDocument> = {}) => {
  const opened = open({ ...explored("forward"), ...changes });
  const play = async (): Promise<void> => {
    opened.click(opened.find(".adviz-play"));
    await opened.answered();
  };
  const player = (): Element | null => opened.root.querySelector(".adviz-player");
  return { ...opened, play, player, region: opened.root.firstElementChild as HTMLElement };
};

test("the evaluation is played in the place of the graph, and Escape leads back to the graph as it was", async () => {
  const { find, click, key, play, player, region, host, marks } = played();
  click(find("[data-node='2']"));
  const [transform, marked] = [find(".adviz-world").getAttribute("transform"), marks()];
  await play();
  expect([region.hidden, player()!.contains(document.activeElement)]).toEqual([true, true]);
  expect(find(".adviz-player .adviz-inputs")).toBeNull();
  key("ArrowRight");
  expect(find(".adviz-player .adviz-caption").textContent).toContain("The sweep begins");
  key("Escape");
  expect([region.hidden, player(), document.activeElement]).toEqual([false, null, find(".adviz-play")]);
  expect([find(".adviz-world").getAttribute("transform"), marks()]).toEqual([transform, marked]);
  expect(host.selection).toEqual([2]);
});

test("who comes back to the show finds it at the moment that was left, and paused", async () => {
  const { find, click, key, play } = played();
  await play();
  key("ArrowRight");
  key("ArrowRight");
  key(" ");
  click(find(".adviz-back"));
  await play();
  expect(find(".adviz-step-count").textContent).toMatch("2 / ");
  expect(find("[data-command=play]").title).toBe("Play (space)");
});

test("the show and the graph have one selection", async () => {
  const { host, find, click, key, play, region } = played();
  host.select([3]);
  await play();
  expect(find(".adviz-player [data-node='3']").getAttribute("data-mark")).toBe("selected");
  click(find(".adviz-player .adviz-world [data-node='1']"));
  expect(host.selection).toEqual([1]);
  key("Escape");
  expect(region.querySelector("[data-mark=selected]")!.getAttribute("data-node")).toBe("1");
  await vi.waitFor(() => expect(find(".adviz-inspector").textContent).toContain("v1"));
});

test("Escape leaves the presenter view first", async () => {
  const { key, play, player } = played();
  await play();
  key("p");
  key("Escape");
  expect(player()!.classList.contains("adviz-presenting")).toBe(false);
  key("Escape");
  expect(player()).toBeNull();
});

test("a page without a show has no button for it, and no key", async () => {
  const { find, key, answered, player } = played({ show: null });
  expect(find(".adviz-play").hidden).toBe(true);
  key("e", {}, find(".adviz-node"));
  await answered();
  expect(player()).toBeNull();
});

test("an e that is typed is a letter", async () => {
  const { find, key, answered, player } = played();
  expect(key("e", {}, find(".adviz-query")).defaultPrevented).toBe(false);
  await answered();
  expect(player()).toBeNull();
});

test("why an evaluation cannot be had is said, and it can be asked for again", async () => {
  const { host, find, play, player, region } = played();
  const there = host.play!;
  (host as any).play = () => Promise.reject(new Error("Python no longer has this graph: run its cell again."));
  await play();
  expect([find(".adviz-status").textContent, region.hidden]).toEqual([
    "Python no longer has this graph: run its cell again.",
    false,
  ]);
  (host as any).play = there;
  await play();
  expect(player()).not.toBeNull();
});

test.each([
  [{ runs: [] }, "scene.runs: expected at least one, found none"],
  [{ steps: [null] }, "scene.steps[0]: expected an object, found nothing"],
])("a show that cannot be read is refused with its place", async (change, why) => {
  const { find, play, region } = played({ show: { ...explored("forward").show, ...change } });
  await play();
  expect([find(".adviz-status").textContent, region.hidden]).toEqual([why, false]);
});

test("a slow answer is waited for in words, and whoever asks twice gets one show", async () => {
  const { host, find, all, click, answered } = played();
  const show = host.play!();
  const waiting: (() => void)[] = [];
  (host as any).play = () => new Promise((resolve) => waiting.push(() => resolve(show)));
  vi.useFakeTimers();
  click(find(".adviz-play"));
  vi.advanceTimersByTime(500);
  vi.useRealTimers();
  expect(find(".adviz-status").textContent).toBe("Waiting for Python to play the evaluation …");
  click(find(".adviz-play"));
  for (const deliver of waiting) deliver();
  await answered();
  expect(all(".adviz-player").length).toBe(1);
  click(find(".adviz-back"));
  expect(find(".adviz-status").textContent).not.toContain("Waiting");
});

test("two explorers play apart", async () => {
  const [one, other] = [played(), played()];
  await one.play();
  await other.play();
  one.key("ArrowRight", {}, one.player()!);
  expect([one, other].map(({ find }) => find(".adviz-step-count").textContent![0])).toEqual(["1", "0"]);
  one.key("Escape", {}, one.player()!);
  expect([one.player(), other.player()].map(Boolean)).toEqual([false, true]);
});

test("an Explorer that ends while it plays takes its show along", async () => {
  const { explorer, host, player, play, root } = played();
  await play();
  const shown = player()!;
  explorer.dispose();
  expect([root.isConnected, shown.isConnected]).toEqual([false, false]);
  host.select([1]);
  expect(shown.querySelector("[data-mark=selected]")).toBeNull();
});
