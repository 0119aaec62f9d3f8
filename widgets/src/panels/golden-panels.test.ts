import { expect, test } from "vitest";
import { FormulaPanel } from "./formula-panel.js";
import { MatrixPanel } from "./matrix-panel.js";
import { MetersPanel } from "./meters-panel.js";
import type { Moment, PanelContext, PlayerPanel } from "./panel.js";
import { TablePanel } from "./table-panel.js";
import { TapePanel } from "./tape-panel.js";
import { isRight, readNode, readNumber } from "../player/answers.js";
import { type Panel, type Show, readScene } from "../scene/scene.js";
import { brief } from "../scene/values.js";
import { contextOf, momentAt } from "../testing/panels-shown.js";
import { goldens } from "../testing/shows.js";

const read = { number: readNumber, node: readNode, choice: (text: string) => text };

const KINDS = { tape: TapePanel, table: TablePanel, matrix: MatrixPanel, formula: FormulaPanel, meters: MetersPanel };

const panelsOf = (context: PanelContext): PlayerPanel[] =>
  context.scene.panels
    .filter(({ kind }) => kind in KINDS)
    .map((panel) => {
      const Kind = KINDS[panel.kind as keyof typeof KINDS] as new (panel: Panel, context: PanelContext) => PlayerPanel;
      return new Kind(panel, context);
    });

/** Elements with their text, and their attributes in no order; names of rows differ from list to list. */
const picture = (panels: readonly PlayerPanel[]): string[] =>
  panels.flatMap(({ element }) =>
    [...element.querySelectorAll("*")].map((part) => {
      const attributes = [...part.attributes].filter(({ name }) => name !== "id");
      const own = attributes.map(({ name, value }) => `${name}=${value}`).sort();
      return [part.tagName, ...own, part.childElementCount ? "" : part.textContent].join(" ");
    }),
  );

test.each(Object.entries(goldens))("%s: stepping on, stepping back and jumping show the same", (_, golden) => {
  const show = readScene(golden.scene) as Show;
  const { context } = contextOf(show);
  const fresh = show.steps.concat(show.steps.slice(0, 1)).map((_, cursor) => {
    const panels = panelsOf(context);
    panels.forEach((panel) => panel.show(momentAt(show, cursor)));
    return picture(panels);
  });
  const stepped = panelsOf(context);
  const go = (cursor: number, over: number): void => {
    const changed = new Set(show.steps[over]!.edits.map(([key]) => key));
    const moment: Moment = { ...momentAt(show, cursor), changed };
    stepped.forEach((panel) => panel.show(moment));
    expect(picture(stepped)).toEqual(fresh[cursor]);
  };
  stepped.forEach((panel) => panel.show(momentAt(show, 0)));
  for (let cursor = 1; cursor <= show.steps.length; cursor++) go(cursor, cursor - 1);
  for (let cursor = show.steps.length - 1; cursor >= 0; cursor--) go(cursor, cursor);
});

test.each(Object.entries(goldens))(
  "%s: whoever answers what is asked for is right, and others are not",
  (_, golden) => {
    const questions = (readScene(golden.scene) as Show).steps.flatMap(({ question }) => question ?? []);
    expect(questions.length).toBeGreaterThan(0);
    for (const question of questions) {
      expect(isRight(question, read[question.kind](brief(question.answer))!)).toBe(true);
      const wrong = question.kind === "choice" ? question.choices!.find((one) => one !== question.answer)! : "99999";
      expect(isRight(question, read[question.kind](wrong)!)).toBe(false);
    }
  },
);
