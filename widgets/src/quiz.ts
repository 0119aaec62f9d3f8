// Teaching mode: before a step reveals its value the reader is asked for it. Answers are checked here, without a kernel.

import { focusedIn, html } from "./dom.js";
import { number } from "./format.js";
import type { Question } from "./scene.js";
import { brief } from "./values.js";

/** What came of one question: the last answer (null: skipped), whether it was right, and after how many tries. */
export interface Answer {
  step: number;
  prompt: string;
  given: number | string | null;
  right: boolean;
  tries: number;
}

/** What the quiz asks of the player. */
export interface Asker {
  /** The record of a question has changed; `answers` are all so far, in the order of their steps. */
  answered(answers: readonly Answer[]): void;
  /** The question is over: the step may be taken. */
  proceed(): void;
  /** How a node is named. */
  label(node: number): string;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WORDS: Record<string, number> = { nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity };

/** A number as people write it: "0.8", "0,8", "−2", "1e-3", "2/3", "nan", "-inf"; null where it is none. */
export function readNumber(text: string): number | null {
  const plain = text.trim().replace(/[−–]/g, "-").replace(",", ".").toLowerCase();
  if (Object.hasOwn(WORDS, plain)) return WORDS[plain]!;
  const parts = plain.split("/").map((part) => part.trim());
  if (parts.length > 2 || !parts.every((part) => NUMBER.test(part))) return null;
  const [top, bottom = 1] = parts.map(Number) as [number, number?];
  return top / bottom;
}

/** "v3", "v₃" and "3" mean node 3; null where it is none. */
export function readNode(text: string): number | null {
  const plain = text.trim().replace(/[₀-₉]/g, (digit) => String(digit.charCodeAt(0) - "₀".charCodeAt(0)));
  const digits = /^(?:v_?)?(\d+)$/i.exec(plain)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whether two numbers agree within a tolerance: relative to the answer, absolute below one. */
export function near(given: number, answer: number, tolerance: number): boolean {
  if (!Number.isFinite(answer)) return Object.is(given, answer);
  return Math.abs(given - answer) <= tolerance * Math.max(1, Math.abs(answer)) * (1 + 1e-12);
}

type Given = number | string;

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
    score[!right ? "missed" : tries > 1 ? "helped" : "right"]++;
  }
  return score;
}

const INVITATIONS: Record<Question["kind"], string> = {
  number: "A number",
  node: "A node, as v3, or click one",
  choice: "Choose one",
};
const COMPLAINTS: Record<Question["kind"], string> = {
  number: "Write a number, as 0.5, 1/2 or 5e-1.",
  node: "Name a node, as v3.",
  choice: "Choose one.",
};
/** JSON has no NaN and no infinities: they travel as texts, as values on stage do. */
const portable = (given: Given): Given => (typeof given === "number" && !Number.isFinite(given) ? number(given) : given);

/** After so many misses the hint comes unasked. */
const PATIENCE = 2;

export class Quiz {
  readonly element = html("section", { class: "adviz-quiz", "aria-label": "Question", hidden: true });
  readonly #answers = new Map<number, Answer>();
  #question: Question | null = null;
  #step = -1;
  #tries = 0;
  /** Where the keyboard was before the question. */
  #before: HTMLElement | null = null;

