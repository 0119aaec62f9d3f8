"""Boxes whose x is given and whose y is sought: what a picture of an elimination costs, and a descent to a cheap one.

A line leads from the right side of a box to the left side of another as a cubic with horizontal tangents. Where on its
way it meets another line or passes a box depends on x only, so it is computed once, and the height of a line anywhere
is linear in the heights of its ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

Numbers = np.ndarray

USUAL = 430.0  # the height of a stage; on a larger one lines are longer, and cost the same
ROOM = 8.0  # between boxes
RIM = 6.0  # between a box and the top or the bottom
FINE, COARSE = 40, 26  # heights that are tried for a box
OVERLAP, DEEPER = 3000.0, 20.0  # of two boxes: at all, and for each unit
CROSSING = 120.0
THROUGH, BESIDE = 100.0, 5.0  # a line through a box, or nearer to it than this
CLOSE, NEAR = 60.0, 0.45  # boxes above one another that are nearer than this share of the height
SLOPE = 0.02  # of a line: its rise squared, by its width
BENT = 2.0  # a line that is not straight
MOVED = 0.04  # for each unit from where a box was
TURNED = 12.0  # two boxes above one another that have changed places
INSIDE = 25.0  # for each box between a new label and the nearer border
_LEVELS = {levels: np.linspace(0, 1, levels + 1) for levels in (FINE, COARSE)}
_STEPS = np.array([-6.0, -3.0, -1.0, 1.0, 3.0, 6.0])
_T = np.linspace(0, 1, 65)
_ACROSS, _UP = 1.5 * _T * (1 - _T) + _T**3, _T * _T * (3 - 2 * _T)


class Box(NamedTuple):
    """Width and height, and the center."""

    w: float
    h: float
    x: float
    y: float


class _Around(NamedTuple):
    """What a box meets at whatever height: other boxes, lines, and lines that meet its own.

    Shares of the rise of a line are given at three points; ``meets`` and ``beside`` say where there is something.
    """

    near: Numbers
    past: Numbers  # lines past the box, with shares and whether they are beside it
    past_shares: Numbers
    past_beside: Numbers
    own: Numbers  # lines of the box
    met: Numbers  # places in own, once for each line that one meets
    others: Numbers  # those lines
    mine: Numbers
    theirs: Numbers
    passing: Numbers  # places in own, once for each box that one passes
    passed: Numbers  # those boxes
    shares: Numbers
    beside: Numbers


class Board:
    """Boxes, and lines as pairs of their indices."""

    def __init__(self, boxes: Sequence[Box], lines: Sequence[tuple[int, int]], height: float):
        """Everything that depends on x only is computed here."""
        self.w, self.h, self.x, self.y = np.array(boxes, float).reshape(-1, 4).T.copy()
        self.least, self.most = self.h / 2 + RIM, height - self.h / 2 - RIM
        self.near = NEAR * height
        self.was: Numbers | None = None  # the heights before, from which things move
        self.outer: Iterable[int] = ()  # new labels, which take the outside
        self.there = np.ones(len(self.y), bool)  # boxes that are on the board, with the lines between them
        self._around: dict[int, _Around] = {}
        self._concerned: dict[int, Numbers] = {}
        self.lines = np.array(lines, int).reshape(-1, 2)
        self.tail, self.head = self.lines.T
        self.start = self.x[self.tail] + self.w[self.tail] / 2
        self.end = np.maximum(self.x[self.head] - self.w[self.head] / 2, self.start + 1)
        self.scale = USUAL / height
        self.steep = SLOPE * self.scale / np.maximum(self.end - self.start, 20)
        low = np.maximum.outer(self.start, self.start)
        wide = np.minimum.outer(self.end, self.end) - low
        self.meets = wide > 0
        self.met = self._shares(low + wide * np.array([0, 0.5, 1])[:, None, None])
        sides = self.x + self.w * np.array([-0.5, 0, 0.5])[:, None]
        self.passed = self._shares(np.broadcast_to(sides[:, None], (3, len(self.lines), len(self.x))))
        beside = (sides[:, None] > self.start[:, None]) & (sides[:, None] < self.end[:, None])
        every = np.arange(len(self.lines))
        beside[:, every, self.tail] = beside[:, every, self.head] = False
        self.beside = beside
        self.column = np.abs(self.x[:, None] - self.x) < (self.w[:, None] + self.w) / 2 + ROOM
        np.fill_diagonal(self.column, False)

    def _shares(self, points: Numbers) -> Numbers:
        """Return the share of its rise that each line has made at points on it."""
        start, end = self.start[:, None], self.end[:, None]
        return np.interp((points - start) / (end - start), _ACROSS, _UP)

    def put(self, boxes: Iterable[int], there: bool) -> None:
        """Put boxes on the board, or take them off."""
        self.there[list(boxes)] = there
        self._around.clear()
        self._concerned.clear()

    def around(self, i: int) -> _Around:
        """Return what the cost of box i depends on."""
        if i not in self._around:
            drawn = self.there[self.tail] & self.there[self.head]
            mine = (self.tail == i) | (self.head == i)
            own = np.flatnonzero(mine)
            past = np.flatnonzero(self.beside[:, :, i].any(0) & drawn & ~mine)
            met, others = np.nonzero(self.meets[own] & drawn & ~mine)
            passing, passed = np.nonzero(self.beside[:, own].any(0) & self.there)
            self._around[i] = _Around(
                np.flatnonzero(self.column[i] & self.there),
                past,
                self.passed[:, past, i],
                self.beside[:, past, i],
                own,
                met,
                others,
                self.met[:, own[met], others],
                self.met[:, others, own[met]],
                passing,
                passed,
                self.passed[:, own[passing], passed],
                self.beside[:, own[passing], passed],
            )
        return self._around[i]

    # ---- cost ----

    def costs(self, i: int, ys: Numbers) -> Numbers:
        """Return what concerns box i, for each of the heights it may have."""
        around = self.around(i)
        cost = self._of_boxes(i, ys, around) + self._of_lines(i, ys, around)
        if self.was is not None:
            cost += MOVED * self.scale * np.abs(ys - self.was[i])
        return cost

    def _of_boxes(self, i: int, ys: Numbers, around: _Around) -> Numbers:
        way = ys[:, None] - self.y[around.near]
        apart = np.abs(way)
        lacking = (self.h[i] + self.h[around.near]) / 2 + ROOM - apart
        cost = (OVERLAP + DEEPER * lacking) * (lacking > 0) + CLOSE * np.maximum(1 - apart / self.near, 0) ** 2
        if self.was is not None:
            cost += TURNED * (way * (self.was[i] - self.was[around.near]) < 0)
        total = cost.sum(1)
        if i in self.outer:
            total += INSIDE * np.minimum((way > 0).sum(1), (way < 0).sum(1))
        heights = self._heights(around.past, around.past_shares)
        hit = (np.abs(ys[:, None, None] - heights) < self.h[i] / 2 + BESIDE) & around.past_beside
        return total + THROUGH * hit.any(1).sum(1)

    def _of_lines(self, i: int, ys: Numbers, around: _Around) -> Numbers:
        own = around.own
        low = np.where(self.tail[own] == i, ys[:, None], self.y[self.tail[own]])  # by height and line
        rise = np.where(self.head[own] == i, ys[:, None], self.y[self.head[own]]) - low
        cost = (self.steep[own] * rise * rise + BENT * (np.abs(rise) > 0.1)).sum(1)
        if around.others.size:
            theirs, from_low, up = self._heights(around.others, around.theirs), low[:, around.met], rise[:, around.met]
            one, two, three = (from_low + up * share - other for share, other in zip(around.mine, theirs, strict=True))
            cost += CROSSING * _turns(one, two, three).sum(1)
        if around.passed.size:
            y, room = self.y[around.passed], self.h[around.passed] / 2 + BESIDE
            from_low, up = low[:, around.passing] - y, rise[:, around.passing]
            hits = [
                (np.abs(from_low + up * share) < room) & beside
                for share, beside in zip(around.shares, around.beside, strict=True)
            ]
            cost += THROUGH * (hits[0] | hits[1] | hits[2]).sum(1)
        return cost

    def _heights(self, lines: Numbers, shares: Numbers) -> Numbers:
        low = self.y[self.tail[lines]]
        return low + (self.y[self.head[lines]] - low) * shares

    def crossings(self) -> int:
        """Return how many pairs of lines cross."""
        low = self.y[self.tail][:, None]
        heights = low + (self.y[self.head][:, None] - low) * self.met
        crossed = _turns(*(heights - heights.swapaxes(1, 2))) & self.meets
        return int(np.triu(crossed, 1).sum())

    def covered(self) -> int:
        """Return how many lines pass under a box."""
        low = self.y[self.tail][:, None]
        heights = low + (self.y[self.head][:, None] - low) * self.passed
        return int(((np.abs(heights - self.y) < self.h / 2) & self.beside).any(0).sum())

    def faults(self) -> int:
        """Return how many lines cross or are covered."""
        return self.crossings() + self.covered()

    def total(self) -> float:
        """Return the cost of the picture; what concerns two boxes is counted from both."""
        return float(sum(self.costs(i, self.y[i : i + 1])[0] for i in range(len(self.y))))

    # ---- descent ----

    def heights(self, i: int, levels: int) -> Numbers:
        """Return the heights that box i may have: near its own, those of its neighbors and their mean, levels."""
        least, most = self.least[i], self.most[i]
        ends = self.lines[self.around(i).own].ravel()
        near = self.y[ends[ends != i]]
        straight = np.minimum(np.maximum([*near, near.mean()], least), most)
        steps = np.minimum(np.maximum(self.y[i] + _STEPS, least), most)
        return np.concatenate([self.y[i : i + 1], straight, steps, least + (most - least) * _LEVELS[levels]])

    def descend(self, order: Sequence[int], passes: int, levels: int = FINE) -> None:
        """Give one box after the other its best height, there and back, until none moves.

        A box is tried again only if something that its cost depends on has moved.
        """
        due = np.ones(len(self.y), bool)
        for number in range(passes):
            for i in order if number % 2 == 0 else reversed(order):
                if not due[i]:
                    continue
                due[i] = False
                ys = self.heights(i, levels)
                costs = self.costs(i, ys)
                best = int(costs.argmin())
                if costs[best] < costs[0] - 1e-6:
                    self.y[i] = ys[best]
                    due[self.concerned(i)] = True
            if not due[order].any():
                return

    def concerned(self, i: int) -> Numbers:
        """Return the boxes whose cost depends on the height of box i, with itself."""
        if i not in self._concerned:
            around = self.around(i)
            lines = self.lines[np.concatenate([around.own, around.others, around.past])]
            self._concerned[i] = np.unique(np.concatenate([[i], around.near, around.passed, lines.ravel()]))
        return self._concerned[i]

    def overlapping(self) -> Numbers:
        """Return for each box whether another is nearer than ``ROOM``, above one another as they are."""
        apart = np.abs(self.y[:, None] - self.y)
        return (self.column & (apart < (self.h[:, None] + self.h) / 2 + 0.5 * ROOM)).any(1)


def _turns(one: Numbers, two: Numbers, three: Numbers) -> Numbers:
    """Return where a difference of heights along two lines changes its sign; they may touch at their ends."""
    least, most = np.minimum(np.minimum(one, two), three), np.maximum(np.maximum(one, two), three)
    return (least < -1e-6) & (most > 1e-6)
