"""The rules of arithmetic for terms; :mod:`~.array_terms` says what a rule is.

In the laws ``a``, ``b`` and ``c`` are arrays, and ``k`` is a number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.rules.abstract_values import shape_dtype_of
from ...engine.rules.matrix_products import MATMUL
from ...engine.rules.powers import LOGISTIC
from ...engine.rules.reshaping import ARRANGE, BROADCAST, CAST, COPY
from ...engine.rules.selection import CONDITIONS, WHERE
from .array_terms import (
    ADD,
    COSH,
    DIVIDE,
    EXP,
    LOG,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    NEGATIVE,
    POSITIVE,
    POWER,
    SQUARE,
    SUBTRACT,
    Term,
    Terms,
    fits,
    rule,
)

_OF_NUMPY = [each for ufunc, each in {**BLOCK_OF, **CONDITIONS}.items() if vars(np).get(ufunc.__name__) is ufunc]
_OF_ENTRIES = [*_OF_NUMPY, LOGISTIC]
SINGLE = [each for each in _OF_ENTRIES if len(each.partials) == 1 and each is not POSITIVE]
"""Functions of one operand, entry by entry; what +a is, is said below."""
PAIRED = [each for each in _OF_ENTRIES if len(each.partials) == 2]
"""Functions of two operands, entry by entry."""


# ---- neutral elements and signs ----


@rule("neutral elements", "a + 0 = a", ADD)
@rule("neutral elements", "a · 1 = a", MULTIPLY)
@rule("neutral elements", "a - 0 = a", SUBTRACT)
@rule("neutral elements", "a / 1 = a", DIVIDE)
@rule("neutral elements", "a ** 1 = a", POWER)
def _without_neutral(terms: Terms, a: Term, b: Term) -> Term | None:
    """Return the operand that the other one changes neither in its entries nor in its shape and dtype."""
    operation = terms.operation
    neutral = 0.0 if operation in (ADD, SUBTRACT) else 1.0
    for remaining, other in ((a, b), (b, a))[: 2 if operation in (ADD, MULTIPLY) else 1]:
        is_array = other.is_constant and isinstance(other.value, np.ndarray)
        is_neutral = other.is_value(neutral) or (is_array and bool((other.value == neutral).all()))
        if is_neutral and fits(remaining, shape_dtype_of(operation, [remaining, other])):
            return remaining
    return None


@rule("neutral elements", "+a = a, and so is a copy, also in another order in memory", POSITIVE, COPY, ARRANGE)
def _itself(terms: Terms, a: Term, *order: Term) -> Term | None:
    return a


@rule("neutral elements", "a in its own dtype is a", CAST)
def _cast_to_itself(terms: Terms, a: Term, *dtype: Term) -> Term | None:
    return a if dtype and a.dtype is not None and a.dtype == np.dtype(dtype[0].value) else None


@rule("signs", "-(-a) = a", NEGATIVE)
def _twice_negative(terms: Terms, a: Term) -> Term | None:
    return a.operands[0] if a.is_of(NEGATIVE) else None


@rule("signs", "-(a - b) = b - a", NEGATIVE)
def _negative_difference(terms: Terms, a: Term) -> Term | None:
    return terms.apply(SUBTRACT, *a.operands[::-1]) if a.is_of(SUBTRACT) else None


@rule("signs", "-(a · k) = a · (-k)", NEGATIVE)
def _negative_factor(terms: Terms, a: Term) -> Term | None:
    if a.is_of(MULTIPLY):
        for factor, rest in (a.operands, a.operands[::-1]):
            if factor.is_number:
                return terms.apply(MULTIPLY, terms.constant(-factor.value), rest)
    return None


@rule("signs", "a · (-1) = -a", MULTIPLY)
def _times_minus_one(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if other.is_value(-1.0) and not one.is_number and one.dtype == shape_dtype_of(MULTIPLY, [a, b])[1]:
            return terms.apply(NEGATIVE, one)
    return None


@rule("signs", "a + (-b) = a - b", ADD)
def _plus_negative(terms: Terms, a: Term, b: Term) -> Term | None:
    if b.is_of(NEGATIVE):
        return terms.apply(SUBTRACT, a, b.operands[0])
    return terms.apply(SUBTRACT, b, a.operands[0]) if a.is_of(NEGATIVE) else None


@rule("signs", "a - (-b) = a + b", SUBTRACT)
def _minus_negative(terms: Terms, a: Term, b: Term) -> Term | None:
    return terms.apply(ADD, a, b.operands[0]) if b.is_of(NEGATIVE) else None


@rule("signs", "(-a) · b = -(a · b)", MULTIPLY)
@rule("signs", "(-a) / b = -(a / b)", DIVIDE)
@rule("signs", "(-a) @ b = -(a @ b)", MATMUL)
def _negative_factors(terms: Terms, a: Term, b: Term) -> Term | None:
    operation = terms.operation
    if a.is_of(NEGATIVE):
        return terms.apply(NEGATIVE, terms.apply(operation, a.operands[0], b))
    if b.is_of(NEGATIVE):
        return terms.apply(NEGATIVE, terms.apply(operation, a, b.operands[0]))
    return None


# ---- constant factors, quotients ----


@rule("constants folded", "(a · k) · k' = a · (k k'), a · (1/n) = a / n", MULTIPLY)
def _times_numbers(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if other.is_number and not one.is_number:
            base, above, below = scale(one)
            number, divisor = _as_quotient(other.value)
            if base is not one or divisor != 1:
                return scaled(terms, base, above * number, below * divisor, shape_dtype_of(MULTIPLY, [a, b]))
    return None


@rule("constants folded", "(a · k) / k' = a · (k / k')", DIVIDE)
def _over_numbers(terms: Terms, a: Term, b: Term) -> Term | None:
    if b.is_number and not a.is_number and b.value:
        base, above, below = scale(a)
        if base is not a:
            return scaled(terms, base, above, below * float(b.value), shape_dtype_of(DIVIDE, [a, b]))
    return None


@rule("constants folded", "(a · k) · b = (a · b) · k, (a / k) · b = (a · b) / k", MULTIPLY)
@rule("constants folded", "(a · k) / b = (a / b) · k", DIVIDE)
def _numbers_after(terms: Terms, a: Term, b: Term) -> Term | None:
    """Take numbers out of factors as large as the product, so that they meet; both may have one."""
    operation = terms.operation
    if a.is_number or b.is_number:
        return None
    shape_dtype = shape_dtype_of(operation, [a, b])
    (x, above, below), (y, times, over) = (
        scale(each) if each.shape in (shape_dtype[0], ()) and each.dtype == shape_dtype[1] else (each, 1.0, 1.0)
        for each in (a, b)
    )
    if x is a and y is b:
        return None
    times, over = (over, times) if operation is DIVIDE else (times, over)
    base, more, under = scale(terms.apply(operation, x, y))
    return scaled(terms, base, above * times * more, below * over * under, shape_dtype)


MOST_FACTORS = 40
"""Factors that are taken out of a term at most, so that a chain of n of them is not gone through n times."""


def scale(a: Term) -> tuple[Term, float, float]:
    """Return a term as another one times a number, over a number."""
    numbers: list[tuple[bool, float]] = []
    while len(numbers) < MOST_FACTORS and (inner := _unscaled(a)) is not None:
        a, is_above, number = inner
        numbers.append((is_above, number))
    above = below = 1.0
    for is_above, number in reversed(numbers):  # the innermost first, as they are computed
        above, below = (above * number, below) if is_above else (above, below * number)
    return a, above, below


def _unscaled(a: Term) -> tuple[Term, bool, float] | None:
    """Return what is multiplied or divided by a number in a term, whether it is multiplied, and the number."""
    if not a.is_of(MULTIPLY, DIVIDE) or a.dtype.kind != "f":
        return None
    one, other = a.operands
    if _is_plain(other) and one.dtype == a.dtype:
        return one, a.is_of(MULTIPLY), other.value
    if _is_plain(one) and a.is_of(MULTIPLY) and other.dtype == a.dtype:
        return other, True, one.value
    return None


def _is_plain(a: Term) -> bool:
    """Return whether a term is a number of Python's that can be multiplied and divided by."""
    return a.is_number and isinstance(a.value, float) and a.value != 0 and math.isfinite(a.value)


