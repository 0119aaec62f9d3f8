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

/** An entry of a label: a number is that multiple of the identity. */
export function entry(label: Label, i: number, j: number): number {
  if (isNumber(label)) return i === j ? label : 0;
  return label.data[i * label.shape[1]! + j]!;
}

const entries = (label: Label): number => (isNumber(label) ? 1 : label.data.length);

/** Multiplications in a product between vertices of sizes n_k, n_j, n_i, by the convention of counting. */
export function multiplications(count: Own["count"], head: Label, tail: Label, sizes: readonly number[]): number {
  if (count === "sparse" && isNumber(head)) return entries(tail);
  if (count === "sparse" && isNumber(tail)) return entries(head);
  return count === "block" ? 1 : sizes.reduce((one, other) => one * other);
}

/** Additions in the sum of two labels between vertices of sizes n_k and n_i. */
export function additions(count: Own["count"], one: Label, other: Label, sizes: readonly [number, number]): number {
  if (count === "block" || (count === "sparse" && isNumber(one) && isNumber(other))) return 1;
  return count === "sparse" && (isNumber(one) || isNumber(other)) ? sizes[0] : sizes[0] * sizes[1];
}
