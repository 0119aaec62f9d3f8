"""What a NumPy function does where a Variable or an object array of Variables takes part.

It is looked up in the tables of ``functions/``. On object arrays, and in the scalar grain, it is carried out entry by
entry. A function that is in no table is tried that way too, by NumPy's own code; if that fails, a
:class:`MissingBlockError` names it. The functions and methods that write into arrays are here themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from numbers import Number
from typing import Any

import numpy as np

from .. import modes
from ..apply import array_of, as_entries, as_vectors, by_entries, computed_key, on_whole
from ..arrays import ProgramArray, as_program_array, contents, raw
from ..blocks import is_traced
from ..devices import as_like, is_on_device
from ..functions import arguments, linalg, registry
from ..functions.arguments import (
    WRITERS,
    Function,
    Patches,
    Rules,
    check_casting,
    data_of,
    is_of_entries,
    missing,
    name_of,
    parameters_of,
    parts,
    place_of_out,
    symbolic_or_data,
    target_of,
    typed,
)
from ..functions.registry import FUNCTIONS, ON_MEMORY, ON_SHAPES, PLAIN_FUNCTIONS, UNSUPPORTED
from ..functions.ties import note_decision
from ..object_arrays import (
    ObjectArray,
    as_numbers,
    as_object_array,
    as_plain_array,
    as_program_made,
    has_complex,
    has_only_numbers,
    is_of_objects,
)
from ..rules.gathering import PUT, SCATTER, SLOT, selected_shape
from ..rules.selection import CHOICE
from ..tape import current_tape
from ..trace_errors import ArrayWriteError, MissingBlockError
from ..unsupported import decided_by_data, sized_by_data
from ..variable import Traced, Variable, has_traced, is_computed, is_symbolic_array, plain_key, scalars
from . import complex_functions, writes
from .writes import as_value, fitted, write, write_as

# ---- functions ----


def write_at(ufunc: np.ufunc, array: Any, key: Any, *operands: Any) -> None:
    """``ufunc.at(array, key, ...)``: an entry whose index is repeated is changed as often."""
    shape, operands = np.shape(array), tuple(map(as_value, operands))
    if type(array) is ProgramArray and array.dtype.kind in "biu":  # NumPy cuts the numbers off, one after the other
        ufunc.at(raw(array), plain_key(key), *map(data_of, operands))
        return
    if isinstance(key, Variable) and key.dtype.kind == "b":  # a condition that is a node
        _change_where(ufunc, array, key, operands)
        return
    if is_computed(key) and ufunc in (np.add, np.subtract):
        form, indices = computed_key(key)
        if any(index.dtype.kind == "b" for index in indices):
            raise sized_by_data("x[condition]")
        part = np.broadcast_to(operands[0], selected_shape(shape, form, indices))
        write(array, Ellipsis, ufunc(contents(array), SCATTER(part, shape, form, *indices)))
        return
    key = plain_key(key)
    places = np.arange(np.size(array)).reshape(shape)[key]
    values = [np.broadcast_to(operand, places.shape) for operand in operands]
    if ufunc in (np.add, np.subtract) and isinstance(contents(array), Variable | np.ndarray):
        total = writes.added_at(values[0], places, shape)
        write(array, Ellipsis, ufunc(contents(array), total))
        return
    order = np.argsort(places, axis=None, kind="stable")
    ordered = places.ravel()[order]
    firsts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if ordered.size else ordered
    rounds = np.arange(ordered.size) - np.repeat(firsts, np.diff(np.r_[firsts, ordered.size]))
    flat = [np.ravel(value) for value in values]
    for number in range(rounds.max(initial=-1) + 1):
        now = order[rounds == number]
        target = np.unravel_index(places.ravel()[now], shape)
        write(array, target, ufunc(contents(array)[target], *(value[now] for value in flat)))


def _change_where(ufunc: np.ufunc, array: Any, condition: Any, operands: tuple[Any, ...]) -> None:
    """Change an array where a condition holds; a program for all points chooses entry by entry."""
    if any(map(np.ndim, operands)):
        raise sized_by_data("x[condition]")
    before = contents(array)
    mask = np.reshape(condition, np.shape(condition) + (1,) * (np.ndim(array) - np.ndim(condition)))
    write(array, Ellipsis, np.where(mask, ufunc(before, *operands), before))


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
    result = PUT(flat, np.take(np.ravel(value), count), (SLOT,), ind)
    write(target, Ellipsis, np.reshape(result, np.shape(target)))


AT_INDICES: dict[Any, Function] = {np.put: _put, np.put_along_axis: _put_along_axis}
"""Those that write at indices, for indices that are nodes."""


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


WRITING: Rules = {
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
    result = np.ndarray.__getitem__(self, plain_key(key) if type(key) in (ObjectArray, Traced) else key)
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
    _check_whole(self, value)
    np.ndarray.__setitem__(self, key, value)


METHODS: Patches = {
    "__setitem__": write,
    "fill": lambda self, value: write(self, Ellipsis, value),
    "put": lambda self, *args, **settings: written_by(np.put, (self, *args), settings),
    "sort": lambda self, *args, **settings: write(self, Ellipsis, np.sort(self, *args, **settings)),
    "partition": lambda self, *args, **settings: write(self, Ellipsis, np.partition(self, *args, **settings)),
}


# ---- all functions ----

COMPOSED = registry.COMPOSED | complex_functions.COMPOSED | WRITING
KNOWN = registry.FUNCTIONS.keys() | COMPOSED.keys()
OF_SEQUENCES = {
    *(np.stack, np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.meshgrid),
    *(np.broadcast_arrays, np.choose, np.select, np.linalg.multi_dot, np.ix_, np.lexsort, np.piecewise),
}
"""Functions of sequences of arrays."""


def by_rule(rule: Callable[..., Any], function: Any, args: Any, settings: Any) -> Any:
    """Return what a rule gives; settings of NumPy's that it does not have are refused by name."""
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


