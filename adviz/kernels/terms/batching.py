"""Terms for many at once: what is linear in an array, for every array along a leading axis of it.

A tangent or an adjoint that depends on a seed is written once more with a matrix of seeds in its place, so that a
Jacobian takes one sweep. There is a rule for each operation; what has none is done for one row after the other.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 3.3 (vector modes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.functions.matrix_rules import SOLVE
from ...engine.rules import abstract_values
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.gathering import GATHER, SCATTER, SLOT, selected_shape
from ...engine.rules.indexing import INDEX
from ...engine.rules.matrix_products import MATMUL
from ...engine.rules.reducing import MAX, MEAN, MIN, PROD, SUM
from ...engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from .arithmetic_rules import PAIRED, SINGLE, zeros
from .array_terms import Term, Terms, in_order


class EachRow(NamedTuple):
    """What is done for one row after the other: a term, and the places of its operands that have rows."""

    term: Term
    places: tuple[int, ...]


class RowByRow:
    """The operation of such terms: its first operand is a constant :class:`EachRow`, the others are its operands."""

    name = "each row"
    partials = ()
    abstract_eval = staticmethod(abstract_values.of_rows)

    def compute(self, each: EachRow, *operands: Any) -> np.ndarray:
        """Return the rows of the result."""
        rows = range(len(operands[each.places[0]]))
        return np.array(
            [
                each.term.operation.compute(*(a[k] if i in each.places else a for i, a in enumerate(operands)))
                for k in rows
            ]
        )


ROW_BY_ROW: Any = RowByRow()


class Batch:
    """Terms with ``count`` rows: ``rows`` are the terms that have them already, each with a leading axis.

    >>> from .linear_rules import simplifying
    >>> terms = simplifying()
    >>> x, a = terms.input(0, (3,), np.dtype(float)), terms.input(1, (2, 3), np.dtype(float))
    >>> X = terms.input(2, (5, 3), np.dtype(float))
    >>> Batch(terms, 5, {x: X}).of(terms.apply(np.matmul, a, x)).shape
    (5, 2)
    """

    def __init__(self, terms: Terms, count: int, rows: Mapping[Term, Term]):
        self.terms, self.count, self.rows = terms, count, dict(rows)

    def of(self, wanted: Term) -> Term:
        """Return a term for every row; repeated, if it does not depend on any."""
        for term in in_order([wanted]):
            if term not in self.rows and any(each in self.rows for each in term.operands):
                self.rows[term] = self._batched(term)
        return self.rows[wanted] if wanted in self.rows else self.repeated(wanted)

    def _batched(self, term: Term) -> Term:
        operands = [self.rows.get(each, each) for each in term.operands]
        if term.operation.partials or term.name in ENTRY_BY_ENTRY:
            return self.apply(term.operation, *(self.padded(each, len(term.shape)) for each in term.operands))
        result = RULES[term.name](self, term, operands) if term.name in RULES else None
        return self._row_by_row(term, operands) if result is None else result

    def _row_by_row(self, term: Term, operands: Sequence[Term]) -> Term:
        if not self.count:
            return zeros(self.terms, (0, *term.shape), term.dtype)
        places = tuple(k for k, each in enumerate(term.operands) if each in self.rows)
        return self.terms.plain(ROW_BY_ROW, self.terms.constant(EachRow(term, places)), *operands)

    def has_rows(self, term: Term) -> bool:
        """Return whether a term without rows depends on them."""
        return term in self.rows

    def apply(self, operation: Any, *operands: Any) -> Term:
        """Return the simplest term of an operation."""
        return self.terms.apply(operation, *operands)

    def padded(self, term: Term, count: int) -> Term:
        """The rows of a term, each with so many axes, so that it repeats along the first of them; a term without."""
        if term not in self.rows:
            return term
        shape = (1,) * (count - len(term.shape)) + term.shape
        return self.apply(RESHAPE, self.rows[term], (self.count, *shape))

    def repeated(self, term: Term) -> Term:
        """Return a term for every row."""
        return self.rows.get(term) or self.apply(BROADCAST, term, (self.count, *term.shape))


# ---- rules: what an operation is with an axis more in front; None where it has no such form ----


def _along_axes(batch: Batch, term: Term, operands: Sequence[Term]) -> Term | None:
    a, axis, keepdims = operands
    axes = range(len(a.shape) - 1) if axis.value is None else np.atleast_1d(axis.value) % max(len(a.shape) - 1, 1)
    if len(a.shape) == 1:
        return a if term.is_of(SUM, MEAN, MAX, MIN, PROD) else None
    return batch.apply(term.operation, a, tuple(int(k) + 1 for k in axes), keepdims)


def _product(batch: Batch, term: Term, operands: Sequence[Term]) -> Term | None:
    (one, other), (a, b) = term.operands, operands
    if batch.has_rows(one) and batch.has_rows(other):
        return None
    if batch.has_rows(other) and len(other.shape) == 1:
        if len(one.shape) > 2:
            return None
        return batch.apply(MATMUL, b, one if len(one.shape) == 1 else batch.apply(TRANSPOSE, one, (1, 0)))
    if batch.has_rows(one) and len(one.shape) == 1:
        return batch.apply(MATMUL, a, b) if len(other.shape) <= 2 else None
    rank = max(len(one.shape), len(other.shape))
    pair = (batch.padded(each, rank) if len(each.shape) > 1 else each for each in (one, other))
    return batch.apply(MATMUL, *pair)


def _contraction(batch: Batch, term: Term, operands: Sequence[Term]) -> Term | None:
    spec = term.operands[0].value
    free = [letter for letter in "bnrzabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in spec]
    if not isinstance(spec, str) or "->" not in spec or not free:
        return None
    inputs, output = spec.replace(" ", "").split("->")
    parts = zip(inputs.split(","), term.operands[1:], strict=True)
    written = ",".join(free[0] * batch.has_rows(each) + part for part, each in parts)
    return batch.apply(term.operation, f"{written}->{free[0]}{output}", *operands[1:])


def _transposed(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    count, axes = len(term.shape), term.operands[1].value
    order = range(count)[::-1] if axes is None else axes
    return batch.apply(TRANSPOSE, operands[0], (0, *(int(k) % count + 1 for k in order)))


def _reshaped(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    return batch.apply(RESHAPE, operands[0], (batch.count, *term.shape))


def _broadcast(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    return batch.apply(BROADCAST, batch.padded(term.operands[0], len(term.shape)), (batch.count, *term.shape))


def _key(key: Any) -> tuple[Any, ...]:
    """Return a key for every row."""
    return (slice(None), *(key if isinstance(key, tuple) else (key,)))


def _index(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    return batch.apply(term.operation, operands[0], _key(operands[1].value))


def _placed(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    return batch.apply(term.operation, operands[0], _key(operands[1].value), (batch.count, *term.shape))


def _overwritten(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    x, value, key = term.operands
    rank = len(shape_dtype_of(INDEX, [x, key])[0])
    return batch.apply(term.operation, batch.repeated(x), batch.padded(value, rank), _key(key.value))


def _selected(batch: Batch, form: Term, indices: Sequence[Term], shape: Sequence[int]) -> tuple[Any, int, int]:
    """The form of a key for every row, how many axes are in front of those of the rows, and the axes of what it takes.

    Axes of indices come first where these are not side by side.
    """
    parts = form.value
    places = [k for k, part in enumerate(parts) if part is SLOT or isinstance(part, int | np.integer)]
    is_together = places == list(range(places[0], places[-1] + 1)) if places else True
    plain = [np.broadcast_to(np.zeros((), each.dtype), each.shape) for each in indices]
    masks = [1 if each.dtype.kind == "b" else each.ndim for each in plain]
    return _key(parts), 0 if is_together else max(masks), len(selected_shape(tuple(shape), parts, tuple(plain)))


def _moved(batch: Batch, a: Term, start: int, end: int) -> Term:
    """Return an array with one axis at another place."""
    order = [k for k in range(len(a.shape)) if k != start]
    order.insert(end, start)
    return batch.apply(TRANSPOSE, a, tuple(order))


def _gathered(batch: Batch, term: Term, operands: Sequence[Term]) -> Term | None:
    x, form, *indices = term.operands
    if any(map(batch.has_rows, indices)):
        return None
    key, front, _ = _selected(batch, form, indices, x.shape)
    return _moved(batch, batch.apply(term.operation, operands[0], key, *indices), front, 0)


def _scattered(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    _, shape, form, *indices = term.operands
    key, front, _ = _selected(batch, form, indices, shape.value)
    part = _moved(batch, operands[0], 0, front)
    return batch.apply(term.operation, part, (batch.count, *shape.value), key, *indices)


def _put(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    x, value, form, *indices = term.operands
    key, front, rank = _selected(batch, form, indices, x.shape)
    value = _moved(batch, batch.padded(value, rank), 0, front) if batch.has_rows(value) else value
    return batch.apply(term.operation, batch.repeated(x), value, key, *indices)


def _viewed(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    """Return entries by their numbers, counted row by row."""
    flat = batch.apply(RESHAPE, operands[0], (batch.count, term.operands[0].size))
    return batch.apply(GATHER, flat, (slice(None), SLOT), term.operands[1])


def _added_at(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    _, index, shape = term.operands
    whole = batch.apply(SCATTER, operands[0], (batch.count, math.prod(shape.value)), (slice(None), SLOT), index)
    return batch.apply(RESHAPE, whole, (batch.count, *shape.value))


def _joined(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    axis, *parts = term.operands
    return batch.apply(term.operation, int(axis.value) % len(term.shape) + 1, *map(batch.repeated, parts))


def _along_axis(batch: Batch, term: Term, operands: Sequence[Term]) -> Term | None:
    """Return an operation along one axis, its last setting; not where it takes all axes as one."""
    x, *settings, axis = operands
    if not isinstance(axis.value, int | np.integer):
        return None
    return batch.apply(term.operation, x, *settings, int(axis.value) % (len(x.shape) - 1) + 1)


def _diagonal(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    x, offset, *axes = operands
    return batch.apply(term.operation, x, offset, *(int(k.value) % (len(x.shape) - 1) + 1 for k in axes))


def _solved(batch: Batch, term: Term, operands: Sequence[Term]) -> Term | None:
    (a, b), (_, rows) = term.operands, operands
    if batch.has_rows(a) or len(a.shape) > 2:
        return None
    if len(b.shape) == 1:
        return batch.apply(TRANSPOSE, batch.apply(SOLVE, a, batch.apply(TRANSPOSE, rows, (1, 0))), (1, 0))
    return batch.apply(SOLVE, a, rows)


def _cast(batch: Batch, term: Term, operands: Sequence[Term]) -> Term:
    return batch.apply(term.operation, *operands)


ENTRY_BY_ENTRY = {*SINGLE, *PAIRED, "where", "heaviside"}
RULES: dict[str, Callable[[Batch, Term, Sequence[Term]], Term | None]] = {
    **dict.fromkeys("sum mean max min prod".split(), _along_axes),
    **dict.fromkeys("concatenate stack".split(), _joined),
    **dict.fromkeys("cumsum flip roll repeat".split(), _along_axis),
    **dict.fromkeys("astype inv copy".split(), _cast),
    "matmul": _product,
    "einsum": _contraction,
    "transpose": _transposed,
    "reshape": _reshaped,
    "broadcast_to": _broadcast,
    "index": _index,
    "place": _placed,
    "set": _overwritten,
    "gather": _gathered,
    "scatter": _scattered,
    "put": _put,
    "view": _viewed,
    "add_at": _added_at,
    "diagonal": _diagonal,
    "solve": _solved,
}
"""By the name of a Block."""
