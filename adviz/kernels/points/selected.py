"""Some of the arguments or of the results of a function, chosen by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from ...engine.pytrees import leaves
from ..program_errors import ProgramError

Which = int | Sequence[int] | None
T = TypeVar("T")


def selected(name: str, which: Which, items: Sequence[object], found: Sequence[T]) -> tuple[Any, list[T]]:
    """Some of the arguments or results, or a single one if ``which`` is its number; and their leaves.

    Raises :class:`~adviz.ProgramError` for a number that is out of range.

    >>> selected("inputs", 1, (3.0, [np.ones(2)]), ["x", "y[0]"])
    ([array([1., 1.])], ['y[0]'])
    """
    numbers: Any = range(len(items)) if which is None else [which] if np.ndim(which) == 0 else which
    for k in numbers:
        if not isinstance(k, int | np.integer) or not -len(items) <= k < len(items):
            raise ProgramError(f"{name} has {k!r}; expected numbers from 0 to {len(items) - 1}.")
    left = iter(found)
    leaves_of = [[next(left) for _ in leaves(item, "")] for item in items]
    is_one = len(items) == 1 if which is None else np.ndim(which) == 0
    structure = items[numbers[0]] if is_one else tuple(items[k] for k in numbers)
    return structure, [leaf for k in numbers for leaf in leaves_of[k]]
