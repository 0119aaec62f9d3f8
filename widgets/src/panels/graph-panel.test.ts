import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readKey } from "./graph-state.js";
import { type GoldenName, drawn, goldens, play, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("matchMedia", still);
});
afterEach(() => vi.unstubAllGlobals());

const names = Object.keys(goldens) as GoldenName[];

test("keys name a run, what it holds, the node and the place; those of other runs are none", () => {
  expect(readKey("tape/product/3/1", "tape")).toEqual({ what: "product", node: 3, place: 1 });
  expect(readKey("tape/value/3", "tape")).toEqual({ what: "value", node: 3, place: 0 });
  expect([readKey("tape-2/value/3", "tape"), readKey("other/value/3", "tape")]).toEqual([null, null]);
});

/** What is drawn, from wherever it is looked at: a graph that is larger than its panel is followed, and not more than needed. */
const seen = (element: Element): string[] => drawn(element).filter((part) => !/^(?:g class=adviz-world|DIV class=adviz-picture) /.test(part));

test.each(names)("%s: what is drawn depends on the cursor only, and no place ever changes", (name) => {
  const { host, player, scene, all } = play(name);
  const places = (): (string | null)[] =>
    all(".adviz-node, .adviz-line").map((part) => part.getAttribute("transform") ?? part.getAttribute("d"));
  const began = places();
  const stands: string[][] = [];
  for (let cursor = 0; cursor <= scene.steps.length; cursor++) {
    host.tell("cursor", cursor);
    stands.push(seen(player.element));
    expect(places()).toEqual(began);
  }
  for (let cursor = scene.steps.length; cursor >= 0; cursor--) {
    host.tell("cursor", cursor);
    expect(seen(player.element)).toEqual(stands[cursor]);
  }
  for (const cursor of [...stands.keys()].sort((one, other) => ((7 * one) % 11) - ((7 * other) % 11))) {
    host.tell("cursor", cursor);
    expect(seen(player.element)).toEqual(stands[cursor]);
  }
});

test("the state stands under its node, products wait on their edges, and what is freed says so", () => {
  const { host, scene, state, all, find } = play("asGraph");
  const after = (kind: string, node: number): number =>
    scene.steps.findIndex((step) => step.kind === kind && step.node === node) + 1;
  host.tell("cursor", after("product", 5));
  expect(all(".adviz-token-number").map(({ textContent }) => textContent)).toEqual(["1"]);
  expect(state(4)).toBe("awaits 1");
  host.tell("cursor", after("accumulate", 4));
  expect(state(4)).toBe("v̄ = 1");
  host.tell("cursor", after("free", 5));
  expect(state(5)).toBe("freed");
  expect(find("[data-node='5']").hasAttribute("data-freed")).toBe(true);
  host.tell("cursor", scene.steps.length);
  expect([state(0), state(1)]).toEqual(["v̄ = 1.275", "v̄ = 3.787"]);
  expect(all(".adviz-token-number")).toEqual([]);
});

test("a product comes to where it waits, and the number to which it is added waits for it", () => {
  const frames: ((now: number) => void)[] = [];
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("requestAnimationFrame", (frame: (now: number) => void) => frames.push(frame));
  const { host, scene, state, all } = play("asGraph");
  const step = (kind: string, node: number): void => {
    const k = scene.steps.findIndex((each) => each.kind === kind && each.node === node);
    [k, k + 1].forEach((cursor) => host.tell("cursor", cursor));
  };
  const arrive = (): void => frames.splice(0).forEach((frame) => frame(performance.now() + 10_000));
  const place = (): string => all(".adviz-token-number").map((token) => token.getAttribute("y")).join();
  step("product", 5);
  const began = place();
  arrive();
  expect(place()).not.toBe(began);
  step("accumulate", 4);
  const { length } = all(".adviz-token-number");
  expect([state(4), all("[data-role='at']").length]).toEqual(["awaits 1", 1]);
  arrive();
  expect([state(4), all(".adviz-token-number").length]).toEqual(["v̄ = 1", length - 1]);
});

