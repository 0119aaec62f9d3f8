"""The rules of arithmetic, of shapes and of sums for terms; :mod:`~.rewriting` says what a rule is.

In the laws ``a``, ``b`` and ``c`` are arrays, and ``k`` is a number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.blocks import BLOCK_OF
from ...engine.rules.conditions import CONDITIONS
from ...engine.rules.reducing import MAX, MEAN, MIN, SUM
from ...engine.rules.reshaping import BROADCAST, RESHAPE, TRANSPOSE
from .outlines import outline_of
from .rewriting import fits, rule
from .terms import Term, Terms, key_of

ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATIVE = (
    BLOCK_OF[each] for each in (np.add, np.subtract, np.multiply, np.divide, np.negative)
)
SINGLE = (
    "negative absolute sign sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh "
    "tanh square reciprocal logistic logical_not"
).split()
"""Functions of one operand, entry by entry."""
PAIRED = (
    "add subtract multiply divide power maximum minimum logaddexp hypot arctan2 less less_equal greater greater_equal "
    "equal not_equal logical_and logical_or"
).split()
"""Functions of two operands, entry by entry."""


# ---- neutral elements and signs ----


@rule("neutral elements", "a + 0 = a", "add")
def _plus_zero(terms: Terms, a: Term, b: Term) -> Term | None:
    return _without(ADD, a, b, 0.0) or _without(ADD, b, a, 0.0)


@rule("neutral elements", "a · 1 = a", "multiply")
def _times_one(terms: Terms, a: Term, b: Term) -> Term | None:
    return _without(MULTIPLY, a, b, 1.0) or _without(MULTIPLY, b, a, 1.0)


@rule("neutral elements", "a - 0 = a", "subtract")
def _minus_zero(terms: Terms, a: Term, b: Term) -> Term | None:
    return _without(SUBTRACT, a, b, 0.0)


@rule("neutral elements", "a / 1 = a", "divide")
def _over_one(terms: Terms, a: Term, b: Term) -> Term | None:
    return _without(DIVIDE, a, b, 1.0)


@rule("neutral elements", "a ** 1 = a", "power")
def _first_power(terms: Terms, a: Term, b: Term) -> Term | None:
    return _without(BLOCK_OF[np.power], a, b, 1.0)


@rule("neutral elements", "+a = a, and so is a copy, also in another order in memory", "positive", "copy", "arrange")
def _itself(terms: Terms, a: Term, *order: Term) -> Term | None:
    return a


def _without(operation: Any, kept: Term, other: Term, neutral: float) -> Term | None:
    """The kept operand, if the other one changes neither its entries nor its shape and dtype."""
    is_neutral = other.is_value(neutral) or (
        other.is_constant and isinstance(other.value, np.ndarray) and bool((other.value == neutral).all())
    )
    return kept if is_neutral and fits(kept, outline_of(operation, [kept, other])) else None


@rule("neutral elements", "a in its own dtype is a", "astype")
def _cast_to_itself(terms: Terms, a: Term, dtype: Term) -> Term | None:
    return a if a.dtype is not None and a.dtype == np.dtype(dtype.value) else None


@rule("signs", "-(-a) = a", "negative")
def _twice_negative(terms: Terms, a: Term) -> Term | None:
    return a.operands[0] if a.is_of("negative") else None


@rule("signs", "-(a - b) = b - a", "negative")
def _negative_difference(terms: Terms, a: Term) -> Term | None:
    return terms.apply(SUBTRACT, *a.operands[::-1]) if a.is_of("subtract") else None


@rule("signs", "-(a · k) = a · (-k)", "negative")
def _negative_factor(terms: Terms, a: Term) -> Term | None:
    if a.is_of("multiply"):
        for factor, rest in (a.operands, a.operands[::-1]):
            if factor.is_number:
                return terms.apply(MULTIPLY, terms.constant(-factor.value), rest)
    return None


@rule("signs", "a · (-1) = -a", "multiply")
def _times_minus_one(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if other.is_value(-1.0) and not one.is_number and one.dtype == outline_of(MULTIPLY, [a, b])[1]:
            return terms.apply(NEGATIVE, one)
    return None


@rule("signs", "a + (-b) = a - b", "add")
def _plus_negative(terms: Terms, a: Term, b: Term) -> Term | None:
    if b.is_of("negative"):
        return terms.apply(SUBTRACT, a, b.operands[0])
    return terms.apply(SUBTRACT, b, a.operands[0]) if a.is_of("negative") else None


@rule("signs", "a - (-b) = a + b", "subtract")
def _minus_negative(terms: Terms, a: Term, b: Term) -> Term | None:
    return terms.apply(ADD, a, b.operands[0]) if b.is_of("negative") else None


@rule("signs", "(-a) · b = -(a · b)", "multiply")
def _negative_times(terms: Terms, a: Term, b: Term) -> Term | None:
    return _outside(terms, MULTIPLY, a, b)


@rule("signs", "(-a) / b = -(a / b)", "divide")
def _negative_over(terms: Terms, a: Term, b: Term) -> Term | None:
    return _outside(terms, DIVIDE, a, b)


@rule("signs", "(-a) @ b = -(a @ b)", "matmul")
def _negative_product(terms: Terms, a: Term, b: Term) -> Term | None:
    return _outside(terms, BLOCK_OF[np.matmul], a, b)


def _outside(terms: Terms, operation: Any, a: Term, b: Term) -> Term | None:
    """The sign of a factor, taken after the product."""
    if a.is_of("negative"):
        return terms.apply(NEGATIVE, terms.apply(operation, a.operands[0], b))
    if b.is_of("negative"):
        return terms.apply(NEGATIVE, terms.apply(operation, a, b.operands[0]))
    return None


# ---- constant factors, quotients ----


@rule("constants folded", "(a · k) · k' = a · (k k'), a · (1/n) = a / n", "multiply")
def _times_numbers(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if other.is_number and not one.is_number:
            base, above, below = scale(one)
            number, divisor = _as_quotient(other.value)
            if base is not one or divisor != 1:
                return scaled(terms, base, above * number, below * divisor, outline_of(MULTIPLY, [a, b]))
    return None


@rule("constants folded", "(a · k) / k' = a · (k / k')", "divide")
def _over_numbers(terms: Terms, a: Term, b: Term) -> Term | None:
    if b.is_number and not a.is_number and b.value:
        base, above, below = scale(a)
        if base is not a:
            return scaled(terms, base, above, below * float(b.value), outline_of(DIVIDE, [a, b]))
    return None


@rule("constants folded", "(a · k) · b = (a · b) · k, (a / k) · b = (a · b) / k", "multiply")
def _numbers_outside(terms: Terms, a: Term, b: Term) -> Term | None:
    return _numbers_after(terms, MULTIPLY, a, b)


@rule("constants folded", "(a · k) / b = (a / b) · k", "divide")
def _numbers_outside_quotient(terms: Terms, a: Term, b: Term) -> Term | None:
    return _numbers_after(terms, DIVIDE, a, b)


def _numbers_after(terms: Terms, operation: Any, a: Term, b: Term) -> Term | None:
    """Take numbers out of factors as large as the product, so that they meet; both may have one."""
    if a.is_number or b.is_number:
        return None
    outline = outline_of(operation, [a, b])
    (x, above, below), (y, times, over) = (
        scale(each) if each.shape in (outline[0], ()) and each.dtype == outline[1] else (each, 1.0, 1.0)
        for each in (a, b)
    )
    if x is a and y is b:
        return None
    times, over = (over, times) if operation is DIVIDE else (times, over)
    return scaled(terms, terms.apply(operation, x, y), above * times, below * over, outline)


def scale(a: Term) -> tuple[Term, float, float]:
    """A term as another one times a number, over a number."""
    if a.is_of("multiply", "divide") and a.dtype.kind == "f":
        one, other = a.operands
        if _is_plain(other) and one.dtype == a.dtype:
            base, above, below = scale(one)
            return (base, above * other.value, below) if a.is_of("multiply") else (base, above, below * other.value)
        if _is_plain(one) and a.is_of("multiply") and other.dtype == a.dtype:
            base, above, below = scale(other)
            return base, above * one.value, below
    return a, 1.0, 1.0


def _is_plain(a: Term) -> bool:
    """Whether a term is a number of Python's that can be multiplied and divided by."""
    return a.is_number and isinstance(a.value, float) and a.value != 0 and math.isfinite(a.value)


