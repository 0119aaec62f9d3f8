// What a move would do, before it is made: the faces that would be multiplied, the labels that would come in, dashed, and
// a plus at those that would be added to.

import { cubic, frameOf, laneOf, vertexMarks } from "./elimination-marks.js";
import type { Context } from "./elimination-standing.js";
import type { Beat, Multiplied } from "./elimination-steps.js";
import { symbol } from "./elimination-values.js";
import { endsOf } from "./elimination.js";
import type { Point } from "../motion/curves.js";
import { type Mark, box, curve, text } from "../motion/marks.js";

const GHOST = [80, 34] as const;
const LINE = 2.2;
const FACE = 3;
/** Half of the badge of a label that is added to. */
const BADGE = 12;

/** The marks of a move: its steps, and the places of the labels that would come in. */
export function ghosts(context: Context, beats: readonly Beat[], places: ReadonlyMap<string, Point>): Mark[] {
  const products = beats.flatMap(({ product }) => product ?? []);
  const fresh = products.filter((product) => product.fresh);
  const added = products.filter(({ fresh, result }) => !fresh && context.after.has(`node/${result}`));
  const factors = new Set(products.flatMap(({ head, tail }) => [head, tail]));
  const middles = new Set(products.map(({ via }) => via));
  return [
    ...products.flatMap((product) => faceMarks(product, context)),
    ...context.panel.vertices.flatMap((vertex) => (middles.has(vertex.thing) ? vertexMarks(vertex, context) : [])),
    ...[...factors].map((thing) => factorMark(thing, context)),
    ...fresh.flatMap((product) => freshMarks(product, places.get(`label/${product.result}`)!, context)),
    ...added.flatMap((product) => addedMarks(product, context)),
  ];
}

function faceMarks({ tail, head, via, face, hue }: Multiplied, context: Context): Mark[] {
  if (![tail, head].every((thing) => context.after.has(`node/${thing}`))) return [];
  return [curve(`ghost/${face}`, laneOf(tail, head, context.opened(via), context), hue, FACE)];
}

function factorMark(thing: string, context: Context): Mark {
  const { x, y, w, h } = frameOf(thing, context);
  return box(`ghost/factor/${thing}`, { x, y, w, h }, 6, "", "ink", 2.5, 1);
}

/** A dashed label, and its edge. */
function freshMarks({ result, hue }: Multiplied, [x, y]: Point, context: Context): Mark[] {
  const key = `ghost/${result}`;
  const [tail, head] = endsOf(result);
  const half = (thing: string): number => context.panel.vertices.find((vertex) => vertex.thing === thing)!.w / 2;
  const [[fromX, fromY], [toX, toY]] = [tail, head].map((end) => context.spots.get(`vertex/${end}`)!) as [Point, Point];
  const [w, h] = GHOST;
  return [
    curve(`${key}/in`, cubic(fromX + half(tail), fromY, x - w / 2, y), hue, LINE, { dashed: true }),
    curve(`${key}/out`, cubic(x + w / 2, y, toX - half(head), toY), hue, LINE, { dashed: true }),
    box(key, { x, y, w, h }, 6, "paper", hue, 2, 1, true),
    text(`${key}/symbol`, symbol(context.panel, result), x, y + 6, 17, "serif", hue, 1),
  ];
}

/** A plus on the corner of a label. */
function addedMarks({ result, face, hue }: Multiplied, context: Context): Mark[] {
  const { x, y, w, h } = frameOf(result, context);
  const at = [x + w / 2 - 4, y - h / 2 + 2] as const;
  return [
    box(`ghost/${face}/badge`, { x: at[0], y: at[1], w: 2 * BADGE, h: 2 * BADGE }, BADGE, hue, "paper", 1.5, 1),
    text(`ghost/${face}/plus`, "+", at[0], at[1] + 6, 18, "bold", "paper", 1),
  ];
}
