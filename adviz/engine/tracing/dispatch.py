"""NumPy's protocols: what ufuncs and functions do where a Variable or an object array of Variables takes part.

A ufunc on Variables is a Block; a function is looked up in the tables of ``rules/``. On object
arrays, and in the scalar grain, both are carried out entry by entry. A function that is in no table is tried that way
too, by NumPy's own code; if that fails, a :class:`MissingBlockError` names it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import signature
from numbers import Number
from sys import _getframe
from typing import Any

import numpy as np

from ..apply import ComplexEntriesError, apply_block, array_of, as_vectors, by_entries
from ..arrays.complex_pairs import as_complex, as_program_made, has_complex
from ..arrays.object_arrays import ObjectArray, as_numbers, as_object_array, as_plain_array, has_only_numbers
from ..arrays.program_arrays import as_program_array, contents
from ..blocks import BLOCK_OF
from ..complex_numbers import calls, whole_arrays
from ..functions import casts, linalg, registry, written_out_linalg
from ..functions.arguments import WRITERS, data_of, missing, name_of, parameters_of, place_of_out, target_of
from ..functions.casts import OF_TYPES, OF_UFUNCS, cast, is_fortran, laid_out, parts, typed, typed_inputs
from ..functions.entrywise import elementwise
from ..functions.overrides import install_overrides
from ..functions.registry import FUNCTIONS, METHODS, ON_SHAPES, PARAMETERS, PLAIN_FUNCTIONS, REFUSED
from ..recording import modes
from ..recording.memory import memory_of
from ..recording.tape import current_tape
from ..rules.conditions import CHOICE, CONDITIONS, CONNECTIVES
from ..rules.elementwise import COPY
from ..rules.matrix_products import MATMUL
from ..rules.reducing import MAX, MEAN, MIN, SUM
from ..trace_errors import ArrayWriteError, MissingBlockError
from ..variable import DeviceTraced, Traced, Variable, apart, has_traced, scalars
from ..writing import writes
from . import complex_methods as complex_methods  # gives complex numbers their operators
from .operators import NOTHING, SHORT_ROADS, apply_on_arrays, reduce_array

COMPOSED = registry.COMPOSED | whole_arrays.COMPOSED | writes.COMPOSED
KNOWN = FUNCTIONS.keys() | COMPOSED.keys()
OF_SEQUENCES = {
    *(np.stack, np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.meshgrid),
    *(np.broadcast_arrays, np.choose, np.select, np.linalg.multi_dot, np.ix_, np.lexsort, np.piecewise),
}
"""Functions of sequences of arrays."""
WHERE = np.where  # while a function is traced, another stands under that name
PLAIN_UFUNCS = {
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.signbit, np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
}
"""Ufuncs whose values are booleans: computed on the data, not part of the graph."""

RIGHT_ON_OBJECTS = {np.add, np.subtract, np.multiply, np.negative, np.positive, np.square, np.matmul}
"""Ufuncs whose loop over objects gives on numbers what their loop over floats gives."""

RIGHT_ON_VARIABLES = {np.divide, np.power, np.floor_divide, np.remainder, np.absolute} | {
    ufunc for ufunc in BLOCK_OF if ufunc.nin == 1 and "O->O" in ufunc.types and ufunc is not np.sign
}
"""Ufuncs whose loop over objects uses the operator or the method of that name: right where all are Variables."""


def _as_one_evaluation(carry_out: Callable[..., Any]) -> Callable[..., Any]:
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


def _is_symbolic() -> bool:
    """Whether the trace that runs is to hold at every point."""
    tape = current_tape()
    return tape is not None and tape.symbolic


# ---- ufuncs ----


@_as_one_evaluation
def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What a ufunc (or a method of one) gives where a Variable or an object array takes part."""
    if any(map(has_complex, inputs)):
        return calls.call_ufunc(ufunc, method, inputs, settings)
    if ufunc not in BLOCK_OF and "scipy.special" in sys.modules:
        install_overrides()  # scipy.special was imported during this trace
    if any(isinstance(inputs[place], Variable | ObjectArray) for place in PARAMETERS.get(ufunc, ())):
        raise missing(f"{ufunc.__name__} of a traced parameter", "Its derivative by that has no closed form.")
    targets = [target for target in settings.get("out", ()) if target is not None]
    if method == "at" and not isinstance(inputs[0], ObjectArray):
        return writes.write_at(ufunc, *inputs)
    inputs = contents(inputs)
    if list in map(type, inputs):
        inputs = tuple(array_of(entry) if type(entry) is list and has_traced(entry) else entry for entry in inputs)
    if targets:
        return _ufunc_into(ufunc, method, inputs, settings)
    settings = contents({key: value for key, value in settings.items() if key != "out"})
    if not any(isinstance(entry, Variable | ObjectArray | list) for entry in (*inputs, settings.get("where"))):
        return getattr(ufunc, method)(*inputs, **settings)
    if method == "__call__" and settings.get("where", True) is not True:
        raise missing(
            f"{name_of(ufunc)} with where and without out",
            "What is left out is whatever was in memory. Use np.where, or pass out=.",
        )
    if ufunc in PLAIN_UFUNCS and not _is_symbolic():
        return as_program_array(getattr(ufunc, method)(*map(data_of, inputs), **settings))
    settings = {key: value for key, value in settings.items() if key != "subok"}  # traced arrays are of one class
    if unknown := settings.keys() - OF_UFUNCS:
        raise TypeError(f"{name_of(ufunc)}() got an unexpected keyword argument {unknown.pop()!r}")
    asked = {key: settings.pop(key) for key in OF_TYPES if key in settings}
    if asked != {"dtype": None} and asked and not casts.is_object(asked.get("dtype")):
        inputs, steps = typed_inputs(ufunc, method, inputs, settings, asked)
        if steps is not None:
            return steps
    order = settings.pop("order", "K")
    if order in (None, "K") or method != "__call__":
        return _ufunc(ufunc, method, inputs, settings)
    if order == "A":
        order = "F" if all(is_fortran(entry) for entry in inputs if np.ndim(entry)) else "C"
    found = _ufunc(ufunc, method, inputs, settings)
    return tuple(laid_out(part, order) for part in found) if isinstance(found, tuple) else laid_out(found, order)


