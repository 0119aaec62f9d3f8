// An entry of the result of an operation in words: which one it is, and the sum that it is, written out. Pure.

import type { Bench, BenchEntry, BenchTable } from "../scene/document.js";
import { plural } from "../ui/format.js";
import type { TextMark } from "../ui/typesetting.js";

export type Value = number | string;

/** A name with a mark, and the text that follows it, of which parts are formulas (null), or derivatives by their sign. */
export interface Line {
  readonly name: string;
  readonly mark: BenchTable["mark"];
  readonly text: string;
  readonly marks: readonly TextMark[];
}

/** A number as it is printed: three decimals, or two digits of one that would have none of them. */
export function figure(value: Value): string {
  if (typeof value === "string") return value.replace("-", "−").replace("inf", "∞");
  const size = Math.abs(value);
  const isShort = size < 1e4 && (size >= 5e-4 || !size);
  const text = Number.isInteger(value) && size < 1e5 ? String(value) : isShort ? value.toFixed(size < 100 ? 3 : size < 1000 ? 2 : 1) : value.toExponential(1);
  return text.replace("e+", "e").replaceAll("-", "−");
}

/** The number that is printed: printed terms are to give the printed result. */
const printed = (value: Value): number => (typeof value === "string" ? NaN : Number(figure(value).replaceAll("−", "-")));

const bracketed = (text: string): string => (text.startsWith("−") ? `(${text})` : text);

export const resultOf = ({ tables }: Bench): BenchTable => tables.at(-1)!;

/** What a table is called: a derivative in forward mode has a dot, that of several letters behind them. */
export function nameOf({ name: [name], mark }: BenchTable): string {
  if (mark === "via") return `via ${name}`;
  if (mark !== "dot") return name;
  return name.length === 1 ? `${name}\u0307` : `${/^[\p{L}\p{N}_]*$/u.test(name) ? name : `(${name})`}˙`;
}

/** The largest entry of the result, by its number among those that are shown; what is not finite comes first. */
export function largest(bench: Bench): number {
  const sizes = resultOf(bench).map.data.map((entry) => (typeof entry === "string" ? Infinity : Math.abs(entry)));
  return sizes.indexOf(Math.max(...sizes));
}

/** The place of a shown entry of the result: its row and its column among those that are shown. */
export const placeOf = (bench: Bench, entry: number): readonly [row: number, column: number] => {
  const { length } = resultOf(bench).map.columns;
  return [Math.floor(entry / length), entry % length];
};

/** The index of a shown entry of the result, axis by axis. */
function indexOf(bench: Bench, entry: number): (string | number)[] {
  const { rows, columns } = resultOf(bench).map;
  const [row, column] = placeOf(bench, entry);
  return bench.at.map((axis) => (axis === "row" ? rows[row]! : axis === "column" ? columns[column]! : axis));
}

const signOf = (value: Value): number => (typeof value === "string" ? 0 : Math.sign(value));

/** Whether the printed terms give the printed result. */
function isExact(bench: Bench, entry: number): boolean {
  const { terms, rest, others } = bench.sums[entry]!;
  const sum = terms.map((factors) => factors.map(printed).reduce((one, other) => one * other, 1)).reduce((one, other) => one + other, 0);
  const value = resultOf(bench).map.data[entry]!;
  return typeof value === "string" || figure(sum + (others ? printed(rest) : 0)) === figure(value);
}

/** Of an entry whose terms are not known. */
const NOT_WRITTEN: BenchEntry = { terms: [], others: 0, rest: 0 };

/** The sum that an entry of the result is. */
export function sumOf(bench: Bench, entry: number): Line {
  let text = "";
  const marks: TextMark[] = [];
  const say = (words: string, sign?: number | null): void => {
    if (sign !== undefined && words) marks.push([text.length, text.length + words.length, sign]);
    text += words;
  };
  const quantity = (value: Value, table: BenchTable | undefined, isFirst: boolean): void =>
    say(isFirst ? figure(value) : bracketed(figure(value)), table?.mark ? signOf(value) : undefined);
  const result = resultOf(bench);
  const index = indexOf(bench, entry);
  const { terms, others, rest } = bench.sums[entry] ?? NOT_WRITTEN;
  if (index.length) say(`[${index.join(", ")}]`, null);
  const isPlain = terms.length === 1 && terms[0]!.length === 1 && !others;
  if (!isPlain && terms.length) {
    say(" = ");
    terms.forEach((factors, k) => {
      if (k) say(" + ");
      factors.forEach((factor, m) => {
        if (m) say("·");
        // A factor without a table is an entry of a local Jacobian.
        quantity(factor, bench.tables.slice(0, -1)[m], !k && !m);
      });
    });
    if (others) {
      say(" + ");
      quantity(rest, result, false);
      say(` from ${plural(others, "smaller term")}`);
    }
  }
  say(isPlain || !terms.length || isExact(bench, entry) ? " = " : " ≈ ");
  quantity(result.map.data[entry]!, result, true);
  return { name: nameOf(result), mark: result.mark, text, marks };
}

/** Whether anything is computed, and not only shown: an array may have no entries. */
export const isComputed = (bench: Bench): boolean => bench.signs.at(-1)![0].endsWith("=") && resultOf(bench).map.data.length > 0;

const MARKS = { bar: " adjoint", dot: " tangent", via: "", "": "" };

/** An entry as it is read out: "W2 adjoint, row 2, column 0: 0.131 = 0.617 times 0.203 plus …". */
export function spoken(bench: Bench, entry: number): string {
  const { name, mark, map } = resultOf(bench);
  const [row, column] = placeOf(bench, entry);
  const place = [bench.at.includes("row") && `row ${map.rows[row]}`, bench.at.includes("column") && `column ${map.columns[column]}`];
  const { terms, others, rest } = bench.sums[entry] ?? NOT_WRITTEN;
  const said = terms.map((factors) => factors.map(figure).join(" times "));
  const sum = [...said, ...(others ? [`${figure(rest)} from ${plural(others, "smaller term")}`] : [])].join(" plus ");
  return `${[name[0] + MARKS[mark], ...place.filter(Boolean)].join(", ")}: ${figure(map.data[entry]!)}${sum ? ` = ${sum}` : ""}`;
}
