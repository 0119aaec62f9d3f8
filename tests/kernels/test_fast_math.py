"""Quicker formulas: how many digits they cost, where, and that they are otherwise the same programs."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.expressions.expressions import Expressions
from adviz.kernels.lowering import RULES, faster

from .running import functions, quiet, run

HARD = [0.0, -0.0, 1e-300, -1e-9, np.pi / 2, np.pi, 3 * np.pi / 2, 1e8, -1e15, 1e22, 1e300]
MULTIPLES = np.arange(-1000, 1001) * (np.pi / 2)
NEAR = [MULTIPLES * (1 + k * 2.0**-52) for k in range(-8, 9)]
DTYPES = [np.float64, np.float32]


def angles(dtype):
    rng = np.random.default_rng(0)
    drawn = [rng.uniform(-size, size, 20_000) for size in (1e-3, 4.0, 1e3, 1e6)]
    with np.errstate(over="ignore"):
        return np.concatenate([HARD, *NEAR, *drawn]).astype(dtype)


def sine_and_cosine(x):
    with np.errstate(invalid="ignore"), warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
        return ad.compile_gradient(np.sin, 1.0, fast=True)(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sines_lose_units_of_the_last_place_and_cosines_as_much_of_the_largest(dtype):
    x = angles(dtype)
    x = x[np.isfinite(x)]
    exact = x.astype(np.longdouble)
    found, by_angle = sine_and_cosine(x)
    assert found.dtype == by_angle.dtype == dtype
    units = np.abs(found - np.sin(exact)) / np.spacing(np.abs(np.sin(x)))
    assert units.max() < (4 if dtype is np.float64 else 6)
    assert np.abs(by_angle - np.cos(exact)).max() < 2.2 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", DTYPES)
def test_sines_of_zero_keep_their_sign_and_those_of_infinity_are_none(dtype):
    found, by_angle = sine_and_cosine(np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype))
    np.testing.assert_array_equal(np.signbit(found[:2]), [False, True])
    np.testing.assert_array_equal(found, np.array([0, 0, np.nan, np.nan, np.nan]))
    np.testing.assert_array_equal(by_angle, np.array([1, 1, np.nan, np.nan, np.nan]))


@given(st.lists(st.tuples(*[st.floats(1e-150, 1e150) | st.floats(-1e150, -1e-150)] * 2), min_size=1))
def test_lengths_lose_units_of_the_last_place_where_squares_are_numbers(pairs):
    a, b = np.array(pairs).T
    value, (by_a, by_b) = ad.compile_gradient(np.hypot, 1.0, 1.0, fast=True)(a, b)
    np.testing.assert_allclose(value, np.hypot(a, b), rtol=5e-16)
    np.testing.assert_allclose(by_a, a / np.hypot(a, b), rtol=1e-15)
    np.testing.assert_allclose(by_b, b / np.hypot(a, b), rtol=1e-15)


def test_lengths_whose_squares_are_no_numbers_are_infinite_or_zero():
    lengths = ad.compile_gradient(np.hypot, 1.0, 1.0, fast=True)
    with pytest.warns(ad.NonFiniteWarning, match="infinity arises in multiply"):
        assert lengths(1e155, 1.0).value == np.inf
    with warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
        assert lengths(1e-170, 1e-170).value == 0.0


def test_partials_of_an_angle_between_two_sides_take_no_root():
    program = ad.compile_gradient(np.arctan2, 1.0, 1.0, fast=True)
    names = [each.operation for each in program.schedule.instructions]
    assert sorted(names) == ["add", "arctan2", "divide", "multiply", "multiply", "multiply", "multiply", "negative"]
    y, x = np.random.default_rng(1).normal(size=(2, 1000))
    for found, expected in zip(program(y, x).gradient, (x / (x * x + y * y), -y / (x * x + y * y)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_a_product_with_another_reciprocal_of_a_root_stays():
    known = Expressions()
    x, y = known.input(), known.input()
    root, other = (known.divide(known.one, known.apply(np.sqrt, [each])) for each in (x, y))
    for a, b in ((root, other), (known.multiply(y, root), other), (x, root)):
        place = known.multiply(a, b)
        assert faster(known, [place], RULES)[place].place == place
    inverse = known.divide(known.one, x)
    for signed in (root, -root):
        square = known.multiply(known.multiply(root, y), signed)
        assert faster(known, [square], RULES)[abs(square)].place == known.multiply(inverse, y)
    square = known.multiply(root, root)
    assert faster(known, [square], RULES)[square].place in (square, inverse)


COMPILED = {
    "jacobian": lambda f, x, **how: ad.compile_jacobian(f, *x, **how)(*x).jacobian,
    "jvp": lambda f, x, **how: ad.compile_jvp(f, *x, **how)(x, tuple(x)).tangents,
    "vjp": lambda f, x, **how: ad.compile_vjp(f, *x, **how)(x, tuple(f(*x))).adjoints,
    "gradient": lambda f, x, **how: ad.compile_gradient(lambda *x: f(*x)[0], *x, **how)(*x).gradient,
    "hessian": lambda f, x, **how: ad.compile_hessian(lambda *x: f(*x)[0], *x, **how)(*x).hessian,
    "ways": lambda f, x, **how: ad.compile_jacobian(f, *x, branches=True, **how)(*x).jacobian,
}


@pytest.mark.parametrize("what", COMPILED)
def test_every_derivative_can_be_quicker_and_is_nearly_the_same(what):
    arm = ad.examples["six-joint arm"]
    quick, usual = (COMPILED[what](arm.program, arm.arguments, fast=fast) for fast in (True, False))
    np.testing.assert_allclose(np.ravel(quick), np.ravel(usual), rtol=1e-12, atol=1e-13)
    assert not np.array_equal(quick, usual)


@given(functions(size=10))
@settings(max_examples=40)
def test_a_program_of_other_operations_stays_what_it_is(program):
    with quiet(), warnings.catch_warnings(action="ignore", category=ad.NonFiniteWarning):
        quick, usual = (
            ad.compile_jacobian(run(program), *(np.ones(shape) for shape in program.shapes), fast=fast)
            for fast in (True, False)
        )
    left = {each.operation for each in quick.schedule.instructions}
    assert left.isdisjoint({"sin", "cos", "hypot"})
    if {each.operation for each in usual.schedule.instructions}.isdisjoint(RULES):
        assert quick.schedule == usual.schedule


def arm(**how):
    case = ad.examples["six-joint arm"]
    return ad.compile_jacobian(case.program, *case.arguments, points="last", **how)


def test_it_takes_half_of_the_time_that_is_expected():
    assert arm(fast=True).cost.nanoseconds < 0.5 * arm().cost.nanoseconds


def swing(x, y):
    s = np.sin(x)
    return s * y


def test_source_tells_what_the_tangents_are_for():
    lines = ad.compile_gradient(swing, 1.0, 1.0, fast=True).source.splitlines()
    told = dict(line.strip().split("  # ") for line in lines if "#" in line)
    told = {code.strip(): comment for code, comment in told.items()}
    assert told["t2 = tan(t1)"] == "for s = np.sin(x)"
    assert [code for code, comment in told.items() if comment == "s = np.sin(x)"] == ["s = t2 * t5"]
