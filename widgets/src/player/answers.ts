// Answers to questions: what the reader wrote, whether it is right, and the score of a record of answers.

import type { Answer, Given } from "../host.js";
import type { Question } from "../scene/scene.js";
import { number, raised } from "../ui/format.js";

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

/** "v3", "v₃", "3" and "v3 (x)" mean node 3; null where it is none. */
export function readNode(text: string): number | null {
  const digits = /^(?:v_?)?(\d+)(?: \(.*)?$/i.exec(raised(text.trim()))?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Of small answers two decimals are enough. */
const ROUNDED = 0.005;

/** Whether two numbers agree within a tolerance, relative to the answer; of an answer that may be rounded, within 0.005, too. */
export function near(given: number, answer: number, tolerance: number): boolean {
  if (!Number.isFinite(answer)) return Object.is(given, answer);
  return Math.abs(given - answer) <= Math.max(tolerance * Math.abs(answer), Math.min(tolerance, ROUNDED)) * (1 + 1e-12);
}

/** What was probably mistaken; null where that is not known, or the answer is nearer to the right one. */
export function diagnosisOf({ kind, answer, tolerance = 0, diagnoses = [] }: Question, given: Given): string | null {
  if (kind !== "number") return diagnoses.find(([wrong]) => wrong === given)?.[1] ?? null;
  let why: string | null = null;
  let gap = Math.abs(Number(given) - Number(answer));
  for (const [wrong, words] of diagnoses) {
    const off = Math.abs(Number(given) - Number(wrong));
    if (off < gap && near(Number(given), Number(wrong), tolerance)) [why, gap] = [words, off];
  }
  return why;
}

export function isRight(question: Question, given: Given): boolean {
  const { kind, answer, tolerance = 0 } = question;
  if (diagnosisOf(question, given)) return false;
  if (kind !== "number") return String(given) === String(answer);
  const wanted = readNumber(String(answer));
  return wanted !== null && typeof given === "number" && near(given, wanted, tolerance);
}

/** Whether the reader is done with a question: it was answered rightly, or skipped. */
export const isSettled = ({ right, given }: Answer): boolean => right || given === null;

/** Counts of a record: first tries, later ones, misses. */
interface Score {
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
