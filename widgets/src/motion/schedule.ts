// When things happen between two cursors of a sweep, as shares from 0 to 1.

import type { FlowPanel, Move } from "../scene/document.js";

/** Milliseconds that a move takes. */
export const TIMES: Record<Move["kind"], number> = { seed: 600, send: 1920, sum: 1150, change: 600, value: 600, result: 400 };
/** The next product of the same node leaves after this share of the one before: once that has left its gate. */
const OVERLAP = 0.7;

/** The parts of a product's way, as the shares of its time at which they end. */
export const LIFT = 180 / 1920;
export const AT_GATE = 620 / 1920;
export const MULTIPLIED = AT_GATE + (0.6 * 680) / 1920;
export const LEAVES = 1300 / 1920;
export const ARRIVES = 1740 / 1920;

/** The parts of a sum: contributions gather, stand side by side with a plus, and are one. */
export const GATHERED = 0.3;
export const ADDED = 0.68;

export interface Phase {
  readonly move: Move;
  /** 0: to come, 1: done. */
  readonly share: number;
  /** Whether it belongs to the step that is shown. */
  readonly isPlayed: boolean;
}

interface Timed {
  readonly move: Move;
  readonly start: number;
}

/** The moves between two cursors with their starts, and how many milliseconds they take. */
export function timed(panel: FlowPanel, from: number, to: number): { moves: Timed[]; total: number } {
  const moves: Timed[] = [];
  let [next, total] = [0, 0];
  let before: Move | null = null;
  for (const move of panel.moves) {
    if (move.step < from || move.step >= to) continue;
    const isSame = before?.kind === "send" && move.kind === "send" && headOf(before) === headOf(move);
    const start: number = isSame ? next - (1 - OVERLAP) * TIMES.send : next;
    moves.push({ move, start });
    next = start + TIMES[move.kind];
    total = Math.max(total, next);
    before = move;
  }
  return { moves, total };
}

const headOf = (move: Move): string => move.edge.split("/")[0]!;

/** Where every move stands when so much (0 to 1) of the way between two cursors is done. */
export function phases(panel: FlowPanel, from: number, to: number, progress: number): Phase[] {
  const { moves, total } = timed(panel, from, to);
  const starts = new Map(moves.map(({ move, start }) => [move, start]));
  return panel.moves.map((move) => {
    const start = starts.get(move);
    if (start === undefined) return { move, share: move.step < from ? 1 : 0, isPlayed: false };
    const share = progress >= 1 ? 1 : (progress * total - start) / TIMES[move.kind];
    return { move, share: Math.min(Math.max(share, 0), 1), isPlayed: true };
  });
}

/** Slow, fast, slow. */
export const eased = (t: number): number => (t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2);

/** How far `t` is on its way from one share to another. */
export const within = (t: number, from: number, to: number): number => Math.min(Math.max((t - from) / (to - from), 0), 1);

/** Acts on shares from 0 to 1, frame by frame, for so many milliseconds; returns what stops it. */
export function played(total: number, act: (share: number) => void): () => void {
  let request = 0;
  const start = performance.now();
  const next = (now: number): void => {
    const share = total ? Math.min(1, Math.max(0, now - start) / total) : 1;
    act(share);
    if (share < 1) request = requestAnimationFrame(next);
  };
  next(start);
  return () => cancelAnimationFrame(request);
}
