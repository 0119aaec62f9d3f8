"""Powers, roots, exponentials and logarithms."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Elementwise, Numeric, Words
from ..devices import as_like
from .elementwise import elementwise, itself, kinked
from .textbook import one

primitive = partial(elementwise, family="power")


def power(x: Any, p: Any) -> Any:
    """``x**p``, as the operator has it on arrays."""
    return x**p if np.ndim(x) else np.power(x, p)


def power_of_base(y: Any, x: Any, p: Any) -> Any:
    """``p x^(p-1)``, and 0 for ``p = 0`` also where ``x`` is 0."""
    is_flat = np.equal(p, 0)
    if not isinstance(p, float | int | np.ndarray):  # its derivative by p, x^-1 at p = 0, may be asked for
        is_flat = np.logical_and(is_flat, np.equal(x, 0))
    less = np.where(is_flat, 1.0, np.subtract(p, 1))
    return np.where(is_flat, 0.0, p * np.power(x, as_like(less, x)))


def power_of_exponent(y: Any, x: Any, p: Any) -> Any:
    """``y log x``, and 0 where ``x`` is 0."""
    return y * np.log(np.where(np.equal(x, 0), 1.0, x))


def share(y: Any, a: Any, b: Any) -> Any:
    """``a / y``, and 0 where both are 0: there the length of a vector has a kink."""
    return kinked(np.divide(a, np.where(np.equal(y, 0), 1.0, y)), y)


def logistic(x: Any) -> Any:
    """``1 / (1 + exp(-x))``; neither the value nor its derivatives overflow."""
    return np.exp(-np.logaddexp(0.0, -x))


def at_zero_value(y: Any, *operands: Any) -> Any:
    """Return whether the value is 0: there a length has a kink."""
    return np.equal(y, 0.0)


POWER = Words(
    "[A:The power rule: the exponent comes down as a factor and is lowered by 1, {partials}.]"
    "[B:A power grows with its exponent in proportion to itself: {partials}.]"
    "[ab:The power rule holds for the base, and the exponential rule for the exponent: {partials}.]",
    (
        (
            ("{a}^({b} - 1)", "The exponent is missing as a factor: it comes down in front."),
            ("{b} · {a}^{b}", "The exponent has to be lowered by 1."),
            ("{y} · ln {a}", "That is the rule for a varying exponent; here the base varies."),
        ),
        (
            ("{b} · {a}^({b} - 1)", "That is the power rule, for a varying base; here the exponent varies."),
            ("{y}", "The factor ln {a} is missing: only e to the power of {b} is its own derivative."),
        ),
    ),
)
POWERS = primitive(
    np.power,
    "pow",
    ("{b} · {a}^({b} - 1)", power_of_base),
    ("{y} · ln {a}", power_of_exponent),
    operator="**",
    simpler=lambda known, x, p: known.power(x, p),
    scalar_fn=math.pow,
    numeric=Numeric(7.0, standard="pow"),
    words=POWER,
    remedy="np.where(x > 0, x, 1.0) ** p",
)

primitive(
    np.float_power,
    "pow",
    ("{b} · {a}^({b} - 1)", power_of_base),
    ("{y} · ln {a}", power_of_exponent),
    simpler=lambda known, x, p: known.power(x, p),
    words=POWER,
    remedy="np.float_power(np.where(x > 0, x, 1.0), p)",
)

primitive(
    np.square,
    "x²",
    ("2 · {a}", lambda y, x: 2 * x),
    operator="**",
    simpler=lambda known, x: known.multiply(x, x),
    scalar_fn=lambda x: x * x,
    words=one(
        "The power rule: the derivative of a square is twice its base, {partials}.",
        ("{a}", "The factor 2 is missing: both factors of the square contribute."),
    ),
)

SQRT = primitive(
    np.sqrt,
    "√",
    ("1 / (2 · {y})", lambda y, x: 0.5 / y),
    scalar_fn=math.sqrt,
    numeric=Numeric(1.2, is_instruction=True),
    words=one(
        "The derivative of a square root is 1 over twice the root: {partials}.",
        ("1 / {y}", "The factor 1/2 is missing: it is 1 over twice the root."),
        ("2 · {y}", "Upside down: it is 1 over twice the root."),
    ),
    remedy="np.sqrt(np.where(x > 0, x, 1.0))",
)

primitive(
    np.cbrt,
    "∛",
    ("1 / (3 · {y}²)", lambda y, x: 1 / (3 * y * y)),
    numeric=Numeric(12.0, parity=-1),
    words=one(
        "The derivative of a cube root is 1 over three times its square: {partials}.",
        ("1 / (2 · {y})", "That is the rule of the square root."),
        ("1 / (3 · {y})", "The square is missing: it is 1 over three times the square of the root."),
    ),
    remedy="np.cbrt(np.where(x != 0, x, 1.0))",
)

primitive(
    np.exp,
    "exp",
    ("{y}", lambda y, x: y),
    scalar_fn=math.exp,
    numeric=Numeric(0.85, has_rows=True),
    words=one(
        "exp is its own derivative, so the partial is the value itself: {partials}.",
        ("{a}", "That is the exponent; exp is its own derivative, so the partial is the value."),
        ("{a} · e^({a} - 1)", "That is the power rule, for a varying base; here the exponent varies."),
    ),
)

primitive(
    np.exp2,
    "exp2",
    ("{y} · ln 2", lambda y, x: np.log(2) * y),
    numeric=Numeric(1.5),
    words=one(
        "A power of 2 grows in proportion to itself, by the factor ln 2: {partials}.",
        ("{y}", "The factor ln 2 is missing: only exp is its own derivative."),
        ("{a} · 2^({a} - 1)", "That is the power rule, for a varying base; here the exponent varies."),
    ),
)

primitive(
    np.expm1,
    "expm1",
    ("e^{a}", lambda y, x: np.exp(x)),
    scalar_fn=math.expm1,
    numeric=Numeric(3.0),
    words=one(
        "exp is its own derivative, and the constant 1 that is subtracted drops out: {partials}.",
        ("{y}", "That is the value; the constant that was subtracted does not belong to the derivative."),
    ),
)

primitive(
    np.log,
    "log",
    ("1 / {a}", lambda y, x: 1 / x),
    scalar_fn=math.log,
    numeric=Numeric(0.85, has_rows=True),
    words=one(
        "The derivative of log is the reciprocal, so a small {a} responds strongly: {partials}.",
        ("{a}", "Upside down: the derivative of log is 1 over {a}."),
        ("1 / {y}", "That is 1 over the value; it is 1 over {a}."),
    ),
    remedy="np.log(np.where(x > 0, x, 1.0))",
)

for log, exactly, base in ((np.log2, math.log2, 2), (np.log10, math.log10, 10)):
    primitive(
        log,
        log.__name__,
        (f"1 / ({{a}} · ln {base})", lambda y, x, base=base: 1 / (np.log(base) * x)),
        scalar_fn=exactly,
        numeric=Numeric(2.0),
        words=one(
            f"The derivative of log is the reciprocal, and the base {base} divides it by ln {base}: {{partials}}.",
            ("1 / {a}", f"That is the rule of the natural logarithm; the factor 1/ln {base} is missing."),
            (f"ln {base} / {{a}}", f"The factor ln {base} belongs below."),
        ),
        remedy=f"np.{log.__name__}(np.where(x > 0, x, 1.0))",
    )

primitive(
    np.log1p,
    "log1p",
    ("1 / (1 + {a})", lambda y, x: 1 / (1 + x)),
    scalar_fn=math.log1p,
    numeric=Numeric(3.0),
    words=one(
        "The derivative of log is the reciprocal, here of 1 + {a}: {partials}.",
        ("1 / {a}", "That is 1 over {a}; the logarithm is taken of 1 + {a}."),
        ("1 + {a}", "Upside down: the derivative of log is the reciprocal."),
    ),
    remedy="np.log1p(np.where(x > -1, x, 0.0))",
)


def _of_powers_added(of: np.ufunc, e: str, what: str, called: str, share: Any) -> None:
    """Define the logarithm of a sum of powers of ``e``; ``share`` is that of the first of two in their sum."""
    itself = f"That is the {what} itself; its share is wanted, divided by the sum."
    primitive(
        of,
        of.__name__,
        (f"{e}^({{a}} - {{y}})", lambda y, a, b: share(a, b)),
        (f"{e}^({{b}} - {{y}})", lambda y, a, b: share(b, a)),
        numeric=Numeric(15.0, c=f"adviz_{of.__name__}({{0}}, {{1}})"),
        words=Words(
            f"The partial of each operand is its share of the sum of {called}, and the shares add up to 1:"
            " {partials}.",
            (
                ((f"{e}^{{a}}", itself), (f"{e}^({{b}} - {{y}})", "That is the share of {b}.")),
                ((f"{e}^{{b}}", itself), (f"{e}^({{a}} - {{y}})", "That is the share of {a}.")),
            ),
        ),
    )


_of_powers_added(np.logaddexp, "e", "exponential", "exponentials", lambda a, b: logistic(a - b))
_of_powers_added(np.logaddexp2, "2", "power", "powers of 2", lambda a, b: np.exp2(-np.logaddexp2(0.0, b - a)))

primitive(
    np.hypot,
    "hypot",
    ("{a} / {y}", share),
    ("{b} / {y}", lambda y, a, b: share(y, b, a)),
    scalar_fn=math.hypot,
    simpler=lambda known, a, b: known.symmetric(np.hypot, a, b),
    numeric=Numeric(7.0, has_rows=True),
    kink=at_zero_value,
    words=Words(
        "A hypotenuse responds to each side in proportion, by the side over the hypotenuse: {partials}.",
        (
            (
                ("{b} / {y}", "That is the share of the other side."),
                ("2 · {a}", "That is the derivative of the square; the root over it is missing."),
            ),
            (
                ("{a} / {y}", "That is the share of the other side."),
                ("2 · {b}", "That is the derivative of the square; the root over it is missing."),
            ),
        ),
        cases=(
            (
                lambda y, a, b: y == 0,
                "The length is 0, where it has a kink: the mean of the one-sided derivatives, 0, is taken.",
            ),
        ),
    ),
)

# ``**`` on arrays squares where ``np.power`` would take logarithms, and Variables should give what the operator gives.
POWERS.compute = power  # type: ignore[method-assign]

LOGISTIC = Elementwise(
    "logistic",
    logistic,
    lambda y, x: y * np.exp(-np.logaddexp(0.0, x)),  # the product of both tails: neither overflows nor cancels
    family="power",
    formulas=("{y} · (1 - {y})",),
    code="logistic({a})",
    helper='''def logistic(x):
    """1 / (1 + exp(-x)), without overflow."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)''',
    words=one(
        "The derivative of the logistic function is its value times 1 minus its value: {partials}.",
        ("1 - {y}", "The factor {y} is missing: it is the value times 1 minus the value."),
        ("1 - {y}²", "That is the rule of tanh."),
        ("{a} · (1 - {a})", "That takes {a}; it is the value times 1 minus the value."),
    ),
)
LENGTH: Elementwise = Elementwise(
    "sqrt",
    itself(lambda: LENGTH, np.sqrt),
    lambda y, x: kinked(0.5 / np.where(np.equal(y, 0), np.inf, y), x),
    family="power",
    symbol="√",
    code="np.sqrt({a})",
    scalar_fn=math.sqrt,
    formulas=SQRT.formulas,
    words=SQRT.words,
    kink=at_zero_value,
    remedy=SQRT.remedy,
)
"""The root of a sum of squares. At 0 a length has a kink, and the mean of its one-sided derivatives is 0."""
ROOT: Elementwise = Elementwise(
    "power",
    itself(lambda: ROOT, np.power),
    lambda y, x, p: kinked(p * y / np.where(np.equal(y, 0), np.inf, x), x),
    power_of_exponent,
    family="power",
    symbol="pow",
    operator="**",
    simpler=lambda known, x, p: known.power(x, p),
    scalar_fn=operator.pow,
    formulas=POWERS.formulas,
    words=POWER,
    kink=at_zero_value,
    remedy=POWERS.remedy,
)
"""The root of a sum of other powers, and 0 there too."""
