"""The arrays that a traced program gets from ``np.zeros`` and its like, with their operators and methods.

:class:`~.program_arrays.ProgramArray` answers NumPy's protocols and has all methods of NumPy's arrays. Without traced
values in it, it does what NumPy's own arrays do, and so do its results; else what is in it does.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import _getframe
from typing import Any

import numpy as np

from ..apply import gathered
from ..arrays.object_arrays import ObjectArray
from ..arrays.program_arrays import ANY_FILLED, ProgramArray, as_program_array, contents, filled, raw
from ..blocks import BLOCK_OF
from ..functions.registry import PARAMETERS
from ..recording.tape import current_tape
from ..variable import Traced, Variable, is_computed, plain_key
from ..writing import writes, writing_functions
from .function_calls import call_function
from .operators import apply_on_arrays
from .protocols import FLAT
from .ufunc_calls import call_ufunc

# ---- protocols ----


def as_program_arrays(value: Any) -> Any:
    """Return NumPy's result as arrays of the program, if a trace is running."""
    if type(value) is tuple or type(value) is list:
        return type(value)(map(as_program_arrays, value))
    return as_program_array(value) if current_tape() is not None else value


def is_untraced(*values: Any) -> bool:
    """Whether arguments are NumPy's arrays of numbers, program's arrays without traced values in them, and settings."""
    for value in values:
        kind = type(value)
        if kind is ProgramArray:
            if filled(value) is not None:
                return False
        elif kind is tuple or kind is list:
            if not is_untraced(*value):
                return False
        elif kind is np.ndarray:
            if value.dtype.hasobject:
                return False
        elif isinstance(value, Variable | ObjectArray) or (hasattr(value, "__array_ufunc__") and kind not in _PLAIN):
            return False
    return True


_PLAIN = {np.ndarray, np.float64, np.float32, np.int64, np.bool_, np.complex128}


def _array_ufunc(self: ProgramArray, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
    if len(inputs) == 2 and not settings and method == "__call__" and ufunc in BLOCK_OF and ufunc not in PARAMETERS:
        first, second = inputs
        traced = first if type(first) is Traced else second
        if type(traced) is Traced:
            result = apply_on_arrays(BLOCK_OF[ufunc], traced.tape, first, second, _getframe(1))
            if result is not None:
                return result
    if not is_untraced(*inputs, *settings.values()):
        return call_ufunc(ufunc, method, inputs, settings)
    targets = settings.get("out")
    result = getattr(ufunc, method)(*contents(inputs), **contents(settings))
    if targets is None:
        return as_program_arrays(result)
    return targets[0] if len(targets) == 1 else targets


def _array_function(self: ProgramArray, function: Any, types: Any, args: Any, settings: Any) -> Any:
    if not is_untraced(*args, *settings.values()):
        return call_function(function, args, settings)
    result = function(*contents(args), **contents(settings))
    target = settings.get("out")
    return as_program_arrays(result) if target is None else target


# ---- items ----


def _getitem(self: ProgramArray, key: Any) -> Any:
    if type(key) is not int:
        if is_computed(key):
            return gathered(self, key)
        key = plain_key(key)
    if not ANY_FILLED or filled(self) is None:
        return np.ndarray.__getitem__(self, key)
    result = np.ndarray.__getitem__(self, key)
    is_view = isinstance(result, ProgramArray) and filled(result) is not None
    return result if is_view else contents(self)[key]


def _setitem(self: ProgramArray, key: Any, value: Any) -> None:
    if filled(self) is None and not is_computed(key) and is_untraced(value) and not isinstance(value, list | tuple):
        np.ndarray.__setitem__(self, plain_key(key), contents(value))
    else:
        writes.write(self, key, value)


# ---- methods ----


def _delegated(name: str) -> Callable[..., Any]:
    own, function = getattr(np.ndarray, name), getattr(np, name, None)

    def method(self: ProgramArray, *args: Any, **settings: Any) -> Any:
        if filled(self) is not None:
            return getattr(contents(self), name)(*args, **settings)
        if not is_untraced(*args, *settings.values()):
            if name in writing_functions.METHODS:
                return writing_functions.METHODS[name](self, *args, **settings)
            if callable(function):
                return function(self, *args, **settings)
        return own(raw(self) if name == "__repr__" else self, *args, **settings)

    method.__name__, method.__doc__ = name, own.__doc__
    return method


_SPECIAL = (
    *("__bool__", "__float__", "__int__", "__index__", "__complex__", "__repr__", "__str__", "__format__"),
    *("__copy__", "__deepcopy__"),
)
_IMAG: Any = np.ndarray.imag
_NAMES = (*_SPECIAL, *(name for name in dir(np.ndarray) if not name.startswith("_")))

OF_PROGRAM_ARRAYS: dict[str, Any] = {
    **{name: _delegated(name) for name in _NAMES if callable(getattr(np.ndarray, name)) and name != "setflags"},
    "__array_ufunc__": _array_ufunc,
    "__array_function__": _array_function,
    "__getitem__": _getitem,
    "__setitem__": _setitem,
    "flat": FLAT,
    "imag": property(
        lambda self: _IMAG.__get__(self) if filled(self) is None else contents(self).imag,
        lambda self, value: _IMAG.__set__(self, value) if filled(self) is None else writes.write(self, ..., value),
    ),
}
"""The methods of NumPy's arrays, for arrays that a program made."""
