// One node as the inspector shows it: elements from a Detail.

import type { Derivative } from "./adjoints.js";
import type { Graph } from "../graph/graph.js";
import { row } from "../graph/links.js";
import { figure as decimals } from "../bench/sums.js";
import { type Room, cells, figureOf, isUnknown, noteOf, signOf } from "../picture/heat-map.js";
import { color } from "../motion/marks.js";
import type { Detail, HeatMap, JacobianPart, LocalJacobian, NodeOperand, Origin, Value } from "../scene/scene.js";
import { type Child, html, svg } from "../ui/dom.js";
import { bytes, count, cut, fileName, large, mathematics, number, plural, shape } from "../ui/format.js";

/** How much is known: all; the answer is on its way; or why there is none. */
export type Knowledge = "complete" | "asking" | { missing: string };

const MOST_USERS = 50;
const LONGEST_NAME = 40;
const ROOM: Room = [256, 132, 22];
const PART_ROOM: Room = [160, 60, 12];

/** What the columns say about a node, shown until Python answers, or instead of its answer. */
export function knownDetail(graph: Graph, node: number): Detail {
  const { columns } = graph;
  const users = new Map<number, number>();
  for (const user of row(graph.users, node)) users.set(user, (users.get(user) ?? 0) + 1);
  const scalar = graph.is("scalar", node);
  return {
    node,
    block: graph.block(node).name,
    family: graph.block(node).family,
    name: graph.name(node),
    called: graph.name(node) ?? `v${node}`,
    formula: "",
    times_used: columns.uses[node]!,
    live: graph.is("live", node),
    scope: graph.scopes.path(columns.scope[node]!),
    origin: originOf(graph, node),
    value: scalar ? { shape: [], dtype: "", bytes: columns.bytes[node]!, text: number(columns.value[node]!) } : null,
    operands: [...row(graph.operands, node)].map((operand) => ({
      node: operand,
      label: graph.label(operand),
      jacobian: null,
    })),
    users: [...users].slice(0, MOST_USERS).map(([user, times]) => ({ node: user, label: graph.label(user), times })),
    users_total: users.size,
  };
}

function originOf(graph: Graph, node: number): Origin | null {
  const span = graph.span(node);
  if (!span) return null;
  const [file, line, column, end_line, end_column] = span;
  const path = graph.scene.source.files[file]?.path ?? "";
  return { file, line, column, end_line, end_column, path, text: graph.spanText(graph.columns.span[node]!) };
}

const section = (title: string, ...children: Child[]): HTMLElement =>
  html("section.adviz-section", html("h4", title), ...children);

/** A button that selects a node; the explorer listens for all of them. */
export const nodeLink = (node: number, label: string): HTMLElement =>
  html("button.adviz-link", { "data-link": node }, label);

/** The same with the name in the source, where that is known. */
const namedLink = (graph: Graph, node: number, label: string): HTMLElement =>
  html("button.adviz-link", { "data-link": node, title: label }, nameOf(graph, node, label));

/** The name of a node in the source; the expression that made it, where that is longer than a name. */
function nameOf(graph: Graph, node: number, otherwise: string): HTMLElement {
  const [name, span] = [graph.called.get(node), graph.columns.span[node]!];
  if (name === undefined) return html("span", otherwise);
  return name.includes("…") && span >= 0 ? html("code", cut(graph.spanText(span), LONGEST_NAME)) : html("span.adviz-serif", ...italic(name));
}

const italic = (name: string): (HTMLElement | string)[] => mathematics(name, (part) => html("span.adviz-italic", part));

const absent = (words: string): HTMLElement => html("div.adviz-absent", words);

function heading(graph: Graph, { node, family, block, name, formula }: Detail): HTMLElement {
  return html(
    "div.adviz-heading",
    { "data-family": family },
    html("h3", nameOf(graph, node, name ?? block), html("span.adviz-number", formula || `v${node}`)),
    html("button.adviz-quiet", { "data-show": node, title: "Look at this node in the picture" }, "Show"),
  );
}

