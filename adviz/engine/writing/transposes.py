"""The transposes of taking entries: a part placed among zeros, entries added up at indices.

Reverse sweeps over values of an outer trace call these methods of Variables and object arrays, so that a gradient
consists of Blocks, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.object_arrays import ObjectArray, as_object_array, is_of_objects
from ..blocks import Rule
from ..jacobians.local import LinearMap, Selection, Window, add_at, place
from ..rules import operation_counts, outlines
from ..rules.textbook import added, moved
from ..variable import Variable, scalars


def _placed(y: Any, part: Any, key: Any, shape: Any) -> list[Any]:
    return [Window(key, shape, np.shape(part), placed=True), None, None]


def _added(y: Any, part: Any, index: Any, shape: Any) -> list[Any]:
    taken = Selection(index, shape)
    return [LinearMap(taken.vjp, taken.jvp, shape, index.shape), None, None]


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
    outline=outlines.placed,
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
    found = np.zeros(shape, object)
    for target, total in sums.items():
        found.flat[target] = total
    return as_object_array(found)


def added_at(part: Any, index: np.ndarray, shape: tuple[int, ...]) -> Any:
    """Zeros with each entry of a part added at an index, for parts of any kind."""
    if is_of_objects(part):
        return _add_entries_at(as_object_array(part), index, shape)
    return add_at(part if isinstance(part, Variable) else np.asarray(part, float), index, shape)


OF_VARIABLES = {"place": _place, "add_at": _add_at}
OF_OBJECT_ARRAYS = {"place": _place_entries, "add_at": _add_entries_at}
