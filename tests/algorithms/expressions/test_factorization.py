"""Factorization as Steps: splits make every block simple, cost what the algebra costs, replay and rewind."""

import pytest
from hypothesis import given

import adviz as ad
from adviz.algorithms.elimination.techniques import WAYS as WAYS_OF_FACES
from adviz.algorithms.expressions import (
    backward_factorization,
    backward_splits,
    contraction,
    decomposed,
    expressions_of,
    forward_factorization,
    forward_splits,
)
from adviz.graph.linearized.measures import bauer, count_paths

from ...graph.dags import check_steps, graphs
from .paper import figure_4_1
from .test_terms import in_sympy

WAYS = [(backward_splits, backward_factorization), (forward_splits, forward_factorization)]


def factored(graph, splits, references=True):
    """The Steps that split a copy of a graph and then contract it, and the graph that is left."""
    end = graph.copy()
    return ad.Timeline.record(end, (step for part in (splits(end, references), contraction(end)) for step in part)), end


@pytest.mark.parametrize(("splits", "factorization"), WAYS)
@pytest.mark.parametrize(("references", "cost"), [(True, 8), (False, 10)])
def test_the_complex_block_of_the_paper_is_split_at_three_vertices(splits, factorization, references, cost):
    graph = figure_4_1("b")
    timeline, end = factored(graph, splits, references)
    split = [step.focus[0][1] for step in timeline if step.kind == "split"]
    assert set(split) == ({5, 6, 4} if splits is backward_splits else {2, 3, 4})
    assert timeline.multiplications == cost
    assert end.jacobian() == pytest.approx(bauer(graph))
    assert in_sympy(expressions_of(timeline)) == in_sympy(factorization(graph))


@pytest.mark.parametrize("references", [True, False])
@pytest.mark.parametrize(("splits", "factorization"), WAYS)
@given(graph=graphs(vertices=8))
def test_steps_cost_what_the_factored_expressions_cost(splits, factorization, references, graph):
    graph = with_numbers(graph)
    timeline, end = factored(graph, splits, references)
    assert end.jacobian() == pytest.approx(bauer(graph))
    assert timeline.multiplications == factorization(graph, references).multiplications
    check_steps(graph, end, list(timeline.steps))


@pytest.mark.parametrize("references", [True, False])
@pytest.mark.parametrize(("splits", "_"), WAYS)
@given(graph=graphs(vertices=8))
def test_after_the_splits_every_block_is_simple(splits, _, references, graph):
    for step in splits(graph, references):
        assert step.kind in ("split", "reference") or references
    assert decomposed(graph).is_simple


def with_numbers(graph):
    """The graph with labels that count as numbers: none of them 1 or an integer."""
    return ad.CGraph.from_edges(graph.edges, outputs=graph.outputs)


@pytest.mark.parametrize("kind", ["vertex", "edge", *WAYS_OF_FACES])
@given(graph=graphs(vertices=8))
def test_any_elimination_is_a_set_of_expressions_of_its_own_cost(kind, graph):
    graph = with_numbers(graph)
    if kind in WAYS_OF_FACES:
        dual = ad.line_graph(graph)
        timeline = ad.Timeline.record(dual, ad.face_elimination(dual, "markowitz", way=kind))
    else:
        end = graph.copy()
        eliminate = ad.vertex_elimination if kind == "vertex" else ad.edge_elimination
        timeline = ad.Timeline.record(end, eliminate(end, "markowitz"))
    found = expressions_of(timeline)
    assert found.multiplications == timeline.multiplications
    assert found.count_paths() == count_paths(graph)
    assert found.evaluated(graph) == pytest.approx(bauer(graph))
