"""What a traced value has become when its trace has ended: the number, or the array, that it was.

A program may keep traced values: a running mean in an object, a cache, a list of losses. When the trace ends, each of
them changes its class (``writing/survivors.py``), lets go of the tape, and holds NumPy's own number or array. It
passes for that, does what that does, and enters later traces as a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Handle:
    """The slots of a Variable, and of what it becomes."""

    __slots__ = ("data", "index", "tape")


class Pair:
    """The slots of complex numbers whose parts are traced, and of what they become: then the first has both parts."""

    __slots__ = ("_imag", "_real")


def unsettled(value: Any) -> Any:
    """Return NumPy's own number or array behind what a trace left, also inside sequences; everything else as it is."""
    kind = type(value)
    if kind in SETTLED:
        return value.data
    if kind is list or kind is tuple:
        return kind(map(unsettled, value))
    if kind is dict:
        return {key: unsettled(each) for key, each in value.items()}
    return value


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *args, **settings: getattr(self.data, name)(*unsettled(args), **unsettled(settings))


def _array_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
    return getattr(ufunc, method)(*unsettled(inputs), **unsettled(settings))


def _array_function(self: Any, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
    args, settings = unsettled(args), unsettled(settings)
    if SETTLED.issuperset(types):
        return np.ndarray.__array_function__(np.empty(0), function, (), args, settings)
    return function(*args, **settings)


def _attribute(self: Any, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(self.data, name)


OF_ALL = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__repr__", "__str__", "__format__"),
    *("__reduce__", "__reduce_ex__", "__dir__"),
)
"""What every object has, and these have of what they hold."""
NOT_ASKED = {
    *("__array_wrap__", "__array_finalize__", "__buffer__", "__class_getitem__", "__getnewargs__", "__setstate__"),
    *("__dlpack__", "__dlpack_device__"),  # or ``devices.py`` would take them for another library's
}


def _kind(name: str, slots: type, held: type, **more: Any) -> type:
    """Return a class with the methods of what it holds."""
    own = (each for each in dir(held) if each.startswith("__") and not hasattr(object, each))
    methods = {each: _method(each) for each in (*own, *OF_ALL) if callable(getattr(held, each))}
    named: dict[str, Any] = {
        **{each: method for each, method in methods.items() if each not in NOT_ASKED},
        "__array__": lambda self, dtype=None, copy=None: np.array(self.data, dtype, copy=copy),
        "__class__": property(lambda self: type(self.data)),
        "__getattr__": _attribute,
        "__new__": lambda cls, *args, **settings: held(*args, **settings),
        "__setattr__": lambda self, key, value: setattr(self.data, key, unsettled(value)),
        "__slots__": (),
        "__doc__": f"What was traced, and is now {held.__name__}.",
    }
    if held is not np.ndarray:
        named["__iter__"] = None  # or Python would count through __getitem__
    else:
        named |= {"__array_ufunc__": _array_ufunc, "__array_function__": _array_function}
    return type(name, (slots,), named | more)


_WHOLE = {"data": property(lambda self: self._real)}

SettledNumber = _kind("SettledNumber", Handle, np.float64)
SettledArray = _kind("SettledArray", Handle, np.ndarray)
SettledComplexNumber = _kind("SettledComplexNumber", Pair, np.complex128, **_WHOLE)
SettledComplexArray = _kind("SettledComplexArray", Pair, np.ndarray, **_WHOLE)
SETTLED = frozenset({SettledNumber, SettledArray, SettledComplexNumber, SettledComplexArray})
"""Classes of what traced values become."""
