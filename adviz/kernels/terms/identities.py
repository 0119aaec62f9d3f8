"""The identity matrix, which derivatives in all directions begin with, and the rules of diagonal matrices.

In the laws ``I`` is the identity, ``a`` is a matrix, and ``v`` and ``w`` are vectors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.blocks import Record
from ...engine.rules import abstract_values
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.indexing import DIAGONAL_MATRIX
from ...engine.rules.matrix_products import MATMUL
from ...engine.rules.reducing import SUM
from ...engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from .array_terms import ADD, DIVIDE, MULTIPLY, SUBTRACT, Term, Terms, fits, rule


class Identity(Record):
    """The operation whose value is an identity matrix: of so many rows, of a dtype."""

    name = "eye"
    abstract_eval = staticmethod(abstract_values.of_identity)

    def compute(self, count: int, dtype: Any) -> np.ndarray:
        """Return the matrix."""
        return np.eye(count, dtype=dtype)


IDENTITY: Any = Identity()
"""No constant, so that products with it are recognized; it is compared by identity."""


def identity(terms: Terms, count: int, dtype: Any) -> Term:
    """Return the identity matrix."""
    if count == 1:
        return terms.apply(BROADCAST, 1.0 if dtype == np.dtype(float) else np.ones((), dtype)[()], (1, 1))
    return terms.plain(IDENTITY, terms.constant(count), terms.constant(np.dtype(dtype).str))


@rule("diagonals", "I @ a = a, a @ I = a", MATMUL)
def _times_identity(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(terms.operation, [a, b])
    for one, other in ((a, b), (b, a)):
        if one.is_of(IDENTITY) and fits(other, shape_dtype):
            return other
    return None


@rule("diagonals", "diag(v) @ a = v[:, None] · a, a @ diag(v) = a · v", MATMUL)
def _times_diagonal(terms: Terms, a: Term, b: Term) -> Term | None:
    wanted = shape_dtype_of(terms.operation, [a, b])
    if (v := diagonal_of(a)) is not None and len(b.shape) > 1:
        result = terms.apply(MULTIPLY, terms.apply(RESHAPE, v, (v.size, 1)), b)
    elif (v := diagonal_of(b)) is not None or (v := diagonal_of(a)) is not None:
        result = terms.apply(MULTIPLY, b if len(b.shape) == 1 else a, v)
    else:
        return None
    return result if fits(result, wanted) else None


def diagonal_of(a: Term) -> Term | None:
    """Return the vector that a term has on its diagonal, among zeros."""
    return (
        a.operands[0]
        if a.is_of(DIAGONAL_MATRIX) and a.operands[1].is_value(0) and len(a.operands[0].shape) == 1
        else None
    )


@rule("diagonals", "I · v = diag(v), diag(v) · w = diag(v · w)", MULTIPLY)
@rule("diagonals", "I / v = diag(1 / v), diag(v) / w = diag(v / w)", DIVIDE)
def _on_diagonal(terms: Terms, a: Term, b: Term) -> Term | None:
    operation = terms.operation
    shape_dtype = shape_dtype_of(operation, [a, b])
    for one, other in ((a, b), (b, a))[: 1 if operation is DIVIDE else 2]:
        matrix = one.operands[0] if one.is_of(RESHAPE) else one
        shape = one.shape[1:]
        v = None if matrix.is_of(IDENTITY) else diagonal_of(matrix)
        is_fit = (
            fits(one, shape_dtype) and one.shape[:1] == matrix.shape[:1] and matrix.is_of(IDENTITY, DIAGONAL_MATRIX)
        )
        if not is_fit or (v is None and not matrix.is_of(IDENTITY)) or other.size == 1:
            continue
        if other.size != matrix.shape[0] or math.prod(shape) != other.size:
            continue
        if other.shape not in (shape, (1, *shape)):
            continue
        w = terms.apply(RESHAPE, other, (other.size,))
        if v is not None:
            w = terms.apply(operation, v, w)
        elif operation is DIVIDE:
            w = terms.apply(DIVIDE, 1.0, w)
        return terms.apply(RESHAPE, terms.apply(DIAGONAL_MATRIX, w, 0), one.shape) if w.dtype == one.dtype else None
    return None


@rule("diagonals", "diag(v) + diag(w) = diag(v + w), also beside I", ADD, SUBTRACT)
def _sum_of_diagonals(terms: Terms, a: Term, b: Term) -> Term | None:
    both = [each.operands[0] if each.is_of(RESHAPE) else each for each in (a, b)]
    inner = [diagonal_of(each) for each in both]
    if (
        a.shape != b.shape
        or all(each is None for each in inner)
        or not all(each.is_of(IDENTITY, DIAGONAL_MATRIX) for each in both)
    ):
        return None
    if both[0].shape != both[1].shape or a.dtype != b.dtype:
        return None
    v, w = (terms.constant(1.0) if each is None else each for each in inner)
    result = terms.apply(DIAGONAL_MATRIX, terms.apply(terms.operation, v, w), 0)
    return terms.apply(RESHAPE, result, a.shape) if result.dtype == a.dtype else None


@rule("diagonals", "diag(v).T = diag(v)", TRANSPOSE)
def _diagonal_transposed(terms: Terms, a: Term, axes: Term) -> Term | None:
    return a if a.is_of(IDENTITY) or diagonal_of(a) is not None else None


@rule("diagonals", "the sum of diag(v) along an axis is v", SUM)
def _diagonal_summed(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of(IDENTITY, DIAGONAL_MATRIX) or axis.value not in (0, 1, -1, (0,), (1,)):
        return None
    wanted = shape_dtype_of(SUM, [a, axis, keepdims])
    v = diagonal_of(a)
    if a.is_of(IDENTITY):
        one = 1.0 if a.dtype == np.dtype(float) else np.ones((), a.dtype)[()]
        return terms.apply(BROADCAST, one, wanted[0])
    result = None if v is None else terms.apply(RESHAPE, v, wanted[0])
    return result if result is not None and fits(result, wanted) else None
