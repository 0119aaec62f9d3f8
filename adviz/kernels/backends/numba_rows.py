"""Rows of a block in compiled code: loaded from arguments, stored in results, and functions of whole rows.

Imported only where numba is installed. Sine, cosine, arctan2 and hypot have neither branches nor tables, so that the
compiler vectorizes them: the Jacobian of the six-joint arm takes 41 ns per point, and with the C library's functions
137 ns (with its arctan2 alone 75 ns, with its hypot alone 53 ns; ``bench/kernels.py``, 100,000 points). They are within
two units of the last place for usual arguments; for others the C library is called. Arguments of sine and cosine are
reduced by three numbers that add up to a quarter turn (Cody and Waite, Software Manual for the Elementary Functions,
1980), those of the arctangent by its addition theorem; the rest is small enough for a few terms of the Taylor series.
The functions at the end never call it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ...algorithms.search import engines

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


def numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


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
    """Return sine and cosine of an angle, from those of its difference to the nearest multiple of a quarter turn."""
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
        block[made + p] = exp(block[x + p])


@njit
def log_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = log(block[x + p])


@njit
def sinh_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = sinh(block[x + p])


@njit
def cosh_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = cosh(block[x + p])


@njit
def tanh_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = tanh(block[x + p])


@njit
def erf_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = erf(block[x + p])


@njit
def erfc_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = erfc(block[x + p])


@njit
def ndtr_row(block: Any, x: Any, made: Any, count: Any) -> None:  # pragma: no cover
    for p in range(count):
        block[made + p] = ndtr(block[x + p])


# ---- functions that never call the C library ----

# The exponential function, the logarithm, hyperbolic and error functions, for all arguments. Where a formula holds for
# some arguments only, another is computed, too, and one of both is chosen. Exponents are read from and written to the
# bits of numbers. All are within two units of the last place, erfc and ndtr within six.
#
# Sources: the exponential function by the nearest power of 2 and a series (Cody and Waite, Software Manual for the
# Elementary Functions, 1980); the logarithm by the series of artanh (K. C. Ng, in fdlibm's e_log.c, 1993); tanh near 0
# by a quotient of S. L. Moshier's (Cephes, tanh.c, 1995); erfc as exp(-x^2) times a polynomial of (x - 3) / (x + 3)
# (M. M. Shepherd and J. G. Laframboise, Mathematics of Computation 36, 1981).


inline: Any = partial(engines.njit, error_model="numpy", forceinline=True)

LN2 = sum((Fraction(2, (2 * n + 1) * 3 ** (2 * n + 1)) for n in range(60)), Fraction(0))
"""The logarithm of 2: twice the series of artanh 1/3."""
LN2_HIGH = math.floor(LN2 * 2**40) / 2**40
LN2_LOW = float(LN2 - Fraction(LN2_HIGH))
"""Its first digits, of which multiples by an exponent are exact, and the rest."""
SHIFT = 1.5 * 2.0**52
"""A number that is added has its last digit at 1, and its integer in its last bits."""
SHIFT_BITS = int(np.float64(SHIFT).view(np.int64))
ROOT_BITS = int(np.float64(math.sqrt(0.5)).view(np.int64))
TINY = 2.0**-1022
"""The least number with all its digits."""

OF_EXP = tuple(1 / math.factorial(n) for n in range(13, 1, -1))
OF_LOG = tuple(2 / (2 * n + 1) for n in range(10, 0, -1))
"""Coefficients of series, the highest first: of exp(r) - 1 - r, and of log((1 + s) / (1 - s)) - 2 s."""
OF_SINH = tuple(1 / math.factorial(2 * n + 1) for n in range(9, 0, -1))
"""Of (sinh x - x) / x^3 in x^2."""
ABOVE_TANH = -0.964399179425052238628, -99.2877231001918586564, -1614.68768441708447952
BELOW_TANH = 1.0, 112.811678491632931402, 2235.48839060100448583, 4844.06305325125486048
"""Of (tanh x - x) / x^3 in x^2, for x of at most 0.625."""
OF_ERF = numbers(
    "5.957176147748911e-11 -1.1372848856791674e-09 1.4659775274047436e-08 -1.6350312701054695e-07 "
    "1.6461000484121368e-06 -1.4925595266831182e-05 0.0001205533111164271 -0.000854832698083379 "
    "0.0052239776248180145 -0.026866170645076792 0.11283791670954879 -0.3761263890318375 0.1283791670955126"
)
OF_ERFC = numbers(
    "3.4857616598761575e-09 -2.364722137103112e-08 1.841441031768294e-08 1.3376611832423843e-07 "
    "-1.2377771173489597e-07 -6.551721540775777e-07 3.5242260231623217e-07 3.498025292870176e-06 "
    "-7.334500023711176e-07 -2.011099568569788e-05 4.951246766427823e-06 0.00012510204965000544 "
    "-0.00010516036691941478 -0.0007798327144878937 0.0018886904549149965 0.002529391860413148 "
    "-0.023770514927307543 0.06830802734148166 -0.11927366341492666 0.12964515870282672 -0.0475622943534571 "
    "-0.1356211061245817 1.2530080582697296"
)
"""Of erf(x) / x - 1 in x^2 up to 1, and of (1 + 2 x) exp(x^2) erfc(x) in (x - 3) / (x + 3) from x = 1/2 on: the
polynomials with these values at Chebyshev's points."""
EVEN, ODD = OF_ERFC[::2], OF_ERFC[1::2]


@partial(inline, fastmath={"contract"})
def horner(coefficients: Any, x: Any) -> Any:  # pragma: no cover
    """Return a polynomial; each product and its sum are rounded once where the processor can."""
    result = coefficients[0]
    for each in coefficients[1:]:
        result = result * x + each
    return result


