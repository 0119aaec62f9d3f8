"""Budgets: a graph that is too large is told by line."""

import pickle

import numpy as np
import pytest

import adviz as ad
from adviz.graph.errors import OptionError


def layer(x):
    return np.tanh(x) * 2


def model(x, layers=3):
    for _ in range(layers):
        x = layer(x)
    return np.sum(x)


def test_a_graph_within_its_budget_is_returned():
    graph = ad.budget(model, np.ones(4), nodes=9, bytes=300, times_used=1)
    assert (len(graph), graph.title) == (9, "model")
    assert ad.budget(graph, nodes=9) is graph
    assert len(ad.budget(model, np.ones(2), nodes=40, grain="scalar", layers=1)) == 8


def test_a_graph_that_is_too_large_is_told_by_line():
    with pytest.raises(ad.BudgetError) as caught:
        ad.budget(model, np.ones(4), nodes=8, bytes=10, times_used=1)
    error = caught.value
    assert [each[:] for each in error.exceeded] == [("nodes", 9, 8), ("bytes", error.graph.bytes, 10)]
    lines = str(error).splitlines()
    assert lines[:3] == [
        "The graph of model is larger than its budget.",
        "  9 nodes, and 8 are allowed:",
        "    nodes  line",
    ]
    assert lines[3].startswith("        6  ")
    assert lines[3].endswith("test_budgets.py:13, in layer: return np.tanh(x) * 2")
    assert isinstance(error, AssertionError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.exceeded) == (str(error), error.exceeded)


def test_the_value_that_is_used_most():
    with pytest.raises(
        ad.BudgetError, match=r"3 uses of one value, and 2 are allowed:\n +times_used  line\n +3  inputs"
    ):
        ad.budget(lambda x: x * x + x, 3.0, times_used=2)


def test_operations():
    with pytest.raises(ad.BudgetError, match=r"32 floating-point operations, and 20 are allowed"):
        ad.budget(lambda A, x: A @ x + x, np.ones((4, 4)), np.ones(4), operations=20)


@pytest.mark.parametrize("limits", [{}, {"nodes": -1}, {"nodes": 2.5}, {"bytes": True}, {"times_used": "many"}])
def test_limits_that_are_none(limits):
    with pytest.raises(OptionError, match=r"budget needs a limit: nodes=…|it is the most that there may be"):
        ad.budget(model, np.ones(4), **limits)


def test_a_graph_has_no_arguments():
    with pytest.raises(OptionError, match="leave the arguments out"):
        ad.budget(ad.trace(model, np.ones(4)), 3.0, nodes=3)


def test_what_is_no_function():
    with pytest.raises(ad.InputError, match="budget needs a function"):
        ad.budget(3.0, nodes=3)
