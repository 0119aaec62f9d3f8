"""Object arrays of scalar Variables: what code gets that insists on ``np.asarray``, or builds ``np.array([a, b, …])``.

NumPy's own loops over objects call a method of each entry. They fail on plain numbers among the entries (a float has
no ``sin``), know no ``isnan`` or ``logaddexp``, and let NaN get lost in ``maximum``. An :class:`ObjectArray` answers
NumPy's protocols instead, so that every ufunc and function does entry by entry what it does on numbers: ``tracing/``
says how.

While a function is traced, ``np.array`` makes them: see ``tracing/constructors.py``.

Arrays without a traced entry are as good as plain ones to what knows no objects: see :func:`has_only_numbers`.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from sys import _getframe
from types import EllipsisType, FrameType, MethodType, NoneType
from typing import Any

import numpy as np

from ..recording.codes import ENGINES
from .numpy_methods import NumPyMethods, method_of
from .program_arrays import contents, raw

OBJECT, DOUBLE, BOOLEAN = np.dtype(object), np.dtype(float), np.dtype(bool)
_dtype_in_memory = np.ndarray.dtype.__get__


def _on_contents(name: str) -> Callable[..., Any]:
    """Return a method of NumPy's that knows nothing of traced values in arrays that a program made."""
    own = getattr(np.ndarray, name)
    return lambda self, *args, **settings: own(self, *contents(args), **contents(settings))


def is_of_objects(value: Any) -> bool:
    """Return whether a value is an array with objects in its memory, whatever it tells a program of its dtype."""
    return issubclass(type(value), np.ndarray) and _dtype_in_memory(value) == OBJECT


class ObjectArray(np.ndarray):
    """An array of Variables and plain numbers, objects in memory; can be written to, like any array."""

    @property
    def dtype(self) -> np.dtype:
        """What the numbers are to a program: in double precision unless all have another, or conditions that are nodes.

        Libraries see what is in memory: compiled code of theirs goes by it.
        """
        frame: FrameType | None = _getframe(1)
        is_library = frame is None or frame.f_globals.get("__name__", "").partition(".")[0] in ENGINES
        if is_library or not is_of_objects(self):
            return _dtype_in_memory(self)
        first = self.flat[0] if self.size else 0.0
        is_of_numbers = all(issubclass(kind, Number | NumPyMethods) for kind in set(map(type, self.flat)))
        if not is_of_numbers or np.ndim(first):
            return OBJECT
        dtypes = {getattr(entry, "dtype", DOUBLE) for entry in self.flat}
        return dtypes.pop() if len(dtypes) == 1 else DOUBLE

    @dtype.setter
    def dtype(self, value: Any) -> None:
        if value != _dtype_in_memory(self):  # NumPy's as_strided sets what is there
            raise AttributeError("The dtype of an array of traced values cannot be set. Use x.astype.")

    @property
    def real(self) -> Any:
        """All of it, on the same memory: the numbers are real ones. Of objects NumPy 2.5 has a copy."""
        return self[...]

    @real.setter
    def real(self, value: Any) -> None:
        self[...] = value

    argmax, argmin, argsort = method_of(np.argmax), method_of(np.argmin), method_of(np.argsort)
    var, std, clip = method_of(np.var), method_of(np.std), method_of(np.clip)
    round, nonzero = method_of(np.round), method_of(np.nonzero)
    choose, compress, put = _on_contents("choose"), _on_contents("compress"), _on_contents("put")
    dot, searchsorted, take = _on_contents("dot"), _on_contents("searchsorted"), _on_contents("take")

    def sort(self, axis: Any = -1, *args: Any, **settings: Any) -> None:
        """Put the entries in order, in place."""
        self[...] = np.sort(self, axis)


def as_object_array(value: Any) -> Any:
    """Return arrays of objects as an :class:`ObjectArray` on the same memory; everything else as it is."""
    if type(value) is np.ndarray and value.dtype == OBJECT:
        return value.view(ObjectArray)
    return value


def as_plain_array(value: Any) -> Any:
    """Return an :class:`ObjectArray` as NumPy's own class on the same memory; everything else as it is."""
    return raw(value) if type(value) is ObjectArray else value


PLAIN = (Number, np.generic, np.dtype, np.ndarray, type, str, bytes, slice, EllipsisType, NoneType)


def has_only_numbers(value: Any) -> bool:
    """Whether nothing that is traced is in an argument, nor can come in, as through a function; also in sequences."""
    if isinstance(value, list | tuple | dict):
        return all(map(has_only_numbers, value.values() if isinstance(value, dict) else value))
    if is_of_objects(value):
        return all(isinstance(entry, Number) for entry in value.flat)
    if isinstance(value, PLAIN):
        return True
    return type(getattr(value, "plain", None)) is MethodType and value.plain() is not value  # complex, of plain parts


def as_numbers(value: Any) -> Any:
    """Object arrays of numbers as arrays of floats, also inside sequences; everything else as it is."""
    if isinstance(value, list | tuple):
        return type(value)(map(as_numbers, value))
    if isinstance(value, dict):
        return {key: as_numbers(entry) for key, entry in value.items()}
    if is_of_objects(value):
        return as_plain_array(value).astype(
            complex if any(isinstance(entry, complex) for entry in value.flat) else float
        )
    return value
