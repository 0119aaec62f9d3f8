"""``scipy.signal`` on traced values: against SciPy's own values, and against differences of them."""

import numpy as np
import pytest
import scipy.signal as sg

import adviz as ad

from ..checks import GRAINS
from ..scipys import check

RNG = np.random.default_rng(5)
X, TAPS = RNG.normal(size=7), RNG.normal(size=3)
IMAGE, EVEN, ODD = RNG.normal(size=(4, 5)), RNG.normal(size=(3, 2)), RNG.normal(size=(3, 3))
B, A = np.array([0.5, 0.3, 0.2]), np.array([1.5, 0.3])
STATE = RNG.normal(size=2)
MODES = ("full", "same", "valid")
SECTIONS = sg.butter(4, 0.3, output="sos")


def of_mode(mode):
    """Convolutions and correlations of one mode."""
    return {
        f"convolve, {mode}": (lambda x, h: sg.convolve(x, h, mode), (X, TAPS)),
        f"convolve, {mode}, direct, the shorter first": (
            lambda x, h: sg.convolve(h, x, mode, method="direct"),
            (X, TAPS),
        ),
        f"fftconvolve, {mode}": (lambda x, h: sg.fftconvolve(x, h, mode), (IMAGE, EVEN)),
        f"oaconvolve, {mode}": (lambda x, h: sg.oaconvolve(x, h, mode), (IMAGE, EVEN)),
        f"correlate, {mode}": (lambda x, h: sg.correlate(x, h, mode), (X, TAPS)),
        f"correlate, {mode}, of two axes": (lambda x, h: sg.correlate(x, h, mode, "direct"), (IMAGE, EVEN)),
        f"correlate, {mode}, with an even number": (lambda x, h: sg.correlate(x, h, mode, "direct"), (X, X[:4])),
    }


def of_border(mode, boundary, kernel):
    """Convolutions and correlations of images."""
    what = f"{mode}, {boundary}, with {kernel.shape}"
    return {
        f"convolve2d, {what}": (lambda x, h: sg.convolve2d(x, h, mode, boundary), (IMAGE, kernel)),
        f"correlate2d, {what}": (lambda x, h: sg.correlate2d(x, h, mode, boundary), (IMAGE, kernel)),
    }


FUNCTIONS = {
    "convolve of numbers": (lambda x: sg.convolve(x[0], 2.0), (X,)),
    "convolve of a list": (lambda x: sg.convolve([x[0], 1.0, x[1]], [1.0, 2.0]), (X,)),
    "convolve2d with another number around": (lambda x: sg.convolve2d(x, ODD, "same", fillvalue=1.5), (IMAGE,)),
    "convolve2d with a traced number around": (lambda x, n: sg.convolve2d(x, ODD, "full", "fill", n), (IMAGE, 1.5)),
    "convolve2d of numbers": (lambda h: sg.convolve2d(IMAGE, h, "same"), (ODD,)),
    "lfilter": (sg.lfilter, (B, A, X)),
    "lfilter of numbers": (lambda x: sg.lfilter(B, A, x), (X,)),
    "lfilter along the first axis": (lambda b, a, x: sg.lfilter(b, a, x, axis=0), (B, A, IMAGE)),
    "lfilter without feedback": (lambda b, x: sg.lfilter(b, 2.0, x), (B, X)),
    "lfilter longer than the signal": (sg.lfilter, (RNG.normal(size=6), np.array([1.0, 0.2, 0.1, 0.05, 0.01]), X[:4])),
    "lfilter that starts from a state": (lambda b, a, x, zi: sg.lfilter(b, a, x, zi=zi)[0], (B, A, X, STATE)),
    "lfilter, its last state": (lambda b, a, x, zi: sg.lfilter(b, a, x, zi=zi)[1], (B, A, X, STATE)),
    "lfilter, its last state after a short signal": (
        lambda b, a, x, zi: sg.lfilter(b, a, x, zi=zi)[1],
        (RNG.normal(size=5), np.array([1.0, 0.2, 0.1]), X[:2], RNG.normal(size=4)),
    ),
    "lfilter that starts from states": (
        lambda x, zi: sg.lfilter(B, A, x, zi=zi, axis=0)[0],
        (IMAGE, RNG.normal(size=(2, 5))),
    ),
    "filtfilt": (lambda x: sg.filtfilt([0.5, 0.5], [1.0, 0.2], x, padlen=2), (X,)),
    "sosfilt": (lambda x: sg.sosfilt(SECTIONS, x, axis=0), (IMAGE,)),
    "sosfiltfilt": (lambda x: sg.sosfiltfilt(SECTIONS, x, padlen=3), (X,)),
    "savgol_filter": (lambda x: sg.savgol_filter(x, 5, 2), (X,)),
    "savgol_filter with a number around": (lambda x: sg.savgol_filter(x, 5, 2, mode="constant", cval=1.0), (X,)),
    "detrend": (lambda x: sg.detrend(x), (IMAGE,)),
    "detrend by a constant": (lambda x: sg.detrend(x, type="constant", axis=0), (IMAGE,)),
}
for _mode in MODES:
    FUNCTIONS |= of_mode(_mode)
    for _boundary in ("fill", "wrap", "symm"):
        FUNCTIONS |= of_border(_mode, _boundary, ODD) | of_border(_mode, _boundary, EVEN)


@GRAINS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_scipys_value_and_its_derivatives(name, grain):
    check(*FUNCTIONS[name], grain, 1e-10)


def test_a_convolution_is_one_node():
    graph = ad.trace(lambda x, h: sg.fftconvolve(x, h), np.ones(1000), np.ones(30))
    assert [node.block.name for node in graph] == ["input", "input", "convolve", "output"]


def test_what_is_not_covered_is_named():
    for name, f in {
        "fftconvolve with axes": lambda x: sg.fftconvolve(x, x, axes=0),
        "sosfilt with zi": lambda x: sg.sosfilt(SECTIONS, x, zi=np.zeros((2, 4, 2))),
        "filtfilt with traced settings": lambda x: sg.filtfilt(x[0], [1.0], x),
        "medfilt": lambda x: sg.medfilt(x),
    }.items():
        with pytest.raises(ad.MissingBlockError, match=rf"no Block for scipy\.signal\.{name}"):
            ad.trace(f, IMAGE)


def test_what_scipy_says_of_shapes_is_said_of_traced_arrays_too():
    for f, words in {
        lambda x: sg.convolve(x, x[0]): "same dimensionality",
        lambda x: sg.convolve(x, np.ones((5, 2)), "valid"): "at least as large",
        lambda x: sg.convolve(x, x, "whole"): "mode flags",
        lambda x: sg.convolve2d(x[0], x): "2-D arrays",
        lambda x: sg.convolve2d(x, x, boundary="none"): "boundary flags",
    }.items():
        with pytest.raises(ValueError, match=words):
            ad.trace(f, IMAGE)
        with pytest.raises(ValueError, match=words):
            f(IMAGE)
