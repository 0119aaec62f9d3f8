import { beforeEach, expect, test, vi } from "vitest";
import type { CodePanel } from "../scene/document.js";
import { panelOf } from "../scene/scene.js";
import { goldens, play, showOf, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("matchMedia", still);
});

const marked = (all: (selector: string) => Element[]): string =>
  all(".adviz-mark")
    .map(({ textContent }) => textContent)
    .join("");

test("the sub-expression of the current step is marked, in every run", () => {
  const { host, scene, all } = play("asGraph");
  host.tell("cursor", scene.steps.findIndex(({ kind, node }) => kind === "visit" && node === 3) + 1);
  expect(marked(all)).toBe("np.sin(x * y)");
  host.tell("cursor", 0);
  expect(marked(all)).toBe("");
});

test("a double click on the number of a line makes a breakpoint of it, and one more takes it away", () => {
  const { host, all, find } = play("asGraph");
  const line = goldens.asGraph.scene.source.files[0]!.line + 1;
  const number = (): HTMLElement => find(`[data-line="${line}"]`);
  number().dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  expect(host.trait("breakpoints")).toEqual([`line:${line}`]);
  expect(number().classList.contains("adviz-line-stop")).toBe(true);
  expect(all(".adviz-stagegraph [data-break]").length).toBeGreaterThan(1);
  number().dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  expect([host.trait("breakpoints"), number().classList.contains("adviz-line-stop")]).toEqual([[], false]);
});

test("a line selects its nodes, which all panels show", () => {
  const { host, find } = play("asGraph");
  const line = goldens.asGraph.scene.source.files[0]!.line + 1;
  find(`[data-line="${line}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(host.selection.length).toBeGreaterThan(1);
});

test("below the source the backward program is seen as the sweep runs it, in its order, in the place of the numbers", () => {
  const scene = showOf("lines");
  const flow = panelOf(scene, "flow")!;
  const lineOf = (node: number): number => scene.source.files[0]!.line + 1 + (node % 2);
  const sends = flow.moves.filter(({ kind }) => kind === "send");
  const [node, later] = [sends[0]!.nodes[0]!, sends.at(-1)!.nodes[0]!];
  const code = scene.panels.find(({ kind }) => kind === "code") as CodePanel;
  code.program = [
    { text: "z_adj = e_adj * e", node, at: [0, lineOf(node), 2] },
    { text: "z_adj_2 = e_adj_2 * e", node: later, at: [0, lineOf(node), 1] },
    { text: "# joined", node: -1, at: [0, -1, 0] },
  ];
  const player = play("lines", { panels: scene.panels });
  const lines = (): HTMLElement[] => (player.all(".adviz-program code") as HTMLElement[]).filter(({ hidden }) => !hidden);
  const shown = (): string[] => lines().filter(({ dataset }) => !("hidden" in dataset)).map(({ textContent }) => textContent!);
  expect(player.all(".adviz-brackets")).toEqual([]);
  expect(player.find(".adviz-source").nextElementSibling).toBe(player.find(".adviz-program"));
  expect([lines().length, shown()]).toEqual([2, []]);
  const last = flow.moves.filter(({ kind, nodes }) => kind !== "result" && nodes.includes(node)).at(-1)!;
  player.host.tell("cursor", last.step + 1);
  expect(shown()).toEqual(["z_adj = e_adj * e"]);
  player.host.tell("cursor", scene.steps.length);
  expect(shown()).toEqual(["z_adj_2 = e_adj_2 * e", "# joined"]);
  player.host.tell("cursor", 0);
  expect(shown()).toEqual([]);
});

test("what was not run stands back, whichever function is shown", () => {
  const scene = showOf("beside");
  const code = panelOf(scene, "code")!;
  const { line, text } = scene.source.files[0]!;
  code.skipped = [[0, line + 1, 4, line + 1, text.split("\n")[1]!.length, null]];
  const player = play("beside", { panels: scene.panels });
  expect(player.all(".adviz-skipped").map(({ textContent }) => textContent).join("")).toBe(text.split("\n")[1]!.trim());
});
