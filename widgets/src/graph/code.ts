// Source text cut into atoms: the smallest pieces of a line between borders of sub-expressions and tokens.
// Marking a sub-expression is then marking atoms, and a click on an atom says where in the source it was.

import type { SourceFile, Span } from "../scene/scene.js";

type Word = "comment" | "string" | "keyword" | "number" | null;

/** Columns count characters from 0; the end is exclusive. */
export interface Atom {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly word: Word;
}

const KEYWORDS =
  "and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|" +
  "import|in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield";

const QUOTED = [/"""[\s\S]*?(?:"""|$)/, /'''[\s\S]*?(?:'''|$)/, /"(?:\\.|[^"\\\n])*"?/, /'(?:\\.|[^'\\\n])*'?/]
  .map(({ source }) => source)
  .join("|");

const TOKEN = new RegExp(
  [
    "(?<comment>#[^\\n]*)",
    `(?<string>(?:\\b[rbfuRBFU]{1,2})?(?:${QUOTED}))`,
    `(?<keyword>\\b(?:${KEYWORDS})\\b)`,
    "(?<number>\\b\\d[\\d_]*(?:\\.\\d*)?(?:[eE][+-]?\\d+)?j?|\\B\\.\\d+(?:[eE][+-]?\\d+)?j?)",
  ].join("|"),
  "g",
);

/** Indentation is a separate atom, which is never marked. */
export const isIndentation = ({ from, text }: Atom): boolean => from === 0 && text.trim() === "";

/** The kind of word each character belongs to, line by line. */
function wordsOf(text: string): Word[][] {
  const words: Word[] = [];
  let at = 0;
  const fill = (piece: string, word: Word): void => {
    for (const _ of piece) words.push(word);
  };
  for (const match of text.matchAll(TOKEN)) {
    fill(text.slice(at, match.index), null);
    const [word] = Object.entries(match.groups!).find(([, found]) => found !== undefined)!;
    fill(match[0], word as Word);
    at = match.index + match[0].length;
  }
  fill(text.slice(at), null);
  return splitLike(words, text);
}

/** Values per character of a text, split where its lines end. */
function splitLike<T>(values: T[], text: string): T[][] {
  let start = 0;
  return text.split("\n").map((line) => {
    const length = Array.from(line).length;
    const piece = values.slice(start, start + length);
    start += length + 1;
    return piece;
  });
}

/** By line the columns where some span starts or ends. */
function endsOf(spans: readonly Span[]): Map<number, number[]> {
  const ends = new Map<number, number[]>();
  const add = (line: number, column: number): unknown => ends.get(line)?.push(column) ?? ends.set(line, [column]);
  for (const [, first, column, last, endColumn] of spans) {
    add(first, column);
    add(last, endColumn);
  }
  return ends;
}

/** The atoms of every line of a file; `spans` are those of this file. */
export function atomsOf(file: SourceFile, spans: readonly Span[]): Atom[][] {
  const words = wordsOf(file.text);
  const ends = endsOf(spans);
  return file.text.split("\n").map((content, i) => {
    const line = file.line + i;
    const characters = Array.from(content);
    const cuts = new Set([content.length - content.trimStart().length, ...(ends.get(line) ?? [])]);
    const atoms: Atom[] = [];
    for (let from = 0; from < characters.length;) {
      let to = from + 1;
      while (to < characters.length && !cuts.has(to) && words[i]![to] === words[i]![from]) to++;
      atoms.push({ line, from, to, text: characters.slice(from, to).join(""), word: words[i]![from]! });
      from = to;
    }
    return atoms;
  });
}
