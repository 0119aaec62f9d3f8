"""Elementwise rules, one line each: the value, the local partial derivatives, and how these are written.

A partial is a function of the value ``y`` and the operands, in that order, and works on numbers and arrays alike. Where
a function has a kink (``abs`` at 0, ties of ``maximum``) the rule takes the mean of the one-sided derivatives.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..blocks import BLOCK_OF, Block, Elementwise, Rule, is_traced
from ..devices import as_like, is_on_device
from ..jacobians.local import Diagonal
from .textbook import WORDS


def zero(y: Any, *operands: Any) -> float:
    """The partial of a piecewise constant function."""
    return 0.0


def power(x: Any, p: Any) -> Any:
    """``x**p``, as the operator has it on arrays."""
    return x**p if np.ndim(x) else np.power(x, p)


def power_of_base(y: Any, x: Any, p: Any) -> Any:
    """``p x^(p-1)``, and 0 for ``p = 0`` also where ``x`` is 0."""
    less = np.where(np.equal(p, 0), 1.0, np.subtract(p, 1))
    return np.where(np.equal(p, 0), 0.0, p * np.power(x, as_like(less, x)))


def power_of_exponent(y: Any, x: Any, p: Any) -> Any:
    """``y log x``, and 0 where ``x`` is 0."""
    return y * np.log(np.where(np.equal(x, 0), 1.0, x))


def kinked(slope: Any, x: Any, z: Any = 0.0) -> Any:
    """``slope``, which is a mean where ``x = z``: a derivative of it that is taken in turn is undefined there.

    In a trace for all points nothing is marked: its programs look for kinks at the points that come.
    """
    if x is z or not (is_traced(x) or is_traced(z)) or (x if is_traced(x) else z).tape.symbolic:
        return slope
    at_kink = np.equal(_untraced(x), _untraced(z))
    return marked(slope, x - z, at_kink)


def marked(slope: Any, x: Any, at_kink: Any) -> Any:
    """``slope`` as a function of ``x`` whose derivative is undefined at some entries, if there are any."""
    return KINK(slope, x, at_kink) if _are_kinks_marked.get() and np.any(at_kink) else slope


@contextmanager
def beside_kinks() -> Iterator[None]:
    """Mark nothing: what is tied at points in general position is equal around them, and a mean of slopes exact."""
    token = _are_kinks_marked.set(False)
    try:
        yield
    finally:
        _are_kinks_marked.reset(token)


_are_kinks_marked = ContextVar("are_kinks_marked", default=True)


def _untraced(datum: Any) -> Any:
    while is_traced(datum):
        datum = datum.data
    return datum


def sign(y: Any, x: Any) -> Any:
    """The sign; 0 where ``abs`` has a kink."""
    return kinked(np.sign(x), x)


def larger(y: Any, x: Any, z: Any) -> Any:
    """1 where ``x`` was taken, one half where both are equal."""
    return kinked(np.where(np.equal(x, z), 0.5, np.equal(x, y)), x, z)


def share(y: Any, a: Any, b: Any) -> Any:
    """``a / y``, and 0 where both are 0: there the length of a vector has a kink."""
    return kinked(np.divide(a, np.where(np.equal(y, 0), 1.0, y)), y)


def logistic(x: Any) -> Any:
    """``1 / (1 + exp(-x))``; neither the value nor its derivatives overflow."""
    return np.exp(-np.logaddexp(0.0, -x))


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


LARGER = "1 if {a} is the larger one, else 0", "1 if {b} is the larger one, else 0"
SMALLER = "1 if {a} is the smaller one, else 0", "1 if {b} is the smaller one, else 0"
_: Any = None
ELEMENTWISE: dict[str, list[tuple[Any, ...]]] = {
    # the ufunc, its symbol, the same on floats, how its partials are written, and the partials
    "arithmetic": [
        (np.add, "+", operator.add, ("1", "1"), lambda y, a, b: 1.0, lambda y, a, b: 1.0),
        (np.subtract, "−", operator.sub, ("1", "-1"), lambda y, a, b: 1.0, lambda y, a, b: -1.0),
        (np.multiply, "×", operator.mul, ("{b}", "{a}"), lambda y, a, b: b, lambda y, a, b: a),
        (np.divide, "÷", operator.truediv, ("1 / {b}", "-{a} / {b}²"), lambda y, a, b: 1 / b, lambda y, a, b: -y / b),
        (np.negative, "neg", operator.neg, ("-1",), lambda y, x: -1.0),
        (np.positive, "pos", operator.pos, ("1",), lambda y, x: 1.0),
        (np.conjugate, "conj", _, ("1",), lambda y, x: 1.0),
        (np.reciprocal, "1/x", _, ("-1 / {a}²",), lambda y, x: -y * y),
        (np.floor_divide, "//", _, ("0", "0"), zero, zero),
        (np.remainder, "mod", _, ("1", "-⌊{a} / {b}⌋"), lambda y, a, b: 1.0, lambda y, a, b: -np.floor_divide(a, b)),
        (np.fmod, "fmod", _, ("1", "-trunc({a} / {b})"), lambda y, a, b: 1.0, lambda y, a, b: np.rint((y - a) / b)),
        (np.floor, "floor", _, ("0",), zero),
        (np.ceil, "ceil", _, ("0",), zero),
        (np.trunc, "trunc", _, ("0",), zero),
        (np.rint, "rint", _, ("0",), zero),
        (np.sign, "sign", _, ("0",), zero),
        (np.nextafter, "nextafter", math.nextafter, ("1", "0"), lambda y, a, b: 1.0, zero),
        (np.deg2rad, "deg2rad", _, ("π / 180",), lambda y, x: np.pi / 180),
        (np.rad2deg, "rad2deg", _, ("180 / π",), lambda y, x: 180 / np.pi),
        (np.radians, "radians", _, ("π / 180",), lambda y, x: np.pi / 180),
        (np.degrees, "degrees", _, ("180 / π",), lambda y, x: 180 / np.pi),
    ],
    "power": [
        (np.power, "pow", operator.pow, ("{b} · {a}^({b} - 1)", "{y} · ln {a}"), power_of_base, power_of_exponent),
        (np.float_power, "pow", _, ("{b} · {a}^({b} - 1)", "{y} · ln {a}"), power_of_base, power_of_exponent),
        (np.square, "x²", lambda x: x * x, ("2 · {a}",), lambda y, x: 2 * x),
        (np.sqrt, "√", math.sqrt, ("1 / (2 · {y})",), lambda y, x: 0.5 / y),
        (np.cbrt, "∛", _, ("1 / (3 · {y}²)",), lambda y, x: 1 / (3 * y * y)),
        (np.exp, "exp", math.exp, ("{y}",), lambda y, x: y),
        (np.exp2, "exp2", _, ("{y} · ln 2",), lambda y, x: np.log(2) * y),
        (np.expm1, "expm1", math.expm1, ("e^{a}",), lambda y, x: np.exp(x)),
        (np.log, "log", math.log, ("1 / {a}",), lambda y, x: 1 / x),
        (np.log2, "log2", math.log2, ("1 / ({a} · ln 2)",), lambda y, x: 1 / (np.log(2) * x)),
        (np.log10, "log10", math.log10, ("1 / ({a} · ln 10)",), lambda y, x: 1 / (np.log(10) * x)),
        (np.log1p, "log1p", math.log1p, ("1 / (1 + {a})",), lambda y, x: 1 / (1 + x)),
        (
            np.logaddexp,
            "logaddexp",
            _,
            ("e^({a} - {y})", "e^({b} - {y})"),
            lambda y, a, b: logistic(a - b),
            lambda y, a, b: logistic(b - a),
        ),
        (
            np.logaddexp2,
            "logaddexp2",
            _,
            ("2^({a} - {y})", "2^({b} - {y})"),
            lambda y, a, b: np.exp2(-np.logaddexp2(0.0, b - a)),
            lambda y, a, b: np.exp2(-np.logaddexp2(0.0, a - b)),
        ),
        (np.hypot, "hypot", math.hypot, ("{a} / {y}", "{b} / {y}"), share, lambda y, a, b: share(y, b, a)),
    ],
    "trigonometric": [
        (np.sin, "sin", math.sin, ("cos {a}",), lambda y, x: np.cos(x)),
        (np.cos, "cos", math.cos, ("-sin {a}",), lambda y, x: -np.sin(x)),
        (np.tan, "tan", math.tan, ("1 + {y}²",), lambda y, x: 1 + y * y),
        (np.arcsin, "arcsin", math.asin, ("1 / √(1 - {a}²)",), lambda y, x: 1 / np.sqrt((1 - x) * (1 + x))),
        (np.arccos, "arccos", math.acos, ("-1 / √(1 - {a}²)",), lambda y, x: -1 / np.sqrt((1 - x) * (1 + x))),
        (np.arctan, "arctan", math.atan, ("1 / (1 + {a}²)",), lambda y, x: 1 / (1 + x * x)),
        (
            np.arctan2,
            "arctan2",
            math.atan2,
            ("{b} / ({a}² + {b}²)", "-{a} / ({a}² + {b}²)"),
            turned,
            lambda y, a, b: -turned(y, b, a),
        ),
        (np.sinh, "sinh", math.sinh, ("cosh {a}",), lambda y, x: np.cosh(x)),
        (np.cosh, "cosh", math.cosh, ("sinh {a}",), lambda y, x: np.sinh(x)),
        (np.tanh, "tanh", math.tanh, ("1 - {y}²",), lambda y, x: hyperbolic_secant_squared(x)),
        (np.arcsinh, "arcsinh", math.asinh, ("1 / √({a}² + 1)",), lambda y, x: 1 / np.hypot(1.0, x)),
        (np.arccosh, "arccosh", math.acosh, ("1 / √({a}² - 1)",), lambda y, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))),
        (np.arctanh, "arctanh", math.atanh, ("1 / (1 - {a}²)",), lambda y, x: 1 / ((1 - x) * (1 + x))),
    ],
    "selection": [
        (np.absolute, "abs", abs, ("the sign of {a}",), sign),
        (np.fabs, "abs", math.fabs, ("the sign of {a}",), sign),
        (np.maximum, "max", _, LARGER, larger, lambda y, a, b: larger(y, b, a)),
        (np.minimum, "min", _, SMALLER, larger, lambda y, a, b: larger(y, b, a)),
        (np.fmax, "fmax", _, LARGER, larger, lambda y, a, b: larger(y, b, a)),
        (np.fmin, "fmin", _, SMALLER, larger, lambda y, a, b: larger(y, b, a)),
        (np.heaviside, "heaviside", _, ("0", "1 if {a} is 0, else 0"), zero, lambda y, x, h: np.equal(x, 0) * 1.0),
        (
            np.copysign,
            "copysign",
            math.copysign,
            ("1 if {a} and {b} have one sign, else -1", "0"),
            lambda y, a, b: kinked(np.sign(a) * np.copysign(1.0, b), a),
            zero,
        ),
    ],
}

for _family, _rows in ELEMENTWISE.items():
    for _ufunc, _symbol, _quick, _formulas, *_partials in _rows:
        BLOCK_OF[_ufunc] = Elementwise(
            _ufunc.__name__,
            _ufunc,
            *_partials,
            family=_family,
            symbol=_symbol,
            scalar_fn=_quick,
            formulas=_formulas,
            words=WORDS[_ufunc.__name__],
        )

# ``**`` on arrays squares where ``np.power`` would take logarithms, and Variables should give what the operator gives.
BLOCK_OF[np.power].compute = power  # type: ignore[method-assign]


def _itself(known: Callable[[], Block], ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """Compute what a function does, for a Block with another derivative; an outer trace's values go to the Block."""

    def compute(*data: Any) -> Any:
        if any(map(is_traced, data)):
            return known()(*data)
        if any(isinstance(each, np.ndarray) and each.dtype == object for each in data):
            return np.frompyfunc(compute, len(data), 1)(*data)
        return ufunc(*data)

    return compute


