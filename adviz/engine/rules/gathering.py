"""Rules of arrays of indices: entries taken at them, added up at them, overwritten at them.

A key is split into its form, in which :data:`SLOT` stands for each array of indices, and these arrays, which are
operands: ``x[:, i]`` is ``gather(x, (:, SLOT), i)``. So indices may be nodes, as they are where a trace of arrays is to
hold at every point. They are not differentiated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from ..blocks import Rule, Words, is_traced
from ..devices import is_on_device, to_numpy
from ..jacobians.algebra import in_order
from ..jacobians.base import Form, Jacobian, LinearMap, Shape, Sparse, add_at
from ..jacobians.local import Selection, Window, place, unbroadcast
from . import abstract_values, operation_counts, rows
from .abstract_values import ShapeDtype, placeholder
from .textbook import added, moved

SIMPLE = (int, np.integer, slice, type(None), type(Ellipsis))


class Slot(Enum):
    """What stands in the form of a key for an array of indices."""

    SLOT = "indices"


SLOT = Slot.SLOT
Parts = tuple[Any, ...]


def is_simple(key: Any) -> bool:
    """Return whether a key consists of integers and slices: no entry is selected twice."""
    return all(isinstance(part, SIMPLE) for part in (key if isinstance(key, tuple) else (key,)))


def is_reshaping(key: Any, shape: Shape) -> bool:
    """Return whether a key takes an array of this shape whole, with other axes.

    >>> is_reshaping((slice(None), None), (3,)), is_reshaping((..., 0), (3, 1)), is_reshaping((..., 0), (3, 2))
    (True, True, False)
    """
    parts = key if isinstance(key, tuple) else (key,)
    has_slices = all(not isinstance(part, slice) or part == slice(None) for part in parts)
    is_plain = all(part is None or part is ... or isinstance(part, int | slice) for part in parts)
    return is_plain and has_slices and np.empty(shape)[key].size == math.prod(shape)


def split(key: Any) -> tuple[Parts, Parts]:
    """Split a key into its form and its arrays of indices.

    >>> split((slice(None), [2, 0]))
    ((slice(None, None, None), <Slot.SLOT: 'indices'>), (array([2, 0]),))
    """
    parts = key if isinstance(key, tuple) else (key,)
    indices = tuple(_as_indices(part) for part in parts if not isinstance(part, SIMPLE))
    return tuple(part if isinstance(part, SIMPLE) else SLOT for part in parts), indices


def _as_indices(part: Any) -> Any:
    if is_traced(part):
        return part
    result = np.asarray(to_numpy(part))
    return result if result.size else result.astype(bool if result.dtype == np.bool_ else np.intp)


def joined_key(form: Parts, indices: Sequence[Any]) -> Any:
    """Return the key of a form and its arrays of indices."""
    rest = iter(indices)
    key = tuple(next(rest) if part is SLOT else part for part in form)
    return key[0] if len(key) == 1 else key


class Indexing(Jacobian):
    """Entries at arrays of indices; with ``placed`` the operand is added up at them among zeros.

    >>> taken = Indexing((SLOT,), (np.array([1, 1]),), (2,), (3,))
    >>> taken.jvp(np.array([5.0, 6.0, 7.0])), taken.vjp(np.array([1.0, 2.0]))
    (array([6., 6.]), array([0., 3., 0.]))
    """

    structure = "selection"

    def __init__(self, form: Parts, indices: Parts, out_shape: Shape, in_shape: Shape, placed: bool = False):
        super().__init__(out_shape, in_shape)
        self.form, self.indices, self.placed = form, indices, placed

    @property
    def nnz(self) -> int:
        return math.prod(self.in_shape if self.placed else self.out_shape)

    @property
    def T(self) -> Indexing:
        return Indexing(self.form, self.indices, self.in_shape, self.out_shape, not self.placed)

    def normal(self) -> Form:
        whole = self.out_shape if self.placed else self.in_shape
        taken = np.arange(math.prod(whole)).reshape(whole)[joined_key(self.form, self.indices)]
        index = in_order(np.ravel(taken), math.prod(whole))
        rows, columns = (index, None) if self.placed else (None, index)
        return Sparse(rows, columns, 1.0, self.out_shape, self.in_shape)

    def jvp(self, tangent: Any) -> Any:
        if self.placed:
            return scattered(tangent, self.out_shape, self.form, self.indices)
        if any(map(is_traced, self.indices)):
            return GATHER(tangent, self.form, *self.indices)
        return tangent[joined_key(self.form, self.indices)]

    def vjp(self, adjoint: Any) -> Any:
        return self.T.jvp(adjoint)


def scattered(part: Any, shape: Shape, form: Parts, indices: Parts) -> Any:
    """Return zeros of a shape, with a part added up at a key."""
    is_array = is_traced(part) and part.tape.grain == "array"
    if is_array or any(map(is_traced, indices)):
        return SCATTER(part, shape, form, *indices)
    return add_at(part, _places(shape, form, indices), shape)


def _places(shape: Shape, form: Parts, indices: Parts) -> np.ndarray:
    """Where the entries that a key takes are, counted row by row."""
    return np.asarray(np.arange(math.prod(shape)).reshape(shape)[joined_key(form, indices)])


# ---- rows ----


def _selected(batch: Any, form: Any, indices: Sequence[Any], shape: Shape) -> tuple[Any, int, int]:
    """The form of a key for every row, how many axes are in front of those of the rows, and the axes of what it takes.

    Axes of indices come first where these are not side by side.
    """
    places = [k for k, part in enumerate(form.value) if part is SLOT or isinstance(part, int | np.integer)]
    is_together = places == list(range(places[0], places[-1] + 1)) if places else True
    plain = [np.broadcast_to(np.zeros((), each.dtype), each.shape) for each in indices]
    masks = [1 if each.dtype.kind == "b" else each.ndim for each in plain]
    rank = len(selected_shape(tuple(shape), form.value, tuple(plain)))
    return rows.with_row(form.value), 0 if is_together else max(masks), rank


def _gathered_rows(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    x, form, *indices = term.operands
    if any(map(batch.has_rows, indices)):
        return None
    key, front, _ = _selected(batch, form, indices, x.shape)
    return batch.moved(batch.apply(term.operation, operands[0], key, *indices), front, 0)


def _scattered_rows(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    _, shape, form, *indices = term.operands
    key, front, _ = _selected(batch, form, indices, shape.value)
    part = batch.moved(operands[0], 0, front)
    return batch.apply(term.operation, part, (batch.count, *shape.value), key, *indices)


def _put_rows(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    x, value, form, *indices = term.operands
    key, front, rank = _selected(batch, form, indices, x.shape)
    value = batch.moved(batch.padded(value, rank), 0, front) if batch.has_rows(value) else value
    return batch.apply(term.operation, batch.repeated(x), value, key, *indices)


def _at_indices(term: Any, count: int) -> rows.Uses:
    """Return entries at indices of other axes, or one entry of each row."""
    first = term.operation.indices_at
    form, indices = term.operands[first - 1].value, term.operands[first:]
    if not rows.has_rows(term.operands[0], count):
        return None
    if isinstance(form[0], slice) and form[0] == slice(None):
        return [k == 0 for k in range(len(term.operands))]
    is_one_each = all(part is SLOT for part in form) and all(each.shape == (count,) for each in indices)
    is_one_each = is_one_each and indices[0].is_constant and np.array_equal(indices[0].value, np.arange(count))
    return [k == 0 or k > first for k in range(len(term.operands))] if is_one_each else None


# ---- the Blocks ----


def _gather(x: Any, form: Parts, *indices: Any) -> Any:
    if any(map(is_traced, (x, *indices))):
        return GATHER(x, form, *indices)  # an outer trace's
    return (x if hasattr(x, "shape") else np.asarray(x))[joined_key(form, indices)]


def _gathered(y: Any, x: Any, form: Parts, *indices: Any) -> list[Jacobian | None]:
    return [Indexing(form, indices, np.shape(y), np.shape(x)), None, *[None] * len(indices)]


def _scatter(part: Any, shape: Shape, form: Parts, *indices: Any) -> Any:
    if any(map(is_traced, (part, *indices))):
        return SCATTER(part, shape, form, *indices)
    if is_on_device(part):
        return add_at(part, _places(shape, form, indices), shape)
    whole = np.zeros(shape, getattr(part, "dtype", float))
    np.add.at(whole, joined_key(form, indices), part)
    return whole


def _scattered(y: Any, part: Any, shape: Shape, form: Parts, *indices: Any) -> list[Jacobian | None]:
    return [Indexing(form, indices, np.shape(y), np.shape(part), placed=True), None, None, *[None] * len(indices)]


def _put(x: Any, value: Any, form: Parts, *indices: Any) -> Any:
    if any(map(is_traced, (x, value, *indices))):
        return PUT(x, value, form, *indices)
    whole = x.copy() if is_on_device(x) else np.array(x, order="K")
    whole[joined_key(form, indices)] = value
    return whole


def _replaced(y: Any, x: Any, value: Any, form: Parts, *indices: Any) -> list[Jacobian | None]:
    """Where indices repeat, the value that was written last counts."""
    shape, size = np.shape(y), np.shape(value)
    taken = selected_shape(shape, form, indices)
    surplus = max(len(size) - len(taken), 0)  # NumPy ignores axes of length 1 at the front

    def spread(tangent: Any) -> Any:
        return np.broadcast_to(np.reshape(tangent, size[surplus:]) if surplus else tangent, taken)

    def last(term: Any) -> Any:
        if _are_distinct(form, indices, taken):
            return term
        numbers = np.arange(math.prod(taken)).reshape(taken)
        latest = GATHER(PUT(np.zeros(shape, int), numbers, form, *indices), form, *indices)
        return np.where(np.equal(latest, numbers), term, 0.0)

    remaining = LinearMap(lambda t: PUT(t, 0.0, form, *indices), lambda c: PUT(c, 0.0, form, *indices), shape, shape)
    written = LinearMap(
        lambda t: SCATTER(last(spread(t)), shape, form, *indices),
        lambda c: unbroadcast(last(GATHER(c, form, *indices)), size),
        shape,
        size,
    )
    return [remaining, written, None, *[None] * len(indices)]


def selected_shape(shape: Shape, form: Parts, indices: Parts) -> Shape:
    """Return the shape of what a key takes of an array of a shape."""
    plain = (np.broadcast_to(0, np.shape(each)) if is_traced(each) else each for each in indices)
    result: Shape = np.broadcast_to(False, shape)[joined_key(form, tuple(plain))].shape
    return result


def _are_distinct(form: Parts, indices: Parts, taken: Shape) -> bool:
    """Return whether it is known that no entry is taken twice."""
    sizes = [np.size(each) for each in np.broadcast_arrays(*(np.empty(np.shape(each)) for each in indices))]
    if sizes and sizes[0] == 1:
        return True
    plain = [np.ravel(each) for each in indices if not is_traced(each)]
    return any(each.size == sizes[0] and len(np.unique(each)) == each.size for each in plain)


def _gathered_shape(x: Any, form: Any, *indices: Any) -> ShapeDtype:
    return selected_shape(x.shape, form.value, tuple(map(placeholder, indices))), x.dtype


GATHER = Rule(
    "gather",
    _gather,
    _gathered,
    "shape",
    "[ ]",
    words=moved(
        "at the indices",
        "The entries at the indices are used and the rest is not: the adjoint goes back there, and is added up where"
        " one was taken twice.",
        ("1", "That is the adjoint of the part; in {a} it stands at the indices, among zeros."),
    ),
    abstract_eval=_gathered_shape,
    code="{a}[{b!key}]",
    standard="entries({a}, {b!tuple})",
    gives_array=True,
    noun="entries",
    batched=_gathered_rows,
    by_rows=_at_indices,
    indices_at=2,
)
SCATTERED = added(
    "Each entry of {a} was added at a place of the result, and receives the adjoint of that place.",
    ("Σ", "Each entry receives the adjoint of its own place only."),
)
SCATTER = Rule(
    "scatter",
    _scatter,
    _scattered,
    "shape",
    words=SCATTERED,
    abstract_eval=abstract_values.scattered,
    statements=("{y} = {zeros}", "{y}[{c!key}] = {a}"),
    standard="added({zeros}, {a}, {c!tuple})",
    gives_array=True,
    batched=_scattered_rows,
    by_rows=_at_indices,
    shape_at=1,
    indices_at=3,
)
"""Zeros with each entry of a part added at a place: ``np.add.at``, the transpose of ``gather``."""
PUT = Rule(
    "put",
    _put,
    _replaced,
    "shape",
    "[ ]=",
    words=Words(
        "At the indices the earlier entries were overwritten: [b:{b} receives the adjoint there][ab:, and ]"
        "[a:{a} all the rest of it].",
        (
            (("1", "What was at the indices was overwritten and has no influence any more: the adjoint there is 0."),),
            (("1", "That is the adjoint of the whole array; {b} was written at the indices only."),),
        ),
        gates=("0 at the indices", "its part"),
    ),
    abstract_eval=abstract_values.like_first,
    batched=_put_rows,
    statements=("{y} = {a}.copy()", "{y}[{c!key}] = {b}"),
    standard="put({a!own}, {b}, {c!tuple})",
    gives_array=True,
    indices_at=3,
)
"""A new version of an array, in which the entries at the key are those of the value."""


# ---- at whole numbers, which count all entries, and at keys without arrays ----


def _placed(y: Any, part: Any, key: Any, shape: Any) -> list[Any]:
    return [Window(key, shape, np.shape(part), placed=True), None, None]


def _added(y: Any, part: Any, index: Any, shape: Any) -> list[Any]:
    taken = Selection(index, shape)
    return [LinearMap(taken.vjp, taken.jvp, shape, index.shape), None, None]


def _added_rows(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    _, index, shape = term.operands
    whole = batch.apply(SCATTER, operands[0], (batch.count, math.prod(shape.value)), (slice(None), SLOT), index)
    return batch.reshaped(whole, (batch.count, *shape.value))


def viewed_rows(batch: Any, term: Any, operands: Sequence[Any]) -> Any:
    """Return entries by their numbers, counted row by row."""
    flat = batch.reshaped(operands[0], (batch.count, term.operands[0].size))
    return batch.apply(GATHER, flat, (slice(None), SLOT), term.operands[1])


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
    words=SCATTERED,
    count=operation_counts.size_of_last,
    batched=_added_rows,
    standard="xp.reshape(summed_at({b!array}, {a!reals}, {size}), {c})",
    statements=("{y} = {zeros}", "np.add.at({y}.reshape(-1), {b}, {a})"),
    shape_at=2,
)
