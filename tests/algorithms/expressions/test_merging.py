"""The second route: paths apart, joined again; never a complex block, and never more than the paths cost."""

import pytest
from hypothesis import given

import adviz as ad
from adviz.algorithms.expressions import (
    ExpressionError,
    backward_factorization,
    contraction,
    decomposed,
    expressions_of,
    forward_factorization,
    path_joints,
    path_splits,
)
from adviz.graph.linearized.measures import bauer, count_paths

from ...graph.dags import check_steps, graphs
from .paper import figure_4_1
from .test_factorization import with_numbers


def apart(graph):
    end = graph.copy()
    return ad.Timeline.record(end, path_splits(end)), end


def cost(graph):
    return sum(step.multiplications for step in contraction(graph.copy()))


@pytest.mark.parametrize(("part", "before", "after"), [("a", 12, 5), ("b", 16, 10)])
@pytest.mark.parametrize("forward", [False, True])
def test_the_blocks_of_the_paper_are_found_again(part, before, after, forward):
    _, graph = apart(figure_4_1(part))
    assert cost(graph) == before
    for _ in path_joints(graph, forward):
        assert decomposed(graph).is_simple
    assert cost(graph) == after


@given(graph=graphs(vertices=7))
def test_apart_every_path_has_its_own_vertices(graph):
    timeline, end = apart(graph)
    assert all(len(end.predecessors(v)) == len(end.successors(v)) == 1 for v in end.intermediates)
    check_steps(graph, end, list(timeline))
    assert expressions_of(timeline_with(graph, path_splits, contraction)).count_paths() == count_paths(graph)


def timeline_with(graph, *algorithms):
    end = graph.copy()
    return ad.Timeline.record(end, (step for each in algorithms for step in each(end)))


@pytest.mark.parametrize("forward", [False, True])
@given(graph=graphs(vertices=7))
def test_joined_again_every_block_is_simple_and_the_jacobian_the_same(forward, graph):
    graph = with_numbers(graph)
    _, start = apart(graph)
    end = start.copy()
    steps = list(path_joints(end, forward))
    check_steps(start, end, steps)
    assert decomposed(end).is_simple
    assert cost(end) <= cost(start)
    factored = (forward_factorization if forward else backward_factorization)(graph, references=False)
    assert cost(end) <= factored.multiplications
    for _ in contraction(end):
        pass
    assert end.jacobian() == pytest.approx(bauer(graph))


def test_complex_blocks_and_too_many_paths_are_refused():
    with pytest.raises(ExpressionError, match="complex blocks: take its paths apart first"):
        path_joints(figure_4_1("b"))
    long = ad.CGraph.from_edges([(k, k + 1) for k in range(3000)])
    with pytest.raises(ExpressionError, match="3,001 vertices of paths are more than 2,000"):
        path_joints(long)
