// The query language: from text to an expression tree. The grammar is that of the Python side, which has the same in
// adviz/graph/queries/query_language.py; both are tested with the same queries.
//
//   query     = both { "or" both }
//   both      = negated { ["and"] negated }
//   negated   = { "not" } term
//   term      = "(" query ")" | condition | field | state | text
//   condition = NUMBER ("<" | "<=" | "=" | "==" | "!=" | ">=" | ">") number | NUMBER number ".." number
//             | TEXT ("=" | "==" | "!=" | "~") text
//   field     = (TEXT | "line") ":" text
//   text      = word | '"' words '"'
//
// Without a condition, "and", "or" or "not" a query is words, states and fields, and its parentheses are text.

export const NUMBERS = ["bytes", "cost", "depth", "line", "node", "operations", "times_used", "value"] as const;
export const TEXTS = ["block", "dtype", "file", "function", "name", "scope", "shape"] as const;
export const STATES = ["dead", "input", "isinf", "isnan", "live", "output"] as const;
const FIELDS = [...TEXTS, "line"] as const;
const OF_NUMBERS = ["<", "<=", "=", "==", "!=", ">=", ">"] as const;
const OF_TEXTS = ["=", "==", "!=", "~"] as const;
/** The most parentheses inside each other. */
const DEEPEST = 50;

export type NumberName = (typeof NUMBERS)[number];
export type TextName = (typeof TEXTS)[number];
export type StateName = (typeof STATES)[number];
export type Comparison = (typeof OF_NUMBERS)[number] | "~";

export type Term =
  | { kind: "word"; word: string }
  | { kind: "state"; name: StateName }
  | { kind: "number"; name: NumberName; comparison: Exclude<Comparison, "~">; bound: number }
  | { kind: "range"; name: NumberName; low: number; high: number }
  | { kind: "text"; name: TextName; comparison: "==" | "!=" | "~"; wanted: string };

export type Expression = Term | { kind: "and" | "or"; parts: readonly Expression[] } | { kind: "not"; part: Expression };

/** Why a query cannot be read, and the place of the character that is wrong, in characters. */
export interface Mistake {
  readonly error: string;
  readonly at: number;
}

