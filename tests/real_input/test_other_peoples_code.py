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
def test_rosen_of_a_hundred_numbers(grain):
    x = np.linspace(-1, 1.5, 100)
    assert_close(ad.grad(rosen, grain=grain)(x), rosen_der(x), 1e-12)
    graph = ad.trace(rosen, x, grain=grain)
    assert graph.values[graph.outputs[0]] == pytest.approx(rosen(x))
    assert {node.origin.function for node in graph if node.origin} >= {"rosen"}


@GRAINS
def test_the_derivative_of_a_derivative_that_scipy_has_written(grain):
    x = np.array([0.5, -1.2, 0.7, 1.3])
    assert_close(ad.jacobian(rosen_der, grain=grain)(x), scipy.optimize.rosen_hess(x), 1e-12)


FUNCTIONS = {
    "rosen_hess_prod": lambda x: scipy.optimize.rosen_hess_prod(x, np.arange(1.0, 5.0)),
    "newton's method": lambda x: scipy.optimize.newton(lambda t: t**3 - x[0] * t - x[1], 1.5),
    "softmax": scipy.special.softmax,
    "log_softmax": scipy.special.log_softmax,
    "simpson": lambda x: scipy.integrate.simpson(x, dx=0.1),
    "cumulative_trapezoid": scipy.integrate.cumulative_trapezoid,
    "fixed_quad": lambda x: scipy.integrate.fixed_quad(lambda t: x[0] * np.sin(x[1] * t), 0.0, 1.0)[0],
    "solve_ivp": lambda x: scipy.integrate.solve_ivp(lambda t, y: -y * x[0], (0, 1.0), x[1:3]).y[:, -1],
    "gmean": scipy.stats.gmean,
    "hmean": scipy.stats.hmean,
    "lagrange": lambda x: scipy.interpolate.lagrange(np.arange(4.0), x)(1.5),
    "toeplitz": lambda x: scipy.linalg.toeplitz(x) @ x,
    "euclidean": lambda x: scipy.spatial.distance.euclidean(x, np.arange(4.0)),
    "detrend": lambda x: scipy.signal.detrend(x, type="constant"),
    "chirp": lambda x: scipy.signal.chirp(x, 1.0, 1.0, 2.0),
    "chebyshev series": lambda x: np.polynomial.chebyshev.chebval(0.3, x),
    "Polynomial": lambda x: np.polynomial.Polynomial(x)(0.3),
    "sinc": np.sinc,
    "i0": np.i0,
    "unwrap": lambda x: np.unwrap(4 * x),
    "matrix_power": lambda x: np.linalg.matrix_power(np.reshape(x, (2, 2)), 3),
    "colorsys": lambda x: np.stack(colorsys.rgb_to_hsv(x[0], x[1], x[2])),
}


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_agree_with_central_differences(name, grain):
    x = np.array([0.52, 1.21, 0.73, 1.34])
    assert_close(ad.jacobian(FUNCTIONS[name], grain=grain)(x), central_jacobian(FUNCTIONS[name], x), 1e-5)
