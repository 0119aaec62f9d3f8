"""Functions that take one operand or another, or its sign: where the choice changes they have a kink."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Numeric, Rule, Words
from ..devices import as_like
from ..jacobians.local import Diagonal
from .elementwise import at_zero, elementwise, kinked, marked, tied, zero
from .textbook import extreme

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
    numeric=Numeric(0.2, parity=1),
    kink=at_zero,
    words=ABSOLUTE,
)

primitive(np.fabs, "abs", ("the sign of {a}", sign), scalar_fn=math.fabs, kink=at_zero, words=ABSOLUTE)

primitive(
    np.maximum,
    "max",
    *LARGER_PARTIALS,
    scalar_fn=lambda a, b: a if a > b or a != a else b,
    numeric=Numeric(0.5),
    kink=tied,
    words=LARGER,
)

primitive(
    np.minimum,
    "min",
    *SMALLER_PARTIALS,
    scalar_fn=lambda a, b: a if a < b or a != a else b,
    numeric=Numeric(0.5),
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
    numeric=Numeric(2.0),
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
    numeric=Numeric(0.5),
    kink=at_zero,
    words=Words(
        "The sign is that of {b}, the size that of {a}: {a} counts as it is or reversed, and {b} is flat.",
        (
            (("1", "Where the signs of {a} and {b} differ, {a} is reversed: its partial is −1."),),
            (("1", "Only the sign of {b} counts, and that does not change with it except at 0."),),
        ),
        short=("sign {a} · sign {b}", "0"),
    ),
)
TIED = Rule(
    "tied",
    lambda x, is_tied: np.copy(x) if np.ndim(x) else x,
    lambda y, x, is_tied: [
        Diagonal(marked(as_like(np.ones(np.shape(y)), x)[()], x, np.not_equal(is_tied, 0)), np.shape(y), np.shape(x)),
        None,
    ],
    "shape",
    words=Words(
        "The entries are those of {a}, so the adjoint passes on; at equal ones sorting has a kink.",
        ((("0", "The values are the entries themselves, so the adjoint passes on."),),),
        short=("1",),
    ),
)
"""Sorted entries, some of them equal to a neighbour, while a derivative of a derivative may be recorded."""
