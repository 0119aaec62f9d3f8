"""What a traced program gets of ``np.zeros`` and its like, and what it can do with it.

:class:`~.program_arrays.ProgramArray` answers NumPy's protocols and has all methods of NumPy's arrays. Without traced
values in it, it does what NumPy's own arrays do, and so do its results; else what is in it does.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import _getframe
from typing import Any

import numpy as np

from ..arrays.object_arrays import CONSTRUCTORS, MADE, OF_ARRAYS, ObjectArray, _made, _made_of_objects
from ..arrays.program_arrays import ANY_FILLED, ProgramArray, as_program_array, contents, filled, raw
from ..blocks import BLOCK_OF
from ..functions.registry import PARAMETERS
from ..recording.memory import numbers_of
from ..recording.tape import current_tape
from ..rules.reshaping import CAST
from ..variable import Traced, Variable, array_of, has_traced, plain_key
from ..writing import writes
from .dispatch import call_function, call_ufunc
from .operators import apply_on_arrays

# ---- protocols ----


def _found(value: Any) -> Any:
    """What NumPy gave, as the program's own array if a trace is running."""
    if type(value) is tuple or type(value) is list:
        return type(value)(map(_found, value))
    return as_program_array(value) if current_tape() is not None else value


def _is_plain(*values: Any) -> bool:
    """Whether arguments are NumPy's arrays of numbers, program's arrays without traced values in them, and settings."""
    for value in values:
        kind = type(value)
        if kind is ProgramArray:
            if filled(value) is not None:
                return False
        elif kind is tuple or kind is list:
            if not _is_plain(*value):
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
            found = apply_on_arrays(BLOCK_OF[ufunc], traced.tape, first, second, _getframe(1))
            if found is not None:
                return found
    if not _is_plain(*inputs, *settings.values()):
        return call_ufunc(ufunc, method, inputs, settings)
    targets = settings.get("out")
    found = getattr(ufunc, method)(*contents(inputs), **contents(settings))
    if targets is None:
        return _found(found)
    return targets[0] if len(targets) == 1 else targets


def _array_function(self: ProgramArray, function: Any, types: Any, args: Any, settings: Any) -> Any:
    if not _is_plain(*args, *settings.values()):
        return call_function(function, args, settings)
    found = function(*contents(args), **contents(settings))
    target = settings.get("out")
    return _found(found) if target is None else target


# ---- items ----


def _getitem(self: ProgramArray, key: Any) -> Any:
    key = key if type(key) is int else plain_key(key)
    if not ANY_FILLED or filled(self) is None:
        return np.ndarray.__getitem__(self, key)
    found = np.ndarray.__getitem__(self, key)
    is_view = isinstance(found, ProgramArray) and filled(found) is not None
    return found if is_view else contents(self)[key]


def _setitem(self: ProgramArray, key: Any, value: Any) -> None:
    if filled(self) is None and _is_plain(value) and not isinstance(value, list | tuple):
        np.ndarray.__setitem__(self, plain_key(key), contents(value))
    else:
        writes.write(self, key, value)


# ---- methods ----


def _delegated(name: str) -> Callable[..., Any]:
    own, function = getattr(np.ndarray, name), getattr(np, name, None)

    def method(self: ProgramArray, *args: Any, **settings: Any) -> Any:
        if filled(self) is not None:
            return getattr(contents(self), name)(*args, **settings)
        if not _is_plain(*args, *settings.values()):
            if name in writes.METHODS:
                return writes.METHODS[name](self, *args, **settings)
            if callable(function):
                return function(self, *args, **settings)
        return own(self, *args, **settings)

    method.__name__, method.__doc__ = name, own.__doc__
    return method


_OWN = {
    *("__getitem__", "__setitem__", "__array_ufunc__", "__array_function__", "__reduce__", "__reduce_ex__"),
    *("setflags", "__array_finalize__", "__array_wrap__", "__array__"),
}
_SPECIAL = (
    *("__bool__", "__float__", "__int__", "__index__", "__complex__", "__repr__", "__str__", "__format__"),
    *("__copy__", "__deepcopy__"),
)
for _name in (*_SPECIAL, *(name for name in dir(np.ndarray) if not name.startswith("_"))):
    if callable(getattr(np.ndarray, _name)) and _name not in _OWN:
        setattr(ProgramArray, _name, _delegated(_name))


