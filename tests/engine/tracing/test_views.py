"""Views by strides, as NumPy has them, of traced arrays."""

from functools import partial

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided as numpys

import adviz as ad
from adviz.engine.tracing.writes import as_strided

from ..checks import GRAINS
from ..derivatives import assert_close, central_jacobian

strided = partial(as_strided, numpys)
X = np.array([0.3, -0.7, 1.1, 0.6, 0.9])


def circulant(view, x):
    """As SciPy makes it: rows go backward from the middle of a longer array."""
    longer = np.concatenate((x[::-1], x[:0:-1]))
    size, step = len(x), longer.strides[0]
    return view(longer[size - 1 :], shape=(size, size), strides=(-step, step)).copy()


CASES = {
    "frames": lambda view, x: view(x, shape=(2, 3), strides=(16, 8)),
    "a transposed array": lambda view, x: view(np.outer(x, x).T, shape=(3, 2), strides=(40, 8)),
    "a column": lambda view, x: view(np.outer(x, x)[:, 1], shape=(2, 2), strides=(40, 80)),
    "the same entry many times": lambda view, x: view(x, shape=(4,), strides=(0,)) * np.arange(4.0),
    "nothing asked": lambda view, x: view(x) * 2,
    "none": lambda view, x: view(x, shape=(0, 3), strides=(8, 8)),
    "circulant": circulant,
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_are_those_of_numpy(name):
    f = partial(CASES[name], strided)
    expected = partial(CASES[name], numpys)
    values, _ = ad.vjp(f, X)
    assert_close(values, expected(X), 0.0)
    if np.size(values):
        assert_close(ad.jacobian(f)(X), central_jacobian(expected, X), 1e-7)


def test_what_is_written_to_the_array_is_seen_in_the_view():
    def f(view, x):
        x = x * 1.0
        frames = view(x, shape=(2, 3), strides=(16, 8))
        x[2] = x[0] * 5
        return frames * np.arange(6.0).reshape(2, 3)

    assert_close(ad.vjp(partial(f, strided), X)[0], f(numpys, X), 0.0)
    assert_close(ad.jacobian(partial(f, strided))(X), central_jacobian(partial(f, numpys), X), 1e-7)


@pytest.mark.parametrize(("shape", "strides"), [((6,), (8,)), ((2,), (-8,)), ((2, 3), (24, 16)), ((2,), (4,))])
def test_places_outside_the_array_are_refused_by_name(shape, strides):
    with pytest.raises(ad.MissingBlockError, match="as_strided of entries outside"):
        ad.trace(lambda x: strided(x, shape, strides), X)


def test_plain_arrays_are_numpys_own():
    assert_close(strided(X, (2, 2), (8, 8)), numpys(X, (2, 2), (8, 8)), 0.0)


LOCKED = {
    "broadcast": lambda x: np.broadcast_to(x, (2, 5)),
    "a broadcast number": lambda x: np.broadcast_to(x[0], (4,)),
    "a diagonal": lambda x: np.diagonal(x[:4].reshape(2, 2)),
    "a part of a diagonal": lambda x: x[:4].reshape(2, 2).diagonal()[:1],
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2),
}


@GRAINS
@pytest.mark.parametrize("name", LOCKED)
@pytest.mark.parametrize("write", [lambda y: y.__setitem__(0, 1.0), lambda y: y.__iadd__(1.0), lambda y: y.fill(2.0)])
def test_views_that_numpy_lets_nobody_write_to_are_read_only(name, write, grain):
    def f(x):
        y = LOCKED[name](x * 1.0)
        write(y)
        return y

    with pytest.raises(ValueError, match="read-only"):
        f(X)
    with pytest.raises(ad.ArrayWriteError, match="read-only, as what"):
        ad.trace(f, X, grain=grain)
