import { expect, test, vi } from "vitest";
import { Linked, lit } from "./linked.js";
import { raised } from "../ui/format.js";
import type { Show } from "../scene/scene.js";

const scene = (): Show => ({}) as Show;

test("all panels of a show have one selection, those of another have another", () => {
  const show = scene();
  expect(Linked.of(show)).toBe(Linked.of(show));
  expect(Linked.of(show)).not.toBe(Linked.of(scene()));
});

test("what is pointed at is lit until nothing is, then again what was chosen", () => {
  const linked = Linked.of(scene());
  const heard = vi.fn();
  linked.hear(heard, new AbortController().signal);
  const [one, other] = [lit(["0.1"], ["e10"]), lit(["1.2"])];
  linked.keep(one);
  linked.point(other);
  expect(linked.lit).toBe(other);
  linked.point(null);
  expect(linked.lit).toBe(one);
  linked.keep(null);
  expect([...linked.lit.edges]).toEqual([]);
  expect(heard).toHaveBeenCalledTimes(4);
});

test("a panel that has ended hears nothing more", () => {
  const linked = Linked.of(scene());
  const heard = vi.fn();
  const ending = new AbortController();
  linked.hear(heard, ending.signal);
  ending.abort();
  linked.point(lit(["0.1"]));
  expect(heard).not.toHaveBeenCalled();
});

test("letters on the picture have the names that expressions have", () => {
  expect(["e₅₇", "e₁₀,₃", "X₁₂"].map(raised)).toEqual(["e57", "e10,3", "X12"]);
});
