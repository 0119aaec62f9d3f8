"""Vectorized functions: for all arguments right to two units of the last place, erfc and ndtr to six."""

import mpmath
import numpy as np
import pytest
from scipy import special

import adviz as ad
from adviz.kernels.backends import numba_rows
from adviz.kernels.backends.numba_rows import LN2

pytestmark = [pytest.mark.numba, pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning")]


def ndtr(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


EXACT = {name: getattr(mpmath, name) for name in ("exp", "log", "sinh", "cosh", "tanh", "erf", "erfc")} | {"ndtr": ndtr}
UNITS = dict.fromkeys(EXACT, 2) | {"erfc": 6, "ndtr": 6}
"""The largest error, in units of the last place."""
SPANS = [1e-300, 1e-9, 0.1, 0.7, 1.2, 3.0, 7.0, 45.0, 800.0]
EDGES = [0.25, 0.5, 0.5**0.5, 0.625, 1.0, 2.0**0.5, 2.0, 7.0, 22.0, 26.5, 37.5, 38.5, 40.0]
EDGES += [708.4, 709.78271289338399, 710.47586007394386, 712.0, 744.44007192138126, 745.13321910194110, 746.0]
EDGES += [(k + 0.5) * float(LN2) for k in (0, 1, 2, 50, 1022)] + [2.0**-1022, 2.0**-1023, 5e-324]
"""Where one formula takes over from another, and where results overflow or underflow."""
MOST = 1000.0
"""Beyond it all but the logarithm are what they are here."""
HARD = [0.0, 5e-324, 1e-310, 2.0**-1022, 1e-160, 1e160, 1e300, 1.7976931348623157e308, np.inf, np.nan]


@pytest.fixture(scope="module")
def program():
    """All functions at once, compiled."""

    def all_of(x):
        return tuple(getattr(np if hasattr(np, name) else special, name)(x) for name in EXACT)

    return ad.compile_jacobian(all_of, 0.5, inputs=[], backend="numba")


def values(program, x):
    """The functions at these points, by name."""
    return dict(zip(EXACT, program(np.asarray(x)).values, strict=True))


def check(found, x):
    """Compare results with those of 40 digits."""
    with mpmath.workdps(40):
        for name, column in found.items():
            for mine, point in zip(column.tolist(), x.tolist(), strict=True):
                if name == "log" and point <= 0:
                    assert mine == -np.inf if point == 0 else np.isnan(mine)
                    continue
                exact = EXACT[name](mpmath.mpf(point if name == "log" else np.clip(point, -MOST, MOST)))
                nearest = float(exact)
                if np.isinf(nearest):
                    assert mine == nearest, (name, point)
                else:
                    unit = mpmath.mpf(float(np.spacing(abs(nearest))))
                    assert abs(mpmath.mpf(mine) - exact) <= UNITS[name] * unit, (name, point)


def test_at_random_points_of_all_sizes(program):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-span, span, 250) for span in SPANS])
    x = np.concatenate([x, np.exp(rng.uniform(-740.0, 709.0, 250))])
    check(values(program, x), x)


def test_around_the_points_where_formulas_and_ranges_end(program):
    found = []
    for edge in EDGES:
        below = above = edge
        for _ in range(5):
            found += [below, above]
            below, above = np.nextafter(below, -np.inf), np.nextafter(above, np.inf)
    x = np.array(found)
    x = np.concatenate([x, -x])
    x = x[np.isfinite(x)]
    check(values(program, x), x)


def test_zeros_infinity_and_nan_are_those_of_numpy_with_their_signs(program):
    x = np.array([*HARD, *(-each for each in HARD)] * 20)
    found = values(program, x)
    with np.errstate(all="ignore"):
        for name, mine in found.items():
            right = getattr(np if hasattr(np, name) else special, name)(x)
            special_ones = ~np.isfinite(right) | (right == 0)
            np.testing.assert_array_equal(mine[special_ones], right[special_ones], err_msg=name)
            np.testing.assert_array_equal(np.isfinite(mine), np.isfinite(right), err_msg=name)
            np.testing.assert_array_equal(np.signbit(mine[~np.isnan(right)]), np.signbit(right[~np.isnan(right)]))


def test_single_precision_is_double_precision_rounded(program):
    x = np.random.default_rng(1).uniform(-9.0, 9.0, 1000).astype(np.float32)
    exact = values(program, x.astype(float))
    with np.errstate(all="ignore"):
        for name, mine in values(program, x).items():
            assert mine.dtype == np.float32
            np.testing.assert_array_equal(mine, exact[name].astype(np.float32), err_msg=name)


@pytest.mark.parametrize("name", EXACT)
def test_the_compiler_vectorizes_loops_of_them(name):
    import numba

    function = getattr(numba_rows, name)

    @numba.njit(numba.void(numba.float64[::1], numba.float64[::1]), error_model="numpy")
    def loop(x, made):
        for k in range(len(x)):
            made[k] = function(x[k])

    (text,) = loop.inspect_llvm().values()
    assert any("fmul" in line and "x double>" in line for line in text.splitlines())
