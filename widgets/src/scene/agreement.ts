// Consistency of a show: runs and nodes that are named exist, and each edit finds the value the previous one left.

import { type Fault, at, describe, firstFault } from "./check.js";
import type { Edit, Panel, Part, Show } from "./document.js";
import { alike } from "./values.js";

/** The first fault, or null. */
export function agreement({ runs, panels, steps, inputs, columns, start }: Show): Fault | null {
  const known = new Set(runs.map(({ id }) => id));
  const size = columns.find(({ name }) => name === "first")?.length ?? 0;
  const stage = new Map<string, unknown>(Object.entries(start ?? {}));
  const run = (id: string, place: string): Fault | null =>
    known.has(id) ? null : at(place, `expected a run of this show, found ${describe(id)}`);
  const node = (number: number | null, place: string): Fault | null =>
    number === null || (number >= 0 && number < size) ? null : at(place, `there is no node ${number} among ${size}`);
  const edit = ([key, before, after]: Edit): Fault | null => {
    if (stage.has(key) && !alike(stage.get(key), before))
      return at("[1]", `${describe(before)} is not what the previous step left at ${key}`);
    stage.set(key, after);
    return run(key.split("/", 1)[0]!, "[0]");
  };
  const part = (part: Part): Fault | null =>
    run(part.run, ".run") ??
    node(part.node, ".node") ??
    node(part.edge && part.edge[0], ".edge[0]") ??
    node(part.edge && part.edge[1], ".edge[1]");
  const panel = (panel: Panel): Fault | null => {
    if ("run" in panel && run(panel.run!, ".run")) return run(panel.run!, ".run");
    if (panel.kind === "tape" || panel.kind === "table")
      return firstFault(panel.rows as { node: number }[], ".rows", (row) => node(row.node, ".node"));
    if (panel.kind !== "graph") return null;
    const items = new Set(panel.nodes.map(({ key }) => key));
    const end = (key: string, place: string): Fault | null =>
      items.has(key) ? null : at(place, `there is no item ${describe(key)}`);
    return (
      firstFault<{ node?: number | null }>(panel.nodes, ".nodes", (item) => node(item.node ?? null, ".node")) ??
      firstFault<{ tail: string; head: string }>(
        panel.edges,
        ".edges",
        ({ tail, head }) => end(tail, ".tail") ?? end(head, ".head"),
      )
    );
  };
  return (
    firstFault(panels, ".panels", panel) ??
    firstFault(inputs, ".inputs", (input) => node(input.node, ".node")) ??
    firstFault(
      steps,
      ".steps",
      (step) => part(step) ?? firstFault(step.parts ?? [], ".parts", part) ?? firstFault(step.edits, ".edits", edit),
    )
  );
}
