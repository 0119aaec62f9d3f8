"""The rules of products of matrices, of indices that take everything, and of forms as textbooks have them.

In the laws ``a``, ``b`` and ``c`` are arrays, and ``v`` and ``w`` are vectors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from ...engine.blocks import Block
from ...engine.functions.matrix_rules import SOLVE
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.gathering import PLACE, SCATTER, SLOT
from ...engine.rules.indexing import DIAGONAL_MATRIX, INDEX
from ...engine.rules.matrix_products import EINSUM, MATMUL
from ...engine.rules.reducing import SUM
from ...engine.rules.reshaping import CONCATENATE, RESHAPE, TRANSPOSE
from ...engine.rules.selection import CONDITIONS, WHERE
from . import identities as identities
from . import shape_rules as shape_rules
from .arithmetic_rules import PAIRED, scale, scaled, zeros
from .array_terms import ADD, DIVIDE, MAXIMUM, MINIMUM, MULTIPLY, RULES, SUBTRACT, Term, Terms, fits, rule, work
from .quotient_rules import is_zero

EQUAL = CONDITIONS[np.equal]

# ---- contractions ----

# The rules of einsum in a derivative: several operands two at a time, and what is a product of matrices as one.
#
# `np.einsum` of three operands or more runs through all indices at once; two at a time, in the right order, need far
# fewer operations. The order is that of `np.einsum_path`, found when the program is written, and each step is a line
# or a part of one that can be read. The package opt_einsum finds the same orders for the few operands that einsums
# have, and would be needed for nothing else. A step that is a product of matrices is written as one, which NumPy gives
# to BLAS.
#
# Source: Pfeifer, Haegeman and Verstraete, Faster identification of optimal contraction sequences for tensor networks,
# Physical Review E 90 (2014), for the orders of up to five operands.


CONTRACTIONS = "contractions"
BY_TWOS = "an einsum of several operands is one of two operands after another, in the order that costs least"
FEW = 5
"""Operands up to which all orders are compared; of more, a greedy order is taken."""


@rule(CONTRACTIONS, "a number among the operands of an einsum is a factor of it", EINSUM)
def _number_outside(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    *labels, result = _labels(subscripts)
    if "" not in labels or len(operands) < 2:
        return None
    place = labels.index("")
    rest = ",".join([*labels[:place], *labels[place + 1 :]])
    inner = terms.apply(EINSUM, f"{rest}->{result}", *operands[:place], *operands[place + 1 :])
    return _fitting(terms.apply(MULTIPLY, operands[place], inner), subscripts, operands)


@rule(CONTRACTIONS, BY_TWOS, EINSUM)
def _by_twos(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    if len(operands) < 3:
        return None
    *labels, result = _labels(subscripts)
    parts, given, saved = labels, list(operands), 0
    for places in _path(subscripts.value, operands):
        if len(places) > 2:
            return None  # all at once is no more than two at a time
        taken = [(parts.pop(place), given.pop(place)) for place in sorted(places, reverse=True)][::-1]
        wanted = _kept([each for each, _ in taken], [*parts, result]) if parts else result
        made = terms.apply(EINSUM, f"{','.join(each for each, _ in taken)}->{wanted}", *(term for _, term in taken))
        saved -= work(made.operation, made.operands) if parts and made.operands else 0
        parts, given = [*parts, wanted], [*given, made]
    terms.note(CONTRACTIONS, BY_TWOS, saved)  # the last step is counted where the rule is used
    return given[0]


def _labels(subscripts: Term) -> list[str]:
    """Return the labels of the operands and of the result."""
    return re.split(",|->", subscripts.value)


def _path(subscripts: str, operands: Sequence[Term]) -> list[tuple[int, ...]]:
    """Return which operands are multiplied first, and so on, by their places; what is made comes last."""
    shapes = [np.broadcast_to(0.0, each.shape) for each in operands]
    way = ("optimal" if len(operands) <= FEW else "greedy", 1 << 62)
    return list(np.einsum_path(subscripts, *shapes, optimize=way)[0][1:])


def _kept(labels: Sequence[str], others: Sequence[str]) -> str:
    """Return the labels that something else has, too, each once, in their order."""
    return "".join(dict.fromkeys(label for label in "".join(labels) if label in "".join(others)))


@rule(CONTRACTIONS, "einsum(ij,jk->ik, a, b) = a @ b, also where an operand or the result is transposed", EINSUM)
def _as_product(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    if len(operands) != 2 or not _are_different(_labels(subscripts)):
        return None
    left, right, result = _labels(subscripts)
    (a, b), summed = operands, [label for label in left if label in right and label not in result]
    if len(summed) != 1:
        return None
    each = next((k for k in range(len(result)) if not left[k : k + 1] == right[k : k + 1] == result[k]), len(result))
    own, other = (labels[each:].replace(summed[0], "") for labels in (left, right))
    if not each and left + right == own + summed[0] + summed[0] + other and result == own + other and len(other) <= 1:
        return _fitting(terms.apply(MATMUL, a, b), subscripts, operands)
    is_matrix = len(own) <= 1 and len(other) <= 1 and (not each or (own and other))
    if not is_matrix or result[each:] not in (own + other, other + own):
        return None
    if result[each:] != own + other:
        a, b, left, right, own, other = b, a, right, left, other, own
    rows = _as_matrices(terms, a, left[each:] == own + summed[0])
    columns = _as_matrices(terms, b, right[each:] == summed[0] + other)
    return _fitting(terms.apply(MATMUL, rows, columns), subscripts, operands)


def _as_matrices(terms: Terms, a: Term, is_right: bool) -> Term:
    """Return an array of matrices, transposed unless it ``is_right`` as it is; vectors are."""
    axes = range(len(a.shape))
    return a if is_right or len(a.shape) < 2 else terms.apply(TRANSPOSE, a, (*axes[:-2], axes[-1], axes[-2]))


@rule(
    CONTRACTIONS,
    "an einsum that sums nothing is a product of entries: einsum(i,j->ij, v, w) = v[:, None] * w",
    EINSUM,
)
def _as_entries(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    *labels, result = _labels(subscripts)
    if len(operands) != 2 or not _are_different([*labels, result]) or set("".join(labels)) != set(result):
        return None
    a, b = (_along(terms, each, own, result) for each, own in zip(operands, labels, strict=True))
    return _fitting(terms.apply(MULTIPLY, a, b), subscripts, operands)


def _along(terms: Terms, a: Term, labels: str, result: str) -> Term:
    """Return an array with axes in the order of the result, and of length 1 where it has none."""
    order = tuple(labels.index(label) for label in result if label in labels)
    a = a if order == tuple(range(len(order))) else terms.apply(TRANSPOSE, a, order)
    sizes = iter(a.shape)
    shape = tuple(next(sizes) if label in labels else 1 for label in result)
    return a if shape == a.shape else terms.apply(RESHAPE, a, shape)


@rule(CONTRACTIONS, "an einsum of one operand is a sum, transposed", EINSUM)
def _as_sum(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    labels, result = _labels(subscripts)[0], _labels(subscripts)[-1]
    if len(operands) != 1 or not _are_different([labels, result]):
        return None
    axes = tuple(k for k, label in enumerate(labels) if label not in result)
    total = terms.apply(SUM, operands[0], axes, False) if axes else operands[0]
    left = [label for label in labels if label in result]
    order = tuple(left.index(label) for label in result)
    total = total if order == tuple(range(len(order))) else terms.apply(TRANSPOSE, total, order)
    return _fitting(total, subscripts, operands)


def _are_different(labels: Sequence[str]) -> bool:
    """Return whether no operand has a label twice."""
    return all(len(set(each)) == len(each) for each in labels)


def _fitting(term: Term, subscripts: Term, operands: Sequence[Term]) -> Term | None:
    return term if fits(term, shape_dtype_of(EINSUM, [subscripts, *operands])) else None


# ---- products of vectors and matrices ----


@rule("products", "column(v) @ row(w) = v[:, None] * w", MATMUL)
def _outer_product(terms: Terms, a: Term, b: Term) -> Term | None:
    if len(a.shape) == len(b.shape) == 2 and a.shape[1] == 1 and a.dtype == b.dtype:
        return terms.apply(MULTIPLY, a, b)
    return None


@rule("products", "a @ column(v) = column(a @ v)", MATMUL)
@rule("products", "solve(a, column(v)) = column(solve(a, v))", SOLVE)
def _with_column(terms: Terms, a: Term, b: Term) -> Term | None:
    if len(a.shape) == len(b.shape) == 2 and b.shape[1] == 1 and (v := _vector(terms, b)) is not None:
        return terms.apply(RESHAPE, terms.apply(terms.operation, a, v), (a.shape[0], 1))
    return None


@rule("products", "row(v) @ a = row(v @ a)", MATMUL)
def _row_times(terms: Terms, a: Term, b: Term) -> Term | None:
    if len(a.shape) == len(b.shape) == 2 and a.shape[0] == 1 and (v := _vector(terms, a)) is not None:
        return terms.apply(RESHAPE, terms.apply(MATMUL, v, b), (1, b.shape[1]))
    return None


def _vector(terms: Terms, a: Term) -> Term | None:
    """Return the vector that a term is as a row or a column."""
    column, above, below = scale(a)
    if not column.is_of(RESHAPE) or len(column.operands[0].shape) != 1:
        return None
    v = column.operands[0]
    return v if column is a else scaled(terms, v, above, below, (v.shape, v.dtype))


@rule("products", "(a @ b).T = b.T @ a.T, where a or b is transposed", TRANSPOSE)
def _transposed_product(terms: Terms, a: Term, axes: Term) -> Term | None:
    if not a.is_of(MATMUL) or len(a.shape) != 2 or axes.value not in (None, (1, 0)):
        return None
    left, right = a.operands
    if len(left.shape) == len(right.shape) == 2 and (_is_turned(left) or _is_turned(right)):
        return terms.apply(MATMUL, _turned(terms, right), _turned(terms, left))
    return None


@rule("transposes", "(a · v).T = a.T · v[:, None], where a is transposed", TRANSPOSE)
def _transposed_rows(terms: Terms, a: Term, axes: Term) -> Term | None:
    if axes.value not in (None, (1, 0)) or not (pair := _with_vector(a)):
        return None
    matrix, v = pair
    column = terms.apply(RESHAPE, v, (v.size, 1) if len(v.shape) == 1 else (v.shape[1], v.shape[0]))
    turned = _turned(terms, matrix)
    return terms.apply(a.operation, *(turned if each is matrix else column for each in a.operands))


def _is_turned(a: Term) -> bool:
    """Return whether a matrix is made of one that was transposed, so that its transpose is not."""
    while True:
        if a.is_of(TRANSPOSE):
            return True
        if a.is_of(MATMUL) and all(len(each.shape) == 2 for each in a.operands):
            return any(map(_is_turned, a.operands))
        if not (pair := _with_vector(a, is_turned=False)):
            return False
        a = pair[0]


def _with_vector(a: Term, is_turned: bool = True) -> tuple[Term, Term] | None:
    """Return the matrix and the vector that a term is the product or the quotient of, if the matrix was transposed."""
    if len(a.shape) != 2 or not a.is_of(MULTIPLY, DIVIDE):
        return None
    for matrix, v in (a.operands, a.operands[::-1]) if a.is_of(MULTIPLY) else (a.operands,):
        is_vector = v.shape == a.shape[1:] or (len(v.shape) == 2 and 1 in v.shape)
        if matrix.shape == a.shape and is_vector and (not is_turned or _is_turned(matrix)):
            return matrix, v
    return None


def _turned(terms: Terms, a: Term) -> Term:
    return terms.apply(TRANSPOSE, a, (1, 0))


# ---- shapes ----


@rule("reshapes", "the transpose of a row is a column", TRANSPOSE)
def _row_turned(terms: Terms, a: Term, axes: Term) -> Term | None:
    order = axes.value if axes.value is not None else tuple(range(len(a.shape)))[::-1]
    kept = [k for k in order if a.shape[k] != 1]
    if kept == sorted(kept):
        return terms.apply(RESHAPE, a, tuple(a.shape[k] for k in order))
    return None


@rule("reshapes", "what is taken with new axes, all of an axis, or the only entry of one, is reshaped", INDEX)
def _all_taken(terms: Terms, a: Term, key: Term) -> Term | None:
    shape = shape_dtype_of(INDEX, [a, key])[0]
    if math.prod(shape) == a.size and _takes_all(key.value):
        return terms.apply(RESHAPE, a, shape)
    return None


@rule("reshapes", "what is placed at new axes, or at all of an axis, is reshaped", PLACE)
def _all_placed(terms: Terms, a: Term, key: Term, shape: Term) -> Term | None:
    if math.prod(shape.value) == a.size and _takes_all(key.value):
        return terms.apply(RESHAPE, a, shape)
    return None


@rule("zeros", "zeros placed among zeros are zeros", PLACE)
def _zeros_placed(terms: Terms, a: Term, key: Term, shape: Term) -> Term | None:
    return zeros(terms, tuple(shape.value), a.dtype) if is_zero(a) else None


@rule("textbook forms", "what is placed side by side among zeros is concatenated, and placed", ADD)
def _placed_side_by_side(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if (result := _joined(terms, one, other)) is not None:
            return result
        if one.is_of(ADD):
            for inner, rest in (one.operands, one.operands[::-1]):
                if (result := _joined(terms, inner, other)) is not None:
                    return terms.apply(ADD, rest, result)
    return None


def _joined(terms: Terms, a: Term, b: Term) -> Term | None:
    """Return two arrays that are placed side by side as one that is placed, the first one first."""
    first, second = _placed_along(a), _placed_along(b)
    if first is None or second is None or a.shape != b.shape or first[0] != second[0] or first[2] != second[1]:
        return None
    axis, start, stop = first[0], first[1], second[2]
    parts = [part for each in (a, b) for part in _parts(each.operands[0], axis)]
    key = (*(slice(None),) * axis, slice(start, stop))
    if not start and stop == a.shape[axis]:
        return terms.apply(CONCATENATE, axis, *parts)
    return terms.apply(PLACE, terms.apply(CONCATENATE, axis, *parts), key, a.shape)


def _parts(a: Term, axis: int) -> tuple[Term, ...]:
    """Return what a term is concatenated of."""
    return a.operands[1:] if a.is_of(CONCATENATE) and a.operands[0].value == axis else (a,)


def _placed_along(a: Term) -> tuple[int, int, int] | None:
    """Return the axis, the beginning and the end of a slice that a term is placed at, all of the other axes."""
    if not a.is_of(PLACE):
        return None
    key = a.operands[1].value
    parts = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(part, slice) and part.step in (None, 1) for part in parts):
        return None
    ends = [part.indices(n)[:2] for part, n in zip(parts, a.shape, strict=False)]
    cut = [k for k, (end, n) in enumerate(zip(ends, a.shape, strict=False)) if end != (0, n)]
    return (cut[0], *ends[cut[0]]) if len(cut) == 1 else None


def _takes_all(key: Any) -> bool:
    """Tell whether a key slices only whole axes; of an axis that it has a number for there is one entry."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(part in (None, Ellipsis) or type(part) is int or part == slice(None) for part in parts)