def as_one_evaluation(carry_out: Callable[..., Any]) -> Callable[..., Any]:
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


def is_symbolic() -> bool:
    """Return whether the trace that runs is to hold at every point."""
    tape = current_tape()
    return tape is not None and tape.symbolic


def result_of_entries(value: Any) -> Any:
    """What NumPy's loops over objects gave; Python's numbers, such as the sum of no objects, are NumPy's again."""
    if type(value) in (int, float):
        return np.float64(value)
    is_number = is_of_objects(value) and not value.ndim
    return value[()] if is_number else as_object_array(value)


WHERE = np.where  # while a function is traced, another stands under that name


@as_one_evaluation
def call_function(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return what a NumPy function gives where a Variable or an object array takes part."""
    if any(map(has_complex, (*args, *settings.values()))):
        return complex_functions.call_function(function, args, settings)
    if function is not np.block and any(type(arg) is list or type(arg) is tuple for arg in args):
        first = _in_sequence(args[0]) if function in OF_SEVERAL else _numbers_joined(args[0])
        args = (first, *map(_numbers_joined, args[1:]))
    target = target_of(function, args, settings)
    if target is None or (isinstance(target, ObjectArray) and not (is_symbolic() and function in MASKS)):
        args, settings = contents(args), contents(settings)
        if function in WRITERS:
            args = tuple(array_of(arg) if has_traced(arg) else arg for arg in args)
    else:
        return _function_into(function, target, args, settings)
    if target is None or not (function in COMPOSED or function in PLAIN_FUNCTIONS):
        return _found_by(function, args, settings)
    return put_into(_found_by(function, *_without_out(function, args, settings)), target)


OF_SEVERAL = {np.column_stack, np.concatenate, np.dstack, np.hstack, np.stack, np.vstack, np.linalg.multi_dot}
"""Functions of a sequence of arrays, which is no array itself."""


def _in_sequence(value: Any) -> Any:
    return type(value)(map(_numbers_joined, value)) if type(value) is list or type(value) is tuple else value


def _numbers_joined(value: Any) -> Any:
    """A list of numbers, or of lists of as many, some of them traced, as one array; also where it is in a sequence."""
    if type(value) is not list and type(value) is not tuple:
        return value
    if _shape_of_numbers(value) is not None:
        return array_of(value) if has_traced(value) else value
    return type(value)(map(_numbers_joined, value))


def _shape_of_numbers(value: Any) -> tuple[int, ...] | None:
    """Return the shape of the array that nested lists of numbers make; ``None`` if they make none."""
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
    """Return a function of NumPy's that writes into an array: into ``out``, or what it is there to change."""
    if function in WRITERS:
        return written_by(function, args, settings)
    if function is np.nan_to_num:
        names = dict(zip(("x", "copy", "nan", "posinf", "neginf"), args, strict=False)) | settings
        result = np.nan_to_num(**contents({**names, "copy": True}))
        return write_into([target], result)
    args, settings = _without_out(function, args, settings)
    settings.pop("out", None)
    result = function(*contents(args), **contents(settings))
    if np.shape(result) != np.shape(target):
        if np.size(result) != np.size(target):
            raise ValueError(f"out has the shape {np.shape(target)}, the result has {np.shape(result)}")
        result = np.reshape(result, np.shape(target))  # as with np.cumsum of a matrix
    return write_into([target], result)


def _check_whole(target: ObjectArray, value: Any) -> None:
    """Raise for numbers that are to be cut off, as where they are written into an array of whole ones."""
    tape = current_tape()
    if tape is None or not any(np.may_share_memory(raw(target), raw(whole)) for whole in tape.whole):
        return
    if has_traced(value) or np.asarray(value).dtype.kind not in "biu":
        raise decided_by_data()


def put_into(result: Any, target: ObjectArray) -> ObjectArray:
    """Return a result, written where it was wanted."""
    _check_whole(target, result)
    if np.shape(result) != target.shape:
        raise ValueError(f"out has the shape {target.shape}, the result has {np.shape(result)}")
    as_plain_array(target)[...] = scalars(result)
    return target


def _found_by(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return what a NumPy function gives that writes nowhere."""
    names = parameters_of(function)
    is_typed = "dtype" in settings or "casting" in settings or ("dtype" in names and len(args) > names.index("dtype"))
    if is_typed and function in KNOWN - arguments.OWN:
        return typed(_untyped, function, args, settings)
    return _untyped(function, args, settings)


def _untyped(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return the same with its numbers as they are, by a rule or by NumPy's own code."""
    tape = current_tape()
    if tape is not None and tape.grain == "array" and function not in OF_SEQUENCES:
        args = tuple(_whole(arg) if issubclass(type(arg), list | tuple) else arg for arg in args)
    note_decision(function, args, settings)
    if function in COMPOSED:
        return by_rule(COMPOSED[function], function, args, settings)
    if function in UNSUPPORTED:
        raise missing(name_of(function), UNSUPPORTED[function])
    if function is WHERE and len(args) == 3 and tape is not None and tape.symbolic and tape.grain == "scalar":
        return as_object_array(by_entries(CHOICE, 3)(*map(_entries, args)))
    if function in registry.NODES and any(map(is_symbolic_array, parts([args, settings]))):
        settings = {key: symbolic_or_data(value) for key, value in settings.items()}
        return by_rule(registry.NODES[function], function, tuple(map(symbolic_or_data, args)), settings)
    if function in PLAIN_FUNCTIONS:
        if function in ON_MEMORY:
            return function(*(raw(arg) if is_of_objects(arg) else data_of(arg, False) for arg in args), **settings)
        decides = function not in ON_SHAPES
        args = tuple(_plain(arg, decides) for arg in args)
        # what is traced still is compared entry by entry, and each comparison is decided
        args = tuple(as_plain_array(scalars(arg)) if isinstance(arg, Variable) else arg for arg in args)
        args = tuple(as_like(arg, *args) for arg in args)
        result = function(*args, **{key: data_of(value, decides) for key, value in settings.items()})
        return tuple(map(as_program_array, result)) if isinstance(result, tuple) else as_program_array(result)
    if tape is not None and tape.grain == "array" and function in FUNCTIONS:
        args = tuple(map(_whole, args))
    if function in FUNCTIONS and not is_of_entries(*parts([args, settings])):
        return by_rule(FUNCTIONS[function], function, args, settings)
    return function_by_entries(function, args, settings)


def _plain(value: Any, decides: bool) -> Any:
    """Return the plain data behind a value; a traced number is one of NumPy's."""
    data = data_of(value, decides)
    return np.float64(data) if type(data) is float and isinstance(value, Variable) else data


def _whole(value: Any) -> Any:
    """Return an array of traced numbers and plain ones as one traced array; also in sequences."""
    if type(value) is list or type(value) is tuple:
        is_one = _shape_of_numbers(value) is not None and has_traced(value)
        return array_of(value) if is_one else type(value)(map(_whole, value))
    is_of_numbers = is_of_objects(value) and value.ndim and has_traced(value)
    if is_of_numbers and all(isinstance(entry, Variable | Number) for entry in value.flat):
        return array_of(value)
    return value


def function_by_entries(function: Callable[..., Any], args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Return NumPy's own code on object arrays."""
    args = tuple(map(_entries, args))
    settings = {key: _entries(value) for key, value in settings.items()}
    if function in linalg.BY_ENTRIES:
        return linalg.BY_ENTRIES[function](*args, **settings)
    if function in linalg.FUNCTIONS:
        if not is_symbolic():
            return on_whole(linalg.FUNCTIONS[function], *args, **settings)
        raise missing(
            f"np.linalg.{function.__name__}, entry by entry", 'Trace with grain="array"; there are no programs of it.'
        )
    try:
        result = np.ndarray.__array_function__(ObjectArray(0), function, (ObjectArray,), args, settings)
    except MissingBlockError:
        raise
    except TypeError as error:
        if any(map(callable, args)):  # such as np.apply_along_axis: the error may be that function's own
            raise
        raise missing(
            name_of(function), "Write it out with functions that have one, or make a Block of your own: adviz.Block."
        ) from error
    if isinstance(result, ObjectArray) and result.dtype.kind == "c":  # np.zeros_like(x, complex)
        return as_program_made(as_plain_array(result))
    result = (
        type(result)(map(result_of_entries, result)) if type(result) in (list, tuple) else result_of_entries(result)
    )
    if type(result) is ObjectArray and any(isinstance(arg, list | tuple) for arg in args):
        return _without_nested_numbers(result)
    return result


def _without_nested_numbers(array: ObjectArray) -> ObjectArray:
    """Return numbers in place of arrays without axes, which NumPy takes for entries where they are in sequences."""
    entries = as_plain_array(array)
    nested = [place for place in np.ndindex(entries.shape) if isinstance(entries[place], np.ndarray)]
    if not nested:
        return array
    entries = entries.copy()
    for place in nested:
        entries[place] = entries[place][()]
    return as_object_array(entries)


def _entries(value: Any) -> Any:
    """Variables as object arrays, also inside sequences; to write into these would change nothing that is traced."""
    if isinstance(value, list | tuple):
        return type(value)(map(_entries, value))
    if not isinstance(value, Variable):
        return value
    entries = as_object_array(scalars(value))
    entries.flags.writeable = not entries.ndim  # of a number it is a copy
    return entries
