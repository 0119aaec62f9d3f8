"""Operators on Variables, and the methods by which NumPy's loops over objects call ufuncs.

On numbers (Python floats) they take a fast path, for traces of a million nodes: :func:`_binary` and
:func:`_unary` have :func:`~..apply.record` written out, which saves a fifth of the time. Everything else takes the
general path, :func:`~..apply.apply_block`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from sys import _getframe
from types import FrameType, NoneType
from typing import Any

import numpy as np

from ...graph.graph import ABSENT
from ..apply import apply_block, array_of, record
from ..arrays.complex_pairs import has_complex
from ..arrays.numpy_methods import ARITHMETIC, COMPARISONS, SIGNS
from ..arrays.object_arrays import is_of_objects
from ..arrays.program_arrays import ProgramArray, as_program_array, check_not_lost, contents, filled
from ..blocks import BLOCK_OF, Block
from ..complex_numbers.complex_dispatch import call_ufunc
from ..devices import is_on_device
from ..recording.memory import memory_of, numbers_of
from ..recording.tape import Tape, pack_row, user_origin
from ..rules.reshaping import CAST
from ..rules.selection import CONDITIONS
from ..trace_errors import MissingBlockError
from ..variable import Traced, Variable, has_traced, scalars
from ..writing.writes import laid_out_like

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
                return record(tape, number, -len(tape.literals), self.index, value, _getframe(1))
        elif type(data) is np.ndarray:
            result = apply_on_arrays(block, tape, other, self, _getframe(1))
            if result is not None:
                return result
        return _slow_binary(block, other, self)

    return method


# ---- the path of arrays: arrays in double precision ----

FLOAT = np.dtype(float)


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
    return record(tape, block.number, first, second, value, frame)


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
    return record(tape, block.number, x.index, last + 1, value, frame)


OPERANDS = (np.ndarray, np.number, np.bool_, int, float)
"""What an operator may have beside a Variable, besides sequences of these."""


def _slow_binary(block: Block, left: Any, right: Any) -> Any:
    """Return the general path: arrays, sequences, and numbers at which Python's own operator fails."""
    if has_complex(left) or has_complex(right):
        return call_ufunc(getattr(np, block.name), "__call__", (left, right), {})
    operands = []
    if isinstance(left, np.matrix) or isinstance(right, np.matrix):
        left, right = _of_matrices(block, left, right)
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
        if type(self.data) is float or not np.ndim(self.data) or not isinstance(result, Traced):
            return result
        if result.shape != self.shape:
            raise ValueError(f"an array of shape {self.shape} cannot hold the result of shape {result.shape}")
        if result.dtype != self.dtype:
            if not np.can_cast(result.dtype, self.dtype, "same_kind"):
                raise TypeError(f"an array of {self.dtype} cannot hold a result of {result.dtype}")
            result = CAST(result, self.dtype)
        if memory_of(self) is not None or _is_watched(self):
            self[...] = result
        else:
            self.tape, self.index, self.data = result.tape, result.index, laid_out_like(self.data, result.data)
        return self

    return method


def _is_watched(array: Any) -> bool:
    """Return whether the array is visible to code that would not see what is written to it."""
    data = numbers_of(array)
    return array.index in array.tape.viewed or (is_on_device(data) and getattr(data, "base", None) is not None)


# ---- comparisons ----


def _comparison(ufunc: np.ufunc, compare: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    """Comparisons give plain booleans: control flow runs as written and is not differentiated."""

    def method(self: Variable, other: Any) -> Any:
        if self.tape.symbolic:
            return apply_block(CONDITIONS[ufunc], (self, other))
        other = other.data if isinstance(other, Variable) else other
        if is_of_objects(other):
            return ufunc(scalars(self), other)
        return as_program_array(compare(self.data, contents(other)))

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
    **{f"__{name}__": _comparison(ufunc, getattr(operator, name)) for name, ufunc in COMPARISONS.items()},
    **dict.fromkeys(("__and__", "__rand__"), _connective(np.logical_and)),
    **dict.fromkeys(("__or__", "__ror__"), _connective(np.logical_or)),
    **dict.fromkeys(("__xor__", "__rxor__"), _connective(np.logical_xor)),
    "__invert__": _connective(np.logical_not),
}
"""The operators of Variables."""
