"""Ufuncs and operators on Variables, and the methods by which NumPy's loops over objects call ufuncs.

A ufunc on Variables is a Block. On object arrays, and in the scalar grain, it is carried out entry by entry.

On numbers (Python floats) operators take a fast path, for traces of a million nodes: :func:`_binary` and
:func:`_unary` have :meth:`~..tape.Tape.result` written out, which saves a fifth of the time. Everything else takes the
general path, :func:`~..apply.apply_block`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from importlib import import_module
from sys import _getframe
from types import FrameType, NoneType
from typing import Any

import numpy as np

from ...graph.graph import ABSENT
from ..apply import ComplexEntriesError, apply_block, array_of, by_entries
from ..arrays import ProgramArray, as_program_array, check_not_lost, contents, filled, memory_of, numbers_of
from ..blocks import BLOCK_OF, Block
from ..calls import is_masked
from ..devices import is_on_device
from ..functions import arguments
from ..functions.arguments import (
    OF_TYPES,
    OF_UFUNCS,
    check_casting,
    data_of,
    is_fortran,
    laid_out,
    missing,
    name_of,
    symbolic_or_data,
    typed_inputs,
)
from ..functions.entries import elementwise, where_it_holds
from ..functions.registry import METHODS, PARAMETERS, QUANTIFIED, versions
from ..functions.ties import is_nested, note_ties
from ..object_arrays import (
    ARITHMETIC,
    COMPARISONS,
    SIGNS,
    ObjectArray,
    as_complex,
    as_plain_array,
    has_complex,
    is_of_objects,
)
from ..rules.elementwise import note_tie
from ..rules.reshaping import CAST
from ..rules.selection import CONDITIONS, CONNECTIVES
from ..tape import FLOAT, Tape, pack_row, user_origin
from ..trace_errors import MissingBlockError
from ..unsupported import check_no_list, used_as_count
from ..variable import Traced, Variable, has_traced, is_symbolic_array, scalars
from . import complex_functions, function_calls, writes
from .booleans import COUNTING, alike, counted, has_number_nodes, is_boolean_node, of_booleans
from .complex_ufuncs import UFUNCS
from .decisions import kept
from .function_calls import COMPOSED, as_one_evaluation, by_rule, is_symbolic, result_of_entries
from .lookups import check_lookup
from .writes import laid_out_like

# ---- ufuncs ----

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


def _operand(value: Any) -> Any:
    """Return a sequence as an array."""
    if type(value) is not list and type(value) is not tuple:
        return value
    return array_of(value) if has_traced(value) else np.asarray(value)


@as_one_evaluation
def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return what a ufunc (or a method of one) gives where a Variable or an object array takes part."""
    if any(map(has_complex, inputs)):
        return complex_functions.call_ufunc(ufunc, method, inputs, settings)
    if any(map(is_masked, inputs)):
        rules = import_module("..functions.masked_arrays", __package__)  # with which NumPy imports np.ma
        return rules.ufunc(None, ufunc, method, *inputs, **settings)
    if ufunc not in BLOCK_OF and "scipy.special" in sys.modules:
        versions()  # scipy.special was imported during this trace
        if ufunc in UFUNCS and ufunc not in BLOCK_OF:  # which has complex values only
            return complex_functions.call_ufunc(ufunc, method, inputs, settings)
    if any(isinstance(inputs[place], Variable | ObjectArray) for place in PARAMETERS.get(ufunc, ())):
        advice = "The derivative with respect to it has no closed form."
        raise missing(f"{ufunc.__name__.lstrip('_')} of a traced parameter", advice)
    targets = [target for target in settings.get("out", ()) if target is not None]
    if method == "at" and not isinstance(inputs[0], ObjectArray):
        return function_calls.write_at(ufunc, *inputs)
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
    if method == "__call__" and ufunc in DECIDING:
        note_ties(*inputs)
    if ufunc in PLAIN_UFUNCS and not is_symbolic():
        asked_about = tuple(map(symbolic_or_data, inputs))
        if method == "__call__" and any(map(is_symbolic_array, asked_about)):  # of an outer trace
            return elementwise(CONDITIONS[ufunc])(*asked_about)
        outcome = getattr(ufunc, method)(*asked_about, **settings)
        if ufunc is np.equal and type(outcome) is np.bool_ and outcome:
            check_lookup(*inputs)
        return as_program_array(outcome)
    settings = {key: value for key, value in settings.items() if key != "subok"}  # traced arrays are of one class
    if unknown := settings.keys() - OF_UFUNCS:
        raise TypeError(f"{name_of(ufunc)}() got an unexpected keyword argument {unknown.pop()!r}")
    asked = {key: settings.pop(key) for key in OF_TYPES if key in settings}
    if asked != {"dtype": None} and asked and not arguments.is_object(asked.get("dtype")):
        inputs, steps = typed_inputs(ufunc, method, inputs, settings, asked)
        if steps is not None:
            return steps
    order = settings.pop("order", "K")
    if order in (None, "K") or method != "__call__":
        return _ufunc(ufunc, method, inputs, settings)
    if order == "A":
        order = "F" if all(is_fortran(entry) for entry in inputs if np.ndim(entry)) else "C"
    result = _ufunc(ufunc, method, inputs, settings)
    return tuple(laid_out(part, order) for part in result) if isinstance(result, tuple) else laid_out(result, order)


