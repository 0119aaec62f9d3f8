"""Rules of functions that give indices: where the largest entry is, in which order entries are, where they belong.

They are nodes where a trace of arrays is to hold at every point; otherwise they are computed on the data. What they
give is piecewise constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule
from ..devices import is_on_device
from ..jacobians.local import Flat, Jacobian
from .textbook_arrays import ARRAYS


def is_array(operand: Any) -> bool:
    """Whether an operand has entries, and is no setting."""
    return isinstance(operand, float | np.number | np.ndarray) or hasattr(operand, "tape") or is_on_device(operand)


def _positions(name: str, fn: Callable[..., Any]) -> Rule:
    """A rule of indices; what has no entries among the operands is a setting."""

    def constant(y: Any, *operands: Any) -> list[Jacobian | None]:
        return [Flat(np.shape(y), np.shape(each)) if is_array(each) else None for each in operands]

    return Rule(name, fn, constant, "selection", words=ARRAYS[name])


ARGMAX = _positions("argmax", lambda x, axis, keepdims: np.argmax(x, axis, keepdims=keepdims))
ARGMIN = _positions("argmin", lambda x, axis, keepdims: np.argmin(x, axis, keepdims=keepdims))
ARGSORT = _positions("argsort", lambda x, axis, kind: np.argsort(x, axis, kind))
ARGPARTITION = _positions("argpartition", lambda x, kth, axis, kind: np.argpartition(x, kth, axis, kind))
LEXSORT = _positions("lexsort", lambda axis, *keys: np.lexsort(keys, axis))
SEARCHSORTED = _positions("searchsorted", lambda a, v, side: np.searchsorted(a, v, side))
DIGITIZE = _positions("digitize", np.digitize)
