"""Rules that move, repeat and join entries: reshape, transpose, flip, roll, repeat, tile, concatenate, stack; casts.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``. Of ``concatenate`` and ``stack`` the first operand, the axis, is the setting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule
from ..devices import on_one_device
from ..jacobians.local import Diagonal, Flat, Jacobian, Reshaping, Selection, Window
from .textbook import WORDS
from .textbook_arrays import ARRAYS


def _cast(y: Any, x: Any, dtype: Any) -> list[Jacobian | None]:
    is_stepwise = getattr(y, "dtype", np.dtype(float)).kind in "biu"
    return [Flat(np.shape(y), np.shape(x)) if is_stepwise else Diagonal(1.0, np.shape(y), np.shape(x)), None]


CAST = Rule(
    "astype",
    lambda x, dtype: (x if hasattr(x, "shape") else np.asarray(x)).astype(dtype),
    _cast,
    "shape",
    formulas=("1",),
    words=WORDS["astype"],
)
ARRANGE = Rule("arrange", lambda x, order: x.copy(order), _cast, "shape", words=ARRAYS["arrange"])
"""A copy with its entries in memory in another order."""


def moving(name: str, fn: Callable[..., Any]) -> Rule:
    """A rule for a function that moves and repeats entries; its Jacobian is found by moving their numbers."""

    def jacobians(y: Any, x: Any, *settings: Any) -> list[Jacobian | None]:
        numbers = np.arange(np.size(x)).reshape(np.shape(x))
        return [Selection(np.asarray(fn(numbers, *settings)), np.shape(x)), *[None] * len(settings)]

    return Rule(name, fn, jacobians, "shape", words=ARRAYS[name])


def _repeated(x: Any, repeats: Any, axis: Any) -> Any:
    """``np.repeat``, with counts as a list: device libraries do not take NumPy's arrays for settings."""
    return np.repeat(x, repeats.tolist() if isinstance(repeats, np.ndarray) else repeats, axis)


RESHAPE = Rule(
    "reshape",
    np.reshape,
    lambda y, x, shape: [Reshaping(np.shape(y), np.shape(x)), None],
    "shape",
    words=ARRAYS["reshape"],
)
TRANSPOSE = moving("transpose", np.transpose)
FLIP = moving("flip", np.flip)
ROLL = moving("roll", np.roll)
REPEAT = moving("repeat", _repeated)
TILE = moving("tile", np.tile)
BROADCAST = moving("broadcast_to", np.broadcast_to)


def _parts(y: Any, axis: int, *arrays: Any) -> list[Jacobian | None]:
    """``concatenate``: each operand is a slice of the value."""
    found: list[Jacobian | None] = [None]
    start, axis = 0, axis % np.ndim(y)
    for array in arrays:
        end = start + np.shape(array)[axis]
        key = (*[slice(None)] * axis, slice(start, end))
        found.append(Window(key, np.shape(y), np.shape(array), placed=True))
        start = end
    return found


def _layers(y: Any, axis: int, *arrays: Any) -> list[Jacobian | None]:
    """``stack``: each operand is one layer of the value."""
    before = [slice(None)] * (axis % np.ndim(y))
    return [None, *(Window((*before, k), np.shape(y), np.shape(array), placed=True) for k, array in enumerate(arrays))]


CONCATENATE = Rule(
    "concatenate",
    lambda axis, *arrays: np.concatenate(on_one_device(*arrays), axis),
    _parts,
    "shape",
    words=ARRAYS["concatenate"],
)
STACK = Rule(
    "stack",
    lambda axis, *arrays: np.stack(on_one_device(*arrays), axis),
    _layers,
    "shape",
    words=ARRAYS["stack"],
)