def _ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return the same, without settings for types and memory."""
    if ufunc is np.arctan2 and method == "reduce":
        raise missing("np.arctan2.reduce", "Write it out: it begins with 0, and its order counts.")
    if ufunc in COMPOSED and method == "__call__":
        return by_rule(COMPOSED[ufunc], ufunc, inputs, settings)
    if method == "__call__" and is_symbolic() and (block := CONDITIONS.get(CONNECTIVES.get(ufunc, ufunc))):
        if ufunc in CONNECTIVES and any(map(has_number_nodes, inputs)):
            raise missing(f"{name_of(ufunc)} of traced numbers", "It works on comparisons and other booleans.")
        outcome = elementwise(block)(*inputs)
        if ufunc is np.equal and isinstance(outcome, Variable) and not outcome.ndim and outcome.data:
            check_lookup(*inputs)
        return alike(outcome)
    if method == "reduce" and ufunc in QUANTIFIED and any(map(is_symbolic_array, inputs)):
        return by_rule(QUANTIFIED[ufunc], ufunc, inputs, {"axis": 0, **settings})
    if ufunc in PLAIN_UFUNCS:
        return as_program_array(getattr(ufunc, method)(*map(data_of, inputs), **settings))
    if any(map(is_of_objects, inputs)):
        return ufunc_by_entries(ufunc, method, inputs, settings)
    if ufunc in METHODS.get(method, ()):
        settings.setdefault("axis", 0)
        return by_rule(METHODS[method][ufunc], ufunc, inputs, settings)
    if method == "outer":
        first, second = inputs
        return ufunc(np.reshape(first, np.shape(first) + (1,) * np.ndim(second)), second)
    if ufunc in BLOCK_OF and method == "__call__" and not settings:
        operands = map(_operand, inputs)
        return apply_block(BLOCK_OF[ufunc], tuple(operands))
    return ufunc_by_entries(ufunc, method, inputs, settings)


DECIDING = frozenset({*COMPARISONS.values(), np.signbit})
"""Ufuncs that decide at equal operands, or at 0."""


def _ufunc_into(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return a ufunc with ``out``, computed only ``where`` it is asked for."""
    targets, where = settings["out"], settings.get("where", True)
    others = {key: value for key, value in settings.items() if key not in ("out", "where")}
    if where is True or method != "__call__":
        others |= {"where": contents(where)} if where is not True else {}
        result = getattr(ufunc, method)(*inputs, **others)
        return function_calls.write_into(targets, result, settings.get("casting", "same_kind"))
    shape = np.broadcast_shapes(*map(np.shape, targets))
    mask = np.broadcast_to(symbolic_or_data(contents(where)), shape)
    if is_symbolic_array(mask):
        result = ufunc(*where_it_holds(mask, *contents(inputs), otherwise=_regular(ufunc)), **others)
        parts = result if isinstance(result, tuple) else (result,)
        chosen = tuple(np.where(mask, part, contents(target)) for part, target in zip(parts, targets, strict=True))
        return function_calls.write_into(targets, chosen, settings.get("casting", "same_kind"))
    result = ufunc(*(np.broadcast_to(entry, shape)[mask] for entry in inputs), **others)
    for target, each in zip(targets, result if isinstance(result, tuple) else (result,), strict=True):
        check_casting(each, target, settings.get("casting", "same_kind"))
        writes.write(target, mask, each)
    return targets[0] if len(targets) == 1 else targets


