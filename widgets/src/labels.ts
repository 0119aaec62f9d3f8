// The labels of edges: numbers and small matrices, which are multiplied head times tail and added where edges are
// parallel. A number between vertices of several entries stands for that multiple of the identity. As Python's labels.

import type { Label, Own } from "./scene.js";

export type Matrix = Exclude<Label, number>;

const isNumber = (label: Label): label is number => typeof label === "number";

const matrix = (rows: number, columns: number, entry: (i: number, j: number) => number): Matrix => ({
  shape: [rows, columns],
  data: Array.from({ length: rows * columns }, (_, at) => entry(Math.floor(at / columns), at % columns)),
});

const scaled = ({ shape, data }: Matrix, by: number): Matrix => ({ shape, data: data.map((entry) => entry * by) });

/** c_kj times c_ji, a number where the result has one row and one column. */
export function product(head: Label, tail: Label): Label {
  if (isNumber(head)) return isNumber(tail) ? head * tail : scaled(tail, head);
  if (isNumber(tail)) return scaled(head, tail);
  const [rows, inner] = head.shape;
  const columns = tail.shape[1];
  const entry = (i: number, j: number): number => {
    let sum = head.data[i * inner]! * tail.data[j]!;
    for (let k = 1; k < inner; k++) sum += head.data[i * inner + k]! * tail.data[k * columns + j]!;
    return sum;
  };
  return rows * columns === 1 ? entry(0, 0) : matrix(rows, columns, entry);
}

/** The label of two parallel edges in one. */
export function plus(one: Label, other: Label): Label {
  if (isNumber(one)) return isNumber(other) ? one + other : plus(other, one);
  const [rows, columns] = one.shape;
  if (isNumber(other)) return matrix(rows, columns, (i, j) => one.data[i * columns + j]! + (i === j ? other : 0));
  return { shape: one.shape, data: one.data.map((entry, at) => entry + other.data[at]!) };
}

const entries = (label: Label): number => (isNumber(label) ? 1 : label.data.length);
const columnsOf = (label: Label): number => (isNumber(label) ? 1 : label.shape[1]);

const dense = (head: Label, tail: Label): number => entries(head) * columnsOf(tail);

/** What a product and a sum are counted as, by the convention. */
export const COUNTS: Record<
  Own["count"],
  { product(head: Label, tail: Label): number; sum(one: Label, other: Label, total: Label): number }
> = {
  scalar: { product: dense, sum: (_one, _other, total) => entries(total) },
  block: { product: () => 1, sum: () => 1 },
  sparse: {
    product: (head, tail) => (isNumber(head) ? entries(tail) : isNumber(tail) ? entries(head) : dense(head, tail)),
    sum: (one, other, total) => Math.max(entries(one) + entries(other) - entries(total), 0),
  },
};
