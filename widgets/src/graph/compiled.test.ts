import { afterEach, beforeEach, expect, test } from "vitest";
import { Explorer } from "../explorer/explorer.js";
import { SceneError } from "../scene/scene.js";
import { RememberingHost, copy, golden, saved } from "../testing/explorers.js";

let explorer: Explorer;

beforeEach(() => document.body.replaceChildren());
afterEach(() => explorer.dispose());

/** The golden graph as that of a program: nodes 1 and 2 come from one expression, node 3 from another. */
const FUNCTION = {
  id: "function",
  kind: "function",
  files: [{ name: "cube", path: "/home/cube.py", line: 7, text: "def cube(z):\n    return z ** 2 * z" }],
  spans: [
    [0, 8, 11, 8, 17, null],
    [0, 8, 11, 8, 21, null],
  ],
  span_of: [-1, 0, 0, 1, -1],
};

function open(changes: Partial<typeof FUNCTION> = {}) {
  const scene = copy(golden.scene) as any;
  scene.panels.push({ ...FUNCTION, ...changes });
  scene.source.files[0].text = scene.source.files[0].text.replace("x * x", "x * x  # squared");
  const host = new RememberingHost(saved({ scene }));
  explorer = new Explorer(host);
  document.body.append(explorer.element);
  const [from, program] = ["Function", "Program"].map(
    (name) => explorer.element.querySelector<HTMLElement>(`[aria-label="${name} code"]`)!,
  );
  const marked = (code: HTMLElement): string =>
    [...code.querySelectorAll(".adviz-mark")].map(({ textContent }) => textContent).join("");
  const click = (code: HTMLElement, text: string): void =>
    [...code.querySelectorAll<HTMLElement>("code span")].find(({ textContent }) => textContent === text)!.click();
  return { host, from: from!, program: program!, marked, click };
}

test("the function, its program and the graph stand beside each other, in this order", () => {
  open();
  const columns = [...explorer.element.querySelector(".adviz-frame")!.children].map(({ className }) => className);
  expect(columns).toEqual(["adviz-header", "adviz-side", "adviz-source", "adviz-main"]);
});

test("a node marks its line of the program and the expression of the function that it comes from", () => {
  const { host, from, program, marked } = open();
  host.select([1]);
  expect([marked(from), marked(program)]).toEqual(["z ** 2", "x * x"]);
});

test("an expression of the function chooses all nodes that come from it", () => {
  const { host, from, click } = open();
  click(from, "2");
  expect(host.told).toEqual([[1, 2]]);
});

test("the graph opens the scope of the one node that a line is", async () => {
  const { host, from } = open();
  from.querySelector<HTMLElement>("[data-line='8']")!.click();
  expect(host.told.at(-1)).toEqual([1, 2, 3]);
  expect(explorer.element.querySelector("[data-key='s1']")).not.toBeNull();
  [...from.querySelectorAll<HTMLElement>("code span")].find(({ textContent }) => textContent === " * z")!.click();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(host.told.at(-1)).toEqual([3]);
  expect(explorer.element.querySelector("[data-key='s1']")).toBeNull();
});

test("what is said about a line of the program chooses what the line made", () => {
  const { host, program, click } = open();
  click(program, "# squared");
  expect(host.told).toEqual([[1, 2, 3]]);
});

test("a node that comes from no expression marks none", () => {
  const { host, from, marked } = open();
  host.select([0]);
  expect(marked(from)).toBe("");
});

test("a panel of another form is refused, with its place", () => {
  expect(() => open({ span_of: ["one"] as any })).toThrow(SceneError);
  open();
});