def _ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """The same, with nothing asked about types and memory."""
    if ufunc is np.arctan2 and method == "reduce":
        raise missing("np.arctan2.reduce", "Write it out: it begins with 0, and its order counts.")
    if ufunc in COMPOSED and method == "__call__":
        return _by_rule(COMPOSED[ufunc], ufunc, inputs, settings)
    if method == "__call__" and _is_symbolic() and (block := CONDITIONS.get(CONNECTIVES.get(ufunc, ufunc))):
        found = elementwise(block)(*inputs)  # in the order of memory that plain booleans would have
        return as_object_array(np.ascontiguousarray(found)) if np.ndim(found) else found
    if ufunc in PLAIN_UFUNCS:
        return as_program_array(getattr(ufunc, method)(*map(data_of, inputs), **settings))
    if any(issubclass(type(entry), np.ndarray) and entry.dtype == object for entry in inputs):
        return ufunc_by_entries(ufunc, method, inputs, settings)
    if ufunc in METHODS.get(method, ()):
        settings.setdefault("axis", 0)
        return _by_rule(METHODS[method][ufunc], ufunc, inputs, settings)
    if method == "outer":
        first, second = inputs
        return ufunc(np.reshape(first, np.shape(first) + (1,) * np.ndim(second)), second)
    if ufunc in BLOCK_OF and method == "__call__" and not settings:
        operands = map(_operand, inputs)
        return apply_block(BLOCK_OF[ufunc], tuple(operands))
    return ufunc_by_entries(ufunc, method, inputs, settings)


