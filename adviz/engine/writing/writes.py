"""What is written into arrays: new versions of them, with NumPy's semantics of memory.

``array[key] = value`` on a traced array is the Block ``set``: a new version of the array, in which the entries at the
key are those of the value; the adjoint of the entries that were there is zero. All that writes comes down to it:
:func:`write` for item assignment, ``out=`` and operators in place, :func:`write_at` for ``np.add.at`` and its like,
``WRITERS`` for the functions of NumPy that write. ``memory.py`` says who else sees what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..apply import array_of, as_entries
from ..arrays.complex_pairs import as_program_made
from ..arrays.object_arrays import ObjectArray, as_object_array, as_plain_array
from ..arrays.program_arrays import Filled, ProgramArray, as_program_array, contents, fill, filled, position, raw
from ..blocks import Rule, is_traced
from ..devices import is_on_device
from ..functions.arguments import WRITERS, data_of
from ..jacobians.local import Diagonal, Jacobian, Selection, Window
from ..recording.memory import (
    Geometry,
    Memory,
    address,
    geometry,
    in_one_row,
    is_dense,
    key_of,
    memory_of,
    numbers_of,
    owner_of,
)
from ..recording.refusals import unwritable
from ..recording.tape import current_tape, user_origin
from ..rules.indexing import INDEX
from ..rules.reshaping import RESHAPE, TRANSPOSE
from ..trace_errors import ArrayWriteError
from ..variable import Traced, Variable, alike, has_traced, plain_key, scalars
from . import transposes

SIMPLE = (int, np.integer, slice, type(None), type(Ellipsis))


# ---- the Blocks ----


def _set(x: Any, value: Any, key: Any) -> Any:
    if is_traced(x) or is_traced(value):
        return SET(x, value, key)  # an outer trace's
    whole = np.array(x, order="K")
    whole[key] = value
    return whole


def _is_simple(key: Any) -> bool:
    """Whether a key is made of whole numbers and slices: no entry is there twice."""
    return all(isinstance(part, SIMPLE) for part in (key if isinstance(key, tuple) else (key,)))


def _set_jacobians(y: Any, x: Any, value: Any, key: Any) -> list[Jacobian | None]:
    """The value has the shape of what is at the key, and no entry is there twice, wherever it is differentiated."""
    shape, kept = np.shape(y), np.ones(np.shape(y))
    kept[key] = 0.0
    if _is_simple(key):
        placed: Jacobian | None = Window(key, shape, np.shape(value), placed=True)
    else:
        numbers = np.arange(kept.size).reshape(shape)[key]
        placed = Selection(numbers.reshape(np.shape(value)), shape).T if numbers.size == np.size(value) else None
    return [Diagonal(kept, shape, shape), placed, None]


SET = Rule("set", _set, _set_jacobians, "shape", "[ ]=", ("1, but 0 at [{c}]", "1 at [{c}], else 0"))


def _view(x: Any, positions: np.ndarray, where: Geometry) -> Any:
    return VIEW(x, positions, where) if is_traced(x) else where.of(x)


VIEW = Rule("view", _view, lambda y, x, positions, where: [Selection(positions, np.shape(x)), None, None], "shape")
"""A view that whole numbers and slices do not make, by the places of its entries."""


# ---- arrays that wait for what was written ----


class Outdated(Traced):
    """An array on memory that was written to since: as soon as it is used, a view of the latest version.

    Its slot ``data`` holds the memory, and where in it the array is.
    """

    __slots__ = ()


_DATA = vars(Variable)["data"]


def _outdate(array: Traced, memory: Memory, where: Geometry) -> None:
    array.data = (memory, where)
    array.__class__ = Outdated


def _renewed(array: Any) -> Any:
    """The array as a view of what is in its memory now."""
    memory, where = _DATA.__get__(array)
    found = viewed(memory, where)
    array.__class__ = type(found)
    array.tape, array.index, array.data = found.tape, found.index, found.data
    memory.fresh.append(array)
    return array


for _name, _found in {
    "data": lambda array: _renewed(array).data,
    "index": lambda array: _renewed(array).index,
    "tape": lambda array: _DATA.__get__(array)[0].latest.tape,
}.items():
    setattr(Outdated, _name, property(_found))


def viewed(memory: Memory, where: Geometry) -> Any:
    """A new Variable: the view that is at some place of the latest version."""
    latest, numbers = memory.latest, memory.numbers
    if type(numbers) is float:
        return alike(latest) if where.shape == () else RESHAPE(latest, where.shape)
    if where.is_like(geometry(numbers, numbers)):
        return alike(latest)
    key = key_of(where, numbers)
    if key is not None:
        return INDEX(latest, _shortened(key))
    if where.offset == 0 and np.size(numbers) == np.prod(where.shape, dtype=int):
        for block, setting in (
            (RESHAPE, where.shape),
            (TRANSPOSE, _permutation(where, numbers)),
        ):
            found = None if setting is None else block.compute(numbers, setting)
            if found is not None and address(found) == address(numbers) and where.is_like(geometry(found, numbers)):
                return block(latest, setting)
    return VIEW(latest, where.positions(numbers), where)


def _permutation(where: Geometry, numbers: np.ndarray) -> tuple[int, ...] | None:
    """The order of axes that makes a transposed array of another, if one does."""
    if len(where.shape) != numbers.ndim:
        return None
    axes = list(range(numbers.ndim))
    found = []
    for size, stride in zip(where.shape, where.strides, strict=True):
        match = next((k for k in axes if (numbers.shape[k], numbers.strides[k]) == (size, stride)), None)
        if match is None:
            return None
        axes.remove(match)
        found.append(match)
    return tuple(found)


def _shortened(key: tuple[Any, ...]) -> Any:
    """A key as one would write it."""
    while len(key) > 1 and key[-1] == slice(None):
        key = key[:-1]
    return key[0] if len(key) == 1 else key


def standing_in(self: Filled, where: Geometry) -> Any:
    """What a view of a filled array stands for."""
    if isinstance(self.contents, np.ndarray):
        return as_object_array(self.view(where))
    found = viewed(self.contents, where)
    if isinstance(numbers_of(found), np.ndarray):
        self.contents.fresh.append(found)
    return found


# ---- writing ----


def write(array: Any, key: Any, value: Any) -> None:
    """``array[key] = value``, where one of them is traced: all arrays on that memory see it.

    Raises :class:`~adviz.ArrayWriteError` where memory cannot be followed, and what NumPy raises for keys and shapes
    that do not fit.
    """
    key = plain_key(key)
    if type(value) is type(array) is ProgramArray and _is_part(value, array, key):
        return
    value = as_value(value)
    if isinstance(array, ObjectArray):
        as_plain_array(array)[key] = scalars(value)[()] if isinstance(value, Variable) else value
    elif type(array) is ProgramArray or isinstance(array, Traced):
        may_meet = not _is_simple(key) and isinstance(value, Traced) and np.ndim(value) and has_traced(array)
        if may_meet and _overlap(contents(array), value):
            _write_numbered(array, value, lambda sources, numbers: sources.__setitem__(key, numbers))
        elif type(array) is ProgramArray:
            _write_filled(array, key, value)
        else:
            _write_traced(array, key, value)
    elif has_traced(value):
        raise unwritable()
    else:
        array[key] = value


def _overlap(array: Traced, value: Traced) -> bool:
    """Whether NumPy may meet, while it writes a value into an array, what it has written before."""
    memory = memory_of(array)
    return array.index == value.index or (memory is not None and memory_of(value) is memory)


def _is_part(value: ProgramArray, array: ProgramArray, key: Any) -> bool:
    """Whether a plain array is the very view that it is written to."""
    part = raw(array)[key] if _is_simple(key) and owner_of(value) is owner_of(array) else None
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
        raise TypeError("a number does not support item assignment")
    if array.index in array.tape.viewed:
        raise ArrayWriteError(
            "An array was written to after code that is not traced had taken its entries with np.asarray, and would "
            "not see it. Take a copy there: np.array.",
            user_origin(),
        )
    if any(size > 1 and not stride for size, stride in zip(numbers.shape, numbers.strides, strict=True)):
        raise ArrayWriteError("What np.broadcast_to gives is read-only, as in NumPy. Take a copy of it.", user_origin())
    memory = memory_of(array)
    if memory is None:
        _become(array, _version(alike(array), numbers, key, value))
        return
    found = _written(memory, memory.where(array), key, value)
    if found is not None:
        _renew(memory, found)


def _become(array: Traced, other: Any) -> None:
    array.tape, array.index, array.data = other.tape, other.index, other.data


def _renew(memory: Memory, version: Any) -> None:
    """Make a version the latest one: whoever is on the memory sees it when it is next used."""
    if isinstance(memory.latest, Variable):
        memory.latest.tape.memories.pop(id(owner_of(memory.numbers)), None)
    for array in memory.fresh if np.ndim(memory.numbers) else ():
        if type(array) is not Outdated:
            _outdate(array, memory, memory.where(array))
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
        target = numbers[key] if _is_simple(key) else None
        if target is not None and _is_there(value, memory, target):
            return None
        return _version(memory.latest, numbers, key, value)
    view = where.of(numbers)
    target = view[key]
    if not np.size(target):
        _fitted(np.empty(np.shape(value)), np.shape(target))  # raises, or nothing is written
        return None
    if _is_simple(key) and isinstance(target, np.ndarray):
        if _is_there(value, memory, target):
            return None
        short = key_of(geometry(target, numbers), numbers)
        if short is not None:
            return _version(memory.latest, numbers, _shortened(short), value)
    places = np.unravel_index(where.positions(numbers)[key], numbers.shape)
    whole = tuple(int(place) for place in places) if np.ndim(target) == 0 else places
    return _version(memory.latest, numbers, whole[0] if len(whole) == 1 else whole, value)


def _is_there(value: Any, memory: Memory, target: np.ndarray) -> bool:
    """Whether a value is the very view that it is written to, as after ``x[1:] += y``."""
    if not isinstance(value, Traced):
        return False
    if type(value) is Outdated:
        held, where = _DATA.__get__(value)
        return held is memory and where.is_like(geometry(target, memory.numbers))
    return memory_of(value) is memory and memory.where(value).is_like(geometry(target, memory.numbers))


def _version(base: Any, numbers: np.ndarray, key: Any, value: Any) -> Any:
    """The Block ``set``, with a value that has the shape of what is at the key, and no entry there twice."""
    if not isinstance(value, Variable):
        return _set_on(base, value, key)
    if _is_simple(key):
        target = np.shape(numbers[key])
    else:
        places = np.arange(numbers.size).reshape(numbers.shape)[key]
        target = places.shape
        if places.size and np.bincount(places.ravel()).max() > 1:  # the last one counts
            latest = np.full(numbers.size, -1)
            latest[places.ravel()] = np.arange(places.size)
            kept = np.flatnonzero(latest >= 0)
            value = INDEX(np.ravel(_fitted(value, target)), latest[kept])
            key, target = np.unravel_index(kept, numbers.shape), kept.shape
    return _set_on(base, _fitted(value, target), key)


def _set_on(base: Any, value: Any, key: Any) -> Any:
    version = SET(base, value, key)
    if isinstance(version, Traced):
        is_next = isinstance(base, Traced) and base.tape is version.tape
        version.tape.written(base.index if is_next else -1, version.index, key)
    return version


def _fitted(value: Any, target: tuple[int, ...]) -> Any:
    """A value repeated to a shape, as NumPy does where it is assigned: axes of length 1 in front are left out."""
    shape = np.shape(value)
    if shape == target:
        return value
    extra = len(shape) - len(target)
    if extra > 0 and set(shape[:extra]) == {1}:
        return _fitted(np.reshape(value, shape[extra:]), target)
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
            known = Filled(owner, as_plain_array(numbers.astype(object)))
        else:
            known = Filled(owner, Memory(numbers))
    if isinstance(known.contents, Memory):
        found = _written(known.contents, where, key, value)
        if found is None:
            return
        _renew(known.contents, found)
    else:
        write(as_object_array(known.view(where)), key, value)
    fill(known)


def as_value(value: Any) -> Any:
    """What is to be written: a Variable, an array of objects, or plain numbers."""
    value = contents(value)
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        return array_of(value) if has_traced(value) else value
    return value


# ---- NumPy's functions that write ----


def write_at(ufunc: np.ufunc, array: Any, key: Any, *operands: Any) -> None:
    """``ufunc.at(array, key, ...)``: entries that are there several times are changed several times."""
    key, operands = plain_key(key), tuple(map(as_value, operands))
    shape = np.shape(array)
    places = np.arange(np.size(array)).reshape(shape)[key]
    values = [np.broadcast_to(operand, places.shape) for operand in operands]
    if ufunc in (np.add, np.subtract) and isinstance(contents(array), Variable | np.ndarray):
        total = transposes.added_at(values[0], places, shape)
        write(array, Ellipsis, ufunc(contents(array), total))
        return
    order = np.argsort(places, axis=None, kind="stable")
    ordered = places.ravel()[order]
    firsts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if ordered.size else ordered
    rounds = np.arange(ordered.size) - np.repeat(firsts, np.diff(np.r_[firsts, ordered.size]))
    flat = [np.ravel(value) for value in values]
    for turn in range(rounds.max(initial=-1) + 1):
        now = order[rounds == turn]
        target = np.unravel_index(places.ravel()[now], shape)
        write(array, target, ufunc(contents(array)[target], *(value[now] for value in flat)))


MASKS = {np.copyto: "where", np.putmask: "mask"}
"""Those that write where a condition holds."""


def written_by(function: Any, args: Sequence[Any], settings: dict[str, Any]) -> None:
    """Do what a function of ``WRITERS`` does: asked with numbers of entries which of them goes where."""
    names, written = WRITERS[function]
    given = dict(zip(names, args, strict=False)) | settings
    target, value = given.pop(names[0]), as_value(given.pop(written))
    value = value if isinstance(value, Variable | np.ndarray) else np.asarray(value)
    mask: Any = given.get(MASKS.get(function, ""))
    if has_traced(mask):  # a program for all points chooses entry by entry
        shape = np.shape(target)
        repeated = np.resize(value, shape) if function is np.putmask else _fitted(value, shape)
        write(target, Ellipsis, np.where(mask, repeated, contents(target)))
        return
    rest = {name: data_of(contents(each)) for name, each in given.items()}
    _write_numbered(target, value, lambda sources, numbers: function(sources, **rest, **{written: numbers}))


def _write_numbered(target: Any, value: Any, assign: Callable[[np.ndarray, np.ndarray], Any]) -> None:
    """Write as ``assign(target, value)`` does, which is asked with numbers of entries which of them goes where."""
    sources, numbers = _numbered(contents(target), value)
    old = np.copy(sources)
    assign(sources, numbers)
    places = np.nonzero(np.atleast_1d(sources != old))
    if np.size(places[0]):
        entries = value if np.ndim(value) == 0 else _taken(np.atleast_1d(sources)[places], value, contents(target))
        write(target, places if np.ndim(sources) else Ellipsis, entries)


def _numbered(target: Any, value: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers in place of the entries of two arrays, on one memory if these are: negative ones are the target's."""
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
    """The entries that numbers stand for: of the value, or of the memory that it shares with the target."""
    if numbers.min() >= 0:
        return np.ravel(value)[numbers.astype(int)]
    memory = memory_of(target)
    if memory is None:
        return np.ravel(target)[(-1 - numbers).astype(int)]
    axes = sorted(range(memory.numbers.ndim), key=lambda axis: -memory.numbers.strides[axis])
    return np.ravel(np.transpose(alike(memory.latest), axes))[(-1 - numbers).astype(int)]


