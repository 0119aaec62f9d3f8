// A graph beside another source: a compiled program beside its function, or two graphs that are compared.

import { Graph } from "./graph.js";
import type { ComparedGraph, FunctionPanel } from "../scene/scene.js";

/** The same nodes with another source; `span` is where each of them is in it. */
export const sourced = ({ scene, columns }: Graph, { files, spans }: Pick<ComparedGraph, "files" | "spans">, span: Graph["columns"]["span"]): Graph =>
  new Graph({ ...scene, source: { files }, tables: { ...scene.tables, spans } }, { ...columns, span });

/** The same nodes, with the source of the function. */
export const compiledFrom = (graph: Graph, panel: FunctionPanel): Graph => sourced(graph, panel, Int32Array.from(panel.span_of));
