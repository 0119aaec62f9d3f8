import { expect, test } from "vitest";
import { readNode } from "./answers.js";
import { Quiz } from "./quiz.js";
import type { Answer } from "../host.js";
import type { Question } from "../scene/scene.js";
import { HOSTILE } from "../testing/explorers.js";
import { press } from "../testing/panels-shown.js";

const NUMBER: Question = { kind: "number", prompt: "What is v̄₁?", answer: 1.7, tolerance: 0.01, hint: "Add the two." };
const NODE: Question = { kind: "node", prompt: "Whose turn is it?", answer: 3, hint: "" };
const CHOICE: Question = {
  kind: "choice",
  prompt: "Fill-in?",
  answer: "yes",
  choices: ["yes", "no", HOSTILE],
  hint: "Look.",
};

function open(answers: Answer[] = []) {
  const told: (readonly Answer[])[] = [];
  const ending = new AbortController();
  let proceeded = 0;
  const marked: (string | null)[] = [];
  const quiz = new Quiz(
    {
      answered: (all) => told.push(all),
      asking: (question) => marked.push(question?.prompt ?? null),
      proceed: () => {
        proceeded++;
      },
      label: (node) => (node === 7 ? "x·y" : `v${node} (sin)`),
      find: (text) => {
        const node = text.trim() === "x·y" ? 7 : readNode(text);
        return node !== null && node < 9 ? node : null;
      },
    },
    ending.signal,
    answers,
  );
  document.body.replaceChildren(quiz.element);
  const find = (selector: string): HTMLElement => quiz.element.querySelector<HTMLElement>(selector)!;
  const say = (text: string): void => {
    find("input").setAttribute("value", text);
    (find("input") as HTMLInputElement).value = text;
    find("form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  };
  const click = (selector: string): void => {
    find(selector).dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  };
  return {
    quiz,
    told,
    marked,
    find,
    say,
    click,
    ending,
    proceeded: () => proceeded,
    verdict: () => find(".adviz-verdict").textContent,
  };
}

test("a right answer is told and the step is taken", () => {
  const { quiz, told, say, proceeded } = open();
  expect(quiz.ask(4, NUMBER)).toBe(true);
  expect(quiz.waiting).toBe(true);
  say("1.71");
  expect(told).toEqual([[{ step: 4, prompt: NUMBER.prompt, given: 1.71, right: true, tries: [1.71] }]]);
  expect(proceeded()).toBe(1);
  expect(quiz.waiting).toBe(false);
  expect(quiz.element.textContent).toBe("Right. 1 of 1 right at once.");
});

test("misses are counted and told; the second brings the hint", () => {
  const { quiz, told, say, verdict, proceeded } = open();
  quiz.ask(4, NUMBER);
  say("2");
  expect(verdict()).toBe("Not yet. Try again.");
  say("-3");
  expect(verdict()).toBe("Not −3. Add the two.");
  expect(proceeded()).toBe(0);
  say("1.7");
  expect(told.map(([{ given, right, tries }]: any) => [given, right, tries])).toEqual([
    [2, false, [2]],
    [-3, false, [2, -3]],
    [1.7, true, [2, -3, 1.7]],
  ]);
});

test("what is no number costs no try", () => {
  const { quiz, told, say, verdict } = open();
  quiz.ask(4, NUMBER);
  say("much");
  expect(verdict()).toBe("Write a number, as 0.5, 1/2 or 5e-1.");
  expect(told).toEqual([]);
});

test("a hint shows the local rule; skipping reveals the answer and is remembered as a miss", () => {
  const { quiz, told, click, verdict, proceeded } = open();
  quiz.ask(4, NUMBER);
  click("[data-act=hint]");
  expect(verdict()).toBe("Add the two.");
  click("[data-act=skip]");
  expect(told).toEqual([[{ step: 4, prompt: NUMBER.prompt, given: null, right: false, tries: [] }]]);
  expect(proceeded()).toBe(1);
  expect(quiz.element.textContent).toContain("The answer: 1.7.");
  expect(quiz.element.textContent).toContain("1 missed");
});

test("nothing is asked twice, until the reader wants what was missed again", () => {
  const { quiz, say, click, told } = open();
  quiz.ask(1, NUMBER);
  say("1.7");
  quiz.ask(4, NUMBER);
  click("[data-act=skip]");
  expect(quiz.ask(1, NUMBER)).toBe(false);
  expect(quiz.ask(4, NUMBER)).toBe(false);
  expect(quiz.ask(5, null)).toBe(false);
  click("[data-act=retry]");
  expect(told.at(-1)!.map(({ step }) => step)).toEqual([1]);
  expect(quiz.ask(1, NUMBER)).toBe(false);
  expect(quiz.ask(4, NUMBER)).toBe(true);
});

test("asking the same again keeps what the reader is writing", () => {
  const { quiz, find } = open();
  quiz.ask(4, NUMBER);
  (find("input") as HTMLInputElement).value = "1.";
  expect(quiz.ask(4, NUMBER)).toBe(true);
  expect((find("input") as HTMLInputElement).value).toBe("1.");
});

test("a node may be named or chosen in a panel", () => {
  const { quiz, told, say, verdict } = open();
  quiz.ask(2, NODE);
  expect(quiz.choose([1, 2])).toBe(false);
  expect(quiz.choose([7])).toBe(true);
  expect(verdict()).toBe("Not yet. Try again.");
  say("v3");
  expect(told.at(-1)).toEqual([{ step: 2, prompt: NODE.prompt, given: 3, right: true, tries: [7, 3] }]);
  expect(quiz.choose([3])).toBe(false);
});

test("a node has the name that it has in the picture, and answers to it", () => {
  const { quiz, told, say, find, verdict } = open();
  quiz.ask(2, { ...NODE, answer: 7, hint: "Look." });
  quiz.choose([2]);
  expect((find("input") as HTMLInputElement).value).toBe("v2 (sin)");
  say("v2 (sin)");
  expect(verdict()).toBe("Not v2 (sin). Look.");
  say(" x·y ");
  expect(told.at(-1)).toEqual([{ step: 2, prompt: NODE.prompt, given: 7, right: true, tries: [2, 2, 7] }]);
});

test("a selection is no answer to another kind of question", () => {
  const { quiz, told } = open();
  quiz.ask(4, NUMBER);
  expect(quiz.choose([3])).toBe(false);
  expect(told).toEqual([]);
});

test("of several choices a wrong one is struck out; hostile choices stay text", () => {
  const { quiz, told, find, click } = open();
  quiz.ask(2, CHOICE);
  click(".adviz-choice:nth-child(2)");
  expect(find(".adviz-choice:nth-child(2)").hasAttribute("disabled")).toBe(true);
  expect(find(".adviz-choice:nth-child(3)").textContent).toBe(HOSTILE);
  expect(quiz.element.querySelector("img, script")).toBeNull();
  click(".adviz-choice:nth-child(1)");
  expect(told.at(-1)![0]).toMatchObject({ given: "yes", right: true, tries: [expect.any(String), "yes"] });
});

test("answers that Python gives are not asked again", () => {
  const { quiz } = open([{ step: 4, prompt: NUMBER.prompt, given: 1.7, right: true, tries: [1.7] }]);
  expect(quiz.ask(4, NUMBER)).toBe(false);
  expect(quiz.answers).toHaveLength(1);
});

test("not a number travels as a text", () => {
  const { quiz, told, say } = open();
  quiz.ask(4, NUMBER);
  say("nan");
  expect(told[0]![0]!.given).toBe("NaN");
});

test("leaving takes the question back, and stopping shows nothing", () => {
  const { quiz, told } = open();
  quiz.ask(4, NUMBER);
  quiz.close();
  expect([quiz.waiting, quiz.element.hidden, told.length]).toEqual([false, true, 0]);
  quiz.ask(4, NUMBER);
  quiz.stop();
  expect([quiz.waiting, quiz.element.hidden]).toEqual([false, true]);
});

test("keys typed into an answer are not the player's", () => {
  const { quiz, find } = open();
  quiz.ask(4, NUMBER);
  let heard = 0;
  document.body.addEventListener("keydown", () => heard++);
  press(find("input"), " ");
  expect(heard).toBe(0);
});

test("what cannot be an answer stays selected, to be typed over, and is no miss", () => {
  const { quiz, find, say, told, verdict } = open();
  quiz.ask(2, NODE);
  for (const text of ["nine", "9"]) {
    say(text);
    expect(verdict()).toBe("There is no such node.");
    const { selectionStart, selectionEnd } = find("input") as HTMLInputElement;
    expect([selectionStart, selectionEnd]).toEqual([0, text.length]);
  }
  expect(told).toEqual([]);
});

test("the keyboard stays with the questions, and goes back to where it was when they are taken back", () => {
  const { quiz, say, click } = open();
  const outside = document.createElement("button");
  document.body.append(outside);
  outside.focus();
  quiz.ask(4, NUMBER);
  expect(document.activeElement).toBe(quiz.element.querySelector("input"));
  say("2");
  quiz.ask(7, CHOICE);
  click(".adviz-choice:nth-child(2)");
  expect(document.activeElement).toBe(quiz.element.querySelector(".adviz-choice"));
  click(".adviz-choice:nth-child(1)");
  expect(document.activeElement).toBe(quiz.element);
  quiz.ask(8, NUMBER);
  quiz.close();
  expect(document.activeElement).toBe(outside);
  quiz.element.querySelector("button")!.focus();
  click("[data-act=retry]");
  expect(document.activeElement).toBe(outside);
});

const DIAGNOSED: Question = { ...NUMBER, diagnoses: [[3, "That is their product."], [1, "One is forgotten."]] };

test("a known mistake is told for what it is, then with the hint, and is recorded", () => {
  const { quiz, told, say, verdict } = open();
  quiz.ask(4, DIAGNOSED);
  say("3");
  expect(verdict()).toBe("That is their product.");
  say("1");
  expect(verdict()).toBe("One is forgotten. Add the two.");
  say("5");
  expect(verdict()).toBe("Not 5. Add the two.");
  say("1.7");
  expect(told.at(-1)![0]).toMatchObject({ right: true, mistakes: ["That is their product.", "One is forgotten."] });
});

test("what is asked about is told to the player, and that it is over", () => {
  const { quiz, marked, say } = open();
  quiz.ask(4, NUMBER);
  say("2");
  expect(marked).toEqual([NUMBER.prompt]);
  say("1.7");
  expect(marked).toEqual([NUMBER.prompt, null]);
  quiz.ask(5, NODE);
  quiz.close();
  expect(marked).toEqual([NUMBER.prompt, null, NODE.prompt, null]);
});

test("another question of the same step is asked, and both answers are kept", () => {
  const { quiz, told, say } = open();
  quiz.ask(4, NUMBER);
  say("1.7");
  expect(quiz.isDone(4, NUMBER)).toBe(true);
  expect(quiz.isDone(4, { ...NUMBER, prompt: "And now?" })).toBe(false);
  expect(quiz.ask(4, { ...NUMBER, prompt: "And now?" })).toBe(true);
  say("1.7");
  expect(told.at(-1)!.map(({ prompt }) => prompt)).toEqual([NUMBER.prompt, "And now?"]);
});
