"""What a NumPy function does where a Variable or an object array of Variables takes part.

It is looked up in the tables of ``functions/``. On object arrays, and in the scalar grain, it is carried out entry by
entry. A function that is in no table is tried that way too, by NumPy's own code; if that fails, a
:class:`MissingBlockError` names it.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from numbers import Number
from typing import Any

import numpy as np

from ..apply import array_of, as_vectors, by_entries, on_whole
from ..arrays.complex_pairs import as_program_made, has_complex
from ..arrays.object_arrays import (
    ObjectArray,
    as_numbers,
    as_object_array,
    as_plain_array,
    has_only_numbers,
    is_of_objects,
)
from ..arrays.program_arrays import as_program_array, contents
from ..complex_numbers import complex_dispatch, complex_functions
from ..devices import as_like
from ..functions import casts, linalg, registry, scalar_linalg
from ..functions.arguments import (
    WRITERS,
    data_of,
    is_of_entries,
    missing,
    name_of,
    parameters_of,
    place_of_out,
    symbolic_or_data,
    target_of,
)
from ..functions.casts import parts, typed
from ..functions.registry import FUNCTIONS, ON_SHAPES, PLAIN_FUNCTIONS, UNSUPPORTED
from ..recording import modes
from ..recording.tape import current_tape
from ..rules.selection import CHOICE
from ..trace_errors import ArrayWriteError, MissingBlockError
from ..variable import Variable, has_traced, is_symbolic_array, scalars
from ..writing import writing_functions
from . import questions

COMPOSED = registry.COMPOSED | complex_functions.COMPOSED | writing_functions.COMPOSED
KNOWN = registry.FUNCTIONS.keys() | COMPOSED.keys()
OF_SEQUENCES = {
    *(np.stack, np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.meshgrid),
    *(np.broadcast_arrays, np.choose, np.select, np.linalg.multi_dot, np.ix_, np.lexsort, np.piecewise),
}
"""Functions of sequences of arrays."""


def by_rule(rule: Callable[..., Any], function: Any, args: Any, settings: Any) -> Any:
    """Return what a rule gives; settings of NumPy's that it does not have are refused by name."""
    try:
        return rule(*args, **settings)
    except TypeError as error:
        try:
            signature(rule).bind(*args, **settings)
        except TypeError:
            names = signature(rule).parameters
            more = " and ".join([key for key in settings if key not in names]) or f"{len(args)} arguments"
            raise missing(f"{name_of(function)} with {more}", "Write it out.") from error
        raise


def as_one_evaluation(carry_out: Callable[..., Any]) -> Callable[..., Any]:
    """Note on the tape that all nodes made meanwhile are of one evaluation of one expression.

    What cannot be done entry by entry is done on plain arrays where no entry is traced.
    """

    def evaluate(*args: Any) -> Any:
        tape = current_tape()
        if tape is None:
            return carry_out(*args) if modes.in_numpy() else as_vectors(modes.by_numpy(carry_out, args))
        start = tape.count
        try:
            return carry_out(*args)
        except (MissingBlockError, ArrayWriteError, TypeError):
            function, *method, operands, settings = args
            targets = operands[:1] if method == ["at"] else [target_of(function, operands, settings)]
            if ObjectArray in map(type, parts(targets)) or not has_only_numbers((operands, settings)):
                raise
            called = getattr(function, *method) if method else function
            return called(*as_numbers(operands), **as_numbers(settings))
        finally:
            tape.evaluated(start)

    return evaluate


def is_symbolic() -> bool:
    """Return whether the trace that runs is to hold at every point."""
    tape = current_tape()
    return tape is not None and tape.symbolic


def result_of_entries(value: Any) -> Any:
    """What NumPy's loops over objects gave; Python's numbers, such as the sum of no objects, are NumPy's again."""
    if type(value) in (int, float):
        return np.float64(value)
    is_number = is_of_objects(value) and not value.ndim
    return value[()] if is_number else as_object_array(value)


WHERE = np.where  # while a function is traced, another stands under that name


