// The show of the evaluation of an explored graph: it shares the graph's host, and has its own cursor and clock.

import { CodePanel } from "../beside/code-panel.js";
import type { Host, PlayerHost } from "../host.js";
import { FormulaPanel } from "../panels/formula-panel.js";
import { StageGraph } from "../panels/graph-panel.js";
import { TablePanel } from "../panels/table-panel.js";
import { LocalTraits } from "../playback/local-traits.js";
import type { Kit } from "../player/panel-kinds.js";
import { type Show, readShow } from "../scene/scene.js";

/** What shows it. */
export const PANELS: Kit = { panels: { graph: StageGraph, table: TablePanel, code: CodePanel, formula: FormulaPanel } };

export class Evaluation extends LocalTraits implements PlayerHost {
  readonly scene: Show;

  /** `show` is where the Scene is other than that of the graph. Throws SceneError for what is no show. */
  constructor(
    readonly host: Host,
    show: object,
  ) {
    super();
    this.scene = readShow({ ...(host.scene as object), ...show });
  }

  get columns(): ArrayBuffer | ArrayBufferView {
    return this.host.columns;
  }

  get selection(): readonly number[] {
    return this.host.selection;
  }

  select(nodes: readonly number[]): void {
    this.host.select(nodes);
  }

  onSelection(listener: (nodes: readonly number[]) => void): () => void {
    return this.host.onSelection(listener);
  }
}
