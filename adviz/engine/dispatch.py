"""NumPy's protocols: what ufuncs and functions do where a Variable or an object array of Variables takes part.

A ufunc on Variables is a Block; a function is looked up in the tables of ``rules/``. On object
arrays, and in the scalar grain, both are carried out entry by entry. A function that is in no table is tried that way
too, by NumPy's own code; if that fails, a :class:`MissingBlockError` names it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from sys import _getframe
from typing import Any

import numpy as np

from .blocks import BLOCK_OF
from .errors import ArrayWriteError, MissingBlockError
from .object_arrays import (
    ObjectArray,
    as_numbers,
    as_object_array,
    as_plain_array,
    current_tape,
    has_only_numbers,
)
from .operators import NOTHING, SHORT_ROADS, apply_on_arrays, reduce_array
from .rules import array_blocks, callbacks, curves, elimination, fourier, functions, linalg, moves, products, sums
from .rules.conditions import CHOICE, CONDITIONS, CONNECTIVES
from .rules.functions import (
    ON_SHAPES,
    PARAMETERS,
    PLAIN_FUNCTIONS,
    REFUSED,
    data_of,
    elementwise,
    missing,
    place_of_out,
    target_of,
    written,
)
from .variable import FarTraced, Traced, Variable, apply_block, by_entries, scalars

FUNCTIONS = functions.FUNCTIONS | moves.FUNCTIONS | sums.FUNCTIONS | products.FUNCTIONS | linalg.FUNCTIONS
COMPOSED = functions.COMPOSED | moves.COMPOSED | sums.COMPOSED | products.COMPOSED | curves.COMPOSED | linalg.COMPOSED
COMPOSED |= fourier.COMPOSED | callbacks.COMPOSED
METHODS = {
    "reduce": functions.REDUCTIONS | sums.REDUCTIONS,
    "accumulate": sums.ACCUMULATIONS | moves.ACCUMULATIONS,
}
"""What methods of ufuncs are on whole arrays."""

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

UNDERSTOOD = {"dtype", "casting", "order", "subok"}
"""Settings of a ufunc that make no difference to real numbers."""


def _as_one_evaluation(carry_out: Callable[..., Any]) -> Callable[..., Any]:
    """Note on the tape that all nodes made meanwhile are of one evaluation of one expression.

    What cannot be done entry by entry is done on plain arrays where no entry is traced.
    """

    def evaluate(*args: Any) -> Any:
        tape = current_tape()
        if tape is None:
            return carry_out(*args)
        start = tape.count
        try:
            return carry_out(*args)
        except (MissingBlockError, ArrayWriteError, TypeError):
            function, *method, operands, settings = args
            targets = operands[:1] if method == ["at"] else [target_of(function, operands, settings)]
            if ObjectArray in map(type, _parts(targets)) or not has_only_numbers((operands, settings)):
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
    if fourier.Complex in map(type, inputs):
        return NotImplemented
    if ufunc not in BLOCK_OF and "scipy.special" in sys.modules:
        from .rules import special as special  # writes its rules into BLOCK_OF
    if any(isinstance(inputs[place], Variable | ObjectArray) for place in PARAMETERS.get(ufunc, ())):
        raise missing(f"{ufunc.__name__} of a traced parameter", "Its derivative by that has no closed form.")
    targets = [target for target in settings.get("out", ()) if target is not None]
    settings = {key: value for key, value in settings.items() if key not in UNDERSTOOD}
    if ufunc in COMPOSED and method == "__call__" and not targets:
        return COMPOSED[ufunc](*inputs, **settings)
    if method == "__call__" and _is_symbolic() and (block := CONDITIONS.get(CONNECTIVES.get(ufunc, ufunc))):
        found = elementwise(block)(*inputs)  # in the order of memory that plain booleans would have
        return as_object_array(np.ascontiguousarray(found)) if np.ndim(found) else found
    if ufunc in PLAIN_UFUNCS:
        return getattr(ufunc, method)(*map(data_of, inputs), **settings)
    if any(target.dtype != object for target in targets) or (method == "at" and not isinstance(inputs[0], ObjectArray)):
        raise written()
    if targets or any(isinstance(entry, np.ndarray) and entry.dtype == object for entry in inputs):
        return ufunc_by_entries(ufunc, method, inputs, settings)
    if ufunc in METHODS.get(method, ()):
        settings.setdefault("axis", 0)
        return METHODS[method][ufunc](*inputs, **settings)
    if method == "outer":
        first, second = inputs
        return ufunc(np.reshape(first, np.shape(first) + (1,) * np.ndim(second)), second)
    if ufunc in BLOCK_OF and method == "__call__" and not settings:
        operands = (np.asarray(entry) if isinstance(entry, list | tuple) else entry for entry in inputs)
        return apply_block(BLOCK_OF[ufunc], tuple(operands))
    return ufunc_by_entries(ufunc, method, inputs, settings)


def ufunc_by_entries(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """A ufunc (or a method of one) on object arrays: on each entry what it is on a number."""
    targets = settings.get("out")
    if targets:
        settings = {**settings, "out": tuple(map(as_plain_array, targets))}
    if method == "reduce" and settings.get("where", True) is not True and ufunc.identity is not None:
        settings = {"initial": ufunc.identity, **settings}  # which NumPy does not know of objects
    operands = [scalars(entry) if isinstance(entry, Variable) else as_plain_array(entry) for entry in inputs]
    found = getattr(_loop(ufunc, operands), method)(*operands, **settings)
    return targets[0] if targets else _found(found)


def _loop(ufunc: np.ufunc, operands: list[Any]) -> Any:
    """The ufunc that does to the entries of object arrays what ``ufunc`` does to floats."""
    if ufunc in RIGHT_ON_OBJECTS or all(set(types) <= set("O->") for types in ufunc.types):
        return ufunc
    if ufunc in RIGHT_ON_VARIABLES and all(map(_is_of_variables, operands)):
        return ufunc
    block = BLOCK_OF.get(ufunc)
    if block is None:
        name = f"np.{ufunc.__name__}" if getattr(np, ufunc.__name__, None) is ufunc else ufunc.__name__
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
    if fourier.Complex in map(type, args[:1]):
        return NotImplemented
    target = target_of(function, args, settings)
    if target is not None and not isinstance(target, ObjectArray):
        raise written()
    if target is None or not (function in COMPOSED or function in PLAIN_FUNCTIONS):
        return _found_by(function, args, settings)
    args = tuple(None if place == place_of_out(function) else arg for place, arg in enumerate(args))
    return _put(_found_by(function, args, {**settings, "out": None} if "out" in settings else settings), target)


def _put(found: Any, target: ObjectArray) -> ObjectArray:
    """What was found, written where it was wanted."""
    if np.shape(found) != target.shape:
        raise ValueError(f"out has the shape {target.shape}, and what goes there {np.shape(found)}")
    as_plain_array(target)[...] = scalars(found)
    return target


def _found_by(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """What a NumPy function gives that writes nowhere, or by NumPy's own code."""
    if function in COMPOSED:
        return COMPOSED[function](*args, **settings)
    if function in REFUSED:
        raise missing(f"np.{function.__name__}", REFUSED[function])
    if function is np.where and len(args) == 3 and _is_symbolic():
        return as_object_array(by_entries(CHOICE, 3)(*map(_entries, args)))
    if function in PLAIN_FUNCTIONS:
        decides = function not in ON_SHAPES
        args = tuple(data_of(arg, decides) for arg in args)
        # what is traced still is compared entry by entry, and each comparison is decided
        args = tuple(as_plain_array(scalars(arg)) if isinstance(arg, Variable) else arg for arg in args)
        return function(*args, **{key: data_of(value, decides) for key, value in settings.items()})
    if function in FUNCTIONS and not any(map(_is_of_entries, _parts([args, settings]))):
        return FUNCTIONS[function](*args, **settings)
    return function_by_entries(function, args, settings)


