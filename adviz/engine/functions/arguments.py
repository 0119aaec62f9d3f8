"""The arguments of a call to NumPy or SciPy: the data behind them, what is traced in them, and what is refused.

The rules of this room and of those above it begin here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from operator import index
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex
from ..arrays.object_arrays import as_object_array, as_plain_array, is_of_objects
from ..blocks import is_traced
from ..devices import to_numpy
from ..recording import modes
from ..recording.tape import current_tape, user_origin
from ..recording.unsupported import decided_by_data
from ..rules.reshaping import RESHAPE, STACK
from ..trace_errors import MissingBlockError
from ..variable import Variable, is_symbolic_array

Function = Callable[..., Any]
"""A function of NumPy or SciPy, or its rule: the same function on traced values."""
Rules = dict[Any, Function]
"""The rules of NumPy's functions and ufuncs."""
Overrides = dict[str, Function]
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
    return value


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
    parts, tape = as_numbers([*map(joined, a)]), current_tape()
    if tape is not None and tape.grain == "scalar" and holds_traced(parts):
        return as_object_array(np.array(parts, object))
    return STACK(0, *parts)


def as_numbers(values: list[Any]) -> list[Any]:
    """Return values of which each gets a place on a new axis: Variables of the modes that are numbers, without axes."""
    if not modes.in_numpy():
        return values
    result = [RESHAPE(x, ()) if is_traced(x) and x.tape.level < 1 and x.shape == (1,) else x for x in values]
    return values if any(map(np.ndim, result)) else result


def holds_traced(value: Any) -> bool:
    """Return whether a value is traced, or an array or a sequence with an entry that is."""
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
