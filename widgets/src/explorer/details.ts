// One node as the inspector shows it: elements from a Detail.

import type { Derivative } from "./adjoints.js";
import { histogram } from "./glyphs.js";
import type { Graph } from "../graph/graph.js";
import { row } from "../graph/links.js";
import { type Room, figureOf, isUnknown, noteOf, signOf } from "../picture/heat-map.js";
import type { Detail, HeatMap, JacobianPart, LocalJacobian, NodeOperand, Origin, Value } from "../scene/scene.js";
import { type Child, html } from "../ui/dom.js";
import { bytes, count, number, plural, shape } from "../ui/format.js";

/** How much is known: all; the answer is on its way; or why there is none. */
export type Knowledge = "complete" | "asking" | { missing: string };

const MOST_USERS = 50;
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

const absent = (words: string): HTMLElement => html("div.adviz-absent", words);

function heading(detail: Detail, symbol: string): HTMLElement {
  const name = detail.name ? html("span.adviz-name", detail.name) : null;
  return html(
    "div.adviz-heading",
    { "data-family": detail.family },
    html("span.adviz-chip", { "aria-hidden": "true" }, symbol),
    html("h3", detail.block === symbol ? null : detail.block, html("span.adviz-number", `v${detail.node}`)),
    name,
    html("button.adviz-quiet", { "data-show": detail.node, title: "Look at this node in the picture" }, "Show"),
  );
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
    value.text === null
      ? null
      : value.shape.length
        ? html("div.adviz-numbers", { tabindex: 0 }, value.text)
        : html("div.adviz-numbers.adviz-single", html("span", { "data-unknown": isUnknown(value.text) }, value.text));
  return section("Value", value.map ? figure(value.map) : null, numbers);
}

function figuresSection(value: Value | null): HTMLElement | null {
  if (!value) return null;
  const note = value.note ? html("p.adviz-muted", value.note) : null;
  return section("Figures of the value", value.histogram ? histogram(value.histogram) : null, facts(value), note);
}

/** A heat map with its shape, its scale, and how much of the array it shows. */
const figure = (map: HeatMap): HTMLElement =>
  html("div.adviz-part", figureOf(map, ROOM), html("span.adviz-muted", noteOf(map)));

/** The derivative of the chosen output with respect to the node. */
function adjointSection(graph: Graph, { node, called }: Detail, derivative: Derivative | null): HTMLElement | null {
  if (!derivative) return null;
  const known = derivative.of(graph, node);
  const symbol = html("code", `∂${derivative.output}/∂${called} =`);
  const shown =
    known === null
      ? absent("not computed for this array")
      : typeof known === "number"
        ? html("span.adviz-adjoint", { "data-value": signOf(known) }, number(known))
        : figure(known);
  return section("Adjoint", html("div.adviz-part", symbol, shown));
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

function jacobianFacts({ structure, shape: sizes, nonzeros, rule, symbol, text, parts }: LocalJacobian): Child[] {
  const number = sizes.every((size) => size === 1);
  return [
    number
      ? null
      : html(
          "div.adviz-jacobian",
          html("span", `${structure} ${shape(sizes)}`),
          html("span.adviz-muted", plural(nonzeros, "nonzero")),
        ),
    html(
      "div.adviz-rule",
      html("code", symbol === null ? rule : `${rule} = ${symbol}`),
      text === null || text === symbol ? null : html("code.adviz-written", `= ${text}`),
    ),
    ...parts.map(partRow),
  ];
}

function operandRow(operand: NodeOperand | { literal: string }, knowledge: Knowledge): HTMLElement {
  if (!("node" in operand)) {
    return html("li", html("code", operand.literal), html("span.adviz-muted", " a constant: no gradient flows to it"));
  }
  const jacobian = operand.jacobian
    ? jacobianFacts(operand.jacobian)
    : [missing(knowledge, "no Jacobian: not differentiable here")];
  return html("li", nodeLink(operand.node, operand.label), ...jacobian);
}

function usersSection({ times_used, live, users, users_total }: Detail): HTMLElement {
  const returned = live && times_used === 0 && users_total > 0;
  const title = returned ? "Returned" : `Used ${plural(times_used, "time")}`;
  const why = live ? null : html("p.adviz-muted", "It reaches no output: dead.");
  const links = users.map(({ node, label, times }) =>
    html("li", nodeLink(node, label), times > 1 ? ` × ${count(times)}` : ""),
  );
  const more =
    users_total > users.length ? html("li.adviz-muted", `and ${count(users_total - users.length)} more`) : null;
  return section(title, why, links.length ? html("ul.adviz-inline", ...links, more) : null);
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

const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** The whole view of one node. */
export function drawDetail(
  graph: Graph,
  detail: Detail,
  knowledge: Knowledge,
  derivative: Derivative | null,
): HTMLElement[] {
  const operands = detail.operands.length
    ? section(
        detail.operands.length === 1 ? "Operand and local Jacobian" : "Operands and local Jacobians",
        html("ul.adviz-operands", ...detail.operands.map((operand) => operandRow(operand, knowledge))),
      )
    : null;
  const formula = detail.formula ? html("p.adviz-formula", html("code", detail.formula)) : null;
  const sections = [
    heading(detail, graph.block(detail.node).symbol),
    formula,
    valueSection(detail.value, knowledge),
    adjointSection(graph, detail, derivative),
    figuresSection(detail.value),
    operands,
    usersSection(detail),
    whereSection(detail),
  ];
  return sections.filter((part) => part !== null);
}
