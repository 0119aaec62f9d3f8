"""Twins are searched as one, and the orders that are found are those of all: as cheap, and as proved."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.search.optimum import TECHNIQUES, edges_of_twins, faces_of_twins, small_graph, without_twins
from adviz.algorithms.search.problem import bits, structure_of

from ...graph.dags import edge_lists
from .brute import cheapest, run


@st.composite
def with_twins(draw, vertices):
    """Graphs in which some vertices are there twice or three times."""
    edges = draw(edge_lists(vertices))
    times = {vertex: draw(st.integers(1, 3)) for vertex in sorted({v for edge in edges for v in edge})}
    copies = {v: [v + 100 * k for k in range(count)] for v, count in times.items()}
    return ad.CGraph.from_edges(sorted({pair for i, j in edges for pair in product(copies[i], copies[j])}))


@given(with_twins(6))
def test_without_twins_no_two_vertices_have_the_same_neighbours_and_nobody_is_lost(graph):
    whole = structure_of(graph)
    small, members = without_twins(whole)
    sides = list(zip(small.preds, small.succs, strict=True))
    assert len(set(sides)) == len(sides)
    assert sorted(twin for twins in members.values() for twin in twins) == sorted(graph.vertices)
    assert small.sizes == tuple(len(members[vertex]) for vertex in small.vertices)
    for vertex, succs in zip(small.vertices, small.succs, strict=True):
        successors = {twin for k in bits(succs) for twin in members[small.vertices[k]]}
        assert all(set(graph.successors(twin)) == successors for twin in members[vertex])


@settings(deadline=None, max_examples=60)
@given(with_twins(5), st.sampled_from(list(TECHNIQUES)))
def test_graphs_with_twins_get_their_best_order(graph, technique):
    if len(graph.edges) > 9:
        return
    best = ad.optimal_order(graph, technique)
    assert best.proved
    assert best.cost == cheapest(graph, technique) == run(graph, best)


@settings(deadline=None, max_examples=60)
@given(with_twins(6), st.randoms(use_true_random=False))
def test_any_order_of_faces_is_one_of_all_twins(graph, random):
    """Nodes of twins that are filled in, absorb and merge are found again by whatever name is left."""
    _, members = without_twins(structure_of(graph))
    small, faces = ad.line_graph(small_graph(graph, members)), []
    sizes = {vertex: len(twins) for vertex, twins in members.items()}
    cost = 0
    while options := small.interior_faces:
        e, f = random.choice(options)
        faces.append((e, f))
        cost += sizes[e[0]] * sizes[e[1]] * sizes[f[1]]
        list(ad.elimination.eliminate_face(small, (e, f)))
    whole = ad.line_graph(graph)
    timeline = ad.Timeline(whole.state(), ad.face_elimination(whole, list(faces_of_twins(graph, iter(faces), members))))
    assert whole.is_tripartite
    assert timeline.multiplications == cost


def test_edges_of_twins_are_all_that_lead_from_one_to_another():
    members = {"x": ("x", "z"), "v": ("v",), "y": ("y",)}
    assert edges_of_twins([("front", "x", "v")], members) == [("front", "x", "v"), ("front", "z", "v")]


def test_where_labels_matter_each_stands_for_itself():
    graph = ad.CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4)], partials=[1, 2.0, 3.0, 5.0])
    assert without_twins(structure_of(graph))[1] == {0: (0, 1), 2: (2,), 3: (3, 4)}
    assert without_twins(structure_of(graph, ad.Counting(units=False)))[1] == {vertex: (vertex,) for vertex in range(5)}


@pytest.mark.parametrize("technique", ["edge", "face"])
def test_a_graph_of_many_twins_is_proved_at_once(technique):
    graph = ad.CGraph.from_edges([*((x, 50) for x in range(40)), (50, 51), (50, 52), (51, 53), (52, 53), (53, 54)])
    best = ad.optimal_order(graph, technique, effort=100_000)
    assert best.proved
    assert best.cost == run(graph, best)