def write_into(targets: Sequence[Any], found: Any, casting: Any = "same_kind") -> Any:
    """Write what was found where it was wanted: ``out=``."""
    for target, each in zip(targets, found if isinstance(found, tuple) else (found,), strict=True):
        if target is not None:
            source, wanted = (np.dtype(getattr(part, "dtype", float)) for part in (each, target))
            if not source.hasobject and not wanted.hasobject and not np.can_cast(source, wanted, casting):
                raise TypeError(f"out is an array of {wanted}, which cannot hold {source}")
            fits = np.size(each) == np.size(target)  # np.cumsum of a matrix goes into a matrix
            write(target, Ellipsis, np.reshape(each, np.shape(target)) if fits else each)
    return targets[0] if len(targets) == 1 else tuple(targets)


def entries_like(function: Callable[..., Any]) -> Callable[..., Any]:
    """``np.zeros_like`` and its like: plain arrays of floats, also where they are like traced ones."""

    def make(prototype: Any, *args: Any, **settings: Any) -> Any:
        made = function(_prototype(prototype), *args, **settings)
        is_complex = isinstance(made, np.ndarray) and made.dtype.kind == "c"
        return as_program_made(made.view(np.ndarray)) if is_complex else as_program_array(made)

    return make


def full_like(a: Any, fill_value: Any, *args: Any, **settings: Any) -> Any:
    """``np.full_like``, also of traced numbers."""
    like = _prototype(a)
    if is_on_device(like) or (is_traced(fill_value) and fill_value.tape.level < 1):  # which nothing is written into
        return np.broadcast_to(fill_value, np.shape(like)) if is_traced(fill_value) else np.full_like(like, fill_value)
    made = as_program_array(np.empty_like(like, *args, **settings))
    write(made, Ellipsis, fill_value)
    return made


