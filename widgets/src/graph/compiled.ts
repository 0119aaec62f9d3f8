// A compiled program is shown beside its function: each node has a span in both sources.

import { Graph } from "./graph.js";
import type { FunctionPanel } from "../scene/scene.js";

/** The same nodes, with the source of the function. */
export const compiledFrom = ({ scene, columns }: Graph, { files, spans, span_of }: FunctionPanel): Graph =>
  new Graph(
    { ...scene, source: { files }, tables: { ...scene.tables, spans } },
    { ...columns, span: Int32Array.from(span_of) },
  );
