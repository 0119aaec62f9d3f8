// Several sweeps over one graph that follow each other: the picture as the sweep has it that a cursor is in. Pure.

import type { Placed } from "../layout/placed.js";

const known = new WeakMap<Placed, Map<number, Placed>>();

/** The panel with what the sweep gives that was last under way. */
export function sweepAt(panel: Placed, cursor: number): Placed {
  const { sweeps = [], nodes, edges } = panel;
  const k = sweeps.filter(({ first }) => first < cursor).length - 1;
  if (k < 0) return panel;
  const made = known.get(panel) ?? new Map<number, Placed>();
  known.set(panel, made);
  const sweep = sweeps[k]!;
  const found = made.get(k) ?? {
    ...panel,
    moves: sweep.moves,
    nodes: nodes.map(({ seed: _, result: __, ...node }, i) => ({ ...node, ...sweep.nodes[i]! })),
    edges: edges.map(({ first: _, given: __, product: ___, ...edge }, i) => ({ ...edge, ...sweep.edges[i]! })),
  };
  made.set(k, found);
  return found;
}
