// For tests only: the graphs that Python makes (tests/stage/query_goldens.py), as the Explorer is sent them.

import { Graph } from "../graph/graph.js";
import { fromBase64 } from "../scene/base64.js";
import { decodeColumns } from "../scene/columns.js";
import { readScene } from "../scene/scene.js";

const sent = import.meta.glob<{ scene: unknown; columns: string }>("../../../build/queries/*.json", { eager: true, import: "default" });

export const graphs: Readonly<Record<string, Graph>> = Object.fromEntries(
  Object.entries(sent).map(([path, { scene: document, columns }]) => {
    const scene = readScene(document);
    const buffer = fromBase64(columns).buffer;
    return [path.split("/").at(-1)!.replace(".json", ""), new Graph(scene, decodeColumns(buffer, scene.columns))];
  }),
);