def _as_quotient(number: Any) -> tuple[float, float]:
    """Return a number as a fraction: 1 over a whole number, if it is that."""
    if isinstance(number, float) and 0 < abs(number) < 1:
        whole = float(round(1 / number))
        if 1 / whole == number:
            return 1.0, whole
    return number, 1.0


def scaled(terms: Terms, base: Term, above: float, below: float, shape_dtype: Any) -> Term | None:
    """Return a term times a number, over a number: with one of both, if not both are whole; the sign comes last."""
    if not (math.isfinite(above) and math.isfinite(below) and above and below and fits(base, shape_dtype)):
        return None
    sign, above, below = math.copysign(1.0, above * below), abs(above), abs(below)
    if (above / below).is_integer() or not (above.is_integer() and below.is_integer()):
        above, below = _as_quotient(above / below)
    elif (below / above).is_integer():
        above, below = 1.0, below / above
    result = base if above == 1 else terms.plain(MULTIPLY, terms.constant(above), base)
    result = result if below == 1 else terms.plain(DIVIDE, result, terms.constant(below))
    return result if sign > 0 else terms.apply(NEGATIVE, result)


@rule("quotients", "a · (1 / b) = a / b, where 1 / b is not the user's", MULTIPLY)
def _quotient(terms: Terms, a: Term, b: Term) -> Term | None:
    shape, _ = shape_dtype_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        is_new = other.is_of(DIVIDE) and other.number >= terms.derivative_from
        if is_new and other.operands[0].is_value(1.0) and one.shape in (shape, ()):
            return terms.apply(DIVIDE, one, other.operands[1])
    return None


