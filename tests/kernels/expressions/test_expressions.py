"""Expressions: each different one once, constants folded, signs where they cost nothing; values stay the function's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz.kernels.expressions.expressions import Expressions, Symbol

from ..running import quiet

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@pytest.fixture
def known():
    return Expressions()


def test_equal_operations_are_one_expression(known):
    x, y = known.input(), known.input()
    assert known.multiply(x, y) == known.multiply(y, x) == -known.multiply(-x, y)
    assert known.add(x, y) == known.add(y, x) == -known.add(-x, -y)
    assert known.subtract(x, y) == -known.subtract(y, x) == known.add(x, -y)
    assert known.divide(-x, -y) == known.divide(x, y) != known.divide(y, x)
    assert known.apply(np.sin, [-x]) == -known.apply(np.sin, [x])
    assert known.apply(np.cos, [-x]) == known.apply(np.cos, [x])
    assert known.input() != known.input()


def test_what_changes_nothing_is_not_written_down(known):
    x = known.input()
    size = len(known)
    assert known.multiply(known.one, x) == known.divide(x, known.one) == known.add(x, known.zero) == x
    assert known.multiply(-known.one, x) == known.subtract(known.zero, x) == -x
    assert known.where(known.one, x, known.zero) == known.where(known.zero, known.one, x) == x
    assert known.power(x, known.one) == x
    assert len(known) == size


def test_zero_times_a_value_is_not_known(known):
    """It is NaN where the other is infinite; only through a partial of zero nothing flows."""
    x = known.input()
    assert known.value(known.multiply(known.zero, x)) is None
    assert (Symbol(known, known.zero) * Symbol(known, x)).place == known.zero


@given(NUMBERS, NUMBERS)
def test_operations_on_constants_are_folded_as_numpy_computes_them(a, b):
    known = Expressions()
    first, second = known.constant(a), known.constant(b)
    assert known.value(known.add(first, second)) == a + b
    assert known.value(known.subtract(first, second)) == a - b
    assert known.value(known.multiply(first, second)) == a * b
    if b:
        assert known.value(known.divide(first, second)) == a / b
    assert known.value(known.apply(np.arctan, [first])) == np.arctan(a)
    assert known.value(known.apply(np.maximum, [first, second])) == max(a, b)


@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan])
def test_constants_have_their_value_and_their_sign(known, value):
    place = known.constant(value)
    assert math.copysign(1.0, known.value(place)) == math.copysign(1.0, value) or value != value
    assert known.value(place) == value or value != value
    assert known.constant(value) == place
    assert known.plain(place) > 0


def test_negative_constants_are_no_operations():
    program = ad.compile_jacobian(lambda x: np.maximum(x, -1.5) + np.arctan2(x, -2.0), 1.0)
    assert "negative" not in {each.operation for each in program.schedule.instructions}


def test_divisions_of_values_are_kept_and_partials_share_reciprocals():
    program = ad.compile_jacobian(lambda x, y, z: (x / z, y / z), 1.0, 1.0, 1.0)
    operations = [each.operation for each in program.schedule.instructions]
    assert operations.count("divide") == 3
    x, y, z = np.random.default_rng(0).normal(size=(3, 500))
    np.testing.assert_array_equal(program(x, y, z).values, (x / z, y / z))


# ---- choices ----


def test_a_value_times_a_comparison_is_numpys_and_its_derivative_flows_where_it_is_chosen():
    """False times NaN is NaN, and False times the infinite slope at 0; else nothing flows from what takes no part."""
    program = ad.compile_jacobian(lambda x: (x > 0) * np.log(x), 1.0)
    x = np.array([-2.0, 0.0, 2.0] * 5)
    with pytest.warns(ad.NonFiniteWarning):
        found = program(x)
    np.testing.assert_array_equal(found.values, [np.nan, np.nan, np.log(2.0)] * 5)
    np.testing.assert_array_equal(found.jacobian, [0.0, np.nan, 0.5] * 5)


COMPARED = {
    "times": (lambda x: (x > 0) * x, lambda x: np.where(x > 0, x, 0)),
    "from the left": (lambda x: x * (x > 0) * (x < 1), lambda x: np.where((x > 0) & (x < 1), x, 0)),
    "subtracted": (lambda x: 1 - (x > 0), lambda x: np.where(x > 0, 0.0, 1.0)),
    "and": (lambda x: np.where((x > 0) & (x < 1), x, 2 * x), lambda x: np.where((x > 0) & (x < 1), x, 2 * x)),
    "or": (lambda x: np.where((x < 0) | (x > 1), x, 2 * x), lambda x: np.where((x < 0) | (x > 1), x, 2 * x)),
    "either": (lambda x: np.where((x > 0) ^ (x > 1), x, 2 * x), lambda x: np.where((x > 0) ^ (x > 1), x, 2 * x)),
    "not": (lambda x: np.where(~(x > 0), x, 2 * x), lambda x: np.where(x <= 0, x, 2 * x)),
    "logical": (lambda x: np.logical_and(x > 0, x < 1) * x, lambda x: np.where((x > 0) & (x < 1), x, 0)),
    "a number as condition": (lambda x: np.where(x, x, 2.0), lambda x: np.where(x != 0, x, 2.0)),
    "chosen": (lambda x: np.where(x > 0, x > 1, x), lambda x: np.where(x > 0, np.where(x > 1, 1.0, 0.0), x)),
    "compared": (lambda x: np.where((x > 0) == (x > 1), x, 2 * x), lambda x: np.where((x <= 0) | (x > 1), x, 2 * x)),
    "in an array": (lambda x: np.sum(np.stack([x, -x]) * (np.stack([x, -x]) > 0)), np.abs),
    "selected": (
        lambda x: np.select([x > 1, x > 0], [x, x * x], 0.0),
        lambda x: np.where(x > 1, x, np.where(x > 0, x * x, 0)),
    ),
    "within": (lambda x: np.clip(x, -0.5, 0.5), lambda x: np.clip(x, -0.5, 0.5)),
    "cardinal sine": (np.sinc, np.sinc),
    "square wave": (lambda x: np.heaviside(x, 0.5) * x, lambda x: np.heaviside(x, 0.5) * x),
}


@pytest.mark.parametrize("name", COMPARED)
def test_comparisons_compute_as_one_and_zero(name):
    f, plain = COMPARED[name]
    x = np.array([-1.5, -0.3, 0.0, 0.4, 1.0, 1.7] * 3)
    program = ad.compile_jacobian(f, 0.7)
    np.testing.assert_array_equal(program(x).values, plain(x))
    for place, slope in zip(x[:6].tolist(), program(x).jacobian[:6], strict=True):
        with quiet():
            np.testing.assert_allclose(slope, ad.jacobian(plain)(place), rtol=1e-15)
        np.testing.assert_array_equal(program(place).values, plain(place))
        np.testing.assert_allclose(program(place).jacobian, slope, rtol=1e-14)


def test_a_comparison_can_be_a_result():
    program = ad.compile_jacobian(lambda x: (x, x > 0), 1.0)
    for x, expected in ((2.0, (2.0, 1.0)), (-2.0, (-2.0, 0.0))):
        assert program(x) == (expected, (1.0, 0.0))
    np.testing.assert_array_equal(program(np.array([2.0, -2.0])).values[1], [1.0, 0.0])