def _prototype(value: Any) -> Any:
    """Plain numbers of the shape, the type and the layout of a traced array."""
    if _is_of_objects(value):
        return np.empty_like(as_plain_array(value), float)
    return data_of(value, decides=False)


def _is_of_objects(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


COMPOSED: dict[Any, Callable[..., Any]] = {
    **{function: entries_like(function) for function in (np.zeros_like, np.ones_like, np.empty_like)},
    np.full_like: full_like,
}


# ---- entries one after the other ----


class Flat:
    """``array.flat``: the entries row by row, to be read and to be written to."""

    def __init__(self, array: Any):
        self.base, self.index = array, 0

    def _ravelled(self) -> Any:
        return np.ravel(contents(self.base))

    def __len__(self) -> int:
        return int(np.size(self.base))

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.index >= len(self):
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int):
            return self.base[np.unravel_index(range(len(self))[key], np.shape(self.base))]
        found = self._ravelled()[plain_key(key)]
        return np.copy(found) if np.ndim(found) else found

    def __setitem__(self, key: Any, value: Any) -> None:
        places = np.arange(len(self))[plain_key(key)]
        value = as_value(value)
        if np.ndim(value):
            value = np.ravel(value)[np.arange(np.size(places)).reshape(np.shape(places)) % np.size(value)]
        write(self.base, np.unravel_index(places, np.shape(self.base)) if np.ndim(self.base) else Ellipsis, value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self._ravelled(), dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, settings: Any) -> Any:
        args = tuple(each._ravelled() if isinstance(each, Flat) else each for each in args)
        return function(*args, **settings)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        inputs = tuple(each._ravelled() if isinstance(each, Flat) else each for each in inputs)
        return getattr(ufunc, method)(*inputs, **settings)

    def copy(self) -> Any:
        """The entries as an array of one axis."""
        return np.copy(self._ravelled())


