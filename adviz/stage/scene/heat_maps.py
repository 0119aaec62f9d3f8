"""Heat maps as data: the numbers of an array, as they are or evenly sampled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import captions
from .panels import HeatMap

MOST_ROWS, MOST_COLUMNS = 12, 16
ROUNDING = 1e-12
EXACT = 6  # digits of a number that is read
NODE_HEIGHT, NODE_WIDTH, NODE_CELL = 20.0, 36.0, 9.0  # px that these may take, and the most that one cell takes


def heat_map(data: Any, most_rows: int = MOST_ROWS, most_columns: int = MOST_COLUMNS) -> HeatMap:
    """Return the numbers of an array as a matrix: a vector is a row, of more axes the last one is the columns.

    Of a large array at most so many rows and columns are shown, among them one entry that is not finite, if any.

    >>> heat_map(np.array([[0.5, -2.0], [1.0, np.nan]]))["data"]
    [0.5, -2.0, 1.0, 'NaN']
    >>> heat_map(np.arange(100.0))["columns"][:4], heat_map(np.arange(100.0))["scale"]
    ([0, 7, 13, 20], 99.0)
    """
    array = np.asarray(data, float)
    height = math.prod(array.shape[:-1])
    matrix = array.reshape(height, array.shape[-1] if array.ndim else 1)
    rows, columns = _spaced(matrix.shape[0], most_rows), _spaced(matrix.shape[1], most_columns)
    if (len(rows), len(columns)) != matrix.shape:
        is_finite = np.isfinite(matrix)
        if not is_finite.all() and is_finite[np.ix_(rows, columns)].all():
            row, column = np.argwhere(~is_finite)[0].tolist()
            rows, columns = _with(rows, row), _with(columns, column)
    return excerpt(matrix, rows, columns, array.shape, _short)


def excerpt(
    matrix: np.ndarray,
    rows: list[int],
    columns: list[int],
    shape: tuple[int, ...],
    written: Callable[[float], float | str] | None = None,
) -> HeatMap:
    """Return the numbers of some rows and columns of a matrix, ``written`` or exact; it is that of an array."""
    written, largest = written or exact, float(np.abs(matrix).max(initial=0.0))
    if not math.isfinite(largest):
        largest = float(np.abs(matrix[np.isfinite(matrix)]).max(initial=0.0))
    return {
        "shape": list(shape),
        "rows": rows,
        "columns": columns,
        "data": [written(entry) for row in matrix.take(rows, 0).take(columns, 1).tolist() for entry in row],
        "scale": float(written(largest)),
    }


def beside(known: HeatMap, largest: float) -> HeatMap:
    """Return a heat map as it is shown beside numbers as large as ``largest``: what rounding leaves is zero, and pale.

    >>> shown = beside(heat_map(np.array([0.0, -2.8e-17])), 0.5)
    >>> shown["data"], shown["scale"]
    ([0.0, 0.0], 5e-13)
    """
    least = ROUNDING * largest
    data = [entry if isinstance(entry, str) or abs(entry) > least else 0.0 for entry in known["data"]]
    return {**known, "data": data, "scale": max(known["scale"], least)}


def exact(number: float) -> float | str:
    """Return a number with the digits that are told of it where it is pointed at; one that is not finite as a text."""
    return _short(number, EXACT)


def node_size(known: HeatMap) -> tuple[float, float]:
    """Return the width and the height, in px, that a heat map takes in a node.

    >>> node_size(heat_map(np.ones((4, 3)))), node_size(heat_map(np.ones(100)))
    ((15.0, 20.0), (36.0, 2.25))
    """
    rows, columns = len(known["rows"]), len(known["columns"])
    cell = min(NODE_CELL, NODE_HEIGHT / max(rows, 1), NODE_WIDTH / max(columns, 1))
    return columns * cell, rows * cell


def _spaced(count: int, most: int) -> list[int]:
    """Return all numbers below ``count``, or ``most`` of them, evenly spaced, the first and the last included."""
    return list(range(count)) if count <= most else [round(k * (count - 1) / (most - 1)) for k in range(most)]


def _with(places: list[int], place: int) -> list[int]:
    """Return places with a further one in the place of the nearest.

    >>> _with([0, 7, 13, 20], 9)
    [0, 9, 13, 20]
    """
    nearest = min(range(len(places)), key=lambda k: abs(places[k] - place))
    return [*places[:nearest], place, *places[nearest + 1 :]]


def _short(number: float, digits: int = 4) -> float | str:
    """Return a number with so many digits; one that is not finite as a text."""
    short = float(f"{number:.{digits}g}") + 0.0
    return short if math.isfinite(short) else number if math.isfinite(number) else captions.number(number)
