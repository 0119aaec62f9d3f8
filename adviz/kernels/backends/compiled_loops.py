"""Programs as loops over points, on flat arrays: what compiled back ends have in common."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from ...engine.trace_errors import InputError
from ..expressions.expressions import OPERATIONS
from ..points.batches import Batch
from ..points.results import Part
from ..program_errors import missing_operation
from ..schedules import Schedule


def check_operations(schedule: Schedule, known: Container[str], name: str) -> None:
    """Raise a :class:`~adviz.ProgramError` for an operation that a back end does not have."""
    for each in schedule.instructions:
        if each.operation not in known and not OPERATIONS[each.operation].numeric.operator:
            raise missing_operation(each.operation, name)


def check_dtype(dtype: Any) -> None:
    """Raise an :class:`~adviz.InputError` for a dtype that no loop is compiled for."""
    if str(dtype) not in ("float32", "float64"):
        raise InputError(f"The arguments are of dtype {dtype}; loops are compiled for float32 and float64. Cast them.")


def flat(given: Batch, points: str, xp: Any = np) -> list[Any]:
    """Return the arguments as flat arrays; only those that are not contiguous are copied."""
    return [xp.ascontiguousarray(each.T if points == "first" else each).reshape(-1) for each in given.matrices]


def results(memory: Any, given: Batch, parts: Sequence[Part], points: str, single: tuple[int, ...] = ()) -> list[Any]:
    """The arrays of the results, one after the other in memory; ``single`` is the axis of a single point, if any."""
    length, start, result = single if given.length is None else (given.size,), 0, []
    for leaf, _, _ in parts:
        stop = start + leaf.size * given.size
        result.append(memory[start:stop].reshape(leaf.shape_of(length, points)))
        start = stop
    return result
