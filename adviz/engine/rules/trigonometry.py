"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..blocks import Numeric, Words
from ..devices import is_on_device
from .elementwise import elementwise
from .textbook import one

primitive = partial(elementwise, family="trigonometric")


def hyperbolic_secant_squared(x: Any) -> Any:
    """``1 / cosh(x)^2``; beyond 375 it is 0 in double precision, where ``cosh`` would overflow."""
    if (type(x) is np.ndarray or is_on_device(x)) and x.ndim and x.dtype.kind == "f":
        decay = np.exp(-2.0 * np.abs(x))  # the same in fewer passes, but not to be differentiated: abs has a kink
        return 4.0 * decay / np.square(1.0 + decay)
    return np.square(1 / np.cosh(np.minimum(np.maximum(x, -375.0), 375.0)))


def turned(y: Any, a: Any, b: Any) -> Any:
    """``b / (a^2 + b^2)``, without squares that would overflow."""
    length = np.hypot(a, b)
    return b / length / length


def _sinc_slope(y: Any, x: Any) -> Any:
    """``(cos πx - sinc x) / x``, by its series where that would cancel (|πx| < 0.1)."""
    near = np.less(np.abs(x), 0.03)
    squared = np.square(np.pi * x)
    series = -(np.pi**2) * x / 3 * (1 - squared / 10 * (1 - squared / 28 * (1 - squared / 54 * (1 - squared / 88))))
    return np.where(near, series, (np.cos(np.pi * x) - y) / np.where(near, 1.0, x))


primitive(
    np.sin,
    "sin",
    ("cos {a}", lambda y, x: np.cos(x)),
    scalar_fn=math.sin,
    numeric=Numeric(8.6, parity=-1, pair=("sin_cos", 0)),
    words=one(
        "The derivative of sin is cos: {partials}.",
        ("-cos {a}", "The sign is wrong: the derivative of sin is cos; the minus sign is in the derivative of cos."),
        in_radians=True,
    ),
)

primitive(
    np.cos,
    "cos",
    ("-sin {a}", lambda y, x: -np.sin(x)),
    scalar_fn=math.cos,
    numeric=Numeric(8.6, parity=1, pair=("sin_cos", 1)),
    words=one(
        "The derivative of cos is −sin: {partials}.",
        ("sin {a}", "The sign is missing: cos falls where sin is positive, so its derivative is −sin."),
        in_radians=True,
    ),
)

primitive(
    np.tan,
    "tan",
    ("1 + {y}²", lambda y, x: 1 + y * y),
    scalar_fn=math.tan,
    numeric=Numeric(1.4, parity=-1),
    words=one(
        "The derivative of tan is 1 + tan²: {partials}.",
        ("1 - {y}²", "The sign is wrong: 1 − tanh² is the derivative of tanh, and 1 + tan² that of tan."),
        ("1 / cos {a}", "The square is missing: the derivative of tan is 1 over the square of cos."),
        in_radians=True,
    ),
)

primitive(
    np.arcsin,
    "arcsin",
    ("1 / √(1 - {a}²)", lambda y, x: 1 / np.sqrt((1 - x) * (1 + x))),
    scalar_fn=math.asin,
    numeric=Numeric(2.0, parity=-1, standard="asin"),
    words=one(
        "arcsin undoes sin, so its derivative is 1 over the cosine of the angle: {partials}.",
        ("-1 / √(1 - {a}²)", "The sign is wrong: that is the derivative of arccos."),
        ("1 / √(1 + {a}²)", "The sign below the root is wrong: that is the derivative of arcsinh."),
        ("1 / sin {a}", "arcsin is the inverse function of sin, not 1 over sin."),
    ),
    remedy="np.arcsin(np.where(np.abs(x) < 1, x, 0.0))",
)

primitive(
    np.arccos,
    "arccos",
    ("-1 / √(1 - {a}²)", lambda y, x: -1 / np.sqrt((1 - x) * (1 + x))),
    scalar_fn=math.acos,
    numeric=Numeric(2.0, standard="acos"),
    words=one(
        "arccos falls as arcsin rises, so its derivative is minus that of arcsin: {partials}.",
        ("1 / √(1 - {a}²)", "The sign is missing: arccos falls; that is the derivative of arcsin."),
    ),
    remedy="np.arccos(np.where(np.abs(x) < 1, x, 0.0))",
)

primitive(
    np.arctan,
    "arctan",
    ("1 / (1 + {a}²)", lambda y, x: 1 / (1 + x * x)),
    scalar_fn=math.atan,
    numeric=Numeric(1.3, parity=-1, standard="atan"),
    words=one(
        "arctan undoes tan, so its derivative is 1 over 1 + the square of the tangent, {a}: {partials}.",
        ("1 / (1 - {a}²)", "The sign is wrong: that is the derivative of arctanh."),
        ("1 + {a}²", "Upside down: arctan is the inverse function of tan, so its derivative is the reciprocal."),
    ),
)

