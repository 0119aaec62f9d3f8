// Checks of a JSON value against a shape, with faults that name the place: "panels[0].nodes[3].x: expected a number".
// Shapes are data, so that the bundle can have them compressed. Places are put together on the way out, so that a valid
// value costs no strings.

export interface Fault {
  place: string;
  message: string;
}

type Kind = "text" | "truth" | "number" | "integer" | "anything" | "bezier" | "oneOf" | "nullable" | "optional" | "list" | "tuple" | "headed" | "either" | "record" | "mapping" | "tagged" | "later";

/** A shape; what has it is a `T`. */
export type Check<T = unknown> = readonly [kind: Kind, ...parts: any[]] & { readonly passes?: T };

/** What has a shape. */
export type Of<C> = C extends Check<infer T> ? T : never;

/** What has the fields of a shape; one that may be undefined may be left out. */
type Fields<F> = {
  [K in keyof F as undefined extends Of<F[K]> ? never : K]: Of<F[K]>;
} & { [K in keyof F as undefined extends Of<F[K]> ? K : never]?: Exclude<Of<F[K]>, undefined> };

export const text: Check<string> = ["text"];
export const truth: Check<boolean> = ["truth"];
export const number: Check<number> = ["number"];
export const integer: Check<number> = ["integer"];
export const anything: Check = ["anything"];
/** A chain of cubic Bezier curves, flat: x, y of the start and then three points per curve. */
export const bezier: Check<number[]> = ["bezier"];
export const oneOf = <const T>(...words: T[]): Check<T> => ["oneOf", ...words];
export const nullable = <T>(check: Check<T>): Check<T | null> => ["nullable", check];
/** A field that may be left out. */
export const optional = <T>(check: Check<T>): Check<T | undefined> => ["optional", check];
export const list = <T>(item: Check<T>): Check<T[]> => ["list", item];
/** A list of fixed length with a shape for each place. */
export const tuple = <T extends unknown[]>(...items: { [I in keyof T]: Check<T[I]> }): Check<T> => ["tuple", ...items];
/** A list whose first entry is a word that says which shapes the others must have: one each, or a single one for all. */
export const headed = <T>(cases: Record<string, Check | { each: Check[] }>): Check<T> => ["headed", cases];
/** One of several shapes; the fault is that of the last. */
export const either = <C extends Check[]>(...checks: C): Check<Of<C[number]>> => ["either", ...checks];
/** An object with at least these fields; further fields are allowed, so that a newer Python may add some. */
export const record = <F extends Record<string, Check>>(fields: F): Check<Fields<F>> => ["record", fields];
/** An object with any keys, whose values have one shape. */
export const mapping = <T>(item: Check<T>): Check<Record<string, T>> => ["mapping", item];
/** Objects distinguished by their field `kind`. */
export const tagged = <C extends Record<string, Check>>(cases: C): Check<Of<C[keyof C]>> => ["tagged", cases];
/** A shape that holds itself, by its name. */
export const later = <T>(name: string): Check<T> => ["later", name];

/** A fault at a place. */
export const at = (place: string, message: string): Fault => ({ place, message });

const inside = (step: string, found: Fault | null): Fault | null => found && at(step + found.place, found.message);

/** A short description of a value for messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string")
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return typeof value === "object" ? "an object" : `${typeof value} ${String(value)}`;
}

/** What has no parts: what is expected, and whether it is that. */
const SIMPLE: { [K in Kind]?: readonly [expected: string, holds: (value: any) => boolean] } = {
  text: ["a text", (value) => typeof value === "string"],
  truth: ["true or false", (value) => typeof value === "boolean"],
  number: ["a number", Number.isFinite],
  integer: ["a whole number", Number.isInteger],
  anything: ["", () => true],
  bezier: ["a Bezier chain of 1 + 3k points", (value) => Array.isArray(value) && value.length >= 8 && value.length % 6 === 2 && value.every(Number.isFinite)],
};

/** The first fault of several parts of a value. */
function first<T>(parts: Iterable<T>, fault: (part: T) => Fault | null): Fault | null {
  for (const part of parts) {
    const found = fault(part);
    if (found) return found;
  }
  return null;
}

/** The first fault of a value, or null; `named` are the shapes that hold themselves. */
export function faultOf(shape: Check, value: any, named: Readonly<Record<string, Check>>): Fault | null {
  const [kind, ...parts] = shape;
  const of = (part: Check, inner: unknown): Fault | null => faultOf(part, inner, named);
  const expected = (what: string): Fault => at("", `expected ${what}, found ${describe(value)}`);
  const entries = (checks: readonly Check[]): Fault | null =>
    Array.isArray(value) && value.length === checks.length
      ? first(checks.keys(), (i) => inside(`[${i}]`, of(checks[i]!, value[i])))
      : expected(`a list of ${checks.length}`);
  const fields = (checks: Record<string, Check>): Fault | null =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? expected("an object")
      : first(Object.entries(checks), ([name, check]) => inside(`.${name}`, of(check, value[name])));
  switch (kind) {
    case "oneOf":
      return parts.includes(value) ? null : expected(`one of ${parts.map((word) => JSON.stringify(word)).join(", ")}`);
    case "nullable":
      return value === null ? null : of(parts[0], value);
    case "optional":
      return value === undefined ? null : of(parts[0], value);
    case "list":
      return Array.isArray(value) ? first(value.keys(), (i) => inside(`[${i}]`, of(parts[0], value[i]))) : expected("a list");
    case "tuple":
      return entries(parts);
    case "headed": {
      if (!Array.isArray(value)) return expected("a list");
      const wrong = inside("[0]", of(oneOf(...Object.keys(parts[0])), value[0]));
      const { each = value.slice(1).map(() => parts[0][value[0]]) } = parts[0][value[0]] ?? {};
      return wrong ?? entries([anything, ...each]);
    }
    case "either":
      return parts.some((part) => !of(part, value)) ? null : of(parts.at(-1), value);
    case "record":
      return fields(parts[0]);
    case "mapping":
      return fields(Object.fromEntries(Object.keys(value ?? {}).map((key) => [key, parts[0]])));
    case "tagged":
      return fields({ kind: oneOf(...Object.keys(parts[0])) }) ?? of(parts[0][value.kind], value);
    case "later":
      return of(named[parts[0]]!, value);
  }
  const [what, holds] = SIMPLE[kind]!;
  return holds(value) ? null : expected(what);
}
