"""``scipy.signal`` on traced values: what the catalogue of calls does not say."""

import numpy as np
import pytest
import scipy.signal as sg

import adviz as ad

from .test_catalogue import drawn

IMAGE = drawn(4, 5)


def test_a_convolution_is_one_node():
    graph = ad.trace(lambda x, h: sg.fftconvolve(x, h), np.ones(1000), np.ones(30))
    assert [node.block.name for node in graph] == ["input", "input", "convolve", "output"]


def test_what_scipy_says_of_shapes_is_said_of_traced_arrays_too():
    for f, words in {
        lambda x: sg.convolve(x, x[0]): "same dimensionality",
        lambda x: sg.convolve(x, np.ones((5, 2)), "valid"): "at least as large",
        lambda x: sg.convolve(x, x, "whole"): "mode flags",
        lambda x: sg.convolve2d(x[0], x): "2-D arrays",
        lambda x: sg.convolve2d(x, x, boundary="none"): "boundary flags",
    }.items():
        for call in (f, lambda x, f=f: ad.trace(f, x)):
            with pytest.raises(ValueError, match=words):
                call(IMAGE)
