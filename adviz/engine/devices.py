"""Far arrays, of other libraries that answer to NumPy's protocols, as CuPy's do: they stay where they are.

NumPy's functions on such arrays give such arrays, so that Blocks need not know. What the engine makes of nothing
(seeds, zeros, weights) it brings to where the data are, here. Places (indices, axes, shapes) stay NumPy's and Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

PROTOCOLS = ("__array_ufunc__", "__array_function__", "__dlpack__")

_library: ContextVar[ModuleType | None] = ContextVar("library", default=None)
"""Where NumPy's arrays go that the engine is given; ``None`` if they stay."""


def set_library(chosen: ModuleType) -> None:
    """Let the engine bring NumPy's arrays to this library, if its arrays take part in NumPy's protocols."""
    _library.set(chosen if _takes_part(getattr(chosen, "ndarray", float)) else None)


def library() -> Any:
    """The library that was chosen by :func:`set_library`, if any."""
    return _library.get()


def moved(data: Any) -> Any:
    """An array of NumPy as one of the library that was chosen by :func:`set_library`; numbers, and words, stay."""
    chosen = library()
    is_moved = chosen is not None and type(data) is np.ndarray and data.ndim and data.dtype.kind in "biufc"
    return chosen.asarray(data) if is_moved else data


def _answers(kind: type) -> bool:
    return all(hasattr(kind, name) for name in PROTOCOLS) and not issubclass(kind, np.ndarray)


_takes_part: Callable[[Any], bool] = cache(_answers)
"""Whether arrays of a type are another library's and take part in NumPy's protocols."""


def is_far(value: Any) -> bool:
    """Whether a value is an array of a library other than NumPy that takes part in NumPy's protocols."""
    return _takes_part(type(value))


def home(*values: Any) -> Any:
    """The first array of another library among values and what Variables hold; ``None`` if all are NumPy's."""
    for value in values:
        if type(value) is np.ndarray or type(value) is float:
            continue
        while hasattr(value, "tape"):
            value = value.data
        if _takes_part(type(value)):
            return value
    return None


def beside(value: Any, *others: Any) -> Any:
    """An array of NumPy's brought to where the others are, if these are another library's."""
    like = home(*others) if isinstance(value, np.ndarray) else None
    return value if like is None else np.asarray(value, like=like)


def placed(term: Any, value: Any) -> Any:
    """A tangent or cotangent brought to where the value is that it belongs to; that of a number is a number."""
    like = home(value)
    if like is not None or not is_far(term):
        return beside(term, like)
    here = in_numpy(term)
    return here if here.ndim else float(here)


def together(*values: Any) -> tuple[Any, ...]:
    """Values, with numbers and NumPy's arrays brought to where the others are, if those are another library's."""
    like = home(*values)
    near = (int, float, np.generic, np.ndarray)
    return values if like is None else tuple(np.asarray(x, like=like) if isinstance(x, near) else x for x in values)


def as_floats(value: Any) -> Any:
    """A copy in double precision, of the library that the value is of."""
    return value.astype(float) if is_far(value) else np.array(value, float)


def in_numpy(value: Any) -> Any:
    """An array of another library as one of NumPy's, to be shown; everything else as it is."""
    if not _takes_part(type(value)):
        return value
    return value.get() if hasattr(value, "get") else np.from_dlpack(value)
