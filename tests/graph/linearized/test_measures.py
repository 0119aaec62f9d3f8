"""Measures against other roads to the same numbers: Bauer by whole matrices, counts by listing all paths."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from adviz import CGraph, CGraphError
from adviz.graph.linearized.measures import (
    bauer,
    bauer_multiplications,
    count_paths,
    index_domains,
    index_ranges,
    levels,
    overlapping_degrees,
    paths_into,
    paths_out_of,
    table,
)

from ..dags import assembled, dense_jacobian, graphs

DIRECTIONS = ("data flow", "dependence")
NAUMANN = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6)])
LION = CGraph.from_edges([(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (2, 5)], {0: 2, 3: 2})
BAT = CGraph.from_edges([(0, 2), (1, 3), (2, 4), (3, 4), (2, 5), (3, 7), (4, 5), (4, 6), (4, 7)], {0: 2, 1: 2, 6: 2})
DIRECT = CGraph.from_edges([(1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 7), (6, 7)])
COMPLEX = CGraph.from_edges([*DIRECT.edges, (2, 5), (3, 6)])


def all_paths(graph):
    """Every path from an input to an output, as a list of vertices."""
    found, waiting = [], [[x] for x in graph.inputs]
    while waiting:
        path = waiting.pop()
        found += [path] if path[-1] in graph.outputs else []
        waiting += [[*path, j] for j in graph.successors(path[-1])]
    return found


# ---- paths ----


@given(graphs(largest=3))
def test_bauer_is_the_product_of_whole_matrices(graph):
    assert_allclose(assembled(graph, bauer(graph)), dense_jacobian(graph), rtol=1e-9, atol=1e-9)


def test_bauer_multiplies_head_times_tail_and_keeps_integers():
    graph = CGraph.from_edges([(0, 1), (1, 2), (0, 3)], {1: 2}, [[[1], [2]], [[3, 4]], -1])
    assert bauer(graph) == {(0, 2): 11.0, (0, 3): -1}
    assert type(bauer(graph)[0, 3]) is int


def test_bauer_refuses_too_many_paths():
    chain = CGraph.from_edges([(k, k + step) for k in range(60) for step in (1, 2)])
    with pytest.raises(CGraphError, match=r"There are \d[\d,]+ paths, more than 100,000: eliminate instead"):
        bauer(chain)
    with pytest.raises(CGraphError, match="There are 8 paths, more than 7"):
        bauer(NAUMANN, limit=7)
    assert len(bauer(NAUMANN, limit=8)) == 4


@pytest.mark.parametrize(
    ("graph", "paths", "multiplications"),
    [(NAUMANN, 8, 20), (LION, 10, 18), (BAT, 20, 36), (DIRECT, 4, 12), (COMPLEX, 6, 16)],
    ids=["Naumann 2004, Fig. 1", "lion", "bat", "Zhou, Fig. 4.1 (a)", "Zhou, Fig. 4.1 (b)"],
)
def test_the_costs_of_bauers_formula_are_the_published_ones(graph, paths, multiplications):
    assert count_paths(graph, graph.size) == paths
    assert bauer_multiplications(graph) == multiplications


@given(graphs())
def test_counts_are_those_of_the_paths_one_by_one(graph):
    paths = all_paths(graph)
    assert count_paths(graph) == len(paths)
    assert bauer_multiplications(graph) == sum(len(path) - 2 for path in paths)
    into, out_of, overlapping = paths_into(graph), paths_out_of(graph), overlapping_degrees(graph)
    for (i, j), degree in overlapping.items():
        assert degree == sum((i, j) in pairwise(path) for path in paths)
    for v in graph.vertices:
        assert into[v] * out_of[v] == sum(v in path for path in paths)


@given(graphs())
def test_as_many_paths_enter_a_vertex_as_leave_it(graph):
    degrees = overlapping_degrees(graph)
    for j in graph.intermediates:
        entering = sum(degrees[i, j] for i in graph.predecessors(j))
        assert entering == sum(degrees[j, k] for k in graph.successors(j))


def test_every_edge_of_figure_4_1_a_is_on_two_paths():
    assert set(overlapping_degrees(DIRECT).values()) == {2}


# ---- domains and degrees ----


@given(graphs())
def test_domains_and_ranges_are_what_the_paths_join(graph):
    joined = {(path[0], v, path[-1]) for path in all_paths(graph) for v in path}
    domains, ranges = index_domains(graph), index_ranges(graph)
    for v in graph.vertices:
        assert domains[v] == {x for x, w, _ in joined if w == v}
        assert ranges[v] == {y for _, w, y in joined if w == v}


def test_the_table_has_a_row_for_every_vertex():
    columns = table(NAUMANN)
    rows = dict(zip(columns["vertex"], zip(*list(columns.values())[1:], strict=True), strict=True))
    assert list(columns)[1:] == "name,size,level,in-degree,out-degree,Markowitz degree,t-degree,r-degree".split(",")
    assert rows[0] == ("v0", 1, 0, 0, 1, 0, 1, 2)
    assert rows[2] == ("v2", 1, 1, 2, 2, 4, 2, 2)
    assert rows[6] == ("v6", 1, 4, 1, 0, 0, 2, 1)


# ---- levels ----


@given(graphs(), st.sampled_from(DIRECTIONS))
def test_a_level_is_a_longest_path_and_the_other_ends_are_on_the_last(graph, direction):
    level, paths = levels(graph, direction), all_paths(graph)
    steps = [path if direction == DIRECTIONS[0] else path[::-1] for path in paths]
    for v in graph.intermediates:
        assert level[v] == max(path.index(v) for path in steps if v in path)
    starts, ends = (graph.inputs, graph.outputs) if direction == DIRECTIONS[0] else (graph.outputs, graph.inputs)
    assert {level[v] for v in starts} == {0}
    assert {level[v] for v in ends} == {max(map(len, paths)) - 1}


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="direction is 'up'"):
        levels(NAUMANN, "up")
