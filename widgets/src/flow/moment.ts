// A moment of a sweep as marks: a function of the panel, of two cursors, and of how much of the way between them is done.
// Nothing is remembered, so that scrubbing, stills and films show the same.

import { edgeMarks, equationMarks, gateMarks, travelMarks } from "./edges.js";
import { type Item, type Mark, box, text } from "../motion/marks.js";
import { nodeMarks, parkedMarks, seedMarks } from "./nodes.js";
import { type Context, type Lit, type Standing, stand } from "./standing.js";
import { stripMarks } from "./strip.js";
import type { Question } from "../scene/document.js";
import type { Placed, PlacedEdge, PlacedNode } from "../layout/placed.js";

export type { Lit } from "./standing.js";

export function items(panel: Placed, from: number, to: number, progress: number, lit: Lit = null): Item[] {
  const context = stand(panel, from, to, progress, lit);
  const ofEdges = (kind: string, drawn: (edge: PlacedEdge, context: Context) => Mark[]): Item[] =>
    panel.edges.map((edge) => ({ kind, key: edge.key, title: "", marks: drawn(edge, context) }));
  const ofNodes = (kind: string, drawn: (standing: Standing, context: Context) => Mark[], titleOf = (_: PlacedNode): string => ""): Item[] =>
    [...context.standings.values()].map((standing) => ({ kind, key: standing.node.key, title: titleOf(standing.node), marks: drawn(standing, context) }));
  return [
    ...ofEdges("edge", edgeMarks),
    ...ofEdges("gate", gateMarks),
    ...ofNodes("node", nodeMarks, ({ title }) => title),
    ...ofEdges("equation", equationMarks),
    ...ofNodes("parked", parkedMarks),
    ...ofNodes("seed", seedMarks),
    { kind: "strip", key: "", title: "", marks: stripMarks(panel, to) },
    ...ofEdges("way", travelMarks),
  ].filter(({ marks }) => marks.length);
}

export const moment = (panel: Placed, from: number, to: number, progress: number, lit: Lit = null): Mark[] =>
  items(panel, from, to, progress, lit).flatMap(({ marks }) => marks);

// ---- what a question asks about: outlines around it, and gates that do not tell their partials ----

/** Between what is asked about and its outline. */
const AROUND = 12;

/** The edges whose local partials are not told while questions are asked: those that carry nothing yet. */
export const untold = ({ moves }: Placed, cursor: number): ReadonlySet<string> =>
  new Set(moves.filter(({ kind, step }) => kind === "send" && step >= cursor).map(({ edge }) => edge));

export function asked(marks: readonly Mark[], { edges, nodes }: Placed, question: Question | null, silent: ReadonlySet<string>): Mark[] {
  const tells = ({ key, type }: Mark): boolean => {
    const [kind, head, place, part] = key.split("/");
    return kind === "gate" && silent.has(`${head}/${place}`) && (type === "text" || part === "map" || part === "band");
  };
  const about = [
    ...nodes.filter(({ node }) => question?.nodes?.includes(node)),
    ...edges.filter(({ key }) => key === question?.edge).map(({ key, gate }) => ({ ...gate, key })),
  ];
  const outlines = about.map(({ key, x, y, w, h }) =>
    box(`asked/${key}`, { x, y, w: w + 2 * AROUND, h: h + 2 * AROUND }, 14, "", "ink", 3, 1, true),
  );
  const gate = edges.find(({ key }) => key === question?.edge)?.gate;
  const sign: Mark[] = gate ? [text("asked/?", "?", gate.x, gate.y + 7, 21, "bold", "ink")] : [];
  return [...marks.filter((mark) => !tells(mark)), ...outlines, ...sign];
}
