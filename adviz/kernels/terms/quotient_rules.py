"""The rules of quotients: what is multiplied and divided by the same, as in softmax and its like.

In the laws ``a``, ``b``, ``c`` and ``e`` are arrays; all hold where nothing divides by zero.
"""

from __future__ import annotations

import numpy as np

from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.reducing import SUM
from ...engine.rules.reshaping import BROADCAST
from .arithmetic_rules import scale, scaled, zeros
from .array_terms import ADD, DIVIDE, MULTIPLY, NEGATIVE, SQUARE, SUBTRACT, Term, Terms, fits, rule


@rule("quotients", "a / a = 1", DIVIDE)
def _over_itself(terms: Terms, a: Term, b: Term) -> Term | None:
    if a is b and a.dtype == np.dtype(float):
        return terms.constant(np.ones(a.shape)) if a.shape else terms.constant(1.0)
    return None


@rule("quotients", "(a / b) · (b / c) = a / c", MULTIPLY)
def _through_a_denominator(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        (x, above, below), (y, times, over) = scale(one), scale(other)
        if _is_quotient(x) and _is_quotient(y) and x.operands[1] is y.operands[0]:
            result = terms.apply(DIVIDE, x.operands[0], y.operands[1])
            return scaled(terms, result, above * times, below * over, shape_dtype)
    return None


@rule("quotients", "(a / b) · b = a", MULTIPLY)
def _cancelled(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        x, above, below = scale(one)
        if _is_quotient(x) and x.operands[1] is other:
            top = x.operands[0]
            if top.is_number and isinstance(top.value, float) and shape_dtype[1] == np.dtype(float):
                return terms.apply(BROADCAST, top.value * above / below, shape_dtype[0])
            return scaled(terms, top, above, below, shape_dtype)
    return None


@rule("quotients", "(a / c) · e = a · p, where p = e / c is there", MULTIPLY)
def _known_quotient(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        x, above, below = scale(one)
        if _is_quotient(x):
            known = terms.made(DIVIDE, other, x.operands[1])
            is_earlier = known is not None and known.number < x.number  # else it would go back and forth
            if known is not None and is_earlier and known.shape == shape_dtype[0]:
                return scaled(terms, terms.apply(MULTIPLY, x.operands[0], known), above, below, shape_dtype)
    return None


@rule("quotients", "(a / (b / c)) / c = a / b", DIVIDE)
def _twice_over(terms: Terms, a: Term, b: Term) -> Term | None:
    if _is_quotient(a) and _is_quotient(a.operands[1]) and a.operands[1].operands[1] is b:
        result = terms.apply(DIVIDE, a.operands[0], a.operands[1].operands[0])
        return result if fits(result, shape_dtype_of(DIVIDE, [a, b])) else None
    return None


@rule("quotients", "a / b = a · s, where s = 1 / b is there", DIVIDE)
def _known_reciprocal(terms: Terms, a: Term, b: Term) -> Term | None:
    s = _reciprocal(terms, b)
    if s is None or a.is_number:
        return None
    result = terms.apply(MULTIPLY, a, s)
    return result if fits(result, shape_dtype_of(DIVIDE, [a, b])) else None


def _reciprocal(terms: Terms, b: Term) -> Term | None:
    """Return the value of the user's that is 1 over a term."""
    for one in (1.0, 1):
        s = terms.made(DIVIDE, terms.constant(one), b)
        if s is not None and s.number < terms.derivative_from:
            return s
    return None


@rule("textbook forms", "a · s · e = a · (1 - s), where s = 1 / (1 + e) is there", MULTIPLY)
def _derivative_of_sigmoid(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, e in ((a, b), (b, a)):
        for unit in (1.0, 1):
            below = terms.made(ADD, terms.constant(unit), e) or terms.made(ADD, e, terms.constant(unit))
            s = _reciprocal(terms, below) if below is not None else None
            rest = _without_factor(terms, one, s) if s is not None else None
            if s is not None and rest is not None:
                result = terms.apply(MULTIPLY, rest, terms.apply(SUBTRACT, 1.0, s))
                return result if fits(result, shape_dtype_of(MULTIPLY, [a, b])) else None
    return None


def _without_factor(terms: Terms, a: Term, s: Term) -> Term | None:
    """Return a product without one of its factors; ``None`` if it does not have it."""
    if a.is_of(SQUARE) and a.operands[0] is s:
        return s
    if a.is_of(NEGATIVE):
        rest = _without_factor(terms, a.operands[0], s)
        return None if rest is None else terms.apply(NEGATIVE, rest)
    if a.is_of(MULTIPLY):
        for one, other in (a.operands, a.operands[::-1]):
            if one is s:
                return other
            if (rest := _without_factor(terms, one, s)) is not None:
                return terms.apply(MULTIPLY, rest, other)
    return None


@rule("quotients", "a / c + b / c = (a + b) / c", ADD)
@rule("quotients", "a / c - b / c = (a - b) / c", SUBTRACT)
def _over_one_denominator(terms: Terms, a: Term, b: Term) -> Term | None:
    operation = terms.operation
    if _is_quotient(a) and _is_quotient(b) and a.operands[1] is b.operands[1]:
        if any(each.operands[0].dtype not in (None, each.dtype) for each in (a, b)):
            return None  # masks are neither added nor subtracted
        result = terms.apply(DIVIDE, terms.apply(operation, a.operands[0], b.operands[0]), a.operands[1])
        return result if fits(result, shape_dtype_of(operation, [a, b])) else None
    return None


@rule("quotients", "(a + b / c) · c = a · c + b, (a - b / c) · c = a · c - b", MULTIPLY)
def _into_a_sum(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        if one.is_of(ADD, SUBTRACT) and any(_divides(other, each) for each in one.operands):
            parts = [terms.apply(MULTIPLY, each, other) for each in one.operands]
            result = terms.apply(one.operation, *parts)
            return result if fits(result, shape_dtype) else None
    return None


def _divides(c: Term, a: Term) -> bool:
    """Return whether a term is a quotient by ``c``."""
    x, _, _ = scale(a.operands[0] if a.is_of(NEGATIVE) else a)
    return _is_quotient(x) and x.operands[1] is c


def _is_quotient(a: Term) -> bool:
    return a.is_of(DIVIDE) and not a.operands[1].is_number and a.dtype.kind == "f"


@rule("quotients", "a · (b / c) = (a · b) / c, where b / c is not the user's", MULTIPLY)
def _product_over(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        is_new = one.number >= terms.derivative_from and not one.operands[0].is_number if _is_quotient(one) else False
        if is_new and one.shape == other.shape == shape_dtype[0] and other.dtype == one.dtype and not other.is_number:
            return terms.apply(DIVIDE, terms.apply(MULTIPLY, other, one.operands[0]), one.operands[1])
    return None


@rule("sums", "sum(a · (b / c)) = sum(a · b) / c, where c does not vary along the axes", SUM)
def _denominator_out_of_sum(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of(MULTIPLY) or not keepdims.value:
        return None
    for one, other in (a.operands, a.operands[::-1]):
        is_new = other.number >= terms.derivative_from  # a quotient of the user's stays as it is
        if is_new and _is_quotient(other) and other.operands[0].shape == a.shape == one.shape:
            below = other.operands[1]
            shape_dtype = shape_dtype_of(SUM, [a, axis, keepdims])
            if below.shape == shape_dtype[0]:
                product = terms.apply(MULTIPLY, one, other.operands[0])
                return terms.apply(DIVIDE, terms.apply(SUM, product, axis, keepdims), below)
    return None


@rule("zeros", "sum(a - b) = 0, sum((a - b) · c) = 0, where both sums are equal", SUM)
def _equal_sums(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    """Return the adjoint of what is the same for all entries of a softmax, such as the largest one."""
    factor, difference = None, a
    if a.is_of(MULTIPLY):
        for one, other in (a.operands, a.operands[::-1]):
            if one.is_of(SUBTRACT, ADD):
                difference, factor = one, other
    if not difference.is_of(SUBTRACT, ADD):
        return None
    with terms.on_trial():
        parts = [terms.apply(MULTIPLY, each, factor) if factor else each for each in difference.operands]
        if any(each.shape != a.shape for each in parts):
            return None
        sums = [terms.apply(SUM, each, axis, keepdims) for each in parts]
        total = terms.apply(difference.operation, *sums)
    return total if is_zero(total) else None


@rule("zeros", "0 / a = 0", DIVIDE)
def _nothing_over(terms: Terms, a: Term, b: Term) -> Term | None:
    shape, dtype = shape_dtype_of(DIVIDE, [a, b])
    return zeros(terms, shape, dtype) if is_zero(a) and dtype.kind == "f" else None


@rule("like terms", "a · k + b · k = (a + b) · k", ADD)
@rule("like terms", "a · k - b · k = (a - b) · k", SUBTRACT)
def _one_multiple(terms: Terms, a: Term, b: Term) -> Term | None:
    operation = terms.operation
    (x, above, below), (y, times, over) = scale(a), scale(b)
    if (above, below) != (times, over) or above == below or a.shape != b.shape:
        return None
    return scaled(terms, terms.apply(operation, x, y), above, below, shape_dtype_of(operation, [a, b]))


def is_zero(a: Term) -> bool:
    """Return whether a term is zeros."""
    a = a.operands[0] if a.is_of(BROADCAST) else a
    return a.is_number and bool(a.value == 0)
