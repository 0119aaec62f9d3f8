// The columns of a graph, one entry per node or per scope, decoded from one little-endian buffer without copying.

import type { ColumnEntry } from "./scene.js";
import { SceneError } from "./scene.js";

/** Bits of the column `flags`. */
export const FLAGS = { live: 1, nan: 2, inf: 4, scalar: 8, input: 16, output: 32 } as const;

const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const satisfies Record<ColumnEntry["type"], unknown>;

export type Column = InstanceType<(typeof ARRAYS)[keyof typeof ARRAYS]>;

/** Columns of one group have the same number of entries. Operands beyond the second are pairs (rest_node, rest_operand). */
const GROUPS = {
  node: [
    "block",
    "flags",
    "uses",
    "first",
    "second",
    "scope",
    "span",
    "bytes",
    "value",
    "shape",
    "dtype",
    "operations",
    "held",
    "seconds",
    "differences",
    "span_before",
    "span_after",
  ],
  rest: ["rest_node", "rest_operand"],
  scope: ["scope_parent", "scope_end", "scope_nodes", "scope_label", "scope_kind", "scope_ordinal", "scope_group", "scope_iteration"],
} as const;

type Name = (typeof GROUPS)[keyof typeof GROUPS][number];

/** `first` and `second` hold operand nodes or -1. */
export type Columns = { readonly [N in Name]: Column };

/** The bytes of a buffer or of a view into one, starting at a multiple of 8 as the typed arrays want it. */
function aligned(data: ArrayBuffer | ArrayBufferView): { buffer: ArrayBufferLike; start: number; end: number } {
  if (!ArrayBuffer.isView(data)) return { buffer: data, start: 0, end: data.byteLength };
  const { buffer, byteOffset, byteLength } = data;
  if (byteOffset % 8 === 0) return { buffer, start: byteOffset, end: byteOffset + byteLength };
  return { buffer: buffer.slice(byteOffset, byteOffset + byteLength), start: 0, end: byteLength };
}

/**
 * The columns named by `entries`; `length` counts elements. A column of one entry stands for as many equal ones as its
 * group has; a column without an entry is of zeros. Throws SceneError.
 */
export function decodeColumns(data: ArrayBuffer | ArrayBufferView, entries: readonly ColumnEntry[]): Columns {
  const { buffer, start, end } = aligned(data);
  const read = ({ name, type, offset, length }: ColumnEntry): Column => {
    const make = ARRAYS[type];
    if (offset % 8) throw new SceneError(`columns.${name}: offset ${offset} is not a multiple of 8`);
    if (start + offset + length * make.BYTES_PER_ELEMENT > end) {
      throw new SceneError(`columns.${name}: reaches past the end of the buffer (${end - start} bytes)`);
    }
    return new make(buffer as ArrayBuffer, start + offset, length);
  };
  const found = new Map(entries.map((entry) => [entry.name, read(entry)]));
  const columns: [Name, Column][] = Object.values(GROUPS).flatMap((names: readonly Name[]) => {
    const length = Math.max(...names.map((name) => found.get(name)?.length ?? 0));
    return names.map((name): [Name, Column] => [name, stretched(name, found.get(name) ?? new Uint8Array(1), length)]);
  });
  return Object.fromEntries(columns) as unknown as Columns;
}

function stretched(name: Name, column: Column, length: number): Column {
  if (column.length === length) return column;
  if (column.length !== 1) throw new SceneError(`columns.${name}: expected ${length} entries, found ${column.length}`);
  const make = column.constructor as new (length: number) => Column;
  return new make(length).fill(column[0]!);
}
