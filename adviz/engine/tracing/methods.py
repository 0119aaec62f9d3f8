"""The methods of Variables, object arrays, complex numbers and arrays of the program: NumPy's protocols first.

They are set on their classes from outside, all of them, and here only. What an operator does needs everything above the
class that has it: Blocks, rules, functions of NumPy. Operators in the class that look this up when they are called are
10 % slower on numbers (one call more: 1,600 operations took 1.11 ms instead of 1.02 ms). Methods that need no more than
NumPy are in the classes.

:class:`~..arrays.ProgramArray`, which a traced program gets from ``np.zeros`` and its like, answers NumPy's protocols
and has all methods of NumPy's arrays. Without traced values in it, it does what NumPy's own arrays do, and so do its
results; else what is in it does.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import _getframe
from typing import Any

import numpy as np

from ..apply import call_block, gathered, item_of
from ..arrays import ANY_FILLED, ProgramArray, as_program_array, contents, filled, memory_of, raw
from ..blocks import BLOCK_OF, Block
from ..devices import device_array
from ..functions import arguments
from ..functions.arguments import cast, data_of, missing
from ..functions.registry import PARAMETERS
from ..object_arrays import Complex, ObjectArray, as_array, as_numbers, as_plain_array, has_only_numbers
from ..rules.matrix_products import MATMUL
from ..rules.reducing import MAX, MEAN, MIN, SUM
from ..tape import ENGINES, current_tape
from ..unsupported import OF_MEMORY, check_no_list, check_text
from ..variable import DeviceTraced, Traced, Variable, apart, is_computed, plain_key
from . import complex_functions, function_calls, operators, writes
from .booleans import counted
from .complex_ufuncs import ADVICE
from .function_calls import call_function, is_symbolic, put_into
from .operators import FAST_UFUNCS, NOTHING, apply_on_arrays, call_ufunc, reduce_array

# ---- protocols of Variables and object arrays ----

REDUCED: dict[Any, tuple[Any, Callable[..., Any]]] = {
    np.sum: (SUM, np.add.reduce),
    np.mean: (MEAN, np.mean),
    np.max: (MAX, np.maximum.reduce),
    np.amax: (MAX, np.maximum.reduce),
    np.min: (MIN, np.minimum.reduce),
    np.amin: (MIN, np.minimum.reduce),
}
"""The Block of a reduction, and what computes the same on an array without ado."""
SIMPLE_REDUCTION = {"axis", "keepdims"}
"""With these settings at most, and of arrays in double precision, reductions take the fast path."""


def _array_ufunc(self: Variable, ufunc: np.ufunc, method: str, first: Any, *others: Any, **settings: Any) -> Any:
    if method == "__call__" and not settings:
        fast = FAST_UFUNCS[ufunc] if type(first) is Traced and ufunc in FAST_UFUNCS else None
        if fast is not None and type(first.data) is float:
            return fast(first, others[0]) if others else fast(first)
        if ufunc in BLOCK_OF and ufunc.nin < 3 and ufunc not in PARAMETERS:
            right = others[0] if others else NOTHING
            result = apply_on_arrays(BLOCK_OF[ufunc], self.tape, first, right, _getframe(1))
            if result is not None:
                return result
        if fast is not None:
            return fast(first, others[0]) if others else fast(first)
    return call_ufunc(ufunc, method, (first, *others), settings)


class _AskedByNumPy(property):
    """``__array_ufunc__`` beside CuPy's arrays. NumPy asks the type; CuPy asks the instance, and finds none.

    To those it gives way: it has to, since its ``@`` takes arrays of its own only, and would not ask on.
    """

    __call__ = staticmethod(_array_ufunc)


def _matmul(self: Variable, other: Any) -> Any:
    result = apply_on_arrays(MATMUL, self.tape, self, other, _getframe(1))
    if result is None and getattr(other, "__array_priority__", 0.0) > 0.0 and not hasattr(other, "__array_ufunc__"):
        return NotImplemented  # as NumPy's arrays do: a sparse matrix knows the product
    return np.matmul(self, other) if result is None else result


def _array_function(self: Any, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
    if function in REDUCED and type(args[0]) is Traced and len(args) == 1 and settings.keys() <= SIMPLE_REDUCTION:
        axis, keepdims = settings.get("axis"), settings.get("keepdims", False)
        result = reduce_array(*REDUCED[function], args[0], axis, keepdims, _getframe(1))
        if result is not None:
            return result
    return call_function(function, args, settings)


def _resize(self: Variable, *args: Any, **settings: Any) -> None:
    raise missing("the method resize", "Write x = np.resize(x, shape).")


def _flatten(self: Any, order: Any = "C") -> Any:
    """``x.flatten()``: what ``ravel`` gives, in memory of its own."""
    result = np.ravel(self, order=order)
    return apart(result) if isinstance(result, Traced) and result.ndim and memory_of(result) is not None else result


def _mean(self: ObjectArray, axis: Any = None, dtype: Any = None, out: Any = None, **settings: Any) -> Any:
    if dtype is not None:
        return np.mean(self, axis, dtype, out, **settings)  # which comes back without
    count = np.sum(np.ones(self.shape), axis=axis, **settings)
    result = np.sum(self, axis=axis, **settings) / count
    return result if out is None else put_into(result, out)


def _plus(name: str) -> Callable[..., Any]:
    own = getattr(np.ndarray, name)

    def method(self: ObjectArray, other: Any) -> Any:
        if type(other) is list:
            check_no_list(self)
        return own(self, other)

    return method


FLAT = property(function_calls.Flat, lambda self, value: function_calls.Flat(self).__setitem__(slice(None), value))
"""``x.flat``, which may be written to."""


def _of_python(name: str, kind: type) -> Callable[..., Any]:
    """Make a method that gives Python's numbers, of which booleans are computed with as whole numbers."""
    own = getattr(kind, name)

    def method(self: Any, *place: Any) -> Any:
        array = as_plain_array(self) if isinstance(self, ObjectArray) else self
        if is_symbolic():
            array = counted(array) if isinstance(array, np.ndarray) else array * 1.0 if array.dtype == bool else array
        return own(array, *place)

    return method