def _without_leading_ones(block: Block) -> None:
    @rule("reshapes", f"{block.name} repeats along leading axes by itself", block)
    def rewrite(terms: Terms, *operands: Term) -> Term | None:
        operation = terms.operation
        shape, dtype = shape_dtype_of(operation, operands)
        inner = [_without_ones(terms, each) for each in operands]
        if inner == list(operands) or shape_dtype_of(operation, inner) != (shape, dtype):
            return None
        return terms.apply(operation, *inner)


def _without_ones(terms: Terms, a: Term) -> Term:
    """Return a term that was reshaped, without the axes of length 1 that it begins with."""
    base, above, below = scale(a)
    if not base.is_of(RESHAPE) or not a.shape or a.shape[0] != 1:
        return a
    first = next((k for k, n in enumerate(a.shape) if n != 1), len(a.shape))
    result = terms.apply(RESHAPE, base.operands[0], a.shape[first:])
    return result if base is a else scaled(terms, result, above, below, (result.shape, a.dtype)) or a


for _block in PAIRED:
    _without_leading_ones(_block)


# ---- forms as textbooks have them ----


@rule("textbook forms", "where(a = b, 1/2, a = max(a, b)) = heaviside(a - b, 1/2)", WHERE)
def _chosen_by_maximum(terms: Terms, condition: Term, a: Term, b: Term) -> Term | None:
    if not (condition.is_of(EQUAL) and b.is_of(EQUAL) and a.is_value(0.5)):
        return None
    x, y = condition.operands
    for chosen, operand in (b.operands, b.operands[::-1]):
        is_of_both = chosen.is_of(MAXIMUM, MINIMUM) and all(map(_are_equal, chosen.operands, condition.operands))
        if is_of_both and (_are_equal(operand, x) or _are_equal(operand, y)):
            one, other = (x, y) if _are_equal(operand, x) is chosen.is_of(MAXIMUM) else (y, x)
            return terms.apply(np.heaviside, terms.apply(SUBTRACT, one, other), 0.5)
    return None


def _are_equal(a: Term, b: Term) -> bool:
    return a is b or (a.is_number and b.is_number and bool(a.value == b.value))


@rule("textbook forms", "a vector on the diagonal of zeros is diag(v)", SCATTER)
def _on_diagonal(terms: Terms, a: Term, shape: Term, form: Term, *indices: Term) -> Term | None:
    n = a.size
    if len(a.shape) != 1 or tuple(shape.value) != (n, n) or len(indices) != 2 or a.dtype.kind != "f":
        return None
    slots = [part for part in form.value if part is not Ellipsis]
    every = all(each.is_constant and np.array_equal(each.value, np.arange(n)) for each in indices)
    return terms.apply(DIAGONAL_MATRIX, a, 0) if every and slots == [SLOT, SLOT] else None


def simplifying(names: Container[str] | None = None) -> Terms:
    """Return terms that are made by all rules, or by those of some names."""
    if names is None:
        return Terms(RULES)
    return Terms({of: [rule for rule in rules if rule.name in names] for of, rules in RULES.items()})
