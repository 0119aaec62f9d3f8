"""Views by strides: ``np.lib.stride_tricks.as_strided`` of a traced array, within the memory that the array is in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays.program_arrays import contents
from ..functions.arguments import Function, Overrides, missing
from ..recording.memory import Geometry, address, is_dense, memory_of, numbers_of
from ..variable import Variable
from .views import VIEW


def as_strided(
    original: Function,
    x: Any,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
    **settings: Any,
) -> Any:
    """``as_strided``; entries outside the memory of a traced array are refused, which NumPy would read."""
    x = contents(x)
    if not isinstance(x, Variable):
        return original(x, shape, strides, subok, writeable, **settings)
    numbers = np.asarray(numbers_of(x))
    memory = memory_of(x)
    whole = x if memory is None else memory.latest
    base = np.asarray(numbers_of(whole))
    where = Geometry(
        address(numbers) - address(base),
        numbers.shape if shape is None else tuple(shape),
        numbers.strides if strides is None else tuple(strides),
    )
    if not (is_dense(base) and is_inside(where, base)):
        raise missing(
            "as_strided of entries outside the array", "Take entries by an array of indices: x[i[:, None] + j]."
        )
    return VIEW(whole, where.positions(base), where)


def is_inside(where: Geometry, memory: np.ndarray) -> bool:
    """Whether a view is of whole entries of a memory.

    >>> x = np.zeros(4)
    >>> is_inside(Geometry(0, (3, 2), (8, 8)), x), is_inside(Geometry(8, (3, 2), (8, 8)), x)
    (True, False)
    """
    steps = [stride * (size - 1) for size, stride in zip(where.shape, where.strides, strict=True) if size]
    first, last = where.offset + sum(min(step, 0) for step in steps), where.offset + sum(max(step, 0) for step in steps)
    whole = all(step % memory.itemsize == 0 for step in (where.offset, *where.strides))
    return whole and (0 in where.shape or (first >= 0 and last + memory.itemsize <= memory.nbytes))


SEARCHES: Overrides = {"as_strided": as_strided}
