import { beforeEach, expect, test, vi } from "vitest";
import { first, reach } from "./nudge-panel.js";
import type { Nudge } from "../scene/document.js";
import { panelOf } from "../scene/scene.js";
import { play, showOf, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("matchMedia", still);
});

type Player = ReturnType<typeof play>;

const CARD = '[data-kind="nudge"]';
const rows = ({ all }: Player): string[] => all(`${CARD} .adviz-terms > *`).map(({ textContent }) => textContent!);
const slider = ({ find }: Player): HTMLInputElement => find(`${CARD} [type="range"]`);
const moved = ({ find }: Player): string => find(`${CARD} output`).textContent!;
const end = ({ host, scene }: Player): void => host.tell("cursor", scene.steps.length);

function slide(player: Player, steps: number): void {
  slider(player).value = String(steps);
  slider(player).dispatchEvent(new Event("input", { bubbles: true }));
}

/** A nudge of x² at 3, with changes. */
const square = (changes: Partial<Nudge> = {}): Nudge => ({
  entry: 0, start: 3, step: 0.02, slope: 6, gaps: [], changes: [],
  values: Array.from({ length: 21 }, (_, k) => (3 + 0.02 * (k - 10)) ** 2),
  ...changes,
});

/** The show "beside", whose first input is nudged so. */
function nudging(nudge: Nudge): Player {
  const { panels } = showOf("beside");
  panels.find((panel) => panel.kind === "nudge")!.inputs[0]!.nudges = [nudge];
  return play("beside", { panels });
}

test("it is there beside derivatives only, and not while these are asked for", () => {
  const player = play("beside");
  const isThere = (): boolean => player.all(CARD).length > 0;
  expect(isThere()).toBe(true);
  player.click("[data-level=engine]");
  expect(isThere()).toBe(false);
  player.click("[data-level=nodes]");
  player.click("[data-command=teach]");
  expect(isThere()).toBe(false);
});

test("a nudge waits for the derivative, and then tells what it says beside what really happens", () => {
  const player = nudging(square());
  expect(moved(player)).toBe("+0.12");
  expect(rows(player)).toEqual(["gradient says", "once x̄ is known".normalize("NFD"), "?", "computed again", "", "9.7344", "apart", "", ""]);
  const before = player.all(`${CARD} path`).length;
  end(player);
  expect(rows(player)).toEqual(["gradient says", "9 + 6·0.12", "9.72", "computed again", "", "9.7344", "apart", "", "0.014"]);
  expect(player.all(`${CARD} path`)).toHaveLength(before + 2);
  expect(player.all(`${CARD} circle`)).toHaveLength(2);
  slide(player, -5);
  expect(rows(player).slice(1, 3)).toEqual(["9 + 6·(−0.1)", "8.4"]);
  expect(slider(player).getAttribute("aria-valuetext")).toBe("−0.1");
  slide(player, 0);
  expect(rows(player).at(-1)).toBe("0");
});

test("where the function has no value that is said, and what lies beyond is marked", () => {
  const values = square().values.map((value, k) => (k === 15 ? null : value));
  const player = nudging(square({ values, gaps: [14, 15] }));
  end(player);
  expect(slider(player).value).toBe("2");
  slide(player, 5);
  expect(rows(player).slice(3)).toEqual(["computed again", "", "no value", "apart", "a derivative tells what happens nearby", ""]);
  slide(player, 8);
  expect(rows(player).at(-2)).toBe("beyond a point without a value");
  slide(player, 4);
  expect(rows(player).at(-2)).toBe("");
  expect(player.find(`${CARD} path:nth-of-type(2)`).getAttribute("d")!.match(/M/g)).toHaveLength(2);
});

test("across a branch it is said where that changes", () => {
  const player = nudging(square({ changes: [[2.9, "x > 2.9 (line 3)"]] }));
  end(player);
  slide(player, -4);
  expect(rows(player).at(-2)).toBe("");
  slide(player, -5);
  expect(rows(player).at(-2)).toBe("the branch changes at x = 2.9");
  expect(player.find(`${CARD} .adviz-terms`).title).toBe("x > 2.9 (line 3)");
  slide(player, 5);
  expect(rows(player).at(-2)).toBe("");
});

test("the first nudge stays where the function has values throughout", () => {
  const at = (gaps: number[]): readonly unknown[] => [reach(square({ gaps })), first(square({ gaps }))];
  expect(at([])).toEqual([[-10, 10], 6]);
  expect(at([1, 14])).toEqual([[-8, 4], 2]);
  expect(at([10])).toEqual([[-10, 0], -6]);
  expect(at([9, 10])).toEqual([[0, 0], 0]);
});

