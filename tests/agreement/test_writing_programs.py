"""Random programs that write into arrays: both grains, plain NumPy with differences, and compiled programs agree."""

import numpy as np
import pytest

import adviz as ad

from .writing_programs import program, verdict

BATCH = 40


@pytest.mark.long
@pytest.mark.parametrize(
    "first", [pytest.param(first, marks=[pytest.mark.slow] * (first >= 2 * BATCH)) for first in range(0, 240, BATCH)]
)
def test_random_programs_that_write_agree(first):
    found = {seed: verdict(seed) for seed in range(first, first + BATCH)}
    assert {seed: what for seed, what in found.items() if what not in ("agrees", "kinked")} == {}


@pytest.mark.parametrize("seed", range(12))
def test_second_derivatives_of_programs_that_write_agree(seed):
    written = program(seed)

    def total(x):
        return np.sum(np.sin(written.function(x)))

    with np.errstate(all="ignore"):
        by_arrays, by_numbers = (ad.hessian(total, grain=grain)(written.point) for grain in ("array", "scalar"))
    np.testing.assert_allclose(by_arrays, by_numbers, rtol=1e-6, atol=1e-8)


def test_the_programs_write_through_views_of_views():
    texts = [program(seed).text for seed in range(100)]
    for way in ("+=", "out=", ".at(", ".T", "reshape", "np.place", ".flat[", "for row in"):
        assert any(way in text for text in texts), way
