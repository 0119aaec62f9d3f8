"""Traced values that outlive their trace, in the objects of a program, become the numbers and arrays that they were.

Nothing lists them while a trace runs, which would slow it down. They all refer to the tape, so that its reference count
tells how many there are; and the garbage collector finds them, mostly among the youngest objects.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from numbers import Number
from typing import Any

import numpy as np

from ..arrays.complex_pairs import Complex
from ..arrays.object_arrays import ObjectArray, as_plain_array
from ..arrays.program_arrays import ProgramArray, writable
from ..arrays.settled import SETTLED, SettledArray, SettledComplexArray, SettledComplexNumber, SettledNumber, unsettled
from ..devices import device_array, is_on_device
from ..recording.memory import Memory, geometry, is_dense, memory_of, owner_of
from ..recording.tape import Tape
from ..variable import DeviceTraced, Traced, Variable
from .views import Outdated, held_memory, viewed

TRACED = frozenset({Traced, DeviceTraced, Outdated})
KINDS = TRACED | {Complex, ObjectArray}
_set_class: Callable[[Any, type], None] = vars(object)["__class__"].__set__


def settle_survivors(tape: Tape, references: int, error: BaseException | None) -> None:
    """Make numbers and arrays of the traced values of a closed tape that something refers to.

    Those of an inner trace become what they are to the trace around it, where that goes on.
    """
    count = references - _in_frames(error, tape)
    if count <= 0:
        return
    found: list[Any] = []
    survivors: list[Any] = []
    for generation in range(3):
        found += [each for each in gc.get_objects(generation) if type(each) in KINDS]
        survivors = [each for each in found if type(each) in TRACED and getattr(each, "tape", None) is tape]
        if len(survivors) >= count:
            break
    survivors.sort(key=lambda each: type(each) is not Outdated)  # the others are the memory that these are views of
    values = list(map(_value, survivors))
    owners = Counter(id(owner_of(value)) for value in values if isinstance(value, np.ndarray))
    copies: dict[int, np.ndarray] = {}
    for survivor, value in zip(survivors, values, strict=True):
        _set_class(survivor, Traced)
        if isinstance(value, Variable):
            survivor.tape, survivor.index, survivor.data = value.tape, value.index, value.data
            _set_class(survivor, type(value))
            if (memory := memory_of(survivor)) is not None:
                memory.fresh.append(survivor)
            continue
        survivor.data = own = _copy(value, owners, copies)
        del survivor.tape, survivor.index
        _set_class(survivor, SettledArray if np.ndim(own) else SettledNumber)
    of_objects = [each for each in found if type(each) is ObjectArray]
    alone = Counter(id(owner_of(array)) for array in of_objects)
    settled = {*map(id, survivors)}
    settled |= {id(array) for array in of_objects if _settle_entries(array, alone[id(owner_of(array))] == 1)}
    for z in (each for each in found if type(each) is Complex):
        if (
            not settled.isdisjoint(map(id, (z.real, z.imag)))
            and device_array(*map(unsettled, (z.real, z.imag))) is None
        ):
            numbers = z.plain()
            if numbers is not z:
                z._real = numbers
                del z._imag
                _set_class(z, SettledComplexArray if numbers.ndim else SettledComplexNumber)


def _in_frames(error: BaseException | None, tape: Tape) -> int:
    """Return how many variables of the functions that an exception has left are the tape."""
    count, seen = 0, {id(sys._getframe(2))}  # that of the trace, whose own variable is not counted
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback = error.__traceback__
        while traceback is not None:
            frame, traceback = traceback.tb_frame, traceback.tb_next
            if id(frame) not in seen:
                seen.add(id(frame))
                count += sum(value is tape for value in frame.f_locals.values())
        error = error.__cause__ or error.__context__
    return count


def _value(survivor: Any) -> Any:
    """Return what a traced value is outside its trace: numbers, or a Variable of the trace around it."""
    if type(survivor) is not Outdated:
        return survivor.data
    memory, where = held_memory(survivor)
    if isinstance(memory.latest.data, Variable):
        return viewed(Memory(memory.latest.data), where)
    return where.of(memory.numbers) if np.ndim(memory.numbers) else np.full(where.shape, memory.numbers)


def _copy(value: Any, owners: Mapping[int, int], copies: dict[int, np.ndarray]) -> Any:
    """Return numbers that may be written to, which those of the graph may not; views of one memory stay that."""
    if not isinstance(value, np.ndarray):
        return value.copy() if is_on_device(value) else np.asarray(value)[()]
    owner = owner_of(value)
    if owners[id(owner)] > 1 and owner.dtype == value.dtype and is_dense(owner):
        if id(owner) not in copies:
            copies[id(owner)] = owner.copy("K")
        own = geometry(value, owner).of(copies[id(owner)])
    else:
        own = value.copy("K")
    own.flags.writeable = 0 not in value.strides  # as that of np.broadcast_to
    return own


def _settle_entries(array: ObjectArray, is_alone: bool) -> bool:
    """Put numbers in place of what is settled among objects, if any is; one alone on its memory gets floats there."""
    entries = as_plain_array(array)
    places = [place for place in np.ndindex(entries.shape) if type(entries[place]) in SETTLED]
    if not places:
        return False
    try:
        with writable(owner_of(entries)), writable(entries):
            for place in places:
                entries[place] = unsettled(entries[place])
    except ValueError:  # memory that NumPy lets nobody write to: what is settled is in it as objects
        return False
    if is_alone and array.base is not None and all(isinstance(entry, Number) for entry in entries.flat):
        dtypes = {getattr(entry, "dtype", None) for entry in entries.flat}
        numbers, is_fortran = entries.astype(dtypes.pop() if len(dtypes) == 1 else float), entries.flags.fnc
        vars(array)["objects"] = array.base  # plain views that code of NumPy's may have of this memory go on reading it
        state: Any = (1, numbers.shape, numbers.dtype, is_fortran, numbers.tobytes("F" if is_fortran else "C"))
        np.ndarray.__setstate__(array, state)
        if 0 in entries.strides:
            array.flags.writeable = False
        _set_class(array, ProgramArray)
    return True