def _as_quotient(number: Any) -> tuple[float, float]:
    """A number as a fraction: 1 over a whole number, if it is that."""
    if isinstance(number, float) and 0 < abs(number) < 1:
        whole = float(round(1 / number))
        if 1 / whole == number:
            return 1.0, whole
    return number, 1.0


def scaled(terms: Terms, base: Term, above: float, below: float, outline: Any) -> Term | None:
    """A term times a number, over a number: with one of both, if they are not both whole; the sign comes last."""
    if not (math.isfinite(above) and math.isfinite(below) and above and below and fits(base, outline)):
        return None
    sign, above, below = math.copysign(1.0, above * below), abs(above), abs(below)
    if (above / below).is_integer() or not (above.is_integer() and below.is_integer()):
        above, below = _as_quotient(above / below)
    elif (below / above).is_integer():
        above, below = 1.0, below / above
    found = base if above == 1 else terms.plain(MULTIPLY, terms.constant(above), base)
    found = found if below == 1 else terms.plain(DIVIDE, found, terms.constant(below))
    return found if sign > 0 else terms.apply(NEGATIVE, found)


@rule("quotients", "a · (1 / b) = a / b, where 1 / b is not the user's", "multiply")
def _quotient(terms: Terms, a: Term, b: Term) -> Term | None:
    shape, _ = outline_of(MULTIPLY, [a, b])
    for one, other in ((a, b), (b, a)):
        is_new = other.is_of("divide") and other.number >= terms.derivative_from
        if is_new and other.operands[0].is_value(1.0) and one.shape in (shape, ()):
            return terms.apply(DIVIDE, one, other.operands[1])
    return None


