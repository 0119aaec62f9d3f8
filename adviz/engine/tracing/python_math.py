"""Python's ``math`` while a function is traced: ``math.sqrt`` of a traced value is ``np.sqrt``.

The functions in C of the module ``math`` make a plain number of whatever they get, which would cut a traced value off
from its graph. A program that is traced has stand-ins in their place (``namespaces.py``). A stand-in passes plain
numbers to the function itself and traced ones to ``TRACED``, the table of what each function is in NumPy. ValueError
and OverflowError are raised as ever, for what has no value at the point of the trace.

``prod`` and ``sumprod`` need no stand-in: they add and multiply traced values themselves.
``factorial``, ``comb``, ``gcd`` and what else is about whole numbers is refused, as is ``ulp``.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..arrays.object_arrays import ObjectArray
from ..functions.overrides import StandIn
from ..recording.tape import user_origin
from ..trace_errors import MissingBlockError
from ..variable import DeviceTraced, Traced

KINDS = frozenset((Traced, DeviceTraced, ObjectArray))
"""What a traced value can be an instance of."""


# ---- what the functions are on traced numbers ----


def root_of_squares(*numbers: Any) -> Any:
    """``math.hypot`` of any number of traced numbers."""
    if len(numbers) < 3:
        return np.hypot(*numbers, *(0.0,) * (2 - len(numbers)))
    return np.sqrt(total([number * number for number in numbers]))


def total(numbers: Sequence[Any]) -> Any:
    """``math.fsum``."""
    return np.sum(np.stack(numbers))


def remainder(x: Any, y: Any) -> Any:
    """``math.remainder``: from the nearest multiple of ``y``, of two equally near the even one; without rounding."""
    rest = np.fmod(x, 2.0 * y)
    size, unit = np.abs(rest), np.abs(y)
    signed = np.copysign(y, rest)
    return number(np.where(size <= unit / 2, rest, np.where(size < 1.5 * unit, rest - signed, rest - 2.0 * signed)))


def scaled(x: Any, exponent: Any) -> Any:
    """``math.ldexp``, in two steps: the power of two alone may be too large."""
    half = operator.index(exponent) // 2
    return x * np.ldexp(1.0, half) * np.ldexp(1.0, operator.index(exponent) - half)


def is_close(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    """``math.isclose``."""
    tolerance = np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol)
    near = np.logical_and(np.isfinite(a), np.isfinite(b))
    return np.logical_or(np.equal(a, b), np.logical_and(near, np.less_equal(np.abs(a - b), tolerance)))


def of_scipy(name: str, here: str) -> Callable[[Any], Any]:
    """Return a function of ``scipy.special``, which is imported when it is needed."""

    def function(x: Any) -> Any:
        try:
            import scipy.special as special
        except ModuleNotFoundError:
            advice = "Run `pip install scipy`, or make a Block of your own: adviz.Block."
            raise MissingBlockError(f"math.{here} of a traced value needs SciPy. {advice}", user_origin()) from None
        return getattr(special, name)(x)

    return function


OF_ONE: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in "cbrt cos cosh degrees exp exp2 expm1 fabs frexp isfinite isinf".split()},
    **{name: getattr(np, name) for name in "isnan log10 log1p log2 modf radians sin sinh sqrt tan tanh".split()},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    **{name: of_scipy(name, name) for name in ("erf", "erfc", "gamma")},
    "lgamma": of_scipy("gammaln", "lgamma"),
    **{name: getattr(math, name) for name in ("ceil", "floor", "trunc")},  # of a traced number it is a traced number
}
"""Functions of one number."""

OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "fma": lambda x, y, z: x * y + z,
    "fmod": np.fmod,
    "hypot": root_of_squares,
    "isclose": is_close,
    "ldexp": scaled,
    "log": lambda x, base=None: np.log(x) if base is None else np.log(x) / np.log(base),
    "nextafter": np.nextafter,
    "pow": np.power,
    "remainder": remainder,
}
"""Functions of several numbers."""

OF_SEQUENCES: dict[str, Callable[..., Any]] = {
    "dist": lambda p, q: root_of_squares(*map(operator.sub, p, q)),
    "fsum": total,
}
"""Functions of sequences of numbers."""

TRACED = {**OF_ONE, **OF_NUMBERS, **OF_SEQUENCES}
"""What each function is on traced numbers."""

PREDICATES = {"isclose", "isfinite", "isinf", "isnan"}
"""What has an answer and no derivative."""


# ---- stand-ins ----


def number(value: Any) -> Any:
    """A traced number; to ``math``, as to NumPy, an array of one entry is one. Everything else stays as it is."""
    if type(value) not in KINDS or value.size != 1:
        return value
    single = np.reshape(value, ()) if value.ndim else value
    return single[()] if type(single) is ObjectArray else single


EVERYWHERE = object()
"""Instead of numbers, when there is more than one point."""


def at_this_point(value: Any) -> Any:
    """Return the plain values of traced numbers at the point of the trace, also inside sequences and dicts."""
    if isinstance(value, list | tuple | dict):
        entries = [at_this_point(entry) for entry in (value.values() if isinstance(value, dict) else value)]
        if any(entry is EVERYWHERE for entry in entries):
            return EVERYWHERE
        return dict(zip(value, entries, strict=True)) if isinstance(value, dict) else entries
    while isinstance(value, Traced) and not value.ndim:
        if value.tape.symbolic or type(value) is DeviceTraced:
            return EVERYWHERE
        value = value.data
    return value


def traced(name: str, original: Callable[..., Any], args: Sequence[Any], settings: dict[str, Any]) -> Any:
    """A function of ``math`` on what has traced numbers in it; it raises what it raises at the point of the trace.

    That is not asked where a trace is to hold at every point, or the numbers are on a device.
    """
    point = at_this_point([args, settings])
    result = None if point is EVERYWHERE else original(*point[0], **point[1])
    return result if name in PREDICATES and result is not None else TRACED[name](*args, **settings)


def of_one(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the stand-in for a function of one number."""

    @functools.wraps(original)
    def stand_in(x: Any, /) -> Any:
        return traced(name, original, (number(x),), {}) if type(x) in KINDS else original(x)

    return stand_in


def of_numbers(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the stand-in for a function of several numbers."""

    @functools.wraps(original)
    def stand_in(*args: Any, **settings: Any) -> Any:
        if KINDS.isdisjoint(map(type, args)) and KINDS.isdisjoint(map(type, settings.values())):
            return original(*args, **settings)
        named = {key: number(value) for key, value in settings.items()}
        return traced(name, original, tuple(map(number, args)), named)

    return stand_in


def of_sequences(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the stand-in for a function of sequences of numbers."""

    @functools.wraps(original)
    def stand_in(*args: Any) -> Any:
        read = [each if isinstance(each, list | tuple) else [*each] for each in args if isinstance(each, Iterable)]
        if len(read) < len(args) or all(KINDS.isdisjoint(map(type, each)) for each in read):
            return original(*(read if len(read) == len(args) else args))
        return traced(name, original, [list(map(number, each)) for each in read], {})

    return stand_in


KIND_OF_STAND_IN = ((OF_ONE, of_one), (OF_NUMBERS, of_numbers), (OF_SEQUENCES, of_sequences))
STAND_INS = {
    name: StandIn(stand_in(name, vars(math)[name]), vars(math)[name])
    for table, stand_in in KIND_OF_STAND_IN
    for name in table
    if name in vars(math)  # Python has added some
}
"""What stands in for the functions of ``math`` in a program that is traced."""
