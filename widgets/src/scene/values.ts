// Values on stage as text: numbers, truth values, words, small arrays in full and large ones by shape and norm.

import { count, cut, minus, number } from "../ui/format.js";

/** Whether two values of a document are the same. */
export const alike = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));

/** The characters of a cell; an array that needs more is shown by its shape. */
const MOST_IN_A_CELL = 26;

/** A small array; the data are in the order of its entries, numbers that JSON lacks are texts. */
export interface SmallArray {
  shape: number[];
  data: (number | string)[];
}

/** A large array, given by its shape and norm. */
interface LargeArray {
  shape: number[];
  norm: number | string;
}

const isArray = (value: unknown): value is SmallArray | LargeArray =>
  typeof value === "object" && value !== null && "shape" in value;

/** The entries of an array as nested lists in brackets: "[1, 2; 3, 4]", rows separated by semicolons. */
function entries({ shape: sizes, data }: SmallArray, write: (entry: number | string) => string): string {
  const [length = data.length] = sizes.slice(-1);
  const rows: string[] = [];
  for (let i = 0; i < data.length; i += length || 1)
    rows.push(data.slice(i, i + length).map(write).join(", "));
  return `[${rows.join("; ")}]`;
}

/** A shape in words, as in Python's captions, so that it is not mistaken for the value. */
export function kind(sizes: readonly number[]): string {
  if (sizes.length === 1) return `vector of ${count(sizes[0]!)}`;
  return `${sizes.join("×")} ${sizes.length === 2 ? "matrix" : "array"}`;
}

function written(value: unknown, write: (entry: number | string) => string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return write(value);
  if (!isArray(value)) return String(value);
  return "data" in value ? entries(value, write) : `${kind(value.shape)}, norm ${write(value.norm)}`;
}

const rounding =
  (digits: number) =>
  (entry: number | string): string =>
    typeof entry === "number" ? rounded(entry, digits) : entry;

/** Round to so many digits as Python does in captions: half to even. */
function rounded(value: number, digits: number): string {
  if (!Number.isFinite(value)) return number(value);
  const isEvenMiddle = new RegExp(`^-?\\d\\.\\d{${digits - 2}}[02468]50*e`);
  const whole = value.toExponential(50);
  const cutOff = whole.replace(/5?0*e/, "e");
  const [mantissa, power] = (isEvenMiddle.test(whole) ? cutOff : value.toExponential(digits - 1)).split("e").map(Number) as [
    number,
    number,
  ];
  if (power >= -4 && power < digits) return String(Number(`${mantissa}e${power}`));
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** A number as pictures write it: to four decimals, and to four digits if it is small or large. */
export function decimals(value: number): string {
  const power = Number(value.toExponential().split("e")[1]);
  return minus(rounded(value, power >= -4 && power < 6 ? power + 5 : 4));
}

/** In at most so many characters: with fewer digits, or by the shape where that is not enough. */
function fitted(value: unknown, most: number, ways: readonly ((entry: number | string) => string)[]): string {
  const words = ways.map((write) => written(value, write));
  return words.find((each) => each.length <= most) ?? cut(isArray(value) ? kind(value.shape) : words[0]!, most);
}

/** In a cell: a number as in the picture. */
export const brief = (value: unknown): string =>
  isArray(value)
    ? fitted(value, MOST_IN_A_CELL, [rounding(4), rounding(3), rounding(2)])
    : written(value, (entry) => (typeof entry === "number" ? decimals(entry) : entry));

/** On a picture: four digits as in captions. */
export const short = (value: unknown, most: number): string =>
  fitted(value, most, isArray(value) ? [rounding(4), rounding(3)] : [rounding(4)]);

/** A sum to which more will be added; where there is no room to say so, it only looks so. */
export function partial(value: unknown, most: number): string {
  const words = `${short(value, most - 4)} + …`;
  return words.length <= most && !words.endsWith("… + …") ? words : short(value, most);
}

/** To the last digit. */
export const exact = (value: unknown): string => written(value, String);