KINK: Rule = Rule(
    "kink",
    _itself(lambda: KINK, lambda slope, x, at_kink: slope),
    lambda y, slope, x, at_kink: [
        Diagonal(1.0, np.shape(y), np.shape(slope)),
        Diagonal(np.where(at_kink, np.nan, 0.0)[()], np.shape(y), np.shape(x)),
        None,
    ],
    "selection",
    words=WORDS["kink"],
)
"""A slope that is the mean of one-sided ones at a kink, while its derivative is recorded."""
TIED = Rule(
    "tied",
    lambda x, is_tied: np.copy(x) if np.ndim(x) else x,
    lambda y, x, is_tied: [
        Diagonal(marked(as_like(np.ones(np.shape(y)), x)[()], x, np.not_equal(is_tied, 0)), np.shape(y), np.shape(x)),
        None,
    ],
    "shape",
    words=WORDS["tied"],
)
"""Sorted entries, some of them equal to a neighbour, while a derivative of a derivative may be recorded."""
COPY = Elementwise(
    "copy", np.copy, lambda y, x: 1.0, family="shape", scalar_fn=float, formulas=("1",), words=WORDS["copy"]
)
LOGISTIC = Elementwise(
    "logistic",
    logistic,
    lambda y, x: y * np.exp(-np.logaddexp(0.0, x)),  # the product of both tails: neither overflows nor cancels
    family="power",
    formulas=("{y} · (1 - {y})",),
    words=WORDS["logistic"],
)


