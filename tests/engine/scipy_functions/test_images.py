"""``scipy.ndimage`` on traced values: against SciPy's own values, and against differences of them."""

import re

import numpy as np
import pytest
import scipy.ndimage as nd

import adviz as ad
from adviz.engine.scipy_functions.linear_maps import MODES

from ..checks import GRAINS
from ..derivatives import assert_close
from ..scipys import check, check_first_derivatives, check_values

RNG = np.random.default_rng(5)
LINE, IMAGE, KERNEL = RNG.normal(size=7), RNG.normal(size=(4, 5)), RNG.normal(size=(2, 3))
INSIDE = np.array([[0.3, 1.6, 2.2], [0.7, 3.3, 1.2]])
AROUND = np.array([[-1.2, -0.4, 0.3, 1.6, 2.9, 3.3, 4.4, -2.5], [0.2, -2.5, 4.7, 3.3, 2.1, -0.2, 6.1, 1.5]])


def second_difference(input, axis, output=None, mode="reflect", cval=0.0):
    return nd.correlate1d(input, [1.0, -2.0, 1.0], axis, output, mode, cval)


FILTERS = {
    "gaussian_filter1d": (lambda x: nd.gaussian_filter1d(x, 1.0), (LINE,)),
    "gaussian_filter by orders": (lambda x: nd.gaussian_filter(x, 1.0, order=(0, 1)), (IMAGE,)),
    "gaussian_filter along one axis": (lambda x: nd.gaussian_filter(x, 1.0, axes=(1,)), (IMAGE,)),
    "sobel": (nd.sobel, (IMAGE,)),
    "prewitt": (lambda x: nd.prewitt(x, axis=0), (IMAGE,)),
    "laplace": (nd.laplace, (IMAGE,)),
    "generic_laplace": (lambda x: nd.generic_laplace(x, second_difference), (IMAGE,)),
    "gaussian_laplace": (lambda x: nd.gaussian_laplace(x, 1.0), (IMAGE,)),
    "gaussian_gradient_magnitude": (lambda x: nd.gaussian_gradient_magnitude(x, 1.0), (IMAGE,)),
    "convolve1d of even size": (lambda x: nd.convolve1d(x, [1.0, 2.0, 4.0, 5.0], axis=0), (IMAGE,)),
    "correlate1d with an origin": (lambda x: nd.correlate1d(x, [1.0, 2.0, 4.0], origin=-1), (IMAGE,)),
    "correlate with origins": (lambda x: nd.correlate(x, KERNEL, origin=(0, 1)), (IMAGE,)),
    "convolve along one axis": (lambda x: nd.convolve(x, [1.0, 2.0, 4.0], axes=(0,)), (IMAGE,)),
    "convolve with a traced kernel": (lambda x, w: nd.convolve(x, w), (IMAGE, KERNEL)),
    "uniform_filter1d": (lambda x: nd.uniform_filter1d(x, 4), (LINE,)),
    "one after the other": (lambda x: nd.gaussian_filter(nd.sobel(x) ** 2, 1.0), (IMAGE,)),
    "of a list": (lambda x: nd.correlate1d([x[0], x[1], x[2]], [1.0, 2.0, 1.0]), (LINE,)),
}


@GRAINS
@pytest.mark.parametrize("name", FILTERS)
def test_a_linear_filter_has_scipys_values_and_their_derivatives(name, grain):
    check(*FILTERS[name], grain)


@GRAINS
@pytest.mark.parametrize("mode", MODES)
def test_an_image_goes_on_beyond_its_edges_as_scipy_has_it(mode, grain):
    def f(x):
        filtered = nd.gaussian_filter(x, (0.6, 1.2), mode=mode, cval=0.3)
        return filtered + nd.convolve(x, KERNEL, mode=mode, cval=0.3) + nd.uniform_filter(x, 2, mode=mode, origin=-1)

    check_values(f, (IMAGE,), grain)
    check_first_derivatives(f, (IMAGE,), grain)


@GRAINS
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("mode", sorted(MODES.keys() - {"wrap"}))
def test_coordinates_are_mapped_as_scipy_does(mode, order, grain):
    def f(x, places=AROUND):
        return nd.map_coordinates(x, places, order=order, mode=mode, cval=0.3)

    check_values(f, (IMAGE,), grain)
    check_first_derivatives(f, (IMAGE,), grain)
    if order:
        check_first_derivatives(f, (IMAGE, INSIDE), grain)


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
def test_what_is_not_known_is_named(grain):
    for f, words in (
        (lambda x: nd.map_coordinates(x, INSIDE), "map_coordinates with order=3. Use order=1"),
        (lambda x: nd.map_coordinates(x, INSIDE, order=1, mode="wrap"), "map_coordinates with mode=wrap"),
        (lambda x: nd.median_filter(x, 3), "scipy.ndimage.median_filter"),
        (lambda x: nd.zoom(x, 2, order=1), "scipy.ndimage.zoom"),
        (lambda x: nd.spline_filter(x), "scipy.ndimage.spline_filter"),
        (lambda x: nd.gaussian_filter(x, np.sum(x * x)), "scipy.ndimage.gaussian_filter"),
    ):
        with pytest.raises(ad.MissingBlockError, match=words):
            ad.trace(f, IMAGE, grain=grain)


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
