"""The arguments of a call to NumPy or SciPy: the data behind them, what is refused, and what settings ask for.

All rules of NumPy's and SciPy's functions begin here. The settings ``dtype=``, ``casting=`` and ``order=`` ask for
numbers of another type, or for entries in another order in memory. A conversion to another kind of float is a node; in
the scalar grain, where all numbers are in double precision, one that rounds. A conversion to integers or booleans is
piecewise constant: like a comparison it gives plain numbers, from which no adjoint flows back. In a trace that is to
hold at every point, conversions to floats are left to the compiled program, and those to integers are ``np.trunc``.

NumPy itself, called on the data, tells which conversions it allows and the type of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from operator import index
from typing import Any

import numpy as np

from .. import modes
from ..apply import by_entries
from ..arrays import as_program_array, contents
from ..blocks import is_traced
from ..calls import Masked
from ..devices import is_on_device, to_numpy
from ..object_arrays import (
    DOUBLE,
    Complex,
    ObjectArray,
    as_array,
    as_numbers,
    as_object_array,
    as_plain_array,
    has_only_numbers,
    is_of_objects,
)
from ..rules.reshaping import ARRANGE, CAST, COPY, RESHAPE, ROUNDED, STACK
from ..rules.selection import CONDITIONS
from ..tape import Tape, current_tape, user_origin
from ..trace_errors import ArrayWriteError, MissingBlockError
from ..unsupported import decided_by_data
from ..variable import Variable, is_symbolic_array

Function = Callable[..., Any]
"""A function of NumPy or SciPy, or its rule: the same function on traced values."""
Rules = dict[Any, Function]
"""The rules of NumPy's functions and ufuncs."""
Patches = dict[str, Function]
"""Our versions of SciPy's functions, by their names in SciPy's module."""


def named(module: Any, *rules: Function) -> Rules:
    """Rules by the functions of a module of NumPy that they are named after."""
    return {getattr(module, rule.__name__): rule for rule in rules}


def missing(name: str, advice: str) -> MissingBlockError:
    """Return the error for a function without a rule; ``advice`` says what to do instead."""
    return MissingBlockError(f"adviz has no Block for {name}. {advice}", user_origin())


def name_of(called: Any) -> str:
    """Return the name of a function as a program writes it.

    >>> name_of(np.linalg.inv), name_of(np.sin)
    ('np.linalg.inv', 'np.sin')
    """
    name: str = called.__name__
    if isinstance(called, np.ufunc):
        return f"np.{name}" if getattr(np, name, None) is called else name
    return f"{called.__module__}.{name}".replace("numpy", "np", 1)


def is_saved(keepdims: Any) -> bool:
    """Return whether ``keepdims`` was asked for."""
    return keepdims is not np._NoValue and bool(keepdims)


def only_axis(axis: Any) -> int:
    """Return the one axis of a function along an axis: a whole number, or a tuple of one."""
    return index(axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis)


def check_unsupported(name: str, advice: str = "Write it out.", **settings: Any) -> None:
    """Raise an error that names the settings, if any of them is given: there is no rule for them."""
    given = [key for key, value in settings.items() if value is not None and value is not np._NoValue]
    if given:
        raise missing(f"{name} with {' and '.join(given)}", advice)


def data_of(value: Any, decides: bool = True) -> Any:
    """Return the plain data behind a value, Variables inside lists and object arrays included.

    Raises :class:`~adviz.BranchError` in a symbolic trace, where nothing may be decided by the data; unless it decides
    nothing, as where only the shape is asked for.
    """
    if isinstance(value, Variable):
        if decides and value.tape.symbolic:
            if value.tape.decisions is None:
                raise decided_by_data()
            return value  # every comparison that it takes part in is kept
        return data_of(value.data, decides)
    if isinstance(value, list | tuple):
        return type(value)(data_of(entry, decides) for entry in value)
    if type(value) is Complex:
        return Complex(*(as_object_array(data_of(part, decides)) for part in (value.real, value.imag))).plain()
    if is_of_objects(value):
        entries = as_plain_array(np.array([data_of(entry, decides) for entry in value.flat]))
        result = as_plain_array(np.empty_like(as_plain_array(value), entries.dtype))  # at the same places in memory
        result[...] = entries.reshape(value.shape)
        return result
    return as_plain_array(value)  # of booleans, as NumPy makes them of the comparison with a text


def symbolic_or_data(value: Any) -> Any:
    """Return what conditions, orders and indices are computed from: the data behind a value.

    In a trace of arrays that is to hold at every point it is the traced value itself, and what is computed is a node.
    """
    if isinstance(value, Variable) and is_symbolic_array(value):
        while not value.tape.symbolic:
            value = value.data
        return value
    if isinstance(value, list | tuple):
        return type(value)(map(symbolic_or_data, value))
    return data_of(value)


def numpy_data(value: Any) -> Any:
    """Return the plain data behind a value as a NumPy array, whatever library it is of: for computing indices."""
    return to_numpy(data_of(value))


def joined(a: Any) -> Any:
    """Sequences of Variables as one array Variable (in the scalar grain of objects); everything else as it is."""
    if not issubclass(type(a), list | tuple):
        return a
    parts, tape = as_scalars([*map(joined, a)]), current_tape()
    if tape is not None and tape.grain == "scalar" and holds_traced(parts):
        return as_object_array(np.array(parts, object))
    return STACK(0, *parts)


