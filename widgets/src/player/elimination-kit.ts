// What shows eliminations, and lets the reader make one.

import { CodePanel } from "../beside/code-panel.js";
import { EliminationPanel } from "../elimination/elimination-panel.js";
import { ExtendedPanel } from "../elimination/extended-panel.js";
import * as own from "../elimination/own-order.js";
import { FormulaPanel } from "../panels/formula-panel.js";
import { MatrixPanel } from "../panels/matrix-panel.js";
import { MetersPanel } from "../panels/meters-panel.js";
import type { Kit } from "./panel-kinds.js";

export const ELIMINATIONS: Kit = {
  panels: {
    elimination: EliminationPanel,
    extended: ExtendedPanel,
    matrix: MatrixPanel,
    formula: FormulaPanel,
    meters: MetersPanel,
    code: CodePanel,
  },
  own,
};
