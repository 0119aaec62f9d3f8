"""Sets of paths: counts are those of lists, and overlapping degrees add up."""

import pytest
from hypothesis import given

from adviz import CGraph
from adviz.algorithms.expressions import (
    ExpressionError,
    all_paths,
    count_between,
    edges_across,
    levels_from_outputs,
    local_jacobians,
    overlapping_degrees,
    paths_between,
    r_degrees,
    t_degrees,
    undivided,
)
from adviz.graph.linearized.measures import count_paths

from ...graph.dags import graphs


@given(graphs(vertices=9))
def test_counts_are_those_of_lists(graph):
    paths = all_paths(graph)
    assert sum(map(len, paths.values())) == count_paths(graph)
    for (y, x), own in paths.items():
        assert len(set(own)) == len(own) == count_between(graph, x, y)


@given(graphs(vertices=9))
def test_overlapping_degrees_are_the_same_before_and_behind_a_vertex_and_across_every_level(graph):
    degree = overlapping_degrees(graph)
    for vertex in graph.intermediates:
        into = sum(degree[i, vertex] for i in graph.predecessors(vertex))
        assert into == sum(degree[vertex, k] for k in graph.successors(vertex))
    for level in range(1, max(levels_from_outputs(graph).values()) + 1):
        assert sum(degree[edge] for edge in edges_across(graph, level)) == count_paths(graph)


@given(graphs(vertices=9))
def test_degrees_count_the_ends_that_paths_lead_to(graph):
    outputs, inputs = r_degrees(graph), t_degrees(graph)
    for vertex in graph.vertices:
        assert outputs[vertex] == sum(count_between(graph, vertex, y) > 0 for y in graph.outputs)
        assert inputs[vertex] == sum(count_between(graph, x, vertex) > 0 for x in graph.inputs)


@given(graphs(vertices=9))
def test_undivided_parts_have_all_entries_once(graph):
    for matrix in local_jacobians(graph):
        parts = undivided(matrix)
        assert sum(len(part.entries) for part in parts) == len(matrix.entries)
        assert sorted(row for part in parts for row in part.rows) == sorted({row for row, _ in matrix.entries})


def test_too_many_paths_are_counted_and_their_list_is_refused():
    graph = CGraph.from_edges([pair for k in range(0, 80, 2) for pair in ((k, k + 2), (k, k + 1), (k + 1, k + 2))])
    assert count_between(graph, 0, 80) == 2**40
    assert str(next(paths_between(graph, 0, 80))).startswith("e[80,")
    with pytest.raises(ExpressionError, match=r"There are 1,099,511,627,776 paths"):
        all_paths(graph)
