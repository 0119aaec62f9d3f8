import { expect, test } from "vitest";
import { derivative, known } from "./beside.js";
import { boxesOf, seen } from "../flow/lines.js";
import { boxOf } from "../layout/boxes.js";
import { NODE_ROOM } from "../picture/heat-map.js";
import type { FlowPanel } from "../scene/scene.js";
import { panelOf } from "../scene/scene.js";
import { showOf } from "../testing/shows.js";

const flow = (): FlowPanel => panelOf(showOf("beside"), "flow")!;
const stepOf = (edge: string): number => flow().moves.find((move) => move.edge === edge)!.step;

test("a product is known once it has arrived, and a sum once all of it is there", () => {
  const panel = flow();
  const [first, last] = [stepOf("2/0"), panel.moves.find(({ kind, nodes }) => kind === "sum" && nodes[0] === 0)!.step];
  expect(known(panel, 0, 0).whole.size).toBe(0);
  expect([...known(panel, 0, 1).whole]).toEqual([5]);
  const between = known(panel, first, first + 1);
  expect(between.sent.has("2/0")).toBe(true);
  expect(between.whole.has(0)).toBe(false);
  expect(known(panel, last, last + 1).whole.has(0)).toBe(true);
  expect(known(panel, last, last + 1).isEnded).toBe(false);
  expect(known(panel, last, Infinity).isEnded).toBe(true);
});

test("while a product is on its way it is not known", () => {
  const panel = flow();
  const step = stepOf("5/0");
  expect(known(panel, step, step + 1, 0).sent.has("5/0")).toBe(false);
  expect(known(panel, step, step + 1, 0).played).toHaveLength(1);
  expect(known(panel, step, step + 1, 1920).sent.has("5/0")).toBe(true);
});

test("of two products of one node the second arrives later", () => {
  const panel = flow();
  const step = stepOf("5/0");
  const { sent } = known(panel, step, step + 2, 1920);
  expect([sent.has("5/0"), sent.has("5/1")]).toEqual([true, false]);
});

test("the hue of a derivative is that of its sign", () => {
  const styles = ([1, -1, 0, null] as const).map((sign) => derivative({ text: "2", w: 1, sign, ribbon: 1 }, NODE_ROOM, "").getAttribute("style"));
  expect(styles).toEqual(["color:var(--positive)", "color:var(--negative)", "color:var(--zero)", "color:var(--zero)"]);
});

test("a step over lines is about all that is inside of the line that sends, and about nothing of others", () => {
  const panel = panelOf(showOf("lines"), "flow")!;
  const view = seen(panel, "lines", []);
  const boxes = boxesOf(panel);
  const sends = view.moves.filter(({ kind }) => kind === "send");
  for (const { step, edge } of sends) {
    const head = Number(edge.split("/")[0]);
    const inside = boxes[boxOf(boxes, head, [])]?.inside ?? [head];
    const { acting } = known(panel, step, step + 1, Infinity, "lines", []);
    expect(acting).toEqual(expect.arrayContaining([...inside]));
    const others = boxes.filter(({ inside: other }) => !other.includes(head)).flatMap(({ inside: other }) => other);
    const isAlone = sends.filter((other) => other.step === step).every((other) => Number(other.edge.split("/")[0]) === head);
    if (isAlone) expect(acting.filter((node) => others.includes(node))).toEqual([]);
  }
});
