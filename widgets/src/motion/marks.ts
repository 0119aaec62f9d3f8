// What the picture of a sweep is drawn with: shapes with coordinates, and colors by the names of their use; in the
// page, and in films and on paper.

import type { Paint } from "../picture/heat-map.js";

interface Shape {
  /** Names the mark from one moment to the next. */
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
}

export interface Arrow extends Shape {
  readonly type: "arrow";
  /** The tip and the two other corners. */
  readonly points: readonly number[];
  readonly fill: Paint;
}

export type Font = "sans" | "bold" | "serif";

export interface Words extends Shape {
  readonly type: "text";
  /** The middle of the baseline. */
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly fill: Paint;
  readonly font: Font;
  /** x is where it begins, and not its middle. */
  readonly anchor?: "start";
}

/** Rectangles of one color, many at once: x, y, w, h of each. */
export interface Cells extends Shape {
  readonly type: "cells";
  readonly boxes: readonly number[];
  readonly fill: Paint;
}

export type Mark = Box | Curve | Arrow | Words | Cells;

/** Where a shape lies: its center, its width and its height. */
export type Area = Pick<Box, "x" | "y" | "w" | "h">;

/** A box around its center. */
export const box = (key: string, { x, y, w, h }: Area, corner: number, fill: Paint, line: Paint, thickness: number, opacity = 1, dashed = false): Box => ({
  type: "box", key, x: x - w / 2, y: y - h / 2, w, h, corner, fill, line, thickness, dashed, opacity,
});

export const text = (key: string, words: string, x: number, y: number, size: number, font: Font, fill: Paint, opacity = 1): Words => ({
  type: "text", key, x, y, text: words, size, fill, font, opacity,
});

// How strongly marks are drawn: the opacity of what is past, in play, at the end, dead, pointed at or not.
export const PAST = 0.45;
export const PLAYED = 0.75;
export const ENDED = 0.62;
export const DONE = 0.62;
export const DEAD = 0.55;
export const LIT = 0.9;
export const UNLIT = 0.13;
