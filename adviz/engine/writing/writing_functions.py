"""NumPy's functions and methods that write, and those that make arrays to be written into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..apply import as_entries, computed_key
from ..arrays.complex_pairs import as_program_made
from ..arrays.object_arrays import ObjectArray, as_plain_array, is_of_objects
from ..arrays.program_arrays import ProgramArray, as_program_array, contents, raw
from ..blocks import is_traced
from ..devices import is_on_device
from ..functions import casts
from ..functions.arguments import WRITERS, Function, Overrides, Rules, data_of
from ..recording.tape import user_origin
from ..rules.gathering import PUT, SCATTER, SLOT, selected_shape
from ..trace_errors import ArrayWriteError
from ..variable import Traced, Variable, has_traced, is_computed, is_symbolic_array, plain_key, scalars
from . import views
from .writes import as_value, fitted, write, write_as

# ---- functions ----


def write_at(ufunc: np.ufunc, array: Any, key: Any, *operands: Any) -> None:
    """``ufunc.at(array, key, ...)``: an entry whose index is repeated is changed as often."""
    shape, operands = np.shape(array), tuple(map(as_value, operands))
    if type(array) is ProgramArray and array.dtype.kind in "biu":  # NumPy cuts the numbers off, one after the other
        ufunc.at(raw(array), plain_key(key), *map(data_of, operands))
        return
    if is_computed(key) and ufunc in (np.add, np.subtract):
        form, indices = computed_key(key)
        part = np.broadcast_to(operands[0], selected_shape(shape, form, indices))
        write(array, Ellipsis, ufunc(contents(array), SCATTER(part, shape, form, *indices)))
        return
    key = plain_key(key)
    places = np.arange(np.size(array)).reshape(shape)[key]
    values = [np.broadcast_to(operand, places.shape) for operand in operands]
    if ufunc in (np.add, np.subtract) and isinstance(contents(array), Variable | np.ndarray):
        total = views.added_at(values[0], places, shape)
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
"""Those functions that write where a condition holds, and the parameter that is the condition."""


CASTING = {np.copyto: "same_kind", np.place: "safe", np.putmask: "safe"}
"""Those functions that do not convert all numbers, as an assignment does, and their rule."""


def written_by(function: Any, args: Sequence[Any], settings: dict[str, Any]) -> None:
    """Call a function of ``WRITERS`` on traced arrays."""
    names, written = WRITERS[function]
    given = dict(zip(names, args, strict=False)) | settings
    target, value = given.pop(names[0]), as_value(given.pop(written))
    value = value if isinstance(value, Variable | np.ndarray) else np.asarray(value)
    if function in CASTING:
        check_casting(value, target, given.get("casting", CASTING[function]))
    mask: Any = given.get(MASKS.get(function, ""))
    if has_traced(mask):  # a program for all points chooses entry by entry
        shape = np.shape(target)
        is_repeated = function is np.putmask and np.shape(value) != shape
        repeated = np.resize(value, shape) if is_repeated else fitted(value, shape)
        write(target, Ellipsis, np.where(mask, repeated, contents(target)))
        return
    if function in AT_INDICES and any(map(is_symbolic_array, given.values())):
        AT_INDICES[function](target, value, **contents(given))
        return
    rest = {name: data_of(contents(each)) for name, each in given.items()}
    write_as(lambda sources, numbers: function(sources, **rest, **{written: numbers}), target, value)


def _put_along_axis(target: Any, value: Any, indices: Any, axis: int | None = -1) -> None:
    if axis is None:
        _put(target, value, indices)
        return
    grid = [*np.indices(np.shape(indices), sparse=True)]
    grid[axis] = indices
    write(target, tuple(grid), value)


def _put(target: Any, value: Any, ind: Any, mode: str = "raise") -> None:
    flat, size = np.ravel(contents(target)), np.size(target)
    ind = {"clip": np.clip(ind, 0, size - 1), "wrap": np.remainder(ind, size)}[mode] if mode != "raise" else ind
    count = np.arange(np.size(ind)).reshape(np.shape(ind)) % np.size(value)
    found = PUT(flat, np.take(np.ravel(value), count), (SLOT,), ind)
    write(target, Ellipsis, np.reshape(found, np.shape(target)))


AT_INDICES: dict[Any, Function] = {np.put: _put, np.put_along_axis: _put_along_axis}
"""Those that write at indices, for indices that are nodes."""


def check_casting(source: Any, target: Any, casting: Any = "same_kind") -> None:
    """Raise an error, a :class:`TypeError` as NumPy's is, for numbers that an array of another type does not take."""
    found, wanted = (casts.type_of(part) if hasattr(part, "dtype") else np.dtype(float) for part in (source, target))
    if not np.can_cast(found, wanted, casting):
        advice = "Make it an array of floats, as np.zeros(n) does; x.astype(int) cuts numbers off, and derivatives."
        raise ArrayWriteError(f"{found} was to be written into an array of {wanted}. {advice}", user_origin())


