"""Views of memory that was written to: each array on it is a view of the latest version, made when it is next used.

Views by strides, ``np.lib.stride_tricks.as_strided``, are of entries within the memory that the array is in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.object_arrays import ObjectArray, as_object_array, is_of_objects
from ..arrays.program_arrays import Filled, contents
from ..arrays.settled import Handle
from ..blocks import Rule, is_traced
from ..functions.arguments import Function, Overrides, missing
from ..jacobians.local import LinearMap, Selection, Window, add_at, place
from ..recording.memory import Geometry, Memory, address, geometry, is_dense, key_of, memory_of, numbers_of
from ..rules import abstract_values, operation_counts, rows
from ..rules.gathering import GATHER, SCATTER, SLOT
from ..rules.indexing import INDEX
from ..rules.reshaping import RESHAPE, TRANSPOSE
from ..rules.textbook import UNMOVED, added, moved
from ..variable import Traced, Variable, alike, scalars

# ---- their transposes ----

# The transposes of taking entries: a part placed among zeros, entries added up at indices.
#
# Reverse sweeps over values of an outer trace call these methods of Variables and object arrays, so that a gradient
# consists of Blocks, too.


def _placed(y: Any, part: Any, key: Any, shape: Any) -> list[Any]:
    return [Window(key, shape, np.shape(part), placed=True), None, None]


def _added(y: Any, part: Any, index: Any, shape: Any) -> list[Any]:
    taken = Selection(index, shape)
    return [LinearMap(taken.vjp, taken.jvp, shape, index.shape), None, None]


def _added_rows(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    _, index, shape = term.operands
    whole = batch.apply(SCATTER, operands[0], (batch.count, math.prod(shape.value)), (slice(None), SLOT), index)
    return batch.reshaped(whole, (batch.count, *shape.value))


PLACE = Rule(
    "place",
    place,
    _placed,
    "shape",
    words=moved(
        "its part",
        "{a} is a part of the result, and receives that part of the adjoint.",
        ("1", "That is the adjoint of the whole; the zeros around it do not depend on {a}."),
    ),
    abstract_eval=abstract_values.placed,
    batched=rows.placed,
    statements=("{y} = {zeros}", "{y}[{b!key}] = {a}"),
    standard="put({zeros}, {a}, {b!tuple})",
    gives_array=True,
    by_rows=rows.at_keys,
    shape_at=2,
)
ADD_AT = Rule(
    "add_at",
    add_at,
    _added,
    "shape",
    words=added(
        "Each entry of {a} was added at a place of the result, and receives the adjoint of that place.",
        ("Σ", "Each entry receives the adjoint of its own place only."),
    ),
    count=operation_counts.size_of_last,
    batched=_added_rows,
    standard="xp.reshape(summed_at({b!array}, {a!reals}, {size}), {c})",
    statements=("{y} = {zeros}", "np.add.at({y}.reshape(-1), {b}, {a})"),
    shape_at=2,
)


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


def _viewed_rows(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    """Return entries by their numbers, counted row by row."""
    flat = batch.reshaped(operands[0], (batch.count, term.operands[0].size))
    return batch.apply(GATHER, flat, (slice(None), SLOT), term.operands[1])


VIEW = Rule(
    "view",
    _view,
    lambda y, x, positions, where: [Selection(positions, np.shape(x)), None, None],
    "shape",
    batched=_viewed_rows,
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
    found = viewed(memory, where)
    array.__class__ = type(found)
    array.tape, array.index, array.data = found.tape, found.index, found.data
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
            found = None if setting is None else block.compute(numbers, setting)
            if found is not None and address(found) == address(numbers) and where.is_like(geometry(found, numbers)):
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


SEARCHES: Overrides = {"as_strided": as_strided}
