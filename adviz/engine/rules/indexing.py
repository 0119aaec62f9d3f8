"""Rules that pick entries, replace them or place them among zeros: indexing, take, diagonal; writing; pad, diag.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule, is_traced
from ..devices import is_on_device, to_numpy
from ..jacobians.local import Diagonal, Jacobian, Selection, Window
from .reshaping import moving
from .textbook_arrays import ARRAYS

SIMPLE = (int, np.integer, slice, type(None), type(Ellipsis))


def is_simple(key: Any) -> bool:
    """Whether a key consists of integers and slices: no entry is selected twice."""
    return all(isinstance(part, SIMPLE) for part in (key if isinstance(key, tuple) else (key,)))


def _index(y: Any, x: Any, key: Any) -> list[Jacobian | None]:
    key = tuple(map(to_numpy, key)) if isinstance(key, tuple) else to_numpy(key)
    if is_simple(key):
        return [Window(key, np.shape(y), np.shape(x)), None]
    numbers = np.arange(np.size(x)).reshape(np.shape(x))
    return [Selection(np.asarray(numbers[key]), np.shape(x)), None]


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


def _set_jacobians(y: Any, x: Any, value: Any, key: Any) -> list[Jacobian | None]:
    """Where it is differentiated, the value has the shape of the selected part, and no entry is selected twice."""
    shape, kept = np.shape(y), np.ones(np.shape(y))
    kept[key] = 0.0
    if is_simple(key):
        placed: Jacobian | None = Window(key, shape, np.shape(value), placed=True)
    else:
        numbers = np.arange(kept.size).reshape(shape)[key]
        placed = Selection(numbers.reshape(np.shape(value)), shape).T if numbers.size == np.size(value) else None
    return [Diagonal(kept, shape, shape), placed, None]


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
