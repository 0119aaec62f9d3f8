// Paths of a small graph, and what is multiplied along them. Pure.

import type { FlowEdge, FlowNode, FlowPanel, Step } from "../scene/scene.js";

/** A path from an input to a result, as the edges on it. */
export type Path = readonly FlowEdge[];

/** More paths than these are not followed. */
const MOST = 5000;

/** All paths from an input to results, or to a result from inputs; null where they are too many. */
export function pathsOf({ edges }: FlowPanel, node: FlowNode): Path[] | null {
  const forward = node.kind === "input";
  const found: Path[] = [];
  const open: Path[] = edges.filter((edge) => !edge.dead && (forward ? edge.tail : edge.head) === node.node).map((edge) => [edge]);
  for (let path = open.pop(); path; path = open.pop()) {
    const end = forward ? path.at(-1)!.head : path[0]!.tail;
    const onward = edges.filter((edge) => !edge.dead && (forward ? edge.tail : edge.head) === end);
    if (!onward.length) found.push(path);
    for (const edge of onward) open.push(forward ? [...path, edge] : [edge, ...path]);
    if (found.length + open.length > MOST) return null;
  }
  return found.reverse();
}

/** What the reader sees when a node is pointed at: the paths of an input or a result, and the edges of another node. */
export function edgesOf({ edges }: FlowPanel, { kind, node }: FlowNode): Set<string> {
  const lit = new Set(edges.filter(({ head, tail }) => head === node || tail === node));
  if (kind !== "block")
    for (const { head, tail } of lit)
      for (const next of edges) if (!next.dead && (kind === "input" ? next.tail === head : next.head === tail)) lit.add(next);
  return new Set([...lit].map(({ key }) => key));
}

const parsed = (digits: string): number => Number(digits.replace("−", "-"));

/** The local partial of each edge, as exact as the steps of a run tell it; NaN where it is no number. */
export function partialsOf({ edges, reverse, run }: FlowPanel, steps: readonly Pick<Step, "edits">[]): Map<string, number> {
  const partials = new Map(edges.map(({ key, gate }) => [key, gate.number ? parsed(gate.number) : NaN]));
  const sources = new Map(edges.map((edge) => [edge.key, reverse ? edge.head : edge.tail]));
  const held = new Map<string, unknown>();
  for (const { edits } of steps)
    for (const [key, , after] of edits) {
      if (after !== null) held.set(key, after);
      const edge = key.startsWith(`${run}/product/`) ? key.slice(`${run}/product/`.length) : "";
      const given = held.get(`${run}/${reverse ? "adjoint" : "tangent"}/${sources.get(edge)}`);
      if (typeof after === "number" && typeof given === "number" && given && partials.has(edge)) partials.set(edge, after / given);
    }
  return partials;
}
