"""Laws of growth: they find the exponent of what follows them, and intervals that hold it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz.stage.figures.growth_laws import growth_law

SIZES = np.array([10, 20, 50, 100, 200, 500, 1000])


@given(st.floats(0.25, 4.0), st.floats(0.01, 1e4), st.floats(0.0, 1e3))
def test_counts_that_follow_a_law_exactly_have_its_exponent(exponent, factor, constant):
    law = growth_law(SIZES, factor * SIZES**exponent + constant)
    np.testing.assert_allclose(law.at(SIZES), factor * SIZES**exponent + constant, rtol=1e-4)
    if constant <= 10 * factor:
        assert law.exponent == pytest.approx(exponent, abs=1e-3)


def test_intervals_hold_the_exponent_about_as_often_as_they_say():
    random = np.random.default_rng(3)
    hits = 0
    for _ in range(100):
        low, high = growth_law(SIZES, 3 * SIZES**1.5 * np.exp(0.05 * random.normal(size=len(SIZES)))).interval
        hits += low <= 1.5 <= high
    assert hits >= 85


def test_what_does_not_grow_has_the_exponent_0():
    assert growth_law([1, 2, 3], [5, 5, 5]) == (0.0, 5.0, 0.0, (0.0, 0.0))


def test_two_sizes_have_an_exponent_without_interval_and_one_has_none():
    assert growth_law([10, 100], [20, 2000])[::3] == (pytest.approx(2.0), None)
    assert growth_law([10, 10], [20, 30]) is None
    assert growth_law([0, 1], [0, 5]) is None


def test_lower_powers_beside_the_highest_bend_the_exponent_a_little():
    assert growth_law(SIZES, 40 + 3 * SIZES + 0.5 * SIZES**2).exponent == pytest.approx(2.0, abs=0.05)
