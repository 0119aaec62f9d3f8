"""Curves of a sweep: chains of cubic Bezier curves that run through given places without a corner."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

BEND = 0.45  # how far a curve keeps its direction, as a share of the distance
ROUND = 4 / 3  # how far a control point lies beyond the farthest point of a half turn
SHARES = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in (k / 16 for k in range(1, 17))]
"""What the four points of a curve count at places along it."""

Point = tuple[float, float]


class Stop(NamedTuple):
    """A place that a curve passes from left to right, and how steep it may be there at most."""

    x: float
    y: float
    steepest: float = 0.0


def smooth(stops: Sequence[Stop]) -> list[float]:
    """Return the curves through some stops without their start, six numbers each; level at both ends.

    Between two stops a curve never leaves the strip between their heights.
    """
    rises = [(b.y - a.y) / (b.x - a.x) if b.x > a.x else 0.0 for a, b in pairwise(stops)]
    slopes = [0.0] * len(stops)
    for k, (before, after) in enumerate(pairwise(rises), 1):
        if before * after > 0:
            least = min(abs(before), abs(after), stops[k].steepest / 2)
            slopes[k] = 2 * least if before > 0 else -2 * least
    found: list[float] = []
    for k, (a, b) in enumerate(pairwise(stops)):
        reach = BEND * (b.x - a.x)
        found += [a.x + reach, a.y + slopes[k] * reach, b.x - reach, b.y - slopes[k + 1] * reach, b.x, b.y]
    return found


def going_around(start: Point, end: Point, right: float, left: float, back: float) -> list[float]:
    """Return the curves from the end of a row to the beginning of a lower one, without their start.

    They go ``right`` px beyond the start, back at the height ``back``, and ``left`` px beyond the end.
    """
    (x, y), (end_x, end_y) = start, end
    out, into = x + ROUND * right, end_x - ROUND * left
    third = (end_x - x) / 3
    return [
        *(out, y, out, back, x, back),
        *(x + third, back, end_x - third, back, end_x, back),
        *(into, back, into, end_y, end_x, end_y),
    ]


def swoop(start: Point, gate: Point, end: Point) -> tuple[list[float], list[float]]:
    """Return the curve that leaves a node at its lower side and enters another at its upper side, cut at its gate."""
    (x, y), (gate_x, gate_y), (end_x, end_y) = start, gate, end
    return (
        [x, y, x, gate_y, x + BEND * (gate_x - x), gate_y, gate_x, gate_y],
        [gate_x, gate_y, end_x - BEND * (end_x - gate_x), gate_y, end_x, gate_y, end_x, end_y],
    )


def straight(start: Point, end: Point) -> list[float]:
    """Return a line as a curve."""
    (x, y), (end_x, end_y) = start, end
    right, down = (end_x - x) / 3, (end_y - y) / 3
    return [x, y, x + right, y + down, end_x - right, end_y - down, end_x, end_y]


def places_along(path: Sequence[float]) -> list[Point]:
    """Return some places on a chain of curves."""
    found = []
    for i in range(0, len(path) - 2, 6):
        x0, y0, x1, y1, x2, y2, x3, y3 = path[i : i + 8]
        for p, q, r, s in SHARES:
            found.append((p * x0 + q * x1 + r * x2 + s * x3, p * y0 + q * y1 + r * y2 + s * y3))
    return found
