"""Functions that others wrote, imported from SciPy and used as they are, in both grains."""

import colorsys

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.spatial
import scipy.special
import scipy.stats
from scipy.optimize import rosen, rosen_der

import adviz as ad

from ..engine.derivatives import assert_close, central_jacobian

GRAINS = pytest.mark.parametrize("grain", ["array", "scalar"])


@GRAINS
def test_rosen_at_a_hundred_points(grain):
    for seed in range(100):
        x = np.random.default_rng(seed).normal(size=2 + seed % 7)
        value, gradient = ad.value_and_grad(rosen, grain=grain)(x)
        assert_close(value, rosen(x), 1e-13, f"seed {seed}")
        assert_close(gradient, rosen_der(x), 1e-12, f"seed {seed}")


@GRAINS
def test_nodes_are_of_lines_of_scipy(grain):
    graph = ad.trace(rosen, np.linspace(-1, 1.5, 9), grain=grain)
    assert {node.origin.function for node in graph if node.origin} >= {"rosen"}


@GRAINS
def test_the_derivative_of_a_derivative_that_scipy_has_written(grain):
    x = np.array([0.5, -1.2, 0.7, 1.3])
    assert_close(ad.jacobian(rosen_der, grain=grain)(x), scipy.optimize.rosen_hess(x), 1e-12)


FUNCTIONS = {
    "rosen_hess_prod": lambda x: scipy.optimize.rosen_hess_prod(x, np.arange(1.0, 5.0)),
    "gmean": scipy.stats.gmean,
    "hmean": scipy.stats.hmean,
    "lagrange": lambda x: scipy.interpolate.lagrange(np.arange(4.0), x)(1.5),
    "chirp": lambda x: scipy.signal.chirp(x, 1.0, 1.0, 2.0),
    "chebyshev series": lambda x: np.polynomial.chebyshev.chebval(0.3, x),
    "Polynomial": lambda x: np.polynomial.Polynomial(x)(0.3),
    "i0": np.i0,
    "colorsys": lambda x: np.stack(colorsys.rgb_to_hsv(x[0], x[1], x[2])),
}


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_agree_with_central_differences(name, grain):
    x = np.array([0.52, 1.21, 0.73, 1.34])
    assert_close(ad.jacobian(FUNCTIONS[name], grain=grain)(x), central_jacobian(FUNCTIONS[name], x), 1e-5)