# ---- methods that write ----


def _sort(self: Any, axis: int = -1, *args: Any, **settings: Any) -> None:
    write(self, Ellipsis, np.sort(self, axis, *args, **settings))


def _partition(self: Any, *args: Any, **settings: Any) -> None:
    write(self, Ellipsis, np.partition(self, *args, **settings))


def read_entries(self: ObjectArray, key: Any) -> Any:
    """``array[key]`` in an array of objects: plain numbers are NumPy's, with all their methods."""
    found = np.ndarray.__getitem__(self, key)
    return np.float64(found) if type(found) is float else found


def write_entries(self: ObjectArray, key: Any, value: Any) -> None:
    """``array[key] = value`` in an array of objects; with a condition for a key that is traced, a choice per entry."""
    if type(value) is not Traced or isinstance(key, np.ndarray | tuple | list):
        value = contents(value)
        if isinstance(value, list | tuple) and has_traced(value):
            value = as_entries(value)
        if has_traced(key) and np.shape(key) == self.shape and np.ndim(value) == 0:
            key, value = Ellipsis, np.where(key, value, self)
        key = plain_key(key)
        if isinstance(value, Variable) and value.ndim:
            value = scalars(value)
    np.ndarray.__setitem__(self, key, value)


METHODS: dict[str, Callable[..., Any]] = {
    "__setitem__": write,
    "fill": lambda self, value: write(self, Ellipsis, value),
    "put": lambda self, *args, **settings: written_by(np.put, (self, *args), settings),
    "sort": _sort,
    "partition": _partition,
}