  constructor(
    readonly asker: Asker,
    signal: AbortSignal,
    answers: readonly Answer[] = [],
  ) {
    for (const answer of answers) this.#answers.set(answer.step, answer);
    this.element.addEventListener("submit", (event) => this.#submit(event), { signal });
    this.element.addEventListener("click", (event) => this.#click(event), { signal });
    // What is typed into an answer is not meant for the player around.
    this.element.addEventListener("keydown", (event) => event.stopPropagation(), { signal });
  }

  /** Whether a question waits for its answer. */
  get waiting(): boolean {
    return this.#question !== null;
  }

  get answers(): Answer[] {
    return [...this.#answers.values()].sort((one, other) => one.step - other.step);
  }

  /** Ask before a step is taken; false where there is nothing to ask, or the reader is done with it. */
  ask(step: number, question: Question | null): boolean {
    if (this.#question && step === this.#step) return true;
    const known = this.#answers.get(step);
    if (!question || known?.right || known?.given === null) {
      this.close();
      return false;
    }
    this.#question = question;
    this.#step = step;
    this.#tries = known?.tries ?? 0;
    this.#release();
    this.element.replaceChildren(this.#form(question));
    this.element.hidden = false;
    this.#takeKeyboard();
    return true;
  }

  /** Take an open question back, as where the reader goes elsewhere; what came of the last one stays to be read. */
  close(): void {
    if (!this.#question) return;
    this.#question = null;
    this.#release();
    this.#sum("");
  }

  /** Teaching ends: nothing is shown any more. The answers stay. */
  stop(): void {
    this.#question = null;
    this.#release();
    this.element.hidden = true;
  }

  /** Forget what was not right at once, so that it is asked again. */
  retry(): void {
    for (const { step, right, tries } of this.answers) if (!right || tries > 1) this.#answers.delete(step);
    this.asker.answered(this.answers);
    this.#release();
    this.#sum("");
  }

  /** The reader chose nodes in some panel: an answer, if a node was asked for. True where it was taken as one. */
  choose(nodes: readonly number[]): boolean {
    if (this.#question?.kind !== "node" || nodes.length !== 1) return false;
    const field = this.#field();
    if (field) field.value = `v${nodes[0]!}`;
    this.#try(nodes[0]!);
    return true;
  }

  #field(): HTMLInputElement | null {
    return this.element.querySelector("input");
  }

  #form(question: Question): HTMLElement {
    const { kind, prompt, choices } = question;
    const field =
      kind === "choice"
        ? html(
            "div",
            { class: "adviz-choices", role: "group", "aria-label": prompt },
            ...(choices ?? []).map((choice) =>
              html("button", { type: "button", class: "adviz-choice", "data-choice": choice }, choice),
            ),
          )
        : html("input", {
            class: "adviz-answer",
            "aria-label": prompt,
            placeholder: INVITATIONS[kind],
            autocomplete: "off",
            spellcheck: "false",
            inputmode: kind === "number" ? "decimal" : null,
          });
    return html(
      "form",
      { class: "adviz-question", novalidate: true },
      html("p", { class: "adviz-prompt" }, prompt),
      html(
        "div",
        { class: "adviz-answering" },
        field,
        kind === "choice" ? null : html("button", { class: "adviz-quiet adviz-check" }, "Check"),
        html("button", { type: "button", class: "adviz-quiet", "data-act": "hint", hidden: !question.hint }, "Hint"),
        html("button", { type: "button", class: "adviz-quiet", "data-act": "skip" }, "Skip"),
      ),
      html("p", { class: "adviz-verdict", role: "status", "aria-live": "polite" }),
      html("p", { class: "adviz-score" }, sentenceOf(scoreOf(this.#answers.values()))),
    );
  }

  #say(words: string, verdict: "wrong" | "hint"): void {
    const line = this.element.querySelector<HTMLElement>(".adviz-verdict")!;
    line.textContent = words;
    line.dataset["verdict"] = verdict;
  }

  #submit(event: Event): void {
    event.preventDefault();
    const question = this.#question;
    const text = this.#field()?.value ?? "";
    if (!question || question.kind === "choice") return;
    const given = readAnswer(question, text);
    if (given === null) this.#say(COMPLAINTS[question.kind], "hint");
    else this.#try(given);
  }

  #click(event: Event): void {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("button") : null;
    const { act, choice } = button?.dataset ?? {};
    if (act === "retry") this.retry();
    if (!this.#question || !button) return;
    if (choice !== undefined) this.#try(choice, button);
    if (act === "hint") this.#say(this.#question.hint, "hint");
    if (act === "skip") this.#end(null, false);
  }

  #try(given: Given, button?: HTMLElement): void {
    const question = this.#question!;
    this.#tries++;
    if (isRight(question, given)) {
      this.#end(given, true);
      return;
    }
    if (button) {
      button.setAttribute("disabled", "");
      this.element.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
    }
    this.#record(given, false);
    this.#say(
      this.#tries >= PATIENCE && question.hint ? `Not ${this.#shown(question, given)}. ${question.hint}` : "Not yet. Try again.",
      "wrong",
    );
    this.#field()?.select();
  }

  #shown({ kind }: Question, given: Given): string {
    return kind === "node" ? this.asker.label(Number(given)) : brief(given);
  }

  #end(given: Given | null, right: boolean): void {
    const question = this.#question!;
    this.#record(given, right);
    this.#question = null;
    this.#release();
    this.#sum(right ? "Right." : `Skipped. The answer: ${this.#shown(question, question.answer)}.`);
    this.asker.proceed();
  }

  #takeKeyboard(): void {
    this.#before = (this.element.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null;
    (this.#field() ?? this.element.querySelector("button"))?.focus({ preventScroll: true });
  }

  /** Give the keyboard back. */
  #release(): void {
    if (focusedIn(this.element)) this.#before?.focus({ preventScroll: true });
  }

  /** Between two questions: what came of the last one, and the score. */
  #sum(outcome: string): void {
    const score = scoreOf(this.#answers.values());
    const again = score.helped + score.missed;
    this.element.hidden = !outcome && !score.asked;
    this.element.replaceChildren(
      html(
        "div",
        { class: "adviz-answering" },
        html("p", { role: "status" }, html("strong", {}, outcome), outcome && score.asked ? " " : null, sentenceOf(score)),
        again
          ? html("button", { type: "button", class: "adviz-quiet", "data-act": "retry" }, `Ask ${again} again`)
          : null,
      ),
    );
  }

  #record(given: Given | null, right: boolean): void {
    this.#answers.set(this.#step, {
      step: this.#step,
      prompt: this.#question!.prompt,
      given: given === null ? null : portable(given),
      right,
      tries: this.#tries,
    });
    this.asker.answered(this.answers);
  }
}

/** "3 of 5 right at once, 1 after more tries, 1 missed." */
export function sentenceOf({ asked, right, helped, missed }: Score): string {
  if (!asked) return "";
  const parts = [`${right} of ${asked} right at once`];
  if (helped) parts.push(`${helped} after more tries`);
  if (missed) parts.push(`${missed} missed`);
  return `${parts.join(", ")}.`;
}
