"""NaN and infinity in values: whether there are some, and where in a graph they arise."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ...graph.versions import stored
from ..devices import is_on_device
from ..trace_errors import NonFiniteWarning
from .tape import warn


def is_finite(value: Any) -> bool:
    """Whether a value has no NaN and no infinity; settings, and values that are traced themselves, count as finite."""
    if type(value) is float:
        return math.isfinite(value)
    if isinstance(value, np.ndarray | np.number):
        if value.dtype.kind != "f":
            return True
        return math.isfinite(checksum(value)) or bool(np.isfinite(value).all())  # the former may overflow
    return not is_on_device(value) or bool(np.isfinite(value).all())


THREADED = 10_000
"""BLAS takes dot products of larger arrays to several threads, which wait for each other on busy cores."""


def checksum(value: Any) -> float:
    """Return a number of an array that is finite only if all entries are: the sum of their squares, or their sum.

    >>> checksum(np.array([3.0, 4.0])), checksum(np.array([1.0, np.inf]))
    (25.0, inf)
    """
    if value.size <= THREADED:
        entries = value.ravel("K")  # as they lie in memory
        return float(np.vdot(entries, entries))
    with np.errstate(all="ignore"):
        return float(value.sum())


def non_finite(value: Any) -> str:
    """Return what a value has that is not finite: ``"NaN"`` or ``"infinity"``."""
    return "NaN" if np.isnan(value).any() else "infinity"


def warn_of_values(graph: Graph) -> None:
    """Name the first node whose value is not finite although its operands are."""
    index = next(origins_of_values(graph), None)
    if index is not None:
        found, place = non_finite(graph.values[index]), graph.origin(index)
        where = f"\n  at {place}" if place else ""
        warn(NonFiniteWarning(f"{found} arises in node {index}, {graph.label(index)}, from finite operands.{where}"))


def origins_of_values(graph: Graph) -> Iterator[int]:
    """Yield the nodes whose values are not finite although their operands are, in the order of evaluation."""
    values = graph.values

    def operands(index: int) -> Iterator[Any]:
        return (values[place] if place >= 0 else graph.literal(place) for place in graph.operands(index))

    if isinstance(values, array):
        suspects: Any = np.flatnonzero(~np.isfinite(np.frombuffer(values))).tolist()
    else:
        places: Any = range(len(graph))
        flags = [np.isfinite(value).all() for value in stored(values) if is_on_device(value)]
        if flags and bool(np.all(np.stack(flags))):  # one question to the device, not one per node
            places = [k for k in places if not is_on_device(values[k])]
        suspects = (index for index in places if not is_finite(values[index]))
    marks = {*graph.inputs, *graph.outputs}
    yield from (index for index in suspects if index not in marks and all(map(is_finite, operands(index))))
