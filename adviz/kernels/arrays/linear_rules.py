"""The rules of products of matrices, of indices that take everything, and of forms as textbooks have them.

In the laws ``a``, ``b`` and ``c`` are arrays, and ``v`` and ``w`` are vectors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.functions.linalg import SOLVE
from ...engine.rules.gathering import SLOT
from ...engine.rules.indexing import DIAGONAL_MATRIX, INDEX
from ...engine.rules.reshaping import RESHAPE, TRANSPOSE
from .array_rules import OPERATIONS, PAIRED, scale, scaled
from .outlines import outline_of
from .rewriting import RULES, rule
from .terms import Term, Terms

MATMUL, MULTIPLY, SUBTRACT, HEAVISIDE = (
    BLOCK_OF[each] for each in (np.matmul, np.multiply, np.subtract, np.heaviside)
)


# ---- products of vectors and matrices ----


@rule("products", "column(v) @ row(w) = v[:, None] * w", "matmul")
def _outer_product(terms: Terms, a: Term, b: Term) -> Term | None:
    if len(a.shape) == len(b.shape) == 2 and a.shape[1] == 1 and a.dtype == b.dtype:
        return terms.apply(MULTIPLY, a, b)
    return None


@rule("products", "a @ column(v) = column(a @ v)", "matmul")
def _times_column(terms: Terms, a: Term, b: Term) -> Term | None:
    if len(a.shape) == len(b.shape) == 2 and b.shape[1] == 1 and (v := _vector(terms, b)) is not None:
        return terms.apply(RESHAPE, terms.apply(MATMUL, a, v), (a.shape[0], 1))
    return None


@rule("products", "row(v) @ a = row(v @ a)", "matmul")
def _row_times(terms: Terms, a: Term, b: Term) -> Term | None:
    if len(a.shape) == len(b.shape) == 2 and a.shape[0] == 1 and (v := _vector(terms, a)) is not None:
        return terms.apply(RESHAPE, terms.apply(MATMUL, v, b), (1, b.shape[1]))
    return None


@rule("products", "solve(a, column(v)) = column(solve(a, v))", "solve")
def _solved_column(terms: Terms, a: Term, b: Term) -> Term | None:
    if len(a.shape) == len(b.shape) == 2 and b.shape[1] == 1 and (v := _vector(terms, b)) is not None:
        return terms.apply(RESHAPE, terms.apply(SOLVE, a, v), b.shape)
    return None


def _vector(terms: Terms, a: Term) -> Term | None:
    """The vector that a term is as a row or a column."""
    column, above, below = scale(a)
    if not column.is_of("reshape") or len(column.operands[0].shape) != 1:
        return None
    v = column.operands[0]
    return v if column is a else scaled(terms, v, above, below, (v.shape, v.dtype))


@rule("products", "(a @ b).T = b.T @ a.T, where a or b is transposed", "transpose")
def _transposed_product(terms: Terms, a: Term, axes: Term) -> Term | None:
    if not a.is_of("matmul") or len(a.shape) != 2 or axes.value not in (None, (1, 0)):
        return None
    left, right = a.operands
    if len(left.shape) == len(right.shape) == 2 and (left.is_of("transpose") or right.is_of("transpose")):
        return terms.apply(MATMUL, _turned(terms, right), _turned(terms, left))
    return None


def _turned(terms: Terms, a: Term) -> Term:
    return terms.apply(TRANSPOSE, a, (1, 0))


# ---- shapes ----


@rule("reshapes", "the transpose of a row is a column", "transpose")
def _row_turned(terms: Terms, a: Term, axes: Term) -> Term | None:
    order = axes.value if axes.value is not None else tuple(range(len(a.shape)))[::-1]
    kept = [k for k in order if a.shape[k] != 1]
    if kept == sorted(kept):
        return terms.apply(RESHAPE, a, tuple(a.shape[k] for k in order))
    return None


@rule("reshapes", "what is taken with new axes, all of an axis, or the only entry of one, is reshaped", "index")
def _all_taken(terms: Terms, a: Term, key: Term) -> Term | None:
    shape = outline_of(INDEX, [a, key])[0]
    if math.prod(shape) == a.size and _takes_all(key.value):
        return terms.apply(RESHAPE, a, shape)
    return None


@rule("reshapes", "what is placed at new axes, or at all of an axis, is reshaped", "place")
def _all_placed(terms: Terms, a: Term, key: Term, shape: Term) -> Term | None:
    if math.prod(shape.value) == a.size and _takes_all(key.value):
        return terms.apply(RESHAPE, a, shape)
    return None


def _takes_all(key: Any) -> bool:
    """Whether a key has no slices but those of a whole axis; of an axis that it has a number for there is one entry."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(part in (None, Ellipsis) or type(part) is int or part == slice(None) for part in parts)


def _without_leading_ones(name: str) -> None:
    @rule("reshapes", f"{name} repeats along leading axes by itself", name)
    def rewrite(terms: Terms, *operands: Term) -> Term | None:
        shape, dtype = outline_of(OPERATIONS[name], operands)
        inner = [_without_ones(terms, each) for each in operands]
        if inner == list(operands) or outline_of(OPERATIONS[name], inner) != (shape, dtype):
            return None
        return terms.apply(OPERATIONS[name], *inner)


def _without_ones(terms: Terms, a: Term) -> Term:
    """A term that was reshaped, without the axes of length 1 that it begins with."""
    if not a.is_of("reshape") or not a.shape or a.shape[0] != 1:
        return a
    first = next((k for k, n in enumerate(a.shape) if n != 1), len(a.shape))
    return terms.apply(RESHAPE, a.operands[0], a.shape[first:])


for _name in PAIRED:
    _without_leading_ones(_name)


# ---- forms as textbooks have them ----


@rule("textbook forms", "where(a = b, 1/2, a = max(a, b)) = heaviside(a - b, 1/2)", "where")
def _chosen_by_maximum(terms: Terms, condition: Term, a: Term, b: Term) -> Term | None:
    if not (condition.is_of("equal") and b.is_of("equal") and a.is_value(0.5)):
        return None
    x, y = condition.operands
    for chosen in b.operands:
        if chosen.is_of("maximum", "minimum") and chosen.operands == (x, y):
            one, other = (x, y) if (x in b.operands) is chosen.is_of("maximum") else (y, x)
            return terms.apply(HEAVISIDE, terms.apply(SUBTRACT, one, other), 0.5)
    return None


@rule("textbook forms", "a vector on the diagonal of zeros is diag(v)", "scatter")
def _on_diagonal(terms: Terms, a: Term, shape: Term, form: Term, *indices: Term) -> Term | None:
    n = a.size
    if len(a.shape) != 1 or tuple(shape.value) != (n, n) or len(indices) != 2 or a.dtype.kind != "f":
        return None
    slots = [part for part in form.value if part is not Ellipsis]
    every = all(each.is_constant and np.array_equal(each.value, np.arange(n)) for each in indices)
    return terms.apply(DIAGONAL_MATRIX, a, 0) if every and slots == [SLOT, SLOT] else None


def simplifying() -> Terms:
    """Terms that are made by all rules."""
    return Terms(RULES)
