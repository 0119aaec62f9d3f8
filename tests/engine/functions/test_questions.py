"""Traces of arrays that hold at every point: conditions, choices and indices are nodes, and right at other inputs."""

import numpy as np
import pytest

from adviz.engine.trace_errors import BranchError, ConversionError

from ..symbolic import graph_of, names_in, recomputed

X = np.array([1.0, -2.0, 3.0])
POINTS = [X, np.array([-4.0, 2.5, -0.5]), np.array([0.0, 0.0, 7.0]), np.array([np.nan, 1.0, 2.0])]


def into(x):
    out = np.zeros(3)
    np.add(x, 1.0, out=out, where=x > 0)
    return out


def copied(x):
    z = x * 2
    np.copyto(z, 0.0, where=x > 0)
    return z


def masked(x):
    z = x * 2
    np.putmask(z, x > 0, x * x)
    return z


CASES = {
    "where": lambda x: np.where(x > 0, x * x, -x),
    "where, broadcast": lambda x: np.where(x[:, None] > x, x, 1.0),
    "where of constants": lambda x: np.where(x > 0, 1, 0) * x,
    "where with a plain condition": lambda x: np.where(np.array([True, False, True]), x, 0),
    "where of a number": lambda x: np.where(x[0] > 0, x, -x),
    "clip": lambda x: np.clip(x, -1, 1),
    "maximum": lambda x: np.maximum(x, 0),
    "a mask as a factor": lambda x: (x > 0) * x,
    "a mask as floats": lambda x: (x > 0).astype(float) * x,
    "combined masks": lambda x: ((x > 0) & (x < 2) | ~(x < -3) ^ (x == 0)) * x,
    "masks that are compared": lambda x: ((x > 0) == (x < 2)) * x,
    "masks that are added": lambda x: (x > 0) + (x < 2),
    "logical_xor": lambda x: np.logical_xor(x > 0, x < 2) * 1,
    "nansum": np.nansum,
    "nanmean": np.nanmean,
    "nanstd": np.nanstd,
    "nanmax": np.nanmax,
    "nan_to_num": np.nan_to_num,
    "piecewise": lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda v: v * v, lambda v: np.sqrt(v)]),
    "piecewise with a number": lambda x: np.piecewise(x, [x > 0], [np.log, 0.0]),
    "select": lambda x: np.select([x < -1, x < 1], [x, x * x], x**3),
    "any": lambda x: np.where(np.any(x > 2.7), x, -x),
    "all": lambda x: (x > -3).all() * x,
    "any along an axis": lambda x: np.outer(x, x > 1).any(axis=0) * x,
    "logical_or.reduce": lambda x: np.logical_or.reduce(np.outer(x, x) > 3) * x,
    "a count": lambda x: x / np.sum(x > 0.7),
    "count_nonzero": lambda x: np.count_nonzero(x > 0) * x,
    "mean of a mask": lambda x: np.mean(x > 0),
    "sum where": lambda x: np.sum(x, where=x > 0),
    "mean where": lambda x: np.mean(x, where=x > 0),
    "out and where": into,
    "copyto": copied,
    "putmask": masked,
    "isclose": lambda x: np.isclose(x, 3.0) * x,
    "allclose": lambda x: np.allclose(x, [-4.0, 2.5, -0.5]) * x,
    "array_equal": lambda x: np.array_equal(x, X) * x,
    "isin": lambda x: np.isin(x, [3.0, 2.5]) * x,
    "isposinf": lambda x: np.isposinf(1 / x) * 1.0,
    "sign": lambda x: np.sign(x) * x,
    "heaviside": lambda x: np.heaviside(x, 0.5) * x,
    "argmax": lambda x: np.argmax(x) * x,
    "argmin along an axis": lambda x: np.argmin(np.outer(x, x), axis=1) * x,
    "nanargmax": lambda x: np.nanargmax(x) * x,
    "argsort": lambda x: np.argsort(x) * x,
    "argpartition": lambda x: np.argpartition(x, 1) * x,
    "lexsort": lambda x: np.lexsort((x, np.abs(x))) * x,
    "searchsorted": lambda x: np.searchsorted([0.0, 1.0, 2.0], x) * x,
    "digitize": lambda x: np.digitize(x, [0.0, 1.0]) * x,
    "one of several": lambda x: (np.argmax(np.outer(x, x), axis=1)[:, None] == np.arange(3)) * x,
}
by_case = pytest.mark.parametrize("f", CASES.values(), ids=CASES)


@by_case
@pytest.mark.parametrize("kind", [np.float64, np.float32], ids=lambda kind: kind.__name__)
@np.errstate(all="ignore")
def test_what_is_recorded_at_one_point_is_right_at_others(f, kind):
    graph = graph_of(f, X.astype(kind))
    for point in POINTS:
        (found,) = recomputed(graph, point.astype(kind))
        wanted = f(point.astype(kind))
        np.testing.assert_allclose(found, wanted, rtol=4 * np.finfo(kind).eps)
        assert (np.asarray(found).dtype, np.shape(found)) == (np.asarray(wanted).dtype, np.shape(wanted))


def test_a_choice_is_one_node_over_arrays():
    assert names_in(graph_of(CASES["where"], X)) == ["greater", "multiply", "negative", "where"]
    assert names_in(graph_of(CASES["where, broadcast"], X)) == ["index", "greater", "where"]


def test_types_are_those_of_numpy():
    graph = graph_of(lambda x: np.where(x > 0, x, 0.0) * np.sum(x > 0), X.astype(np.float32))
    kinds = {block.name: np.asarray(value).dtype for block, value in zip(graph.blocks, graph.values, strict=True)}
    assert (kinds["greater"], kinds["where"], kinds["sum"]) == (bool, np.float32, np.int64)


@pytest.mark.parametrize(
    "f", [np.nonzero, np.argwhere, np.flatnonzero, lambda x: np.where(x > 0)], ids=lambda f: f.__name__
)
def test_a_result_whose_size_depends_on_values_is_refused(f):
    with pytest.raises(BranchError):
        graph_of(f, X)


def test_python_itself_decides_nothing():
    with pytest.raises(BranchError):
        graph_of(lambda x: x if (x > 0).any() else -x, X)
    with pytest.raises(ConversionError):
        graph_of(lambda x: float(x[0]) * x, X)
    with pytest.raises(ConversionError):
        graph_of(lambda x: int(x[0]) * x, X)
