"""The value of a Block at Variables: computed, and written on the tape or kept by the mode."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from numbers import Number
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from ..graph.graph import ABSENT
from . import modes
from .arrays import SETTLED, ProgramArray, check_not_lost, contents, note_sharing, numbers_of
from .blocks import Block, Settings, is_traced
from .devices import as_like, device_array, is_on_device, on_one_device
from .object_arrays import as_object_array, has_complex, is_complex, is_of_objects
from .rules.abstract_values import AbstractValue, shape_dtype_of
from .rules.elementwise import holds_objects, note_tie
from .rules.gathering import GATHER, split
from .rules.indexing import INDEX
from .rules.reshaping import RESHAPE, STACK
from .sweeps import is_finite, non_finite
from .tape import Tape, current_tape, internal, user_origin, warn
from .trace_errors import BlockError, MissingBlockError, NonFiniteWarning
from .unsupported import complex_value, sized_by_data
from .variable import (
    Constant,
    DeviceTraced,
    Traced,
    Variable,
    alike,
    is_computed,
    kind_for,
    new_variable,
    plain_key,
    scalars,
)

# ---- large arrays, which are not computed for a program ----

LARGE = 1 << 12
"""Numbers of an array from which on it is not computed; of smaller ones that is quick."""


class AbstractTape(Tape):
    """A tape for all points whose values are placeholders, zeros, where an operand has ``least`` numbers or more."""

    __slots__ = ("least",)

    def __init__(self, frame: FrameType | None, least: int | None = None):
        super().__init__("array", None, frame, symbolic=True)
        self.least = LARGE if least is None else least

    def is_large(self, block: Block, data: Sequence[Any]) -> bool:
        """Return whether the value of a Block at ``data`` is to be a placeholder.

        Whether the value of a view shares memory is seen by computing it, which copies nothing.
        """
        return not block.is_view and any(isinstance(each, np.ndarray) and each.size >= self.least for each in data)

    def placeholder(self, block: Block, places: Sequence[int], data: Sequence[Any]) -> Any:
        """A placeholder for the value of a Block at ``data``; where a place is negative, that operand is a constant."""
        pairs = zip(places, data, strict=True)
        shape, dtype = shape_dtype_of(
            block, [_traced(each) if k >= 0 else AbstractValue.constant(each) for k, each in pairs]
        )
        return np.zeros(shape, dtype)[()]  # the system gives zeros memory when they are written to


def _traced(value: Any) -> AbstractValue:
    return AbstractValue(np.shape(value), getattr(value, "dtype", np.dtype(float)))


# ---- all others ----

_WRAPPED = SETTLED | {ProgramArray}


def apply_block(block: Block, operands: tuple[Any, ...]) -> Any:
    """Return the value of a Block at its operands: a Variable if one of them is, else what ``compute`` returns."""
    if not _WRAPPED.isdisjoint(map(type, operands)):
        operands = contents(operands)
    tape = tape_of(operands)
    if tape is None:
        return _plain(block.compute(*operands))
    if tape.level < 1:
        return _apply_in_mode(tape, block, operands)
    if block.partials and _is_of_entries(tape, operands):
        return as_object_array(by_entries(block, len(operands))(*map(scalars, operands)))
    keeps_types = tape.symbolic and tape.grain == "array"
    data, places = [], []
    for operand in operands:
        if isinstance(operand, Variable) and operand.tape is tape:
            data.append(operand.data)
            places.append(operand.index)
        else:
            constant = operand if keeps_types and _is_whole(operand, operands) else _literal(block, operand)
            data.append(_beside(block, constant, operands) if type(constant) in ARRAYS else constant)
            places.append(tape.literal(data[-1]))
            if tape.filled:
                check_not_lost(data[-1])
    if type(tape) is AbstractTape and tape.is_large(block, data):
        value = _plain(tape.placeholder(block, places, data))
    elif block.partials:
        value = _plain(_elementwise_value(block, operands, data, keeps_types))
    else:
        value = _plain(block.compute(*data))
    is_view = False
    if type(value) is np.ndarray or is_on_device(value):
        if value.dtype.kind == "c":
            raise complex_value(block.name)
        is_view = getattr(value, "base", None) is not None
        if type(value) is np.ndarray and id(value) not in map(id, data):
            value.flags.writeable = False  # recorded values do not change
    elif isinstance(value, Variable):
        is_view = getattr(numbers_of(value), "base", None) is not None
    elif isinstance(value, complex):
        raise complex_value(block.name)
    if block.steps is not None and any(is_traced(each) or holds_objects(each) for each in data):
        note_tie(*block.steps(value, *data))
    if len(places) > 2:
        tape.rest[tape.count] = tuple(places[2:])
    first, second = (*places, ABSENT, ABSENT)[:2]
    frame: Any = _getframe(1)
    while frame is not tape.root and internal(frame.f_code):
        frame = frame.f_back
    made = tape.result(kind_for(value), tape.number(block), first, second, value, frame)
    if is_view and is_on_device(value):
        tape.viewed.update(operand.index for operand in operands if isinstance(operand, DeviceTraced))
    elif is_view:
        note_sharing(tape, made, operands)
    return made


_CONVERTED = frozenset({int, list, tuple})
"""Types of constants that a function of numbers takes as numbers."""


def _literal(block: Block, operand: Any) -> Any:
    """Return an operand that the innermost tape does not know: whole numbers as floats, unless they are settings."""
    if block.partials and type(operand) in _CONVERTED:
        return float(operand) if type(operand) is int else np.asarray(operand)
    if not isinstance(operand, Variable):
        return np.asarray(operand) if isinstance(operand, np.matrix) else operand  # would make a matrix of the value
    return operand.data if operand.tape is modes.CONSTANTS else alike(operand)  # the operand may be written to


def _beside(block: Block, constant: Any, operands: tuple[Any, ...]) -> Any:
    """Return a constant array or list, on the device of the operands if it is computed with."""
    if block.family == "own" or (like := device_array(*operands)) is None:
        return constant
    is_place = block.family == "shape" and np.asarray(constant).dtype.kind != "f"
    return constant if is_place else as_like(constant, like)


ARRAYS = frozenset({np.ndarray, list})
"""Types of constants that are brought to a device."""


def _apply_in_mode(tape: Any, block: Block, operands: tuple[Any, ...]) -> Variable:
    """Return the value of a Block in forward or reverse mode: a vector, with what the mode keeps of the operation."""
    operands = tuple(modes.operand(block, entry) for entry in operands)
    data = [entry.data if isinstance(entry, Variable) else entry for entry in operands]
    modes.check_domain(block, operands, data)
    data = list(on_one_device(*data)) if block.partials else data
    with np.errstate(all="ignore"):
        value = block.compute(*data)
    value = value if is_on_device(value) else np.asarray(value)
    if value.dtype.kind == "c":
        raise complex_value(block.name)
    if not is_finite(value) and all(map(is_finite, data)):
        warn(NonFiniteWarning(f"{non_finite(value)} arises in {block.name}, from finite operands."))
    if type(value) is np.ndarray:
        value = value.view()
        value.flags.writeable = False  # the array itself may be the user's
    kind = Constant if tape is modes.CONSTANTS else Variable
    made: Variable = new_variable(kind, tape, value, tape.record(block, operands, data, value))
    return made if modes.in_numpy() else as_vectors(made)


def item_of(self: Traced, key: Any) -> Variable:
    """``x[key]`` of a traced array; of a Variable in the scalar grain an entry, or an array of objects."""
    if type(key) is not int and type(key) is not slice:
        if is_computed(key):
            return gathered(self, key)
        key = plain_key(key)
    if self.tape.grain == "scalar":
        entries = scalars(self)[key]
        return as_object_array(entries) if isinstance(entries, np.ndarray) else entries
    result: Variable = apply_block(INDEX, (self, key))
    return result


def gathered(array: Any, key: Any) -> Any:
    """``array[key]`` with indices that are nodes; raises :class:`~adviz.BranchError` for conditions that are."""
    form, indices = computed_key(key)
    if "b" in {index.dtype.kind for index in indices if isinstance(index, Variable)}:
        raise sized_by_data("x[condition]")
    return apply_block(GATHER, (contents(array), form, *indices))


def computed_key(key: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the form of a key and its arrays of indices, some of which are nodes."""
    parts = tuple(array_of(part) if type(part) is list else part for part in (key if type(key) is tuple else (key,)))
    form, indices = split(contents(parts))
    for index in indices:
        if index.dtype.kind not in "biu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return form, indices


