// Teaching mode: before a step reveals its value the reader is asked for it. Answers are checked here, without a kernel.

import { diagnosisOf, isRight, isSettled, portable, readNumber, scoreOf, sentenceOf } from "./answers.js";
import type { Answer, Given } from "../host.js";
import type { Question } from "../scene/scene.js";
import { brief } from "../scene/values.js";
import { closest, focusedIn, html, listen } from "../ui/dom.js";
import { typeset } from "../ui/typesetting.js";

/** What the quiz asks of the player. */
interface Asker {
  /** The record of a question has changed; `answers` are all so far, in the order of their steps. */
  answered(answers: readonly Answer[]): void;
  /** A question waits for its answer, or none does any more. */
  asking(question: Question | null): void;
  /** The question is over: the step may be taken. */
  proceed(): void;
  /** How a node is named. */
  label(node: number): string;
  /** The node with a name or a number; null where there is none. */
  find(text: string): number | null;
}

const INVITATIONS: Record<Question["kind"], string> = {
  number: "A number",
  node: "Name a node, or click one",
  choice: "Choose one",
};
const COMPLAINTS: Record<Question["kind"], string> = {
  number: "Write a number, as 0.5, 1/2 or 5e-1.",
  node: "There is no such node.",
  choice: "Choose one.",
};
/** Misses after which the hint is shown unasked. */
const PATIENCE = 2;

const keyOf = (step: number, { prompt }: { readonly prompt: string }): string => `${step} ${prompt}`;

export class Quiz {
  readonly element = html("section.adviz-quiz", { "aria-label": "Question", tabindex: -1, hidden: true });
  /** By step and prompt: other numbers, or another level of detail, make another question of the same step. */
  readonly #answers = new Map<string, Answer>();
  #question: Question | null = null;
  #step = -1;
  #tries: Given[] = [];
  #mistakes: string[] = [];
  /** Where the keyboard was before the question. */
  #before: HTMLElement | null = null;

  constructor(
    readonly asker: Asker,
    signal: AbortSignal,
    answers: readonly Answer[] = [],
  ) {
    for (const answer of answers) this.#answers.set(keyOf(answer.step, answer), answer);
    listen(this.element, signal, {
      submit: (event) => this.#submit(event),
      click: (event) => this.#click(event),
      // Keys typed into an answer are not commands of the player.
      keydown: (event) => event.stopPropagation(),
    });
  }

  /** Whether a question waits for its answer. */
  get waiting(): boolean {
    return this.#question !== null;
  }

