// A moment of a sweep as marks: a function of the panel, of two cursors, and of how much of the way between them is done.
// Nothing is remembered, so that scrubbing, stills and films show the same.

import { edgeMarks, equationMarks, gateMarks, travelMarks } from "./edges.js";
import { type Mark, box, text } from "../motion/marks.js";
import { nodeMarks, parkedMarks, seedMarks } from "./nodes.js";
import { type Lit, stand } from "./standing.js";
import { stripMarks } from "./strip.js";
import type { FlowPanel, Question } from "../scene/document.js";

export type { Lit } from "./standing.js";

export function moment(panel: FlowPanel, from: number, to: number, progress: number, lit: Lit = null): Mark[] {
  const context = stand(panel, from, to, progress, lit);
  const standings = [...context.standings.values()];
  return [
    ...panel.edges.flatMap((edge) => edgeMarks(edge, context)),
    ...panel.edges.flatMap((edge) => gateMarks(edge, context)),
    ...standings.flatMap((standing) => nodeMarks(standing, context)),
    ...panel.edges.flatMap((edge) => equationMarks(edge, context)),
    ...standings.flatMap((standing) => parkedMarks(standing, context)),
    ...standings.flatMap((standing) => seedMarks(standing, context)),
    ...stripMarks(panel, to),
    ...panel.edges.flatMap((edge) => travelMarks(edge, context)),
  ];
}

// ---- what a question asks about: outlines around it, and gates that do not tell their partials ----

/** Between what is asked about and its outline. */
const AROUND = 12;

/** The edges whose local partials are not told while questions are asked: those that carry nothing yet. */
export const untold = ({ moves }: FlowPanel, cursor: number): ReadonlySet<string> =>
  new Set(moves.filter(({ kind, step }) => kind === "send" && step >= cursor).map(({ edge }) => edge));

export function asked(marks: readonly Mark[], { edges, nodes }: FlowPanel, question: Question | null, silent: ReadonlySet<string>): Mark[] {
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
