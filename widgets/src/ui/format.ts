// Numbers and counts as people read them.

/** "1,234,567"; without Intl, which the engine that draws files has not. */
export const count = (value: number | bigint): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** "1 node", "2,000 nodes". */
export const plural = (value: number | bigint, noun: string): string =>
  `${count(value)} ${noun}${value === 1 || value === 1n ? "" : "s"}`;

/** Six significant digits at most; NaN, and infinities as NumPy writes them. */
export const number = (value: number): string => String(Number(value.toPrecision(6))).replace("Infinity", "inf");

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** "640 B", "1.25 MB": three digits, decimal units. */
export function bytes(value: number): string {
  let power = 0;
  let size = value;
  while (size >= 999.5 && power < UNITS.length - 1) {
    size /= 1000;
    power++;
  }
  return `${power ? Number(size.toPrecision(3)) : Math.round(size)} ${UNITS[power]}`;
}

/** "1,234,567", "12.3 M": where it would be long, three digits. */
export function large(value: number): string {
  if (value < 1e7) return count(value);
  const power = Math.min(Math.floor(Math.log10(value * 1.0005) / 3), PREFIXES.length - 1);
  return `${Number((value / 1000 ** power).toPrecision(3))} ${PREFIXES[power]}`;
}

const PREFIXES = ["", "k", "M", "G", "T", "P"];

/** "12.3 µs", "1.2 s": three digits. */
export function duration(seconds: number): string {
  const [unit, size] = DURATIONS.find(([, size]) => seconds >= size * 0.9995) ?? DURATIONS.at(-1)!;
  return `${Number((seconds / size).toPrecision(3))} ${unit}`;
}

const DURATIONS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]] as const;

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