def as_vectors(value: Any) -> Any:
    """Return Variables of forward and reverse mode as the user sees them: a number is a vector of length 1."""
    if isinstance(value, Variable) and value.tape.level < 1 and not value.ndim:
        return RESHAPE(value, (1,))
    if isinstance(value, list | tuple):
        parts = map(as_vectors, value)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _is_of_entries(tape: Tape, operands: tuple[Any, ...]) -> bool:
    """Return whether an elementwise Block has to be applied entry by entry."""
    for operand in operands:
        if issubclass(type(operand), np.ndarray) and (tape.grain == "scalar" or is_of_objects(operand)):
            return True
        if tape.grain == "scalar" and isinstance(operand, Variable) and operand.tape is not tape and operand.ndim:
            return True
    return False


def _is_whole(number: Any, operands: tuple[Any, ...]) -> bool:
    """Return whether a constant is a whole number beside traced integers or booleans only, which stay what they are."""
    kinds = {operand.dtype.kind for operand in operands if isinstance(operand, Variable)}
    return type(number) is int and kinds <= set("biu")


def _elementwise_value(block: Block, operands: tuple[Any, ...], data: list[Any], keeps_types: bool) -> Any:
    """Quick on floats; where Python raises or leaves the reals, NumPy's answer."""
    if isinstance(data[0], float) and all(isinstance(entry, float) for entry in data):
        try:
            value = block.scalar_fn(*map(float, data))
        except (ArithmeticError, ValueError):
            return block.compute(*data)
        if type(value) is float:
            return value
    # a comparison of numbers that is a node is 1 or 0 where it is computed with: NumPy adds up booleans to a boolean
    numbers = data if keeps_types else [float(entry) if type(entry) is np.bool_ else entry for entry in data]
    return block.compute(*_strong(operands, numbers))


