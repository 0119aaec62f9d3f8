"""Segmented graphs have the same Jacobian, and edges between adjacent levels only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from adviz import CGraph
from adviz.graph.linearized.measures import DIRECTIONS, cross_level_edges, levels
from adviz.graph.linearized.segmentation import segmentation

from ..dags import dense_jacobian, graphs


@given(graphs(largest=2), st.sampled_from(["tail", "head"]), st.sampled_from(DIRECTIONS))
def test_a_segmented_graph_has_the_same_jacobian_and_no_cross_level_edges(graph, copies, direction):
    segmented = segmentation(graph, copies, direction)
    assert cross_level_edges(segmented, direction) == []
    level = levels(graph, direction)
    crossed = sum(abs(level[j] - level[i]) - 1 for i, j in graph.edges)
    assert len(segmented.vertices) == len(graph.vertices) + crossed
    assert_allclose(dense_jacobian(segmented), dense_jacobian(graph), rtol=1e-12, atol=1e-12)


def test_copies_of_the_tail_come_before_the_partial_and_copies_of_the_head_behind_it():
    graph = CGraph.from_edges([("x", "v"), ("v", "w"), ("w", "y"), ("x", "y")], {"x": 2}, [[[1, 2]], 3, 4, [[5, 6]]])
    first, second = ("copy", "x", "y", 1), ("copy", "x", "y", 2)
    tails, heads = segmentation(graph, "tail"), segmentation(graph, "head")
    assert [tails.partial(*edge) for edge in [("x", first), (first, second)]] == [1, 1]
    assert tails.partial(second, "y").tolist() == heads.partial("x", first).tolist() == [[5, 6]]
    assert [heads.partial(*edge) for edge in [(first, second), (second, "y")]] == [1, 1]
    assert (tails.size(first), heads.size(first)) == (2, 1)
    assert (tails.name(first), heads.name(first)) == ("x (copy)", "y (copy)")


def test_other_copies_are_refused():
    with pytest.raises(ValueError, match="copies is 'both'; they can be of the 'tail' or of the 'head'"):
        segmentation(CGraph.from_edges([(0, 1)]), "both")
