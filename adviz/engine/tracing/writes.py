"""Writing into traced arrays: each write makes a new version, with NumPy's semantics of shared memory.

``array[key] = value`` on a traced array is the Block ``set`` (``rules/indexing.py``). All writing comes down to
:func:`write`: item assignment, operators in place, ``out=``, ``np.add.at`` and NumPy's other functions that write
(``function_calls.py``). Which other arrays see what was written: ``engine/arrays.py``. Each of them is then a view of
the latest version of the memory, made when it is next used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..apply import array_of, computed_key
from ..arrays import (
    Filled,
    Geometry,
    Handle,
    Memory,
    ProgramArray,
    address,
    contents,
    fill,
    filled,
    geometry,
    in_one_row,
    is_dense,
    key_of,
    memory_of,
    numbers_of,
    owner_of,
    position,
    raw,
)
from ..blocks import Rule, is_traced
from ..devices import is_on_device
from ..functions.arguments import Function, Patches, data_of, missing
from ..jacobians.local import Selection, add_at
from ..object_arrays import ObjectArray, as_object_array, as_plain_array, is_of_objects
from ..rules.gathering import ADD_AT, PLACE, PUT, SLOT, is_simple, viewed_rows
from ..rules.indexing import INDEX, SET
from ..rules.reshaping import RESHAPE, TRANSPOSE
from ..rules.textbook import UNMOVED, moved
from ..tape import current_tape, user_origin
from ..trace_errors import ArrayWriteError
from ..unsupported import READ_ONLY, sized_by_data, unwritable
from ..variable import Traced, Variable, alike, has_traced, is_computed, is_symbolic_array, plain_key, scalars

# ---- transposes of views ----

# The transposes of taking entries: a part placed among zeros, entries added up at indices.
#
# Reverse sweeps over values of an outer trace call these methods of Variables and object arrays, so that a gradient
# consists of Blocks, too.


def _place(self: Variable, key: Any, shape: tuple[int, ...]) -> Any:
    return _place_entries(self, key, shape) if self.tape.grain == "scalar" else PLACE(self, key, shape)


def _place_entries(self: Any, key: Any, shape: tuple[int, ...]) -> Any:
    whole = np.zeros(shape, object)
    whole[key] = self
    return as_object_array(whole)


def _add_at(self: Variable, index: np.ndarray, shape: tuple[int, ...]) -> Any:
    if self.tape.grain == "scalar":
        return as_object_array(scalars(self)).add_at(index, shape)
    return ADD_AT(self, index, shape)


def _add_entries_at(self: ObjectArray, index: np.ndarray, shape: tuple[int, ...]) -> Any:
    sums: dict[int, Any] = {}
    for target, entry in zip(np.ravel(index).tolist(), self.flat, strict=True):
        sums[target] = sums[target] + entry if target in sums else entry
    result = np.zeros(shape, object)
    for target, total in sums.items():
        result.flat[target] = total
    return as_object_array(result)


def added_at(part: Any, index: np.ndarray, shape: tuple[int, ...]) -> Any:
    """Return zeros with each entry of a part added at an index, for parts of any kind."""
    if is_of_objects(part):
        return _add_entries_at(as_object_array(part), index, shape)
    return add_at(part if isinstance(part, Variable) else np.asarray(part, float), index, shape)


OF_VARIABLES = {"place": _place, "add_at": _add_at}
OF_OBJECT_ARRAYS = {"place": _place_entries, "add_at": _add_entries_at}


# ---- views ----


def _view(x: Any, positions: np.ndarray, where: Geometry) -> Any:
    if is_traced(x):
        return VIEW(x, positions, where)
    is_there = is_dense(x) and np.array_equal(where.positions(x), positions)
    return where.of(x) if is_there else np.take(x, positions)  # of an array that is laid out in another way


VIEW = Rule(
    "view",
    _view,
    lambda y, x, positions, where: [Selection(positions, np.shape(x)), None, None],
    "shape",
    batched=viewed_rows,
    code="np.take({a}, {b})",
    standard="taken({a}, {b!array})",
    words=moved(
        "at its places",
        "The view shows entries of {a}: the adjoint goes back to their places, and is added up where one is"
        " seen twice.",
        UNMOVED,
    ),
)
"""A view that whole numbers and slices do not make, by the positions of its entries."""


class Outdated(Traced):
    """An array on memory that was written to since: at its next use it becomes a view of the latest version.

    Its slot ``data`` holds the memory and the geometry of the array in it.
    """

    __slots__ = ()

    data = property(lambda self: _renewed(self).data)
    index = property(lambda self: _renewed(self).index)
    tape = property(lambda self: held_memory(self)[0].latest.tape)


held_memory: Callable[[Any], tuple[Memory, Geometry]] = vars(Handle)["data"].__get__
"""The memory that an outdated array is on, and its geometry there."""


def outdate(array: Traced, memory: Memory, where: Geometry) -> None:
    array.data = (memory, where)
    array.__class__ = Outdated


def _renewed(array: Any) -> Any:
    """Return the array as a view of what is in its memory now."""
    memory, where = held_memory(array)
    result = viewed(memory, where)
    array.__class__ = type(result)
    array.tape, array.index, array.data = result.tape, result.index, result.data
    memory.fresh.append(array)
    return array


def viewed(memory: Memory, where: Geometry) -> Any:
    """Return a new Variable: the view with this geometry of the latest version of a memory."""
    latest, numbers = memory.latest, memory.numbers
    if type(numbers) is float:
        return alike(latest) if where.shape == () else RESHAPE(latest, where.shape)
    if where.is_like(geometry(numbers, numbers)):
        return alike(latest)
    key = key_of(where, numbers)
    if key is not None:
        return INDEX(latest, shortened(key))
    if where.offset == 0 and np.size(numbers) == np.prod(where.shape, dtype=int):
        for block, setting in ((RESHAPE, where.shape), (TRANSPOSE, _permutation(where, numbers))):
            result = None if setting is None else block.compute(numbers, setting)
            if result is not None and address(result) == address(numbers) and where.is_like(geometry(result, numbers)):
                return block(latest, setting)
    return VIEW(latest, where.positions(numbers), where)


def _permutation(where: Geometry, numbers: np.ndarray) -> tuple[int, ...] | None:
    """Return the order of axes that makes a transposed array of another, if one does."""
    if len(where.shape) != numbers.ndim:
        return None
    axes = list(range(numbers.ndim))
    result = []
    for size, stride in zip(where.shape, where.strides, strict=True):
        match = next((k for k in axes if (numbers.shape[k], numbers.strides[k]) == (size, stride)), None)
        if match is None:
            return None
        axes.remove(match)
        result.append(match)
    return tuple(result)


def shortened(key: tuple[Any, ...]) -> Any:
    """Return a key as one would write it."""
    while len(key) > 1 and key[-1] == slice(None):
        key = key[:-1]
    return key[0] if len(key) == 1 else key


class FilledMemory(Filled):
    """The traced values in the memory of a plain array that a program has written to."""

    __slots__ = ()

    def at(self, where: Geometry) -> Any:
        """Return the view of this geometry: a Variable, or an array of objects in the scalar grain."""
        if isinstance(self.contents, np.ndarray):
            return as_object_array(self.view(where))
        result = viewed(self.contents, where)
        if isinstance(numbers_of(result), np.ndarray):
            self.contents.fresh.append(result)
        return result


# ---- views by strides ----


def as_strided(
    original: Function,
    x: Any,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
    **settings: Any,
) -> Any:
    """``as_strided``; entries outside the memory of a traced array are refused, which NumPy would read."""
    x = contents(x)
    if not isinstance(x, Variable):
        return original(x, shape, strides, subok, writeable, **settings)
    numbers = np.asarray(numbers_of(x))
    memory = memory_of(x)
    whole = x if memory is None else memory.latest
    base = np.asarray(numbers_of(whole))
    where = Geometry(
        address(numbers) - address(base),
        numbers.shape if shape is None else tuple(shape),
        numbers.strides if strides is None else tuple(strides),
    )
    if not (is_dense(base) and is_inside(where, base)):
        raise missing(
            "as_strided of entries outside the array", "Take entries by an array of indices: x[i[:, None] + j]."
        )
    return VIEW(whole, where.positions(base), where)


def is_inside(where: Geometry, memory: np.ndarray) -> bool:
    """Return whether a view is of whole entries of a memory.

    >>> x = np.zeros(4)
    >>> is_inside(Geometry(0, (3, 2), (8, 8)), x), is_inside(Geometry(8, (3, 2), (8, 8)), x)
    (True, False)
    """
    steps = [stride * (size - 1) for size, stride in zip(where.shape, where.strides, strict=True) if size]
    first, last = where.offset + sum(min(step, 0) for step in steps), where.offset + sum(max(step, 0) for step in steps)
    whole = all(step % memory.itemsize == 0 for step in (where.offset, *where.strides))
    return whole and (0 in where.shape or (first >= 0 and last + memory.itemsize <= memory.nbytes))


SEARCHES: Patches = {"as_strided": as_strided}


# ---- writing ----


def write(array: Any, key: Any, value: Any) -> None:
    """``array[key] = value``, where one of them is traced: all arrays on that memory see it.

    Raises :class:`~adviz.ArrayWriteError` where memory cannot be followed, and what NumPy raises for keys and shapes
    that do not fit.
    """
    if is_computed(key):
        write_computed(array, key, as_value(value))
        return
    key = plain_key(key)
    if type(value) is type(array) is ProgramArray and _is_part(value, array, key):
        return
    value = as_value(value)
    if isinstance(array, ObjectArray):
        as_plain_array(array)[key] = scalars(value)[()] if isinstance(value, Variable) else value
    elif type(array) is ProgramArray or isinstance(array, Traced):
        may_meet = not is_simple(key) and isinstance(value, Traced) and np.ndim(value) and has_traced(array)
        if may_meet and _overlap(contents(array), value):
            write_as(lambda sources, numbers: sources.__setitem__(key, numbers), array, value)
        elif type(array) is ProgramArray:
            _write_filled(array, key, value)
        else:
            _write_traced(array, key, value)
    elif has_traced(value):
        raise unwritable()
    else:
        array[key] = value


def write_computed(array: Any, key: Any, value: Any) -> None:
    """``array[key] = value`` with conditions or indices that are nodes: all of the array is written."""
    form, indices = computed_key(key)
    if "b" not in {index.dtype.kind for index in indices}:
        write(array, Ellipsis, PUT(contents(array), value, form, *indices))
        return
    if len(indices) > 1:
        raise sized_by_data("x[condition, i]")
    (condition,) = indices
    place, axes = form.index(SLOT), np.ndim(condition)
    whole = (*form[:place], *[slice(None)] * axes, *form[place + 1 :])
    is_all = all(each == slice(None) for each in whole)
    part = contents(array) if is_all else contents(array)[whole]
    if Ellipsis in form[:place]:
        after = len([each for each in form[place + 1 :] if not isinstance(each, int)])
    else:
        after = np.ndim(part) - len([each for each in form[:place] if not isinstance(each, int)]) - axes
    mask = np.reshape(condition, np.shape(condition) + (1,) * after) if after else condition
    chosen = np.where(mask, _beside(value, axes, after), part)
    if np.shape(chosen) != np.shape(part):
        raise IndexError(f"a condition of shape {np.shape(condition)} is no index of an array of {np.shape(array)}")
    write(array, Ellipsis if is_all else whole, chosen)


def _beside(value: Any, axes: int, after: int) -> Any:
    """A value for the entries where a condition holds: its axis that counts these becomes the axes of the condition."""
    shape = np.shape(value)
    if len(shape) <= after:
        return value
    place = len(shape) - after - 1
    if shape[place] != 1:
        raise sized_by_data("x[condition]")
    return np.reshape(value, (*shape[:place], *[1] * axes, *shape[place + 1 :]))


def _overlap(array: Traced, value: Traced) -> bool:
    """Return whether NumPy, writing a value into an array, may read entries that it has already written."""
    memory = memory_of(array)
    return array.index == value.index or (memory is not None and memory_of(value) is memory)


def _is_part(value: ProgramArray, array: ProgramArray, key: Any) -> bool:
    """Return whether a plain array is the very view that it is written to."""
    part = raw(array)[key] if is_simple(key) and owner_of(value) is owner_of(array) else None
    return isinstance(part, np.ndarray) and geometry(value, part).is_like(geometry(part, part))


def _write_traced(array: Any, key: Any, value: Any) -> None:
    numbers = numbers_of(array)
    if type(numbers) is not np.ndarray:
        if is_on_device(numbers):
            raise ArrayWriteError(
                "An array of another library than NumPy cannot be written to while it is traced. Build it with "
                "np.concatenate, np.stack or np.where.",
                user_origin(),
            )
        if not np.size(np.empty(())[key]):  # an array without axes: np.asarray of a number
            return
        numbers, key, value = np.asarray(numbers), (), np.reshape(value, ())
    if array.index in array.tape.viewed:
        raise ArrayWriteError(
            "An array was written to after code that is not traced had taken its entries with np.asarray, and would "
            "not see it. Take a copy there: np.array.",
            user_origin(),
        )
    is_spread = any(size > 1 and not stride for size, stride in zip(numbers.shape, numbers.strides, strict=True))
    if (numbers.size and is_spread) or array.index in array.tape.locked:
        raise ArrayWriteError(READ_ONLY, user_origin())
    memory = memory_of(array)
    if memory is None:
        version = _version(alike(array), numbers, key, value)
        array.tape, array.index, array.data = version.tape, version.index, version.data
        return
    result = _written(memory, memory.where(array), key, value)
    if result is not None:
        _renew(memory, result)


def _renew(memory: Memory, version: Any) -> None:
    """Make a version the latest one: every array on the memory sees it when it is next used."""
    if isinstance(memory.latest, Variable):
        memory.latest.tape.memories.pop(id(owner_of(memory.numbers)), None)
    for array in memory.fresh if np.ndim(memory.numbers) else ():
        if type(array) is not Outdated:
            outdate(array, memory, memory.where(array))
    memory.fresh, memory.latest = [], alike(version)
    if isinstance(memory.numbers, np.ndarray):
        version.tape.memories[id(owner_of(memory.numbers))] = memory


def _written(memory: Memory, where: Geometry, key: Any, value: Any) -> Any:
    """The next version of a memory after something was written into a view of it; ``None`` if nothing changes."""
    numbers = memory.numbers
    if not np.ndim(numbers):
        if not np.size(np.empty(where.shape)[key]):
            return None
        return _version(memory.latest, np.asarray(numbers), (), np.reshape(value, ()))
    if not is_dense(numbers):
        raise ArrayWriteError(
            "An array was written to whose entries are not side by side in memory, and of which there are views. "
            "Write into a copy of it: np.array(a).",
            user_origin(),
        )
    if where.is_like(geometry(numbers, numbers)):
        target = numbers[key] if is_simple(key) else None
        if target is not None and _is_there(value, memory, target):
            return None
        return _version(memory.latest, numbers, key, value)
    view = where.of(numbers)
    target = view[key]
    if not np.size(target):
        fitted(np.empty(np.shape(value)), np.shape(target))  # raises, or nothing is written
        return None
    if is_simple(key) and isinstance(target, np.ndarray):
        if _is_there(value, memory, target):
            return None
        short = key_of(geometry(target, numbers), numbers)
        if short is not None:
            return _version(memory.latest, numbers, shortened(short), value)
    places = np.unravel_index(where.positions(numbers)[key], numbers.shape)
    whole = tuple(int(place) for place in places) if np.ndim(target) == 0 else places
    return _version(memory.latest, numbers, whole[0] if len(whole) == 1 else whole, value)


def _is_there(value: Any, memory: Memory, target: np.ndarray) -> bool:
    """Return whether a value is the very view that it is written to, as after ``x[1:] += y``."""
    if not isinstance(value, Traced):
        return False
    if type(value) is Outdated:
        held, where = held_memory(value)
        return held is memory and where.is_like(geometry(target, memory.numbers))
    return memory_of(value) is memory and memory.where(value).is_like(geometry(target, memory.numbers))


def _version(base: Any, numbers: np.ndarray, key: Any, value: Any) -> Any:
    """Return the Block ``set``, with a value of the shape of the selected part, and no entry selected twice."""
    if not isinstance(value, Variable):
        return _set_on(base, value, key)
    if not numbers.ndim and value.tape is current_tape() and value.dtype == numbers.dtype:
        return alike(value)  # all of an array without axes
    if is_simple(key):
        target = np.shape(numbers[key])
    else:
        places = np.arange(numbers.size).reshape(numbers.shape)[key]
        target = places.shape
        if places.size and np.bincount(places.ravel()).max() > 1:  # the last one counts
            latest = np.full(numbers.size, -1)
            latest[places.ravel()] = np.arange(places.size)
            remaining = np.flatnonzero(latest >= 0)
            value = INDEX(np.ravel(fitted(value, target)), latest[remaining])
            key, target = np.unravel_index(remaining, numbers.shape), remaining.shape
    return _set_on(base, fitted(value, target), key)


def _set_on(base: Any, value: Any, key: Any) -> Any:
    if key is Ellipsis and _becomes_all(base, value):
        version = alike(value)
        version.data = laid_out_like(numbers_of(base), value.data.copy())  # in memory of its own
        version.data.flags.writeable = False
        return version
    version = SET(base, value, key)
    if isinstance(version, Traced):
        is_next = isinstance(base, Traced) and base.tape is version.tape
        version.tape.written(base.index if is_next else -1, version.index, key)
    return version


def _becomes_all(base: Any, value: Any) -> bool:
    """Whether an array is replaced as a whole, by one that is a node of a trace that is to hold at every point."""
    is_array = isinstance(value, Traced) and type(value.data) is np.ndarray and is_symbolic_array(value)
    return is_array and (value.shape, value.dtype) == (base.shape, base.dtype)


def laid_out_like(old: Any, new: Any) -> Any:
    """Return an array with its entries in memory as another has them, so that what is a view of it stays one."""
    if type(new) is not np.ndarray or type(old) is not np.ndarray or new.strides == old.strides:
        return new
    laid_out = np.empty_like(old, new.dtype)
    laid_out[...] = new
    laid_out.flags.writeable = False
    return laid_out


def fitted(value: Any, target: tuple[int, ...]) -> Any:
    """A value repeated to a shape, as NumPy does where it is assigned: axes of length 1 in front are left out."""
    shape = np.shape(value)
    if shape == target:
        return value
    extra = len(shape) - len(target)
    if extra > 0 and set(shape[:extra]) == {1}:
        return fitted(np.reshape(value, shape[extra:]), target)
    try:
        return np.broadcast_to(value, target)
    except ValueError:
        message = f"could not broadcast input array from shape {shape} into shape {target}"
        raise ValueError(message) from None


# ---- plain arrays ----


def _write_filled(array: ProgramArray, key: Any, value: Any) -> None:
    owner, known, where = raw(owner_of(array)), filled(array), position(array)
    if known is None:
        if not has_traced(value) or owner.dtype.kind != "f":
            raw(array)[key] = data_of(value)
            return
        if not array.flags.writeable:
            raise ValueError("assignment destination is read-only")
        numbers = np.array(owner, order="K", subok=False)
        numbers.flags.writeable = False
        if getattr(current_tape(), "grain", "") == "scalar":
            known = FilledMemory(owner, as_plain_array(numbers.astype(object)))
        else:
            known = FilledMemory(owner, Memory(numbers))
    if isinstance(known.contents, Memory):
        result = _written(known.contents, where, key, value)
        if result is None:
            return
        _renew(known.contents, result)
    else:
        write(as_object_array(known.view(where)), key, value)
    fill(known)


def as_value(value: Any) -> Any:
    """Return the value to write: a Variable, an array of objects, or plain numbers."""
    value = contents(value)
    if isinstance(value, list | tuple) or (is_of_objects(value)):
        return array_of(value) if has_traced(value) else value
    return value


def write_as(assign: Callable[[np.ndarray, np.ndarray], Any], target: Any, value: Any) -> None:
    """Write as ``assign(target, value)`` does: called with indices for entries, it tells which entry is put where."""
    sources, numbers = _numbered(contents(target), value)
    old = np.copy(sources)
    assign(sources, numbers)
    places = np.nonzero(np.atleast_1d(sources != old))
    if np.size(places[0]):
        entries = value if np.ndim(value) == 0 else _taken(np.atleast_1d(sources)[places], value, contents(target))
        write(target, places if np.ndim(sources) else Ellipsis, entries)


def _numbered(target: Any, value: Any) -> tuple[np.ndarray, np.ndarray]:
    """Indices in place of the entries of two arrays, on one memory if these are; negative ones are the target's."""
    memory = memory_of(target) if isinstance(target, Traced) and isinstance(value, Traced) and target.ndim else None
    if memory is not None and memory_of(value) is memory and is_dense(memory.numbers):
        numbers = np.empty_like(memory.numbers)
        in_one_row(numbers)[...] = -1 - np.arange(numbers.size)
        return memory.where(target).of(numbers), memory.where(value).of(numbers)
    sources = np.empty_like(numbers_of(target), float)
    sources[...] = -1.0 - np.arange(np.size(target)).reshape(np.shape(target))
    if isinstance(target, Variable) and isinstance(value, Variable) and target.index == value.index:
        return sources, sources
    return sources, np.arange(float(np.size(value))).reshape(np.shape(value))


def _taken(numbers: np.ndarray, value: Any, target: Any) -> Any:
    """Return the entries that the indices stand for: of the value, or of the memory that it shares with the target."""
    if numbers.min() >= 0:
        return np.ravel(value)[numbers.astype(int)]
    memory = memory_of(target)
    if memory is None:
        return np.ravel(target)[(-1 - numbers).astype(int)]
    axes = sorted(range(memory.numbers.ndim), key=lambda axis: -memory.numbers.strides[axis])
    return np.ravel(np.transpose(alike(memory.latest), axes))[(-1 - numbers).astype(int)]
