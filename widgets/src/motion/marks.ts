// What pictures are drawn with: shapes with coordinates, and colors by the names of their use; in the page, and in films
// and on paper.

/** A color by the name of its use: "positive", or "positive 63", so many percent of it on the ground of a heat map. */
export type Paint = string;

/** Paints of kinds of operations. */
export const FAMILIES: ReadonlySet<Paint> = new Set("arithmetic power trigonometric hyperbolic reduction linear shape selection input output neutral".split(" "));

/** A paint in CSS. Each item of a graph has a tint and an edge of its own, by its kind. */
export function color(paint: Paint): string {
  const [name, share] = paint.split(" ");
  if (!name) return "none";
  const isOwn = FAMILIES.has(name);
  const whole = `var(--${isOwn ? "tint" : name.endsWith("-line") ? "edge" : name})`;
  return share ? `color-mix(in oklab,${whole} ${share}%,var(--${isOwn ? "ground" : "cell"}))` : whole;
}

interface Shape {
  /** Names the mark from one moment to the next; in the picture of a graph also its class. */
  readonly key: string;
  readonly opacity: number;
}

export interface Box extends Shape {
  readonly type: "box";
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly corner: number;
  /** "" is no fill. */
  readonly fill: Paint;
  readonly line: Paint;
  readonly thickness: number;
  readonly dashed: boolean;
}

export interface Curve extends Shape {
  readonly type: "curve";
  /** A chain of cubic Bezier curves: x, y of the start, and then three points per curve. */
  readonly points: readonly number[];
  readonly line: Paint;
  readonly thickness: number;
  readonly dashed: boolean;
  readonly dotted?: true;
  /** Of what it encloses. */
  readonly fill?: Paint;
}

export interface Arrow extends Shape {
  readonly type: "arrow";
  /** The tip and the two other corners. */
  readonly points: readonly number[];
  readonly fill: Paint;
}

export type Font = "sans" | "bold" | "serif" | "mono";

export interface Words extends Shape {
  readonly type: "text";
  /** The middle of the baseline. */
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly fill: Paint;
  readonly font: Font;
  /** x is where it begins or ends, and not its middle. */
  readonly anchor?: "start" | "end";
}

/** Rectangles of one color, many at once: x, y, w, h of each. */
export interface Cells extends Shape {
  readonly type: "cells";
  readonly boxes: readonly number[];
  readonly fill: Paint;
}

export type Mark = Box | Curve | Arrow | Words | Cells;

/** What belongs to one thing in a picture; files have groups with titles of them. */
export interface Item {
  readonly kind: string;
  readonly key: string;
  readonly title: string;
  readonly marks: readonly Mark[];
}

/** Where a shape lies: its center, its width and its height. */
export type Area = Pick<Box, "x" | "y" | "w" | "h">;

/** A box around its center. */
export const box = (key: string, { x, y, w, h }: Area, corner: number, fill: Paint, line: Paint, thickness: number, opacity = 1, dashed = false): Box => ({
  type: "box", key, x: x - w / 2, y: y - h / 2, w, h, corner, fill, line, thickness, dashed, opacity,
});

export const text = (key: string, words: string, x: number, y: number, size: number, font: Font, fill: Paint, opacity = 1): Words => ({
  type: "text", key, x, y, text: words, size, fill, font, opacity,
});

export const curve = (key: string, points: readonly number[], line: Paint, thickness: number, more: Partial<Pick<Curve, "dashed" | "dotted" | "fill" | "opacity">> = {}): Curve => ({
  type: "curve", key, points, line, thickness, dashed: false, opacity: 1, ...more,
});

/** A mark whose point (0, 0) is drawn at (x, y). */
export function moved(mark: Mark, x: number, y: number): Mark {
  const shifted = (points: readonly number[]): number[] => points.map((number, k) => number + (k % 2 ? y : x));
  switch (mark.type) {
    case "box":
    case "text":
      return { ...mark, x: mark.x + x, y: mark.y + y };
    case "cells":
      return { ...mark, boxes: mark.boxes.map((number, k) => number + [x, y, 0, 0][k % 4]!) };
    default:
      return { ...mark, points: shifted(mark.points) };
  }
}

// How strongly marks are drawn: the opacity of what is past, in play, at the end, dead, pointed at or not.
export const PAST = 0.45;
export const PLAYED = 0.75;
export const ENDED = 0.62;
export const DONE = 0.62;
export const DEAD = 0.55;
export const LIT = 0.9;
export const UNLIT = 0.13;
