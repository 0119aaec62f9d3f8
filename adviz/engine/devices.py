"""Arrays on a device: those of other libraries that answer to NumPy's protocols, as CuPy's do, stay where they are.

NumPy's functions on such arrays give such arrays, so that Blocks need not know. Arrays that the engine makes itself
(seeds, zeros, weights) are copied to the device of the data here. Indices, axes and shapes stay NumPy's and Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

PROTOCOLS = ("__array_ufunc__", "__array_function__", "__dlpack__")

LIBRARY: ContextVar[Any] = ContextVar("library", default=None)
"""The library that was chosen by :func:`set_library`; ``None`` if arrays stay NumPy's."""


def set_library(chosen: ModuleType) -> None:
    """Let the engine copy NumPy's arrays to this library, if its arrays take part in NumPy's protocols."""
    LIBRARY.set(chosen if _takes_part(getattr(chosen, "ndarray", float)) else None)


@contextmanager
def in_numpy() -> Iterator[None]:
    """Let the engine copy nothing to another library, as where a program is written at an example of NumPy's."""
    token = LIBRARY.set(None)
    try:
        yield
    finally:
        LIBRARY.reset(token)


def to_device(data: Any) -> Any:
    """Copy a NumPy array to the library that was chosen by :func:`set_library`; numbers and strings stay."""
    chosen = LIBRARY.get()
    is_copied = chosen is not None and type(data) is np.ndarray and data.ndim and data.dtype.kind in "biufc"
    return chosen.asarray(data) if is_copied else data


def _answers(kind: type) -> bool:
    return all(hasattr(kind, name) for name in PROTOCOLS) and not issubclass(kind, np.ndarray)


_takes_part: Callable[[Any], bool] = cache(_answers)
"""Whether arrays of a type are another library's and take part in NumPy's protocols."""


def is_on_device(value: Any) -> bool:
    """Return whether a value is an array of a library other than NumPy that takes part in NumPy's protocols."""
    return _takes_part(type(value))


def device_array(*values: Any) -> Any:
    """Return the first device array among values and the data of Variables; ``None`` if all are NumPy's."""
    for value in values:
        if type(value) is np.ndarray or type(value) is float:
            continue
        while hasattr(value, "tape"):
            value = value.data
        if _takes_part(type(value)):
            return value
    return None


def as_like(value: Any, *others: Any) -> Any:
    """Copy a NumPy array, or a list, to the device that the others are on, if they are on one."""
    like = device_array(*others) if isinstance(value, np.ndarray | list) else None
    return value if like is None else np.asarray(value, like=like)


def to_device_of(term: Any, value: Any) -> Any:
    """Copy a tangent or an adjoint to the device of the value that it belongs to; that of a number is a number."""
    like = device_array(value)
    if like is not None or not is_on_device(term):
        return as_like(term, like)
    in_numpy = to_numpy(term)
    return in_numpy if in_numpy.ndim else float(in_numpy)


def on_one_device(*values: Any) -> tuple[Any, ...]:
    """The values, with numbers and NumPy's arrays copied to the device that the others are on, if they are on one."""
    like = device_array(*values)
    plain = (int, float, np.generic, np.ndarray)
    return values if like is None else tuple(np.asarray(x, like=like) if isinstance(x, plain) else x for x in values)


def as_floats(value: Any) -> Any:
    """Return a copy in double precision, of the library that the value is of."""
    return value.astype(float) if is_on_device(value) else np.array(value, float)


def to_numpy(value: Any) -> Any:
    """Copy a device array to NumPy; everything else as it is."""
    if not _takes_part(type(value)):
        return value
    return value.get() if hasattr(value, "get") else np.from_dlpack(value)