def _attribute(name: str) -> property:
    own = getattr(np.ndarray, name)
    return property(
        lambda self: own.__get__(self) if filled(self) is None else getattr(contents(self), name),
        lambda self, value: own.__set__(self, value) if filled(self) is None else writes.write(self, ..., value),
    )


for _name, _value in {
    "__array_ufunc__": _array_ufunc,
    "__array_function__": _array_function,
    "__getitem__": _getitem,
    "__setitem__": _setitem,
    "flat": property(writes.Flat, lambda self, value: writes.Flat(self).__setitem__(slice(None), value)),
    "imag": _attribute("imag"),
}.items():
    setattr(ProgramArray, _name, _value)


# ---- what constructors give ----


def _array(original: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """``np.array``, ``np.asarray`` and their like: traced values stay traced."""
    value, *others = args or (settings.get("object", settings.get("a")),)
    dtype = settings.get("dtype", others[0] if others else None)
    tape = current_tape()
    in_array_grain = tape is not None and tape.grain == "array" and (dtype is None or np.dtype(dtype).kind == "f")
    if in_array_grain and has_traced(value):
        found = array_of(contents(value))
        if isinstance(found, Variable):
            return _as_asked(original, value, found, dtype, settings)
    if isinstance(value, ObjectArray) and settings.get("copy") is False and np.dtype(dtype or float).kind == "f":
        return value
    if type(value) is ProgramArray and filled(value) is None and original.__name__ != "array":
        return _found(original(raw(value), *others, **settings))
    return as_program_array(_made_of_objects(original, (contents(value), *others) if args else (), contents(settings)))


def _as_asked(original: Callable[..., Any], value: Any, found: Any, dtype: Any, settings: dict[str, Any]) -> Any:
    """A Variable of the type, the order in memory and the axes that were asked for; a copy where NumPy copies."""
    name, order = original.__name__, settings.get("order") or "K"
    order = {"ascontiguousarray": "C", "asfortranarray": "F"}.get(name, order)
    if dtype is not None and found.dtype != dtype:
        found = CAST(found, np.dtype(dtype))
    elif isinstance(value, Variable | ProgramArray):
        flags = getattr(numbers_of(found), "flags", None)
        is_ordered = order in "KA" or flags is None or flags[f"{order}_CONTIGUOUS"]
        if (name == "array" and settings.get("copy", True) is True) or settings.get("copy") is True or not is_ordered:
            found = found.copy(order)
    lacking = settings.get("ndmin", int(name.startswith(("ascont", "asfort")))) - found.ndim
    return found[(None,) * lacking] if lacking > 0 else found


def _full(original: Callable[..., Any], shape: Any, fill_value: Any, *args: Any, **settings: Any) -> Any:
    if not has_traced(fill_value):
        return _made(original, shape, contents(fill_value), *args, **settings)
    names = dict(zip(("dtype", "order"), args, strict=False))
    made = as_program_array(np.empty(shape, **{"dtype": float, **names, **settings}))
    writes.write(made, ..., fill_value)
    return made


def _of_arrays(original: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """Functions that NumPy's protocols reach."""
    if _is_plain(*args, *settings.values()):
        return _made(original, *contents(args), **contents(settings))
    return original(*args, **settings)


def _select(original: Callable[..., Any], condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """``np.select``, which asks its default not whether it is traced."""
    if has_traced(default):
        return call_function(original, (condlist, choicelist, default), {})
    return _of_arrays(original, condlist, choicelist, default)


MADE.update(dict.fromkeys(CONSTRUCTORS, _array))
MADE.update(dict.fromkeys(OF_ARRAYS, _of_arrays))
MADE["full"] = _full
MADE["select"] = _select
