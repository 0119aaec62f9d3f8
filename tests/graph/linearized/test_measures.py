"""Measures against other roads to the same numbers: Bauer by whole matrices, counts by listing all paths."""

import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from adviz import CGraph, CGraphError
from adviz.graph.linearized.measures import (
    bauer,
    bauer_multiplications,
    count_paths,
    cross_level_edges,
    index_domains,
    index_ranges,
    levels,
    paths_into,
)

from ..dags import assembled, dense_jacobian, graphs

NAUMANN = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6)])


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


@given(graphs())
def test_counts_are_those_of_the_paths_one_by_one(graph):
    paths = all_paths(graph)
    assert count_paths(graph) == len(paths)
    assert bauer_multiplications(graph) == sum(len(path) - 2 for path in paths)
    for v, count in paths_into(graph).items():
        assert count == len({tuple(path[: path.index(v)]) for path in paths if v in path})


# ---- domains and degrees ----


@given(graphs())
def test_domains_and_ranges_are_what_the_paths_join(graph):
    joined = {(path[0], v, path[-1]) for path in all_paths(graph) for v in path}
    domains, ranges = index_domains(graph), index_ranges(graph)
    for v in graph.vertices:
        assert domains[v] == {x for x, w, _ in joined if w == v}
        assert ranges[v] == {y for _, w, y in joined if w == v}


# ---- levels ----


@given(graphs())
def test_a_level_is_a_longest_path_and_outputs_are_on_the_last(graph):
    level, paths = levels(graph), all_paths(graph)
    for v in graph.intermediates:
        assert level[v] == max(path.index(v) for path in paths if v in path)
    assert {level[v] for v in graph.inputs} == {0}
    assert {level[v] for v in graph.outputs} == {max(map(len, paths)) - 1}
    crossing = [(i, j) for i, j in graph.edges if level[j] > level[i] + 1]
    assert cross_level_edges(graph) == crossing
