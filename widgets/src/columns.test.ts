import { expect, test } from "vitest";
import { decodeColumns } from "./columns.js";
import { golden, goldenColumns, goldenScene } from "./testing.js";

test.each(Object.keys(golden.columns))("the golden column %s", (name) => {
  const columns = decodeColumns(goldenColumns(), goldenScene().columns);
  expect([...columns[name as keyof typeof columns]]).toEqual(golden.columns[name as keyof typeof golden.columns]);
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

test.each([
  [{ name: "block", type: "u32", offset: 0, length: 1 }, "columns.block: expected type u16, found u32"],
  [{ name: "uses", type: "u32", offset: 4, length: 1 }, "columns.uses: offset 4 is not a multiple of 8"],
  [{ name: "value", type: "f64", offset: 8, length: 2 }, "columns.value: reaches past the end of the buffer (16 bytes)"],
] as const)("a wrong entry is named: %j", (entry, message) => {
  expect(() => decodeColumns(new ArrayBuffer(16), [entry])).toThrow(message);
});
