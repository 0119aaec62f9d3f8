"""One point: however its numbers are given, the results are the same, as floats and arrays in double precision."""

import numpy as np
import pytest

import adviz as ad
from adviz.engine.calls import leaves

MATRIX = np.array([[0.5, 2.0], [3.0, 0.25]])


def f(x, y):
    return x[0] @ x[1] * np.sin(y), x / y


def outcome(found):
    return [(type(leaf), np.shape(leaf), np.asarray(leaf).tolist()) for _, leaf in leaves(found, "")]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("form", ["dense", "coo"])
def test_a_point_is_the_same_however_it_is_given(backend, form):
    program = ad.compile_jacobian(f, np.ones((2, 2)), 1.0, form=form, backend=backend)
    wide = np.repeat(MATRIX, 2, axis=1)[:, ::2]
    expected = outcome(program(MATRIX, 3.0))
    for x in (MATRIX, np.asfortranarray(MATRIX), wide, MATRIX.tolist()):
        for y in (3.0, 3, np.float64(3.0), np.array(3.0)):
            assert outcome(program(x, y)) == expected
    assert [kind for kind, *_ in expected][:2] == [float, np.ndarray]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_structures_that_only_calls_can_make_are_made(backend):
    program = ad.compile_jacobian(lambda q: {"sum": q["a"] + q["b"][0]}, {"a": 1.0, "b": (2.0,)}, backend=backend)
    found = program({"a": 0.5, "b": (3.0,)})
    assert found.values == {"sum": 3.5}
    assert [float(leaf) for _, leaf in leaves(found.jacobian, "")] == [1.0, 1.0]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_is_mostly_zeros_is_filled_at_its_places(backend):
    program = ad.compile_jacobian(lambda x: (x * x, x[:2] * 0), np.ones(5), backend=backend)
    found = program(np.arange(5.0))
    np.testing.assert_array_equal(found.jacobian[0], np.diag(2 * np.arange(5.0)))
    np.testing.assert_array_equal(found.jacobian[1], np.zeros((2, 5)))