@rule("logarithms", "log(exp(a)) = a, log(exp(a) / b) = a - log(b)", LOG)
def _logarithm_of_exponential(terms: Terms, a: Term) -> Term | None:
    """Apply also where the exponential is infinite, or too small for its logarithm."""
    above, below = a.operands if a.is_of(DIVIDE) else (a, None)
    if not above.is_of(EXP):
        return None
    x, shape_dtype = above.operands[0], shape_dtype_of(terms.operation, [a])
    result = x if below is None else terms.apply(SUBTRACT, x, terms.apply(np.log, below))
    return result if fits(result, shape_dtype) else None


@rule("like terms", "a · k + a · k' = a · (k + k')", ADD)
@rule("like terms", "a · k - a · k' = a · (k - k')", SUBTRACT)
def _sum_of_like_terms(terms: Terms, a: Term, b: Term) -> Term | None:
    (x, k), (y, other) = factored(a), factored(b)
    if x is not y or x.is_constant or x.dtype.kind != "f":
        return None
    total = k + other if terms.operation is ADD else k - other
    return terms.apply(MULTIPLY, x, total) if total else zeros(terms, a.shape, a.dtype)


def factored(a: Term) -> tuple[Term, float]:
    """Return a term as another one times a number."""
    sign = 1.0
    while a.is_of(NEGATIVE):
        a, sign = a.operands[0], -sign
    base, above, below = scale(a)
    return base, sign * above / below


def zeros(terms: Terms, shape: Any, dtype: Any) -> Term:
    """Return zeros of a shape and dtype."""
    number = 0.0 if dtype == np.dtype(float) else np.zeros((), dtype)[()]
    return terms.apply(BROADCAST, number, shape)


def number_repeated(a: Term) -> Any:
    """Return the number that all entries of a term are known to be, or ``None``."""
    a = a.operands[0] if a.is_of(BROADCAST) else a
    if a.is_number:
        return a.value
    is_uniform = a.is_constant and isinstance(a.value, np.ndarray) and a.size and a.dtype.kind == "f"
    if not is_uniform or a.value.tobytes() != a.size * a.value.flat[0].tobytes():  # zeros have signs
        return None
    return float(a.value.flat[0]) if a.dtype == np.dtype(float) else a.value.flat[0]


@rule("zeros", "0 · a = 0, at finite a", MULTIPLY)
def _times_zero(terms: Terms, a: Term, b: Term) -> Term | None:
    shape, dtype = shape_dtype_of(MULTIPLY, [a, b])
    is_zero = dtype.kind == "f" and any(number_repeated(each) == 0.0 for each in (a, b))
    return zeros(terms, shape, dtype) if is_zero else None


@rule("constants folded", "where(True, a, b) = a", WHERE)
def _decided(terms: Terms, condition: Term, a: Term, b: Term) -> Term | None:
    if not condition.is_constant or np.ndim(condition.value):
        return None
    chosen = a if condition.value else b
    return chosen if fits(chosen, shape_dtype_of(ADD, [a, b])) else None


@rule("constants folded", "a · True = a · 1", MULTIPLY)
def _times_true(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if other.is_constant and isinstance(other.value, bool | np.bool_) and one.dtype is not None:
            result = terms.apply(MULTIPLY, one, float(other.value))
            return result if result.dtype == shape_dtype_of(MULTIPLY, [a, b])[1] else None
    return None


# ---- forms as textbooks have them ----


@rule("textbook forms", "1 / cosh(a)² = 1 - tanh(a)²", SQUARE)
def _derivative_of_tanh(terms: Terms, a: Term) -> Term | None:
    """Round once more than the engine's form, which is exact in the last digit where ``tanh`` is close to 1."""
    if not (a.is_of(DIVIDE) and a.operands[0].is_value(1.0) and a.operands[1].is_of(COSH)):
        return None
    low = a.operands[1].operands[0]
    if not (low.is_of(MINIMUM) and low.operands[1].is_value(375.0) and low.operands[0].is_of(MAXIMUM)):
        return None
    x, limit = low.operands[0].operands
    if not limit.is_value(-375.0):
        return None
    return terms.apply(SUBTRACT, 1.0, terms.apply(np.square, terms.apply(np.tanh, x)))


@rule("textbook forms", "a · a = a²", MULTIPLY)
def _square(terms: Terms, a: Term, b: Term) -> Term | None:
    return terms.apply(np.square, a) if a is b and not a.is_number and a.dtype.kind == "f" else None


@rule("textbook forms", "a ** 2 = a²", POWER)
def _second_power(terms: Terms, a: Term, b: Term) -> Term | None:
    return terms.apply(np.square, a) if b.is_value(2.0) and a.dtype.kind == "f" else None
