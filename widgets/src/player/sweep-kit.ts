// What shows sweeps, evaluations, and op graphs.

import { BenchPanel, KEYS_OF_BENCH } from "../bench/bench-panel.js";
import { styles } from "../bench/sweep-styles.js";
import { CodePanel } from "../beside/code-panel.js";
import { NudgePanel } from "../beside/nudge-panel.js";
import { ResultPanel } from "../beside/result-panel.js";
import { FlowPanel } from "../flow/flow-panel.js";
import { FoldingGraph } from "../ops/folding-graph.js";
import { MemoryPanel } from "../ops/memory-panel.js";
import { FormulaPanel } from "../panels/formula-panel.js";
import { MatrixPanel } from "../panels/matrix-panel.js";
import { MetersPanel } from "../panels/meters-panel.js";
import { TablePanel } from "../panels/table-panel.js";
import { TapePanel } from "../panels/tape-panel.js";
import type { Kit } from "./panel-kinds.js";

export const SWEEPS: Kit = {
  panels: {
    graph: FoldingGraph,
    flow: FlowPanel,
    tape: TapePanel,
    table: TablePanel,
    matrix: MatrixPanel,
    code: CodePanel,
    result: ResultPanel,
    nudge: NudgePanel,
    formula: FormulaPanel,
    bench: BenchPanel,
    meters: MetersPanel,
    memory: MemoryPanel,
  },
  styles,
  keys: ({ panels }) => (panels.some(({ kind }) => kind === "bench") ? KEYS_OF_BENCH : []),
};