LENGTH: Elementwise = Elementwise(
    "sqrt",
    _itself(lambda: LENGTH, np.sqrt),
    lambda y, x: kinked(0.5 / np.where(np.equal(y, 0), np.inf, y), x),
    family="power",
    symbol="√",
    scalar_fn=math.sqrt,
    formulas=BLOCK_OF[np.sqrt].formulas,
    words=WORDS["sqrt"],
)
"""The root of a sum of squares. At 0 a length has a kink, and the mean of its one-sided derivatives is 0."""
ROOT: Elementwise = Elementwise(
    "power",
    _itself(lambda: ROOT, np.power),
    lambda y, x, p: kinked(p * y / np.where(np.equal(y, 0), np.inf, x), x),
    power_of_exponent,
    family="power",
    symbol="pow",
    scalar_fn=operator.pow,
    formulas=BLOCK_OF[np.power].formulas,
    words=WORDS["power"],
)
"""The root of a sum of other powers, and 0 there too."""
ROUNDED: dict[str, Elementwise] = {
    kind.__name__: Elementwise(
        "astype",
        lambda x, kind=kind: np.float64(kind(x)),
        lambda y, x: 1.0,
        family="shape",
        symbol=kind.__name__,
        scalar_fn=lambda x, kind=kind: float(kind(x)),
        formulas=("1",),
        words=WORDS["astype"],
    )
    for kind in (np.float16, np.float32)
}
"""A number in double precision rounded to another type, by its name: conversions in the scalar grain."""


def _sinc_slope(y: Any, x: Any) -> Any:
    """``(cos πx - sinc x) / x``, by its series where that would cancel (|πx| < 0.1)."""
    near = np.less(np.abs(x), 0.03)
    squared = np.square(np.pi * x)
    series = -(np.pi**2) * x / 3 * (1 - squared / 10 * (1 - squared / 28 * (1 - squared / 54 * (1 - squared / 88))))
    return np.where(near, series, (np.cos(np.pi * x) - y) / np.where(near, 1.0, x))


SINC = Elementwise(
    "sinc",
    np.sinc,
    _sinc_slope,
    family="trigonometric",
    formulas=("(cos (π · {a}) - {y}) / {a}",),
    words=WORDS["sinc"],
)
