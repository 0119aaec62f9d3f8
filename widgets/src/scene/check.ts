// Checks of a JSON value against a shape, with faults that name the place: "panels[0].nodes[3].x: expected a number".
// A check returns null or the first fault. Places are put together on the way out, so that a valid value costs no strings.

export interface Fault {
  place: string;
  message: string;
}

/** Returns null or the first fault; a value without faults is a `T`. */
export interface Check<T = unknown> {
  (value: unknown): Fault | null;
  readonly passes?: T;
}

/** What passes a check. */
export type Of<C> = C extends Check<infer T> ? T : never;

/** What passes the checks of its fields; one whose check lets undefined pass may be left out. */
type Fields<F> = {
  [K in keyof F as undefined extends Of<F[K]> ? never : K]: Of<F[K]>;
} & { [K in keyof F as undefined extends Of<F[K]> ? K : never]?: Exclude<Of<F[K]>, undefined> };

const fault = (message: string): Fault => ({ place: "", message });

const inside = (step: string, { place, message }: Fault): Fault => ({ place: step + place, message });

/** The first fault among several things at a place, with the index. */
export function firstFault<T>(things: readonly T[], place: string, check: (thing: T, i: number) => Fault | null): Fault | null {
  for (let i = 0; i < things.length; i++) {
    const found = check(things[i]!, i);
    if (found) return inside(`${place}[${i}]`, found);
  }
  return null;
}

/** A short description of a value for messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string")
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return typeof value === "object" ? "an object" : `${typeof value} ${String(value)}`;
}

const expect =
  <T>(expected: string, holds: (value: unknown) => boolean): Check<T> =>
  (value) =>
    holds(value) ? null : fault(`expected ${expected}, found ${describe(value)}`);

export const text = expect<string>("a text", (value) => typeof value === "string");
export const truth = expect<boolean>("true or false", (value) => typeof value === "boolean");
export const number = expect<number>("a number", (value) => typeof value === "number" && Number.isFinite(value));
export const integer = expect<number>("a whole number", Number.isInteger);
export const anything: Check = () => null;

/** A chain of cubic Bezier curves, flat: x, y of the start and then three points per curve. */
export const bezier = expect<number[]>(
  "a Bezier chain of 1 + 3k points",
  (value) => Array.isArray(value) && value.length >= 8 && value.length % 6 === 2 && value.every(Number.isFinite),
);

export const oneOf = <const T>(...words: T[]): Check<T> =>
  expect(`one of ${words.map((word) => JSON.stringify(word)).join(", ")}`, (value) => words.includes(value as T));

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value) =>
    value === null ? null : check(value);

export const list =
  <T>(item: Check<T>): Check<T[]> =>
  (value) =>
    Array.isArray(value) ? firstFault(value, "", item) : fault(`expected a list, found ${describe(value)}`);

/** A list of fixed length with a check for each place. */
export function tuple<T extends unknown[]>(...items: { [I in keyof T]: Check<T[I]> }): Check<T> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== items.length) {
      return fault(`expected a list of ${items.length}, found ${describe(value)}`);
    }
    return firstFault(value, "", (each, i) => items[i]!(each));
  };
}

/** A list whose first entry is a word that says which checks the others must pass: one each, or a single one for all. */
export function headed<T>(cases: Record<string, Check | Check[]>): Check<T> {
  const known = oneOf(...Object.keys(cases));
  return (value) => {
    if (!Array.isArray(value)) return fault(`expected a list, found ${describe(value)}`);
    const wrong = known(value[0]);
    if (wrong) return inside("[0]", wrong);
    const parts = cases[value[0] as string]!;
    return tuple(anything, ...(Array.isArray(parts) ? parts : value.slice(1).map(() => parts)))(value);
  };
}

/** A value that passes one of several checks; the fault is that of the last. */
export const either =
  <C extends Check[]>(...checks: C): Check<Of<C[number]>> =>
  (value) =>
    checks.some((check) => !check(value)) ? null : checks.at(-1)!(value);

/** A fault at a place. */
export const at = (place: string, message: string): Fault => ({ place, message });

/** The check of a field that may be left out. */
export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value) =>
    value === undefined ? null : check(value);

/** An object with at least these fields; further fields are allowed, so that a newer Python may add some. */
export function record<F extends Record<string, Check>>(fields: F): Check<Fields<F>> {
  const entries = Object.entries(fields);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return fault(`expected an object, found ${describe(value)}`);
    }
    for (const [name, check] of entries) {
      const found = check((value as Record<string, unknown>)[name]);
      if (found) return inside(`.${name}`, found);
    }
    return null;
  };
}

/** An object with any keys, whose values pass one check. */
export const mapping =
  <T>(item: Check<T>): Check<Record<string, T>> =>
  (value) =>
    record(Object.fromEntries(Object.keys(value ?? {}).map((key) => [key, item])))(value);

/** Objects distinguished by their field `tag`. */
export function tagged<C extends Record<string, Check>>(tag: string, cases: C): Check<Of<C[keyof C]>> {
  const known = oneOf(...Object.keys(cases));
  return (value) => {
    const wrong = record({ [tag]: known })(value);
    return wrong ?? cases[(value as Record<string, string>)[tag]!]!(value);
  };
}