@rule("like terms", "a · k + a · k' = a · (k + k')", "add")
def _sum_of_like_terms(terms: Terms, a: Term, b: Term) -> Term | None:
    return _multiple(terms, a, b, 1.0)


@rule("like terms", "a · k - a · k' = a · (k - k')", "subtract")
def _difference_of_like_terms(terms: Terms, a: Term, b: Term) -> Term | None:
    return _multiple(terms, a, b, -1.0)


def _multiple(terms: Terms, a: Term, b: Term, sign: float) -> Term | None:
    """The sum of two multiples of the same term."""
    (x, k), (y, other) = _factored(a), _factored(b)
    if x is not y or x.is_constant or x.dtype.kind != "f":
        return None
    total = k + sign * other
    return terms.apply(MULTIPLY, x, total) if total else zeros(terms, a.shape, a.dtype)


def _factored(a: Term) -> tuple[Term, float]:
    """A term as another one times a number."""
    if a.is_of("negative"):
        inner, factor = _factored(a.operands[0])
        return inner, -factor
    base, above, below = scale(a)
    return base, above / below


def zeros(terms: Terms, shape: Any, dtype: Any) -> Term:
    """Zeros of a shape and dtype."""
    number = 0.0 if dtype == np.dtype(float) else np.zeros((), dtype)[()]
    return terms.apply(BROADCAST, number, shape)


@rule("zeros", "0 · a = 0, at finite a", "multiply")
def _times_zero(terms: Terms, a: Term, b: Term) -> Term | None:
    shape, dtype = outline_of(MULTIPLY, [a, b])
    is_zero = dtype.kind == "f" and any(_number_repeated(each) == 0.0 for each in (a, b))
    return zeros(terms, shape, dtype) if is_zero else None


@rule("constants folded", "where(True, a, b) = a", "where")
def _decided(terms: Terms, condition: Term, a: Term, b: Term) -> Term | None:
    if not condition.is_constant or np.ndim(condition.value):
        return None
    chosen, other = (a, b) if condition.value else (b, a)
    dtype = chosen.dtype if other.dtype is None else outline_of(ADD, [a, b])[1]
    return chosen if fits(chosen, (np.broadcast_shapes(a.shape, b.shape), dtype)) else None


