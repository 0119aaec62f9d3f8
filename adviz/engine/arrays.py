"""Arrays of other libraries that answer to NumPy's protocols, as CuPy's do: they stay where they are.

NumPy's functions on such arrays give such arrays, so that Blocks need not know. What the engine makes of nothing (seeds,
zeros, weights) it brings to where the data are, here. Places (indices, axes, shapes) stay NumPy's and Python's.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

PROTOCOLS = ("__array_ufunc__", "__array_function__", "__dlpack__")

_library: ContextVar[ModuleType | None] = ContextVar("library", default=None)
"""Where NumPy's arrays go that the engine is given; ``None`` if they stay."""


def set_library(library: ModuleType) -> None:
    """Let the engine compute with this library's arrays, if those take part in NumPy's protocols; else with NumPy's."""
    takes_part = _takes_part(getattr(library, "ndarray", float))
    _library.set(library if takes_part else None)


def moved(data: Any) -> Any:
    """An array of NumPy as one of the library that was chosen by :func:`set_library`; numbers stay."""
    library = _library.get()
    return data if library is None or type(data) is not np.ndarray or not data.ndim else library.asarray(data)


@cache
def _takes_part(kind: type) -> bool:
    return all(hasattr(kind, name) for name in PROTOCOLS) and not issubclass(kind, np.ndarray)


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of a library other than NumPy that takes part in NumPy's protocols."""
    return _takes_part(type(value))


def home(*values: Any) -> Any:
    """The first array of another library among values and what Variables hold; ``None`` if all are NumPy's."""
    for value in values:
        while hasattr(value, "tape"):
            value = value.data
        if _takes_part(type(value)):
            return value
    return None


def beside(value: Any, *others: Any) -> Any:
    """An array of NumPy's brought to where the others are, if these are another library's."""
    like = home(*others) if type(value) is np.ndarray else None
    return value if like is None else np.asarray(value, like=like)


def together(*values: Any) -> tuple[Any, ...]:
    """Values, with NumPy's arrays brought to where the others are."""
    return tuple(beside(value, *values) for value in values)


def in_numpy(value: Any) -> Any:
    """An array of another library as one of NumPy's, to be shown; everything else as it is."""
    if not _takes_part(type(value)):
        return value
    return value.get() if hasattr(value, "get") else np.from_dlpack(value)