primitive(
    np.arctan2,
    "arctan2",
    ("{b} / ({a}² + {b}²)", turned),
    ("-{a} / ({a}² + {b}²)", lambda y, a, b: -turned(y, b, a)),
    scalar_fn=math.atan2,
    numeric=Numeric(2.2, standard="atan2", has_rows=True),
    words=Words(
        "The angle of a point turns the faster, the nearer it is to the origin: {partials}.",
        (
            (
                ("-{a} / ({a}² + {b}²)", "That is the partial with respect to {b}."),
                ("1 / (1 + {a}²)", "That is the derivative of arctan; the angle depends on {b}, too."),
            ),
            (
                ("{b} / ({a}² + {b}²)", "That is the partial with respect to {a}."),
                (
                    "{a} / ({a}² + {b}²)",
                    "The sign is missing: the partials with respect to {a} and {b} have opposite signs.",
                ),
            ),
        ),
    ),
)

primitive(
    np.sinh,
    "sinh",
    ("cosh {a}", lambda y, x: np.cosh(x)),
    scalar_fn=math.sinh,
    numeric=Numeric(2.0, parity=-1, has_rows=True),
    words=one(
        "The derivative of sinh is cosh: {partials}.",
        ("-cosh {a}", "The sign is wrong: the derivative of sinh is cosh."),
        ("cos {a}", "That is the derivative of sin; sinh is the hyperbolic function."),
    ),
)

primitive(
    np.cosh,
    "cosh",
    ("sinh {a}", lambda y, x: np.sinh(x)),
    scalar_fn=math.cosh,
    numeric=Numeric(2.0, parity=1, has_rows=True),
    words=one(
        "The derivative of cosh is sinh, without a minus sign: {partials}.",
        ("-sinh {a}", "The sign is wrong: cos has a minus sign in its derivative, cosh has none."),
    ),
)

primitive(
    np.tanh,
    "tanh",
    ("1 - {y}²", lambda y, x: hyperbolic_secant_squared(x)),
    scalar_fn=math.tanh,
    numeric=Numeric(1.8, parity=-1, has_rows=True),
    words=one(
        "The derivative of tanh is 1 − tanh²: {partials}.",
        ("1 + {y}²", "The sign is wrong: 1 + tan² is the derivative of tan, and 1 − tanh² that of tanh."),
        ("1 - {a}²", "That squares {a}; it is 1 minus the square of the value."),
        ("1 - {y}", "The square is missing: it is 1 minus the square of the value."),
        arrays="The derivative of tanh is 1 − tanh²: {partials}; where {y} is near ±1 the unit is saturated and"
        " lets little"
        " through.",
        cases=(
            (
                lambda y, a: abs(y) > 0.95,
                "The derivative of tanh is 1 − tanh²: {partials}; {y} is close to ±1, so the unit is saturated"
                " and lets little through.",
            ),
        ),
    ),
)

primitive(
    np.arcsinh,
    "arcsinh",
    ("1 / √({a}² + 1)", lambda y, x: 1 / np.hypot(1.0, x)),
    scalar_fn=math.asinh,
    numeric=Numeric(2.5, parity=-1, standard="asinh"),
    words=one(
        "arcsinh undoes sinh, so its derivative is 1 over the cosh of the value: {partials}.",
        ("1 / √(1 - {a}²)", "The sign below the root is wrong: that is the derivative of arcsin."),
        ("1 / √({a}² - 1)", "The sign below the root is wrong: that is the derivative of arccosh."),
    ),
)

primitive(
    np.arccosh,
    "arccosh",
    ("1 / √({a}² - 1)", lambda y, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
    scalar_fn=math.acosh,
    numeric=Numeric(2.5, standard="acosh"),
    words=one(
        "arccosh undoes cosh, so its derivative is 1 over the sinh of the value: {partials}.",
        ("1 / √({a}² + 1)", "The sign below the root is wrong: that is the derivative of arcsinh."),
        ("-1 / √({a}² - 1)", "The sign is wrong: arccosh rises."),
    ),
    remedy="np.arccosh(np.where(x > 1, x, 2.0))",
)

primitive(
    np.arctanh,
    "arctanh",
    ("1 / (1 - {a}²)", lambda y, x: 1 / ((1 - x) * (1 + x))),
    scalar_fn=math.atanh,
    numeric=Numeric(2.5, parity=-1, standard="atanh"),
    words=one(
        "arctanh undoes tanh, so its derivative is 1 over 1 − the square of the hyperbolic tangent, {a}: {partials}.",
        ("1 / (1 + {a}²)", "The sign is wrong: that is the derivative of arctan."),
        ("1 - {a}²", "Upside down: the derivative of the inverse function is the reciprocal."),
    ),
    remedy="np.arctanh(np.where(np.abs(x) < 1, x, 0.0))",
)


def _sinc_by_sine(known: Any, x: int) -> int:
    """Return sin(πx) / πx, with a small angle for 0."""
    angle = known.multiply(x, known.constant(math.pi))
    angle = known.where(known.apply(np.equal, [angle, known.zero]), known.constant(1e-20), angle)
    return known.divide(known.apply(np.sin, [angle]), angle)


primitive(
    np.sinc,
    "sinc",
    ("(cos (π · {a}) - {y}) / {a}", _sinc_slope),
    simpler=_sinc_by_sine,
    words=one(
        "The quotient rule, for sin(π · {a}) over π · {a}: {partials}.",
        ("cos(π · {a})", "That is half of it: the quotient rule has a second term, and divides by {a}."),
    ),
)
