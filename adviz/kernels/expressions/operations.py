"""The operations that programs consist of, one line each: how they are written, and how long they take.

``scalar`` is the function on Python floats; where it raises, NumPy's answer (NaN, infinity) is taken. ``parity`` is 1
for even functions and -1 for odd ones. ``nanoseconds`` is the time per number of NumPy's loop over a block in the
cache, in double precision: measured once on one machine, and only the ratios matter.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from ..program_errors import ProgramError


class Operation(NamedTuple):
    """One row of the table."""

    name: str
    numpy: Any
    scalar: Callable[..., Any]
    nanoseconds: float = 0.25
    sign: str = ""
    """The operator it is written with, if it is."""
    parity: int = 0
    is_condition: bool = False


def _rounded(function: Callable[[float], int]) -> Callable[[float], float]:
    """Let a function that returns integers return floats, zero with its sign; infinity and NaN stay as they are."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


def _exactly(ufunc: np.ufunc) -> Callable[..., Any]:
    """Call a ufunc on Python floats, where the module ``math`` has no such function."""
    return lambda *operands: ufunc(*operands).item()


TABLE: list[tuple[Any, ...]] = [
    # ufunc, function on floats (None: the ufunc), nanoseconds, operator, parity
    (np.add, operator.add, 0.25, "+"),
    (np.subtract, operator.sub, 0.25, "-"),
    (np.multiply, operator.mul, 0.25, "*"),
    (np.divide, operator.truediv, 0.38, "/"),
    (np.negative, operator.neg, 0.2, "-"),
    (np.power, math.pow, 7.0),
    (np.sqrt, math.sqrt, 1.2),
    (np.cbrt, math.cbrt, 12.0, "", -1),
    (np.exp, math.exp, 0.85),
    (np.exp2, math.exp2, 1.5),
    (np.expm1, math.expm1, 3.0),
    (np.log, math.log, 0.85),
    (np.log2, math.log2, 2.0),
    (np.log10, math.log10, 2.0),
    (np.log1p, math.log1p, 3.0),
    (np.logaddexp, None, 15.0),
    (np.logaddexp2, None, 15.0),
    (np.hypot, math.hypot, 7.0),
    (np.sin, math.sin, 8.6, "", -1),
    (np.cos, math.cos, 8.6, "", 1),
    (np.tan, math.tan, 1.4, "", -1),
    (np.arcsin, math.asin, 2.0, "", -1),
    (np.arccos, math.acos, 2.0),
    (np.arctan, math.atan, 1.3, "", -1),
    (np.arctan2, math.atan2, 2.2),
    (np.sinh, math.sinh, 2.0, "", -1),
    (np.cosh, math.cosh, 2.0, "", 1),
    (np.tanh, math.tanh, 1.8, "", -1),
    (np.arcsinh, math.asinh, 2.5, "", -1),
    (np.arccosh, math.acosh, 2.5),
    (np.arctanh, math.atanh, 2.5, "", -1),
    (np.absolute, abs, 0.2, "", 1),
    (np.sign, lambda x: 1.0 if x > 0 else -1.0 if x < 0 else x + 0.0, 1.0, "", -1),
    (np.floor, _rounded(math.floor), 0.3),
    (np.ceil, _rounded(math.ceil), 0.3),
    (np.trunc, _rounded(math.trunc), 0.3, "", -1),
    (np.rint, _rounded(round), 0.3, "", -1),
    (np.floor_divide, None, 6.0),
    (np.remainder, None, 6.0),
    (np.fmod, math.fmod, 6.0),
    (np.maximum, lambda a, b: a if a > b or a != a else b, 0.5),
    (np.minimum, lambda a, b: a if a < b or a != a else b, 0.5),
    (np.fmax, None, 1.0),
    (np.fmin, None, 1.0),
    (np.copysign, math.copysign, 0.5),
    (np.heaviside, None, 2.0),
    (np.nextafter, math.nextafter, 5.0),
]

CONDITIONS: list[tuple[Any, ...]] = [
    (np.less, operator.lt, 0.25, "<"),
    (np.less_equal, operator.le, 0.25, "<="),
    (np.greater, operator.gt, 0.25, ">"),
    (np.greater_equal, operator.ge, 0.25, ">="),
    (np.equal, operator.eq, 0.25, "=="),
    (np.not_equal, operator.ne, 0.25, "!="),
    (np.isnan, math.isnan, 0.25),
    (np.isinf, math.isinf, 0.25),
    (np.isfinite, math.isfinite, 0.25),
    (np.signbit, None, 0.25),
    (np.logical_and, lambda a, b: a and b, 0.1),
    (np.logical_or, lambda a, b: a or b, 0.1),
    (np.logical_xor, lambda a, b: bool(a) != bool(b), 0.1),
    (np.logical_not, operator.not_, 0.1),
]


def _named(ufunc: np.ufunc, scalar: Callable[..., Any] | None, *others: Any) -> Operation:
    return Operation(ufunc.__name__, ufunc, scalar or _exactly(ufunc), *others)


OPERATIONS: dict[str, Operation] = {each.name: each for each in starmap(_named, TABLE)}
OPERATIONS |= {each.name: each._replace(is_condition=True) for each in starmap(_named, CONDITIONS)}
OPERATIONS["where"] = Operation("where", np.where, lambda condition, a, b: a if condition else b, 1.0)
"""By NumPy's names; functions of SciPy are added when a program first uses them."""

SPECIAL: dict[str, Callable[..., Any]] = {
    "erf": math.erf,
    "erfc": math.erfc,
    "gamma": math.gamma,
    "ndtr": lambda x: 0.5 * math.erfc(-x * math.sqrt(0.5)),
}
"""SciPy's functions that the module ``math`` can compute."""


def know(names: Iterable[str]) -> None:
    """Add SciPy's functions of these names to the table; another process may have found them."""
    for name in names:
        if name not in OPERATIONS:
            from scipy.special import _ufuncs

            operation_of(getattr(_ufuncs, name))


def operation_of(ufunc: np.ufunc) -> Operation:
    """Find the operation of a ufunc of NumPy or SciPy. Raises :class:`~adviz.ProgramError` for any other function.

    >>> operation_of(np.sin).parity
    -1
    """
    name = ufunc.__name__
    known = OPERATIONS.get(name)
    if known is not None and known.numpy is ufunc:
        return known
    from scipy.special import _ufuncs  # has those that scipy.special exports, and those that it calls itself

    if getattr(_ufuncs, name, None) is not ufunc:
        raise ProgramError(f"A program has no operation for {name}, which is a ufunc of neither NumPy nor SciPy.")
    if known is not None:  # SciPy's log1p is NumPy's
        return known
    return OPERATIONS.setdefault(name, _named(ufunc, SPECIAL.get(name), 10.0))