test("buttons say which input; an input that is chosen is not nudged to beyond its reach", () => {
  const { panels } = showOf("beside");
  const [x, y] = panels.find((panel) => panel.kind === "nudge")!.inputs;
  [x!.nudges, y!.nudges] = [[square()], [square({ gaps: [12] })]];
  const player = play("beside", { panels });
  end(player);
  player.click('[data-choice="1"]');
  expect(player.all('[data-choice][aria-pressed="true"]').map(({ textContent }) => textContent)).toEqual(["y"]);
  expect(slider(player).value).toBe("1");
  player.click('[data-choice="0"]');
  expect(slider(player).value).toBe("1");
});

test("with other inputs the choice and the nudge stay", () => {
  const player = play("beside");
  player.click('[data-choice="1"]');
  slide(player, 3);
  player.host.renew(showOf("beside", { teach: false }));
  expect(slider(player).value).toBe("3");
  expect(player.find('[data-choice="1"]').getAttribute("aria-pressed")).toBe("true");
});

test("where nothing can be nudged the card says why", () => {
  const { panels } = showOf("beside");
  Object.assign(panels.find((panel) => panel.kind === "nudge")!, { inputs: [], why: "A graph is the record of one run." });
  const player = play("beside", { panels });
  end(player);
  expect(player.find(CARD).textContent).toBe("NudgeA graph is the record of one run.");
});

// ---- arrays ----

const ARRAY = "lines";

/** A show over arrays with a kernel that answers with these entries, or says why not. */
function asking(answer: (input: number, entry: number) => Promise<Nudge>): Player {
  const { panels } = showOf(ARRAY);
  const player = play(ARRAY, { panels }, {}, answer);
  end(player);
  return player;
}

const fields = ({ all }: Player): HTMLInputElement[] => all(`${CARD} [type="number"]`) as HTMLInputElement[];

test("an entry is chosen by its index, and asked for", async () => {
  const asked: number[][] = [];
  const player = asking(async (input, entry) => (asked.push([input, entry]), square({ entry })));
  await Promise.resolve();
  const { inputs } = panelOf(player.scene, "nudge")!;
  const at = inputs.findIndex(({ shape }) => shape.length === 2);
  player.click(`[data-choice="${at}"]`);
  const [row, column] = fields(player);
  [row!.value, column!.value] = ["1", "99"];
  column!.dispatchEvent(new Event("change", { bubbles: true }));
  const [, wide] = inputs[at]!.shape;
  expect(asked.at(-1)).toEqual([inputs[at]!.input, 2 * wide! - 1]);
  await vi.waitFor(() => expect(rows(player)[2]).toBe("9.72"));
  expect(fields(player).map(({ value }) => value)).toEqual(["1", String(wide! - 1)]);
});

test("what the kernel refuses is told", async () => {
  const player = asking(async () => {
    throw new Error("Python no longer has this graph: run its cell again.");
  });
  await vi.waitFor(() => expect(rows(player)).toEqual(["Python no longer has this graph: run its cell again."]));
  expect(slider(player).disabled).toBe(true);
});

test("a page says which entries it has not", () => {
  const { panels } = showOf(ARRAY);
  const player = play(ARRAY, { panels });
  expect(rows(player)[0]).toMatch(/^This page has 0 entries of .+ a notebook computes it\.$/);
});

test("a cell of the bench chooses its entry, and picture and bench outline it", async () => {
  const asked: number[][] = [];
  const player = asking(async (input, entry) => (asked.push([input, entry]), square({ entry })));
  const cells = player.all('.adviz-bench [data-cell]');
  cells[2]!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  await Promise.resolve();
  expect(asked.at(-1)![1]).toBe(2);
  const outlined = (): number => player.all(".adviz-bench rect").filter((each) => each.getAttribute("stroke-width") === "2.6").length;
  expect(outlined()).toBe(1);
});

test("the plot is as wide as the slider, so that the dot is below the knob", () => {
  let resized = (): void => undefined;
  vi.stubGlobal("ResizeObserver", class {
    constructor(readonly act: () => void) {}
    observe(element: Element): void {
      if (element.matches("svg") && element.closest(".adviz-nudge")) resized = this.act;
    }
    disconnect(): void {}
  });
  const player = nudging(square());
  const plot = player.find(`${CARD} svg`);
  Object.defineProperty(plot, "clientWidth", { value: 300 });
  Object.defineProperty(plot, "clientHeight", { value: 60 });
  resized();
  slide(player, 10);
  expect(plot.getAttribute("viewBox")).toBe("0 0 300 60");
  expect(player.find(`${CARD} circle`).getAttribute("cx")).toBe("292");
  vi.unstubAllGlobals();
});
