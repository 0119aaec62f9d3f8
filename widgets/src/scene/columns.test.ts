import { expect, test } from "vitest";
import { decodeColumns } from "./columns.js";
import type { ColumnEntry } from "./scene.js";
import { golden, goldenColumns, goldenScene } from "../testing/explorers.js";

const length = (name: string): number => (name.startsWith("rest") ? 0 : golden.columns.value.length);

test.each(Object.entries(golden.columns))("the golden column %s", (name, values) => {
  const columns = decodeColumns(goldenColumns(), goldenScene().columns);
  const expected = values.length === 1 ? Array(length(name)).fill(values[0]) : values;
  expect([...columns[name as keyof typeof columns]]).toEqual(expected);
});

test("a view that starts anywhere in its buffer", () => {
  const bytes = new Uint8Array(goldenColumns());
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  const columns = decodeColumns(new DataView(shifted.buffer, 3), goldenScene().columns);
  expect([...columns.value]).toEqual(golden.columns.value);
});

test("columns that are not sent are empty", () => {
  expect(decodeColumns(new ArrayBuffer(0), []).block.length).toBe(0);
});

const entry = (name: string, type: ColumnEntry["type"], offset: number, count: number): ColumnEntry => ({
  name,
  type,
  offset,
  length: count,
});

test("one entry stands for all, zeros for a column that is not sent", () => {
  const columns = decodeColumns(Float64Array.of(2.5, 7).buffer, [
    entry("value", "f64", 0, 2),
    entry("bytes", "f64", 8, 1),
  ]);
  expect([[...columns.bytes], [...columns.uses], [...columns.scope_end]]).toEqual([[7, 7], [0, 0], []]);
});

test.each<[ColumnEntry[], string]>([
  [[entry("uses", "u32", 4, 1)], "columns.uses: offset 4 is not a multiple of 8"],
  [[entry("value", "f64", 8, 2)], "columns.value: reaches past the end of the buffer (16 bytes)"],
  [[entry("value", "f32", 0, 4), entry("uses", "u8", 0, 3)], "columns.uses: expected 4 entries, found 3"],
])("a wrong entry is named (%#)", (entries, message) => {
  expect(() => decodeColumns(new ArrayBuffer(16), entries)).toThrow(message);
});