@as_one_evaluation
def call_function(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return what a NumPy function gives where a Variable or an object array takes part."""
    if any(map(has_complex, (*args, *settings.values()))):
        return complex_dispatch.call_function(function, args, settings)
    if function is not np.block and any(type(arg) is list or type(arg) is tuple for arg in args):
        first = _in_sequence(args[0]) if function in OF_SEVERAL else _numbers_joined(args[0])
        args = (first, *map(_numbers_joined, args[1:]))
    target = target_of(function, args, settings)
    if target is None or (
        isinstance(target, ObjectArray) and not (is_symbolic() and function in writing_functions.MASKS)
    ):
        args, settings = contents(args), contents(settings)
        if function in WRITERS:
            args = tuple(array_of(arg) if has_traced(arg) else arg for arg in args)
    else:
        return _function_into(function, target, args, settings)
    if target is None or not (function in COMPOSED or function in PLAIN_FUNCTIONS):
        return _found_by(function, args, settings)
    return put_into(_found_by(function, *_without_out(function, args, settings)), target)


OF_SEVERAL = {np.column_stack, np.concatenate, np.dstack, np.hstack, np.stack, np.vstack, np.linalg.multi_dot}
"""Functions of a sequence of arrays, which is no array itself."""


def _in_sequence(value: Any) -> Any:
    return type(value)(map(_numbers_joined, value)) if type(value) is list or type(value) is tuple else value


def _numbers_joined(value: Any) -> Any:
    """A list of numbers, or of lists of as many, some of them traced, as one array; also where it is in a sequence."""
    if type(value) is not list and type(value) is not tuple:
        return value
    if _shape_of_numbers(value) is not None:
        return array_of(value) if has_traced(value) else value
    return type(value)(map(_numbers_joined, value))


def _shape_of_numbers(value: Any) -> tuple[int, ...] | None:
    """Return the shape of the array that nested lists of numbers make; ``None`` if they make none."""
    if type(value) is not list and type(value) is not tuple:
        is_number = not value.ndim if isinstance(value, Variable) else issubclass(type(value), Number)
        return () if is_number else None
    shapes = set(map(_shape_of_numbers, value))
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if inner is None else (len(value), *inner)


def _without_out(
    function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    args = tuple(None if place == place_of_out(function) else arg for place, arg in enumerate(args))
    return args, {**settings, "out": None} if "out" in settings else settings


def _function_into(function: Callable[..., Any], target: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return a function of NumPy's that writes into an array: into ``out``, or what it is there to change."""
    if function in WRITERS:
        return writing_functions.written_by(function, args, settings)
    if function is np.nan_to_num:
        names = dict(zip(("x", "copy", "nan", "posinf", "neginf"), args, strict=False)) | settings
        found = np.nan_to_num(**contents({**names, "copy": True}))
        return writing_functions.write_into([target], found)
    args, settings = _without_out(function, args, settings)
    settings.pop("out", None)
    found = function(*contents(args), **contents(settings))
    if np.shape(found) != np.shape(target):
        if np.size(found) != np.size(target):
            raise ValueError(f"out has the shape {np.shape(target)}, the result has {np.shape(found)}")
        found = np.reshape(found, np.shape(target))  # as with np.cumsum of a matrix
    return writing_functions.write_into([target], found)


def put_into(found: Any, target: ObjectArray) -> ObjectArray:
    """Return what was found, written where it was wanted."""
    if np.shape(found) != target.shape:
        raise ValueError(f"out has the shape {target.shape}, the result has {np.shape(found)}")
    as_plain_array(target)[...] = scalars(found)
    return target


def _found_by(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return what a NumPy function gives that writes nowhere."""
    names = parameters_of(function)
    is_typed = "dtype" in settings or "casting" in settings or ("dtype" in names and len(args) > names.index("dtype"))
    if is_typed and function in KNOWN - casts.OWN:
        return typed(_untyped, function, args, settings)
    return _untyped(function, args, settings)


def _untyped(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return the same with its numbers as they are, by a rule or by NumPy's own code."""
    tape = current_tape()
    if tape is not None and tape.grain == "array" and function not in OF_SEQUENCES:
        args = tuple(_whole(arg) if issubclass(type(arg), list | tuple) else arg for arg in args)
    if function in COMPOSED:
        return by_rule(COMPOSED[function], function, args, settings)
    if function in UNSUPPORTED:
        raise missing(name_of(function), UNSUPPORTED[function])
    if function is WHERE and len(args) == 3 and tape is not None and tape.symbolic and tape.grain == "scalar":
        return as_object_array(by_entries(CHOICE, 3)(*map(_entries, args)))
    if function in questions.NODES and any(map(is_symbolic_array, parts([args, settings]))):
        settings = {key: symbolic_or_data(value) for key, value in settings.items()}
        return by_rule(questions.NODES[function], function, tuple(map(symbolic_or_data, args)), settings)
    if function in PLAIN_FUNCTIONS:
        decides = function not in ON_SHAPES
        args = tuple(data_of(arg, decides) for arg in args)
        # what is traced still is compared entry by entry, and each comparison is decided
        args = tuple(as_plain_array(scalars(arg)) if isinstance(arg, Variable) else arg for arg in args)
        args = tuple(as_like(arg, *args) for arg in args)
        result = function(*args, **{key: data_of(value, decides) for key, value in settings.items()})
        return tuple(map(as_program_array, result)) if isinstance(result, tuple) else as_program_array(result)
    if tape is not None and tape.grain == "array" and function in FUNCTIONS:
        args = tuple(map(_whole, args))
    if function in FUNCTIONS and not is_of_entries(*parts([args, settings])):
        return by_rule(FUNCTIONS[function], function, args, settings)
    return function_by_entries(function, args, settings)


def _whole(value: Any) -> Any:
    """Return an array of traced numbers and plain ones as one traced array; also in sequences."""
    if type(value) is list or type(value) is tuple:
        is_one = _shape_of_numbers(value) is not None and has_traced(value)
        return array_of(value) if is_one else type(value)(map(_whole, value))
    is_of_numbers = is_of_objects(value) and value.ndim and has_traced(value)
    if is_of_numbers and all(isinstance(entry, Variable | Number) for entry in value.flat):
        return array_of(value)
    return value


def function_by_entries(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return NumPy's own code on object arrays."""
    args = tuple(map(_entries, args))
    settings = {key: _entries(value) for key, value in settings.items()}
    if function in scalar_linalg.BY_ENTRIES:
        return scalar_linalg.BY_ENTRIES[function](*args, **settings)
    if function in linalg.FUNCTIONS:
        if not is_symbolic():
            return on_whole(linalg.FUNCTIONS[function], *args, **settings)
        raise missing(
            f"np.linalg.{function.__name__}, entry by entry", 'Trace with grain="array"; there are no programs of it.'
        )
    try:
        result = np.ndarray.__array_function__(ObjectArray(0), function, (ObjectArray,), args, settings)
    except MissingBlockError:
        raise
    except TypeError as error:
        if any(map(callable, args)):  # such as np.apply_along_axis: the error may be that function's own
            raise
        raise missing(
            name_of(function), "Write it out with functions that have one, or make a Block of your own: adviz.Block."
        ) from error
    if isinstance(result, ObjectArray) and result.dtype.kind == "c":  # np.zeros_like(x, complex)
        return as_program_made(as_plain_array(result))
    result = (
        type(result)(map(result_of_entries, result)) if type(result) in (list, tuple) else result_of_entries(result)
    )
    if type(result) is ObjectArray and any(isinstance(arg, list | tuple) for arg in args):
        return _without_nested_numbers(result)
    return result


def _without_nested_numbers(array: ObjectArray) -> ObjectArray:
    """Return numbers in place of arrays without axes, which NumPy takes for entries where they are in sequences."""
    entries = as_plain_array(array)
    nested = [place for place in np.ndindex(entries.shape) if isinstance(entries[place], np.ndarray)]
    if not nested:
        return array
    entries = entries.copy()
    for place in nested:
        entries[place] = entries[place][()]
    return as_object_array(entries)


def _entries(value: Any) -> Any:
    """Variables as object arrays, also inside sequences; to write into these would change nothing that is traced."""
    if isinstance(value, list | tuple):
        return type(value)(map(_entries, value))
    if not isinstance(value, Variable):
        return value
    entries = as_object_array(scalars(value))
    entries.flags.writeable = not entries.ndim  # of a number it is a copy
    return entries
