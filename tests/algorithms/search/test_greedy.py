"""The quick greedy order, plain and compiled, is the readable one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms import elimination as el
from adviz.algorithms.search.greedy import quick_order

from ...graph.dags import graphs


@pytest.mark.parametrize("engine", ["python", "numba"])
@settings(max_examples=200, deadline=None)
@given(graphs(vertices=14))
def test_quick_orders_are_those_of_lowest_markowitz_degree_the_last_touched_first(engine, graph):
    order, cost = quick_order(graph, engine)
    assert order == el.greedy_order(graph, el.markowitz, last_touched=True)
    timeline = ad.Timeline(graph.state(), ad.vertex_elimination(graph.copy(), order))
    assert cost == timeline.multiplications


@settings(deadline=None, max_examples=20)
@given(st.randoms(use_true_random=False), st.sampled_from([15, 200]))
def test_both_engines_agree_on_programs_that_are_long_and_on_vertices_with_many_neighbours(random, window):
    edges = {(max(0, j - random.randint(1, window)), j) for j in range(1, 400) for _ in range(2)}
    graph = ad.CGraph.from_edges(sorted(edges))
    assert quick_order(graph, "python") == quick_order(graph, "numba")