@inline
def bits(x: Any) -> Any:  # pragma: no cover
    return np.float64(x).view(np.int64)


@inline
def number(bits: Any) -> Any:  # pragma: no cover
    return np.int64(bits).view(np.float64)


@inline
def at_most(x: Any, most: float) -> Any:  # pragma: no cover
    """Return the smaller of two numbers; NaN stays NaN."""
    return most if x > most else np.float64(x)


@inline
def twos(x: Any) -> Any:  # pragma: no cover
    """Return the exponent of the power of 2 nearest to exp(x), for x of up to 1,000 in size, and the rest of x."""
    shifted = x * (1 / math.log(2)) + SHIFT
    count = shifted - SHIFT
    return bits(shifted) - SHIFT_BITS, (x - count * LN2_HIGH) - count * LN2_LOW


@inline
def scaled(x: Any, exponent: Any) -> Any:  # pragma: no cover
    """x times a power of 2, in two steps of which the first is exact: for results that are subnormal or overflow."""
    half = exponent >> 1
    return x * number((half + 1023) << 52) * number((exponent - half + 1023) << 52)


@inline
def of_rest(rest: Any) -> Any:  # pragma: no cover
    """exp(r) for a rest of at most half of log 2."""
    return 1.0 + (rest + rest * rest * horner(OF_EXP, rest))


@inline
def exp(x: Any) -> Any:  # pragma: no cover
    exponent, rest = twos(-at_most(-at_most(x, 710.0), 746.0))
    return scaled(of_rest(rest), exponent)


@inline
def half_exp(x: Any) -> Any:  # pragma: no cover
    """exp(x) / 2 for x from 0 on, also where exp(x) overflows."""
    exponent, rest = twos(at_most(x, 712.0))
    return scaled(of_rest(rest), exponent - 1)


@inline
def log(x: Any) -> Any:  # pragma: no cover
    is_small = x < TINY
    y = x * 2.0**54 if is_small else np.float64(x)
    exponent = (bits(y) - ROOT_BITS) >> 52
    rest = number(bits(y) - (exponent << 52)) - 1.0  # between sqrt(1/2) - 1 and sqrt(2) - 1
    count = (number(exponent + SHIFT_BITS) - SHIFT) - (54.0 if is_small else 0.0)
    ratio = rest / (2.0 + rest)
    square, half = ratio * ratio, 0.5 * rest * rest
    lower = ratio * (half + square * horner(OF_LOG, square)) + count * LN2_LOW
    result = count * LN2_HIGH - ((half - lower) - rest)
    result = result if x > 0.0 else -np.inf if x == 0.0 else np.nan
    return result if x < np.inf else np.float64(x) + 0.0


@inline
def cosh(x: Any) -> Any:  # pragma: no cover
    result = half_exp(abs(x))
    return result + 0.25 / result


@inline
def sinh(x: Any) -> Any:  # pragma: no cover
    size = np.float64(abs(x))
    square, half = size * size, half_exp(size)
    near = size + size * square * horner(OF_SINH, square)
    return np.copysign(half - 0.25 / half if size > 1.0 else near, x)


@inline
def tanh(x: Any) -> Any:  # pragma: no cover
    size = at_most(abs(x), 22.0)
    square, half = size * size, half_exp(2.0 * size)
    near = size + size * square * (horner(ABOVE_TANH, square) / horner(BELOW_TANH, square))
    return np.copysign(1.0 - 1.0 / (half + 0.5) if size > 0.625 else near, x)


@inline
def erf_near(x: Any) -> Any:  # pragma: no cover
    """erf(x) for x of at most 1 in size."""
    return x + x * horner(OF_ERF, x * x)


@inline
def erfc_far(x: Any, square: Any, lost: Any) -> Any:  # pragma: no cover
    """erfc(x) for x from 1/2 on, whose square is a sum of two numbers."""
    ratio = (x - 3.0) / (x + 3.0)
    again = ratio * ratio
    result = horner(EVEN, again) + ratio * horner(ODD, again)  # the compiler unrolls a loop of so few terms
    return exp(-square) * ((1.0 - lost) * result / (1.0 + 2.0 * x))


@inline
def erf(x: Any) -> Any:  # pragma: no cover
    size = at_most(abs(x), 7.0)
    return np.copysign(1.0 - erfc_far(size, size * size, 0.0) if size > 1.0 else erf_near(size), x)


@inline
def lost_of_square(x: Any, square: Any) -> Any:  # pragma: no cover
    """Return what rounding lost of a square, by halves of its digits (Dekker, Numerische Mathematik 18, 1971)."""
    high = x * 134217729.0
    high = high - (high - x)
    low = x - high
    return ((high * high - square) + 2.0 * high * low) + low * low


@inline
def tail(x: Any, scale: float, factor: float) -> Any:  # pragma: no cover
    """erfc(scale x), where the square of the scale is a factor, 1 or 1/2."""
    size = at_most(abs(x), 40.0)
    square = size * size
    lost = factor * lost_of_square(size, square)
    far = erfc_far(scale * size, factor * square, lost)
    near = 1.0 - erf_near(scale * x)
    return near if scale * size < 0.5 else far if x > 0.0 else 2.0 - far


@inline
def erfc(x: Any) -> Any:  # pragma: no cover
    return tail(np.float64(x), 1.0, 1.0)


@inline
def ndtr(x: Any) -> Any:  # pragma: no cover
    """Return the normal distribution: erfc(-x / sqrt(2)) / 2."""
    return 0.5 * tail(-np.float64(x), math.sqrt(0.5), 0.5)