def write_into(targets: Sequence[Any], value: Any, casting: Any = "same_kind") -> Any:
    """Write results into the arrays that were given as ``out=``."""
    for target, each in zip(targets, value if isinstance(value, tuple) else (value,), strict=True):
        if target is not None:
            check_casting(each, target, casting)
            fits = np.size(each) == np.size(target)  # np.cumsum of a matrix goes into a matrix
            write(target, Ellipsis, np.reshape(each, np.shape(target)) if fits else each)
    return targets[0] if len(targets) == 1 else tuple(targets)


def entries_like(function: Function) -> Function:
    """``np.zeros_like`` and its like: plain arrays of floats, also of the shape of traced arrays."""

    def make(prototype: Any, *args: Any, **settings: Any) -> Any:
        made = function(_prototype(prototype), *args, **settings)
        is_complex = isinstance(made, np.ndarray) and made.dtype.kind == "c"
        return as_program_made(made.view(np.ndarray)) if is_complex else as_program_array(made)

    return make


def full_like(a: Any, fill_value: Any, *args: Any, **settings: Any) -> Any:
    """``np.full_like``, also of traced numbers."""
    like = _prototype(a)
    if is_on_device(like) or (is_traced(fill_value) and fill_value.tape.level < 1):  # nothing is written into these
        return np.broadcast_to(fill_value, np.shape(like)) if is_traced(fill_value) else np.full_like(like, fill_value)
    made = as_program_array(np.empty_like(like, *args, **settings))
    write(made, Ellipsis, fill_value)
    return made


def _prototype(value: Any) -> Any:
    """Return plain numbers of the shape, the type and the layout of a traced array."""
    if is_of_objects(value):
        return np.empty_like(as_plain_array(value), float)
    return data_of(value, decides=False)


COMPOSED: Rules = {
    **{function: entries_like(function) for function in (np.zeros_like, np.ones_like, np.empty_like)},
    np.full_like: full_like,
}


# ---- array.flat ----


class Flat:
    """``array.flat``: the entries row by row, to read and to write."""

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
        result = self._ravelled()[plain_key(key)]
        return np.copy(result) if np.ndim(result) else result

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
        """Return the entries as an array of one axis."""
        return np.copy(self._ravelled())


# ---- methods ----


def read_entries(self: ObjectArray, key: Any) -> Any:
    """``array[key]`` in an array of objects: plain numbers are returned as NumPy's, with all their methods."""
    result = np.ndarray.__getitem__(self, plain_key(key) if type(key) is ObjectArray else key)
    return np.float64(result) if type(result) is float else result


def write_entries(self: ObjectArray, key: Any, value: Any) -> None:
    """``array[key] = value`` in an array of objects; if the key is a traced condition, a choice per entry."""
    if type(value) is not Traced or isinstance(key, np.ndarray | tuple | list | Variable):
        value = contents(value)
        if isinstance(value, list | tuple) and has_traced(value):
            value = as_entries(value)
        if has_traced(key) and np.shape(key) == self.shape and np.ndim(value) == 0:
            key, value = Ellipsis, np.where(key, value, self)
        key = plain_key(key)
        if isinstance(value, Variable) and value.ndim:
            value = scalars(value)
    np.ndarray.__setitem__(self, key, value)


METHODS: Overrides = {
    "__setitem__": write,
    "fill": lambda self, value: write(self, Ellipsis, value),
    "put": lambda self, *args, **settings: written_by(np.put, (self, *args), settings),
    "sort": lambda self, *args, **settings: write(self, Ellipsis, np.sort(self, *args, **settings)),
    "partition": lambda self, *args, **settings: write(self, Ellipsis, np.partition(self, *args, **settings)),
}
