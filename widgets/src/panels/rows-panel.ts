// What panels of rows have in common: the rows do most of their work.

import type { Moment, PlayerPanel } from "./panel.js";
import type { Size } from "../picture/camera.js";
import type { Rows } from "./rows.js";

export abstract class RowsPanel implements PlayerPanel {
  abstract readonly element: HTMLElement;
  protected abstract readonly rows: Rows;

  abstract show(moment: Moment): void;

  get size(): Size {
    return this.rows.size;
  }

  mark(nodes: readonly number[]): void {
    this.rows.mark(nodes);
  }

  breaks(nodes: ReadonlySet<number>): void {
    this.rows.breaks(nodes);
  }

  adopt(other: PlayerPanel): void {
    if (other instanceof RowsPanel && other.constructor === this.constructor) this.rows.adopt(other.rows);
  }
}
