import { beforeEach, expect, test, vi } from "vitest";
import { breaksOf } from "./broken-lines.js";
import { Numbers } from "./source-numbers.js";
import { known } from "./beside.js";
import type { CodePanel } from "../scene/document.js";
import { panelOf } from "../scene/scene.js";
import { play, showOf, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.stubGlobal("matchMedia", still);
});

type Player = ReturnType<typeof play>;

/** What stands under the piece of source that begins and ends at columns of the second line. */
const under = ({ all }: Player, start: number, end: number): string[] => {
  const found = all(".adviz-bracket").find((each) => (each as HTMLElement).style.cssText.includes(`margin-left: ${start}ch; width: ${end - start}ch`))!;
  return [...found.children].map(({ textContent }) => textContent!);
};

const marked = ({ all }: Player): string =>
  all(".adviz-mark")
    .map(({ textContent }) => textContent)
    .join("");

const cursorAfter = ({ scene }: Player, edge: string): number => panelOf(scene, "flow")!.moves.find((move) => move.edge === edge)!.step + 1;

test("every sub-expression has its value from the start, and its derivative once that is there", () => {
  const player = play("beside");
  expect(under(player, 18, 23)).toEqual(["0.8", ""]);
  expect(under(player, 11, 32)).toEqual(["1.8347", ""]);
  player.host.tell("cursor", player.scene.steps.length);
  expect(under(player, 18, 23)).toEqual(["0.8", "1.3934"]);
  expect(under(player, 11, 32)).toEqual(["1.8347", "1"]);
  player.host.tell("cursor", 0);
  expect(under(player, 11, 32)).toEqual(["1.8347", ""]);
});

test("a value that is not finite is hatched, and where the first one is there is ink", () => {
  const scene = showOf("beside");
  const node = panelOf(scene, "flow")!.nodes.find(({ kind }) => kind === "block")!;
  Object.assign(node, { value: "NaN", first: true });
  const numbers = new Numbers((scene.panels.find(({ kind }) => kind === "code") as CodePanel).numbers!, panelOf(scene, "flow")!);
  const below = [...new Set(numbers.spans.map(([, line]) => line))].map((line) => numbers.below(0, line)!);
  numbers.show(known(panelOf(scene, "flow")!, 0, 0));
  const all = below.flatMap((each) => [...each.querySelectorAll<HTMLElement>(".adviz-bracket")]);
  const unknown = all.filter((each) => each.querySelector("[data-unknown]"));
  expect(unknown.length).toBeGreaterThan(0);
  expect(unknown.every((each) => each.dataset["node"] === String(node.node) && each.dataset["first"] === "")).toBe(true);
  expect(all.filter(({ dataset }) => dataset["first"] === "")).toEqual(unknown);
});

test("under each use of a name stands what it contributes, under the parameter their sum", () => {
  const player = play("beside");
  player.host.tell("cursor", cursorAfter(player, "2/0"));
  expect(under(player, 18, 19)).toEqual(["2", "0.5574"]);
  expect(under(player, 6, 7)).toEqual(["2", ""]);
  player.host.tell("cursor", player.scene.steps.length);
  expect(under(player, 27, 28)).toEqual(["2", "0.7174"]);
  expect(under(player, 6, 7)).toEqual(["2", "1.2747"]);
});

test("what is in play is marked: the expression whose rule is applied, the parameter that adds up", () => {
  const player = play("beside");
  for (let k = 0; k < 5; k++) player.press("ArrowRight");
  expect(marked(player)).toBe("x * y");
  expect(player.all("[data-play]")).toHaveLength(3);
  player.press("ArrowRight");
  expect(marked(player)).toBe("y");
  player.press("ArrowRight");
  expect(marked(player)).toBe("x");
});

