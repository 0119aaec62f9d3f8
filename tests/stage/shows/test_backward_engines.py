"""Comparing the ways to run backward on a function."""

import numpy as np
import pytest

import adviz as ad


def network(x, W):
    return np.sum(np.tanh(x @ W))


X, W = np.ones((2, 3)), np.full((3, 4), 0.1)


def test_a_function_and_its_graph_give_the_same_table():
    table = ad.compare(network, X, W)
    assert table.title == "network"
    assert table.rows == ad.compare(ad.trace(network, X, W)).rows
    assert [row["engine"] for row in table.rows] == list(ad.sweeps.ENGINES)


def test_engines_seeds_and_settings_of_the_trace_are_passed_on():
    chosen = ad.compare(lambda x: x * x, 3.0, engines=["toposort"], seeds={0: np.eye(1)})
    assert [row["engine"] for row in chosen.rows] == ["toposort"]
    scalar = ad.compare(network, X, W, engines=["tape"], grain="scalar")
    assert scalar["tape"]["visits"] > 10 * ad.compare(network, X, W)["tape"]["visits"]


def test_an_array_as_a_result_needs_a_seed():
    with pytest.raises(ad.SeedError, match=r"<lambda> returns an array of shape \(2, 3\): say with which adjoint"):
        ad.compare(lambda x: x * x, X)
    with pytest.raises(ValueError, match="no engine is called 'backward'"):
        ad.compare(network, X, W, engines=["backward"])


def test_an_example_brings_its_arguments_and_its_seeds():
    batches = ad.examples["batches"]
    graph = ad.trace(batches.program, *batches.arguments)
    assert ad.compare(batches).rows == ad.compare(graph, seeds={0: 1.0, 1: 1.0, 2: 1.0}).rows
    assert ad.compare(batches, seeds={0: 1.0}).rows != ad.compare(batches).rows


def test_a_second_graph_or_an_argument_is_refused():
    graph = ad.trace(network, X, W)
    for more in ((graph,), ("junk", 5)):
        with pytest.raises(ad.AdvizError, match="A graph is compared as it is: leave the arguments out"):
            ad.compare(graph, *more)
    with pytest.raises(ad.AdvizError, match="leave the arguments out"):
        ad.compare(graph, grain="scalar")
