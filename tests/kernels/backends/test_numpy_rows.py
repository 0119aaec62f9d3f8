"""Sine and cosine together: right to two units of the last place, for all angles, wherever they stand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import adviz as ad
from adviz.kernels.backends.numpy_blocks import MOST, block_calls, side_by_side, sin_cos

from ..test_schedules import schedules

HARD = [0.0, 5e-324, 1e-310, 1e-160, 1e-9, 0.7, MOST, np.nextafter(MOST, 2 * MOST), 1e6, 1e22, 1e300, np.inf, np.nan]


def both(x):
    found = np.empty_like(x), np.empty_like(x)
    with np.errstate(all="ignore"):
        sin_cos(x, *found)
    return found


def check(x):
    exact = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        for mine, right in zip(both(x), (np.sin(exact), np.cos(exact)), strict=True):
            nearest = right.astype(float)
            is_finite = np.isfinite(nearest)
            np.testing.assert_array_equal(np.isfinite(mine), is_finite)
            error = np.abs(mine - right)[is_finite]
            assert (error <= 2 * np.spacing(np.abs(nearest[is_finite]))).all()
            assert (np.signbit(mine) == np.signbit(nearest))[is_finite].all()


@pytest.mark.parametrize("size", [1e-9, 0.8, 3.0, 30.0, 1000.0, 1e8])
def test_random_angles_are_right_to_two_units(size):
    check(np.random.default_rng(0).uniform(-size, size, 100_000))


def test_angles_next_to_multiples_of_an_eighth_of_a_turn_are_right_to_two_units():
    eighths = np.arange(-1400, 1401) * (np.pi / 4)
    check(np.concatenate([eighths, np.nextafter(eighths, np.inf), np.nextafter(eighths, -np.inf)]))


def test_hard_angles_are_right_with_the_signs_of_zeros():
    check(np.array([*HARD, *(-each for each in HARD)]))


@given(arrays(float, st.integers(1, 30), elements=st.floats()), st.data())
def test_an_angle_has_the_same_sine_and_cosine_in_any_row(x, data):
    start = data.draw(st.integers(0, len(x) - 1))
    for whole, part in zip(both(x), both(x[start:].copy()), strict=True):
        assert whole[start:].tobytes() == part.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("where", ["sine", "cosine"])
def test_results_may_replace_the_angles(where, dtype):
    x = np.linspace(-9.0, 2000.0, 1000).astype(dtype)
    expected, other = both(x), np.empty_like(x)
    found = (x, other) if where == "sine" else (other, x)
    sin_cos(x, *found)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in expected]


# ---- in programs ----


@given(schedules())
@settings(max_examples=60)
def test_an_order_that_has_sine_and_cosine_side_by_side_computes_the_same(plan):
    other = side_by_side(plan)
    assert sorted(other.instructions) == sorted(plan.instructions)
    known = {*plan.inputs, *plan.constants}
    for place, _, operands in other.instructions:
        assert known.issuperset(operands)
        known.add(place)


def test_a_derivative_computes_sine_and_cosine_in_one_call():
    program = ad.compile_gradient(lambda x: np.exp(np.sin(x)) * np.cos(x * x), 1.0)
    plan = side_by_side(program.schedule)
    called = [function for function, _, _ in block_calls(plan, plan.buffers)]
    assert called.count("sin_cos") == 2
    assert not {"sin", "cos"} & {*called}
