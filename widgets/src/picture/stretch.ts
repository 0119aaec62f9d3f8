// The picture of a sweep fitted to a stage of any proportions: places are spread, boxes keep their size. Pure.

import type { FlowEdge, FlowPanel } from "../scene/document.js";

/** No picture is spread more than this. */
const MOST = 2.4;
/** Places whose heights differ by less are level. */
const LEVEL = 0.15;

/** One axis: where a place goes. */
interface Axis {
  readonly at: (place: number) => number;
}

function axis(centers: readonly number[], size: number, room: number): Axis {
  const [low, high] = [Math.min(...centers), Math.max(...centers)];
  const [before, after] = [low, size - high];
  const times = high > low ? Math.min(MOST, Math.max(1, (room - before - after) / (high - low))) : 1;
  const used = before + after + times * (high - low);
  const start = before + Math.max(0, room - used) / 2;
  // What lies beyond the outermost boxes keeps its distance from them.
  const at = (place: number): number => {
    const inside = Math.min(Math.max(place, low), high);
    return start + times * (inside - low) + place - inside;
  };
  return { at };
}

/** The panel with its places spread to fill a stage of this width and height, in its own units. */
export function stretched(panel: FlowPanel, width: number, height: number): FlowPanel {
  const all = [...panel.nodes, ...panel.edges.map(({ gate }) => gate)];
  if (!all.length) return panel;
  const x = axis(all.map((one) => one.x), panel.width, width);
  const y = axis(all.map((one) => one.y), panel.height, height);
  const nodes = panel.nodes.map((node) => ({ ...node, x: x.at(node.x), y: y.at(node.y) }));
  const [old, placed] = [panel.nodes, nodes].map((each) => new Map(each.map((node) => [node.node, node]))) as [
    Map<number, FlowPanel["nodes"][number]>,
    Map<number, FlowPanel["nodes"][number]>,
  ];
  const edges = panel.edges.map((edge): FlowEdge => {
    const gate = { ...edge.gate, x: x.at(edge.gate.x), y: y.at(edge.gate.y) };
    const [tail, head] = [old.get(edge.tail)!, old.get(edge.head)!];
    const [newTail, newHead] = [placed.get(edge.tail)!, placed.get(edge.head)!];
    const route = (points: readonly number[], from: readonly [Place, Place], to: readonly [Place, Place]): number[] =>
      spread(points, from, to, x, y);
    return {
      ...edge,
      gate,
      before: route(edge.before, [tail, newTail], [edge.gate, gate]),
      after: route(edge.after, [edge.gate, gate], [head, newHead]),
    };
  });
  return { ...panel, width, height, nodes, edges };
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/**
 * A chain between two boxes that have moved: its ends move with them, as does what is level with an end, and what lies
 * between is spread.
 */
function spread(points: readonly number[], from: readonly [Place, Place], to: readonly [Place, Place], x: Axis, y: Axis): number[] {
  const last = points.length - 2;
  const [above, below] = [from, to].map(([old, now]) => now.y - old.y) as [number, number];
  const place = (i: number): [number, number] => {
    const [px, py] = [points[i]!, points[i + 1]!];
    if (i === 0) return [px + from[1].x - from[0].x, py + above];
    if (i === last) return [px + to[1].x - to[0].x, py + below];
    const level = Math.abs(py - points[1]!) < LEVEL ? py + above : Math.abs(py - points[last + 1]!) < LEVEL ? py + below : y.at(py);
    return [x.at(px), level];
  };
  const found: number[] = [...place(0)];
  for (let i = 0; i < last; i += 6) {
    const [[ax, ay], [bx, by]] = [place(i), place(i + 6)];
    // The directions at both ends stay; their lengths grow with the distance.
    const [dx, dy] = [ratio(bx - ax, points[i + 6]! - points[i]!), ratio(by - ay, points[i + 7]! - points[i + 1]!)];
    found.push(ax + dx * (points[i + 2]! - points[i]!), ay + dy * (points[i + 3]! - points[i + 1]!));
    found.push(bx + dx * (points[i + 4]! - points[i + 6]!), by + dy * (points[i + 5]! - points[i + 7]!), bx, by);
  }
  return found;
}

const ratio = (now: number, before: number): number => (Math.abs(before) < 1 ? 1 : now / before);