test("a sum to which more will be added does not look finished", () => {
  const { host, scene, state, find } = play("asGraph");
  const [first, second] = [...scene.steps.keys()].filter((k) =>
    scene.steps[k]!.edits.some(([key, , after]) => key === "toposort/adjoint/0" && after !== null),
  ) as [number, number];
  host.tell("cursor", first + 1);
  expect(state(0)).toMatch(/^v̄ = \S+ \+ …$/);
  expect(find("[data-node='0']").hasAttribute("data-partial")).toBe(true);
  host.tell("cursor", second + 1);
  expect(state(0)).toBe("v̄ = 1.275");
  expect(find("[data-node='0']").hasAttribute("data-partial")).toBe(false);
});

test("zero is not the same as nothing yet", () => {
  const { host, state } = play("tapeVsGraph");
  expect(state(0)).toBe("");
  host.tell("cursor", 1);
  expect(state(0)).toBe("v̄ = 0 + …");
});

test("one node is in the focus, the other end of its edge and the edge with it, and nothing else", () => {
  const { host, scene, all, find } = play("asGraph");
  const k = scene.steps.findIndex(({ kind, node }) => kind === "product" && node === 4);
  host.tell("cursor", k + 1);
  const [head, operand] = scene.steps[k]!.edge!;
  expect(find("[data-role='at']").getAttribute("data-node")).toBe(String(head));
  expect(find("[data-role='other']").getAttribute("data-node")).toBe(String(operand));
  expect(find("[data-role='way']").getAttribute("data-edge")).toBe(`n${operand}>n${head}`);
  expect(all("[data-role]").length).toBe(3);
  host.tell("cursor", 0);
  expect(all("[data-role]")).toEqual([]);
});

test("counters, readiness and storage are shown while they are on stage", () => {
  const { host, scene, state, find } = play("asGraph");
  const at = (key: string): number =>
    scene.steps.findIndex(({ edits }) => edits.some(([k, , after]) => k === key && after)) + 1;
  host.tell("cursor", at("toposort/times_used/4"));
  expect([state(4), find("[data-node='4']").querySelector(".adviz-counters")]).toEqual(["awaits 1", null]);
  host.tell("cursor", at("toposort/stored/4"));
  expect(find("[data-node='4'] .adviz-stored").getAttribute("fill")).toBe("var(--kept)");
  const ready = scene.steps.findIndex(({ edits }) =>
    edits.some(([k, , after]) => k === "toposort/ready/4" && after !== null),
  );
  host.tell("cursor", ready + 1);
  expect(find("[data-node='4'] .adviz-ring").getAttribute("stroke")).toBe("var(--accent)");
});

test("a forward run hides the values that it has not computed", () => {
  const { host, scene, find } = play("forward");
  const unknown = (): boolean => find("[data-node='3']").querySelector(".adviz-detail") === null;
  host.tell("cursor", 1);
  expect(unknown()).toBe(true);
  host.tell("cursor", scene.steps.findIndex(({ kind, node }) => kind === "visit" && node === 3) + 1);
  expect(unknown()).toBe(false);
});

test("in the next direction a node is no longer freed once it has its value again", () => {
  const { host, scene, state } = play("forward");
  const visits = [...scene.steps.keys()].filter((k) => scene.steps[k]!.kind === "visit" && scene.steps[k]!.focus.includes("graph/n3"));
  host.tell("cursor", visits[1]!);
  expect(state(3)).toBe("freed");
  host.tell("cursor", visits[1]! + 1);
  expect(state(3)).toBe("");
});

test("each run has a graph of its own, which follows its part of a step", () => {
  const { host, scene, all } = play("tapeVsGraph");
  const both = scene.steps.findIndex(({ parts }) => parts?.every(({ kind }) => kind === "product"));
  host.tell("cursor", both + 1);
  const at = all(".adviz-stagegraph").map((graph) =>
    graph.querySelector("[data-role='at']")!.getAttribute("data-node"),
  );
  expect(at).toEqual(scene.steps[both]!.parts!.map(({ node }) => String(node)));
});
