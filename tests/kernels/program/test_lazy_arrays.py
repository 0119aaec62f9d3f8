"""Programs over points take Dask arrays: a task for each chunk, the same numbers, and nothing lost with a worker."""

import dask.array as da
import numpy as np
import pytest

import adviz as ad

RNG = np.random.default_rng(2)
X, Y = RNG.normal(size=(7, 3)), RNG.normal(size=7)


def f(x, y):
    return np.sin(x) * y, np.sum(x) * y


def program(**options):
    return ad.compile_jacobian(f, np.ones(3), 1.0, **options)


def assert_same(found, wanted):
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other)
        return
    found = found.compute() if isinstance(found, da.Array) else found
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("chunks", [7, 3, 1, (2, 5)])
def test_results_are_lazy_and_those_of_numpy(chunks):
    wanted = program()(X, Y)
    found = program()(da.from_array(X, chunks=(chunks, 2)), da.from_array(Y, chunks=chunks))
    assert isinstance(found.values[0], da.Array)
    assert type(found) is type(wanted)
    assert_same(found, wanted)


def test_points_may_be_the_last_axis():
    compiled = program(points="last")
    found = compiled(da.from_array(X.T, chunks=(1, 4)), da.from_array(Y, chunks=4))
    assert found.jacobian[0][0].chunks[-1] == (4, 3)
    assert_same(found, compiled(X.T, Y))


def test_arrays_of_numpy_and_what_is_the_same_at_all_points_go_along():
    lazy = da.from_array(X, chunks=(3, 3))
    assert_same(program()(lazy, Y), program()(X, Y))
    assert_same(program()(lazy, 2.0), program()(X, 2.0))
    assert_same(program()(lazy, da.from_array(np.array(2.0))), program()(X, 2.0))
    assert_same(program()(da.from_array(X[0]), da.from_array(Y, chunks=3)), program()(X[0], Y))


def test_sparse_jacobians_keep_their_positions():
    compiled = program(form="csr")
    found, wanted = compiled(da.from_array(X, chunks=(3, 3)), Y), compiled(X, Y)
    assert_same(found.jacobian.data, wanted.jacobian.data)
    np.testing.assert_array_equal(found.jacobian.indices, wanted.jacobian.indices)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((da.ones((7, 4)), Y), r"x is a Dask array of shape \(7, 4\); expected \(3,\), and the points along the first"),
        ((da.ones((6, 3)), Y), "different numbers of points: 6, 7"),
        ((da.ones((7, 3))[da.ones(7) > 0], Y), "x has chunks of unknown sizes: call compute_chunk_sizes"),
        ((da.ones((7, 3)),), "takes 2 arguments"),
        ((da.ones(3), 1.0), "are of one point; call compute"),
    ],
)
def test_refused(arguments, words):
    with pytest.raises(ad.InputError, match=words):
        program()(*arguments)
