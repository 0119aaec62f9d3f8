"""Graphs as expressions and back: every factorization is the Jacobian, and none is cheaper than the optimum."""

import pytest
from hypothesis import given

import adviz as ad
from adviz.algorithms.expressions import (
    ExpressionError,
    backward_factorization,
    expressions,
    forward_factorization,
    graph_of,
    parsed,
)
from adviz.graph.linearized.measures import bauer, count_paths

from ...graph.dags import graphs
from .paper import figure_4_1

FACTORIZATIONS = [backward_factorization, forward_factorization]


@pytest.mark.parametrize(("factorization", "count"), [(backward_factorization, 8), (forward_factorization, 8)])
def test_the_complex_block_of_the_paper_takes_10_and_with_references_8(factorization, count):
    graph = figure_4_1("b")
    assert factorization(graph, references=False).multiplications == 10
    assert factorization(graph).multiplications == count
    assert ad.optimal_order(graph).cost == 8


@pytest.mark.parametrize("references", [True, False])
@pytest.mark.parametrize("factorization", FACTORIZATIONS)
@given(graph=graphs(vertices=9))
def test_every_factorization_has_the_jacobian_and_all_paths(factorization, references, graph):
    found = factorization(graph, references)
    assert found.count_paths() == count_paths(graph)
    expected = bauer(graph)
    assert found.evaluated(graph) == pytest.approx({entry: expected[entry] for entry in found.evaluated(graph)})
    assert found.evaluated(graph).keys() == expected.keys()


@given(graph=graphs(vertices=9))
def test_the_letters_make_the_graph_again(graph):
    assert set(graph_of(expressions(graph)).edges) == set(graph.edges)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("e12 = e12\ne13 = e12 e23", "leads into 2, which is an input"),
        ("e23 = e23\ne13 = e12 e23", "leads out of 2, which is an output"),
        ("e14 = e12 e23 e34 + e13 e32 e24", "make no graph"),
        ("e17 = e12 e27 + e12 e27", "e17 is not the sum over its paths: e12 e27 is there 2 times"),
        ("e17 = e12 e27\ne37 = e32 e25 e57", "e17 is not the sum over its paths: e12 e25 e57 is missing"),
        ("e14 = e12 e24\ne35 = e32 e25", "The letters lead from 5 to 1, by e12 e25, and no entry says so"),
    ],
)
def test_expressions_that_are_not_all_paths_of_a_graph_are_refused_by_the_path(text, reason):
    with pytest.raises(ExpressionError, match=reason):
        graph_of(parsed(text))


def test_too_many_paths_are_counted_and_not_listed():
    ladder = ad.CGraph.from_edges([(k, k + step) for k in range(60) for step in (1, 2)])
    assert expressions(ladder).count_paths() == count_paths(ladder)
    with pytest.raises(ExpressionError, match="leave references=False out"):
        backward_factorization(ladder, references=False)
