"""``scipy.ndimage`` on traced values: what the catalogue of calls does not say."""

import re

import numpy as np
import pytest
import scipy.ndimage as nd

import adviz as ad

from ..checks import GRAINS
from ..derivatives import assert_close
from .test_catalogue import drawn

IMAGE = drawn(4, 5)


def test_filters_are_compiled():
    def f(x):
        return nd.gaussian_filter(x, 1.0) + nd.map_coordinates(x, np.mgrid[0:4, 0:5] + 0.25, order=1)

    value, jacobian = ad.compile_jacobian(f, IMAGE)(2.0 * IMAGE)
    assert_close(value, f(2.0 * IMAGE), 1e-13)
    assert_close(jacobian, ad.jacobian(f)(IMAGE), 1e-13)


@GRAINS
def test_single_precision_may_be_asked_for(grain):
    value = ad.vjp(lambda x: nd.gaussian_filter(x, 1.0, output=np.float32), IMAGE, grain=grain)[0]
    np.testing.assert_allclose(value, nd.gaussian_filter(IMAGE, 1.0), atol=1e-6)


@GRAINS
def test_settings_that_scipy_refuses_are_refused(grain):
    for call in (
        lambda x: nd.correlate1d(x, [1.0, 1.0], origin=5),
        lambda x: nd.correlate1d(x, [1.0, 1.0], mode="bent"),
        lambda x: nd.correlate(x, [1.0, 1.0]),
    ):
        with pytest.raises((ValueError, RuntimeError)) as plain:
            call(IMAGE)
        with pytest.raises(type(plain.value), match=re.escape(str(plain.value)[:20])):
            ad.trace(call, IMAGE, grain=grain)
