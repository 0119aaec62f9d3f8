"""Functions that take one operand or another, or its sign, and conditions: with kinks where the choice changes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Elementwise, Numeric, Rule, Words
from ..devices import as_like
from ..jacobians.local import Choice, Flat, Jacobian
from . import rows
from .elementwise import at_zero, elementwise, kinked, tied, zero
from .textbook import COMPARISON, CONSTANT, extreme

# ---- conditions ----


ROWS: list[tuple[Any, ...]] = [
    # ufunc, its symbol, the same on floats, and for programs; of booleans how they are connected in programs on arrays
    (np.less, "<", operator.lt, Numeric(0.25, "<")),
    (np.less_equal, "≤", operator.le, Numeric(0.25, "<=")),
    (np.greater, ">", operator.gt, Numeric(0.25, ">")),
    (np.greater_equal, "≥", operator.ge, Numeric(0.25, ">=")),
    (np.equal, "=", operator.eq, Numeric(0.25, "==")),
    (np.not_equal, "≠", operator.ne, Numeric(0.25, "!=")),
    (np.isnan, "is NaN", math.isnan, Numeric(0.25)),
    (np.isinf, "is infinite", math.isinf, Numeric(0.25)),
    (np.isfinite, "is finite", math.isfinite, Numeric(0.25)),
    (np.signbit, "has a minus", lambda x: math.copysign(1.0, x) < 0, Numeric(0.25)),
    (np.logical_and, "and", lambda a, b: bool(a and b), Numeric(0.1, c="{0} && {1}", is_connective=True), "&"),
    (np.logical_or, "or", lambda a, b: bool(a or b), Numeric(0.1, c="{0} || {1}", is_connective=True), "|"),
    (np.logical_xor, "either", lambda a, b: bool(a) != bool(b), Numeric(0.1, c="!{0} != !{1}", is_connective=True)),
    (np.logical_not, "not", operator.not_, Numeric(0.1, c="!{0}", is_connective=True), "~"),
]

CONDITIONS = {
    ufunc: Elementwise(
        ufunc.__name__,
        ufunc,
        *[zero] * ufunc.nin,
        family="condition",
        symbol=symbol,
        scalar_fn=quick,
        formulas=("0",) * ufunc.nin,
        words=COMPARISON,
        numeric=numeric,
        operator="".join(connective),
        noun="mask" if numeric.operator else "",
        kink=tied if numeric.operator else at_zero if ufunc is np.signbit else None,
        count=0 if numeric.is_connective else 1,
    )
    for ufunc, symbol, quick, numeric, *connective in ROWS
}
"""The Block of a ufunc whose values are booleans."""

READ = Elementwise(
    "read",
    lambda x: x,
    zero,
    family="condition",
    scalar_fn=float,
    formulas=("0",),
    words=Words("This number was read here; the derivative does not flow through it: its partial is 0."),
    count=0,
)
"""A number that a program read, as text or for a decision (``engine/unsupported.py``): nothing depends on it."""

CONNECTIVES = {
    np.bitwise_and: np.logical_and,
    np.bitwise_or: np.logical_or,
    np.bitwise_xor: np.logical_xor,
    np.invert: np.logical_not,
}
"""What ``&``, ``|``, ``^`` and ``~`` are on arrays of comparisons."""

CHOICE = Elementwise(
    "where",
    np.where,
    zero,
    lambda y, condition, a, b: np.where(condition, 1.0, 0.0),
    lambda y, condition, a, b: np.where(condition, 0.0, 1.0),
    family="selection",
    scalar_fn=lambda condition, a, b: a if condition else b,
    noun="choice",
    gives_array=True,
    numeric=Numeric(
        1.0, c="{0} ? {1} : {2}", is_instruction=True, compiled=lambda condition, a, b: a if condition else b
    ),
    count=0,
    formulas=("0", "1 where the condition holds, else 0", "0 where the condition holds, else 1"),
    words=Words(
        "The condition decides which operand is taken: [b:the partial of {b} is 1 where it holds, else 0][bc:; ]"
        "[c:the partial of {c} is 1 where it does not hold, else 0].",
        (
            (("1", "The condition only decides; it is flat, so its partial is 0."),),
            (("[not {a}]", "That is the partial of the other operand: this one is taken where the condition holds."),),
            (
                (
                    "[{a}]",
                    "That is the partial of the other operand: this one is taken where the condition does not hold.",
                ),
            ),
        ),
        short=("0", "[{a}]", "[not {a}]"),
        arrays="The condition decides entry by entry which operand is taken: [b:{b} receives the adjoint where it is"
        " true, else 0][bc:, and ][c:{c} receives the adjoint where it is false, else 0].",
        cases=(
            (
                lambda y, c, a, b: bool(c) is True,
                "The condition holds, so [b:{b} receives the whole adjoint][bc: and ][c:{c} nothing].",
            ),
            (
                lambda y, c, a, b: bool(c) is False,
                "The condition does not hold, so [c:{c} receives the whole adjoint][bc: and ][b:{b} nothing].",
            ),
        ),
    ),
)
"""``np.where`` of numbers, with a condition that is a node."""


def _where(y: Any, condition: Any, a: Any, b: Any) -> list[Jacobian | None]:
    is_boolean = getattr(condition, "dtype", np.dtype(float)).kind == "b"
    chosen = condition if is_boolean else np.not_equal(condition, 0)
    return [None, Choice(chosen, np.shape(y), np.shape(a)), Choice(np.logical_not(chosen), np.shape(y), np.shape(b))]


def _chosen(condition: Any, a: Any, b: Any) -> Any:
    chooses = as_like(np.asarray(condition), a, b) if isinstance(condition, bool | list) else condition
    return np.where(chooses, a, b)


WHERE = Rule(
    "where",
    _chosen,
    _where,
    "selection",
    formulas=CHOICE.formulas,
    words=CHOICE.words,
    count=0,
    noun="choice",
    is_entrywise=True,
    gives_array=True,
)
"""``np.where`` of arrays, with a condition that is decided by the data, or is a node over arrays."""


def _of_all(name: str, fn: Callable[..., Any]) -> Rule:
    """Return a rule of a truth value of the entries along axes."""

    def compute(x: Any, axis: Any, keepdims: bool) -> Any:
        return fn(x, axis=axis, keepdims=keepdims)

    def constant(y: Any, x: Any, axis: Any, keepdims: bool) -> list[Jacobian | None]:
        return [Flat(np.shape(y), np.shape(x)), None, None]

    return Rule(name, compute, constant, "condition", words=CONSTANT, count=0, **rows.reduced(name, "true"))


ALL, ANY = _of_all("all", np.all), _of_all("any", np.any)


primitive = partial(elementwise, family="selection")


def sign(y: Any, x: Any) -> Any:
    """Return the sign; 0 where ``abs`` has a kink."""
    return kinked(np.sign(x), x)


def larger(y: Any, x: Any, z: Any) -> Any:
    """1 where ``x`` was taken, one half where both are equal."""
    return kinked(np.where(np.equal(x, z), 0.5, np.equal(x, y)), x, z)


LARGER_PARTIALS = (
    ("1 if {a} is the larger one, else 0", larger),
    ("1 if {b} is the larger one, else 0", lambda y, a, b: larger(y, b, a)),
)
SMALLER_PARTIALS = (
    ("1 if {a} is the smaller one, else 0", larger),
    ("1 if {b} is the smaller one, else 0", lambda y, a, b: larger(y, b, a)),
)
SIGN_MISTAKES = (
    ("1", "That holds for positive {a} only; it is the sign of {a}."),
    ("-1", "That holds for negative {a} only; it is the sign of {a}."),
)
ABSOLUTE = Words(
    "The derivative of the absolute value is the sign: {partials}.",
    (SIGN_MISTAKES,),
    short=("sign {a}",),
    cases=(
        (lambda y, a: a > 0, "{a} is positive, so the absolute value passes the adjoint unchanged: the partial is 1."),
        (lambda y, a: a < 0, "{a} is negative, so the absolute value reverses every change: the partial is −1."),
        (
            lambda y, a: a == 0,
            "{a} is 0, where the absolute value has a kink: the mean of the one-sided derivatives, 0, is taken.",
        ),
    ),
)
LARGER, SMALLER = extreme("larger", ">", "<"), extreme("smaller", "<", ">")
primitive(
    np.absolute,
    "abs",
    ("the sign of {a}", sign),
    scalar_fn=abs,
    code="np.abs({a})",
    numeric=Numeric(0.2, parity=1, standard="abs", c="fabs({0})", is_instruction=True),
    kink=at_zero,
    words=ABSOLUTE,
)

primitive(
    np.fabs,
    "abs",
    ("the sign of {a}", sign),
    scalar_fn=math.fabs,
    simpler=lambda known, x: known.apply(np.absolute, [x]),
    kink=at_zero,
    words=ABSOLUTE,
)

primitive(
    np.maximum,
    "max",
    *LARGER_PARTIALS,
    scalar_fn=lambda a, b: a if a > b or a != a else b,
    numeric=Numeric(0.5, c="{0} > {1} || {0} != {0} ? {0} : {1}", is_instruction=True, names_out=True),
    kink=tied,
    words=LARGER,
)

primitive(
    np.minimum,
    "min",
    *SMALLER_PARTIALS,
    scalar_fn=lambda a, b: a if a < b or a != a else b,
    numeric=Numeric(0.5, c="{0} < {1} || {0} != {0} ? {0} : {1}", is_instruction=True, names_out=True),
    kink=tied,
    words=SMALLER,
)

primitive(np.fmax, "fmax", *LARGER_PARTIALS, numeric=Numeric(1.0), kink=tied, words=LARGER)

primitive(np.fmin, "fmin", *SMALLER_PARTIALS, numeric=Numeric(1.0), kink=tied, words=SMALLER)

primitive(
    np.heaviside,
    "heaviside",
    ("0", zero),
    ("1 if {a} is 0, else 0", lambda y, x, h: np.equal(x, 0) * 1.0),
    numeric=Numeric(
        2.0,
        c="{0} > 0 ? 1 : {0} < 0 ? 0 : {0} == 0 ? {1} : {0}",
        compiled=lambda x, half: 1.0 if x > 0 else 0.0 if x < 0 else half if x == 0 else x,
    ),
    steps=lambda y, x, half: (x, 0.0),
    words=Words(
        "A step is flat on either side of 0, so its derivative is 0; {b} only counts where {a} is 0.",
        (
            (("1", "That follows {a} smoothly; on either side of 0 the step does not change at all."),),
            (("1", "{b} is the value at 0 only; elsewhere the partial is 0."),),
        ),
        short=("0", "[{a} = 0]"),
    ),
)

primitive(
    np.copysign,
    "copysign",
    ("1 if {a} and {b} have one sign, else -1", lambda y, a, b: kinked(np.sign(a) * np.copysign(1.0, b), a)),
    ("0", zero),
    scalar_fn=math.copysign,
    numeric=Numeric(0.5, is_instruction=True),
    steps=lambda y, a, b: (b, 0.0),
    kink=lambda y, a, b: np.logical_or(np.equal(a, 0.0), np.equal(b, 0.0)),
    words=Words(
        "The sign is that of {b}, the size that of {a}: {a} counts as it is or reversed, and {b} is flat.",
        (
            (("1", "Where the signs of {a} and {b} differ, {a} is reversed: its partial is −1."),),
            (("1", "Only the sign of {b} counts, and that does not change with it except at 0."),),
        ),
        short=("sign {a} · sign {b}", "0"),
    ),
)
