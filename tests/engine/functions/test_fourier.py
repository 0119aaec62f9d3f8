"""Fourier transforms and the complex numbers in between: values against NumPy, derivatives against differences."""

import numpy as np
import pytest

import adviz as ad
from adviz.engine.functions.products import FFT, FFT_OF_REAL, IFFT

from ..derivatives import assert_close, central_jacobian

X = np.random.default_rng(11).normal(size=(2, 6))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("block", [FFT, IFFT, FFT_OF_REAL], ids=lambda block: block.name)
@pytest.mark.parametrize("axes", [(-1,), (-2,), (-1, -2)])
def test_both_products_of_a_rule_agree_with_central_differences(block, axes, norm):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(3, 4) if block is FFT_OF_REAL else (2, 3, 4))
    value = block.compute(x, axes, norm)
    jacobian, *settings = block.linearize(value, x, axes, norm)
    assert settings == [None, None]
    slope = central_jacobian(lambda x: block.compute(x, axes, norm), x).reshape(jacobian.shape)
    tangent, adjoint = rng.normal(size=jacobian.in_shape), rng.normal(size=jacobian.out_shape)
    assert_close(np.ravel(jacobian.jvp(tangent)), slope @ tangent.ravel(), 1e-8)
    assert_close(np.ravel(jacobian.vjp(adjoint)), adjoint.ravel() @ slope, 1e-8)


def test_a_transform_is_one_node_in_the_array_grain_and_butterflies_in_the_scalar_grain():
    x = np.sin(np.arange(8.0))
    assert ad.trace(lambda x: np.fft.rfft(x).real, x).block_counts()["fft"] == 1
    graph = ad.trace(lambda x: np.abs(np.fft.fft(x)), x, grain="scalar")
    assert set(graph.block_counts()) <= {"input", "add", "subtract", "multiply", "hypot", "output"}
    assert len(graph) < 200  # 3 layers of 8 complex additions, where sums would take 8 * 8 products and sums


def test_the_power_of_a_frequency_that_is_not_there_has_a_gradient():
    gradient = ad.grad(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2))(np.ones(4))
    assert_close(gradient, 8 * np.ones(4), 1e-14)
