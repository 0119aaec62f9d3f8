"""Chains and blocks: series-parallel graphs have no core, and what is contracted has the same Jacobian."""

from itertools import combinations, pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz import CGraph
from adviz.algorithms.expressions import (
    ExpressionError,
    Expressions,
    between,
    blocks,
    complex_blocks,
    decomposed,
    factor_subgraphs,
    is_direct,
)
from adviz.graph.linearized.measures import bauer
from tests.algorithms.expressions.paper import figure_4_1
from tests.graph.dags import graphs


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


# ---- complex blocks ----


def by_the_definition(graph, tail, head):
    """Definition 3.1, with networkx: two paths without a common intermediate, and no edge to the outside."""
    whole = nx.DiGraph(list(graph.edges))
    if tail not in whole or head not in whole or not nx.has_path(whole, tail, head):
        return False
    inside = (nx.descendants(whole, tail) & nx.ancestors(whole, head)) | {tail, head}
    part = whole.subgraph(inside).copy()
    part.remove_edges_from([(i, j) for i, j in part.edges if i == head or j == tail])
    several = any(
        not set(one[1:-1]) & set(other[1:-1]) for one, other in combinations(nx.all_simple_paths(part, tail, head), 2)
    )
    closed = all(set(whole.pred[v]) | set(whole.succ[v]) <= inside for v in inside - {tail, head})
    return several and closed


@given(graph=graphs(vertices=8))
def test_what_lies_between_two_vertices_is_a_block_where_the_definition_says_so(graph):
    for tail, head in combinations(graph.vertices, 2):
        assert (between(graph, tail, head).kind != "no block") == by_the_definition(graph, tail, head)


@given(graph=graphs(vertices=8))
def test_simple_blocks_are_those_that_contract_to_one_edge(graph):
    for tail, head in combinations(graph.vertices, 2):
        found = between(graph, tail, head)
        if found.kind != "no block":
            part = ad.CGraph.from_edges(found.edges, outputs=[head])
            assert (found.kind == "simple block") == decomposed(part).is_simple


def test_two_edges_make_the_block_of_the_paper_complex():
    assert between(figure_4_1(), 7, 4).kind == between(figure_4_1(), 4, 1).kind == "simple block"
    assert between(figure_4_1(), 7, 1).kind == "no block"  # all paths pass 4: two blocks in a chain
    assert len(blocks(figure_4_1())) == 2
    (found,) = complex_blocks(figure_4_1("b"))
    assert (found.tail, found.head, found.entries, len(found.edges)) == (7, 1, 1, 10)


def test_a_factor_subgraph_that_other_entries_leave_is_no_block():
    graph = ad.CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (2, 5)])
    (found,) = factor_subgraphs(graph)
    assert (found.tail, found.head, found.kind, found.entries) == (0, 3, "no block", 1)
    assert between(graph, 0, 3).edges == found.edges


@given(graph=graphs(vertices=8))
def test_factor_subgraphs_are_all_paths_between_their_ends_in_some_derivative_graph(graph):
    for each in factor_subgraphs(graph):
        assert set(each.edges) <= set(between(graph, each.tail, each.head).edges)
        assert 1 <= each.entries <= len(graph.inputs) * len(graph.outputs)


def test_a_core_that_is_too_large_is_refused_with_its_size():
    layers = [[(k, row) for row in range(3)] for k in range(160)]
    edges = [(i, j) for one, other in pairwise(layers) for i in one for j in other]
    with pytest.raises(ExpressionError, match="The core has 480 vertices"):
        complex_blocks(ad.CGraph.from_edges(edges))
