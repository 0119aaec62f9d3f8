"""Rules that pick entries, replace them or place them among zeros: indexing, take, diagonal; writing; pad, diag.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule, is_traced
from ..devices import is_on_device
from ..jacobians.local import Diagonal, Jacobian, Selection, Window
from .gathering import Indexing, is_simple, split
from .reshaping import moving
from .textbook_arrays import ARRAYS


def _index(y: Any, x: Any, key: Any) -> list[Jacobian | None]:
    if is_simple(key):
        return [Window(key, np.shape(y), np.shape(x)), None]
    return [Indexing(*split(key), np.shape(y), np.shape(x)), None]


INDEX = Rule(
    "index",
    lambda x, key: (x if hasattr(x, "shape") else np.asarray(x))[key],
    _index,
    "shape",
    "[ ]",
    words=ARRAYS["index"],
)
TAKE = moving("take", np.take)
DIAGONAL = moving("diagonal", np.diagonal)


def _set(x: Any, value: Any, key: Any) -> Any:
    if is_traced(x) or is_traced(value):
        return SET(x, value, key)  # an outer trace's
    whole = x.copy() if is_on_device(x) else np.array(x, order="K")
    whole[key] = value
    return whole


class Kept(Diagonal):
    """Of what stays of an array when something is written into it at a key: zeros are written there."""

    def __init__(self, kept: np.ndarray, key: Any):
        super().__init__(kept, kept.shape, kept.shape)
        self.key = key

    def jvp(self, tangent: Any) -> Any:
        return SET(tangent, 0.0, self.key) if is_traced(tangent) and self.out_shape else super().jvp(tangent)

    def vjp(self, adjoint: Any) -> Any:
        return self.jvp(adjoint)


def _set_jacobians(y: Any, x: Any, value: Any, key: Any) -> list[Jacobian | None]:
    """Where it is differentiated, the value has the shape of the selected part, and no entry is selected twice."""
    shape, kept = np.shape(y), np.ones(np.shape(y))
    kept[key] = 0.0
    if is_simple(key):
        placed: Jacobian | None = Window(key, shape, np.shape(value), placed=True)
    else:
        is_whole = np.size(kept[key]) == np.size(value)
        placed = Indexing(*split(key), shape, np.shape(value), placed=True) if is_whole else None
    return [Kept(kept, key), placed, None]


SET = Rule(
    "set",
    _set,
    _set_jacobians,
    "shape",
    "[ ]=",
    ("1, but 0 at [{c}]", "1 at [{c}], else 0"),
    words=ARRAYS["set"],
)
"""A new version of an array, in which the entries at the key are those of the value: what ``x[key] = value`` means."""


def _placing(name: str, fn: Callable[..., Any]) -> Rule:
    """A rule for a function that places every entry among zeros; its Jacobian is found by placing their numbers."""

    def jacobians(y: Any, x: Any, *settings: Any) -> list[Jacobian | None]:
        numbers = np.ravel(fn(np.arange(1, np.size(x) + 1).reshape(np.shape(x)), *settings))
        places = np.argsort(numbers, kind="stable")[np.size(y) - np.size(x) :]
        return [Selection(places.reshape(np.shape(x)), np.shape(y)).T, *[None] * len(settings)]

    return Rule(name, fn, jacobians, "shape", words=ARRAYS[name])


PAD = _placing("pad", np.pad)
DIAGONAL_MATRIX = _placing("diag", np.diagflat)
