// For tests only: the golden sweeps (tests/stage/flow_goldens.py), laid out for a stage of usual proportions.

import { seen } from "../flow/lines.js";
import { laid } from "../layout/layout.js";
import type { Placed } from "../layout/placed.js";
import type { FlowPanel } from "../scene/document.js";

type Told = [from: number, to: number, share: number, lit: string[] | null];

/** A sweep, and moments of it. */
interface Sweep<Panel> {
  readonly panel: Panel;
  readonly moments: Told[];
}

export const STAGE = { width: 880, height: 560 };

const files = import.meta.glob<Sweep<FlowPanel>>("../../../build/flow/*.json", { eager: true, import: "default" });

export const sweeps: Readonly<Record<string, Sweep<Placed>>> = Object.fromEntries(
  Object.entries(files).map(([path, sweep]) => [path.split("/").at(-1)!.replace(".json", ""), { ...sweep, panel: laid(seen(sweep.panel, "lines", []), STAGE) }]),
);