@rule("constants folded", "a · True = a · 1", "multiply")
def _times_true(terms: Terms, a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if other.is_constant and isinstance(other.value, bool | np.bool_) and one.dtype is not None:
            found = terms.apply(MULTIPLY, one, float(other.value))
            return found if found.dtype == outline_of(MULTIPLY, [a, b])[1] else None
    return None


# ---- shapes ----


@rule("broadcasts", "a repeated to its own shape is a", "broadcast_to")
def _broadcast_to_itself(terms: Terms, a: Term, shape: Term) -> Term | None:
    if a.shape == tuple(shape.value) and not a.is_number:
        return a
    return terms.apply(BROADCAST, a.operands[0], shape) if a.is_of("broadcast_to") else None


def _number_repeated(a: Term) -> Any:
    """The number that all entries of a term are known to be, or ``None``."""
    a = a.operands[0] if a.is_of("broadcast_to") else a
    if a.is_number:
        return a.value
    is_uniform = a.is_constant and isinstance(a.value, np.ndarray) and a.size and a.dtype.kind == "f"
    if not is_uniform or a.value.tobytes() != a.size * a.value.flat[0].tobytes():  # zeros have signs
        return None
    return float(a.value.flat[0]) if a.dtype == np.dtype(float) else a.value.flat[0]


@rule("broadcasts", "an array of equal numbers is one number repeated", "broadcast_to")
def _broadcast_number(terms: Terms, a: Term, shape: Term) -> Term | None:
    number = None if a.is_number else _number_repeated(a)
    return None if number is None else terms.apply(BROADCAST, number, shape)


@rule("broadcasts", "a number repeated to no axes is that number", "broadcast_to")
def _broadcast_to_number(terms: Terms, a: Term, shape: Term) -> Term | None:
    return a if a.is_number and not shape.value else None


def _repeats_by_itself(name: str) -> None:
    """An operation on entries repeats its operands by itself, and what is repeated is computed once."""

    @rule("broadcasts", f"{name}(repeated(a), b) = {name}(a, b), where the shape of b is that of the result", name)
    def rewrite(terms: Terms, *operands: Term) -> Term | None:
        inner = [_once(terms, each) for each in operands]
        if inner == list(operands):
            return None
        operation = OPERATIONS[name]
        shape, dtype = outline_of(operation, operands)
        if outline_of(operation, inner)[1] != dtype:
            return None  # a number of Python's would take on another dtype
        if np.broadcast_shapes(*(each.shape for each in inner)) == shape:
            return terms.apply(operation, *inner)
        return terms.apply(BROADCAST, terms.apply(operation, *inner), shape)


def _once(terms: Terms, a: Term) -> Term:
    """What is repeated in a term; a number, where all its entries are that number."""
    if a.is_of("broadcast_to"):
        return a.operands[0]
    if a.shape and a.is_constant and (number := _number_repeated(a)) is not None:
        return terms.constant(number)
    return a


OPERATIONS = {block.name: block for block in (*BLOCK_OF.values(), *CONDITIONS.values())}
for _name in (*SINGLE, *PAIRED):
    _repeats_by_itself(_name)


@rule("reshapes", "a in its own shape is a, and a shape given twice is the last one", "reshape")
def _reshape_twice(terms: Terms, a: Term, shape: Term) -> Term | None:
    wanted = outline_of(RESHAPE, [a, shape])[0]
    if a.shape == wanted and not a.is_number:
        return a
    if a.is_of("reshape"):
        return terms.apply(RESHAPE, a.operands[0], terms.constant(wanted))
    return None


@rule("reshapes", "a sum in the shape with its axes kept is the sum that keeps them", "reshape")
def _reshape_sum(terms: Terms, a: Term, shape: Term) -> Term | None:
    wanted = outline_of(RESHAPE, [a, shape])[0]
    if a.is_of("sum", "mean", "max", "min") and not a.operands[2].value:
        kept = (*a.operands[:2], terms.constant(True))
        if outline_of(a.operation, kept)[0] == wanted:
            return terms.apply(a.operation, *kept)
    return None


@rule("reshapes", "a number repeated, in another shape, is that number repeated", "reshape")
def _reshape_repeated(terms: Terms, a: Term, shape: Term) -> Term | None:
    if a.is_of("broadcast_to") and not a.operands[0].shape:
        return terms.apply(BROADCAST, a.operands[0], terms.constant(outline_of(RESHAPE, [a, shape])[0]))
    return None


@rule("reshapes", "an operation on what had the shape before is done in that shape", "reshape")
def _reshaped_back(terms: Terms, a: Term, shape: Term) -> Term | None:
    wanted = outline_of(RESHAPE, [a, shape])[0]
    if not a.is_of(*PAIRED) or not any(_had_shape(each, wanted) for each in a.operands):
        return None
    inner = [
        each if each.is_number else terms.apply(RESHAPE, each, wanted)
        for each in a.operands
        if each.shape == a.shape or each.is_number
    ]
    if len(inner) < len(a.operands) or any(each.is_of("reshape") for each in inner):
        return None
    return terms.apply(a.operation, *inner)


def _had_shape(a: Term, shape: Any) -> bool:
    return a.is_of("reshape") and a.operands[0].shape == shape


@rule("transposes", "a number repeated, transposed, is that number repeated", "transpose")
def _transpose_repeated(terms: Terms, a: Term, axes: Term) -> Term | None:
    if a.is_of("broadcast_to") and not a.operands[0].shape:
        return terms.apply(BROADCAST, a.operands[0], terms.constant(outline_of(TRANSPOSE, [a, axes])[0]))
    return None


@rule("signs", "(-a).T = -(a.T)", "transpose")
def _negative_transposed(terms: Terms, a: Term, axes: Term) -> Term | None:
    return terms.apply(NEGATIVE, terms.apply(TRANSPOSE, a.operands[0], axes)) if a.is_of("negative") else None


@rule("signs", "-a in another shape", "reshape")
def _negative_reshaped(terms: Terms, a: Term, shape: Term) -> Term | None:
    return terms.apply(NEGATIVE, terms.apply(RESHAPE, a.operands[0], shape)) if a.is_of("negative") else None


@rule("constants folded", "k · a in another shape", "reshape")
def _scaled_reshaped(terms: Terms, a: Term, shape: Term) -> Term | None:
    base, above, below = scale(a)
    if base is a or not a.shape:
        return None
    found = terms.apply(RESHAPE, base, shape)
    return scaled(terms, found, above, below, (found.shape, a.dtype))


@rule("signs", "sum(-a) = -sum(a)", "sum")
def _negative_summed(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    return terms.apply(NEGATIVE, terms.apply(SUM, a.operands[0], axis, keepdims)) if a.is_of("negative") else None


@rule("transposes", "(a.T).T = a", "transpose")
def _transpose_twice(terms: Terms, a: Term, axes: Term) -> Term | None:
    count = len(a.shape)
    order = tuple(axes.value) if axes.value is not None else tuple(range(count))[::-1]
    order = tuple(k % count for k in order)
    if order == tuple(range(count)):
        return a
    if a.is_of("transpose"):
        x, inner = a.operands
        first = tuple(inner.value) if inner.value is not None else tuple(range(count))[::-1]
        return terms.apply(TRANSPOSE, x, terms.constant(tuple(first[k] for k in order)))
    return None if axes.value == order else terms.apply(TRANSPOSE, a, terms.constant(order))


def _computed_before_reshaping(name: str) -> None:
    """Of two arrays that were reshaped in the same way, an operation on entries is reshaped afterwards."""

    @rule("reshapes", f"{name}(reshaped(a), reshaped(b)) = reshaped({name}(a, b))", name)
    def rewrite(terms: Terms, *operands: Term) -> Term | None:
        if name in ("multiply", "divide") and any(each.is_number for each in operands):
            return None  # numbers come last
        inner = [each.operands[0] if each.is_of("reshape") else each for each in operands]
        shapes = {(one.shape, each.shape) for one, each in zip(inner, operands, strict=True) if not each.is_number}
        if inner == list(operands) or len(shapes) != 1 or inner[0].shape == operands[0].shape == ():
            return None
        operation = OPERATIONS[name]
        shape, dtype = outline_of(operation, operands)
        found = terms.apply(operation, *inner)
        return terms.apply(RESHAPE, found, shape) if found.dtype == dtype else None


for _name in (*SINGLE, *PAIRED):
    if _name != "negative":  # the sign comes last
        _computed_before_reshaping(_name)


# ---- sums ----


def _written_in_one_way(reduction: Any) -> None:
    @rule("axes", "axes are written in one way, and kept if another sum of these keeps them", reduction.name)
    def rewrite(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
        axes = _axes(a, axis)
        plain: Any = None if axes == tuple(range(len(a.shape))) else axes[0] if len(axes) == 1 else axes
        if key_of(plain) != key_of(axis.value):
            return terms.apply(reduction, a, plain, keepdims)
        if keepdims.value or not a.shape:
            return None
        kept = terms.made(reduction, a, axis, terms.constant(True))
        return None if kept is None else terms.apply(RESHAPE, kept, outline_of(reduction, [a, axis, keepdims])[0])


for _reduction in (SUM, MEAN, MAX, MIN):
    _written_in_one_way(_reduction)


@rule("sums", "sum(k · a) = k · sum(a), where k does not vary along the axes", "sum")
def _factor_out_of_sum(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of("multiply", "divide"):
        return None
    axes = _axes(a, axis)
    for inner, factor in (a.operands, a.operands[::-1]) if a.is_of("multiply") else (a.operands,):
        padded = (1,) * (len(a.shape) - len(factor.shape)) + factor.shape
        if inner.shape == a.shape and inner.dtype == a.dtype and all(padded[k] == 1 for k in axes):
            total = terms.apply(SUM, inner, axis, keepdims)
            if not keepdims.value and factor.shape:
                kept = tuple(n for k, n in enumerate(padded) if k not in axes)
                factor = terms.apply(RESHAPE, factor, terms.constant(kept))
            return terms.apply(a.operation, total, factor)
    return None


@rule("sums", "a sum along axes of length 1 is the array without them", "sum")
def _sum_of_one(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if a.shape and a.dtype.kind == "f" and all(a.shape[k] == 1 for k in _axes(a, axis)):
        return terms.apply(RESHAPE, a, terms.constant(outline_of(SUM, [a, axis, keepdims])[0]))
    return None


@rule("sums", "the sum of n equal numbers is n times that number", "sum")
def _sum_of_repeated(terms: Terms, a: Term, axis: Term, keepdims: Term) -> Term | None:
    if not a.is_of("broadcast_to"):
        return None
    inner, axes = a.operands[0], _axes(a, axis)
    if inner.dtype != a.dtype and not inner.is_number:
        return None
    padded = (1,) * (len(a.shape) - len(inner.shape)) + inner.shape
    repeats = math.prod(a.shape[k] for k in axes if padded[k] == 1)
    left = tuple(k for k in axes if padded[k] != 1)
    whole = terms.apply(RESHAPE, inner, terms.constant(padded)) if inner.shape else inner
    total = terms.apply(SUM, whole, terms.constant(left), terms.constant(True)) if left else whole
    total = terms.apply(MULTIPLY, total, terms.constant(float(repeats))) if repeats != 1 else total
    shape = outline_of(SUM, [a, axis, keepdims])[0]
    if total.shape:
        kept = tuple(1 if k in axes else n for k, n in enumerate(padded))
        kept = kept if keepdims.value else tuple(n for k, n in enumerate(kept) if k not in axes)
        total = terms.apply(RESHAPE, total, terms.constant(kept))
    return terms.apply(BROADCAST, total, terms.constant(shape))


def _axes(a: Term, axis: Term) -> tuple[int, ...]:
    count = len(a.shape)
    return tuple(range(count)) if axis.value is None else tuple(int(k) % count for k in np.atleast_1d(axis.value))


# ---- forms as textbooks have them ----


@rule("textbook forms", "1 / cosh(a)² = 1 - tanh(a)²", "square")
def _derivative_of_tanh(terms: Terms, a: Term) -> Term | None:
    """The engine's form is exact in the last digit where ``tanh`` is close to 1; this one is within a rounding of 1."""
    if not (a.is_of("divide") and a.operands[0].is_value(1.0) and a.operands[1].is_of("cosh")):
        return None
    low = a.operands[1].operands[0]
    if not (low.is_of("minimum") and low.operands[1].is_value(375.0) and low.operands[0].is_of("maximum")):
        return None
    x, limit = low.operands[0].operands
    if not limit.is_value(-375.0):
        return None
    return terms.apply(SUBTRACT, 1.0, terms.apply(np.square, terms.apply(np.tanh, x)))


@rule("textbook forms", "a · a = a²", "multiply")
def _square(terms: Terms, a: Term, b: Term) -> Term | None:
    return terms.apply(np.square, a) if a is b and not a.is_number and a.dtype.kind == "f" else None


@rule("textbook forms", "a ** 2 = a²", "power")
def _second_power(terms: Terms, a: Term, b: Term) -> Term | None:
    return terms.apply(np.square, a) if b.is_value(2.0) and a.dtype.kind == "f" else None
