// For tests only: the golden scene, its columns as Python packs them, and hosts that remember what they were told.

import { Graph } from "../graph/graph.js";
import type { Host } from "../host.js";
import { PageHost, type SavedDocument } from "../hosts/page.js";
import { decodeColumns } from "../scene/columns.js";
import { type ColumnEntry, type Scene, type Span, readScene } from "../scene/scene.js";
import golden from "../../../tests/goldens/scenes/loop.json";

export { golden };

/** Markup, quotes and scripts, which must stay text. */
export const HOSTILE = `"'><img src=x onerror="globalThis.broken=1"><script>globalThis.broken=1</script>&lt;`;

const SETTERS = {
  u8: "setUint8",
  u16: "setUint16",
  u32: "setUint32",
  i32: "setInt32",
  f32: "setFloat32",
  f64: "setFloat64",
} as const;
const WIDTHS = { u8: 1, u16: 2, u32: 4, i32: 4, f32: 4, f64: 8 } as const;

export const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The binary buffer of columns given as lists. */
function pack(entries: readonly ColumnEntry[], columns: Record<string, number[]>): ArrayBuffer {
  const end = Math.max(0, ...entries.map(({ offset, length }) => offset + 8 * length));
  const view = new DataView(new ArrayBuffer(end));
  for (const { name, type, offset } of entries) {
    columns[name]!.forEach((value, i) => view[SETTERS[type]](offset + i * WIDTHS[type], value, true));
  }
  return view.buffer;
}

export const goldenColumns = (): ArrayBuffer => pack(golden.scene.columns as ColumnEntry[], golden.columns);

export const goldenScene = (): Scene => readScene(copy(golden.scene));

export const goldenGraph = (): Graph => {
  const scene = goldenScene();
  return new Graph(scene, decodeColumns(goldenColumns(), scene.columns));
};

export function saved(changes: Partial<SavedDocument> = {}): SavedDocument {
  const columns = btoa(String.fromCharCode(...new Uint8Array(goldenColumns())));
  return copy({
    scene: golden.scene,
    columns,
    views: golden.views,
    details: golden.details,
    ...changes,
  }) as unknown as SavedDocument;
}

/** A host of a saved page that remembers the selections it was told. */
export class RememberingHost extends PageHost implements Host {
  readonly told: (readonly number[])[] = [];

  override select(nodes: readonly number[]): void {
    this.told.push(nodes);
    super.select(nodes);
  }
}

interface Made {
  operands?: number[];
  block?: number;
  scope?: number;
  span?: number;
  flags?: number;
  uses?: number;
  value?: number;
  bytes?: number;
}

/** A graph from its nodes; blocks, scopes and spans are those of the golden scene unless given. */
export function graphOf(nodes: readonly Made[], changes: { spans?: Span[]; text?: string } = {}): Graph {
  const scene = goldenScene();
  scene.tables.names = {};
  if (changes.spans) scene.tables.spans = changes.spans;
  if (changes.text) scene.source.files[0]!.text = changes.text;
  const rest = nodes.flatMap(({ operands = [] }, node) => operands.slice(2).map((operand) => [node, operand] as const));
  const of = <K extends keyof Made>(name: K, otherwise: number): number[] =>
    nodes.map((node) => (node[name] as number | undefined) ?? otherwise);
  return new Graph(scene, {
    ...decodeColumns(goldenColumns(), scene.columns),
    block: Uint16Array.from(of("block", 1)),
    flags: Uint8Array.from(of("flags", 1)),
    uses: Uint32Array.from(of("uses", 1)),
    first: Int32Array.from(nodes, ({ operands }) => operands?.[0] ?? -1),
    second: Int32Array.from(nodes, ({ operands }) => operands?.[1] ?? -1),
    rest_node: Int32Array.from(rest, ([node]) => node),
    rest_operand: Int32Array.from(rest, ([, operand]) => operand),
    scope: Int32Array.from(of("scope", 0)),
    span: Int32Array.from(of("span", -1)),
    bytes: Float32Array.from(of("bytes", 8)),
    value: Float64Array.from(of("value", 0)),
  });
}
