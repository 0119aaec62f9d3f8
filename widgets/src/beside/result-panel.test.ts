import { beforeEach, expect, test, vi } from "vitest";
import { panelOf } from "../scene/scene.js";
import { play, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("matchMedia", still);
});

const entries = ({ all }: ReturnType<typeof play>): string[] => all("[data-row]").map(({ textContent }) => textContent!);

test("a derivative is told once all of it has arrived", () => {
  const player = play("beside");
  const { moves } = panelOf(player.scene, "flow")!;
  const sums = moves.filter(({ kind }) => kind === "sum");
  expect(entries(player)).toEqual(["∂f/∂x = —", "∂f/∂y = —"]);
  for (const { step, nodes } of sums) {
    player.host.tell("cursor", step);
    expect(entries(player)[nodes[0]!]).toContain("—");
    player.host.tell("cursor", step + 1);
    expect(entries(player)[nodes[0]!]).not.toContain("—");
  }
  expect(entries(player)).toEqual(["∂f/∂x = 1.2747", "∂f/∂y = 3.7868"]);
});

test("at the end a derivative that nothing came to is 0", () => {
  const { panels } = play("beside").scene;
  const flow = panels.find((panel) => panel.kind === "flow")!;
  flow.moves = flow.moves.filter(({ nodes, kind }) => kind === "result" || nodes[0] !== 1);
  const player = play("beside", { panels });
  expect(entries(player)[1]).toBe("∂f/∂y = —");
  player.host.tell("cursor", player.scene.steps.length);
  expect(entries(player)[1]).toBe("∂f/∂y = 0");
});

test("who points at a derivative sees its paths in the picture, and its terms", () => {
  const player = play("beside");
  player.host.tell("cursor", player.scene.steps.length);
  const opacities = (): Set<string | null> => new Set(player.all(".adviz-flow path").map((each) => each.getAttribute("opacity")));
  const before = opacities();
  player.find('[data-row="1"]').dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  expect(opacities()).not.toEqual(before);
  expect(player.find(".adviz-card .adviz-terms").textContent).toBe("via f: 1 · 1 = 1; via x·y: 1.3934 · 2 = 2.7868; sum over paths: 3.7868");
  player.find('[data-row="1"]').dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  expect(opacities()).toEqual(before);
  expect(player.find(".adviz-card .adviz-terms").textContent).toBe("");
});

test("before it is there its terms are not told", () => {
  const player = play("beside");
  player.find('[data-row="0"]').dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  expect(player.find(".adviz-card .adviz-terms").textContent).toBe("");
});
