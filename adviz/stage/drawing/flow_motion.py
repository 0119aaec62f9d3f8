"""When things happen between two cursors of a sweep, and the curves along which numbers travel.

The same as ``schedule.ts`` and ``curves.ts`` of the front end. Curves are chains of cubic Bezier curves as flat lists:
x, y of the start, and then three points per curve. Times are shares from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, hypot
from typing import NamedTuple

from ..scene.flow_panel import FlowPanel, Move
from .marks import Triangle

Chain = Sequence[float]
Point = tuple[float, float]

TIMES = {"seed": 600, "send": 1920, "sum": 1150, "result": 400}
"""Milliseconds that a move takes."""
OVERLAP = 0.7  # the next product of the same node leaves after this share of the one before

# The parts of a product's way, as the shares of its time at which they end.
LIFT = 180 / 1920
AT_GATE = 620 / 1920
MULTIPLIED = AT_GATE + (0.6 * 680) / 1920
LEAVES = 1300 / 1920
ARRIVES = 1740 / 1920

# The parts of a sum: contributions gather, stand side by side with a plus, and are one.
GATHERED = 0.3
ADDED = 0.68

STEP = 0.02  # the share of a chain over which its direction is measured


class Phase(NamedTuple):
    """How far a move is: 0 to come, 1 done; and whether it belongs to the step that is shown."""

    move: Move
    share: float
    is_played: bool


def timed(panel: FlowPanel, start: int, stop: int) -> tuple[dict[int, float], float]:
    """Return when the moves between two cursors start, by their places, and how many milliseconds they take."""
    starts: dict[int, float] = {}
    following, total = 0.0, 0.0
    before: Move | None = None
    for k, move in enumerate(panel["moves"]):
        if not start <= move["step"] < stop:
            continue
        is_same = before is not None and before["kind"] == move["kind"] == "send" and _head(before) == _head(move)
        starts[k] = following - (1 - OVERLAP) * TIMES["send"] if is_same else following
        following = starts[k] + TIMES[move["kind"]]
        total, before = max(total, following), move
    return starts, total


def _head(move: Move) -> str:
    return move["edge"].split("/")[0]


def phases(panel: FlowPanel, start: int, stop: int, progress: float) -> list[Phase]:
    """Return where every move stands when so much (0 to 1) of the way between two cursors is done."""
    starts, total = timed(panel, start, stop)
    result = []
    for k, move in enumerate(panel["moves"]):
        if k not in starts:
            result.append(Phase(move, 1.0 if move["step"] < start else 0.0, False))
            continue
        share = 1.0 if progress >= 1 else (progress * total - starts[k]) / TIMES[move["kind"]]
        result.append(Phase(move, min(max(share, 0.0), 1.0), True))
    return result


def eased(t: float) -> float:
    """Return a share that is slow, fast, and slow again."""
    return 4 * t**3 if t < 0.5 else float(1 - (-2 * t + 2) ** 3 / 2)


def within(t: float, start: float, stop: float) -> float:
    """Return how far ``t`` is on its way from one share to another."""
    return min(max((t - start) / (stop - start), 0.0), 1.0)


def reversed_chain(points: Chain) -> list[float]:
    """Return the same chain from its end to its start."""
    return [number for i in range(len(points) - 2, -1, -2) for number in points[i : i + 2]]


def cut(points: Chain, share: float) -> list[float]:
    """Return the first share (0 to 1) of a chain: so many of its curves, the last one cut where it must be."""
    curves = (len(points) - 2) // 6
    along = min(max(share, 0.0), 1.0) * curves
    whole = min(floor(along), curves - 1)
    t = along - whole
    x0, y0, x1, y1, x2, y2, x3, y3 = points[6 * whole : 6 * whole + 8]
    ax, ay, bx, by = _between(x0, x1, t), _between(y0, y1, t), _between(x1, x2, t), _between(y1, y2, t)
    cx, cy = _between(x2, x3, t), _between(y2, y3, t)
    dx, dy, ex, ey = _between(ax, bx, t), _between(ay, by, t), _between(bx, cx, t), _between(by, cy, t)
    return [*points[: 6 * whole + 2], ax, ay, dx, dy, _between(dx, ex, t), _between(dy, ey, t)]


def _between(one: float, other: float, t: float) -> float:
    return one + (other - one) * t


def point_at(points: Chain, share: float) -> Point:
    """Return the point after a share (0 to 1) of the curves of a chain."""
    x, y = cut(points, share)[-2:]
    return x, y


def direction_at(points: Chain, share: float) -> Point:
    """Return which way a chain leads after a share of its curves, as a vector of length 1."""
    (x, y), (to_x, to_y) = point_at(points, share - STEP), point_at(points, max(share, STEP))
    length = hypot(to_x - x, to_y - y)
    return ((to_x - x) / length, (to_y - y) / length) if length else (1.0, 0.0)


def headed(points: Chain, long: float, wide: float) -> tuple[list[float], Triangle]:
    """Return the line of a chain up to the head of an arrow at its end, and the head, as long as there is room for."""
    x, y = points[-2:]
    length = min(long, 0.6 * hypot(x - points[0], y - points[1]))
    last = points[-8:]
    low, high = 0.0, 1.0
    for _ in range(12):
        share = (low + high) / 2
        at_x, at_y = point_at(last, share)
        if hypot(x - at_x, y - at_y) > length:
            low = share
        else:
            high = share
    curves = (len(points) - 2) // 6
    stem = cut(points, (curves - 1 + low) / curves)
    near_x, near_y, from_x, from_y = stem[-4:]
    # The line arrives as the head points: the end of a wide one would else reach over the base of the head.
    far = hypot(from_x - near_x, from_y - near_y) / (hypot(x - from_x, y - from_y) or 1.0)
    stem[-4:-2] = from_x - far * (x - from_x), from_y - far * (y - from_y)
    return stem, triangle(x, y, x - from_x, y - from_y, length, wide)


def triangle(x: float, y: float, to_x: float, to_y: float, long: float, wide: float) -> Triangle:
    """Return a triangle with its tip at a point, in a direction, so long and so wide."""
    length = hypot(to_x, to_y) or 1.0
    dx, dy = to_x / length, to_y / length
    back_x, back_y, half = x - long * dx, y - long * dy, wide / 2
    return x, y, back_x - half * dy, back_y + half * dx, back_x + half * dy, back_y - half * dx
