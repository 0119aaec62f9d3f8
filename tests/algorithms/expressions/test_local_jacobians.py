"""Local Jacobians: every order of association has the Jacobian, and the optimal one is the cheapest of all."""

from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.expressions import (
    accumulated,
    jacobian_between,
    levels,
    levels_from_outputs,
    local_jacobians,
    orders,
    segmented,
)
from adviz.algorithms.expressions.local_jacobians import NAMED
from adviz.graph.linearized.measures import bauer

from ...graph.dags import graphs
from .paper import figure_4_1


def costs(graph, copies, *chosen):
    matrices = local_jacobians(graph, copies)
    return [accumulated(matrices, order).multiplications for order in chosen]


def test_the_orders_of_the_paper_have_its_counts():
    by_halves = ((0, 1), (2, 3))
    middle_first = ((0, (1, 2)), 3)
    assert costs(figure_4_1(), "head", by_halves, "left to right", "right to left", middle_first) == [5, 6, 6, 10]
    assert costs(figure_4_1("b"), "head", "left to right", "right to left", by_halves) == [8, 8, 9]


def test_levels_that_suit_one_part_are_dear_for_another_and_sets_of_vertices_suit_both():
    graph = ad.examples["figure 4.4"].graph()
    assert costs(graph, "tail", "optimal", "left to right", "right to left") == [24, 24, 24]
    sets = [graph.outputs, (5, 6, 7, 8), (5, 12), (9, 10, 11, 12), (13, 12), graph.inputs]
    assert accumulated([jacobian_between(graph, *pair) for pair in pairwise(sets)]).multiplications == 12


@pytest.mark.parametrize("count", range(1, 9))
def test_the_number_of_orders_is_catalans(count):
    assert len(set(orders(count))) == comb(2 * count - 2, count - 1) // count


@given(graph=graphs(vertices=8), copies=st.sampled_from(["tail", "head"]))
@settings(deadline=None)
def test_every_order_has_the_jacobian_and_none_is_cheaper_than_the_optimal_one(graph, copies):
    matrices = local_jacobians(graph, copies)
    expected = bauer(graph)
    least = accumulated(matrices).multiplications
    for order in [*NAMED, *orders(len(matrices))] if len(matrices) < 7 else NAMED:
        found = accumulated(matrices, order)
        assert found.jacobian == pytest.approx(expected)
        assert found.multiplications >= least
    assert least == min(accumulated(matrices, each).multiplications for each in orders(len(matrices)))


@given(graph=graphs(vertices=8), copies=st.sampled_from(["tail", "head"]))
def test_levels_are_never_cheaper_than_faces(graph, copies):
    best = ad.optimal_order(graph, "face", effort=100_000)
    assert accumulated(local_jacobians(graph, copies)).multiplications >= best.lower_bound


SIZED = ad.CGraph.from_edges([(0, 1), (1, 2)], sizes={1: 3}, partials=[np.ones((3, 1)), np.ones((1, 3))])
ASKED = {
    "a place twice": (lambda: accumulated(local_jacobians(figure_4_1()), ((0, 1), (3, 2))), "order"),
    "too few places": (lambda: accumulated(local_jacobians(figure_4_1()), (0, 1)), "order"),
    "no pairs": (lambda: accumulated(local_jacobians(figure_4_1()), (0, 1, 2, 3)), "order"),
    "a text": (lambda: accumulated(local_jacobians(figure_4_1()), ((0, 1), (2, "3"))), "order"),
    "sideways": (lambda: accumulated(local_jacobians(figure_4_1()), "sideways"), "no order is called 'sideways'"),
    "all orders of 13": (lambda: next(orders(13)), "too many orders"),
    "copies": (lambda: local_jacobians(figure_4_1(), "both"), "copies is 'both'"),
    "arrays": (lambda: local_jacobians(SIZED), "1 has 3 entries"),
    "a set that lacks": (lambda: jacobian_between(figure_4_1("b"), [2, 3], [4, 6]), "2 depends on 5, which is no col"),
    "an input": (lambda: jacobian_between(figure_4_1("b"), [7], [4]), "7 is an input"),
    "no vertex": (lambda: jacobian_between(figure_4_1("b"), [1], ["a"]), "no vertex 'a'"),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_no_order_no_level_or_no_set_of_vertices_is_told(name):
    ask, message = ASKED[name]
    with pytest.raises(ValueError, match=message):
        ask()


@given(graph=graphs(vertices=9), copies=st.sampled_from(["tail", "head"]))
def test_a_segmented_graph_has_the_same_jacobian_and_no_edge_that_crosses_a_level(graph, copies):
    cut = segmented(graph, copies)
    level = levels_from_outputs(cut)
    assert all(level[i] == level[j] + 1 for i, j in cut.edges)
    assert bauer(cut) == pytest.approx(bauer(graph))
    assert [len(each) for each in levels(cut)] == [len(each.rows) for each in local_jacobians(graph, copies)] + [
        len(graph.inputs)
    ]
    own = accumulated(local_jacobians(cut), "left to right").jacobian
    assert own == pytest.approx(bauer(graph))


@st.composite
def sets_of_vertices(draw, graph):
    """Sets from the outputs to the inputs; in each step some vertices are replaced by their predecessors."""
    sets, removed = [set(graph.outputs)], []
    while sets[-1] != set(graph.inputs):
        now = sets[-1] - set(graph.inputs)
        free = [v for v in now if not any(v in reached(graph, other) for other in now - {v})]
        chosen = draw(st.lists(st.sampled_from(sorted(free)), min_size=1, unique=True))
        sets.append(sets[-1] - set(chosen) | {i for v in chosen for i in graph.predecessors(v)})
        removed += [v for v in sorted(chosen) if graph.is_intermediate(v)]
    return sets, removed


def reached(graph, start):
    """What a vertex depends on."""
    found, waiting = set(), [start]
    while waiting:
        fresh = set(graph.predecessors(waiting.pop())) - found
        found |= fresh
        waiting += fresh
    return found


@given(data=st.data(), graph=graphs(vertices=9))
def test_matrices_between_any_sets_eliminate_the_vertices_of_the_sets(data, graph):
    graph = ad.CGraph.from_edges(graph.edges, outputs=graph.outputs)
    sets, removed = data.draw(sets_of_vertices(graph))
    matrices = [jacobian_between(graph, rows, columns) for rows, columns in pairwise(sets)]
    found = accumulated(matrices, "left to right")
    end = graph.copy()
    timeline = ad.Timeline.record(end, ad.vertex_elimination(end, removed))
    assert found.jacobian == pytest.approx(bauer(graph))
    assert found.multiplications == timeline.multiplications
    assert accumulated(matrices).multiplications <= found.multiplications