def _strong(operands: tuple[Any, ...], data: list[Any]) -> list[Any]:
    """Beside single precision a traced number counts in full: to NumPy, Python's floats are of any precision."""
    if float not in map(type, data) or all(getattr(entry, "dtype", np.float64) == np.float64 for entry in data):
        return data
    return [
        np.float64(entry) if isinstance(operand, Variable) and type(entry) is float else entry
        for operand, entry in zip(operands, data, strict=True)
    ]


def _plain(value: Any) -> Any:
    """Return a float for a number in double precision, whatever NumPy calls it."""
    if type(value) is np.float64 or (type(value) is np.ndarray and not value.ndim and value.dtype == np.float64):
        return float(value)
    return value


def tape_of(operands: Any) -> Any:
    """Return the tape of the innermost trace, or of the mode, that has a Variable among the operands."""
    tape = None
    for operand in operands:
        if isinstance(operand, Variable):
            other = operand.tape
            if tape is None or other.level > tape.level:
                tape = other
            elif other is not tape and other.level == tape.level:
                raise tape.mixed(other)
    return tape


def call_block(self: Block, *operands: Any, **settings: Any) -> Any:
    """Return the value; a Variable if one of the operands is one."""
    if self.number >= 0:
        if settings:
            raise TypeError(f"the Block {self.name} takes no keyword arguments")
        return apply_block(self, operands)
    for keyword, setting in settings.items():
        if isinstance(setting, Variable):
            raise BlockError(
                f"The keyword argument {keyword} of the Block {self.name} is a Variable. Keyword arguments are "
                "settings, which are not differentiated; pass operands by position.",
                user_origin(),
            )
    if any(map(has_complex, operands)):
        raise MissingBlockError(f"The Block {self.name} got complex numbers, and Blocks are real.", user_origin())
    gathered = tuple(map(_gathered, operands))
    result = apply_block(self, (*gathered, Settings(settings)) if settings else gathered)
    return result if all(map(operator.is_, gathered, operands)) else as_object_array(scalars(result))


def _gathered(operand: Any) -> Any:
    """Traced numbers in an object array as one traced array: Blocks of one's own know nothing of Variables."""
    if is_of_objects(operand):
        return RESHAPE(STACK(0, *operand.ravel()), operand.shape)
    return operand


def on_whole(function: Callable[..., Any], *operands: Any, **settings: Any) -> Any:
    """Return a function of whole arrays in the scalar grain: nodes of its Blocks, and the entries of what it gives."""
    return _in_entries(function(*map(_gathered, operands), **settings))


def _in_entries(value: Any) -> Any:
    if isinstance(value, tuple):
        parts = map(_in_entries, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return as_object_array(scalars(value)) if isinstance(value, Variable) and value.ndim else value


def as_entries(value: Any) -> Any:
    """Return a sequence with numbers in place of arrays without axes, which NumPy would keep among objects."""
    if isinstance(value, list | tuple):
        return [*map(as_entries, value)]
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def array_of(value: Any) -> Any:
    """Variables in nested sequences, or in an array of objects, as one array: what ``np.array`` makes of numbers.

    In the array grain that is a Variable, in the scalar grain an array of objects.
    """
    tape = current_tape()
    if isinstance(value, Variable):
        return value
    if tape is None or tape.grain == "scalar":
        is_sequence = isinstance(value, list | tuple)
        return as_object_array(np.array(as_entries(contents(value)), object) if is_sequence else value)
    if isinstance(value, np.ndarray):
        return np.reshape(STACK(0, *value.ravel()), value.shape) if is_of_objects(value) else value
    entries, shape = value, [len(value)]
    while entries and all(isinstance(entry, list | tuple) for entry in entries) and len(set(map(len, entries))) == 1:
        shape.append(len(entries[0]))
        entries = [inner for entry in entries for inner in entry]
    parts = [array_of(entry) if isinstance(entry, list | tuple | np.ndarray) else entry for entry in entries]
    if not all(isinstance(part, Variable | np.ndarray | Number) for part in parts):
        return np.array(value, object)
    stacked = STACK(0, *parts)
    return stacked if len(shape) == 1 else np.reshape(stacked, (*shape, *np.shape(parts[0])))


@lru_cache(maxsize=256)
def by_entries(block: Block, count: int, identity: Any = None) -> Any:
    """Return a ufunc of ``count`` operands over plain object arrays that applies a Block to each entry."""

    def apply(*entries: Any) -> Any:
        return apply_block(block, tuple(entry if isinstance(entry, Variable) else real(entry) for entry in entries))

    return np.frompyfunc(apply, count, 1, identity=identity)


class ComplexEntriesError(MissingBlockError):
    """A complex number turned up where an array of objects is computed with entry by entry."""


def real(number: Any) -> float:
    """Return a plain number as a float; complex ones have to be computed with in another way."""
    if is_complex(number):
        raise ComplexEntriesError("An array of objects has complex numbers among real ones. Use np.array or np.stack.")
    return float(number)
