import { beforeEach, expect, test, vi } from "vitest";
import { panelOf } from "../scene/scene.js";
import { play, showOf, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("matchMedia", still);
});

type Player = ReturnType<typeof play>;

const words = ({ all }: Player): string[] => all('[data-kind="nudge"] p').map(({ textContent }) => textContent!);
const lines = ({ all }: Player): number => all('[data-kind="nudge"] path').length;

function slide({ find }: Player, places: number): void {
  const slider = find<HTMLInputElement>('[data-kind="nudge"] input');
  slider.value = String(places);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}

test("a nudge waits for the derivative, and then tells what it says beside what really happens", () => {
  const player = play("beside");
  expect(words(player)).toEqual(["Δf = 2.5636", "The sweep will predict it from x̄.".normalize("NFD")]);
  const before = lines(player);
  player.host.tell("cursor", player.scene.steps.length);
  expect(words(player)).toEqual(["Δf ≈ x̄·Δx = 1.2747·2 = 2.5494".normalize("NFD"), "really 2.5636: curvature makes the gap."]);
  expect(lines(player)).toBe(before + 2);
});

test("the slider says how far, and the buttons which input", () => {
  const player = play("beside");
  player.host.tell("cursor", player.scene.steps.length);
  slide(player, -4);
  expect(words(player)[0]).toContain("·(−1) = −1.2747");
  slide(player, 0);
  expect(words(player)[1]).toBe("really 0.");
  player.click('[data-choice="1"]');
  slide(player, 8);
  expect(words(player)[0]).toContain("3.7868·0.4 = 1.5147");
  expect(player.all('[data-choice][aria-pressed="true"]').map(({ textContent }) => textContent)).toEqual(["y"]);
  expect(player.find('[data-kind="nudge"] input').getAttribute("aria-valuetext")).toBe("0.4");
});

test("where the function has no value that is said", () => {
  const { panels } = showOf("beside");
  const nudge = panels.find((panel) => panel.kind === "nudge")!;
  const [there] = nudge.inputs[0]!.nudges.slice(28);
  there![2] = "";
  there![4] = null;
  nudge.inputs[0]!.reach = [-20, 7];
  const player = play("beside", { panels });
  expect(words(player)[0]).toBe("Δf = no value");
  expect(player.all('[data-kind="nudge"] circle')).toHaveLength(1);
  player.host.tell("cursor", player.scene.steps.length);
  expect(words(player)[1]).toBe("no value there: a derivative tells what happens nearby.");
  slide(player, 9);
  expect(words(player)[1]).toMatch(/^really [\d.]+, beyond a point without a value\.$/);
  slide(player, 7);
  expect(words(player)[1]).toMatch(/: curvature makes the gap\.$/);
});

test("the first nudge is one within the reach of its input, and so is that of an input that is chosen", () => {
  const { panels } = showOf("beside");
  const [x, y] = panels.find((panel) => panel.kind === "nudge")!.inputs;
  Object.assign(x!, { reach: [-20, 5], first: 3 });
  Object.assign(y!, { reach: [-6, 0], first: -3 });
  const player = play("beside", { panels });
  const slider = player.find<HTMLInputElement>('[data-kind="nudge"] input');
  expect(slider.value).toBe("3");
  slide(player, 12);
  slider.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(slider.value).toBe("12");
  player.click('[data-choice="1"]');
  expect(slider.value).toBe("-3");
  player.click('[data-choice="0"]');
  expect(slider.value).toBe("-3");
});

test("other inputs, nearer to a pole, do not leave the nudge beyond it", () => {
  const player = play("beside");
  slide(player, 12);
  const other = showOf("beside", { teach: false });
  Object.assign(panelOf(other, "nudge")!.inputs[0]!, { reach: [-20, 5], first: 3 });
  player.host.renew(other);
  expect(player.find<HTMLInputElement>('[data-kind="nudge"] input').value).toBe("3");
});

test("with other inputs the choice and the nudge stay", () => {
  const player = play("beside");
  player.click('[data-choice="1"]');
  slide(player, 3);
  player.host.renew(showOf("beside", { teach: false }));
  expect(player.find<HTMLInputElement>('[data-kind="nudge"] input').value).toBe("3");
  expect(player.find('[data-choice="1"]').getAttribute("aria-pressed")).toBe("true");
});

test("the plot works without a kernel: all that it shows is in the scene", () => {
  const { inputs } = panelOf(showOf("beside"), "nudge")!;
  for (const { nudges, curve } of inputs) {
    expect(nudges).toHaveLength(41);
    expect(curve).toMatch(/^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+){40}$/);
  }
});