def _ufunc_into(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """A ufunc with ``out``, and computed only where it is wanted."""
    targets, where = settings["out"], settings.get("where", True)
    others = {key: value for key, value in settings.items() if key not in ("out", "where")}
    if where is True or method != "__call__":
        others |= {"where": contents(where)} if where is not True else {}
        found = getattr(ufunc, method)(*inputs, **others)
        return writes.write_into(targets, found, settings.get("casting", "same_kind"))
    shape = np.broadcast_shapes(*map(np.shape, targets))
    mask = np.broadcast_to(data_of(contents(where)), shape)
    found = ufunc(*(np.broadcast_to(entry, shape)[mask] for entry in inputs), **others)
    for target, each in zip(targets, found if isinstance(found, tuple) else (found,), strict=True):
        writes.write(target, mask, each)
    return targets[0] if len(targets) == 1 else targets


def ufunc_by_entries(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """A ufunc (or a method of one) on object arrays: on each entry what it is on a number."""
    if method == "reduce" and isinstance(settings.get("where"), ObjectArray | Variable):  # conditions that are nodes
        where, left_out = settings["where"], settings.get("initial", ufunc.identity)
        if left_out is None or left_out is np._NoValue:
            raise ValueError(f"{name_of(ufunc)} with where needs initial, the value where nothing is left")
        inputs = (np.where(where, inputs[0], left_out),)
        settings = {key: value for key, value in settings.items() if key != "where"}
    elif method == "reduce" and settings.get("where", True) is not True and ufunc.identity is not None:
        settings = {"initial": float(ufunc.identity), **settings}  # which NumPy does not know of objects
    operands = [scalars(entry) if isinstance(entry, Variable) else as_plain_array(entry) for entry in inputs]
    try:
        found = getattr(_loop(ufunc, operands), method)(*operands, **settings)
    except ComplexEntriesError:
        return calls.call_ufunc(ufunc, method, list(map(as_complex, inputs)), settings)
    return _found(found)


def _loop(ufunc: np.ufunc, operands: list[Any]) -> Any:
    """The ufunc that does to the entries of object arrays what ``ufunc`` does to floats."""
    if ufunc in RIGHT_ON_OBJECTS or all(set(types) <= set("O->") for types in ufunc.types):
        return ufunc
    if ufunc in RIGHT_ON_VARIABLES and all(map(_is_of_variables, operands)):
        return ufunc
    block = BLOCK_OF.get(ufunc)
    if block is None:
        name = name_of(ufunc)
        raise missing(name, f"adviz.define({name}, lambda y, x: ...), one partial per operand, adds one.")
    return by_entries(block, ufunc.nin, ufunc.identity)


def _is_of_variables(operand: Any) -> bool:
    """Whether an operand has no plain numbers among objects."""
    if isinstance(operand, np.ndarray) and operand.dtype == object:
        return all(isinstance(entry, Variable) for entry in operand.flat)
    return True


# ---- functions ----


@_as_one_evaluation
def call_function(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What a NumPy function gives where a Variable or an object array takes part."""
    if any(map(has_complex, (*args, *settings.values()))):
        return calls.call_function(function, args, settings)
    if function is not np.block and any(type(arg) is list or type(arg) is tuple for arg in args):
        first = _in_sequence(args[0]) if function in OF_SEVERAL else _numbers_joined(args[0])
        args = (first, *map(_numbers_joined, args[1:]))
    target = target_of(function, args, settings)
    if target is None or (isinstance(target, ObjectArray) and not (_is_symbolic() and function in writes.MASKS)):
        args, settings = contents(args), contents(settings)
        if function in WRITERS:
            args = tuple(array_of(arg) if has_traced(arg) else arg for arg in args)
    else:
        return _function_into(function, target, args, settings)
    if target is None or not (function in COMPOSED or function in PLAIN_FUNCTIONS):
        return _found_by(function, args, settings)
    return _put(_found_by(function, *_without_out(function, args, settings)), target)


OF_SEVERAL = {np.column_stack, np.concatenate, np.dstack, np.hstack, np.stack, np.vstack, np.linalg.multi_dot}
"""Functions of a sequence of arrays, which is no array itself."""


def _in_sequence(value: Any) -> Any:
    return type(value)(map(_numbers_joined, value)) if type(value) is list or type(value) is tuple else value


def _operand(value: Any) -> Any:
    """A sequence as an array."""
    if type(value) is not list and type(value) is not tuple:
        return value
    return array_of(value) if has_traced(value) else np.asarray(value)


def _numbers_joined(value: Any) -> Any:
    """A list of numbers, or of lists of as many, some of them traced, as one array; also where it is in a sequence."""
    if type(value) is not list and type(value) is not tuple:
        return value
    if _shape_of_numbers(value) is not None:
        return array_of(value) if has_traced(value) else value
    return type(value)(map(_numbers_joined, value))


def _shape_of_numbers(value: Any) -> tuple[int, ...] | None:
    """The shape of the array that nested lists of numbers make; ``None`` if they make none."""
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
    """A function of NumPy's that writes into an array: into ``out``, or what it is there to change."""
    if function in WRITERS:
        return writes.written_by(function, args, settings)
    if function is np.nan_to_num:
        names = dict(zip(("x", "copy", "nan", "posinf", "neginf"), args, strict=False)) | settings
        found = np.nan_to_num(**contents({**names, "copy": True}))
        return writes.write_into([target], found)
    args, settings = _without_out(function, args, settings)
    settings.pop("out", None)
    found = function(*contents(args), **contents(settings))
    if np.shape(found) != np.shape(target):
        if np.size(found) != np.size(target):
            raise ValueError(f"out has the shape {np.shape(target)}, and what goes there {np.shape(found)}")
        found = np.reshape(found, np.shape(target))  # as with np.cumsum of a matrix
    return writes.write_into([target], found)


def _put(found: Any, target: ObjectArray) -> ObjectArray:
    """What was found, written where it was wanted."""
    if np.shape(found) != target.shape:
        raise ValueError(f"out has the shape {target.shape}, and what goes there {np.shape(found)}")
    as_plain_array(target)[...] = scalars(found)
    return target


def _by_rule(rule: Callable[..., Any], function: Any, args: Any, settings: Any) -> Any:
    """What a rule gives; settings of NumPy's that it does not have are refused by name."""
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


def _found_by(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What a NumPy function gives that writes nowhere."""
    names = parameters_of(function)
    is_typed = "dtype" in settings or "casting" in settings or ("dtype" in names and len(args) > names.index("dtype"))
    if is_typed and function in KNOWN - casts.OWN:
        return typed(_untyped, function, args, settings)
    return _untyped(function, args, settings)


def _untyped(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """The same with its numbers as they are, by a rule or by NumPy's own code."""
    tape = current_tape()
    if tape is not None and tape.grain == "array" and function not in OF_SEQUENCES:
        args = tuple(_whole(arg) if issubclass(type(arg), list | tuple) else arg for arg in args)
    if function in COMPOSED:
        return _by_rule(COMPOSED[function], function, args, settings)
    if function in REFUSED:
        raise missing(name_of(function), REFUSED[function])
    if function is WHERE and len(args) == 3 and _is_symbolic():
        return as_object_array(by_entries(CHOICE, 3)(*map(_entries, args)))
    if function in PLAIN_FUNCTIONS:
        decides = function not in ON_SHAPES
        args = tuple(data_of(arg, decides) for arg in args)
        # what is traced still is compared entry by entry, and each comparison is decided
        args = tuple(as_plain_array(scalars(arg)) if isinstance(arg, Variable) else arg for arg in args)
        found = function(*args, **{key: data_of(value, decides) for key, value in settings.items()})
        return tuple(map(as_program_array, found)) if isinstance(found, tuple) else as_program_array(found)
    if tape is not None and tape.grain == "array" and function in FUNCTIONS:
        args = tuple(map(_whole, args))
    if function in FUNCTIONS and not any(map(_is_of_entries, parts([args, settings]))):
        return _by_rule(FUNCTIONS[function], function, args, settings)
    return function_by_entries(function, args, settings)


def _whole(value: Any) -> Any:
    """An array of traced numbers and plain ones as one traced array; also in sequences."""
    if type(value) is list or type(value) is tuple:
        is_one = _is_of_numbers(value) and has_traced(value)
        return array_of(value) if is_one else type(value)(map(_whole, value))
    if not issubclass(type(value), np.ndarray):
        return value
    is_of_numbers = value.dtype == object and value.ndim and has_traced(value)
    if is_of_numbers and all(isinstance(entry, Variable | Number) for entry in value.flat):
        return array_of(value)
    return value


def _is_of_numbers(value: Any) -> bool:
    """Whether a sequence has numbers only, traced or not, also in sequences of one length."""
    if issubclass(type(value), list | tuple):
        lengths = {len(part) if issubclass(type(part), list | tuple) else -1 for part in value}
        return len(lengths) == 1 and all(map(_is_of_numbers, value))
    return value.ndim == 0 if isinstance(value, Variable) else isinstance(value, Number)


def _is_of_entries(value: Any) -> bool:
    if isinstance(value, Variable):
        return value.tape.grain == "scalar"
    return isinstance(value, np.ndarray) and value.dtype == object


def function_by_entries(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """NumPy's own code on object arrays."""
    args = tuple(map(_entries, args))
    settings = {key: _entries(value) for key, value in settings.items()}
    if function in written_out_linalg.BY_ENTRIES:
        return written_out_linalg.BY_ENTRIES[function](*args, **settings)
    if function in linalg.FUNCTIONS:
        raise missing(
            f"np.linalg.{function.__name__}, entry by entry", 'Trace with grain="array"; there are no programs of it.'
        )
    try:
        found = np.ndarray.__array_function__(ObjectArray(0), function, (ObjectArray,), args, settings)
    except MissingBlockError:
        raise
    except TypeError as error:
        if any(map(callable, args)):  # such as np.apply_along_axis: the error may be that function's own
            raise
        raise missing(
            name_of(function), "Write it out with functions that have one, or make a Block of your own: adviz.Block."
        ) from error
    if isinstance(found, ObjectArray) and found.dtype.kind == "c":  # np.zeros_like(x, complex)
        return as_program_made(as_plain_array(found))
    found = type(found)(map(_found, found)) if type(found) in (list, tuple) else _found(found)
    if type(found) is ObjectArray and any(isinstance(arg, list | tuple) for arg in args):
        return _without_nested_numbers(found)
    return found


def _without_nested_numbers(found: ObjectArray) -> ObjectArray:
    """Numbers in place of arrays without axes, which NumPy takes for entries where they are in sequences."""
    entries = as_plain_array(found)
    nested = [place for place in np.ndindex(entries.shape) if isinstance(entries[place], np.ndarray)]
    if not nested:
        return found
    entries = entries.copy()
    for place in nested:
        entries[place] = entries[place][()]
    return as_object_array(entries)


def _found(value: Any) -> Any:
    """What NumPy's loops over objects gave; Python's numbers, such as the sum of no objects, are NumPy's again."""
    if type(value) in (int, float):
        return np.float64(value)
    is_number = isinstance(value, np.ndarray) and value.dtype == object and not value.ndim
    return value[()] if is_number else as_object_array(value)


def _entries(value: Any) -> Any:
    """Variables as object arrays, also inside sequences; to write into these would change nothing that is traced."""
    if isinstance(value, list | tuple):
        return type(value)(map(_entries, value))
    if not isinstance(value, Variable):
        return value
    entries = as_object_array(scalars(value))
    entries.flags.writeable = not entries.ndim  # of a number it is a copy
    return entries


# ---- Variables and object arrays answer to NumPy ----

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
"""With these settings at most, and of arrays in double precision, reductions take a quicker road."""


def _array_ufunc(self: Variable, ufunc: np.ufunc, method: str, first: Any, *others: Any, **settings: Any) -> Any:
    """NumPy asks this when a ufunc meets a Variable."""
    if method == "__call__" and not settings:
        if type(first) is Traced and ufunc in SHORT_ROADS:
            road = SHORT_ROADS[ufunc]
            return road(first, others[0]) if others else road(first)
        if ufunc in BLOCK_OF and ufunc.nin < 3 and ufunc not in PARAMETERS:
            right = others[0] if others else NOTHING
            found = apply_on_arrays(BLOCK_OF[ufunc], self.tape, first, right, _getframe(1))
            if found is not None:
                return found
    return call_ufunc(ufunc, method, (first, *others), settings)


class _AskedByNumPy(property):
    """``__array_ufunc__`` of Variables beside CuPy's arrays. NumPy asks their type; CuPy asks them, and finds none.

    To those it gives way: it has to, since its ``@`` takes arrays of its own only, and would not ask on.
    """

    __call__ = staticmethod(_array_ufunc)


def _matmul(self: Variable, other: Any) -> Any:
    found = apply_on_arrays(MATMUL, self.tape, self, other, _getframe(1))
    return np.matmul(self, other) if found is None else found


def _array_function(self: Any, function: Callable[..., Any], types: Any, args: Any, settings: Any) -> Any:
    """NumPy asks this when one of its functions meets a Variable or an object array."""
    if function in REDUCED and type(args[0]) is Traced and len(args) == 1 and settings.keys() <= SIMPLE_REDUCTION:
        axis, keepdims = settings.get("axis"), settings.get("keepdims", False)
        found = reduce_array(*REDUCED[function], args[0], axis, keepdims, _getframe(1))
        if found is not None:
            return found
    return call_function(function, args, settings)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **settings: Any) -> Any:
        return function(self, *args, **settings)

    return method


def _by_sequence(function: Callable[..., Any]) -> Callable[..., Any]:
    """Methods such as ``reshape`` take ``x.reshape(2, 3)`` as well as ``x.reshape((2, 3))``."""

    def method(self: Variable, *args: Any, **settings: Any) -> Any:
        first = args[0] if len(args) == 1 and (args[0] is None or np.ndim(args[0])) else (args or None)
        return function(self, first, **settings)

    return method


def _resize(self: Variable, *args: Any, **settings: Any) -> None:
    raise missing("the method resize", "Write x = np.resize(x, shape).")


def _flatten(self: Any, order: Any = "C") -> Any:
    """``x.flatten()``: what ``ravel`` gives, in memory of its own."""
    found = np.ravel(self, order=order)
    return apart(found) if isinstance(found, Traced) and found.ndim and memory_of(found) is not None else found


def _mean(self: ObjectArray, axis: Any = None, dtype: Any = None, out: Any = None, **settings: Any) -> Any:
    if dtype is not None:
        return np.mean(self, axis, dtype, out, **settings)  # which comes back without
    count = np.sum(np.ones(self.shape), axis=axis, **settings)
    found = np.sum(self, axis=axis, **settings) / count
    return found if out is None else _put(found, out)


def _sort(self: ObjectArray, axis: int = -1, *args: Any, **settings: Any) -> None:
    self[...] = np.sort(self, axis)


def _on_contents(name: str) -> Callable[..., Any]:
    """A method of NumPy's that knows nothing of traced values in arrays that a program made."""
    own = getattr(np.ndarray, name)
    return lambda self, *args, **settings: own(self, *contents(args), **contents(settings))


def _attach(target: type, methods: dict[str, Callable[..., Any]]) -> None:
    for name, method in methods.items():
        setattr(target, name, method)


ALIKE: tuple[str, ...] = ("var", "std", "clip", "argmax", "argmin", "argsort", "nonzero", "round")
ON_VARIABLES: tuple[str, ...] = (
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "dot",
    "squeeze",
    "swapaxes",
    "repeat",
    "take",
    "all",
    "any",
)
ON_VARIABLES += ("ravel", "diagonal", "trace", "cumsum", "cumprod", "searchsorted")
VIEWS = ("reshape", "ravel", "transpose", "swapaxes", "squeeze", "diagonal")
"""Methods that give an array on the same memory, if they can."""

_attach(Variable, {name: _method(getattr(np, name)) for name in ALIKE + ON_VARIABLES})
_attach(Variable, {"__array_function__": _array_function})
_attach(Traced, {"__array_ufunc__": _array_ufunc})
for _kind in (Variable, DeviceTraced):
    setattr(_kind, "__array_ufunc__", _AskedByNumPy(lambda variable: None))  # noqa: B010
_attach(
    Variable,
    {"flatten": _flatten, "reshape": _by_sequence(np.reshape), "transpose": _by_sequence(np.transpose)},
)
_attach(Variable, dict.fromkeys(("conjugate", "conj"), lambda self: self))
_attach(Variable, dict.fromkeys(("__copy__", "__deepcopy__"), lambda self, *args: COPY(self)))
_attach(Variable, {"copy": lambda self, order="C": casts.copy(self, order)})
_attach(Variable, {"resize": _resize})
_attach(Traced, writes.METHODS)
_flat = property(writes.Flat, lambda self, value: writes.Flat(self).__setitem__(slice(None), value))
_attach(Traced, {"flat": _flat})  # type: ignore[dict-item]
_attach(Variable, dict.fromkeys(("sort", "fill", "put", "partition"), Variable.__setitem__))
_attach(Variable, {"astype": cast})
_attach(Variable, {"__matmul__": _matmul})
_attach(Variable, {"__rmatmul__": lambda self, other: np.matmul(other, self)})
_attach(Variable, {"__divmod__": lambda self, other: (self // other, self % other)})
_attach(Variable, {"__rdivmod__": lambda self, other: (other // self, other % self)})
_attach(Variable, {"__round__": lambda self, digits=None: np.round(self, digits or 0)})

_attach(ObjectArray, {name: _method(getattr(np, name)) for name in ALIKE})
_attach(
    ObjectArray, {name: _on_contents(name) for name in ("choose", "compress", "dot", "put", "searchsorted", "take")}
)
_attach(ObjectArray, {"__getitem__": writes.read_entries, "__setitem__": writes.write_entries})
_attach(ObjectArray, {"mean": _mean, "sort": _sort, "astype": cast})
_attach(
    ObjectArray,
    {
        "__array_ufunc__": lambda self, ufunc, method, *inputs, **settings: call_ufunc(ufunc, method, inputs, settings),
        "__array_function__": _array_function,
    },
)
