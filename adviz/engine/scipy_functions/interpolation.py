"""``scipy.interpolate`` on traced values: piecewise polynomials of a traced variable, and of traced values at knots.

Knots are plain numbers. The data decide in which piece a number is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.interpolate import BSpline, PPoly

from ..devices import as_like
from ..functions.arguments import Overrides, data_of, holds_traced, joined, missing, numpy_data
from ..recording.tape import untraced
from .calling_scipy import bound, searched


def polynomials(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """Return a piecewise polynomial or its derivative of order ``nu``, by Horner's rule."""
    if not isinstance(self, PPoly) or self.x[-1] < self.x[0]:
        raise missing(f"scipy.interpolate.{type(self).__name__} of falling knots or another basis", "Use PPoly.")
    x, knots, coefficients = joined(x), self.x, getattr(_holder(self), _place(self))
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    if extrapolate == "periodic":
        x = knots[0] + np.remainder(x - knots[0], knots[-1] - knots[0])
    places = np.clip(np.searchsorted(knots, numpy_data(x), side="right") - 1, 0, len(knots) - 2)  # of the pieces
    rest = np.ndim(coefficients) - 2
    shift = np.reshape(x - as_like(knots[places], x), np.shape(x) + (1,) * rest)
    order = np.shape(coefficients)[0] - 1
    result: Any = 0.0 * shift * coefficients[0][places]
    for k in range(order - nu + 1):
        factor = np.prod(np.arange(order - k - nu + 1, order - k + 1)) * 1.0
        result = result * shift + factor * coefficients[k][places]
    if not extrapolate:
        outside = (numpy_data(x) < knots[0]) | (numpy_data(x) > knots[-1])
        result = np.where(np.reshape(outside, np.shape(shift)), np.nan, result) if np.any(outside) else result
    return np.moveaxis(result, range(np.ndim(x), np.ndim(x) + self.axis), range(self.axis)) if self.axis else result


