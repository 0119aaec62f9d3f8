"""Chains and blocks: series-parallel graphs have no core, and what is contracted has the same Jacobian."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adviz import CGraph
from adviz.algorithms.expressions import Expressions, blocks, chains, decomposed, is_direct
from adviz.graph.linearized.measures import bauer

from ...graph.dags import graphs
from .paper import figure_4_1


def test_two_blocks_one_after_the_other_are_simple():
    core = decomposed(figure_4_1())
    assert core.is_simple
    (whole,) = core.edges.values()
    assert Expressions({(1, 7): whole}).multiplications == 5


def test_what_crosses_is_the_core():
    core = decomposed(figure_4_1("b"))
    assert set(core.intermediates) == {2, 3, 4, 5, 6}
    assert not chains(figure_4_1("b"))


def test_blocks_in_blocks_are_indirect():
    graph = CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 4)])
    assert [(str(each), is_direct(each)) for each in blocks(graph)] == [
        ("e40 + e43 (e31 e10 + e32 e20)", False),
        ("e31 e10 + e32 e20", True),
    ]


@given(graphs(vertices=9))
def test_the_edges_of_the_core_have_the_jacobian_of_the_graph(graph):
    core = decomposed(graph)
    values = {(i, j): Expressions({(j, i): each}).evaluated(graph)[i, j] for (i, j), each in core.edges.items()}
    if values:
        smaller = CGraph.from_edges(
            list(values), partials=values, outputs=[y for y in graph.outputs if y in core.vertices]
        )
        expected = bauer(graph)
        found = bauer(smaller)
        for (x, y), entry in expected.items():
            assert found.get((x, y), found.get((x, ("output", y)))) == pytest.approx(entry)


@st.composite
def series_parallel(draw):
    """Edges of a two-terminal series-parallel graph with the number of edges that were put side by side."""
    edges, count, merges = [(0, 1)], 2, 0
    for _ in range(draw(st.integers(0, 12))):
        i, j = edges.pop(draw(st.integers(0, len(edges) - 1)))
        if draw(st.booleans()):
            edges += [(i, count), (count, j)]
        else:
            edges += [(i, j), (i, count), (count, j)]
            merges += 1
        count += 1
    return edges, merges


@given(series_parallel())
def test_series_parallel_graphs_cost_their_edges_less_one_and_less_their_merges(drawn):
    edges, merges = drawn
    graph = CGraph.from_edges(edges)
    core = decomposed(graph)
    assert core.is_simple
    (whole,) = core.edges.values()
    assert Expressions({(1, 0): whole}).multiplications == len(edges) - 1 - merges


@given(graphs(vertices=9))
def test_the_core_is_what_contracting_any_vertex_again_and_again_leaves(graph):
    edges = set(graph.edges)
    while True:
        ends = [(j, [i for i, k in edges if k == j], [k for i, k in edges if i == j]) for j in graph.intermediates]
        simple = [(j, into[0], out[0]) for j, into, out in ends if len(into) == len(out) == 1]
        if not simple:
            break
        j, i, k = simple[-1]
        edges = edges - {(i, j), (j, k)} | {(i, k)}
    core = decomposed(graph)
    assert set(core.edges) == edges
    assert set(core.intermediates) == {end for edge in edges for end in edge} - {*graph.inputs, *graph.outputs}
