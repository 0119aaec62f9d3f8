import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { play, still } from "../testing/shows.js";

beforeEach(() => {
  vi.stubGlobal("matchMedia", still);
  localStorage.clear();
});

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

const pressed = (find: (selector: string) => HTMLElement): string | undefined => find("[data-level][aria-pressed=true]").dataset["level"];

function asking() {
  const player = play("backward", { teach: true });
  const edges = player.scene.steps.flatMap(({ rests }, k) => (rests?.edges ? [{ stop: k + 1, question: rests.edges.question }] : []));
  const skip = (): void => player.click("[data-act=skip]");
  const prompt = (): string | undefined => player.find(".adviz-prompt")?.textContent ?? undefined;
  return { ...player, edges, skip, prompt };
}

/** Question marks and outlines in the picture. */
const marksOf = (root: Element): string[] => [...root.querySelectorAll(".adviz-flow text")].map(({ textContent }) => textContent!).filter((text) => text === "?");
const textsOfGates = (root: Element): string[] => [...root.querySelectorAll(".adviz-flow text")].map(({ textContent }) => textContent!);

test("questions are asked edge by edge, at the rest before the edge, and answers take the step", () => {
  const { find, press, host, edges, skip, prompt } = asking();
  expect(pressed(find)).toBe("edges");
  let before = 0;
  for (const { stop, question } of edges) {
    press("ArrowRight");
    if (question) {
      expect([host.trait("cursor") ?? 0, prompt()]).toEqual([before, question.prompt]);
      skip();
    }
    expect(host.trait("cursor")).toBe(stop);
    before = stop;
  }
  expect(host.trait("answers")).toHaveLength(edges.filter(({ question }) => question).length);
});

test("the gate asked about does not tell its partial until the answer is there", () => {
  const { player, press, edges, skip } = asking();
  const first = edges.findIndex(({ question }) => question?.edge);
  for (let k = 0; k < first; k++) press("ArrowRight"), skip();
  expect(marksOf(player.element)).toEqual([]);
  const told = textsOfGates(player.element).length;
  press("ArrowRight");
  expect(marksOf(player.element)).toEqual(["?"]);
  skip();
  expect(marksOf(player.element)).toEqual([]);
  expect(textsOfGates(player.element).length).toBeGreaterThan(told);
});

test("a step of the engine has the engine's own question", () => {
  const { scene, host, find, press, click, prompt } = asking();
  click("[data-level=engine]");
  expect(pressed(find)).toBe("engine");
  const k = scene.steps.findIndex(({ question }) => question);
  host.tell("cursor", k);
  press("ArrowRight");
  expect(prompt()).toBe(scene.steps[k]!.question!.prompt);
});

test("asking begins with the next question; the level that was chosen comes back when it ends, and all gates tell", () => {
  const { find, click, player, edges, prompt } = asking();
  const silent = textsOfGates(player.element).length;
  click("[data-level=nodes]");
  expect(pressed(find)).toBe("edges");
  click("[data-command=teach]");
  expect(pressed(find)).toBe("nodes");
  expect(textsOfGates(player.element).length).toBeGreaterThan(silent);
  click("[data-command=teach]");
  expect(pressed(find)).toBe("edges");
  expect(prompt()).toBe(edges[0]!.question!.prompt);
  expect(textsOfGates(player.element).length).toBe(silent);
});