OF_VARIABLES: dict[str, Any] = {
    **{name: _of_python(name, Variable) for name in ("item", "tolist")},
    "__array_function__": _array_function,
    "__array_ufunc__": _AskedByNumPy(lambda variable: None),
    "__matmul__": _matmul,
    "astype": cast,
    "copy": lambda self, order="C": arguments.copy(self, order),
    "flatten": _flatten,
    "resize": _resize,
}
OF_TRACED: dict[str, Any] = {"__array_ufunc__": _array_ufunc, **function_calls.METHODS, "flat": FLAT}
ON_DEVICES: dict[str, Any] = {"__array_ufunc__": _AskedByNumPy(lambda variable: None)}
OF_OBJECT_ARRAYS: dict[str, Any] = {
    "__array_function__": _array_function,
    "__array_ufunc__": lambda self, ufunc, method, *inputs, **settings: call_ufunc(ufunc, method, inputs, settings),
    "__getitem__": function_calls.read_entries,
    "__setitem__": function_calls.write_entries,
    "__str__": lambda self: check_text(str(as_plain_array(data_of(self, decides=False)))),
    **{name: _plus(name) for name in ("__add__", "__radd__", "__iadd__")},
    **{name: _of_python(name, np.ndarray) for name in ("item", "tolist")},
    "astype": cast,
    "mean": _mean,
    "resize": _resize,
}


# ---- arrays of the program: protocols ----


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


def _ufunc_of_program_arrays(self: ProgramArray, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
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


def _function_of_program_arrays(self: ProgramArray, function: Any, types: Any, args: Any, settings: Any) -> Any:
    if not is_untraced(*args, *settings.values()):
        return call_function(function, args, settings)
    result = function(*contents(args), **contents(settings))
    target = settings.get("out")
    return as_program_arrays(result) if target is None else target


# ---- arrays of the program: items ----


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


# ---- arrays of the program: methods ----


def _delegated(name: str) -> Callable[..., Any]:
    own, function = getattr(np.ndarray, name), getattr(np, name, None)

    def method(self: ProgramArray, *args: Any, **settings: Any) -> Any:
        if filled(self) is not None:
            return getattr(contents(self), name)(*args, **settings)
        if not is_untraced(*args, *settings.values()):
            if name in function_calls.METHODS:
                return function_calls.METHODS[name](self, *args, **settings)
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
    "__array_ufunc__": _ufunc_of_program_arrays,
    "__array_function__": _function_of_program_arrays,
    "__getitem__": _getitem,
    "__setitem__": _setitem,
    "__bytes__": lambda self: self.tobytes(),
    "flat": FLAT,
    "imag": property(
        lambda self: _IMAG.__get__(self) if filled(self) is None else contents(self).imag,
        lambda self, value: _IMAG.__set__(self, value) if filled(self) is None else writes.write(self, ..., value),
    ),
}
"""The methods of NumPy's arrays, for arrays that a program made."""


# ---- attributes of Variables and object arrays ----


def _data(array: Any) -> Any:
    return np.asarray(data_of(array, decides=False)) if device_array(array) is None else device_array(array)


