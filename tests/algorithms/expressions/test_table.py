"""The table that comes with adviz says what is computed anew, and is read as it was written."""

import gzip
import random

import pytest

from adviz.algorithms.examples.known_optima import GRAPHS
from adviz.algorithms.expressions import enumeration
from adviz.algorithms.expressions.enumeration import (
    Enumerated,
    canonical,
    enumerate_optima,
    enumerated,
    optima,
)

FOUND = enumerated()


@pytest.mark.long
def test_what_is_saved_is_loaded(tmp_path):
    found = enumerate_optima(tmp_path, [(2, 8), (2, 9)])
    found.save(tmp_path)
    assert Enumerated.load(tmp_path) == found


def test_the_same_result_is_the_same_bytes(tmp_path):
    FOUND.save(tmp_path)
    for name, read in (enumeration.SIZES, bytes), (enumeration.GRAPHS, gzip.decompress):
        packaged = (enumeration.files(enumeration.__package__) / name).read_bytes()
        assert read((tmp_path / name).read_bytes()) == read(packaged)
    before = (tmp_path / enumeration.GRAPHS).read_bytes()
    FOUND.save(tmp_path)
    assert (tmp_path / enumeration.GRAPHS).read_bytes() == before
    assert (tmp_path / enumeration.GRAPHS).stat().st_size < 1_000_000


@pytest.mark.slow
def test_small_sizes_are_found_anew(tmp_path):
    sizes = [size for size in FOUND.counts if size[1] <= 9]
    again = enumerate_optima(tmp_path, sizes)
    assert again.counts == {size: FOUND.counts[size] for size in sizes}
    assert [each[:2] for each in again.sizes] == sizes
    known = [each for each in FOUND.graphs if each.graph.edges <= 9]
    assert [(graph, best[:4]) for graph, best in again.graphs] == [(graph, best[:4]) for graph, best in known]


@pytest.mark.slow
def test_exceptional_graphs_cost_what_it_says():
    for graph, best in random.Random(16).sample(FOUND.graphs, 20):
        assert optima(graph)[:4] == best[:4]
        assert canonical(graph.graph()) == graph


def test_sizes_count_the_exceptional_graphs():
    assert sum(size.graphs for size in FOUND.sizes) == sum(FOUND.counts.values())
    assert sum(size.edge_below_vertex for size in FOUND.sizes) <= len(FOUND.graphs)
    for graph, best in FOUND.graphs:
        assert best.vertex >= best.edge >= best.face >= best.least < best.vertex, graph
        assert not best.circular or best.mixed, graph


def test_up_to_twelve_edges_and_three_intermediates_only_the_bat_needs_faces():
    some = [each for each in FOUND.graphs if each.graph.intermediates <= 3 and each.graph.edges <= 12]
    assert [graph for graph, best in some if best.face < best.edge] == [canonical(GRAPHS["scalar bat"].graph())]


def test_faces_always_reach_the_optimum_so_far():
    assert sum(size.least_below_face for size in FOUND.sizes) == 0
    assert sum(size.without_acyclic for size in FOUND.sizes) == 0
