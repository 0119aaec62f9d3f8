// What is said of a node, a gate or a path that the reader points at, and of what an engine keeps at a node. Pure.

import { type Path, partialsOf, pathsOf } from "./paths.js";
import { AWAITED, COUNTERS } from "../panels/counters.js";
import type { Stage } from "../playback/stage.js";
import type { FlowEdge, FlowNode, FlowPanel, Step } from "../scene/scene.js";
import { decimals } from "../scene/values.js";

/** All paths are told up to the first number; of more, so many as the second says. */
const ALL = 8;
const LARGEST = 5;
/** The most nodes that a path names, and factors that a product has. */
const NAMED = 6;

const factor = (value: number): string => (value < 0 ? `(${decimals(value)})` : decimals(value));

/** The name of a node, without its value. */
export const nameOf = (node: FlowNode): string => (node.map ? node.name : node.name.split(" = ")[0]!);

const inBrackets = (name: string): string => (/^[\p{L}\w]+$/u.test(name) ? name : `(${name})`);

/** A local partial: "∂(sin(x))/∂x = cos x = 0.5403". */
export function gateNote({ nodes }: FlowPanel, { head, tail, gate }: FlowEdge): string {
  const [above, below] = [head, tail].map((end) => inBrackets(nameOf(nodes.find(({ node }) => node === end)!)));
  return [`∂${above}/∂${below}`, gate.written ?? gate.symbol, gate.number].filter(Boolean).join(gate.number ? " = " : ": ");
}

/** Whether a sweep has given a node its derivative after so many steps. */
export function isKnown({ moves, edges, reverse }: FlowPanel, node: number, cursor: number): boolean {
  const target = (edge: FlowEdge): number => (reverse ? edge.tail : edge.head);
  const coming = new Set(edges.filter((edge) => target(edge) === node).map(({ key }) => key));
  const own = moves.filter(({ kind, nodes, edge }) => (kind === "send" ? coming.has(edge) : kind !== "result" && nodes.includes(node)));
  return own.length > 0 && own.every(({ step }) => step < cursor);
}

/** A node with its value, its derivative once that is known, and the paths of an input or of a result. */
export function nodeNote(panel: FlowPanel, node: FlowNode, steps: readonly Step[], cursor: number): string[] {
  const known = isKnown(panel, node.node, cursor);
  const told = node.map ? `${node.derivative} of shape ${node.result?.text}${largestOf(node)}` : `${node.derivative} = ${node.result?.text}`;
  const waits = !known && node.kind === "input" && node.derivative;
  const derivative = known && node.result ? [told] : waits ? [`${waits}: not known yet`] : [];
  const isValued = panel.moves.some(({ kind, step, nodes }) => kind === "value" && step < cursor && nodes.includes(node.node));
  return [node.title, ...(isValued && !node.map ? [`value ${node.value}`] : []), ...derivative, ...(node.kind === "block" ? [] : pathNotes(panel, node, steps, cursor))];
}

/** The entry of a derivative that matters most. */
function largestOf({ result, name }: FlowNode): string {
  const { shape, rows, columns, data } = result?.map ?? { shape: [], rows: [], columns: [], data: [] };
  const sizes = data.map((entry) => Math.abs(Number(entry)));
  const at = sizes.indexOf(Math.max(...sizes));
  if (at < 0 || shape.length > 2) return "";
  const place = shape.length > 1 ? `${rows[Math.floor(at / columns.length)]}, ${columns[at % columns.length]}` : columns[at];
  return `: the largest entry is that of ${name}[${place}], ${decimals(Number(data[at]))}`;
}

function pathNotes(panel: FlowPanel, node: FlowNode, steps: readonly Step[], cursor: number): string[] {
  const paths = pathsOf(panel, node);
  if (!paths?.length) return paths ? [] : ["many paths"];
  const names = new Map(panel.nodes.map((each) => [each.node, nameOf(each)]));
  const way = (path: Path): string => {
    const all = [path[0]!.tail, ...path.map(({ head }) => head)].map((each) => names.get(each)!);
    return (all.length > NAMED ? [...all.slice(0, NAMED / 2), "…", ...all.slice(-NAMED / 2)] : all).join(" → ");
  };
  const partials = partialsOf(panel, steps);
  const seeds = new Map(panel.nodes.map((each) => [each.node, each.seed ? Number(each.seed.text.replace("−", "-")) : 1]));
  const seedOf = (path: Path): number => seeds.get(panel.reverse ? path.at(-1)!.head : path[0]!.tail)!;
  const factors = (path: Path): number[] => path.map(({ key }) => partials.get(key)!).reverse();
  const all = paths.map((path) => ({ path, product: factors(path).reduce((one, other) => one * other, seedOf(path)) }));
  // Until a sweep has come to its end there nothing is told of what it will find.
  const isTold = all.every(({ product }) => Number.isFinite(product)) && paths.every((path) => isKnown(panel, endOf(panel, path), cursor));
  const chosen = all.length <= ALL ? all : [...all].sort((one, other) => Math.abs(other.product) - Math.abs(one.product)).slice(0, LARGEST);
  const sum = (list: typeof all): number => list.reduce((whole, { product }) => whole + product, 0);
  const told = chosen.map(({ path, product }) => {
    const few = isTold && path.length > 1 && path.length <= NAMED ? `${factors(path).map(factor).join(" · ")} = ` : "";
    return isTold ? `${way(path)}: ${few}${decimals(product)}` : way(path);
  });
  const left = all.length - chosen.length;
  if (left) told.push(`+ ${left} more${isTold ? `: ${decimals(sum(all) - sum(chosen))}` : ""}`);
  if (isTold && all.length > 1) told.push(`sum: ${decimals(sum(all))}`);
  const [start, ...others] = panel.nodes.filter(({ kind }) => kind === "output");
  const along = `along ${all.length > 1 ? `${all.length} paths, whose effects add` : "one path"}${left ? ", largest first" : ""}`;
  return [`${node.kind === "input" ? `acts on ${others.length || !start ? "the results" : nameOf(start)}` : "the inputs act on it"} ${along}:`, ...told];
}

/** Where the derivative of a path comes out. */
const endOf = ({ reverse }: FlowPanel, path: Path): number => (reverse ? path[0]!.tail : path.at(-1)!.head);

/** What an engine keeps at a node, and no strip shows; nothing once the node has passed on what it had. */
export function engineNote({ run, strip }: FlowPanel, node: number, stage: Stage, isGone: boolean): string {
  const cell = strip?.cells.findIndex((each) => each.node === node) ?? -1;
  if (strip?.states[0]?.[2][cell] === "n") return ""; // it is said that it is never visited
  const at = (what: string): unknown => stage.get(`${run}/${what}/${node}`);
  const signs = strip ? [] : ["ready", "stored"].filter((what) => at(what) !== undefined);
  const counted = isGone ? [] : COUNTERS.filter(([what]) => !strip || what !== AWAITED).filter(([what]) => at(what) !== undefined).map(([what, words]) => words(at(what)));
  return [...counted, ...signs].filter(Boolean).join(" · ");
}
