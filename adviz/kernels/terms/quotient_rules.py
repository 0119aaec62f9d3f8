"""The rules of quotients: what is multiplied and divided by the same, as in softmax and its like.

In the laws ``a``, ``b``, ``c`` and ``e`` are arrays; all hold where nothing divides by zero. Where a partial derivative
divides by what can be 0 at a finite value, as that of a square root does, nothing is cancelled: the engine has no
derivative there, and a program without the quotient would have one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.powers import LOGISTIC, SQRT
from ...engine.rules.reducing import MEAN, SUM
from ...engine.rules.reshaping import BROADCAST
from .arithmetic_rules import scale, scaled, zeros
from .array_terms import (
    ADD,
    COSH,
    DIVIDE,
    EXP,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    NEGATIVE,
    SQUARE,
    SUBTRACT,
    Term,
    Terms,
    fits,
    rule,
)

NEVER_NEGATIVE = (SQUARE, SQRT, BLOCK_OF[np.absolute])


@rule("quotients", "a / a = 1", DIVIDE)
def _over_itself(terms: Terms, a: Term, b: Term) -> Term | None:
    if a is b and a.dtype == np.dtype(float) and _is_never_zero(terms, a):
        return terms.constant(np.ones(a.shape)) if a.shape else terms.constant(1.0)
    return None


@rule("quotients", "(a / b) · (b / c) = a / c", MULTIPLY)
def _through_a_denominator(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        (x, above, below), (y, times, over) = scale(one), scale(other)
        if (
            _is_quotient(x)
            and _is_quotient(y)
            and x.operands[1] is y.operands[0]
            and _is_never_zero(terms, y.operands[0])
        ):
            result = terms.apply(DIVIDE, x.operands[0], y.operands[1])
            return scaled(terms, result, above * times, below * over, shape_dtype)
    return None


@rule("quotients", "(a / b) · b = a", MULTIPLY)
def _cancelled(terms: Terms, a: Term, b: Term) -> Term | None:
    shape_dtype = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        x, above, below = scale(one)
        if _is_quotient(x) and x.operands[1] is other and _is_never_zero(terms, other):
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
    is_twice = _is_quotient(a) and _is_quotient(a.operands[1]) and a.operands[1].operands[1] is b
    if is_twice and _is_never_zero(terms, b):
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
        if one.is_of(ADD, SUBTRACT) and any(_divides(terms, other, each) for each in one.operands):
            parts = [terms.apply(MULTIPLY, each, other) for each in one.operands]
            result = terms.apply(one.operation, *parts)
            return result if fits(result, shape_dtype) else None
    return None


def _divides(terms: Terms, c: Term, a: Term) -> bool:
    """Return whether a term is a quotient by ``c``, which can be cancelled."""
    x, _, _ = scale(a.operands[0] if a.is_of(NEGATIVE) else a)
    return _is_quotient(x) and x.operands[1] is c and _is_never_zero(terms, c)


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


# ---- divisors ----

UNKNOWN, NOT_NEGATIVE, POSITIVE = range(3)
DEEP = 8
"""So many operations, one within the other, are looked through for a sign."""


def _is_never_zero(terms: Terms, b: Term) -> bool:
    """Return whether a divisor is positive, or the value of the function is not finite where it is 0."""
    known = terms.divisors
    return known is None or all(each in known or _sign(each) == POSITIVE for each in _factors(b))


def _factors(a: Term) -> Iterator[Term]:
    """Yield the factors of a product, but for numbers."""
    pending = [a]
    while pending:
        a, _, _ = scale(pending.pop())
        if a.is_of(MULTIPLY, SQUARE, NEGATIVE):
            pending += a.operands
        else:
            yield a


def _sign(a: Term, depth: int = DEEP) -> int:
    """Return what is known of the sign of all entries of a term."""
    if a.is_number or isinstance(a.value, np.ndarray):
        return POSITIVE if np.all(np.greater(a.value, 0)) else NOT_NEGATIVE * bool(np.all(np.greater_equal(a.value, 0)))
    if a.is_of(EXP, COSH, LOGISTIC):
        return POSITIVE
    is_of_one = a.is_view or a.is_of(SUM, MEAN, BROADCAST, *NEVER_NEGATIVE)
    if not depth or not (is_of_one or a.is_of(ADD, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM)):
        return UNKNOWN
    signs = [_sign(each, depth - 1) for each in a.operands[: 1 if is_of_one else 2]]
    if a.is_of(*NEVER_NEGATIVE):
        return max(signs[0], NOT_NEGATIVE)
    largest_counts = a.is_of(MAXIMUM) or (a.is_of(ADD) and UNKNOWN not in signs)
    return max(signs) if largest_counts else min(signs)
