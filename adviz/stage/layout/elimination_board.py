"""Boxes whose x is given and whose y is sought: what a picture of an elimination costs, and a descent to a cheap one.

A line leads from the right side of a box to the left side of another as a cubic with horizontal tangents. Where along
its way it meets another line or passes a box depends on x only, so it is computed once, and the height of a line
anywhere is linear in the heights of its ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

Numbers = np.ndarray

GRID = 10.0  # between the heights that are tried
ROOM = 6.0  # between boxes
OVERLAP, DEEPER = 500.0, 6.0  # of two boxes: at all, and for each unit
CROSSING = 90.0
THROUGH = 70.0  # a line through a box
CLOSE, NEAR = 34.0, 120.0  # boxes above one another that are nearer than this
SLOPE = 0.02  # of a line: its rise squared, by its width
MOVED = 0.04  # for each unit from where a box was
TURNED = 12.0  # two boxes above one another that have changed places
INSIDE = 50.0  # for each box between a new label and the nearer border
_T = np.linspace(0, 1, 65)
_ACROSS, _UP = 1.5 * _T * (1 - _T) + _T**3, _T * _T * (3 - 2 * _T)


class Box(NamedTuple):
    """Width and height, and the center."""

    w: float
    h: float
    x: float
    y: float


class Board:
    """Boxes, and lines as pairs of their indices."""

    def __init__(self, boxes: Sequence[Box], lines: Sequence[tuple[int, int]], height: float):
        """Everything that depends on x only is computed here."""
        self.w, self.h, self.x, self.y = np.array(boxes, float).reshape(-1, 4).T.copy()
        self.height = height
        self.was: Numbers | None = None  # the heights before, from which things move
        self.outer: Iterable[int] = ()  # new labels, which take the outside
        self.there = np.ones(len(self.y), bool)  # boxes that are on the board, with the lines between them
        self.lines = np.array(lines, int).reshape(-1, 2)
        self.of = [np.flatnonzero((self.lines == i).any(1)) for i in range(len(boxes))]
        tail, head = self.lines.T
        self.start = self.x[tail] + self.w[tail] / 2
        self.end = np.maximum(self.x[head] - self.w[head] / 2, self.start + 1)
        low = np.maximum.outer(self.start, self.start)
        wide = np.minimum.outer(self.end, self.end) - low
        self.meet = wide > 0
        points = low[..., None] + wide[..., None] * np.array([0, 0.5, 1])
        self.met = self._rise(points)  # the share of its rise that line c has made at three points beside line d
        sides = self.x[:, None] + self.w[:, None] * np.array([-0.5, 0, 0.5])
        self.passed = self._rise(np.broadcast_to(sides, (len(self.lines), *sides.shape)))
        beside = (sides > self.start[:, None, None]) & (sides < self.end[:, None, None])
        beside[np.arange(len(self.lines)), tail] = beside[np.arange(len(self.lines)), head] = False
        self.beside = beside  # line c runs above or below box n there
        across = np.abs(self.x[:, None] - self.x)
        self.column = across < (self.w[:, None] + self.w) / 2 + ROOM
        np.fill_diagonal(self.column, False)
        self.steep = SLOPE / np.maximum(self.end - self.start, 20)

    def _rise(self, points: Numbers) -> Numbers:
        shape = (-1, *[1] * (points.ndim - 1))
        start, end = self.start.reshape(shape), self.end.reshape(shape)
        return np.interp(np.clip((points - start) / (end - start), 0, 1), _ACROSS, _UP)

    # ---- cost ----

    def costs(self, i: int, ys: Numbers) -> Numbers:
        """Return what concerns box i, for each of the heights it may have."""
        cost = self._of_boxes(i, ys) + self._of_lines_past(i, ys)
        if len(self.of[i]):
            cost += self._of_own_lines(i, ys)
        if self.was is not None:
            cost += MOVED * np.abs(ys - self.was[i])
        return cost

    def _of_boxes(self, i: int, ys: Numbers) -> Numbers:
        near = np.flatnonzero(self.column[i] & self.there)
        if not len(near):
            return np.zeros(len(ys))
        way = ys[:, None] - self.y[near]
        apart = np.abs(way)
        lacking = (self.h[i] + self.h[near]) / 2 + ROOM - apart
        cost = np.where(lacking > 0, OVERLAP + DEEPER * lacking, 0) + CLOSE * np.clip(1 - apart / NEAR, 0, 1)
        if self.was is not None:
            cost += TURNED * (way * (self.was[i] - self.was[near]) < 0)
        total = cost.sum(1)
        if i in self.outer:
            total += INSIDE * np.minimum((way > 0).sum(1), (way < 0).sum(1))
        return total

    def _of_lines_past(self, i: int, ys: Numbers) -> Numbers:
        past = np.flatnonzero(self.beside[:, i].any(1) & self._drawn())
        heights = self._heights(past, self.passed[past, i])
        hit = (np.abs(ys[:, None, None] - heights) < self.h[i] / 2 + 4) & self.beside[past, i]
        return THROUGH * hit.any(2).sum(1)

    def _of_own_lines(self, i: int, ys: Numbers) -> Numbers:
        own = self.of[i]
        tail, head = self.lines[own].T
        low = np.where(tail == i, ys[:, None], self.y[tail])  # of each height, line
        rise = np.where(head == i, ys[:, None], self.y[head]) - low
        cost = (self.steep[own] * rise * rise).sum(1)
        others = np.flatnonzero(self.meet[own].any(0) & self._drawn())
        others = others[~np.isin(others, own)]
        mine = low[..., None, None] + rise[..., None, None] * self.met[np.ix_(own, others)]
        theirs = self._heights(others, self.met[np.ix_(others, own)]).swapaxes(0, 1)
        crossed = _turns(mine - theirs) & self.meet[np.ix_(own, others)]
        cost += CROSSING * crossed.sum((1, 2))
        past = np.flatnonzero(self.beside[own].any((0, 2)) & self.there)
        heights = low[..., None, None] + rise[..., None, None] * self.passed[np.ix_(own, past)]
        far = np.abs(heights - self.y[past][:, None]) >= self.h[past][:, None] / 2 + 4
        return cost + THROUGH * (~far & self.beside[np.ix_(own, past)]).any(3).sum((1, 2))

    def _drawn(self) -> Numbers:
        return self.there[self.lines].all(1)

    def _heights(self, lines: Numbers, shares: Numbers) -> Numbers:
        low, high = self.y[self.lines[lines]].T
        shape = (-1, *[1] * (shares.ndim - 1))
        return low.reshape(shape) + (high - low).reshape(shape) * shares

    def crossings(self) -> int:
        """Return how many pairs of lines cross."""
        heights = self._heights(np.arange(len(self.lines)), self.met)
        return int(np.triu(_turns(heights - heights.swapaxes(0, 1)) & self.meet, 1).sum())

    def total(self) -> float:
        """Return the cost of the picture; what concerns two boxes is counted from both."""
        return float(sum(self.costs(i, self.y[i : i + 1])[0] for i in range(len(self.y))))

    # ---- descent ----

    def heights(self, i: int) -> Numbers:
        """Return the heights that box i may have: a grid, and those at which one of its lines is straight."""
        least, most = self.h[i] / 2, self.height - self.h[i] / 2
        ends = self.lines[self.of[i]].ravel()
        grid = np.linspace(least, most, max(2, round((most - least) / GRID) + 1))
        return np.clip(np.concatenate([[self.y[i]], self.y[ends[ends != i]], grid]), least, most)

    def descend(self, order: Sequence[int], passes: int) -> None:
        """Give one box after the other its best height, until none moves."""
        for _ in range(passes):
            moved = False
            for i in order:
                ys = self.heights(i)
                costs = self.costs(i, ys)
                best = int(costs.argmin())
                if costs[best] < costs[0] - 1e-6:
                    self.y[i], moved = ys[best], True
            if not moved:
                return


def _turns(way: Numbers) -> Numbers:
    """Return where a difference of heights along two lines changes its sign; they may touch at their ends."""
    return (way.min(-1) < -1e-6) & (way.max(-1) > 1e-6)