def cubic_spline(
    original: Any, self: Any, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> None:
    """``CubicSpline`` through traced values: its coefficients are linear in them."""
    if not holds_traced((x, y)):
        with untraced():
            original(self, x, y, axis, bc_type, extrapolate)
        return
    if holds_traced(x) or not isinstance(bc_type, str) or axis:
        raise missing("scipy.interpolate.CubicSpline with traced knots, an axis, or numbers as bc_type", "Omit it.")
    if bc_type == "periodic":
        raise missing("scipy.interpolate.CubicSpline through traced values, periodic", "Use another bc_type.")
    y = joined(y)
    with untraced():
        original(self, x, np.eye(np.shape(y)[0]), 0, bc_type, extrapolate)
    units = getattr(_holder(self), _place(self))
    setattr(_holder(self), _place(self), np.tensordot(as_like(units, y), y, 1))


def _holder(self: Any) -> Any:
    """Return what holds the coefficients: the polynomial, or, since SciPy 1.18, another one in it."""
    return getattr(self, "_delegate_to", self)


def _place(self: Any) -> str:
    """Return the attribute that holds the coefficients of a piecewise polynomial."""
    return "_c" if hasattr(_holder(self), "_c") else "c"


def _of_spline(tck: Any, x: Any, nu: int, extrapolate: Any) -> Any:
    """Return a spline as piecewise polynomials, from its derivatives at the knots."""
    t, c, k = tck
    count = len(t) - k - 1
    with untraced():
        numbers = BSpline(t, np.asarray(c, float)[:count], k)
        knots = np.unique(numbers.t[k : count + 1])
        orders = range(k, -1, -1)
        pieces = PPoly(np.stack([numbers(knots[:-1], nu=j) / math.factorial(j) for j in orders]), knots)
    return polynomials(pieces, x, nu, extrapolate)


def spline(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    """``BSpline`` of a traced variable."""
    if self.c.ndim > 1 or holds_traced(self.c):
        raise missing("scipy.interpolate.BSpline of traced or several coefficients", "Use CubicSpline.")
    return _of_spline(self.tck, x, nu, self.extrapolate if extrapolate is None else extrapolate)


def univariate(self: Any, x: Any, nu: int = 0, ext: Any = None) -> Any:
    """``UnivariateSpline`` of a traced variable, extrapolated beyond its ends."""
    if (self.ext if ext is None else ext) not in (0, "extrapolate"):
        raise missing("scipy.interpolate.UnivariateSpline with ext", "Omit it.")
    return _of_spline(self._eval_args, x, nu, True)


# ---- interp1d ----


def interp1d(original: Any, *args: Any, **settings: Any) -> None:
    """``interp1d`` through traced values: made of their data, it keeps the traced values too."""
    given = bound(original, args, settings)
    self, y = given["self"], joined(given["y"])
    if holds_traced(given["x"]):
        raise missing("scipy.interpolate.interp1d with traced knots", "Use np.interp.")
    searched(original, {name: data_of(value) for name, value in given.items()})
    if holds_traced(y):
        order = range(len(given["x"])) if given["assume_sorted"] else np.argsort(given["x"], kind="mergesort")
        self.traced = np.take(y, np.asarray(order), axis=self.axis)


def interpolated(self: Any, x: Any) -> Any:
    """Return the value of an ``interp1d``: a value, a line between two values, or a spline."""
    if not hasattr(self, "_kind"):
        raise missing(f"scipy.interpolate.{type(self).__name__}", "Use CubicSpline.")
    x, shape = np.ravel(joined(x)), np.shape(x)
    values, knots = np.moveaxis(getattr(self, "traced", self.y), self.axis, 0), self.x
    column = (-1,) + (1,) * (np.ndim(values) - 1)
    if self._kind in ("nearest", "nearest-up", "previous", "next"):
        with untraced():
            numbers = type(self)(knots, np.arange(len(knots)) * 1.0, self._kind, fill_value="extrapolate")
            places = np.nan_to_num(numbers(numpy_data(x))).astype(int)
        result = values[places] + 0.0 * np.reshape(x, column)
    elif self._kind == "linear":
        places = np.clip(np.searchsorted(knots, numpy_data(x)), 1, len(knots) - 1)
        low, high = knots[places - 1], knots[places]
        slope = (values[places] - values[places - 1]) / as_like(np.reshape(high - low, column), values)
        result = slope * np.reshape(x - as_like(low, x), column) + values[places - 1]
    elif np.ndim(values) == 1 and not hasattr(self, "traced"):
        result = _of_spline((self._spline.t, np.ravel(self._spline.c), self._spline.k), x, 0, True)
    else:
        raise missing("scipy.interpolate.interp1d of traced values or several, by splines", "Use CubicSpline.")
    return np.moveaxis(
        np.reshape(_bounded(self, x, result), shape + np.shape(result)[1:]),
        range(len(shape)),
        range(self.axis, self.axis + len(shape)),
    )


def _bounded(self: Any, x: Any, value: Any) -> Any:
    """Return the values outside of the knots, or the error there."""
    if self._extrapolate:
        return value
    with untraced():
        sides = self._check_bounds(numpy_data(x))
    for outside, filling in zip(sides, (self._fill_value_below, self._fill_value_above), strict=True):
        if np.any(outside):
            value = np.where(np.reshape(outside, (-1,) + (1,) * (np.ndim(value) - 1)), filling, value)
    return value


METHODS: Overrides = {
    **dict.fromkeys(("_interpolate._PPolyBase.__call__", "PPoly.__call__", "BPoly.__call__"), polynomials),
    "BSpline.__call__": spline,
    "UnivariateSpline.__call__": univariate,
    "_polyint._Interpolator1D.__call__": interpolated,
}

SEARCHES: Overrides = {"CubicSpline.__init__": cubic_spline, "interp1d.__init__": interp1d}