def as_one_array(a: Any) -> Any:
    """Return numbers and sequences as an array, and traced values as they are."""
    return joined(a) if holds_traced(a) else a if is_on_device(a) else np.asarray(a)


def as_scalars(values: list[Any]) -> list[Any]:
    """Return values of which each gets a place on a new axis: Variables of the modes that are numbers, without axes."""
    if not modes.in_numpy():
        return values
    result = [RESHAPE(x, ()) if is_traced(x) and x.tape.level < 1 and x.shape == (1,) else x for x in values]
    return values if any(map(np.ndim, result)) else result


def holds_traced(value: Any) -> bool:
    """Return whether a value is traced, or an array or a sequence with an entry that is."""
    if type(value) is Masked:
        return True
    if issubclass(type(value), np.ndarray):
        return is_of_objects(value) and any(map(is_traced, value.flat))
    if isinstance(value, list | tuple | dict):
        return any(map(holds_traced, value.values() if isinstance(value, dict) else value))
    return is_traced(value) or (type(value) is Complex and type(value.plain()) is Complex)


def is_of_entries(*operands: Any) -> bool:
    """Return whether to compute entry by entry: on object arrays, and in the scalar grain."""
    return any(
        is_of_objects(operand) or (isinstance(operand, Variable) and operand.tape.grain == "scalar")
        for operand in operands
    )


WRITERS: dict[Any, tuple[tuple[str, ...], str]] = {
    np.copyto: (("dst", "src", "casting", "where"), "src"),
    np.fill_diagonal: (("a", "val", "wrap"), "val"),
    np.place: (("arr", "mask", "vals"), "vals"),
    np.put: (("a", "ind", "v", "mode"), "v"),
    np.put_along_axis: (("arr", "indices", "values", "axis"), "values"),
    np.putmask: (("a", "mask", "values"), "values"),
}
"""Functions that write into their first argument: the names of their parameters, and the one whose entries go there."""


def target_of(function: Any, args: Sequence[Any], settings: Mapping[str, Any]) -> Any:
    """The array that a call writes into, if any: its ``out``, by name or by position, or the array that it changes.

    >>> target_of(np.round, ([0.5], 0, "here"), {}), target_of(np.put, (), {"a": "there"}), target_of(np.sin, (), {})
    ('here', 'there', None)
    """
    if function in WRITERS:
        return args[0] if args else settings[WRITERS[function][0][0]]
    if function is np.nan_to_num and not (args[1] if len(args) > 1 else settings.get("copy", True)):
        return args[0] if args else settings["x"]
    place = place_of_out(function)
    return args[place] if place is not None and len(args) > place else settings.get("out")


def check_casting(source: Any, target: Any, casting: Any = "same_kind") -> None:
    """Raise an error, a :class:`TypeError` as NumPy's is, for numbers that an array of another type does not take."""
    result, wanted = (type_of(part) if hasattr(part, "dtype") else np.dtype(float) for part in (source, target))
    if not np.can_cast(result, wanted, casting):
        advice = "Make it an array of floats, as np.zeros(n) does; x.astype(int) cuts numbers off, and derivatives."
        advice = "Make it complex, as x.astype(complex) does." if result.kind == "c" else advice
        raise ArrayWriteError(f"{result} was to be written into an array of {wanted}. {advice}", user_origin())


WITHOUT_SIGNATURE: dict[str, tuple[str, ...]] = {
    "concatenate": ("arrays", "axis", "out"),
    "dot": ("a", "b", "out"),
    "empty_like": ("prototype", "dtype", "order", "subok", "shape"),
}
"""Positional parameters of functions written in C, which have no signature before NumPy 2.4."""


@cache
def parameters_of(function: Any) -> tuple[str, ...]:
    """Return the names of the positional parameters of a NumPy function.

    >>> parameters_of(np.trace), parameters_of(np.sin)
    (('a', 'offset', 'axis1', 'axis2', 'dtype', 'out'), ())
    """
    if isinstance(function, np.ufunc):
        return ()
    try:
        parameters = signature(function).parameters.values()
    except ValueError:
        return WITHOUT_SIGNATURE.get(function.__name__, ())
    return tuple(parameter.name for parameter in parameters if parameter.kind is not Parameter.KEYWORD_ONLY)


def place_of_out(function: Any) -> int | None:
    """Return the position of ``out`` among the arguments of a NumPy function, if it may be given by position."""
    names = parameters_of(function)
    return names.index("out") if "out" in names else None


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


def in_type(numbers: Any, kind: np.dtype) -> Any:
    """Return numbers in a floating-point type, as they are if they have it."""
    return numbers if kind.kind != "f" or _type_of_data(numbers) == kind else numbers.astype(kind)


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
        return as_program_array(np.asarray(data_of(a)).astype(dtype, order)[()])
    if isinstance(a, Variable) and a.tape.grain == "array":
        return laid_out(CAST(a, dtype.name), order)
    if dtype.kind == "b":
        return np.not_equal(a, 0.0)
    if dtype.kind == "i" and dtype.itemsize >= 4:
        whole = np.trunc(a)
        if isinstance(whole, ObjectArray) and (tape := current_tape()) is not None:
            tape.whole.append(whole)
        return whole
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


def locked(view: Any) -> Any:
    """Return a view, which NumPy lets nobody write to."""
    if isinstance(view, Variable) and isinstance(view.tape, Tape):
        view.tape.locked.add(view.index)
    return view


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
