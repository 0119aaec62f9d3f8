// Checks of a JSON value against a shape, with faults that name the place: "panels[0].nodes[3].x: expected a number".
// A check returns null or the first fault. Places are put together on the way out, so that a valid value costs no strings.

export interface Fault {
  place: string;
  message: string;
}

export type Check = (value: unknown) => Fault | null;

const fault = (message: string): Fault => ({ place: "", message });

const inside = (step: string, { place, message }: Fault): Fault => ({ place: step + place, message });

/** A short description of a value for messages. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string")
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return typeof value === "object" ? "an object" : `${typeof value} ${String(value)}`;
}

const expect =
  (expected: string, holds: (value: unknown) => boolean): Check =>
  (value) =>
    holds(value) ? null : fault(`expected ${expected}, found ${describe(value)}`);

export const text = expect("a text", (value) => typeof value === "string");
export const truth = expect("true or false", (value) => typeof value === "boolean");
export const number = expect("a number", (value) => typeof value === "number" && Number.isFinite(value));
export const integer = expect("a whole number", Number.isInteger);
export const anything: Check = () => null;

/** A chain of cubic Bezier curves, flat: x, y of the start and then three points per curve. */
export const bezier = expect(
  "a Bezier chain of 1 + 3k points",
  (value) => Array.isArray(value) && value.length >= 8 && value.length % 6 === 2 && value.every(Number.isFinite),
);

export const oneOf = (...words: unknown[]): Check =>
  expect(`one of ${words.map((word) => JSON.stringify(word)).join(", ")}`, (value) => words.includes(value));

export const nullable =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value);

export function list(item: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return fault(`expected a list, found ${describe(value)}`);
    for (let i = 0; i < value.length; i++) {
      const found = item(value[i]);
      if (found) return inside(`[${i}]`, found);
    }
    return null;
  };
}

/** A list of fixed length with a check for each place. */
export function tuple(...items: Check[]): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length !== items.length) {
      return fault(`expected a list of ${items.length}, found ${describe(value)}`);
    }
    for (let i = 0; i < items.length; i++) {
      const found = items[i]!(value[i]);
      if (found) return inside(`[${i}]`, found);
    }
    return null;
  };
}

/** A list whose first entry is a word that says which checks the others must pass: one each, or a single one for all. */
export function headed(cases: Record<string, Check | Check[]>): Check {
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
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => !check(value)) ? null : checks.at(-1)!(value);

/** A fault at a place. */
export const at = (place: string, message: string): Fault => ({ place, message });

/** The check of a field that may be left out. */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? null : check(value);

/** An object with at least these fields; further fields are allowed, so that a newer Python may add some. */
export function record(fields: Record<string, Check>): Check {
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

/** Objects distinguished by their field `tag`. */
export function tagged(tag: string, cases: Record<string, Check>): Check {
  const known = oneOf(...Object.keys(cases));
  return (value) => {
    const wrong = record({ [tag]: known })(value);
    return wrong ?? cases[(value as Record<string, string>)[tag]!]!(value);
  };
}
