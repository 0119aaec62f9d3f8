import { beforeEach, expect, test, vi } from "vitest";
import { play, showOf, still } from "../testing/shows.js";

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("matchMedia", still);
});

/** The arrays show where `w @ x` has passed both of its products on, of which the last, that of x or w, lies there. */
function opened() {
  const shown = play("arrays");
  const { host, scene, find } = shown;
  const flow = scene.panels.find((panel) => panel.kind === "flow")!;
  const last = flow.moves.filter(({ kind }) => kind === "send").at(-1)!.step;
  host.tell("cursor", scene.steps.findIndex(({ rests }, k) => k >= last && rests?.nodes) + 1);
  const sum = (): string => find(".adviz-bench > p").textContent!;
  const stage = find(".adviz-tables");
  return { ...shown, sum, stage, pressed: () => shown.all(".adviz-operations button").map((each) => each.getAttribute("aria-pressed")) };
}

test("there is a bench in the place of the formula, with the values at the start", () => {
  const { all, find } = play("arrays");
  expect(all(".adviz-arithmetic")).toHaveLength(0);
  expect(find(".adviz-operations").textContent).toBe("The values of the inputs");
  expect(find(".adviz-bench > p").textContent).toBe("");
});

test("of several operations the last one lies there; brackets and clicks turn to the others", () => {
  const { press, pressed, click, sum } = opened();
  const last = sum();
  expect(pressed()).toEqual(["false", "true"]);
  expect(press("[").defaultPrevented).toBe(true);
  expect(pressed()).toEqual(["true", "false"]);
  expect(sum()).not.toBe(last);
  press("]");
  expect(sum()).toBe(last);
  click("[data-operation='0']");
  expect(pressed()).toEqual(["true", "false"]);
});

test("the keyboard stays on the operation that is turned to, and what it gives stands for a formula without room", () => {
  const { all, find, click } = opened();
  find("[data-operation='0']").focus();
  click("[data-operation='0']");
  expect(document.activeElement).toBe(find("[data-operation='0']"));
  const given = all(".adviz-given").map((each) => each.textContent);
  expect(given).toHaveLength(2);
  for (const text of given) expect(text).toMatch(/^\w.?$/u);
  expect(all(".adviz-operations button > math").every((each, k) => each.textContent!.startsWith(given[k]!))).toBe(true);
});

test("arrows choose the entry while the bench has the focus, and step otherwise", () => {
  const { press, stage, sum, cursor, find } = opened();
  const at = cursor();
  const index = (): string => /\[.*?\]/.exec(sum())![0];
  press("ArrowUp", stage);
  press("ArrowUp", stage);
  press("ArrowUp", stage);
  press("ArrowLeft", stage);
  const first = index();
  expect(first).toMatch(/^\[0(, 0)?\]$/);
  press("ArrowDown", stage);
  expect(index()).not.toBe(first);
  expect(cursor()).toBe(at);
  expect(find(".adviz-bench [aria-live]").textContent).toContain("row 1");
  press("ArrowLeft");
  expect(cursor()).toBeLessThan(at);
});

test("who points at an entry is told its sum, and afterwards that of the entry that was chosen", () => {
  const { find, sum, stage } = opened();
  const chosen = sum();
  const other = [0, 1].map((k) => find<SVGRectElement>(`[data-entry='${k}']`)).find((_, k) => !chosen.includes(`[${k}`))!;
  other.dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
  expect(sum()).not.toBe(chosen);
  stage.dispatchEvent(new MouseEvent("pointerleave"));
  expect(sum()).toBe(chosen);
  other.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(sum()).not.toBe(chosen);
});

test("the entry that was chosen stays chosen when there are other numbers", () => {
  const { host, press, stage, sum, find } = opened();
  for (let k = 0; k < 3; k++) press("ArrowUp", stage);
  press("ArrowLeft", stage);
  const chosen = sum();
  host.renew(showOf("arrays", { teach: false }));
  expect(find(".adviz-tables")).not.toBe(stage);
  expect(find(".adviz-bench > p").textContent).toBe(chosen);
});

test("every cell tells its number with the digits that there are", () => {
  const { all } = opened();
  const titles = all(".adviz-tables rect > title").map(({ textContent }) => textContent!);
  expect(titles.length).toBeGreaterThan(4);
  expect(titles.some((title) => /\d\.\d{5}/.test(title))).toBe(true);
});

test("the engine's own steps leave the last operation where it is", () => {
  const { host, scene, find } = opened();
  const before = find(".adviz-operations").textContent;
  host.tell("cursor", scene.steps.length);
  expect(find(".adviz-operations").textContent).not.toBe(before);
  expect(find(".adviz-operations").textContent).toContain("gradient");
});
