// The graph as the views query it: columns and tables combined. Answers are lists of nodes in evaluation order.

import { type Links, operandLinks, reversed, row } from "./links.js";
import { Scopes } from "./scopes.js";
import { type Columns, FLAGS } from "../scene/columns.js";
import type { Block, Scene, Span } from "../scene/scene.js";
import { fileName } from "../ui/format.js";

const UNKNOWN: Block = { name: "unknown", family: "", symbol: "?" };

/** Whether span `outer` covers the range from (line, column) to (endLine, endColumn). */
export function covers(outer: Span, line: number, column: number, endLine: number, endColumn: number): boolean {
  const [, firstLine, firstColumn, lastLine, lastColumn] = outer;
  return (
    (firstLine < line || (firstLine === line && firstColumn <= column)) &&
    (lastLine > endLine || (lastLine === endLine && lastColumn >= endColumn))
  );
}

export const sameNodes = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((node, i) => node === other[i]);

export class Graph {
  readonly operands: Links;
  readonly users: Links;
  readonly scopes: Scopes;
  /** What nodes are called in the source, where that is known. */
  readonly called: ReadonlyMap<number, string>;
  readonly #lines: string[][];
  readonly #spanTexts = new Map<number, string>();
  #depths: Int32Array<ArrayBuffer> | undefined;

  constructor(
    readonly scene: Scene,
    readonly columns: Columns,
  ) {
    this.operands = operandLinks(columns);
    this.users = reversed(this.operands);
    this.scopes = new Scopes(columns, scene.tables.scope_labels, scene.tables.scope_groups);
    const lines = scene.panels.find((panel) => panel.kind === "lines");
    this.called = new Map(lines?.nodes.map(({ node, name }) => [node, name[0]]));
    this.#lines = scene.source.files.map((file) => file.text.split("\n"));
  }

  get size(): number {
    return this.columns.block.length;
  }

  has(node: number): boolean {
    return Number.isInteger(node) && node >= 0 && node < this.size;
  }

  block(node: number): Block {
    return this.scene.tables.blocks[this.columns.block[node]!] ?? UNKNOWN;
  }

  is(flag: keyof typeof FLAGS, node: number): boolean {
    return (this.columns.flags[node]! & FLAGS[flag]) !== 0;
  }

  /** The name of an input or output, or of the variable that the expression was assigned to. */
  name(node: number): string | null {
    return this.scene.tables.names[node] ?? this.span(node)?.[5] ?? null;
  }

  span(node: number): Span | null {
    return this.scene.tables.spans[this.columns.span[node]!] ?? null;
  }

  /** For each node the number of steps on the longest path to it. */
  depths(): Int32Array<ArrayBuffer> {
    if (this.#depths) return this.#depths;
    const depths = (this.#depths = new Int32Array(this.size));
    for (let node = 0; node < this.size; node++)
      for (const operand of row(this.operands, node)) depths[node] = Math.max(depths[node]!, depths[operand]! + 1);
    return depths;
  }

  /** "v12 (×)", "v0 (x)": with the name of an input or output, else the block's symbol. */
  label(node: number): string {
    return `v${node} (${this.scene.tables.names[node] ?? this.block(node).symbol})`;
  }

  /** The label, followed by the name of the value where the label does not contain it. */
  fullLabel(node: number): string {
    const name = this.name(node);
    return name && !this.scene.tables.names[node] ? `${this.label(node)} ${name}` : this.label(node);
  }

  /** The source of a span, its lines joined by one space. */
  spanText(index: number): string {
    const known = this.#spanTexts.get(index);
    if (known !== undefined) return known;
    const text = this.#readSpan(this.scene.tables.spans[index]!);
    this.#spanTexts.set(index, text);
    return text;
  }

  #readSpan([file, line, column, endLine, endColumn]: Span): string {
    const first = this.scene.source.files[file]?.line ?? 0;
    const lines = (this.#lines[file] ?? []).slice(line - first, endLine - first + 1).map((text) => Array.from(text));
    return lines
      .map((characters, i) =>
        characters
          .slice(i === 0 ? column : 0, i === endLine - line ? endColumn : undefined)
          .join("")
          .trim(),
      )
      .join(" ");
  }

  /** The line on which a span begins, without its indentation. */
  lineText([file, line]: Span): string {
    return this.#lines[file]?.[line - (this.scene.source.files[file]?.line ?? 0)]?.trim() ?? "";
  }

  /** Where a node was made, "net.py:12"; "" where that is not known. */
  place(node: number): string {
    const span = this.span(node);
    const path = span && this.scene.source.files[span[0]]?.path;
    return path ? `${fileName(path)}:${span[1]}` : "";
  }

  where(holds: (node: number) => boolean): number[] {
    const found: number[] = [];
    for (let node = 0; node < this.size; node++) if (holds(node)) found.push(node);
    return found;
  }

  /** The nodes made in the scopes numbered from `low` up to, not including, `high`. */
  inScopes(low: number, high: number): number[] {
    const { scope } = this.columns;
    return this.where((node) => scope[node]! >= low && scope[node]! < high);
  }

  inScope(scope: number): number[] {
    return this.inScopes(scope, this.scopes.end(scope));
  }

  /** The nodes whose span satisfies a test, which is evaluated once per span. */
  whereSpan(holds: (span: Span, index: number) => boolean): number[] {
    const held = this.scene.tables.spans.map(holds);
    const { span } = this.columns;
    return this.where((node) => held[span[node]!] === true);
  }

  /** The nodes whose sub-expression touches a line. */
  atLine(line: number, file: number | null = null): number[] {
    return this.whereSpan(([of, first, , last]) => first <= line && line <= last && (file === null || of === file));
  }

  /**
   * The nodes that a piece of code made: those of the sub-expressions inside it; else those of the smallest
   * sub-expression around it (all that share its range, as the iterations of a loop do).
   */
  fromSource(file: number, line: number, column: number, endLine: number, endColumn: number): number[] {
    const piece: Span = [file, line, column, endLine, endColumn, null];
    const within = this.whereSpan((span) => span[0] === file && covers(piece, span[1], span[2], span[3], span[4]));
    if (within.length) return within;
    const around = this.scene.tables.spans.filter(
      (span) => span[0] === file && covers(span, line, column, endLine, endColumn),
    );
    const smallest = around.find((span) => around.every((other) => covers(other, span[1], span[2], span[3], span[4])));
    return smallest ? this.whereSpan((span) => sameRange(span, smallest)) : [];
  }
}

const sameRange = (one: Span, other: Span): boolean => [0, 1, 2, 3, 4].every((i) => one[i] === other[i]);
