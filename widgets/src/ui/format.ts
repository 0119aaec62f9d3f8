// Numbers and counts as people read them.

/** "1,234,567"; without Intl, which the engine that draws files has not. */
export const count = (value: number | bigint): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** "1 node", "2,000 nodes". */
export const plural = (value: number | bigint, noun: string): string =>
  `${count(value)} ${noun}${value === 1 || value === 1n ? "" : "s"}`;

/** Six significant digits at most; NaN, and infinities as NumPy writes them. */
export const number = (value: number): string => String(Number(value.toPrecision(6))).replace("Infinity", "inf");

type Unit = readonly [unit: string, size: number];

/** Three digits in the largest unit of which there is one, or in the last. */
function inUnits(value: number, units: readonly Unit[]): string {
  const [unit, size] = units.find(([, size]) => value >= size * 0.9995) ?? units.at(-1)!;
  return `${Number((value / size).toPrecision(3))} ${unit}`;
}

const UNITS: readonly Unit[] = [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]];
const PREFIXES: readonly Unit[] = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6]];
const DURATIONS: readonly Unit[] = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];

/** "640 B", "1.25 MB": three digits, decimal units. */
export const bytes = (value: number): string => (value < 999.5 ? `${Math.round(value)} B` : inUnits(value, UNITS));

/** "1,234,567", "12.3 M": where it would be long, three digits. */
export const large = (value: number): string => (value < 1e7 ? count(value) : inUnits(value, PREFIXES));

/** "12.3 µs", "1.2 s": three digits. */
export const duration = (seconds: number): string => inUnits(seconds, DURATIONS);

/** "12.5 %" */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** "scalar", "12", "3 × 4". */
export const shape = (sizes: readonly number[]): string => (sizes.length ? sizes.join(" × ") : "scalar");

/** Text cut to a length; an ellipsis marks what was cut off. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** "12" → "₁₂" */
export const lowered = (text: string): string => text.replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]!);

/** "e₁₂" → "e12" */
export const raised = (text: string): string => text.replace(/[₀-₉]/g, (digit) => String(digit.charCodeAt(0) - "₀".charCodeAt(0)));

/** With the sign of the pictures and the formulas. */
export const minus = (text: string): string => text.replaceAll("-", "−");

/** The name of a file without its folders. */
export const fileName = (path: string): string => path.split(/[\\/]/).at(-1)!;

const SYMBOLS = /([\p{L}_]+)(?![\p{L}_]|[\p{L}\p{N}_]*\(| [\p{L}\p{N}_])|[\p{L}_]+|[^\p{L}_]+/gu;

/** A formula with its identifiers in italics; names of functions, digits and signs stand upright. */
export const mathematics = <Italic>(formula: string, italic: (name: string) => Italic): (Italic | string)[] =>
  [...formula.matchAll(SYMBOLS)].map(([part, name]) => (name && name !== "NaN" ? italic(name) : part));
