"""The methods that are set on a class from outside: all of them, and here only. Imported by ``trace.py``.

What an operator does needs everything above the class that has it: Blocks, rules, functions of NumPy. Operators in the
class that look this up when they are called are 10 % slower on numbers (one call more: 1,600 operations took 1.11 ms
instead of 1.02 ms). Methods that need no more than NumPy are in the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..apply import call_block, item_of
from ..arrays.complex_pairs import Complex, as_array
from ..arrays.object_arrays import ObjectArray, as_numbers, has_only_numbers
from ..arrays.program_arrays import ProgramArray
from ..blocks import Block
from ..complex_numbers.by_parts import ADVICE
from ..complex_numbers.complex_dispatch import call_function, call_ufunc
from ..devices import device_array
from ..functions import casts
from ..functions.arguments import data_of, missing
from ..variable import DeviceTraced, Traced, Variable
from ..writing import views
from . import operators, protocols
from .array_methods import OF_PROGRAM_ARRAYS

# ---- attributes ----


def _data(array: Any) -> Any:
    return np.asarray(data_of(array, decides=False)) if device_array(array) is None else device_array(array)


def view(self: Any, dtype: Any = None, type: Any = None) -> Any:
    """``x.view()`` as what is the same type: itself, or an array of objects on the same memory."""
    asked = [kind for kind in (dtype, type) if kind is not None and kind is not np.ndarray]
    if all(np.dtype(kind) == casts.type_of(self) for kind in asked):
        return np.ndarray.view(self) if isinstance(self, ObjectArray) else self
    if isinstance(self, ObjectArray):
        if has_only_numbers(self):
            return as_numbers(self).view(*asked)
        if all(np.ndarray in getattr(kind, "__mro__", ()) for kind in asked):  # as a matrix, or with a mask
            return np.ndarray.view(self, *asked)
    raise missing("x.view of another type", "Use x.astype, which converts the numbers.")


def to_device(self: Any, device: Any, /, *, stream: Any = None) -> Any:
    """``x.to_device``: itself, if it is there."""
    if device == _data(self).device:
        return self
    raise missing(f"x.to_device({device!r})", "Bring arrays to another device before tracing.")


PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "itemsize": lambda self: self.dtype.itemsize,
    "strides": lambda self: _data(self).strides,
    "flags": lambda self: _data(self).flags,
    "device": lambda self: _data(self).device,
}
METHODS: dict[str, Callable[..., Any]] = {
    "argpartition": lambda self, *args, **settings: np.argpartition(self, *args, **settings),
    "choose": lambda self, *args, **settings: np.choose(self, *args, **settings),
    "compress": lambda self, condition, axis=None, out=None: np.compress(condition, self, axis, out),
    "to_device": to_device,
    "view": view,
    "__contains__": lambda self, value: np.any(np.equal(self, value)),
}
OF_MEMORY = "A traced value is no plain memory. Convert after tracing, or pass arrays as keyword arguments."
UNSUPPORTED: dict[str, str] = {
    **dict.fromkeys(("byteswap", "dump", "dumps", "getfield", "setfield", "tobytes", "tofile"), OF_MEMORY),
    "setflags": "Flags do not say what may be written to: take a copy.",
}
UNSUPPORTED_PROPERTIES: dict[str, str] = {"base": "Use np.shares_memory.", "ctypes": OF_MEMORY}


def _unsupported(name: str, advice: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **settings: Any) -> Any:
        if isinstance(self, ObjectArray) and has_only_numbers(self):
            return getattr(as_numbers(self), name)(*args, **settings)
        raise missing(f"x.{name}", advice)

    return method


def _pointers(self: ObjectArray) -> Any:
    """``x.ctypes`` of numbers; of traced ones it would point to objects."""
    if has_only_numbers(self):
        return as_numbers(self).ctypes
    raise missing("x.ctypes", OF_MEMORY)


OF_VARIABLES: dict[str, Any] = {
    **{name: property(answer) for name, answer in PROPERTIES.items()},
    **METHODS,
    **{name: _unsupported(name, advice) for name, advice in UNSUPPORTED.items()},
    **{name: property(_unsupported(name, advice)) for name, advice in UNSUPPORTED_PROPERTIES.items()},
}
OF_OBJECT_ARRAYS: dict[str, Any] = {
    **{name: _unsupported(name, advice) for name, advice in UNSUPPORTED.items() if name != "setflags"},
    "ctypes": property(_pointers),
    "data": property(_unsupported("data", OF_MEMORY)),
    "view": view,
}
"""Object arrays of Variables give no bytes, which would be addresses."""


# ---- complex numbers ----


def _astype(self: Complex, dtype: Any, *args: Any, **settings: Any) -> Any:
    if np.dtype(dtype).kind not in "cO":
        raise missing(f"astype({np.dtype(dtype)}) of complex numbers", "Take z.real, z.imag or np.abs(z).")
    return as_array(self, dtype)


def _unknown(self: Complex, name: str) -> Any:
    if name.startswith("__") or not hasattr(np.ndarray, name):
        raise AttributeError(f"complex numbers have no attribute {name!r}")
    if self.plain() is not self:
        return getattr(self.plain(), name)
    raise missing(f"the attribute {name} of complex numbers", ADVICE)


OF_COMPLEX: dict[str, Callable[..., Any]] = {
    "astype": _astype,
    "__array_ufunc__": lambda self, ufunc, method, *inputs, **settings: call_ufunc(ufunc, method, inputs, settings),
    "__array_function__": lambda self, function, types, args, settings: call_function(function, args, settings),
    "__getattr__": _unknown,
}


# ---- operators ----


INSTALLED: tuple[tuple[type, dict[str, Any]], ...] = (
    (Block, {"__call__": call_block}),
    (Variable, operators.OPERATORS),
    (Variable, OF_VARIABLES),
    (Variable, protocols.OF_VARIABLES),
    (Variable, views.OF_VARIABLES),
    (Traced, {"__getitem__": item_of}),
    (Traced, protocols.OF_TRACED),
    (DeviceTraced, protocols.ON_DEVICES),
    (ObjectArray, OF_OBJECT_ARRAYS),
    (ObjectArray, protocols.OF_OBJECT_ARRAYS),
    (ObjectArray, views.OF_OBJECT_ARRAYS),
    (ProgramArray, OF_PROGRAM_ARRAYS),
    (Complex, OF_COMPLEX),
)
"""A class, and what it gets."""

for _kind, _methods in INSTALLED:
    for _name, _method in _methods.items():
        setattr(_kind, _name, _method)
