"""Constants of an array program as NumPy is written: zeros, identities, ranges by their functions, others by names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .keys import key_text
from .operator_phrases import ATOM, UNARY, Phrase, call
from .phrases import dtype_text, shape_text

WRITTEN = 6
"""An array of more numbers is not written out where it is used."""
LONGEST = 48
"""Characters of an array that is written out, at most."""


def constant_phrase(value: Any, kept: dict[str, np.ndarray], names: Any) -> Phrase:
    """How a constant is written; arrays that no function of NumPy makes get a name among the ``kept``.

    >>> constant_phrase(np.eye(3), {}, None), constant_phrase(-2.0, {}, None)
    (Phrase(text='np.eye(3)', strength=8), Phrase(text='-2.0', strength=6))
    """
    if isinstance(value, np.ndarray):
        return _array(value, kept, names)
    if isinstance(value, bool | np.bool_):
        return Phrase(str(bool(value)))
    if isinstance(value, np.generic) and value.dtype != np.dtype(float) and value.dtype.kind in "iuf":
        return call(f"np.{value.dtype.name}", _number(value.item()))
    if isinstance(value, int | float | np.number):
        text = _number(value if isinstance(value, int) else float(value))
        return Phrase(text, UNARY if text.startswith("-") else ATOM)
    if isinstance(value, slice):
        return Phrase(f"np.s_[{key_text(value)}]")
    return Phrase(repr(value))


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"


def _array(value: np.ndarray, kept: dict[str, np.ndarray], names: Any) -> Phrase:
    dtype, shape = dtype_text(value.dtype), shape_text(value.shape)
    if not value.size and value.dtype.kind in "fiub":
        return call("np.zeros", shape, dtype)
    if value.size and value.dtype.kind in "fiu":
        first = value.flat[0]
        if np.array_equal(value, np.full(value.shape, first)):
            if first == 0 and not math.copysign(1.0, first) < 0:
                return call("np.zeros", shape, dtype)
            return call("np.ones", shape, dtype) if first == 1 else call("np.full", shape, _number(first.item()), dtype)
        count = len(value)
        if value.ndim == 2 and count == value.shape[1] and np.array_equal(value, np.eye(count)):
            return call("np.eye", str(count), f"dtype={dtype}" if dtype else "")
        if (
            value.ndim == 1
            and value.dtype == np.arange(1).dtype
            and np.array_equal(value, np.arange(first, first + count))
        ):
            return call("np.arange", *([] if first == 0 else [str(first)]), str(first + count))
    text = repr(value.tolist()) if value.size <= WRITTEN else ""
    if 0 < len(text) <= LONGEST and value.dtype.kind in "fiub" and np.isfinite(value).all():
        plain = np.array(value.tolist())
        return call(
            "np.array",
            text,
            "" if plain.dtype == value.dtype and plain.shape == value.shape else f"dtype={dtype or 'float'}",
        )
    name = names.new("data")
    kept[name] = value
    return Phrase(name)