/** Shape, type, bytes and operation in one line. */
function brief(graph: Graph, { node, block, value }: Detail): HTMLElement {
  const operations = graph.columns.operations[node]!;
  const facts = [value?.shape.length ? shape(value.shape) : null, value?.dtype || null, value && bytes(value.bytes), block, operations ? `${large(operations)} ${operations === 1 ? "operation" : "operations"}` : null];
  return html("p.adviz-brief", facts.filter(Boolean).join(" · "));
}

function facts(value: Value): HTMLElement {
  const rows: [string, string | null][] = [
    ["shape", value.shape.length ? shape(value.shape) : null],
    ["type", value.dtype || null],
    ["memory", bytes(value.bytes)],
    ...(["min", "max", "mean", "norm"] as const).map((name): [string, string | null] => [
      name,
      typeof value[name] === "number" ? number(value[name]) : null,
    ]),
    ["NaN", value.nan ? count(value.nan) : null],
    ["Inf", value.inf ? count(value.inf) : null],
  ];
  const shown = rows.filter(([, content]) => content !== null);
  return html(
    "ul.adviz-facts",
    ...shown.map(([term, content]) =>
      html("li", { "data-alarm": term === "NaN" || term === "Inf" }, html("span", term), " ", html("b", content)),
    ),
  );
}

function valueSection(value: Value | null, knowledge: Knowledge): HTMLElement {
  if (!value) return section("Value", missing(knowledge, "not computed"));
  const numbers =
    value.text === null || (value.map && isTold(value.map))
      ? null
      : value.shape.length
        ? html("div.adviz-numbers", { tabindex: 0 }, value.text)
        : html("div.adviz-numbers.adviz-single", html("span", { "data-unknown": isUnknown(value.text) }, value.text));
  return section("Value", value.map ? figure(value.map) : null, numbers);
}

const BARS_WIDE = 240;
const BARS_HIGH = 44;

