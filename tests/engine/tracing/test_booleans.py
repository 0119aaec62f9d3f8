"""Comparisons that are computed with are what NumPy's booleans are, or Python's, in both grains and in programs."""

import numpy as np
import pytest

import adviz as ad

from ...catalogue import expressions, function_of
from ..checks import GRAINS

X, OTHER = np.array([0.3, 1.2, 2.5]), np.array([0.7, 0.4, 1.9])

OF_ENTRIES = """
((x[0] > 0) + (x[1] > 0)) * x[2] | ((x[0] > 0) * (x[1] > 1)) * x[2] | sum([x[0] > 0, x[1] > 0]) * x[2]
((x > 0) + (x > 1)) @ x | (~(x > 1)) @ x | ((x > 0) @ (x > 1)) * x[0] | (x > 0).dot(x > 1) * x[0]
(x > 0).sum() * x[0] | (x > 1).mean() * x[0] | np.cumsum(x > 1) @ x | np.add.reduce(x > 0) * x[0] | np.var(x > 1) * x[0]
np.add(x > 0, x > 1) @ x | (x[0] > 0).astype(float) * x[0] | (x[0] > 0).sum() * x[0]
2 * (x[0] > 0) * x[1] | np.maximum(x > 1, x > 0) @ x | np.sum([x[0] > 0, x[1] > 0]) * x[2]
"""

OF_NUMBERS = """
((x > 0) + (x > 0.1)) * x | (x > 0) + (x > 0.1) + x | True + (x > 0) + x | sum([x > 0, x > 0.1]) * x | (x > 0) ** 2 * x
"""


@GRAINS
@pytest.mark.parametrize("text", expressions(OF_ENTRIES))
def test_comparisons_of_entries_are_numpys_booleans(text, grain):
    f = function_of(text)
    program = ad.compile_gradient(f, X, grain=grain)
    assert ad.value_and_grad(f, grain=grain)(X)[0] == pytest.approx(f(X), rel=1e-12)
    for x in (X, OTHER):
        assert program(x).value == pytest.approx(f(x), rel=1e-12)
        np.testing.assert_allclose(program(x).gradient, ad.grad(f)(x))


@GRAINS
@pytest.mark.parametrize("text", expressions(OF_NUMBERS))
def test_comparisons_of_numbers_are_pythons_booleans_or_numpys_as_the_numbers_are(text, grain):
    f = function_of(text)
    for x in (0.7, np.float64(0.7)):
        value, slope = ad.value_and_grad(f, grain=grain)(x)
        assert value == pytest.approx(f(x), rel=1e-12)
        program = ad.compile_gradient(f, x, grain=grain)
        assert program(x) == pytest.approx((value, slope), rel=1e-12)


@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_comparisons_are_not_subtracted_as_in_numpy(grain):
    with pytest.raises(TypeError, match="boolean subtract"):
        ad.compile_gradient(lambda x: ((x > 0) - (x > 1)) @ x, X, grain=grain)
    with pytest.raises(TypeError, match="boolean subtract"):
        ad.grad(lambda x: ((x[0] > 0) - (x[1] > 1)) * x[0], grain=grain)(X)
