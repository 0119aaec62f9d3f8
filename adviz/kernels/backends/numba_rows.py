"""Rows of a block in compiled code: loaded from arguments, stored in results, and functions of whole rows.

Imported only where numba is installed. Sine, cosine, arctan2 and hypot have neither branches nor tables, so that the
compiler vectorizes them: the Jacobian of the six-joint arm takes 41 ns per point, and with the C library's functions
137 ns (with its arctan2 alone 75 ns, with its hypot alone 53 ns; ``bench/kernels.py``, 100,000 points). They are within
two units of the last place for usual arguments; for others the C library is called. Arguments of sine and cosine are
reduced by three numbers that add up to a quarter turn (Cody and Waite, Software Manual for the Elementary Functions,
1980), those of the arctangent by its addition theorem; the rest is small enough for a few terms of the Taylor series.
Functions that never call the C library are in :mod:`.numba_elementary`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ...algorithms.search import engines
from . import numba_elementary as elementary

njit: Any = partial(engines.njit, error_model="numpy")
whole: Any = np.uintp
"""Unsigned integers: for an index that may be negative the compiler adds a test."""

BLOCK = 256
"""Points of a block: the rows of a usual program fit in the cache."""
ROW = BLOCK + 8
"""Numbers of a row: no power of two, for which the numbers of one point would share a cache line."""
STEP = 8
"""The points of a block are a multiple of this, so that no loop has a remainder: the last point is repeated."""


@njit
def take(
    block: Any, row: int, given: Any, size: int, is_last: bool, points: int, first: int
) -> None:  # pragma: no cover
    """Load the rows of an argument of ``size`` numbers, from the point ``first`` on."""
    apart, between = (1, points) if is_last else (size, 1)
    if len(given) < size * points:  # the same at all points
        apart, between = 0, 1
    count = min(BLOCK, points - first)
    stop = whole((count + STEP - 1) // STEP * STEP)
    for k in range(size):
        at, start = whole((row + k) * ROW), whole(k * between + first * apart)
        for p in range(whole(count)):
            block[at + p] = given[start + p * whole(apart)]
        for p in range(whole(count), stop):
            block[at + p] = block[at + whole(count - 1)]


@njit
def put(
    block: Any, row: int, made: Any, places: Any, size: int, is_last: bool, points: int, first: int
) -> bool:  # pragma: no cover
    """Store rows at these places of a result of ``size`` numbers. Returns whether some number is not finite."""
    bad = False
    count = whole(min(BLOCK, points - first))
    if is_last:
        for k in range(len(places)):
            at, start = whole((row + k) * ROW), whole(places[k] * points + first)
            for p in range(count):
                made[start + p] = block[at + p]
                bad |= block[at + p] - block[at + p] != 0.0
    else:
        for p in range(count):
            at, start = whole(row * ROW) + p, whole(first * size) + p * whole(size)
            total = 0.0
            for k in range(whole(len(places))):
                made[start + whole(places[k])] = block[at + k * whole(ROW)]
                total += block[at + k * whole(ROW)]
            bad |= total - total != 0.0
    return bad


# ---- functions of one point ----


def parts(number: Fraction, *digits: int) -> tuple[float, ...]:
    """Split a number into summands, each but the last with that many binary digits after the point."""
    result: list[float] = []
    for each in digits:
        result.append(math.floor(number * 2**each) / 2**each)
        number -= Fraction(result[-1])
    return (*result, float(number))


def arctan(slope: Fraction) -> Fraction:
    """Return the arctangent by 60 terms of its series, which is exact to double precision for slopes of at most 1/2."""
    return sum((Fraction(-1) ** n * slope ** (2 * n + 1) / (2 * n + 1) for n in range(60)), Fraction(0))


PI = 16 * arctan(Fraction(1, 5)) - 4 * arctan(Fraction(1, 239))
"""By Machin's formula."""
QUARTER_TURN = parts(PI / 2, 32, 65)
ANGLES = parts(arctan(Fraction(1, 2)), 53), parts(PI / 4, 53), parts(PI / 2, 52), parts(PI, 51)
OF_SINE = tuple((-1) ** n / math.factorial(2 * n + 1) for n in range(8, 0, -1))
OF_COSINE = tuple((-1) ** n / math.factorial(2 * n) for n in range(9, 1, -1))
OF_ARCTAN = tuple((-1) ** n / (2 * n + 1) for n in range(12, 0, -1))
"""Coefficients of the series, the highest first, without those that are added at the end."""