def _regular(ufunc: np.ufunc) -> float | None:
    """Return a number at which a ufunc and its slopes are finite, if a simple one is."""
    with np.errstate(all="ignore"):
        for number in (0.5, 2.0) if ufunc.nout == 1 else ():
            partials = BLOCK_OF[ufunc].partials if ufunc in BLOCK_OF else ()
            value = ufunc(*[np.float64(number)] * ufunc.nin)
            if np.isfinite([value, *(each(value, *[np.float64(number)] * ufunc.nin) for each in partials)]).all():
                return number
    return None


NEUTRAL: dict[Any, float] = {
    np.add: 0.0,
    np.subtract: 0.0,
    np.multiply: 1.0,
    np.divide: 1.0,
    np.logaddexp: -np.inf,
    np.logaddexp2: -np.inf,
}
"""What a reduction may take in the place of an entry that is left out."""

REPEATABLE = frozenset({np.maximum, np.minimum, np.fmax, np.fmin})
"""Ufuncs whose reductions may take a value again and again."""


def ufunc_by_entries(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return a ufunc (or a method of one) on object arrays: on each entry what it is on a number."""
    if method == "reduce" and isinstance(settings.get("where"), ObjectArray | Variable):  # conditions that are nodes
        where, left_out = settings["where"], NEUTRAL.get(ufunc, settings.get("initial"))
        if left_out is None or left_out is np._NoValue:
            raise ValueError(f"{name_of(ufunc)} with where needs initial, the value where nothing is left")
        if ufunc not in NEUTRAL and ufunc not in REPEATABLE:
            raise missing(f"{name_of(ufunc)}.reduce with where", "Write it out with np.where.")
        inputs = (np.where(where, inputs[0], left_out),)
        settings = {key: value for key, value in settings.items() if key != "where"}
    elif method == "reduce" and settings.get("where", True) is not True and ufunc.identity is not None:
        settings = {"initial": float(ufunc.identity), **settings}  # which NumPy does not know of objects
    operands = [scalars(entry) if isinstance(entry, Variable) else as_plain_array(entry) for entry in inputs]
    if method in ("reduce", "accumulate", "reduceat") and ufunc in COUNTING:
        operands[0] = counted(operands[0])
    try:
        result = getattr(_loop(ufunc, operands), method)(*operands, **settings)
    except ComplexEntriesError:
        return complex_functions.call_ufunc(ufunc, method, list(map(as_complex, inputs)), settings)
    return result_of_entries(result)


def _loop(ufunc: np.ufunc, operands: list[Any]) -> Any:
    """Return the ufunc that does to the entries of object arrays what ``ufunc`` does to floats."""
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
    """Return whether an operand has no plain numbers among objects."""
    if is_of_objects(operand):
        return all(isinstance(entry, Variable) for entry in operand.flat)
    return True


NUMBERS = frozenset({float, int, np.float64})
"""Types of constants that the fast path takes."""

# ---- the fast path; the user's program is ``depth`` calls up ----


def _binary(block: Block, depth: int = 1) -> Callable[[Variable, Any], Any]:
    number, on_floats = block.number, block.scalar_fn

    def method(self: Variable, other: Any) -> Any:
        data, tape, kind = self.data, self.tape, type(other)
        if type(data) is float:
            if kind is Traced and other.tape is tape:
                second, operand = other.index, other.data
            elif kind is float or kind in NUMBERS:
                operand = other if kind is float else float(other)
                if operand != operand:
                    check_not_lost(operand)
                tape.literals.append(operand)
                second = -len(tape.literals)
            else:
                return _slow_binary(block, self, other)
            try:  # functions of math would take an array of one number as a number
                value = on_floats(data, operand) if type(operand) is float else None
            except (ArithmeticError, TypeError, ValueError):
                value = None
            if type(value) is float:
                frame = _getframe(depth)
                if frame is not tape.frame:
                    tape.enter(frame)
                row = pack_row(value, number, self.index, second, tape.origin.f_lasti)
                variable = Traced()
                variable.tape = tape
                variable.data = value
                variable.index = index = tape.count  # no call from here to the row: threads cannot get in between
                tape.count = index + 1
                tape.rows.append(row)
                if index == tape.full:
                    tape.join_rows()
                return variable
        elif type(data) is np.ndarray:
            result = apply_on_arrays(block, tape, self, other, _getframe(depth))
            if result is not None:
                return result
        return _slow_binary(block, self, other)

    return method


def _unary(block: Block, depth: int = 1) -> Callable[[Variable], Any]:
    number, on_floats = block.number, block.scalar_fn

    def method(self: Variable) -> Any:
        data, tape = self.data, self.tape
        if type(data) is float:
            try:
                value = on_floats(data)
            except (ArithmeticError, ValueError):
                value = None
            if type(value) is float:
                frame = _getframe(depth)
                if frame is not tape.frame:
                    tape.enter(frame)
                row = pack_row(value, number, self.index, ABSENT, tape.origin.f_lasti)
                variable = Traced()
                variable.tape = tape
                variable.data = value
                variable.index = index = tape.count
                tape.count = index + 1
                tape.rows.append(row)
                if index == tape.full:
                    tape.join_rows()
                return variable
        elif type(data) is np.ndarray:
            result = apply_on_arrays(block, tape, self, NOTHING, _getframe(depth))
            if result is not None:
                return result
        return apply_block(block, (self,))

    return method


def _reflected(block: Block) -> Callable[[Variable, Any], Any]:
    number, on_floats = block.number, block.scalar_fn

    def method(self: Variable, other: Any) -> Any:
        data, tape = self.data, self.tape
        if type(data) is float and type(other) in NUMBERS:
            operand = float(other)
            if operand != operand:
                check_not_lost(operand)
            try:
                value = on_floats(operand, data)
            except (ArithmeticError, ValueError):
                value = None
            if type(value) is float:
                tape.literals.append(operand)
                return tape.result(Traced, number, -len(tape.literals), self.index, value, _getframe(1))
        elif type(data) is np.ndarray:
            result = apply_on_arrays(block, tape, other, self, _getframe(1))
            if result is not None:
                return result
        return _slow_binary(block, other, self)

    return method


# ---- the path of arrays: arrays in double precision ----

NOTHING = object()
"""The second operand of a Block of one."""


def apply_on_arrays(block: Block, tape: Any, left: Any, right: Any, frame: FrameType) -> Variable | None:
    """Apply a Block to arrays in double precision of one trace, or an array and a constant; ``None`` for all else."""
    if type(tape) is not Tape or tape.grain == "scalar":
        return None
    if type(left) is Traced and left.tape is tape:
        first, a = left.index, left.data
    else:
        first, a = _constant(left, tape)
    if type(right) is Traced and right.tape is tape:
        second, b = right.index, right.data
    else:
        second, b = (ABSENT, 0.0) if right is NOTHING else _constant(right, tape)
    if type(a) is not float and (type(a) is not np.ndarray or a.dtype is not FLOAT):
        return None
    if type(b) is not float and (type(b) is not np.ndarray or b.dtype is not FLOAT):
        return None
    value = block.compute(a) if right is NOTHING else block.compute(a, b)
    if type(value) is not np.ndarray or value.dtype is not FLOAT:
        return None
    value.setflags(write=False)  # recorded values do not change
    return tape.result(Traced, block.number, first, second, value, frame)


def _constant(operand: Any, tape: Tape) -> tuple[int, Any]:
    """A constant's place on a tape and its data: an array in double precision or a float; no data for all else."""
    if type(operand) is np.ndarray and operand.dtype is FLOAT:
        place = tape.literal(operand)
        if tape.filled:
            check_not_lost(operand)
        return place, tape.literals[~place]
    if type(operand) in NUMBERS:
        if operand != operand:
            check_not_lost(float(operand))
        tape.literals.append(float(operand))
        return -len(tape.literals), tape.literals[-1]
    if type(operand) is ProgramArray and operand.dtype is FLOAT and filled(operand) is None:
        place = tape.literal(operand)
        return place, tape.literals[~place]
    return 0, None


def reduce_array(
    block: Block, compute: Callable[..., Any], x: Any, axis: Any, keepdims: Any, frame: FrameType
) -> Variable | None:
    """Return a reduction of an array in double precision, by ``compute``; ``None`` for all else."""
    data, tape = x.data, x.tape
    if type(tape) is not Tape or type(data) is not np.ndarray or data.dtype is not FLOAT:
        return None
    if type(keepdims) is not bool or type(axis) not in (int, NoneType):
        return None
    value = compute(data, axis=axis, keepdims=keepdims)
    if type(value) is np.float64:
        value = float(value)
    else:
        value.setflags(write=False)
    tape.literals += axis, keepdims
    last = -len(tape.literals)
    tape.rest[tape.count] = (last,)
    return tape.result(Traced, block.number, x.index, last + 1, value, frame)


OPERANDS = (np.ndarray, np.number, np.bool_, int, float)
"""What an operator may have beside a Variable, besides sequences of these."""


def _slow_binary(block: Block, left: Any, right: Any) -> Any:
    """Return the general path: arrays, sequences, and numbers at which Python's own operator fails."""
    if has_complex(left) or has_complex(right):
        return complex_functions.call_ufunc(getattr(np, block.name), "__call__", (left, right), {})
    if is_masked(left) or is_masked(right):
        return call_ufunc(getattr(np, block.name), "__call__", (left, right), {})
    if (type(left) is list or type(right) is list) and block is BLOCK_OF[np.add]:
        check_no_list(right if type(left) is list else left)
    if block is BLOCK_OF[np.multiply] and any(type(side) in (list, tuple) for side in (left, right)):
        traced = left if isinstance(left, Variable) else right
        if traced.tape.level > 0 and not traced.ndim:  # as of Python, which repeats a sequence, or refuses to
            raise used_as_count()
    operands = []
    if isinstance(left, np.matrix) or isinstance(right, np.matrix):
        left, right = _of_matrices(block, left, right)
    if is_boolean_node(left) or is_boolean_node(right):
        block, left, right = of_booleans(block, left, right)
    for side in (left, right):
        if isinstance(side, (Variable, *OPERANDS)) or is_on_device(side):
            operands.append(side)
        elif isinstance(side, list | tuple):
            operands.append(array_of(side) if has_traced(side) else np.asarray(side))
        else:
            return NotImplemented
    return apply_block(block, tuple(operands))


def _of_matrices(block: Block, left: Any, right: Any) -> tuple[Any, Any]:
    """Take ``np.matrix`` as an array; refuse the operators that mean something else for matrices."""
    if block in (BLOCK_OF[np.multiply], BLOCK_OF[np.power]):
        raise MissingBlockError(
            "`*` and `**` of an np.matrix and a traced value mean products of matrices, and what is traced are "
            "arrays. Write np.asarray(m) @ x, or np.multiply(m, x) for products of entries.",
            user_origin(),
        )
    left, right = (np.asarray(side) if isinstance(side, np.matrix) else side for side in (left, right))
    return left, right


def _in_place(operate: Callable[[Variable, Any], Any]) -> Callable[[Variable, Any], Any]:
    """``x += y`` on an array: all references to this Variable, and all views of its memory, see the new value.

    An array that shares its memory with no other simply becomes the result. Otherwise the result is written into it.
    """

    def method(self: Variable, other: Any) -> Any:
        result = operate(self, other)
        if isinstance(self, Traced) and self.tape.grain == "array" and isinstance(result, np.ndarray):
            result = array_of(result)  # of objects
        if type(self.data) is float or not np.ndim(self.data):
            return result
        if has_complex(result):
            check_casting(result, self)
        if not isinstance(result, Traced):
            return result
        if result.shape != self.shape:
            raise ValueError(f"an array of shape {self.shape} cannot hold the result of shape {result.shape}")
        if result.dtype != self.dtype:
            check_casting(result, self)
            result = CAST(result, self.dtype)
        if memory_of(self) is not None or _is_watched(self):
            self[...] = result
        else:
            self.tape, self.index, self.data = result.tape, result.index, laid_out_like(self.data, result.data)
        return self

    return method


def _is_watched(array: Any) -> bool:
    """Return whether the array is visible to code that would not see what is written to it, or is read-only."""
    data, tape = numbers_of(array), array.tape
    is_locked = array.index in tape.viewed or array.index in tape.locked or 0 in getattr(data, "strides", ())
    return is_locked or (is_on_device(data) and getattr(data, "base", None) is not None)


# ---- comparisons ----


def _comparison(ufunc: np.ufunc, compare: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    """Comparisons give plain booleans: control flow runs as written and is not differentiated."""

    def method(self: Variable, other: Any) -> Any:
        if self.tape.symbolic:
            note_ties(self, other)
            outcome = apply_block(CONDITIONS[ufunc], (self, other))
            if ufunc is np.equal and self.tape.hashed and not outcome.ndim and outcome.data:
                check_lookup(self, other)
            return outcome
        known, other = other, other.data if isinstance(other, Variable) else other
        is_of_numpy = self.tape.level > 0 and self.tape.has_arrays  # whose booleans add up to a boolean
        if type(other) is float and type(self.data) is float and other == other:
            outcome = compare(self.data, other)
            if outcome and ufunc is np.equal:
                check_lookup(self, known)
            return kept(np.bool_(outcome) if is_of_numpy else outcome)
        if is_of_objects(other):
            return ufunc(scalars(self), other)
        if isinstance(other, Variable) or is_nested(self):
            note_tie(self.data, contents(other))
        outcome = as_program_array(compare(self.data, contents(other)))
        return kept(np.bool_(outcome) if is_of_numpy and type(outcome) is bool else outcome)

    return method


def _connective(ufunc: np.ufunc) -> Callable[[Variable, Any], Any]:
    """``&``, ``|``, ``^`` and ``~`` of comparisons that are nodes."""

    def method(self: Variable, *others: Any) -> Any:
        if not isinstance(self.data, bool | np.bool_) and self.dtype != bool:
            return NotImplemented
        return apply_block(CONDITIONS[ufunc], (self, *others))

    return method


# ---- all of them ----


def _of_ufunc(block: Block, depth: int) -> Callable[..., Any]:
    return (_unary if len(block.partials) == 1 else _binary)(block, depth)


ON_VARIABLES = {ufunc: block for ufunc, block in BLOCK_OF.items() if ufunc is not np.matmul}
FAST_UFUNCS = {ufunc: _of_ufunc(block, depth=2) for ufunc, block in ON_VARIABLES.items()}
"""What a ufunc does to a Variable, called by ``__array_ufunc__``."""

OPERATORS: dict[str, Callable[..., Any]] = {
    **{ufunc.__name__: _of_ufunc(block, depth=1) for ufunc, block in ON_VARIABLES.items()},  # for loops over objects
    **{f"__{name}__": _binary(BLOCK_OF[ufunc]) for name, ufunc in ARITHMETIC.items()},
    **{f"__r{name}__": _reflected(BLOCK_OF[ufunc]) for name, ufunc in ARITHMETIC.items()},
    **{f"__i{name}__": _in_place(_binary(BLOCK_OF[ufunc], depth=2)) for name, ufunc in ARITHMETIC.items()},
    **{f"__{name}__": _unary(BLOCK_OF[ufunc]) for name, ufunc in SIGNS.items()},
    **{f"__{ufunc.__name__}__": _unary(BLOCK_OF[ufunc]) for ufunc in (np.floor, np.ceil, np.trunc)},
    **{f"__{name}__": _comparison(ufunc, getattr(operator, name)) for name, ufunc in COMPARISONS.items()},
    **dict.fromkeys(("__and__", "__rand__"), _connective(np.logical_and)),
    **dict.fromkeys(("__or__", "__ror__"), _connective(np.logical_or)),
    **dict.fromkeys(("__xor__", "__rxor__"), _connective(np.logical_xor)),
    "__invert__": _connective(np.logical_not),
}
"""The operators of Variables."""
