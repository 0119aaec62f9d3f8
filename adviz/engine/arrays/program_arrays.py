"""Arrays that a traced program makes: NumPy's own, until a traced value is written into them.

``out = np.zeros(n)`` gives a traced program a :class:`ProgramArray`: an array of floats in memory of its own, that
whatever code may read and write. When a traced value is written into it, a :class:`Filled` takes the place of its
contents: from then on the array and all views of it, also those that were taken before, stand for traced values, and
what is done with them is traced.

Code that reads the memory itself would now lose derivatives without a word. Until the trace ends, the memory therefore
holds NaN of a kind of its own (``LOST``), which :func:`check_not_lost` knows again. When the trace ends, in an error
too, the memory gets the numbers that NumPy would have written there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...graph.origins import Origin
from ..recording.memory import Geometry, Memory, address, geometry, numbers_of, owner_of
from ..recording.tape import Tape, outermost_tape, user_origin
from ..trace_errors import ArrayWriteError, ConversionError
from .settled import SETTLED

LOST = struct.unpack("<d", bytes.fromhex("ad01ad01ad01fc7f"))[0]
"""NaN with a payload of its own: in place of numbers that stand for traced values."""

LOST_BITS = np.float64(LOST).view(np.uint64)

LARGEST = 1 << 20
"""Entries of an array that is looked through at the end of a trace, at most."""


class ProgramArray(np.ndarray):
    """An array that a traced program made, or was given; ``tracing/installation.py`` gives it its methods."""

    def __reduce__(self) -> Any:
        if filled(self) is not None:
            raise lost()
        return raw(self).__reduce__()


def raw(array: np.ndarray) -> np.ndarray:
    """Return the memory of an array as NumPy's own class, whatever is in it."""
    return np.ndarray.view(array, np.ndarray)


