"""Every operation: on Python's numbers and in blocks, at kinks and at the ends of the numbers; and its derivative."""

import itertools

import numpy as np
import pytest
import scipy.special as special

import adviz as ad
from adviz.engine.rules.selection import CONDITIONS
from adviz.kernels.expressions.expressions import OPERATIONS, operation_of
from adviz.kernels.program_errors import ProgramError

PLACES = [-np.inf, -2.5, -1.0, -0.5, -0.0, 0.0, 0.3, 0.5, 1.0, 1.5, 2.0, np.inf, np.nan]
TABLE = [
    each.numpy
    for each in OPERATIONS.values()
    if not each.is_condition and each.name in vars(np) and each.name != "where"
]
WRITTEN_WITH_OTHERS = [
    *(np.square, np.reciprocal, np.fabs, np.positive, np.conjugate, np.deg2rad, np.rad2deg, np.radians, np.degrees),
]
OF_SCIPY = [
    *(special.erf, special.erfc, special.gamma, special.ndtr, special.gammaln, special.expit, special.xlogy),
    *(special.digamma, special.log1p, special.expm1, special.cbrt, special.logit, special.entr, special.rel_entr),
    *(special.j0, special.i0, special.ndtri, special.beta, special.log_ndtr, special.xlog1py, special.huber),
]
UFUNCS = {ufunc.__name__: ufunc for ufunc in TABLE} | {ufunc.__name__: ufunc for ufunc in WRITTEN_WITH_OTHERS}
UFUNCS |= {f"scipy.special.{ufunc.__name__}": ufunc for ufunc in OF_SCIPY}
pytestmark = pytest.mark.filterwarnings("ignore::adviz.NonFiniteWarning", "ignore::RuntimeWarning")
TOLERANCE = {"rtol": 1e-13, "atol": 1e-15, "equal_nan": True}


def function_of(ufunc):
    return (lambda x: ufunc(x)) if ufunc.nin == 1 else (lambda x, y: ufunc(x, y))


def places(ufunc):
    return list(itertools.product(PLACES, repeat=ufunc.nin))


def slopes(jacobian, count):
    return np.reshape([jacobian] if count == 1 else list(jacobian), (count, -1))


@pytest.mark.parametrize("name", UFUNCS)
def test_values_in_blocks_are_those_of_the_ufunc(name):
    ufunc = UFUNCS[name]
    points = [np.array(column) for column in zip(*places(ufunc), strict=True)]
    program = ad.compile_jacobian(function_of(ufunc), *[0.4] * ufunc.nin)
    np.testing.assert_allclose(program(*points).values, ufunc(*points), **TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("name", UFUNCS)
def test_derivatives_are_those_of_the_engine_at_kinks_too(name):
    ufunc = UFUNCS[name]
    f, points = function_of(ufunc), places(ufunc)
    program = ad.compile_jacobian(f, *[0.4] * ufunc.nin)
    found = slopes(program(*map(np.array, zip(*points, strict=True))).jacobian, ufunc.nin)
    for point, column in zip(points, found.T, strict=True):
        expected = ad.jacobian(f, argnums=tuple(range(ufunc.nin)))(*point)
        np.testing.assert_allclose(column, expected, err_msg=f"at {point}", **TOLERANCE)


@pytest.mark.parametrize("name", UFUNCS)
def test_one_point_on_pythons_numbers_is_what_a_block_has(name):
    ufunc = UFUNCS[name]
    program = ad.compile_jacobian(function_of(ufunc), *[0.4] * ufunc.nin)
    points = places(ufunc)
    many = program(*map(np.array, zip(*points, strict=True)))
    for k, (point, column) in enumerate(zip(points, slopes(many.jacobian, ufunc.nin).T, strict=True)):
        if np.isfinite(many.values[k]):
            alone = program(*point)
            np.testing.assert_allclose(alone.values, many.values[k], err_msg=f"at {point}", **TOLERANCE)
            np.testing.assert_allclose(
                slopes(alone.jacobian, ufunc.nin)[:, 0], column, err_msg=f"at {point}", **TOLERANCE
            )


@pytest.mark.parametrize("ufunc", CONDITIONS, ids=lambda ufunc: ufunc.__name__)
def test_conditions_choose_as_numpy_does(ufunc):
    points = list(itertools.product(PLACES, repeat=ufunc.nin))
    columns = [np.array(column) for column in zip(*points, strict=True)]
    program = ad.compile_jacobian(lambda *x: np.where(ufunc(*x), 2 * x[0], 3.0), *[0.4] * ufunc.nin)
    expected = np.where(ufunc(*columns), 2 * columns[0], 3.0)
    np.testing.assert_array_equal(program(*columns).values, expected)
    by_first = slopes(program(*columns).jacobian, ufunc.nin)[0]
    np.testing.assert_array_equal(by_first, np.where(ufunc(*columns), 2.0, 0.0))
    for point, value in zip(points, expected, strict=True):
        np.testing.assert_array_equal(program(*point).values, value)


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "rint", "sign", "negative", "sin", "cbrt"])
@pytest.mark.parametrize("x", [-0.4, -0.0, 0.0, 0.4])
def test_zero_keeps_its_sign_on_pythons_numbers(name, x):
    expected = OPERATIONS[name].numpy(x)
    found = OPERATIONS[name].scalar(x)
    assert type(found) is float
    assert np.signbit(found) == np.signbit(expected)


def test_the_sign_of_a_difference_is_the_functions_own():
    """The angle of a vector to the left: atan2(0, -1) is π, atan2(-0, -1) is -π."""
    program = ad.compile_jacobian(lambda x, y: (np.arctan2(y - x, -1.0), 1 / (y - x)), 1.0, 2.0)
    for x in (np.ones(20), np.ones(3)):
        angle, pole = program(x, x).values
        np.testing.assert_array_equal(angle, np.full(len(x), np.pi))
        np.testing.assert_array_equal(pole, np.full(len(x), np.inf))


def test_functions_of_scipy_with_names_of_numpys_do_not_take_their_places():
    for _ in range(2):
        for ufunc in (special.log1p, np.log1p):
            assert ad.compile_jacobian(function_of(ufunc), 0.5)(1.0).jacobian == 0.5
    assert OPERATIONS["log1p"].numpy is np.log1p


def test_a_ufunc_of_ones_own_is_refused_by_name():
    mine = np.frompyfunc(lambda x: x, 1, 1)
    with pytest.raises(ProgramError, match="neither NumPy nor SciPy"):
        operation_of(mine)