@njit
def series(coefficients: Any, x: Any) -> Any:  # pragma: no cover
    """Return a polynomial, by Horner."""
    result = 0.0
    for each in coefficients:
        result = result * x + each
    return result


@njit
def sin_cos(x: Any) -> Any:  # pragma: no cover
    """The sine and the cosine of an angle, from those of its difference to the nearest multiple of a quarter turn."""
    turns = np.rint(x * (2 / math.pi)) + 0.0  # no minus zero
    a, b = x - turns * QUARTER_TURN[0], turns * QUARTER_TURN[1]
    rough = a - b
    lost = b - (a - rough) + turns * QUARTER_TURN[2]
    angle = rough - lost  # minus zero stays what it is
    rest = rough - angle - lost
    square = angle * angle
    near = 1.0 - 0.5 * square
    sine = angle + (angle * square * series(OF_SINE, square) + rest * near)
    sine = np.copysign(sine, angle)
    cosine = near + (1.0 - near - 0.5 * square + (square * square * series(OF_COSINE, square) - angle * rest))
    quarter = turns - 4.0 * np.floor(0.25 * turns)
    is_odd = (quarter == 1.0) | (quarter == 3.0)
    y, x = (cosine, sine) if is_odd else (sine, cosine)
    return -y if quarter > 1.5 else y, -x if (quarter == 1.0) | (quarter == 2.0) else x


@njit
def arctan2(y: Any, x: Any) -> Any:  # pragma: no cover
    a, b = abs(y), abs(x)
    most, least = (a, b) if a > b else (b, a)
    is_small, is_middle = least < 0.25 * most, least < 0.7 * most
    slope = 0.0 if is_small else 0.5 if is_middle else 1.0
    high, low = (0.0, 0.0) if is_small else ANGLES[0] if is_middle else ANGLES[1]
    rest = (least - slope * most) / (most + slope * least)
    square = rest * rest
    angle = high + (rest + (rest * square * series(OF_ARCTAN, square) + low))
    if a > b:
        angle = ANGLES[2][0] - (angle - ANGLES[2][1])
    if np.copysign(1.0, x) < 0.0:
        angle = ANGLES[3][0] - (angle - ANGLES[3][1])
    return np.copysign(angle, y)


# ---- the same of all numbers of a row ----


@njit
def sin_cos_row(block: Any, x: Any, sines: Any, cosines: Any, count: Any) -> None:  # pragma: no cover
    """Fill two rows; by the C library if some angle is too large for the summands of a quarter turn."""
    is_usual = True
    for p in range(count):
        angle = block[x + p]
        is_usual &= abs(angle) <= 1024.0
        block[sines + p], block[cosines + p] = sin_cos(angle)
    if not is_usual:
        for p in range(count):
            angle = block[x + p]
            block[sines + p], block[cosines + p] = math.sin(angle), math.cos(angle)


@njit
def is_between(x: Any, y: Any, most: float) -> Any:  # pragma: no cover
    """Return whether the larger of two numbers is neither tiny nor huge."""
    larger = max(abs(x), abs(y))
    return (1.0 / most < larger) & (larger < most)


@njit
def arctan2_row(block: Any, y: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    """Fill a row; by the C library if some point is the origin, or tiny or huge."""
    is_usual = True
    for p in range(count):
        is_usual &= is_between(block[y + p], block[x + p], 1e300)
        block[made + p] = arctan2(block[y + p], block[x + p])
    if not is_usual:
        for p in range(count):
            block[made + p] = np.arctan2(block[y + p], block[x + p])


@njit
def hypot_row(block: Any, x: Any, y: Any, made: Any, count: Any) -> None:  # pragma: no cover
    """Fill a row; by the C library if some square overflows or underflows."""
    is_usual = True
    for p in range(count):
        a, b = np.float64(block[x + p]), np.float64(block[y + p])
        is_usual &= is_between(a, b, 1e150)
        block[made + p] = np.sqrt(a * a + b * b)
    if not is_usual:
        for p in range(count):
            block[made + p] = np.hypot(block[x + p], block[y + p])


@njit
def exp_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.exp(block[x + p])


@njit
def log_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.log(block[x + p])


@njit
def sinh_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.sinh(block[x + p])


@njit
def cosh_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.cosh(block[x + p])


@njit
def tanh_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.tanh(block[x + p])


@njit
def erf_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.erf(block[x + p])


@njit
def erfc_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.erfc(block[x + p])


@njit
def ndtr_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = elementary.ndtr(block[x + p])
