"""One warning for NaN and infinity: the first operation of a program that makes them, and its place in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.pytrees import leaves as leaves_of
from ...engine.pytrees import rebuild
from ...engine.recording.non_finite import non_finite
from ...engine.recording.tape import warn
from ...engine.sweeps.nan_origins import is_finite
from ...engine.trace_errors import NonFiniteWarning
from ..expressions.operations import OPERATIONS
from ..points.batches import AXES, Batch
from .contents import Contents
from .settling import Settling

MOST = 100
"""Points that are searched, at most: where NaN is among the arguments, no operation is to blame."""


def settle_or_report(program: Contents, given: Batch, arrays: Sequence[np.ndarray], settling: Settling | None) -> None:
    """Write what the engine finds into results that are not finite, point by point; report what it is not asked for.

    It is not asked any more if it has found nothing at so many points in succession as are searched for a report.
    """
    views = [np.moveaxis(array, AXES[program.points], 0) for array in arrays]
    is_known, missed = settling is not None and program.sparsity is None, 0
    for point in _suspects(arrays, given.size, AXES[program.points], None) if is_known else []:
        numbers = [matrix[:, point if matrix.shape[1] > 1 else 0] for matrix in given.matrices]
        leaves = (np.reshape(each, leaf.shape) for each, leaf in zip(numbers, program.arguments, strict=True))
        arguments = rebuild(program.example, (leaf if leaf.ndim else float(leaf) for leaf in leaves))
        results = rebuild(program.template, iter([view[point] for view in views]))
        found = settling.settled(arguments, results) if settling else None
        for view, (_, leaf) in zip(views, leaves_of(found, "") if found is not None else [], strict=found is not None):
            view[point] = leaf
        missed = 0 if found is not None and is_finite(leaf for _, leaf in leaves_of(found, "")) else missed + 1
        if found is None or missed > MOST:
            break
    else:
        if is_known:
            return
    report(program, given, arrays)


def report(program: Contents, given: Batch, arrays: Sequence[np.ndarray]) -> None:
    """Warn of the first operation, at the first point, that made NaN or infinity of finite operands.

    There is no warning for what reaches no result, such as an operand that is not chosen.

    >>> import adviz, warnings
    >>> with warnings.catch_warnings(record=True, action="always") as heard:
    ...     found = adviz.compile_gradient(lambda x: np.log(x), 1.0)([1.0, 0.0])
    >>> str(heard[0].message).partition(",")[0]
    'infinity arises in log'
    """
    for point in _suspects(arrays, given.size, AXES[program.points]):
        numbers = [row[point if len(row) > 1 else 0] for matrix in given.matrices for row in matrix]
        for place, operation, value in _non_finite(program, numbers):
            note = program.notes.get(place)
            what = f", {note.comment}," if note and note.comment else ""
            where = f"\n  at {note.origin}" if note and note.origin else ""
            at = "" if given.length is None else f" at point {point}"
            warn(NonFiniteWarning(f"{non_finite(value)} arises in {operation}{what} from finite operands{at}.{where}"))
            return


def _suspects(arrays: Sequence[np.ndarray], count: int, axis: int, most: int | None = MOST) -> list[int]:
    """The first points with a result that is not finite."""
    found = np.zeros(count, bool)
    for array in arrays:
        rows = np.moveaxis(np.asarray(array), axis, -1).reshape(-1, count)
        found |= ~np.isfinite(rows).all(axis=0)
    return np.flatnonzero(found)[:most].tolist()


def _non_finite(program: Contents, numbers: Sequence[float]) -> Iterator[tuple[int, str, float]]:
    """The operations that make NaN or infinity of finite operands at one point, each with its result."""
    schedule = program.schedule
    at: dict[int, Any] = {place: float(value) for place, value in schedule.constants.items()}
    at |= zip(schedule.inputs, numbers, strict=True)
    with np.errstate(all="ignore"):
        for place, operation, operands in schedule.instructions:
            data = [at[operand] for operand in operands]
            at[place] = value = OPERATIONS[operation].numpy(*data)
            if not np.isfinite(value) and np.isfinite(np.asarray(data, float)).all():
                yield place, operation, value
