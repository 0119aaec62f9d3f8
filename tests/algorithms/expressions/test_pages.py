"""Pages: their parts together are the Jacobian, and they cost no more than a factorization as a whole."""

import pytest
from hypothesis import given

import adviz as ad
from adviz.algorithms.expressions import (
    backward_factorization,
    forward_factorization,
    pages,
)
from adviz.algorithms.expressions.sharing import Shared
from adviz.algorithms.expressions.terms import Letter
from adviz.graph.linearized.measures import bauer, count_paths

from ...graph.dags import graphs


@pytest.mark.parametrize("compare", [True, False])
@given(graph=graphs(vertices=9))
def test_the_pages_of_a_graph_have_all_its_paths_once(compare, graph):
    found = pages(graph, compare).expressions
    assert found.count_paths() == count_paths(graph)
    assert found.evaluated(graph) == pytest.approx(bauer(graph))


@given(graph=graphs(vertices=9))
def test_they_cost_no_more_than_a_factorization(graph):
    whole = min(backward_factorization(graph).multiplications, forward_factorization(graph).multiplications)
    assert pages(graph).multiplications <= whole


def test_what_all_entries_pass_is_computed_once():
    graph = ad.CGraph.from_edges([(0, 3), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6), (6, 7), (6, 8)])
    found = pages(graph)
    assert found.pages[0].u is not None
    assert found.multiplications == ad.optimal_order(graph).cost


def test_entries_with_nothing_in_common_are_one_page():
    graph = ad.CGraph.from_edges([(0, 2), (2, 4), (1, 3), (3, 5)])
    (page,) = pages(graph).pages
    assert (page.of, page.u, page.w, page.reason) == (None, None, None, "the whole graph")


@given(graph=graphs(vertices=9))
def test_each_page_is_of_one_before_it_has_edges_of_the_core_and_none_at_a_vertex_that_it_avoids(graph):
    for page in [*pages(graph).pages, *pages(graph, compare=False).pages]:
        assert page.edges
        assert page.of is None if page.number == 0 else page.of < page.number
        assert set(page.inputs) <= set(graph.vertices)
        assert page.avoids is None or not any(page.avoids in edge for edge in page.edges)


def test_equal_values_are_one_whatever_they_are_made_from():
    shared = Shared()
    a, b, c = (shared.letter(Letter(*ends)) for ends in ((1, 2), (2, 3), (3, 4)))
    assert shared.product(shared.product(a, b), c) == shared.product(a, shared.product(b, c))
    assert shared.multiplications([shared.product(shared.product(a, b), c)]) == 2


def test_a_common_factor_is_taken_out_on_either_side():
    shared = Shared()
    a, b, c = (shared.letter(Letter(*ends)) for ends in ((1, 2), (2, 3), (1, 3)))
    d = shared.letter(Letter(3, 4))
    both = shared.sum([shared.product(shared.product(a, b), d), shared.product(c, d)])
    assert str(shared.expressions({(1, 4): both}).entries[1, 4]) == "(e12 e23 + e13) e34"
