// What stands on stage, as people read it: numbers, truths, words, small arrays whole and large ones by shape and norm.

import { cut, number, shape } from "./format.js";

/** A small array; the data are in the order of its entries, numbers that JSON has not as texts. */
export interface SmallArray {
  shape: number[];
  data: (number | string)[];
}

/** A large array, of which the size and the norm are told. */
export interface LargeArray {
  shape: number[];
  norm: number | string;
}

const isArray = (value: unknown): value is SmallArray | LargeArray =>
  typeof value === "object" && value !== null && "shape" in value;

/** The entries of an array as nested lists in brackets: "[1, 2; 3, 4]", rows told apart by semicolons. */
function entries({ shape: sizes, data }: SmallArray, write: (entry: number | string) => string): string {
  const [length = data.length] = sizes.slice(-1);
  const rows: string[] = [];
  for (let i = 0; i < data.length; i += length || 1)
    rows.push(
      data
        .slice(i, i + length)
        .map(write)
        .join(", "),
    );
  return `[${rows.join("; ")}]`;
}

function written(value: unknown, write: (entry: number | string) => string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return write(value);
  if (!isArray(value)) return String(value);
  return "data" in value ? entries(value, write) : `${shape(value.shape)}, norm ${write(value.norm)}`;
}

/** In a cell: six digits at most. */
export const brief = (value: unknown): string =>
  written(value, (entry) => (typeof entry === "number" ? number(entry) : entry));

/** Four digits, as Python writes them in captions. */
function rounded(value: number): string {
  const [digits, power] = value.toExponential(3).split("e").map(Number) as [number, number];
  if (!Number.isFinite(value) || (power >= -4 && power < 4)) return number(Number(value.toPrecision(4)));
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** On a picture: four digits as in captions, and where so many characters are too few an array by its shape. */
export function short(value: unknown, most: number): string {
  const words = written(value, (entry) => (typeof entry === "number" ? rounded(entry) : entry));
  if (words.length <= most || !isArray(value)) return cut(words, most);
  return cut(`[${value.shape.join("×")}]`, most);
}

/** To the last digit. */
export const exact = (value: unknown): string => written(value, String);
