"""Where a program runs: NumPy, and whatever else has arrays.

A back end is made for one schedule, and called with a batch: it returns the arrays of the results' parts, in its own
kind of array, with the axis of the points where ``points`` says.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .blocks import Blocks
from .points import Batch
from .results import Part, Room
from .schedule import Schedule
from .writing import compiled, point_source, scalar_functions

FEW = 12
"""So many points are quicker one by one, on Python's numbers."""
DOUBLE = np.dtype(float)


class Backend(Protocol):
    """What runs one program."""

    name: str

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[Any]:
        """The arrays of the results."""


class NumPy:
    """Blocks of points on NumPy; a few points one by one."""

    name = "numpy"

    def __init__(self, schedule: Schedule):
        self.schedule, self.blocks = schedule, Blocks(schedule)
        self._point: Any = None
        self._room: Room | None = None

    def __call__(self, given: Batch, parts: list[Part], points: str) -> list[np.ndarray]:
        count = 1 if given.length is None else given.length
        self._room = self._room or Room(parts, points)
        arrays, rows = self._room(count, given.dtype)
        if not (count <= FEW and given.dtype == DOUBLE and self._one_by_one(given, count, rows)):
            inputs = [row for matrix in given.matrices for row in matrix.astype(given.dtype, copy=False)]
            self.blocks(inputs, rows, given.dtype)
        return arrays

    def _one_by_one(self, given: Batch, count: int, rows: list[np.ndarray]) -> bool:
        """Whether Python's numbers had an answer, and a finite one, at all points."""
        self._point = self._point or compiled(point_source(self.schedule), scalar_functions())
        numbers = [np.broadcast_to(matrix, (len(matrix), count)).tolist() for matrix in given.matrices]
        try:
            found = [self._point(*point) for point in zip(*(row for rows in numbers for row in rows), strict=True)]
        except (ArithmeticError, ValueError):
            return False
        for row, outputs in zip(rows, zip(*found, strict=True), strict=bool(found)):
            row[...] = outputs
        return all(bool(np.isfinite(row).all()) for row in rows)
