"""Powers at exponents where a partial vanishes."""

import numpy as np

import adviz as ad

from ..checks import GRAINS


@GRAINS
def test_the_slope_by_the_base_grows_with_the_exponent_at_zero(grain):
    def f(x):
        return x[1] ** x[0]

    x = np.array([0.0, 2.0])
    expected = [[np.log(2.0) ** 2, 0.5], [0.5, 0.0]]
    np.testing.assert_allclose(ad.hessian(f, grain=grain)(x), expected, atol=1e-14)
    np.testing.assert_allclose(ad.compile_hessian(f, x, grain=grain)(x).hessian, expected, atol=1e-14)
    np.testing.assert_array_equal(ad.grad(lambda x: x[1] ** x[0], grain=grain)(np.zeros(2)), 0.0)
