// Answers to questions: what the reader wrote, whether it is right, and the score of a record of answers.

import type { Answer, Given } from "../host.js";
import type { Question } from "../scene/scene.js";
import { number } from "../ui/format.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WORDS: Record<string, number> = { nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity };

/** A number as people write it: "0.8", "0,8", "−2", "1e-3", "2/3", "nan", "-inf"; null where it is none. */
export function readNumber(text: string): number | null {
  const plain = text.trim().replace(/[\u2212\u2013]/g, "-").replace(",", ".").toLowerCase();
  if (Object.hasOwn(WORDS, plain)) return WORDS[plain]!;
  const parts = plain.split("/").map((part) => part.trim());
  if (parts.length > 2 || !parts.every((part) => NUMBER.test(part))) return null;
  const [top, bottom = 1] = parts.map(Number) as [number, number?];
  return top / bottom;
}

/** "v3", "v₃" and "3" mean node 3; null where it is none. */
export function readNode(text: string): number | null {
  const plain = text.trim().replace(/[\u2080-\u2089]/g, (digit) => String(digit.charCodeAt(0) - "₀".charCodeAt(0)));
  const digits = /^(?:v_?)?(\d+)$/i.exec(plain)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whether two numbers agree within a tolerance: relative to the answer, absolute below one. */
export function near(given: number, answer: number, tolerance: number): boolean {
  if (!Number.isFinite(answer)) return Object.is(given, answer);
  return Math.abs(given - answer) <= tolerance * Math.max(1, Math.abs(answer)) * (1 + 1e-12);
}

/** What the reader wrote, as an answer to the question; null where it cannot be one. */
export function readAnswer({ kind }: Question, text: string): Given | null {
  if (kind === "number") return readNumber(text);
  return kind === "node" ? readNode(text) : text;
}

export function isRight({ kind, answer, tolerance = 0 }: Question, given: Given): boolean {
  if (kind !== "number") return String(given) === String(answer);
  const wanted = readNumber(String(answer));
  return wanted !== null && typeof given === "number" && near(given, wanted, tolerance);
}

/** Whether the reader is done with a question: it was answered rightly, or skipped. */
export const isSettled = ({ right, given }: Answer): boolean => right || given === null;

/** Counts of a record: first tries, later ones, misses. */
export interface Score {
  asked: number;
  right: number;
  helped: number;
  missed: number;
}

export function scoreOf(answers: Iterable<Answer>): Score {
  const score = { asked: 0, right: 0, helped: 0, missed: 0 };
  for (const { right, tries } of answers) {
    score.asked++;
    score[!right ? "missed" : tries.length > 1 ? "helped" : "right"]++;
  }
  return score;
}

/** JSON has no NaN and no infinities: they travel as texts, like values on stage. */
export const portable = (given: Given): Given =>
  typeof given === "number" && !Number.isFinite(given) ? number(given) : given;

/** "3 of 5 right at once, 1 after more tries, 1 missed." */
export function sentenceOf({ asked, right, helped, missed }: Score): string {
  if (!asked) return "";
  const parts = [`${right} of ${asked} right at once`];
  if (helped) parts.push(`${helped} after more tries`);
  if (missed) parts.push(`${missed} missed`);
  return `${parts.join(", ")}.`;
}
