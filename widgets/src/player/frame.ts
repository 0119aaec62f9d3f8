// The frame of the Player: a header, the floor with the panels, and a foot with the caption and the controls.

import { type Show, panelOf } from "../scene/scene.js";
import { styles } from "../styles/styles.js";
import { html } from "../ui/dom.js";

/** A caption of more characters takes more than two lines of a usual width. */
const TWO_LINES = 230;

interface Parts {
  /** Beside those of all players. */
  readonly styles: string;
  readonly header: readonly (Element | null)[];
  readonly floor: readonly Element[];
  readonly foot: readonly Element[];
  /** What is read out and not seen. */
  readonly spoken: Element;
  /** Leads back to the view that the show replaces. */
  readonly back: Element | null;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** What no reader of mathematics writes: where functions come from, and stars. */
const PLAIN: readonly (readonly [code: RegExp, plain: string | ((found: string, part: string) => string)])[] = [
  [/\b(?:np|numpy|math|jnp|ad)\./g, ""],
  [/ ?\*\* ?(\d)(?![\w.])/g, (_, digit: string) => RAISED[Number(digit)]!],
  [/ ?\*\* ?/g, "^"],
  [/ ?\* ?/g, "·"],
  [/ ?\/ ?/g, "/"],
  [/-/g, "−"],
];
const LONGEST = 64;
const RETURNS = "returns";
const NAME = /([\p{L}_]\w*)/u;

/** What a function returns, where that is short and said once, at its end; "" elsewhere. */
function returned({ source, title }: Show): string {
  const code = source.files.map(({ text }) => text).find((text) => text.includes(`def ${title}(`)) ?? "";
  const [, body = ""] = code.slice(code.indexOf(`def ${title}(`)).split(/^.*:[^\S\n]*\n/, 2);
  const [, before = "", indent = "", expression = ""] =
    /^((?:[^\S\n].*\n|\n)*?)([^\S\n]+)return ([^#\n"']+)\s*(?:\n\S[^]*)?$/.exec(body) ?? [];
  if (/\breturn\b/.test(before) || /^\s*/.exec(body)![0] !== indent) return "";
  const plain = PLAIN.reduce((words, [from, to]) => words.replace(from, to as string), expression.trim());
  return plain && plain.length <= LONGEST ? ` ${before.trim() ? RETURNS : "="} ${plain}` : "";
}

/** The function of a sweep as a formula, with what it returns where that is short; else its title. */
function heading(scene: Show): HTMLElement {
  const inputs = panelOf(scene, "flow")?.nodes.filter(({ kind }) => kind === "input") ?? [];
  const names = inputs.map(({ name }) => name.split(" = ")[0]!);
  const isCall = names.length && [scene.title, ...names].every((name) => NAME.exec(name)?.[0] === name);
  if (!isCall) return html("h3.adviz-title", scene.title);
  const parts = `${scene.title}(${names.join(", ")})${returned(scene)}`.split(NAME);
  // Names of variables are in italics; those of functions that are called are not, but the one that is shown.
  const set = parts.map((part, i) => (i % 2 && part !== RETURNS && (i === 1 || parts[i + 1]![0] !== "(") ? html("i", part) : part));
  return html("h3.adviz-title", { "data-formula": "" }, ...set);
}

export function frame(scene: Show, { styles: own, header, floor, foot, spoken, back }: Parts): HTMLElement {
  const { title, runs, steps } = scene;
  const lines = steps.some(({ caption }) => caption.length > TWO_LINES) ? `--lines:${2 + runs.length}` : "";
  return html(
    "div.adviz.adviz-player",
    { "data-lm-suppress-shortcuts": "true", role: "region", "aria-label": title, tabindex: -1 },
    html("style", styles + own),
    html(
      "div",
      { class: "adviz-show", "data-many": runs.length > 2, style: `--runs:${runs.length};${lines}` },
      html("div.adviz-header", back, heading(scene), ...header),
      ...floor,
      html("div.adviz-foot", ...foot),
    ),
    spoken,
  );
}