def _parts(values: Any) -> Iterator[Any]:
    """What is in lists, tuples and dicts, whatever their nesting."""
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, list | tuple | dict):
            yield from _parts(value)
        else:
            yield value


def _is_of_entries(value: Any) -> bool:
    if isinstance(value, Variable):
        return value.tape.grain == "scalar"
    return isinstance(value, np.ndarray) and value.dtype == object


def function_by_entries(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """NumPy's own code on object arrays."""
    args = tuple(map(_entries, args))
    settings = {key: _entries(value) for key, value in settings.items()}
    if function in elimination.BY_ENTRIES and all(np.ndim(arg) <= 2 for arg in args[1:]):
        return elimination.BY_ENTRIES[function](*args, **settings)
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
        name = f"{function.__module__}.{function.__name__}".replace("numpy", "np")
        raise missing(
            name, "Write it out with functions that have one, or make a Block of your own: adviz.Block."
        ) from error
    return type(found)(map(_found, found)) if type(found) in (list, tuple) else _found(found)


def _found(value: Any) -> Any:
    """What NumPy's loops over objects gave; Python's numbers, such as the sum of no objects, are NumPy's again."""
    return np.float64(value) if type(value) in (int, float) else as_object_array(value)


def _entries(value: Any) -> Any:
    """Variables as object arrays, also inside sequences; to write into these would change nothing that is traced."""
    if isinstance(value, list | tuple):
        return type(value)(map(_entries, value))
    if not isinstance(value, Variable):
        return value
    entries = as_object_array(scalars(value))
    entries.flags.writeable = False
    return entries


# ---- Variables and object arrays answer to NumPy ----

REDUCED: dict[Any, tuple[Any, Callable[..., Any]]] = {
    np.sum: (array_blocks.SUM, np.add.reduce),
    np.mean: (array_blocks.MEAN, np.mean),
    np.max: (array_blocks.MAX, np.maximum.reduce),
    np.amax: (array_blocks.MAX, np.maximum.reduce),
    np.min: (array_blocks.MIN, np.minimum.reduce),
    np.amin: (array_blocks.MIN, np.minimum.reduce),
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
    found = apply_on_arrays(array_blocks.MATMUL, self.tape, self, other, _getframe(1))
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


def _cast(self: Any, dtype: Any, *args: Any, **settings: Any) -> Any:
    """``astype`` to a real type; numbers in object arrays stay as they are."""
    if np.dtype(dtype).kind not in "fO":
        if isinstance(self, ObjectArray) and has_only_numbers(self):
            return as_numbers(self).astype(dtype, *args, **settings)
        raise missing(f"astype({np.dtype(dtype)})", "Only conversions between real types keep derivatives.")
    if isinstance(self, ObjectArray) or np.dtype(dtype) == object:
        return self.copy()
    return array_blocks.COPY(self) if np.dtype(dtype) == self.dtype else array_blocks.CAST(self, np.dtype(dtype).name)


def _write_in_place(self: Variable, *args: Any, **settings: Any) -> None:
    raise written()


def _mean(self: ObjectArray, axis: Any = None, dtype: Any = None, out: Any = None, **settings: Any) -> Any:
    count = np.sum(np.ones(self.shape), axis=axis, **settings)
    found = np.sum(self, axis=axis, **settings) / count
    return found if out is None else _put(found, out)


def _sort(self: ObjectArray, axis: int = -1, *args: Any, **settings: Any) -> None:
    self[...] = np.sort(self, axis)


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

_attach(Variable, {name: _method(getattr(np, name)) for name in ALIKE + ON_VARIABLES})
_attach(Variable, {"__array_function__": _array_function})
_attach(Traced, {"__array_ufunc__": _array_ufunc})
for _kind in (Variable, FarTraced):
    setattr(_kind, "__array_ufunc__", _AskedByNumPy(lambda variable: None))  # noqa: B010
_attach(
    Variable,
    {"flatten": _method(np.ravel), "reshape": _by_sequence(np.reshape), "transpose": _by_sequence(np.transpose)},
)
_attach(Variable, dict.fromkeys(("conjugate", "conj"), lambda self: self))
_attach(Variable, dict.fromkeys(("copy", "__copy__", "__deepcopy__"), lambda self, *args: array_blocks.COPY(self)))
_attach(Variable, dict.fromkeys(("sort", "fill", "put", "partition", "resize"), _write_in_place))
_attach(Variable, {"astype": _cast})
_attach(Variable, {"__matmul__": _matmul})
_attach(Variable, {"__rmatmul__": lambda self, other: np.matmul(other, self)})
_attach(Variable, {"__divmod__": lambda self, other: (self // other, self % other)})
_attach(Variable, {"__rdivmod__": lambda self, other: (other // self, other % self)})
_attach(Variable, {"__round__": lambda self, digits=None: np.round(self, digits or 0)})

_attach(ObjectArray, {name: _method(getattr(np, name)) for name in ALIKE})
_attach(ObjectArray, {"mean": _mean, "sort": _sort, "astype": _cast})
_attach(
    ObjectArray,
    {
        "__array_ufunc__": lambda self, ufunc, method, *inputs, **settings: call_ufunc(ufunc, method, inputs, settings),
        "__array_function__": _array_function,
    },
)
