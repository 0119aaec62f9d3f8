// Which class shows which kind of panel.

import { EliminationPanel } from "../elimination/elimination-panel.js";
import { LargePanel } from "../elimination/large-panel.js";
import { FlowPanel } from "../flow/flow-panel.js";
import { CodePanel } from "../beside/code-panel.js";
import { FormulaPanel } from "../panels/formula-panel.js";
import { StageGraph } from "../panels/graph-panel.js";
import { MatrixPanel } from "../panels/matrix-panel.js";
import { MetersPanel } from "../panels/meters-panel.js";
import { NudgePanel } from "../beside/nudge-panel.js";
import type { PanelContext, PlayerPanel } from "../panels/panel.js";
import { ResultPanel } from "../beside/result-panel.js";
import { TablePanel } from "../panels/table-panel.js";
import { TapePanel } from "../panels/tape-panel.js";
import type { Panel } from "../scene/scene.js";

const MAKERS: {
  [K in Panel["kind"]]?: new (panel: Extract<Panel, { kind: K }>, context: PanelContext) => PlayerPanel;
} = {
  graph: StageGraph,
  flow: FlowPanel,
  tape: TapePanel,
  table: TablePanel,
  matrix: MatrixPanel,
  code: CodePanel,
  result: ResultPanel,
  nudge: NudgePanel,
  formula: FormulaPanel,
  meters: MetersPanel,
  elimination: EliminationPanel,
  large: LargePanel,
};

/** The panel that a description asks for; null for a kind that the Player does not show. */
export function makePanel(description: Panel, context: PanelContext): PlayerPanel | null {
  const Maker = MAKERS[description.kind] as (new (panel: Panel, context: PanelContext) => PlayerPanel) | undefined;
  return Maker ? new Maker(description, context) : null;
}
