import { afterEach, beforeEach, expect, test, vi } from "vitest";
import graphs from "../graphs.js";
import sweeps from "../sweeps.js";
import { PageHost } from "./page.js";
import type { Model } from "./widget.js";
import { fromBase64 } from "../scene/base64.js";
import { copy, golden, goldenColumns } from "../testing/explorers.js";
import { explored, goldens } from "../testing/shows.js";

/** A model as anywidget gives it: traits, events, messages. */
class FakeModel implements Model {
  readonly sent: { id: string; type: string; scope?: number; node?: number }[] = [];
  readonly listeners = new Map<string, Set<(content: never) => void>>();
  saves = 0;

  constructor(readonly traits: Record<string, unknown> = {}) {
    this.traits = {
      scene: copy(golden.scene),
      columns: new DataView(goldenColumns()),
      selection: [],
      fallback: "",
      ...traits,
    };
  }

  get(trait: string): unknown {
    return this.traits[trait];
  }
  set(trait: string, value: unknown): void {
    this.traits[trait] = value;
    this.trigger(`change:${trait}`);
  }
  save_changes(): void {
    this.saves++;
  }
  on(event: string, listener: (content: never) => void): void {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)!.add(listener);
  }
  off(event: string, listener: (content: never) => void): void {
    this.listeners.get(event)?.delete(listener);
  }
  send(content: unknown): void {
    this.sent.push(content as never);
  }

  trigger(event: string, content?: unknown): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) listener(content as never);
  }
  get listening(): number {
    return [...this.listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

beforeEach(() => {
  document.body.replaceChildren();
  document.head.replaceChildren();
});

function show(model: FakeModel) {
  const el = document.createElement("div");
  document.body.append(el);
  const { render } = (model.get("scene") as { runs?: unknown }).runs ? sweeps : graphs;
  const end = render({ model, el });
  const find = (selector: string): HTMLElement => el.querySelector<HTMLElement>(selector)!;
  const click = (selector: string): void => {
    find(selector).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  };
  return { el, end, find, click };
}

const answered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test("the selection goes both ways", () => {
  const model = new FakeModel({ selection: [4] });
  const { find, click } = show(model);
  expect(find("[data-mark=selected]").dataset["key"]).toBe("n4");
  click("[data-node='0']");
  expect([model.get("selection"), model.saves]).toEqual([[0], 1]);
  model.set("selection", [4]);
  expect(find("[data-mark=selected]").dataset["key"]).toBe("n4");
  expect(model.saves).toBe(1);
});

test("views and details are asked for by message and told apart by id", async () => {
  const model = new FakeModel();
  const { find, click } = show(model);
  click("[data-open]");
  click("[data-node='0']");
  expect(model.sent.map(({ type, scope, node }) => [type, scope ?? node])).toEqual([
    ["view", 1],
    ["detail", 0],
  ]);
  model.trigger("msg:custom", { id: "somebody else's", error: "no" });
  model.trigger("msg:custom", {
    id: model.sent[1]!.id,
    detail: { ...golden.details["1"], node: 0, formula: "v0 = x" },
  });
  model.trigger("msg:custom", { id: model.sent[0]!.id, view: golden.views["2"] });
  await answered();
  expect(find(".adviz-heading .adviz-number").textContent).toBe("v0 = x");
  expect(find("[data-node='1']")).not.toBeNull();
});

test("the evaluation is asked for by message, and only once", async () => {
  const { scene, columns, show: played } = explored("forward");
  const model = new FakeModel({ scene, columns: new PageHost({ scene, columns }).columns });
  const { find, click, el } = show(model);
  for (let times = 0; times < 2; times++) {
    click(".adviz-play");
    if (!times) model.trigger("msg:custom", { id: model.sent[0]!.id, play: played });
    await answered();
    expect(find(".adviz-step-count").textContent).toBe(`0 / ${goldens.forward.scene.steps.length}`);
    click(".adviz-back");
    expect(el.querySelector(".adviz-player")).toBeNull();
  }
  expect(model.sent.map(({ type }) => type)).toEqual(["play"]);
});

test("an error from Python is shown, and asking again is possible", async () => {
  const model = new FakeModel();
  const { find, click } = show(model);
  click("[data-open]");
  model.trigger("msg:custom", { id: model.sent[0]!.id, error: "The graph is gone." });
  await answered();
  expect(find(".adviz-status").textContent).toBe("The graph is gone.");
  click("[data-open]");
  expect(model.sent.length).toBe(2);
});

test("when the kernel is lost, what was asked and what is asked then is answered plainly", async () => {
  const model = new FakeModel();
  const { find, click } = show(model);
  const lost = "Python no longer has this graph: run its cell again.";
  click("[data-open]");
  model.trigger("comm_live_update");
  await answered();
  expect(find(".adviz-status").textContent).toBe(lost);
  model.send = () => {
    throw new Error("Cannot send");
  };
  click("[data-node='4']");
  await answered();
  expect(find(".adviz-inspector").textContent).toContain(lost);
});

test("when the kernel is lost the sliders rest, and say why, once", () => {
  const { scene, columns } = goldens.asGraph;
  const model = new FakeModel({ scene: copy(scene), columns: new PageHost({ scene, columns }).columns });
  const { find } = show(model);
  const sliders = find(".adviz-inputs").querySelectorAll("input");
  expect([...sliders].map(({ disabled }) => disabled)).toEqual([false, false]);
  for (let times = 0; times < 2; times++) model.trigger("comm_live_update");
  expect([...sliders].map(({ disabled }) => disabled)).toEqual([true, true]);
  expect(find(".adviz-inputs [role=alert]").textContent).toBe(
    "Python no longer has this program: run its cell again.",
  );
  expect(find(".adviz-inputs").querySelectorAll("p")).toHaveLength(1);
});

test("ids of two views of one model differ, and both follow the selection", () => {
  const model = new FakeModel();
  const one = show(model);
  const other = show(model);
  one.click("[data-node='0']");
  expect(other.find("[data-mark=selected]").dataset["key"]).toBe("n0");
  expect(new Set(model.sent.map(({ id }) => id)).size).toBe(model.sent.length);
});

test("after the end nothing listens to the model", () => {
  const model = new FakeModel();
  const ends = [show(model).end, show(model).end];
  expect(model.listening).toBe(6);
  for (const end of ends) end();
  expect(model.listening).toBe(0);
  expect(document.querySelector(".adviz")).toBeNull();
});

const played = (): FakeModel =>
  new FakeModel({
    scene: { ...structuredClone(goldens.asGraph.scene), teach: false },
    columns: new DataView(
      fromBase64(goldens.asGraph.columns).buffer,
    ),
    cursor: 0,
    playing: false,
    speed: 1,
    breakpoints: [],
    answers: [],
    inputs: {},
  });

afterEach(() => vi.useRealTimers());

test("a scene with runs is played, both ways", () => {
  const model = played();
  const { find, click, end } = show(model);
  click("[data-command=forward]");
  expect([model.get("cursor"), model.saves]).toEqual([1, 1]);
  model.set("cursor", 9);
  expect(find(".adviz-step-count").textContent).toBe("9 / 40");
  end();
  expect(model.listening).toBe(0);
});

test("of two views of a show one keeps the time, and the other takes over when it is closed", () => {
  vi.useFakeTimers();
  const model = played();
  const ends = [show(model).end, show(model).end];
  model.set("playing", true);
  vi.advanceTimersByTime(3000);
  expect(model.get("cursor")).toBe(3);
  ends[0]!();
  vi.advanceTimersByTime(2000);
  expect(model.get("cursor")).toBe(5);
  ends[1]!();
  expect(vi.getTimerCount()).toBe(0);
});

test("Python is told of every step at once, so that no echo of an earlier one is taken for news", () => {
  vi.useFakeTimers();
  const model = played();
  show(model);
  model.set("speed", 40);
  model.set("playing", true);
  vi.advanceTimersByTime(750);
  expect(model.get("cursor")).toBe(30);
  expect(model.saves).toBe(30);
});

function fallback(id: string): HTMLElement {
  const element = document.createElement("div");
  element.dataset["advizId"] = id;
  document.body.append(element);
  return element;
}

const visible = (element: HTMLElement): boolean => getComputedStyle(element).display !== "none";

test("the static picture is hidden while a view is alive, also when it comes later", () => {
  const [model, early] = [new FakeModel({ fallback: "adviz-7" }), fallback("adviz-7")];
  const one = show(model);
  const other = show(model);
  const late = fallback("adviz-7");
  const unrelated = fallback("adviz-8");
  expect([early, late, unrelated].map(visible)).toEqual([false, false, true]);
  one.end();
  expect([early, late].map(visible)).toEqual([false, false]);
  other.end();
  expect([early, late].map(visible)).toEqual([true, true]);
  expect(document.head.children.length).toBe(0);
});

test("an id is never read as a style rule", () => {
  const model = new FakeModel({ fallback: `x"] { } * { display: none } [a="` });
  const { end, el } = show(model);
  expect(visible(el)).toBe(true);
  end();
});

test("a scene that cannot be read leaves the static picture visible and says why", () => {
  const picture = fallback("x");
  const model = new FakeModel({ fallback: "x", scene: { version: 3 } });
  const { el, end } = show(model);
  expect(visible(picture)).toBe(true);
  expect(el.textContent).toBe("adviz cannot show this graph. scene.version: expected one of 1, found number 3");
  expect(model.listening).toBe(0);
  end();
  expect(el.textContent).toBe("");
});

test("a late echo of an earlier cursor does not move the show, and what Python says itself does", () => {
  const model = played();
  const { find, click, end } = show(model);
  const told = (): string | null => find(".adviz-step-count").textContent;
  click("[data-command=end]");
  click("[data-command=start]");
  expect(told()).toBe("0 / 40");
  model.set("cursor", 40); // the echo of the first click
  expect(told()).toBe("0 / 40");
  model.set("cursor", 0); // and of the second
  model.set("cursor", 40);
  expect(told()).toBe("40 / 40");
  end();
});

test("what Python sets soon after the reader did is no echo, and is shown", () => {
  vi.useFakeTimers();
  const model = played();
  const { find, click, end } = show(model);
  const label = (): string | null => find("[data-command=play]").getAttribute("title");
  click("[data-command=play]");
  click("[data-command=play]");
  expect(label()).toBe("Play (space)");
  model.set("playing", true); // nothing echoed: to the model, an echo of the value that it has is no change
  vi.advanceTimersByTime(300);
  expect(label()).toBe("Pause (space)");
  end();
});

test("the derivatives of an output are asked for, and a refusal is said", async () => {
  const scene = copy(golden.scene) as any;
  const outputs = [{ node: 4, place: null, label: "f" }];
  scene.panels.push({ id: "derivatives", kind: "derivatives", outputs, chosen: 0, why: null });
  const model = new FakeModel({ scene });
  const { find } = show(model);
  await answered();
  const [asked] = model.sent;
  expect([asked!.type, (asked as any).output]).toEqual(["adjoints", 0]);
  model.trigger("msg:custom", { id: asked!.id, error: "No." } as never);
  await answered();
  expect(find(".adviz-status").textContent).toBe("No.");
});

test("a notebook asks for the nudge of an entry and for the backward program", async () => {
  const { scene, columns } = goldens.lines;
  const model = new FakeModel({ scene: copy(scene), columns: new DataView(fromBase64(columns).buffer) });
  const { find, el } = show(model);
  await answered();
  const asked = (type: string): { id: string } => model.sent.find((each) => each.type === type)!;
  model.trigger("msg:custom", { id: asked("program").id, program: [{ text: "h_adj = z_adj @ W2.T", node: -1, at: [0, -1, 0] }] } as never);
  const values = Array.from({ length: 21 }, (_, k) => k);
  model.trigger("msg:custom", { id: asked("nudge").id, nudge: { entry: 0, start: 1, step: 0.01, slope: 1, values, gaps: [], changes: [] } } as never);
  await answered();
  expect(find(".adviz-program code").textContent).toBe("h_adj = z_adj @ W2.T");
  expect(el.querySelectorAll(".adviz-brackets")).toHaveLength(0);
  expect(find('[data-kind="nudge"] output').textContent).toBe("+0.06");
});
