"""Python's ``type`` while a function is traced: ``type(x)`` of a traced value is what NumPy would have there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex
from ..arrays.object_arrays import ObjectArray
from ..arrays.program_arrays import ProgramArray
from ..variable import Traced


class _Asked(type):
    """The class of ``TYPE``, which is called as ``type`` is."""

    def __call__(cls, *args: Any, **settings: Any) -> Any:
        if cls is not TYPE:  # a class of the program that is derived from it
            return super().__call__(*args, **settings)
        if len(args) != 1 or settings:
            return type(*args, **settings)
        kind = numpy_type(args[0])
        return TYPE if kind is type else kind

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type) if cls is TYPE else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, type) if cls is TYPE else super().__subclasscheck__(kind)


TYPE = _Asked("type", (type,), {})
"""What stands in for ``type``."""


def numpy_type(value: Any) -> type:
    """The type of a value where nothing is traced: a number is one of Python's where all arguments are such numbers.

    >>> import adviz
    >>> adviz.grad(lambda x: x**2 if type(x) is np.ndarray else 3.0 * x)(2.0)
    3.0
    """
    kind = type(value)
    if issubclass(kind, ProgramArray | ObjectArray):
        return np.ndarray if value.ndim or value.dtype.hasobject else value.dtype.type
    if issubclass(kind, Complex):
        return np.ndarray if value.ndim else np.complex128
    if not issubclass(kind, Traced):
        return kind
    if value.ndim:
        return np.ndarray
    return np.float64 if value.tape.has_arrays else float