def view(self: Any, dtype: Any = None, type: Any = None) -> Any:
    """``x.view()`` as what is the same type: itself, or an array of objects on the same memory."""
    asked = [kind for kind in (dtype, type) if kind is not None and kind is not np.ndarray]
    if all(np.dtype(kind) == arguments.type_of(self) for kind in asked):
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


def flags(self: Any) -> Any:
    """``x.flags``: how the data lie in memory; they may be written to, unless several entries are one number."""
    data = _data(self)
    if type(data) is not np.ndarray or 0 in data.strides:
        return data.flags
    if data.base is None:
        return np.empty_like(data).flags
    return np.lib.stride_tricks.as_strided(np.empty(1, data.dtype), data.shape, data.strides).flags


PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "itemsize": lambda self: self.dtype.itemsize,
    "strides": lambda self: _data(self).strides,
    "flags": flags,
    "device": lambda self: _data(self).device,
}
METHODS: dict[str, Callable[..., Any]] = {
    "argpartition": lambda self, *args, **settings: np.argpartition(self, *args, **settings),
    "choose": lambda self, *args, **settings: np.choose(self, *args, **settings),
    "compress": lambda self, condition, axis=None, out=None: np.compress(condition, self, axis, out),
    "to_device": to_device,
    "view": view,
    "__contains__": lambda self, value: np.any(self == value),
}
UNSUPPORTED: dict[str, str] = {
    **dict.fromkeys(("byteswap", "dump", "dumps", "getfield", "setfield", "tobytes", "tofile"), OF_MEMORY),
    "__bytes__": OF_MEMORY,
    "setflags": "Flags do not say what may be written to: take a copy.",
}
UNSUPPORTED_PROPERTIES: dict[str, str] = {"base": "Use np.shares_memory.", "ctypes": OF_MEMORY}


def _unsupported(name: str, advice: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **settings: Any) -> Any:
        if isinstance(self, ObjectArray) and has_only_numbers(self):
            return getattr(as_numbers(self), name)(*args, **settings)
        raise missing(f"x.{name}", advice)

    return method


_BASE: Any = np.ndarray.base


def _of_numbers(name: str, advice: str) -> property:
    """What programs get of arrays of numbers only, such as pointers: of traced ones they would point to objects."""

    def attribute(self: ObjectArray) -> Any:
        if name == "base" and _getframe(1).f_globals.get("__name__", "").partition(".")[0] in ENGINES:
            return _BASE.__get__(self)
        if has_only_numbers(self):
            return getattr(as_numbers(self), name)
        raise missing(f"x.{name}", advice)

    return property(attribute)


ATTRIBUTES_OF_VARIABLES: dict[str, Any] = {
    **{name: property(answer) for name, answer in PROPERTIES.items()},
    **METHODS,
    **{name: _unsupported(name, advice) for name, advice in UNSUPPORTED.items()},
    **{name: property(_unsupported(name, advice)) for name, advice in UNSUPPORTED_PROPERTIES.items()},
}
ATTRIBUTES_OF_OBJECT_ARRAYS: dict[str, Any] = {
    **{name: _unsupported(name, advice) for name, advice in UNSUPPORTED.items() if name != "setflags"},
    "__contains__": METHODS["__contains__"],
    **{name: _of_numbers(name, advice) for name, advice in UNSUPPORTED_PROPERTIES.items()},
    "data": _of_numbers("data", OF_MEMORY),
    "__dlpack__": _unsupported("__dlpack__", OF_MEMORY),
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
    "__array_ufunc__": lambda self, ufunc, method, *inputs, **settings: complex_functions.call_ufunc(
        ufunc, method, inputs, settings
    ),
    "__array_function__": lambda self, function, types, args, settings: complex_functions.call_function(
        function, args, settings
    ),
    "__getattr__": _unknown,
}


# ---- which class gets what ----

INSTALLED: tuple[tuple[type, dict[str, Any]], ...] = (
    (Block, {"__call__": call_block}),
    (Variable, operators.OPERATORS),
    (Variable, ATTRIBUTES_OF_VARIABLES),
    (Variable, OF_VARIABLES),
    (Variable, writes.OF_VARIABLES),
    (Traced, {"__getitem__": item_of}),
    (Traced, OF_TRACED),
    (DeviceTraced, ON_DEVICES),
    (ObjectArray, ATTRIBUTES_OF_OBJECT_ARRAYS),
    (ObjectArray, OF_OBJECT_ARRAYS),
    (ObjectArray, writes.OF_OBJECT_ARRAYS),
    (ProgramArray, OF_PROGRAM_ARRAYS),
    (Complex, OF_COMPLEX),
)
"""A class, and what it gets."""

for _kind, _methods in INSTALLED:
    for _name, _method in _methods.items():
        setattr(_kind, _name, _method)
