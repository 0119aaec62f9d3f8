"""Fourier transforms and the complex numbers in between: values against NumPy, derivatives against differences."""

import numpy as np

import adviz as ad

from ..derivatives import assert_close


def test_a_transform_is_one_node_in_the_array_grain_and_butterflies_in_the_scalar_grain():
    x = np.sin(np.arange(8.0))
    assert ad.trace(lambda x: np.fft.rfft(x).real, x).block_counts()["fft"] == 1
    graph = ad.trace(lambda x: np.abs(np.fft.fft(x)), x, grain="scalar")
    assert set(graph.block_counts()) <= {"input", "add", "subtract", "multiply", "hypot", "output"}
    assert len(graph) < 200  # 3 layers of 8 complex additions, where sums would take 8 * 8 products and sums


def test_the_power_of_a_frequency_that_is_not_there_has_a_gradient():
    gradient = ad.grad(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2))(np.ones(4))
    assert_close(gradient, 8 * np.ones(4), 1e-14)
