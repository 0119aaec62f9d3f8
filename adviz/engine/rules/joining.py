"""Rules that join arrays: concatenate and stack; the first operand, the axis, is a setting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Rule
from ..devices import on_one_device
from ..jacobians.local import Jacobian, Window


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


CONCATENATE = Rule("concatenate", lambda axis, *arrays: np.concatenate(on_one_device(*arrays), axis), _parts, "shape")
STACK = Rule("stack", lambda axis, *arrays: np.stack(on_one_device(*arrays), axis), _layers, "shape")
