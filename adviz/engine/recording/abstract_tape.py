"""A tape that does not compute large arrays: their shapes and dtypes are enough to write a program."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any

import numpy as np

from ..blocks import Block
from ..rules.abstract_values import AbstractValue, shape_dtype_of
from .tape import Tape

LARGE = 1 << 12
"""Numbers of an array from which on it is not computed; of smaller ones that is quick."""


class AbstractTape(Tape):
    """A tape for all points whose values are stand-ins where an operand has ``least`` numbers: zeros of their shape."""

    __slots__ = ("least",)

    def __init__(self, frame: FrameType | None, least: int | None = None):
        super().__init__("array", None, frame, symbolic=True)
        self.least = LARGE if least is None else least

    def is_large(self, block: Block, data: Sequence[Any]) -> bool:
        """Return whether the value of a Block at ``data`` is to be stood in for.

        Whether the value of a view shares memory is seen by computing it, which copies nothing.
        """
        return not block.is_view and any(isinstance(each, np.ndarray) and each.size >= self.least for each in data)

    def stand_in(self, block: Block, places: Sequence[int], data: Sequence[Any]) -> Any:
        """A stand-in for the value of a Block at ``data``; where a place is negative, that operand is a constant."""
        pairs = zip(places, data, strict=True)
        shape, dtype = shape_dtype_of(
            block, [_traced(each) if k >= 0 else AbstractValue.constant(each) for k, each in pairs]
        )
        return np.zeros(shape, dtype)[()]  # the system gives zeros memory when they are written to


def _traced(value: Any) -> AbstractValue:
    return AbstractValue(np.shape(value), getattr(value, "dtype", np.dtype(float)))