class Filled:
    """What is in the memory of a plain array in place of numbers.

    In the array grain ``contents`` is a :class:`~.memory.Memory`, whose latest version is a Variable; in the scalar
    grain it is an array of objects, one per number, laid out in the same order.
    """

    __slots__ = ("contents", "owner")

    def __init__(self, owner: np.ndarray, contents: Memory | np.ndarray):
        self.owner, self.contents = raw(owner), contents

    def at(self, where: Geometry) -> Any:
        """Return what a view stands for: a Variable, or an array of objects. ``writing/views.py`` says which."""
        raise NotImplementedError

    def numbers(self) -> np.ndarray:
        """Return the plain numbers that NumPy would have written there."""
        if isinstance(self.contents, Memory):
            return np.asarray(numbers_of(self.contents.latest))
        result = np.empty_like(self.owner)
        for place in np.ndindex(result.shape):
            result[place] = numbers_of(self.contents[place])
        return result

    def level(self) -> int:
        """Return the level of the innermost trace whose values are in it; 0 if there are none."""
        if isinstance(self.contents, Memory):
            return int(self.contents.latest.tape.level)
        return max((entry.tape.level for entry in self.contents.flat if hasattr(entry, "tape")), default=0)

    def view(self, where: Geometry) -> np.ndarray:
        """In the scalar grain: the objects of a view."""
        assert isinstance(self.contents, np.ndarray)
        scale = self.contents.itemsize / self.owner.itemsize
        first = self.contents.transpose(sorted(range(self.owner.ndim), key=lambda axis: -self.owner.strides[axis]))
        row = first.reshape(-1)[where.offset // self.owner.itemsize :]
        strides = [int(stride * scale) for stride in where.strides]
        return np.lib.stride_tricks.as_strided(row, where.shape, strides)


def computes_otherwise(value: Any) -> bool:
    """Return whether an array is of a class that computes in its own way: a matrix, or one with masked entries."""
    is_of_subclass = isinstance(value, np.ndarray) and type(value) is not np.ndarray
    return is_of_subclass and isinstance(value, np.matrix | np.ma.MaskedArray)


def contents(value: Any) -> Any:
    """A :class:`ProgramArray` as what is in it: traced values, or numbers on the same memory; in sequences, too."""
    kind = type(value)
    if kind is ProgramArray:
        known = filled(value)
        return raw(value) if known is None else known.at(position(value))
    if kind is np.ndarray or kind is np.float64 or kind is float:
        check_not_lost(value)
    if kind in SETTLED:
        return value.data
    if kind is list or kind is tuple:
        return kind(map(contents, value))
    if kind is dict:
        return {key: contents(entry) for key, entry in value.items()}
    return value


def as_program_array(value: Any) -> Any:
    """Return a plain array of numbers as a :class:`ProgramArray` on the same memory; everything else as it is."""
    if type(value) is np.ndarray and value.dtype.kind in "fiub":
        if value.base is not None and value.ndim > np.ndim(owner_of(value)) == 0:
            value = value.copy()  # a number that became an array
        return value.view(ProgramArray)
    return value


ANY_FILLED: set[int] = set()
"""Addresses of the memory in which traced values are now, in all threads."""


def filled(array: Any) -> Filled | None:
    """Return what was written into the memory of an array, if something traced was."""
    if not ANY_FILLED:
        return None
    tape = outermost_tape()
    if tape is None or not tape.filled:
        return None
    result: Filled | None = tape.filled.get(address(owner_of(array)))
    return result


def position(array: np.ndarray) -> Geometry:
    """Where an array is in the memory that it is a view of."""
    return geometry(array, owner_of(array))


def lost() -> ConversionError:
    """Return the error for code that reads the memory of an array with traced values in it."""
    return ConversionError(
        "The numbers of an array were read by code that is not traced, and traced values had been written into it: "
        "their derivatives would be lost. Use functions of NumPy there, or pass a plain array.",
        user_origin(),
    )


def check_not_lost(value: Any) -> None:
    """Raise :class:`~adviz.ConversionError` for numbers that were read from the memory of filled arrays."""
    if not ANY_FILLED:
        return
    tape = outermost_tape()
    if tape is None or not tape.filled or not isinstance(value, float | np.ndarray):
        return
    numbers = raw(np.atleast_1d(value))
    if numbers.dtype == np.float64 and np.equal(numbers.view(np.uint64), LOST_BITS).any():
        raise lost()


def check_kept(arrays: Iterable[tuple[str, np.ndarray]], place: Origin | None) -> None:
    """Raise :class:`~adviz.ArrayWriteError` where NumPy has copied such numbers into an array that outlives the trace.

    ``kept[0] = written`` copies memory, and calls no method of ours. What was there before is lost: the entries become
    ordinary NaN.
    """
    for name, array in arrays:
        if array.size > LARGEST or array.dtype != np.float64 or not array.flags.writeable or filled(array) is not None:
            continue
        if not np.isnan(array).any():
            continue
        copied = np.ascontiguousarray(array).view(np.uint64) == LOST_BITS
        if copied.any():
            array[copied.reshape(array.shape)] = np.nan
            named = f"`{name}`, " if name.isidentifier() else ""
            raise ArrayWriteError(
                f"Traced values were copied into {named}an array that was not made in the traced function. Append the "
                "written array itself to a list, or copy it into an array that the function makes.",
                place,
            )


def fill(contents: Filled) -> None:
    """Let traced values take the place of the numbers in an array, if they have not yet."""
    tape = outermost_tape()
    assert tape is not None
    if address(contents.owner) not in tape.filled:
        tape.filled[address(contents.owner)] = contents
        ANY_FILLED.add(address(contents.owner))
        with writable(contents.owner):
            contents.owner.fill(LOST)


def settle(tape: Tape, outermost: Tape) -> None:
    """When a trace ends: what it wrote into arrays becomes plain, or what it is to the trace around it."""
    for key, each in list(outermost.filled.items()):
        if each.level() < tape.level:
            continue
        if isinstance(each.contents, Memory):
            outer = each.contents.latest.data
            if tape is not outermost and hasattr(outer, "tape"):
                each.contents = Memory(outer)
                outer.tape.memories[id(owner_of(numbers_of(outer)))] = each.contents
                continue
        elif tape is not outermost:
            for place in np.ndindex(each.contents.shape):
                entry = each.contents[place]
                each.contents[place] = entry.data if getattr(entry, "tape", None) is tape else entry
            if each.level():
                continue
        with writable(each.owner):
            each.owner[...] = each.numbers()
        del outermost.filled[key]
        ANY_FILLED.discard(key)


@contextmanager
def writable(owner: np.ndarray) -> Iterator[None]:
    """The memory of an array may have been locked since it was written to."""
    locked = not owner.flags.writeable
    if locked:
        owner.flags.writeable = True
    try:
        yield
    finally:
        if locked:
            owner.flags.writeable = False
