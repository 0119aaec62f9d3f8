"""Where numbers stand that have no place of their own: contributions that wait at a node, and equations at gates.

Each takes the place of a few where it covers least. The same as ``places.ts`` of the front end.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..narration.engine_strips import strip_height
from ..scene import theme
from ..scene.flow_panel import FlowEdge, FlowNode, FlowPanel
from .flow_motion import Chain, Point, point_at
from .flow_pills import PILL, extent, pair

MOST_PARKED, PARKED = theme.FLOW_MOST_PARKED, theme.FLOW_PARKED
EQUATION = theme.FLOW_EQUATION
SHIFTS = (0, 16, -16, 32, -32, 48, -48, 64, -64)  # how far from its port a number may be parked
COVERED = 60.0  # what a point of a curve counts that is covered
WEIGHT = 4.0  # what a square px of a node, a gate or another number counts
MISLEADING = 400.0  # what an equation counts that is as near to the gate of another edge as to its own
NOTE, NOTED, TALL = 13.0, 120.0, 16.0  # what an engine notes below a node: how far below it, how wide and how high
BOLD = 1.1  # bold letters are wider than those that were measured
SAMPLES = 12
HIGH = 22.0  # of an equation

Floats = NDArray[np.float64]
Rectangle = tuple[float, float, float, float]  # the center, the width and the height


class Places(NamedTuple):
    """Centers of contributions and equations by the key of the edge, and of sums by that of the node."""

    parked: dict[str, Point]
    equations: dict[str, Point]
    totals: dict[str, Point]


class Room:
    """What is taken of the room of a picture."""

    def __init__(self, panel: FlowPanel):
        self.size = panel["width"], panel["height"] - strip_height(panel.get("strip"))
        self.taken: list[Rectangle] = [(node["x"], node["y"], node["w"] + 4, node["h"] + 4) for node in panel["nodes"]]
        gates = [edge["gate"] for edge in panel["edges"]]
        self.gates: list[Rectangle] = [(gate["x"], gate["y"], gate["w"] + 8, gate["h"] + 4) for gate in gates]
        self.taken += self.gates
        sides = (edge[side] for edge in panel["edges"] for side in ("before", "after"))
        self.curve = np.array([point for side in sides for point in _sampled(side)]).reshape(-1, 2)

    def free(
        self,
        w: float,
        h: float,
        places: Sequence[Point],
        covers: Floats,
        seen: list[Rectangle] | None = None,
        own: Rectangle | None = None,
    ) -> Point:
        """Return the place, of some, where something of this size covers least of what is seen, and take it."""
        seen = self.taken if seen is None else seen
        rectangles = np.array(seen).reshape(-1, 4)
        width, height = self.size
        inside = [
            (max(w / 2 + 3, min(x, width - w / 2 - 3)), max(h / 2 + 3, min(y, height - h / 2 - 3))) for x, y in places
        ]
        best, least = inside[0], inf
        for k, (x, y) in enumerate(inside):
            if 4 * k >= least:
                break  # what comes later costs more
            points = np.all(abs(covers - (x, y)) < (w / 2 + 3, h / 2 + 3), axis=1)
            areas = np.append(COVERED * np.sum(points), WEIGHT * _overlaps((x, y, w, h), rectangles))
            cost = float(np.cumsum(areas)[-1])  # one by one, as the front end adds: ties go to the same place
            cost += 4 * k
            if cost < least and own and self._misleads((x, y, w, h), own):
                cost += MISLEADING
            if cost < least:
                best, least = (x, y), cost
        seen.append((*best, w, h))
        return best

    def _misleads(self, place: Rectangle, own: Rectangle) -> bool:
        """Return whether a place is as near to the gate of another edge as to its own."""
        near = _gaps(place, np.array(self.gates)) <= _gaps(place, np.array([own]))
        return any(is_near and gate is not own for gate, is_near in zip(self.gates, near, strict=True))


def places(panel: FlowPanel) -> Places:
    """Return where the numbers of a sweep stand that have no place of their own."""
    room = Room(panel)
    parked = _parkings(panel, room)
    notes = [(node["x"], node["y"] + node["h"] / 2 + NOTE, NOTED, TALL) for node in panel["nodes"]]
    totals: dict[str, Point] = {}
    equations: dict[str, Point] = {}
    for node in panel["nodes"]:
        # The sum of a node and the products of its edges are seen together, and without those of other nodes.
        seen = list(room.taken)
        if node["total"][0]:
            wide = labelled(pair(node["total"])[1] * (EQUATION / PILL))
            totals[node["key"]] = room.free(wide, HIGH, _beside(node, wide), room.curve, [*seen, *notes])
            seen.append((*totals[node["key"]], wide, HIGH))
        for edge, gate in zip(panel["edges"], room.gates, strict=True):
            if edge["head"] == node["node"] and edge["equation"][0]:
                wide = labelled(pair(edge["equation"])[1])
                equations[edge["key"]] = room.free(wide, HIGH, _around(edge), room.curve, seen, gate)
    return Places(parked, equations, totals)


def _parkings(panel: FlowPanel, room: Room) -> dict[str, Point]:
    """Return where contributions wait at their targets: at the port, or a little above or below."""
    result: dict[str, Point] = {}
    nodes = {node["node"]: node for node in panel["nodes"]}
    for node, edges in arrivals(panel).items():
        for k, edge in enumerate(edges):
            if k >= MOST_PARKED:
                result[edge["key"]] = result[edges[MOST_PARKED - 1]["key"]]
                continue
            px, py = edge["before"][:2] if panel["reverse"] else edge["after"][-2:]
            w, h = extent(edge["product"], PILL)
            result[edge["key"]] = room.free(w, h, _outside(nodes[node], px, py, w, h), room.curve[:0])
    return result


def _outside(node: FlowNode, x: float, y: float, w: float, h: float) -> list[Point]:
    """Return the places for a number of this size outside a node, near a port at any of its sides."""
    across, down = x - node["x"], y - node["y"]
    if abs(across) >= node["w"] / 2 - 1:
        return [(x + copysign(w / 2 + PARKED, across), y + shift) for shift in SHIFTS]
    return [(x + shift, y + copysign(h / 2 + PARKED, down)) for shift in SHIFTS]


def arrivals(panel: FlowPanel) -> dict[int, list[FlowEdge]]:
    """Return the edges that bring contributions to each node that adds several, in the order of their arrival."""
    edges = {edge["key"]: edge for edge in panel["edges"]}
    result: dict[int, list[FlowEdge]] = {node["node"]: [] for node in panel["nodes"] if node["total"][0]}
    for move in panel["moves"]:
        if move["kind"] == "send" and move["nodes"][0] in result and "product" in edges[move["edge"]]:
            result[move["nodes"][0]].append(edges[move["edge"]])
    return result


def _beside(node: FlowNode, wide: float) -> list[Point]:
    """Return the places above and below a node and at its corners, the best first."""
    x, y, high, half = node["x"], node["y"], node["h"] / 2, pair(node["total"])[1] / 2
    corner = (node["w"] + wide) / 2 + 8
    rows = ((14, (0, half, -half)), (36, (0, half, -half)), (0, (corner, -corner)))
    return [(x + aside, y + side * (high + up)) for up, asides in rows for aside in asides for side in (-1, 1)]


def _around(edge: FlowEdge) -> list[Point]:
    """Return the places around a gate, the best first."""
    gate, wide = edge["gate"], pair(edge["equation"])[1]
    x, y, w = gate["x"], gate["y"], gate["w"]
    up, aside, shift = gate["h"] / 2 + 15, w / 2 + wide / 2 + 12, wide / 2 - w / 2 + 4
    level = [x, x + shift / 2, x - shift / 2, x + shift, x - shift, x + aside, x - aside]
    rows = [(at, row) for more in (0, 14, 28) for row in (y - up - more, y + up + more) for at in level]
    return [rows[0], rows[len(level)], (x + aside, y), (x - aside, y), *rows]


def labelled(wide: float) -> float:
    """Return the width of an equation with its ground."""
    return BOLD * wide + 6


def _sampled(points: Chain) -> list[Point]:
    return [point_at(points, (k + 0.5) / SAMPLES) for k in range(SAMPLES)]


def _gaps(one: Rectangle, others: Floats) -> Floats:
    """Return how far a rectangle is from others, of which each is a row."""
    x, y = np.maximum(0.0, -_common(one, others)).T
    return np.hypot(x, y)


def _overlaps(one: Rectangle, others: Floats) -> Floats:
    """Return the areas that a rectangle has in common with others, of which each is a row."""
    return np.prod(np.maximum(0.0, _common(one, others)), axis=1)


def _common(one: Rectangle, others: Floats) -> Floats:
    """Return how wide and how high the common part is of a rectangle with others; negative where they are apart."""
    return (np.array(one[2:]) + others[:, 2:]) / 2 - abs(np.array(one[:2]) - others[:, :2])
