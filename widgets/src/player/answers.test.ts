import { expect, test } from "vitest";
import { diagnosisOf, isRight, isSettled, near, readNode, readNumber, scoreOf, sentenceOf } from "./answers.js";
import type { Answer } from "../host.js";
import type { Question } from "../scene/scene.js";

test.each([
  ["0.8", 0.8],
  ["0,8", 0.8],
  [" −2 ", -2],
  [".5", 0.5],
  ["3.", 3],
  ["1e-3", 0.001],
  ["2/4", 0.5],
  ["-1 / 4", -0.25],
  ["inf", Infinity],
  ["−inf", -Infinity],
  ["", null],
  ["one", null],
  ["1/2/3", null],
  ["1 2", null],
  ["0x10", null],
])("%j read as a number is %s", (text, value) => {
  expect(readNumber(text)).toBe(value);
});

test("nan is a number that people may write", () => {
  expect(readNumber("NaN")).toBeNaN();
});

test.each([
  ["3", 3],
  ["v3", 3],
  ["V_12", 12],
  ["v₁₀", 10],
  ["v4 (sin)", 4],
  ["x", null],
  ["3.5", null],
])("%j read as a node is %s", (text, value) => {
  expect(readNode(text)).toBe(value);
});

test("a tolerance is relative to the answer, or that of two decimals", () => {
  expect(near(101, 100, 0.01)).toBe(true);
  expect(near(101.1, 100, 0.01)).toBe(false);
  expect(near(0.005, 0, 0.006)).toBe(true);
  expect(near(0.0051, 0, 0.006)).toBe(false);
  expect(near(0.54, 0.5403, 0.006)).toBe(true);
  expect(near(1.006, 1, 0.006)).toBe(true);
  expect(near(1.0061, 1, 0.006)).toBe(false);
  expect(near(3.001, 3, 0)).toBe(false);
  expect(near(-100, 100, 0.01)).toBe(false);
  expect(near(NaN, NaN, 0)).toBe(true);
  expect(near(Infinity, -Infinity, 0.01)).toBe(false);
  expect(near(1, Infinity, 0.01)).toBe(false);
});

const NUMBER: Question = { kind: "number", prompt: "", answer: 1.7, tolerance: 0.01, hint: "" };

test("answers that are not finite are told apart, too", () => {
  const question: Question = { ...NUMBER, answer: "-inf" };
  expect(isRight(question, -Infinity)).toBe(true);
  expect(isRight(question, Infinity)).toBe(false);
  expect(isRight({ ...NUMBER, answer: "NaN" }, NaN)).toBe(true);
});

test("the score counts first tries, later ones and misses", () => {
  const of = (right: boolean, tries: number): Answer => ({
    step: 0,
    prompt: "",
    given: 0,
    right,
    tries: Array<number>(tries).fill(0),
  });
  const score = scoreOf([of(true, 1), of(true, 3), of(false, 2), of(true, 1)]);
  expect(score).toEqual({ asked: 4, right: 2, helped: 1, missed: 1 });
  expect(sentenceOf(score)).toBe("2 of 4 right at once, 1 after more tries, 1 missed.");
  expect(sentenceOf(scoreOf([]))).toBe("");
});

test("a question is settled when it was answered rightly or skipped", () => {
  const answer: Answer = { step: 0, prompt: "", given: 2, right: false, tries: [2] };
  expect(isSettled(answer)).toBe(false);
  expect(isSettled({ ...answer, right: true })).toBe(true);
  expect(isSettled({ ...answer, given: null })).toBe(true);
});

const SMALL: Question = {
  ...NUMBER,
  answer: 0.002,
  tolerance: 0.006,
  diagnoses: [
    [-0.002, "The sign is wrong."],
    [0.004, "That is twice as much."],
  ],
};

test.each([
  [0.002, null, true],
  [0, null, true],
  [-0.002, "The sign is wrong.", false],
  [-0.006, "The sign is wrong.", false],
  [0.0041, "That is twice as much.", false],
  [0.5, null, false],
  [NaN, null, false],
])("%d is diagnosed by the nearest number: %s", (given, why, right) => {
  expect(diagnosisOf(SMALL, given)).toBe(why);
  expect(isRight(SMALL, given)).toBe(right);
});

test("a wrong choice has its own sentence", () => {
  const choice: Question = { kind: "choice", prompt: "", answer: "y", choices: ["x", "y"], hint: "", diagnoses: [["x", "That is x itself."]] };
  expect(diagnosisOf(choice, "x")).toBe("That is x itself.");
  expect(diagnosisOf(choice, "y")).toBeNull();
});
