// A sweep whose nodes, gates and edges have places, and an elimination.

import type { Point } from "../motion/curves.js";
import type { EliminationPanel, EliminationVertex, FlowEdge, FlowNode, FlowPanel, Gate } from "../scene/document.js";

/** How large a node is, and where from its center its value and its derivative stand, and how far down its name does. */
export interface Form {
  readonly w: number;
  readonly h: number;
  readonly head: number;
  readonly at: readonly [across: number, down: number];
  readonly slot: readonly [across: number, down: number];
  /** The size of the text of its derivative once it is complete. */
  readonly size: number;
}

export interface PlacedNode extends FlowNode, Form {
  readonly x: number;
  readonly y: number;
}

export interface PlacedGate extends Gate {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  /** The size, while its edge is in play, of one of which only the symbol is seen, or its number instead. */
  readonly whole?: readonly [w: number, h: number];
  readonly isNumber?: boolean;
}

/** An edge: the curve up to its gate, and the curve beyond. */
export interface PlacedEdge extends FlowEdge {
  readonly before: number[];
  readonly after: number[];
  readonly gate: PlacedGate;
}

export interface Placed extends FlowPanel {
  readonly width: number;
  readonly height: number;
  readonly nodes: PlacedNode[];
  readonly edges: PlacedEdge[];
}

export interface PlacedVertex extends EliminationVertex {
  readonly w: number;
}

/** An elimination on a stage: the middles of "vertex/3", "label/1.3" and all else that is ever there. */
export interface PlacedElimination extends EliminationPanel {
  readonly width: number;
  readonly height: number;
  readonly vertices: PlacedVertex[];
  readonly places: ReadonlyMap<string, Point>;
}
