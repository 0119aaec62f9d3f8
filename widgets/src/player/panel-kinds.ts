// Which class shows which kind of panel.

import type * as OwnOrders from "../elimination/own-order.js";
import type { PlayerHost } from "../host.js";
import type { PanelContext, PlayerPanel } from "../panels/panel.js";
import type { Panel, Show } from "../scene/scene.js";

/** What a Player needs for the shows of a bundle; of elimination, the reader's own order, too. */
export interface Kit {
  readonly panels: {
    readonly [K in Panel["kind"]]?: new (panel: Extract<Panel, { kind: K }>, context: PanelContext) => PlayerPanel;
  };
  readonly own?: typeof OwnOrders;
  /** What these panels need beside the styles of all. */
  readonly styles?: string;
  /** What keys do in these panels, for the legend. */
  readonly keys?: (scene: Show) => [keys: string, meaning: string][];
}

/** In which order matrices are multiplied, as all views and Python have it. */
export const associationOf = (host: PlayerHost): NonNullable<PanelContext["association"]> => ({
  now: () => host.trait("association") ?? [],
  tell: (order) => host.tell("association", order),
  hear: (listener) => host.hear("association", listener),
});

/** The panel that a description asks for; null for a kind that the Player does not show. */
export function makePanel({ panels }: Kit, description: Panel, context: PanelContext): PlayerPanel | null {
  const Maker = panels[description.kind] as (new (panel: Panel, context: PanelContext) => PlayerPanel) | undefined;
  return Maker ? new Maker(description, context) : null;
}
