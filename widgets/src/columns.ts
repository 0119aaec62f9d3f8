// The columns of a graph: one entry per node, decoded from one little-endian buffer without copying.

import type { ColumnEntry, ColumnType } from "./scene.js";
import { SceneError } from "./scene.js";

/** Bits of the column `flags`. */
export const FLAGS = { live: 1, nan: 2, inf: 4, scalar: 8, input: 16, output: 32 } as const;

const ARRAYS = {
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array,
} as const;

const TYPES = {
  block: "u16", flags: "u8", uses: "u32", first: "i32", second: "i32", rest_node: "i32", rest_operand: "i32",
  scope: "i32", span: "i32", bytes: "f32", value: "f64",
} as const satisfies Record<string, ColumnType>;

type Name = keyof typeof TYPES;

/** `first` and `second` hold operand nodes or -1; further node operands are pairs (rest_node, rest_operand), in order. */
export type Columns = { readonly [N in Name]: InstanceType<(typeof ARRAYS)[(typeof TYPES)[N]]> };

/** The bytes of a buffer or of a view into one, starting at a multiple of 8 as the typed arrays want it. */
function aligned(data: ArrayBuffer | ArrayBufferView): { buffer: ArrayBufferLike; start: number; end: number } {
  if (!ArrayBuffer.isView(data)) return { buffer: data, start: 0, end: data.byteLength };
  const { buffer, byteOffset, byteLength } = data;
  if (byteOffset % 8 === 0) return { buffer, start: byteOffset, end: byteOffset + byteLength };
  return { buffer: buffer.slice(byteOffset, byteOffset + byteLength), start: 0, end: byteLength };
}

/** The columns named by `entries`; `length` counts elements. A column without an entry is empty. Throws SceneError. */
export function decodeColumns(data: ArrayBuffer | ArrayBufferView, entries: readonly ColumnEntry[]): Columns {
  const { buffer, start, end } = aligned(data);
  const column = (name: Name) => {
    const entry = entries.find((candidate) => candidate.name === name);
    const make = ARRAYS[TYPES[name]];
    if (!entry) return new make(0);
    const place = `columns.${name}`;
    if (entry.type !== TYPES[name]) throw new SceneError(`${place}: expected type ${TYPES[name]}, found ${entry.type}`);
    if (entry.offset % 8) throw new SceneError(`${place}: offset ${entry.offset} is not a multiple of 8`);
    if (start + entry.offset + entry.length * make.BYTES_PER_ELEMENT > end) {
      throw new SceneError(`${place}: reaches past the end of the buffer (${end - start} bytes)`);
    }
    return new make(buffer as ArrayBuffer, start + entry.offset, entry.length);
  };
  const names = Object.keys(TYPES) as Name[];
  return Object.fromEntries(names.map((name) => [name, column(name)])) as unknown as Columns;
}