function histogram({ low, high, counts }: { low: number; high: number; counts: number[] }): HTMLElement {
  const most = Math.max(1, ...counts);
  const step = BARS_WIDE / Math.max(1, counts.length);
  const bars = counts.map((value, i) => {
    const height = value ? Math.max(1.5, (BARS_HIGH * value) / most) : 0;
    return svg("rect", { x: i * step + 0.5, y: BARS_HIGH - height, width: Math.max(0.5, step - 1), height });
  });
  const label = `Histogram from ${number(low)} to ${number(high)}: ${counts.map((value) => count(value)).join(", ")}`;
  return html(
    "div.adviz-histogram",
    svg(
      "svg",
      { viewBox: `0 0 ${BARS_WIDE} ${BARS_HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      ...bars,
    ),
    html("div.adviz-ends", { "aria-hidden": "true" }, html("span", number(low)), html("span", number(high))),
  );
}

function figuresSection(value: Value | null): HTMLElement | null {
  if (!value) return null;
  const note = value.note ? html("p.adviz-muted", value.note) : null;
  return section("Figures of the value", value.histogram ? histogram(value.histogram) : null, facts(value), note);
}

/** So many columns and rows are told in numbers. */
const [COLUMNS, ROWS, STRONG] = [6, 8, 66];

const isTold = ({ rows, columns }: HeatMap): boolean => columns.length <= COLUMNS && rows.length <= ROWS;

/** A small matrix in numbers. */
const numbersOf = (map: HeatMap): HTMLElement =>
  html(
    "div.adviz-told",
    { role: "img", "aria-label": map.data.map(decimals).join(", "), style: `grid-template-columns:repeat(${map.columns.length},auto)` },
    ...cells(map).map(({ paint }, k) =>
      html("span", { title: String(map.data[k]), style: `background:${color(paint)};color:var(--${Number(paint.split(" ")[1] ?? 0) > STRONG ? "on-hue" : "ink"})` }, decimals(map.data[k]!)),
    ),
  );

/** A heat map with its shape, its scale, and how much of the array it shows; a small one in numbers. */
const figure = (map: HeatMap): HTMLElement =>
  isTold(map) ? numbersOf(map) :
  html("div.adviz-part", figureOf(map, ROOM), html("span.adviz-muted", noteOf(map)));

/** The derivative of the chosen output with respect to the node. */
function adjointSection(graph: Graph, { node, called }: Detail, derivative: Derivative | null): HTMLElement | null {
  if (!derivative) return null;
  const known = derivative.of(graph, node);
  const shown =
    known === null
      ? absent("not computed for this array")
      : typeof known === "number"
        ? html("span.adviz-adjoint", { "data-value": signOf(known) }, number(known))
        : figure(known);
  return html("section.adviz-section", html("h4.adviz-plain", "∂ ", ...italic(derivative.output), " / ∂ ", nameOf(graph, node, called)), shown);
}

/** What stands where something is not known: never a number, and drawn unlike one. */
function missing(knowledge: Knowledge, otherwise: string): HTMLElement {
  if (knowledge === "asking") return html("div.adviz-asking", "asking Python …");
  return absent(knowledge === "complete" ? otherwise : knowledge.missing);
}

const partRow = ({ label, text, map }: JacobianPart): HTMLElement =>
  html(
    "div.adviz-part",
    html("span.adviz-muted", text === null || map ? label : `${label}:`),
    map ? figureOf(map, PART_ROOM) : null,
    text === null ? null : html("code", text),
  );

/** A local partial in short: its symbol, or its number, with what its structure consists of. */
function partial({ structure, shape: sizes, symbol, text, parts }: LocalJacobian): Child[] {
  const isNumber = sizes.every((size) => size === 1);
  const words = symbol ?? (isNumber ? text : null);
  const known = isNumber && text !== words ? html("code.adviz-written", `= ${text}`) : null;
  return [words === null ? null : html("code.adviz-partial", words), known, isNumber ? null : html("span.adviz-muted", `${structure} ${shape(sizes)}`), ...parts.map((part) => partRow(part.map ? { ...part, text: null } : part))];
}

function operandRow(graph: Graph, operand: NodeOperand | { literal: string }, knowledge: Knowledge): HTMLElement {
  if (!("node" in operand)) {
    return html("li", html("code", operand.literal), html("span.adviz-muted", " a constant: no gradient flows to it"));
  }
  const jacobian = operand.jacobian
    ? partial(operand.jacobian)
    : [missing(knowledge, "no Jacobian: not differentiable here")];
  return html("li", namedLink(graph, operand.node, operand.label), ...jacobian);
}

function usersSection(graph: Graph, { times_used, live, users, users_total }: Detail): HTMLElement {
  const returned = live && times_used === 0 && users_total > 0;
  const title = returned ? "Returned" : `Used ${plural(times_used, "time")}`;
  const why = live ? null : html("p.adviz-muted", "It reaches no output: dead.");
  const links = users.map(({ node, label, times }) =>
    html("li", namedLink(graph, node, label), times > 1 ? ` × ${count(times)}` : "", lineOf(graph, node)),
  );
  const more =
    users_total > users.length ? html("li.adviz-muted", `and ${count(users_total - users.length)} more`) : null;
  return section(title, why, links.length ? html("ul.adviz-inline", ...links, more) : null);
}

/** The line of a node, where names are those of the source. */
function lineOf(graph: Graph, node: number): HTMLElement | null {
  const line = graph.span(node)?.[1];
  return line ? html("span.adviz-muted", ` line ${line}`) : null;
}

function whereSection({ scope, origin }: Detail): HTMLElement {
  const place =
    origin &&
    html(
      "button.adviz-origin",
      { "data-origin": "", title: "Show in the source" },
      html("code", origin.text),
      html("span.adviz-muted", `${fileName(origin.path)}, line ${origin.line}`),
    );
  return section("Made by", place ?? absent("origin unknown"), html("p.adviz-muted", scope));
}

/** The whole view of one node. */
export function drawDetail(
  graph: Graph,
  detail: Detail,
  knowledge: Knowledge,
  derivative: Derivative | null,
): HTMLElement[] {
  const taken = detail.operands.filter((operand) => "node" in operand || /\d/.test(operand.literal));
  const operands = taken.length
    ? section("Local partials", html("ul.adviz-operands", ...taken.map((operand) => operandRow(graph, operand, knowledge))))
    : null;
  const sections = [
    heading(graph, detail),
    brief(graph, detail),
    html("div.adviz-pair", valueSection(detail.value, knowledge), adjointSection(graph, detail, derivative)),
    operands,
    usersSection(graph, detail),
    whereSection(detail),
    figuresSection(detail.value),
  ];
  return sections.filter((part) => part !== null);
}
