// What shows eliminations, and lets the reader make one.

import { DependenciesPanel } from "../algebra/dependencies-panel.js";
import { styles } from "../algebra/elimination-styles.js";
import { ExpressionsPanel } from "../algebra/expressions-panel.js";
import { LevelsPanel } from "../algebra/levels-panel.js";
import { OutlinePanel } from "../algebra/outline-panel.js";
import { CodePanel } from "../beside/code-panel.js";
import { EliminationPanel } from "../elimination/elimination-panel.js";
import { EntriesPanel } from "../elimination/entries-panel.js";
import { ExtendedPanel } from "../elimination/extended-panel.js";
import * as own from "../elimination/own-order.js";
import { FormulaPanel } from "../panels/formula-panel.js";
import { MetersPanel } from "../panels/meters-panel.js";
import type { Kit } from "./panel-kinds.js";
import { panelOf } from "../scene/scene.js";

export const ELIMINATIONS: Kit = {
  panels: {
    elimination: EliminationPanel,
    extended: ExtendedPanel,
    matrix: EntriesPanel,
    formula: FormulaPanel,
    meters: MetersPanel,
    code: CodePanel,
    expressions: ExpressionsPanel,
    outline: OutlinePanel,
    levels: LevelsPanel,
    dependencies: DependenciesPanel,
  },
  own,
  styles,
  keys: (scene) => (panelOf(scene, "expressions") ? [["↑ ↓", "in expressions, chains and blocks: from part to part"]] : []),
};
