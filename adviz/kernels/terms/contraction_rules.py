"""The rules of einsum in a derivative: several operands two at a time, and what is a product of matrices as one.

``np.einsum`` of three operands or more runs through all indices at once; two at a time, in the right order, need far
fewer operations. The order is that of ``np.einsum_path``, found when the program is written, and each step is a line or
a part of one that can be read. The package opt_einsum finds the same orders for the few operands that einsums have, and
would be needed for nothing else. A step that is a product of matrices is written as one, which NumPy gives to BLAS.

Source: Pfeifer, Haegeman and Verstraete, Faster identification of optimal contraction sequences for tensor networks,
Physical Review E 90 (2014), for the orders of up to five operands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.rules.matrix_products import EINSUM
from ...engine.rules.outlines import outline_of
from ...engine.rules.reducing import SUM
from ...engine.rules.reshaping import RESHAPE, TRANSPOSE
from .array_terms import Term, Terms, work
from .rewriting import fits, rule

MATMUL, MULTIPLY = BLOCK_OF[np.matmul], BLOCK_OF[np.multiply]
NAME = "contractions"
BY_TWOS = "an einsum of several operands is one of two operands after another, in the order that costs least"
FEW = 5
"""Operands up to which all orders are compared; of more, a greedy order is taken."""


@rule(NAME, "a number among the operands of an einsum is a factor of it", "einsum")
def _number_outside(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    *labels, result = _labels(subscripts)
    if "" not in labels or len(operands) < 2:
        return None
    place = labels.index("")
    rest = ",".join([*labels[:place], *labels[place + 1 :]])
    found = terms.apply(EINSUM, f"{rest}->{result}", *operands[:place], *operands[place + 1 :])
    return _fitting(terms.apply(MULTIPLY, operands[place], found), subscripts, operands)


@rule(NAME, BY_TWOS, "einsum")
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
    terms.note(NAME, BY_TWOS, saved)  # the last step is counted where the rule is used
    return given[0]


def _labels(subscripts: Term) -> list[str]:
    """The labels of the operands and of the result."""
    return re.split(",|->", subscripts.value)


def _path(subscripts: str, operands: Sequence[Term]) -> list[tuple[int, ...]]:
    """Which operands are multiplied first, and so on, by their places; what is made comes last."""
    shapes = [np.broadcast_to(0.0, each.shape) for each in operands]
    way = ("optimal" if len(operands) <= FEW else "greedy", 1 << 62)
    return list(np.einsum_path(subscripts, *shapes, optimize=way)[0][1:])


def _kept(labels: Sequence[str], others: Sequence[str]) -> str:
    """The labels that something else has, too, each once, in their order."""
    return "".join(dict.fromkeys(label for label in "".join(labels) if label in "".join(others)))


@rule(NAME, "einsum(ij,jk->ik, a, b) = a @ b, also where an operand or the result is transposed", "einsum")
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
    rows = _turned(terms, a, left[each:] == own + summed[0])
    columns = _turned(terms, b, right[each:] == summed[0] + other)
    return _fitting(terms.apply(MATMUL, rows, columns), subscripts, operands)


def _turned(terms: Terms, a: Term, is_right: bool) -> Term:
    """An array of matrices, transposed unless it ``is_right`` as it is; vectors are."""
    axes = range(len(a.shape))
    return a if is_right or len(a.shape) < 2 else terms.apply(TRANSPOSE, a, (*axes[:-2], axes[-1], axes[-2]))


@rule(NAME, "an einsum that sums nothing is a product of entries: einsum(i,j->ij, v, w) = v[:, None] * w", "einsum")
def _as_entries(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    *labels, result = _labels(subscripts)
    if len(operands) != 2 or not _are_different([*labels, result]) or set("".join(labels)) != set(result):
        return None
    a, b = (_along(terms, each, own, result) for each, own in zip(operands, labels, strict=True))
    return _fitting(terms.apply(MULTIPLY, a, b), subscripts, operands)


def _along(terms: Terms, a: Term, labels: str, result: str) -> Term:
    """An array with axes in the order of the result, and of length 1 where it has none."""
    order = tuple(labels.index(label) for label in result if label in labels)
    a = a if order == tuple(range(len(order))) else terms.apply(TRANSPOSE, a, order)
    sizes = iter(a.shape)
    shape = tuple(next(sizes) if label in labels else 1 for label in result)
    return a if shape == a.shape else terms.apply(RESHAPE, a, shape)


@rule(NAME, "an einsum of one operand is a sum, transposed", "einsum")
def _as_sum(terms: Terms, subscripts: Term, *operands: Term) -> Term | None:
    labels, result = _labels(subscripts)[0], _labels(subscripts)[-1]
    if len(operands) != 1 or not _are_different([labels, result]):
        return None
    axes = tuple(k for k, label in enumerate(labels) if label not in result)
    found = terms.apply(SUM, operands[0], axes, False) if axes else operands[0]
    left = [label for label in labels if label in result]
    order = tuple(left.index(label) for label in result)
    found = found if order == tuple(range(len(order))) else terms.apply(TRANSPOSE, found, order)
    return _fitting(found, subscripts, operands)


def _are_different(labels: Sequence[str]) -> bool:
    """Whether no operand has a label twice."""
    return all(len(set(each)) == len(each) for each in labels)


def _fitting(found: Term, subscripts: Term, operands: Sequence[Term]) -> Term | None:
    return found if fits(found, outline_of(EINSUM, [subscripts, *operands])) else None
