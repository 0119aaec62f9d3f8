"""Local Jacobians: every order of association has the Jacobian, and the optimal one is the cheapest of all."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.expressions import ExpressionError, accumulated, levels_from_outputs, local_jacobians, orders
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
    best = ad.optimal_order(graph, "face", time_limit=20)
    assert accumulated(local_jacobians(graph, copies)).multiplications >= best.lower_bound


@given(graph=graphs(vertices=9))
def test_edges_lead_to_a_lower_level_and_cross_none_between_matrices(graph):
    level = levels_from_outputs(graph)
    assert all(level[i] > level[j] for i, j in graph.edges)
    for matrix in local_jacobians(graph):
        assert {row for row, _ in matrix.entries} <= set(matrix.rows)
        assert {column for _, column in matrix.entries} <= set(matrix.columns)


def test_what_is_no_order_is_told():
    matrices = local_jacobians(figure_4_1())
    for order in [(0, 1), ((0, 1), (3, 2)), (0, 1, 2, 3), ((0, 1), (2, "3"))]:
        with pytest.raises(ExpressionError, match="order"):
            accumulated(matrices, order)
    with pytest.raises(ValueError, match="no order is called 'sideways'"):
        accumulated(matrices, "sideways")
    with pytest.raises(ExpressionError, match="too many orders"):
        next(orders(13))
    with pytest.raises(ValueError, match="copies is 'both'"):
        local_jacobians(figure_4_1(), "both")


def test_levels_are_of_numbers():
    graph = ad.CGraph.from_edges([(0, 1), (1, 2)], sizes={1: 3}, partials=[np.ones((3, 1)), np.ones((1, 3))])
    with pytest.raises(ExpressionError, match="1 has 3 entries"):
        local_jacobians(graph)