const DIGITS = String.raw`[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[-+]?[0-9]+)?`;
const NUMBER = /^[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|inf(?:inity)?)$/i;
const CONDITION = /([a-z_]+)\s*(<=|>=|==|!=|<|>|=|~)\s*/iy;
const RANGE = new RegExp(String.raw`([a-z_]+)(:|\s+)(${DIGITS})\s*\.\.\s*(${DIGITS})(?=[\s)]|$)`, "iy");
const FIELD = /([a-z_]+):/iy;
const QUOTED = /"([^"]*)"/y;
const EITHER_QUOTE = /(["'])(.*?)\1/sy;
const OPERATOR = /(and|or|not)(?=[\s()]|$)/iy;
const FORMAL = /\S\s+(?:and|or)\s+\S|(?:^|[\s(])not\s+\S|(?:^|[\s(])[a-z_]+\s*(?:[<>=~]|!=)/i;

const among = <T extends string>(names: readonly T[], name: string): name is T =>
  (names as readonly string[]).includes(name);

class Wrong extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Read a query; null for an empty one. */
export function parse(query: string): Expression | Mistake | null {
  const reader = new Reader(query);
  if (reader.ended()) return null;
  try {
    return reader.either(0);
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong;
    return { error: wrong.message, at: Array.from(query.slice(0, wrong.at)).length };
  }
}

/** A query and the place up to which it has been read. */
class Reader {
  #at = 0;
  readonly #formal: boolean;

  constructor(readonly query: string) {
    this.#formal = FORMAL.test(query.replace(/"[^"]*"/g, '""'));
  }

  /** Skip blanks; whether nothing is left. */
  ended(): boolean {
    while (this.#at < this.query.length && /\s/.test(this.query[this.#at]!)) this.#at++;
    return this.#at === this.query.length;
  }

  /** Whether what is being read ends here. */
  #closes(depth: number): boolean {
    return this.ended() || (depth > 0 && this.query[this.#at] === ")");
  }

  #find(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.query);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const found = this.#find(pattern);
    if (found) this.#at += found[0].length;
    return found;
  }

  /** The operator that stands here, in small letters. */
  #operator(): string {
    return (this.#formal && !this.ended() && this.#find(OPERATOR)?.[1]?.toLowerCase()) || "";
  }

  // ---- operators ----

  either(depth: number): Expression {
    const parts = [this.#both(depth)];
    while (this.#operator() === "or") {
      this.#pass("or", depth);
      parts.push(this.#both(depth));
    }
    return parts.length === 1 ? parts[0]! : { kind: "or", parts };
  }

  #both(depth: number): Expression {
    const parts = [this.#negated(depth)];
    while (!this.#closes(depth) && this.#operator() !== "or") {
      if (this.#operator() === "and") this.#pass("and", depth);
      parts.push(this.#negated(depth));
    }
    return parts.length === 1 ? parts[0]! : { kind: "and", parts };
  }

  #negated(depth: number): Expression {
    let negated = false;
    for (; this.#operator() === "not"; negated = !negated) this.#pass("not", depth);
    const part = this.#term(depth);
    return negated ? { kind: "not", part } : part;
  }

  /** Pass an operator, which needs a term on its right. */
  #pass(operator: string, depth: number): void {
    this.#at += operator.length;
    if (this.#closes(depth)) throw new Wrong(`“${operator}” needs a term after it.`, this.#at);
  }

  // ---- terms ----

  #term(depth: number): Expression {
    const operator = this.#operator();
    if (operator) throw new Wrong(`“${operator}” needs a term before it.`, this.#at);
    if (this.#formal && this.query[this.#at] === "(") return this.#group(depth);
    let found: RegExpExecArray | null;
    if ((found = this.#match(RANGE))) return this.#range(found);
    if ((found = this.#match(CONDITION))) return this.#condition(found, depth);
    if ((found = this.#match(FIELD))) return this.#field(found, depth);
    if ((found = this.#match(QUOTED))) return { kind: "word", word: found[1]! };
    const word = this.#word(depth);
    const name = word.toLowerCase();
    return among(STATES, name) ? { kind: "state", name } : { kind: "word", word };
  }

  #group(depth: number): Expression {
    const start = this.#at;
    if (depth === DEEPEST) throw new Wrong(`More than ${DEEPEST} parentheses are open here.`, start);
    this.#pass("(", depth + 1);
    const expression = this.either(depth + 1);
    if (this.ended()) throw new Wrong("“(” is not closed; in quotes it is text.", start);
    this.#at++;
    return expression;
  }

  /** The characters up to a blank, or to the parenthesis that closes a group around them. */
  #word(depth: number): string {
    const start = this.#at;
    let opened = 0;
    for (; this.#at < this.query.length && !/\s/.test(this.query[this.#at]!); this.#at++) {
      const character = this.query[this.#at];
      if (depth && character === ")" && !opened) break;
      opened += Number(character === "(") - Number(character === ")");
    }
    return this.query.slice(start, this.#at);
  }

  #range(found: RegExpExecArray): Term {
    const name = found[1]!.toLowerCase();
    const [low, high] = [Number(found[3]), Number(found[4])];
    if (!among(NUMBERS, name))
      throw new Wrong(`There is no number “${found[1]}” with a range; there are ${NUMBERS.join(", ")}.`, found.index);
    if (high < low) {
      const place = found.index + found[0].length - found[4]!.length;
      throw new Wrong("A range ends with the higher number, as in line 12..20.", place);
    }
    return { kind: "range", name, low, high };
  }

  #condition(found: RegExpExecArray, depth: number): Term {
    const name = found[1]!.toLowerCase();
    const comparison = found[2] as Comparison;
    const place = found.index + found[0].indexOf(comparison);
    if (among(NUMBERS, name)) return this.#ofNumber(name, comparison, found[0].trimEnd(), place, depth);
    if (among(TEXTS, name)) return this.#ofText(name, comparison, found[0].trimEnd(), place, depth);
    const listed = `numbers (${NUMBERS.join(", ")}) and texts (${TEXTS.join(", ")})`;
    throw new Wrong(`There is no “${found[1]}” to compare; there are ${listed}.`, found.index);
  }

  #ofNumber(name: NumberName, comparison: Comparison, whole: string, place: number, depth: number): Term {
    if (!among(OF_NUMBERS, comparison))
      throw new Wrong(`“${name}” is a number: compare it with ${OF_NUMBERS.join(", ")}.`, place);
    const start = this.#at;
    const bound = this.#word(depth);
    if (!NUMBER.test(bound))
      throw new Wrong(`“${whole}” needs a number after it, as in ${name} ${comparison} 3.`, start);
    return { kind: "number", name, comparison, bound: Number(bound.replace(/inf(inity)?/i, "Infinity")) };
  }

  #ofText(name: TextName, comparison: Comparison, whole: string, place: number, depth: number): Term {
    if (!among(OF_TEXTS, comparison))
      throw new Wrong(`“${name}” is a text: compare it with ${OF_TEXTS.join(", ")}.`, place);
    const kind = comparison === "=" ? "==" : comparison;
    const quoted = this.#match(EITHER_QUOTE);
    if (quoted) return { kind: "text", name, comparison: kind, wanted: quoted[2]! };
    const start = this.#at;
    const wanted = this.#word(depth);
    if (!wanted) throw new Wrong(`“${whole}” needs a text after it.`, start);
    if (/^["']/.test(wanted)) throw new Wrong("The text that begins here has no closing quote.", start);
    return { kind: "text", name, comparison: kind, wanted };
  }

  #field(found: RegExpExecArray, depth: number): Term {
    const name = found[1]!.toLowerCase();
    const start = this.#at;
    if (!among(FIELDS, name))
      throw new Wrong(`There is no field “${found[1]}:”; there are ${FIELDS.join(", ")}.`, found.index);
    const wanted = this.#match(QUOTED)?.[1] ?? this.#word(depth);
    if (!wanted) throw new Wrong(`“${name}:” needs a text after it.`, start);
    if (name !== "line") return { kind: "text", name, comparison: name === "scope" ? "~" : "==", wanted };
    if (!/^[0-9]+$/.test(wanted)) throw new Wrong("“line:” wants the number of a line, as in line:12.", start);
    return { kind: "number", name, comparison: "==", bound: Number(wanted) };
  }
}
