"""A last pass over terms, when it is known what is used how often.

A sum of what is there already with its factor replaces a factor times another sum, and a sum that kept its axes for
nothing does without them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.reducing import SUM
from ...engine.rules.reshaping import RESHAPE
from .arithmetic_rules import scale
from .array_terms import Term, Terms, in_order
from .shape_rules import axes_of

# ---- sums of products ----

# A last pass over terms: sums of products, which nothing else needs, as products of vectors and matrices.
#
# `np.sum(a * w, axis=1)` writes an array of the shape of `a` and reads it again; `a @ w` reads `a` once, and NumPy
# gives it to BLAS. A product that is there anyway is added up as it is.


MATMUL = BLOCK_OF[np.matmul]
NAME, LAW = "sums", "sum(v * w) = v @ w, sum(v[:, None] * a, axis=0) = v @ a, sum(a * w, axis=1) = a @ w"


def multiplied(terms: Terms, results: Sequence[Term]) -> dict[Term, Term]:
    """For each term of the results the one to take.

    >>> from .linear_rules import simplifying
    >>> from ...engine.rules.reducing import SUM
    >>> terms = simplifying()
    >>> terms.derivative_from = 0
    >>> a, w = terms.input(0, (4, 3), np.dtype(float)), terms.input(1, (3,), np.dtype(float))
    >>> product = terms.apply(np.multiply, a, w)
    >>> total = terms.apply(SUM, product, 1, False)
    >>> multiplied(terms, [total])[total].name, multiplied(terms, [total, product])[total].name
    ('matmul', 'sum')
    """
    order = in_order(results)
    uses = Counter(operand for term in order for operand in term.operands)
    uses.update(results)
    result: dict[Term, Term] = {}
    for term in order:
        operands = [result[each] for each in term.operands]
        if operands == list(term.operands):
            result[term] = term
        else:  # what had its axes kept may be taken in its own shape now
            make = terms.apply if term.is_of("reshape", "transpose") else terms.plain
            result[term] = make(term.operation, *operands)
        is_derived = term.number >= terms.derivative_from and terms.derivative_from < math.inf
        if is_derived and result[term].is_of("sum") and uses[term.operands[0]] == 1:
            product = result[term].operands[0]
            if (other := _product(terms, product, result[term])) is not None:
                terms.note(NAME, LAW, product.size)
                result[term] = other
    return result


def _product(terms: Terms, a: Term, total: Term) -> Term | None:
    """Return the sum of ``a`` as a product, if it is one."""
    if not a.is_of("multiply") or len(a.shape) not in (1, 2) or a.dtype.kind != "f":
        return None
    axes = axes_of(a, total.operands[1])
    for one, other in (a.operands, a.operands[::-1]):
        if one.dtype != a.dtype or other.dtype != a.dtype or other.shape != a.shape:
            continue
        is_row = len(a.shape) == 2 and one.shape in (a.shape[1:], (1, *a.shape[1:]))
        is_column = one.shape == (a.shape if len(a.shape) == 1 else (a.shape[0], 1))
        if (axes == (0,) and is_column) or (axes == (1,) and is_row):
            v = terms.apply(RESHAPE, one, (one.size,))
            result = terms.apply(MATMUL, *((v, other) if axes == (0,) else (other, v)))
            return terms.apply(RESHAPE, result, total.shape)
    return None


# ---- what is used again ----


Scaled = tuple[Term, float]
"""A term, and a factor of it."""


def reused(terms: Terms, results: Sequence[Term]) -> dict[Term, Term]:
    """For each term of the results the one to take: ``sum(a / 8)`` for ``sum(a) / 8``, where ``a / 8`` is there.

    Rules take numbers out of sums, so that they meet others; where they met none, this saves an operation.

    >>> import numpy as np
    >>> from .linear_rules import simplifying
    >>> terms = simplifying()
    >>> terms.derivative_from = 0
    >>> x = terms.input(0, (3,), np.dtype(float))
    >>> part = terms.apply(np.divide, x, 8.0)
    >>> total = terms.apply(SUM, part, None, False)
    >>> total.name, reused(terms, [part, total])[total].operands[0] is part
    ('divide', True)
    """
    order = in_order(results)
    uses = Counter([*results, *(operand for term in order for operand in term.operands)])
    there = {_scaled(term): term for term in order if term.is_of("multiply", "divide", "negative")}
    result: dict[Term, Term] = {}
    for term in order:
        core, factor = _scaled(term)
        if core is not term and core.is_of("sum"):
            inner, *settings = core.operands
            base, inside = _scaled(inner)
            whole = there.get((base, factor * inside))
            if whole is not None:
                result[term] = terms.plain(SUM, result.get(whole, whole), *settings)
                continue
        if _drops_axes(term, terms) and uses[term.operands[0]] == 1:
            a, axis, _ = term.operands[0].operands
            operation = term.operands[0].operation
            result[term] = terms.plain(operation, result.get(a, a), axis, terms.constant(False))
            continue
        operands = [result.get(each, each) for each in term.operands]
        result[term] = term if operands == list(term.operands) else terms.plain(term.operation, *operands)
    return result


def _drops_axes(term: Term, terms: Terms) -> bool:
    """Return whether a term is a sum or its like that keeps its axes, which are then taken away; not the user's."""
    if not term.is_of("reshape"):
        return False
    kept = term.operands[0]
    if not kept.is_of("sum", "mean", "max", "min") or not kept.operands[2].value or kept.number < terms.users_until:
        return False
    a, axis, _ = kept.operands
    return bool(shape_dtype_of(kept.operation, [a, axis, terms.constant(False)])[0] == term.shape)


def _scaled(term: Term) -> Scaled:
    """Return a term as another one times a number."""
    sign = 1.0
    while term.is_of("negative"):
        sign, term = -sign, term.operands[0]
    core, above, below = scale(term)
    return core, sign * above / below
