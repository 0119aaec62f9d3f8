"""The settings ``dtype=``, ``casting=`` and ``order=``: numbers of another type, entries in another order in memory.

A conversion to another kind of float is a node; in the scalar grain, where all numbers are in double precision, one
that rounds. A conversion to integers or booleans is piecewise constant: like a comparison it gives plain numbers,
from which no adjoint flows back. In a trace that is to hold at every point, conversions to floats are left to the
compiled program, and those to integers are ``np.trunc``.

NumPy itself, called on the data, tells which conversions it allows and the type of the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..apply import by_entries
from ..arrays.complex_pairs import as_array
from ..arrays.object_arrays import ObjectArray, as_numbers, as_object_array, as_plain_array, has_only_numbers
from ..arrays.program_arrays import contents
from ..devices import is_on_device
from ..recording.tape import current_tape
from ..rules.reshaping import ARRANGE, CAST, COPY, ROUNDED
from ..rules.selection import CONDITIONS
from ..variable import Variable
from .arguments import Function, Rules, data_of, missing, name_of, parameters_of

DOUBLE = np.dtype(float)


def is_traced_array(value: Any) -> bool:
    """Return whether a value is a Variable or an object array."""
    return isinstance(value, Variable | ObjectArray)


def is_symbolic(*values: Any) -> bool:
    """Return whether the trace that the values belong to is to hold at every point."""
    tapes = [value.tape if isinstance(value, Variable) else current_tape() for value in values]
    return any(tape is not None and tape.symbolic for tape in tapes)


def type_of(value: Any) -> np.dtype:
    """Return the dtype that NumPy would give the numbers; entries of object arrays are in double precision."""
    return DOUBLE if isinstance(value, ObjectArray) else value.dtype


def in_type_of(numbers: Any, a: Any) -> Any:
    """Return plain numbers, or counts, in the precision of a traced array that is computed with them."""
    kind = type_of(a) if is_traced_array(a) else DOUBLE
    return numbers if kind == DOUBLE or kind.kind != "f" else numbers.astype(kind)


def _type_of_data(value: Any) -> np.dtype:
    result: np.dtype = type_of(value) if hasattr(value, "dtype") else np.asarray(value).dtype
    return result


def is_object(dtype: Any) -> bool:
    """Return whether ``dtype`` is object: to NumPy traced values are objects, and stay what they are."""
    return dtype is not None and dtype is not np._NoValue and np.dtype(dtype) == object


# ---- types ----


def cast(
    a: Any, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool | None = True
) -> Any:
    """``astype``."""
    kind = np.dtype(dtype)
    if isinstance(a, ObjectArray) and has_only_numbers(a):
        return as_numbers(a).astype(kind, order, casting, subok, copy)
    if not np.can_cast(type_of(a), kind, casting):
        np.zeros(1, type_of(a)).astype(kind, casting=casting)  # NumPy says why not
    if not copy and kind == type_of(a):
        return a
    return _stepwise(a, kind, order) if kind.kind in "biu" else laid_out(_converted(a, kind), order)


def _converted(a: Any, dtype: np.dtype) -> Any:
    if dtype.kind in "biu":
        return _stepwise(a, dtype)
    if dtype.kind == "c":
        return as_array(a, dtype)
    if dtype.kind not in "fO":
        raise missing(f"astype({dtype})", "Only conversions between real types keep derivatives.")
    if dtype.kind == "O" or dtype == type_of(a):
        return a.copy("K")
    if isinstance(a, Variable) and a.tape.grain == "array":
        return CAST(a, dtype.name)
    if dtype.name not in ROUNDED or is_symbolic(a):
        return a.copy("K")
    rounded = by_entries(ROUNDED[dtype.name], 1)(as_plain_array(a))
    return as_object_array(rounded)


def _stepwise(a: Any, dtype: np.dtype, order: Any = "K") -> Any:
    if not is_symbolic(a):
        return np.asarray(data_of(a)).astype(dtype, order)[()]
    if isinstance(a, Variable) and a.tape.grain == "array":
        return laid_out(CAST(a, dtype.name), order)
    if dtype.kind == "b":
        return np.not_equal(a, 0.0)
    if dtype.kind == "i" and dtype.itemsize >= 4:
        return np.trunc(a)
    raise missing(f"astype({dtype}) in a program", "Use np.trunc, and np.remainder where numbers are to overflow.")


FIRST_RESULT = {np.linspace, np.logspace, np.geomspace, np.full_like}
"""Functions that convert their result; all others convert their arguments."""

VARIANCES = {np.var, np.std, np.nanvar, np.nanstd}
"""Functions whose arguments are converted only if nothing is lost."""


def typed(call: Function, function: Function, args: Any, settings: dict[str, Any]) -> Any:
    """The value of a function with ``dtype`` or ``casting``; ``call(function, args, settings)`` is that without."""
    asked, given = {**settings}, tuple(args)
    names = parameters_of(function)
    if "dtype" in names and len(args) > (place := names.index("dtype")):
        asked["dtype"], args = args[place], (*args[:place], None, *args[place + 1 :])
    dtype, casting = (asked.pop(name, None) for name in ("dtype", "casting"))
    if dtype is np._NoValue or (dtype is None and casting is None) or is_object(dtype):
        return call(function, args, asked)
    traced = [part for part in parts([args, asked]) if is_traced_array(part)]
    if {type_of(part) for part in traced} == {DOUBLE} and dtype is not None and np.dtype(dtype) == DOUBLE:
        return call(function, args, asked)
    plain = function(
        *data_of(given, decides=False), **_data({**settings, "out": None} if "out" in settings else settings)
    )
    wanted = _type_of_data(plain[0] if isinstance(plain, tuple) else plain)
    if dtype is None:
        return call(function, args, asked)
    named = f"{name_of(function)} with dtype={wanted}"
    if wanted.kind not in "biuf":
        raise missing(named, "Only conversions between real types keep derivatives.")
    if wanted.kind in "biu":
        if is_symbolic(*traced):
            raise missing(f"{named} in a program", "Apply np.trunc to its arguments.")
        return plain
    if function not in FIRST_RESULT:
        args = tuple(_each(arg, wanted, function in VARIANCES) for arg in args)
    result = call(function, args, asked)
    if isinstance(result, tuple):
        return (_as_wanted(result[0], wanted), *result[1:])
    return _as_wanted(result, wanted)


def parts(values: Any) -> Any:
    """Yield the values in lists, tuples and dicts, however they are nested."""
    for value in values.values() if isinstance(values, dict) else values:
        if issubclass(type(value), list | tuple | dict):  # faster than isinstance for traced values
            yield from parts(value)
        else:
            yield value


def _data(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: data_of(value, decides=False) for name, value in settings.items()}


def _each(value: Any, dtype: np.dtype, only_if_wider: bool) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_each(part, dtype, only_if_wider) for part in value)
    if not is_traced_array(value) or (only_if_wider and not np.can_cast(type_of(value), dtype)):
        return value
    return _as_wanted(value, dtype)


def _as_wanted(value: Any, dtype: np.dtype) -> Any:
    value = contents(value)
    if not is_traced_array(value):
        return np.asarray(value).astype(dtype)[()]
    return value if type_of(value) == dtype else _converted(value, dtype)


# ---- ufuncs ----

OF_TYPES = ("dtype", "signature", "sig", "casting")
OF_UFUNCS = {*OF_TYPES, "out", "where", "axis", "axes", "keepdims", "order", "subok", "initial", "indices", "array"}


def typed_inputs(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any], asked: dict[str, Any]
) -> tuple[tuple[Any, ...], Any]:
    """Return the inputs of a ufunc converted as its settings ask, and its value where that is piecewise constant."""
    if method in ("at", "outer"):
        raise missing(f"{name_of(ufunc)}.{method} with {' and '.join(asked)}", "Convert the operands with x.astype.")
    plain = None
    if "out" not in settings:
        plain = getattr(ufunc, method)(*data_of(inputs, decides=False), **_data(settings), **asked)
        kinds = {_type_of_data(part).kind for part in (plain if isinstance(plain, tuple) else (plain,))}
        named = f"{name_of(ufunc)} with {' and '.join(asked)}"
        if not kinds <= set("biuf"):
            raise missing(named, "Only conversions between real types keep derivatives.")
        if kinds <= set("biu"):
            if is_symbolic(*filter(is_traced_array, inputs)):
                if ufunc in CONDITIONS:  # which are booleans as it is, as in x.any()
                    return inputs, None
                raise missing(f"{named} in a program", "Apply np.trunc to its arguments.")
            return inputs, plain
    if method != "__call__":
        first, *others = inputs
        wanted = np.dtype(asked.get("dtype") or type_of(first))
        return (_each(first, wanted, False), *others), None
    given = tuple(type(x) if type(x) in (int, float) else _type_of_data(x) for x in inputs)
    chosen = {key: value for key, value in asked.items() if key != "dtype" and value is not None}
    if asked.get("dtype") is not None:
        chosen["signature"] = (*[None] * ufunc.nin, *[np.dtype(asked["dtype"])] * ufunc.nout)
    types = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout), **chosen)
    return tuple(_as_operand(x, wanted) for x, wanted in zip(inputs, types, strict=False)), None


def _as_operand(value: Any, dtype: np.dtype) -> Any:
    if is_traced_array(value):
        return _as_wanted(value, dtype)
    return value if type(value) is float and dtype == DOUBLE else np.asarray(value).astype(dtype)[()]


# ---- order in memory ----


def laid_out(a: Any, order: str | None) -> Any:
    """Return an array with its entries in this order in memory; a copy, if they are in another order."""
    a, order = contents(a), (order or "K").upper()
    if order == "K" or np.ndim(a) < 2 or not is_traced_array(a):
        return a
    plain = as_plain_array(a) if isinstance(a, ObjectArray) else data_of(a, decides=False)
    if is_on_device(plain) or _is_laid_out(plain, order):
        return a
    return as_object_array(plain.copy(order)) if isinstance(a, ObjectArray) else ARRANGE(a, order)


def _is_laid_out(plain: np.ndarray, order: str) -> bool:
    flags = plain.flags
    return bool({"C": flags.c_contiguous, "F": flags.f_contiguous, "A": flags.forc}.get(order, False))


def is_fortran(a: Any) -> bool:
    """Return whether an array is in column-major order in memory; arrays of other libraries are not."""
    data = a if isinstance(a, np.ndarray) else data_of(a, decides=False)
    return isinstance(data, np.ndarray) and np.isfortran(data)


def axes_in_memory(a: Any) -> list[int]:
    """Return the axes of an array in the order of their strides, the longest first."""
    data = a if isinstance(a, np.ndarray) else data_of(a, decides=False)
    if not isinstance(data, np.ndarray) or data.flags.c_contiguous:
        return list(range(np.ndim(a)))
    result: list[int] = []
    for axis in reversed(range(np.ndim(a))):  # as NumPy's iterator sorts them: an axis without steps stays where it is
        place = len(result)
        for k in reversed(range(len(result))):
            own, other = abs(data.strides[axis]), abs(data.strides[result[k]])
            if own and other and other <= own:
                break
            place = k if own and other else place
        result.insert(place, axis)
    return result[::-1]


def laid_out_like(value: Any, a: Any) -> Any:
    """Return an array with its entries in the same order in memory as in a copy of another array of its shape."""
    plain = a if isinstance(a, np.ndarray) else data_of(a, decides=False)
    axes = axes_in_memory(np.empty_like(plain) if isinstance(plain, np.ndarray) else a)
    if axes == sorted(axes) or not isinstance(value, Variable | np.ndarray) or axes == axes_in_memory(value):
        return value
    permuted = np.transpose(value, axes)
    return np.transpose(permuted.copy(), np.argsort(axes))


def copy(a: Any, order: str | None = "K", subok: bool = False) -> Any:
    """``np.copy``."""
    if isinstance(a, list | tuple):
        a = np.asarray(a)
    if not isinstance(a, Variable):
        return as_object_array(as_plain_array(a).copy(order))
    arranged = laid_out(a, order)
    return COPY(a) if arranged is a else arranged


COMPOSED: Rules = {
    np.copy: copy,
    np.astype: lambda x, dtype, /, *, copy=True, device=None: x.astype(dtype, copy=copy),
}

OWN = {np.astype, np.result_type, np.can_cast, np.zeros_like, np.ones_like, np.empty_like}
"""Functions whose own rule handles types, or whose value is not traced."""
