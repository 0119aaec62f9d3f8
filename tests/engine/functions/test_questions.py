"""Traces of arrays that hold at every point: conditions, choices and indices are nodes, and right at other inputs."""

import numpy as np
import pytest

from adviz.engine.trace_errors import BranchError, ConversionError

from ...catalogue import expressions
from ..symbolic import elsewhere, graph_of, names_in

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


CASES = """
np.where(x > 0, x * x, -x) | np.where(x[:, None] > x, x, 1.0) | np.where(x > 0, 1, 0) * x
np.where(np.array([True, False, True]), x, 0) | np.where(x[0] > 0, x, -x) | np.clip(x, -1, 1) | np.maximum(x, 0)
(x > 0) * x | (x > 0).astype(float) * x | ((x > 0) == (x < 2)) * x | (x > 0) + (x < 2)
np.logical_xor(x > 0, x < 2) * 1 | np.nansum(x) | np.nanmean(x) | np.nanstd(x) | np.nanmax(x) | np.nan_to_num(x)
np.piecewise(x, [x < 0, x >= 0], [lambda v: v * v, lambda v: np.sqrt(v)]) | np.piecewise(x, [x > 0], [np.log, 0.0])
np.select([x < -1, x < 1], [x, x * x], x ** 3) | np.where(np.any(x > 2.7), x, -x) | (x > -3).all() * x
np.outer(x, x > 1).any(axis=0) * x | np.logical_or.reduce(np.outer(x, x) > 3) * x | x / np.sum(x > 0.7)
np.count_nonzero(x > 0) * x | np.mean(x > 0) | np.sum(x, where=x > 0) | np.mean(x, where=x > 0) | into(x) | copied(x)
masked(x) | np.isclose(x, 3.0) * x | np.allclose(x, [-4.0, 2.5, -0.5]) * x | np.array_equal(x, X) * x
np.isin(x, [3.0, 2.5]) * x | np.isposinf(1 / x) * 1.0 | np.sign(x) * x | np.heaviside(x, 0.5) * x | np.argmax(x) * x
np.argmin(np.outer(x, x), axis=1) * x | np.nanargmax(x) * x | np.argsort(x) * x | np.argpartition(x, 1) * x
np.lexsort((x, np.abs(x))) * x | np.searchsorted([0.0, 1.0, 2.0], x) * x | np.digitize(x, [0.0, 1.0]) * x
(np.argmax(np.outer(x, x), axis=1)[:, None] == np.arange(3)) * x
"""
WITH_BARS = ["((x > 0) & (x < 2) | ~(x < -3) ^ (x == 0)) * x"]


def function_of(text):
    return eval(f"lambda x: {text}", globals())


@pytest.mark.parametrize("text", expressions(CASES) + WITH_BARS)
@pytest.mark.parametrize("kind", [np.float64, np.float32], ids=lambda kind: kind.__name__)
@np.errstate(all="ignore")
def test_what_is_recorded_at_one_point_is_right_at_others(text, kind):
    for found, wanted in elsewhere(function_of(text), X.astype(kind), POINTS):
        np.testing.assert_allclose(found, wanted, rtol=4 * np.finfo(kind).eps)
        assert (np.asarray(found).dtype, np.shape(found)) == (np.asarray(wanted).dtype, np.shape(wanted))


def test_a_choice_is_one_node_over_arrays():
    assert names_in(graph_of(lambda x: np.where(x > 0, x * x, -x), X)) == ["greater", "multiply", "negative", "where"]
    assert names_in(graph_of(lambda x: np.where(x[:, None] > x, x, 1.0), X)) == ["index", "greater", "where"]


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
