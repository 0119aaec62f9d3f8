import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fly } from "./elimination-flight.js";
import { Places } from "./elimination-places.js";
import { type Context, stand } from "./elimination-standing.js";
import { beatsOf } from "./elimination-steps.js";
import type { EliminationMove } from "../host.js";
import { NAUMANN, eliminationShow, ownOf } from "../testing/elimination-shows.js";
import { html, svg } from "../ui/dom.js";

const MOVES: EliminationMove[] = [["vertex", "3"], ["vertex", "2"], ["vertex", "4"]];
const SIDE = 20;

/** Heads of rows and columns stand where the vertex that they are of says. */
function bounds(this: Element): DOMRect {
  const of = Number((this as HTMLElement).dataset["of"] ?? 0);
  return new DOMRect(of * 100, of * 100, SIDE, SIDE);
}

beforeEach(() => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(bounds);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The air over a show when so much of its last step is done, and where everything stands then. */
function flight(progress: number): { ghosts: HTMLElement[]; context: Context } {
  const { panels, start, steps } = eliminationShow(ownOf(NAUMANN, "vertex"), MOVES);
  const panel = panels.find((each) => each.kind === "elimination")!;
  const state = new Map(Object.entries(start!).map(([key, value]) => [key.replace("a/", ""), value]));
  const beats = beatsOf(steps, "a");
  const context = stand(new Places(panel, state, beats).on({ width: 900, height: 500 }), state, beats, beats.length - 1, beats.length, progress, 0);
  const picture = svg("svg");
  picture.getScreenCTM = () => ({ a: 1, d: 1, e: 0, f: 0 }) as DOMMatrix;
  const head = (of: number): HTMLElement => html("th", { "data-of": of });
  const rows = [5, 6].map((of) => html("tr", head(of)));
  const matrix = html("table.adviz-matrix", html("thead", html("tr", head(0), head(1))), html("tbody", ...rows));
  html("div.adviz-show", picture as unknown as HTMLElement, matrix);
  const air = html("div.adviz-air");
  fly(air, picture, context, Number);
  return { ghosts: [...air.children] as HTMLElement[], context };
}

test("at the end of the last move every label flies with its value", () => {
  const { ghosts, context } = flight(0.8);
  const values = ["0.5", "1.5", "0.6", "1.6"].map((thing) => String(context.after.get(`node/${thing}`)));
  expect(ghosts.map(({ textContent }) => textContent).sort()).toEqual(values.sort());
});

test("at its end a label has the size of its cells, and lies over them", () => {
  const { ghosts } = flight(0.9999);
  const places = ghosts.map(({ style }) => [style.left, style.top, style.width, style.height].map((px) => Math.round(parseFloat(px))));
  expect(places.sort()).toEqual([[0, 500, SIDE, SIDE], [0, 600, SIDE, SIDE], [100, 500, SIDE, SIDE], [100, 600, SIDE, SIDE]]);
});

test("before and after nothing flies", () => {
  expect(flight(0.1).ghosts).toEqual([]);
  expect(flight(1).ghosts).toEqual([]);
});
