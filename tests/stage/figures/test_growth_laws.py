"""Laws of growth: they find the exponent of what follows them, and intervals that hold it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz.stage.figures.sizes import growth_law

SIZES = np.array([10, 20, 50, 100, 200, 500, 1000])


@given(st.floats(0.25, 4.0), st.floats(0.01, 1e4), st.floats(0.0, 1e3))
def test_counts_that_follow_a_law_exactly_have_its_exponent(exponent, factor, constant):
    law = growth_law(SIZES, factor * SIZES**exponent + constant)
    np.testing.assert_allclose(law.at(SIZES), factor * SIZES**exponent + constant, rtol=1e-4)
    if constant <= 10 * factor:
        assert law.exponent == pytest.approx(exponent, abs=1e-3)


@pytest.mark.long
def test_intervals_hold_the_exponent_about_as_often_as_they_say():
    random = np.random.default_rng(3)
    hits = 0
    for _ in range(100):
        low, high = growth_law(SIZES, 3 * SIZES**1.5 * np.exp(0.05 * random.normal(size=len(SIZES)))).interval
        hits += low <= 1.5 <= high
    assert hits >= 85


def test_what_does_not_grow_has_the_exponent_0():
    assert growth_law([1, 2, 3], [5, 5, 5]) == (((5.0, 0.0),), (0.0, 0.0))


def test_two_sizes_have_an_exponent_without_interval_and_one_has_none():
    law = growth_law([10, 100], [20, 2000])
    assert (law.exponent, law.interval) == (pytest.approx(2.0), None)
    assert growth_law([10, 10], [20, 30]) is None
    assert growth_law([0, 1], [0, 5]) is None


LENGTHS = np.array([4, 8, 16, 32, 64])


@given(st.lists(st.integers(-50, 1000), max_size=3), st.integers(1, 1000))
def test_counts_on_a_polynomial_have_its_degree_and_its_factors(lower, highest):
    factors = [*lower, highest]
    counts = sum(factor * LENGTHS**power for power, factor in enumerate(factors))
    if min(counts) <= 0:
        return
    law = growth_law(LENGTHS, counts)
    assert law.interval == (len(lower), len(lower))
    assert law.terms == tuple((factor, power) for power, factor in reversed([*enumerate(factors)]) if factor)
    np.testing.assert_allclose(law.at(LENGTHS), counts, rtol=1e-12)


def test_a_polynomial_needs_a_size_more_than_it_has_terms():
    assert growth_law([10, 20, 40, 80], [1100, 1400, 2600, 7400]).terms == ((1.0, 2.0), (1000.0, 0.0))
    assert not growth_law([10, 20, 40], [1100, 1400, 2600]).is_determined
    assert growth_law([1, 2, 3], [3, 5, 7]).interval == (1.0, 1.0)
    assert growth_law([1, 1, 2], [3, 3, 5]).interval is None  # one size twice is one size


def test_a_fractional_exponent_is_found_beside_a_constant():
    law = growth_law(LENGTHS, 10_000 + np.round(LENGTHS**1.5))
    assert law.interval[0] < 1.5 < law.interval[1]
    assert law.interval[1] - law.interval[0] < 0.03


@pytest.mark.parametrize(
    "count",
    [
        [100, 101, 100, 103, 99],  # no trend
        [196, 192, 184, 168, 136],  # fewer and fewer
        [5, 5, 5, 5, 6],
        LENGTHS.astype(float) ** 7,
    ],
)
def test_an_exponent_that_is_not_determined_is_no_law(count):
    assert not growth_law(LENGTHS, count).is_determined


def test_one_size_with_two_counts_is_on_no_polynomial():
    law = growth_law([10, 10, 20, 30, 40], [10, 10.2, 20, 30, 40])
    assert law.interval[0] < 1.0 < law.interval[1]
