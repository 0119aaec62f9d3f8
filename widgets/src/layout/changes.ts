// From one layout of a sweep to the next: what it keeps, and how things move.

import type { Placed } from "./placed.js";
import type { Amount, FlowNode, FlowPanel, Panel } from "../scene/document.js";
import type { Chain } from "../motion/curves.js";

/** Whether two sweeps run over the same nodes and edges. */
export const isAlike = (one: FlowPanel, other: FlowPanel): boolean =>
  alike(one.nodes, other.nodes) && alike(one.edges, other.edges);

const alike = (one: readonly { readonly key: string }[], other: readonly { readonly key: string }[]): boolean =>
  one.length === other.length && one.every(({ key }, k) => key === other[k]!.key);

/** The sweep with room for the texts of an earlier one that is alike, so that nothing moves when a number gets shorter. */
export function grown(panel: FlowPanel, earlier: FlowPanel): FlowPanel {
  const amount = (now: Amount | undefined, before: Amount | undefined): Amount[] => (now ? [{ ...now, w: Math.max(now.w, before?.w ?? 0) }] : []);
  const nodes = panel.nodes.map((node, k): FlowNode => {
    const old = earlier.nodes[k]!;
    const [seed, result] = [amount(node.seed, old.seed), amount(node.result, old.result)];
    const wide = { name_w: Math.max(node.name_w, old.name_w), value_w: Math.max(node.value_w, old.value_w) };
    return { ...node, ...wide, ...(seed[0] && { seed: seed[0] }), ...(result[0] && { result: result[0] }) };
  });
  const edges = panel.edges.map((edge, k) => {
    const { gate } = earlier.edges[k]!;
    return { ...edge, gate: { ...edge.gate, number_w: Math.max(edge.gate.number_w ?? 0, gate.number_w ?? 0) } };
  });
  return { ...panel, nodes, edges };
}

/** A sweep with room for what others over the same nodes say that stand beside it, so that all have one layout. */
export function beside(panel: FlowPanel, panels: readonly Panel[]): FlowPanel {
  const others = panels.filter((other): other is FlowPanel => other.kind === "flow" && other.id !== panel.id && isAlike(panel, other));
  if (!others.length) return panel;
  // What they give counts as that of sweeps that never begin.
  const never = others.map(({ nodes, edges }) => ({ first: Infinity, nodes, edges, moves: [] }));
  return { ...others.reduce(grown, panel), sweeps: [...(panel.sweeps ?? []), ...never] };
}

/**
 * A layout on the way from another one of the same sweep, when so much of it (0 to 1) is done. What was not there before
 * comes out of the node that it was in, if that is known.
 */
export function between(from: Placed, to: Placed, share: number, homeOf: (node: number) => number = (node) => node): Placed {
  const [nodes, edges] = [new Map(from.nodes.map((node) => [node.node, node])), new Map(from.edges.map((edge) => [edge.key, edge]))];
  const start = (node: number, place: { readonly x: number; readonly y: number }) => nodes.get(node) ?? nodes.get(homeOf(node)) ?? place;
  const mix = (one: number, other: number): number => one + share * (other - one);
  const place = (one: { readonly x: number; readonly y: number }, other: { readonly x: number; readonly y: number }) => ({ x: mix(one.x, other.x), y: mix(one.y, other.y) });
  const curve = (one: Chain, other: number[]): number[] => (one.length === other.length ? other.map((at, i) => mix(one[i]!, at)) : other);
  return {
    ...to,
    nodes: to.nodes.map((node) => ({ ...node, ...place(start(node.node, node), node) })),
    edges: to.edges.map((edge) => {
      const old = edges.get(edge.key) ?? { gate: start(edge.head, edge.gate), before: [], after: [] };
      return { ...edge, gate: { ...edge.gate, ...place(old.gate, edge.gate) }, before: curve(old.before, edge.before), after: curve(old.after, edge.after) };
    }),
  };
}
