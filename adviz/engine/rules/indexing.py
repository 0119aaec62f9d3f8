"""Rules that pick entries or place them among zeros: indexing, take, diagonal; pad, diag.

Operands after the first are settings unless said: an axis, a shape, a key. They are not differentiated; their Jacobian
is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import Rule
from ..devices import to_numpy
from ..jacobians.local import Jacobian, Selection, Window
from .reshaping import moving


def _index(y: Any, x: Any, key: Any) -> list[Jacobian | None]:
    key = tuple(map(to_numpy, key)) if isinstance(key, tuple) else to_numpy(key)
    parts = key if isinstance(key, tuple) else (key,)
    if all(part is None or part is Ellipsis or isinstance(part, int | np.integer | slice) for part in parts):
        return [Window(key, np.shape(y), np.shape(x)), None]
    numbers = np.arange(np.size(x)).reshape(np.shape(x))
    return [Selection(np.asarray(numbers[key]), np.shape(x)), None]


INDEX = Rule("index", lambda x, key: (x if hasattr(x, "shape") else np.asarray(x))[key], _index, "shape", "[ ]")
TAKE = moving("take", np.take)
DIAGONAL = moving("diagonal", np.diagonal)


def _placing(name: str, fn: Callable[..., Any]) -> Rule:
    """A rule for a function that places every entry among zeros; its Jacobian is found by placing their numbers."""

    def jacobians(y: Any, x: Any, *settings: Any) -> list[Jacobian | None]:
        numbers = np.ravel(fn(np.arange(1, np.size(x) + 1).reshape(np.shape(x)), *settings))
        places = np.argsort(numbers, kind="stable")[np.size(y) - np.size(x) :]
        return [Selection(places.reshape(np.shape(x)), np.shape(y)).T, *[None] * len(settings)]

    return Rule(name, fn, jacobians, "shape")


PAD = _placing("pad", np.pad)
DIAGONAL_MATRIX = _placing("diag", np.diagflat)
