"""Terms for many at once: what is linear in an array, for every array along a leading axis of it.

A tangent or an adjoint that depends on a seed is written once more with a matrix of seeds in its place, so that a
Jacobian takes one sweep. The record of an operation says how; what has no such rule is done for one row after another.

Source: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 3.3 (vector modes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.blocks import Record
from ...engine.rules import abstract_values
from ...engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from .arithmetic_rules import zeros
from .array_terms import Term, Terms, in_order


class EachRow(NamedTuple):
    """What is done for one row after the other: a term, and the places of its operands that have rows."""

    term: Term
    places: tuple[int, ...]


class RowByRow(Record):
    """The operation of such terms: its first operand is a constant :class:`EachRow`, the others are its operands."""

    name = "each row"
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
    """Terms with ``count`` rows: ``rows`` are the terms that have them already, each with a leading axis."""

    def __init__(self, terms: Terms, count: int, rows: Mapping[Term, Term]):
        self.terms, self.count, self.rows = terms, count, dict(rows)

    def of(self, wanted: Term) -> Term:
        """Return a term for every row; repeated, if it does not depend on any."""
        for term in in_order([wanted]):
            if term not in self.rows and any(each in self.rows for each in term.operands):
                self.rows[term] = self._batched(term)
        return self.rows[wanted] if wanted in self.rows else self.repeated(wanted)

    def _batched(self, term: Term) -> Term:
        operation, operands = term.operation, [self.rows.get(each, each) for each in term.operands]
        if operation.is_entrywise:
            return self.apply(operation, *(self.padded(each, len(term.shape)) for each in term.operands))
        result = operation.batched(self, term, operands) if operation.batched is not None else None
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
        """Return the rows of a term, with so many axes that it repeats along the first; or the term without rows."""
        if term not in self.rows:
            return term
        shape = (1,) * (count - len(term.shape)) + term.shape
        return self.reshaped(self.rows[term], (self.count, *shape))

    def repeated(self, term: Term) -> Term:
        """Return a term for every row."""
        return self.rows.get(term) or self.apply(BROADCAST, term, (self.count, *term.shape))

    def reshaped(self, term: Term, shape: tuple[int, ...]) -> Term:
        """Return a term in another shape."""
        return self.apply(RESHAPE, term, shape)

    def transposed(self, term: Term, axes: tuple[int, ...]) -> Term:
        """Return a term with its axes in another order."""
        return self.apply(TRANSPOSE, term, axes)

    def moved(self, term: Term, start: int, end: int) -> Term:
        """Return a term with one axis at another place."""
        order = [k for k in range(len(term.shape)) if k != start]
        order.insert(end, start)
        return self.transposed(term, tuple(order))