  get answers(): Answer[] {
    return [...this.#answers.values()].sort((one, other) => one.step - other.step);
  }

  /** Whether the reader is done with a question. */
  readonly isDone = (step: number, question: Question): boolean => {
    const known = this.#answers.get(keyOf(step, question));
    return known !== undefined && isSettled(known);
  };

  /** Ask before a step is taken; false where there is nothing to ask, or the reader is done with it. */
  ask(step: number, question: Question | null): boolean {
    if (this.#question && question && keyOf(step, question) === keyOf(this.#step, this.#question)) return true;
    if (!question || this.isDone(step, question)) {
      this.close();
      return false;
    }
    const known = this.#answers.get(keyOf(step, question));
    this.#question = question;
    this.#step = step;
    this.#tries = [...(known?.tries ?? [])];
    this.#mistakes = [...(known?.mistakes ?? [])];
    this.#rememberKeyboard();
    this.element.replaceChildren(this.#form(question));
    this.element.hidden = false;
    this.asker.asking(question);
    (this.#field() ?? this.element.querySelector("button"))?.focus({ preventScroll: true });
    return true;
  }

  /** Take an open question back, as when the reader moves elsewhere; the result of the last one stays visible. */
  close(): void {
    if (!this.#question) return;
    this.#over();
    this.#release();
    this.#sum("");
  }

  #over(): void {
    this.#question = null;
    this.asker.asking(null);
  }

  /** Teaching ends: nothing is shown any more. The answers stay. */
  stop(): void {
    this.#over();
    this.#release();
    this.element.hidden = true;
  }

  /** Forget what was not right at once, so that it is asked again. */
  retry(): void {
    for (const [key, { right, tries }] of this.#answers) if (!right || tries.length > 1) this.#answers.delete(key);
    this.asker.answered(this.answers);
    this.#release();
    this.#sum("");
  }

  /** The reader chose nodes in some panel: an answer, if a node was asked for. True where it was taken as one. */
  choose(nodes: readonly number[]): boolean {
    if (this.#question?.kind !== "node" || nodes.length !== 1) return false;
    const field = this.#field();
    if (field) field.value = this.asker.label(nodes[0]!);
    this.#try(nodes[0]!);
    return true;
  }

  #field(): HTMLInputElement | null {
    return this.element.querySelector("input");
  }

  #form(question: Question): HTMLElement {
    const { kind, prompt, marks, choices } = question;
    const field =
      kind === "choice"
        ? html(
            "div.adviz-choices",
            { role: "group", "aria-label": prompt },
            ...(choices ?? []).map((choice) => html("button.adviz-choice", { "data-choice": choice }, choice)),
          )
        : html("input.adviz-answer", {
            "aria-label": prompt,
            placeholder: INVITATIONS[kind],
            autocomplete: "off",
            spellcheck: "false",
            inputmode: kind === "number" ? "decimal" : null,
          });
    return html(
      "form.adviz-question",
      { novalidate: true },
      html("p.adviz-prompt", ...typeset(prompt, marks)),
      html(
        "div.adviz-answering",
        field,
        kind === "choice" ? null : html("button.adviz-quiet.adviz-check", { type: "submit" }, "Check"),
        html("button.adviz-quiet", { "data-act": "hint", hidden: !question.hint }, "Hint"),
        html("button.adviz-quiet", { "data-act": "skip" }, "Show me"),
      ),
      html("p.adviz-verdict", { role: "status", "aria-live": "polite" }),
      html("p.adviz-score", sentenceOf(scoreOf(this.#answers.values()))),
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
    const given = question.kind === "node" ? this.asker.find(text) : readNumber(text);
    if (given !== null) return this.#try(given);
    this.#say(COMPLAINTS[question.kind], "hint");
    this.#field()?.select();
  }

  #click(event: Event): void {
    const button = closest(event, "button");
    const { act, choice } = button?.dataset ?? {};
    if (act === "retry") this.retry();
    if (!this.#question || !button) return;
    if (choice !== undefined) this.#try(choice, button);
    if (act === "hint") this.#say(this.#question.hint, "hint");
    if (act === "skip") this.#end(null, false);
  }

  #try(given: Given, button?: Element): void {
    const question = this.#question!;
    this.#tries.push(portable(given));
    if (isRight(question, given)) return this.#end(given, true);
    const why = diagnosisOf(question, given);
    if (why) this.#mistakes.push(why);
    if (button) {
      button.setAttribute("disabled", "");
      this.element.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
    }
    this.#record(given, false);
    const isHinted = this.#tries.length >= PATIENCE && question.hint;
    const wrong = why ?? (isHinted ? `Not ${this.#shown(question, given)}.` : "Not yet. Try again.");
    this.#say(isHinted ? `${wrong} ${question.hint}` : wrong, "wrong");
    this.#field()?.select();
  }

  #shown({ kind }: Question, given: Given): string {
    return kind === "node" ? this.asker.label(Number(given)) : brief(given);
  }

  #end(given: Given | null, right: boolean): void {
    const question = this.#question!;
    this.#record(given, right);
    this.#over();
    // Characters typed ahead of the next question are not commands.
    if (focusedIn(this.element)) this.element.focus({ preventScroll: true });
    this.#sum(right ? "Right." : `The answer: ${this.#shown(question, question.answer)}.`);
    this.asker.proceed();
  }

  #rememberKeyboard(): void {
    if (!focusedIn(this.element))
      this.#before = (this.element.getRootNode() as Document | ShadowRoot).activeElement as HTMLElement | null;
  }

  /** Restore the focus. */
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
        "div.adviz-answering",
        html("p", { role: "status" }, html("strong", outcome), outcome && score.asked ? " " : null, sentenceOf(score)),
        again ? html("button.adviz-quiet", { "data-act": "retry" }, `Ask ${again} again`) : null,
      ),
    );
  }

  #record(given: Given | null, right: boolean): void {
    this.#answers.set(keyOf(this.#step, this.#question!), {
      step: this.#step,
      prompt: this.#question!.prompt,
      given: given === null ? null : portable(given),
      right,
      tries: [...this.#tries],
      ...(this.#mistakes.length && { mistakes: [...this.#mistakes] }),
    });
    this.asker.answered(this.answers);
  }
}
