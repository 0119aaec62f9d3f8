"""``scipy.interpolate`` on traced values: against SciPy's own values, and against differences of them."""

import numpy as np
import pytest
import scipy.interpolate as ip
from scipy.interpolate import CubicSpline, interp1d

import adviz as ad

from ..checks import GRAINS
from ..scipys import check

RNG = np.random.default_rng(5)
KNOTS = np.array([0.0, 0.7, 1.5, 2.2, 3.1])
Y, TABLE = RNG.normal(size=5), RNG.normal(size=(5, 2))
X, BEYOND = np.array([0.33, 1.9, 2.8]), np.array([-0.3, 0.5, 3.5])
ROUND = np.append(Y[:4], Y[0])

FUNCTIONS = {
    "CubicSpline": (lambda x: CubicSpline(KNOTS, Y)(x), (X,)),
    "its derivatives": (lambda x: CubicSpline(KNOTS, Y)(x, 1) + CubicSpline(KNOTS, Y)(x, 2), (X,)),
    "its derivative as a function": (lambda x: CubicSpline(KNOTS, Y).derivative()(x), (X,)),
    "of several values": (lambda x: CubicSpline(KNOTS, TABLE)(x), (X,)),
    "along another axis": (lambda x: CubicSpline(KNOTS, TABLE.T, axis=1)(x), (X,)),
    "of a number": (lambda x: CubicSpline(KNOTS, Y)(x[0]), (X,)),
    "through traced values": (lambda x, y: CubicSpline(KNOTS, y)(x), (X, Y)),
    "natural, through several": (lambda x, y: CubicSpline(KNOTS, y, bc_type="natural")(x), (X, TABLE)),
    "through traced values at numbers": (lambda y: CubicSpline(KNOTS, y)([0.5, 1.0]), (Y,)),
    "beyond the knots": (lambda x: CubicSpline(KNOTS, Y)(x), (BEYOND,)),
    "not beyond the knots": (lambda x: CubicSpline(KNOTS, Y, extrapolate=False)(x), (BEYOND,)),
    "periodic": (lambda x: CubicSpline(KNOTS, ROUND, bc_type="periodic")(x), (BEYOND,)),
    "PchipInterpolator": (lambda x: ip.PchipInterpolator(KNOTS, Y)(x), (X,)),
    "Akima1DInterpolator": (lambda x: ip.Akima1DInterpolator(KNOTS, Y)(x), (X,)),
    "make_interp_spline": (lambda x: ip.make_interp_spline(KNOTS, Y)(x), (X,)),
    "BSpline of few knots": (lambda x: ip.BSpline.basis_element(np.arange(4.0))(x), (X,)),
    "BSpline, its derivative": (lambda x: ip.make_interp_spline(KNOTS, Y)(x, 1), (X,)),
    "UnivariateSpline": (lambda x: ip.UnivariateSpline(KNOTS, Y, s=0)(x), (X,)),
    "InterpolatedUnivariateSpline": (lambda x: ip.InterpolatedUnivariateSpline(KNOTS, Y)(x), (BEYOND,)),
    "interp1d": (lambda x, y: interp1d(KNOTS, y)(x), (X, Y)),
    "interp1d of knots in another order": (lambda x, y: interp1d(KNOTS[::-1], y)(x), (X, Y)),
    "interp1d of columns": (lambda x, y: interp1d(KNOTS, y, axis=0)(x), (X, TABLE)),
    "interp1d of rows, at a column": (lambda x, y: interp1d(KNOTS, y)(x.reshape(3, 1)), (X, TABLE.T.copy())),
    "interp1d with numbers beyond": (
        lambda x, y: interp1d(KNOTS, y, bounds_error=False, fill_value=(1.0, 2.0))(x),
        (BEYOND, Y),
    ),
    "interp1d beyond": (lambda x, y: interp1d(KNOTS, y, fill_value="extrapolate")(x), (BEYOND, Y)),
    "interp1d, cubic": (lambda x: interp1d(KNOTS, Y, kind="cubic")(x), (X,)),
    "interp1d, quadratic": (lambda x: interp1d(KNOTS, Y, "quadratic")(x), (X,)),
    "interp1d, nearest": (lambda y: interp1d(KNOTS, y, kind="nearest")(X), (Y,)),
    "interp1d, previous": (lambda x, y: interp1d(KNOTS, y, kind="previous")(x), (X, Y)),
    "interp1d, next": (lambda y: interp1d(KNOTS, y, kind="next")(X), (Y,)),
    "interp1d of numbers": (lambda x: x * interp1d(KNOTS, Y)(1.0), (X,)),
}


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_interpolant_has_scipys_values_and_their_derivatives(name, grain):
    check(*FUNCTIONS[name], grain, 1e-11)


def test_what_is_beyond_the_knots_is_an_error_as_in_scipy():
    with pytest.raises(ValueError, match="below the interpolation range"):
        ad.trace(interp1d(KNOTS, Y), BEYOND)


def test_what_is_not_covered_is_named():
    for name, f in {
        "CubicSpline with traced knots": lambda x: CubicSpline(x, [1.0, 2.0, 3.0])(1.0),
        "CubicSpline with traced knots, an axis": lambda x: CubicSpline(KNOTS[:3], x, bc_type=((1, 0.0), (1, 0.0))),
        "CubicSpline through traced values, periodic": lambda x: CubicSpline(KNOTS[:3], x * 0 + 1, bc_type="periodic"),
        "interp1d with traced knots": lambda x: interp1d(x, [1.0, 2.0, 3.0])(1.0),
        "interp1d of traced values or several, by splines": lambda x: interp1d(KNOTS[:3], x, "quadratic")(1.0),
        "BarycentricInterpolator": lambda x: ip.BarycentricInterpolator(KNOTS, Y)(x),
        "UnivariateSpline with ext": lambda x: ip.UnivariateSpline(KNOTS, Y, ext=1)(x),
    }.items():
        with pytest.raises(ad.MissingBlockError, match=rf"no Block for scipy\.interpolate\.{name}"):
            ad.trace(f, X)
