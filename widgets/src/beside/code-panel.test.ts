import { beforeEach, expect, test, vi } from "vitest";
import { goldens, play, still } from "../testing/shows.js";

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
