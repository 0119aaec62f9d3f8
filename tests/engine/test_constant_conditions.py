"""Conditions of which some entries are constants, in programs for all points: they are counted as NumPy counts."""

import numpy as np
import pytest

import adviz as ad


@pytest.mark.parametrize("count", [0, 1, 2, 4])
@pytest.mark.parametrize("ask", [lambda c: c.sum(), np.sum, lambda c: np.mean(c) * 4, lambda c: np.cumsum(c)[-1]])
def test_entries_that_were_overwritten_with_numbers_count_one_each(count, ask):
    def f(x):
        v = x * 1.0
        v[:count] = 0.8
        return ask(v > 0.66) * x[0] + np.sum(~(v > 0.66)) * x[1]

    x = np.array([1.0, 2.0, 0.1, 3.0])
    program = ad.compile_gradient(f, x, grain="scalar")
    for point in (x, x[::-1].copy()):
        assert program(point).value == f(point)
        np.testing.assert_allclose(program(point).gradient, ad.grad(f)(point))