test("while a number travels its place is empty, and then it is told without another step", () => {
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const player = play("beside");
  for (let k = 0; k < 2; k++) player.press("ArrowRight");
  expect(under(player, 31, 32)).toEqual(["0.4", ""]);
  vi.advanceTimersByTime(6000);
  expect(under(player, 31, 32)).toEqual(["0.4", "1"]);
  player.player.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

test("in a loop the evaluation is shown that the cursor has come to", () => {
  const scene = showOf("beside");
  const numbers = panelOf(scene, "code")!.numbers!;
  const bracket = numbers.brackets.find(({ start, end }) => start === 18 && end === 23)!;
  bracket.evaluations = [[-1, 4, ""], [5, 2, ""], [9, -1, "<i>0.5</i>"]];
  const flow = panelOf(scene, "flow")!;
  const shown = new Numbers(numbers, flow);
  const element = shown.below(bracket.file, bracket.line)!;
  const texts = [0, 6, 10].map((cursor) => {
    shown.show(known(flow, cursor, cursor));
    return [...element.querySelectorAll("span")].map(({ textContent }) => textContent);
  });
  expect(texts[0]!.filter((text) => text === "1.4347")).toHaveLength(2);
  expect(texts[1]).toContain("0.8");
  expect(texts[2]).toContain("<i>0.5</i>");
  expect(element.querySelector("i")).toBeNull();
});

test("brackets stand below those inside them, and beside each other where their numbers leave room", () => {
  const scene = showOf("beside");
  const numbers = panelOf(scene, "code")!.numbers!;
  const shown = new Numbers(numbers, panelOf(scene, "flow")!);
  const rows = (width: number): Map<string, number> => {
    shown.fit(shown.sized(width)[0]);
    const elements = [...shown.below(0, numbers.brackets.at(-1)!.line)!.children] as HTMLElement[];
    return new Map(elements.map(({ style }) => [`${style.marginLeft} ${style.width}`, Number(style.gridRow)]));
  };
  const wide = rows(460);
  expect(wide.get("18ch 5ch")! < wide.get("11ch 13ch")!).toBe(true);
  expect(wide.get("11ch 13ch")! < wide.get("11ch 17ch")!).toBe(true);
  expect(wide.get("31ch 1ch")).toBe(1);
  expect(shown.sized(2000)[0]).toBe(22);
  expect(shown.sized(100)[0]).toBe(11);
  expect(Math.max(...rows(100).values())).toBeGreaterThanOrEqual(Math.max(...wide.values()));
});

test("a bracket selects its node", () => {
  const player = play("beside");
  player.find('.adviz-bracket[data-node="3"]').dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(player.host.selection).toEqual([3]);
});

test("source and names are text, whatever they say", () => {
  const scene = showOf("beside");
  const hostile = '<img src=x onerror="alert(1)">';
  scene.source.files[0]!.text = `def f(x, y): # ${hostile}\n    return np.sin(x * y) * x + y # </script>`;
  for (const panel of scene.panels) {
    if (panel.kind === "flow") for (const node of panel.nodes) node.title = node.value = hostile;
    if (panel.kind === "result") for (const row of panel.rows) row.name = hostile;
    if (panel.kind === "nudge") for (const input of panel.inputs) input.name = input.symbol = hostile;
  }
  const { player, host, press } = play("beside", { source: scene.source, panels: scene.panels });
  host.tell("cursor", scene.steps.length);
  press("ArrowLeft");
  expect(player.element.querySelector("img, script")).toBeNull();
  expect(player.element.textContent).toContain(hostile);
});

const LONG = "    return S * norm.cdf(d1) - K * np.exp(-r * T) * norm.cdf(d2)";

test("a line that is too long is broken before an operator outside of brackets", () => {
  const parts = (text: string, room: number): string[] => {
    const breaks = breaksOf(text, room);
    return [0, ...breaks].map((from, k) => text.slice(from, breaks[k]));
  };
  expect(parts(LONG, 80)).toEqual([LONG]);
  expect(parts(LONG, 45)).toEqual(["    return S * norm.cdf(d1) ", "- K * np.exp(-r * T) * norm.cdf(d2)"]);
  for (const room of [24, 30, 40, 50, 60]) {
    expect(parts(LONG, room).join("")).toBe(LONG);
    expect(Math.max(...parts(LONG, room).map((part, k) => (k ? 8 : 0) + part.trimEnd().length))).toBeLessThanOrEqual(Math.max(room, 24));
  }
  expect(breaksOf("    return '日本語' + x + y + z + x + y + z + x + y", 20)).toEqual([]);
  expect(breaksOf("x".repeat(200), 20)).toEqual([]);
});

test("what is computed across the break has its bracket below the last part, without a left end", () => {
  const scene = showOf("beside");
  const numbers = panelOf(scene, "code")!.numbers!;
  const file = scene.source.files[0]!;
  const { line } = numbers.brackets.at(-1)!;
  const shown = new Numbers(numbers, panelOf(scene, "flow")!, scene.source.files);
  expect([shown.breakAt(24), shown.breakAt(24)]).toEqual([true, false]);
  shown.fit(12);
  const text = file.text.split("\n")[line - file.line]!;
  const [column] = shown.breaks(0, line) as [number];
  expect(text.slice(column)).toMatch(/^[-+*] /);
  const below = [0, 1].map((part) => [...shown.below(0, line, part)!.children] as HTMLElement[]);
  expect(below[0]!.every((element) => !("continued" in element.dataset))).toBe(true);
  const continued = below[1]!.filter((element) => "continued" in element.dataset);
  expect(continued.length).toBeGreaterThan(0);
  for (const { style } of continued) expect(style.marginLeft).toBe("0ch");
  expect(shown.breakAt(Infinity)).toBe(true);
  expect(shown.below(0, line, 1)).toBeNull();
});
