"""Fourier transforms and the complex numbers in between: values against NumPy, derivatives against differences."""

import numpy as np
import pytest

import adviz as ad
from adviz.engine.functions import fourier
from adviz.engine.functions.fourier import FFT, FFT_OF_REAL, IFFT

from ..arrays.test_object_arrays import check
from ..derivatives import assert_close, central_jacobian
from .test_registry import GRAINS, check_second_derivatives, functions_in, spelled

X = np.random.default_rng(11).normal(size=(2, 6))
FILTER = np.array([1.0, 0.7, 0.3, 0.1])

CASES = """
np.fft.fft(x).real | np.fft.fft(x).imag | np.abs(np.fft.fft(x)) ** 2 | abs(np.fft.fft(x, axis=0))
np.fft.fft(x, 4).real | np.fft.fft(x, 8, norm="ortho").imag | np.fft.fft(x, norm="forward").real
np.angle(np.fft.fft(x)) | np.fft.ifft(x).imag | np.fft.ifft(np.fft.fft(x)).real
np.fft.ifft(np.fft.fft(x) * np.exp(-1j * np.arange(6))).real | np.fft.rfft(x).imag
np.fft.ifft(np.fft.fft(x, norm="ortho"), norm="ortho").real | np.fft.ifft(np.fft.fft(x), norm="forward").real
np.fft.rfft(x, 5).real | np.fft.irfft(np.fft.rfft(x)) | np.fft.irfft(np.fft.rfft(x) * [1.0, 0.7, 0.3, 0.1])
np.fft.irfft(np.fft.rfft(x, 5), 5) | np.fft.irfft(x) | np.fft.irfft(x, 7, norm="forward") | np.fft.irfft(x, 12)
np.fft.irfft(np.fft.rfft(x, axis=0), 2, axis=0) | np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(x[::-1]))
np.fft.fft2(x).real | np.fft.ifft2(np.fft.fft2(x)).real | np.fft.fftn(x, axes=(0,)).imag | np.fft.fftn(x, (3, 4)).real
np.fft.ifftn(np.fft.fftn(x) ** 2).real | np.fft.rfft2(x).imag | np.fft.irfft2(np.fft.rfft2(x)) | np.fft.rfftn(x).real
np.fft.irfftn(np.fft.rfftn(x)) | np.fft.irfftn(np.fft.rfftn(x, (2, 5)), (2, 5)) | np.fft.hfft(x) | np.fft.ihfft(x).imag
np.fft.hfft(np.fft.ihfft(x)) | np.fft.fftshift(x) | np.fft.ifftshift(x, axes=1)
np.fft.fftshift(np.fft.fft(x), axes=-1).real | np.fft.ifftshift(np.fft.fft(x)).imag | np.sum(np.fft.fft(x), axis=0).imag
np.fft.fft(x).sum().real | np.fft.fft(x).mean(1).real | np.fft.fft(x)[:, 1].imag | (np.fft.fft(x) / (2 + 1j)).real
(1 / np.fft.fft(x)).imag | (x / np.fft.fft(x)).real | (np.fft.fft(x) + x).real | (x - np.fft.fft(x)).imag
(np.fft.fft(x) * np.fft.fft(x).conj()).real | (-np.fft.fft(x)).imag | (1j * np.fft.fft(x)).real
(np.fft.fft(x) - 1j).imag | (np.fft.fft(x) * (2 + x)).real | np.square(np.fft.fft(x)).imag
np.conjugate(np.fft.fft(x)).imag | np.exp(1j * np.fft.fft(x) / 9).real | np.log(np.fft.fft(x)).imag
np.log(np.fft.fft(x)).real | np.real(np.fft.fft(x)) | np.imag(np.fft.fft(x)) | np.angle(np.fft.fft(x), deg=True)
(np.fft.fft(x) ** 3).real | np.concatenate([np.fft.fft(x), x], axis=1).imag | np.fft.fft(x).T.imag
np.fft.fft(x).reshape(3, 4).real | len(np.fft.fft(x)) | np.reshape(np.fft.fft(x), -1).imag | np.shape(np.fft.fft(x))
np.ndim(np.fft.fft(x)) | np.size(np.fft.fft(x)) | (np.fft.fft(x[0, 0] * np.ones(3)) * x[0, 1]).real
np.fft.fft(x[:, :1]).real | (np.ones(6) * np.fft.fft(x)).imag
"""


@GRAINS
@pytest.mark.parametrize("text", spelled(CASES))
def test_a_function_gives_what_numpy_gives_and_has_its_derivative(text, grain):
    check(lambda x: x, spelled(text)[text], grain, X)


@pytest.mark.slow
@pytest.mark.parametrize("text", spelled(CASES))
def test_second_derivatives_are_derivatives_of_first_ones(text):
    check_second_derivatives(spelled(text)[text], X)


def test_every_function_of_the_table_is_in_a_test():
    assert functions_in(CASES) >= set(fourier.COMPOSED)


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
