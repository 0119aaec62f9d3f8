"""Orders that searches begin with: the quick one agrees with its definition; no greedy order beats a search."""

from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms import elimination as el
from adviz.algorithms.search.greedy import chains_first, quick_order
from adviz.algorithms.search.optimum import TECHNIQUES
from adviz.algorithms.search.problem import structure_of

from ...graph.dags import graphs
from .brute import run

KEYS = [(el.markowitz,), (el.relative_markowitz,), (el.fill_in, el.markowitz), (el.minimal_damage,), (el.overall,)]


@settings(deadline=None, max_examples=30)
@given(graphs(vertices=12, largest=3), st.sampled_from(list(TECHNIQUES)), st.booleans())
def test_no_greedy_order_is_cheaper_than_what_a_search_begins_with(graph, technique, units):
    counting = ad.Counting(units=units)
    best = ad.optimal_order(graph, technique, units=units, effort=0)
    for keys in KEYS:
        timeline = ad.Timeline(graph.state(), ad.vertex_elimination(graph.copy(), el.greedy(*keys), counting))
        assert best.cost <= timeline.multiplications
    assert run(graph, best, counting) == best.cost


# ---- the quick order ----


@settings(max_examples=200, deadline=None)
@given(graphs(vertices=14))
def test_quick_orders_are_those_of_lowest_markowitz_degree_the_last_touched_first(graph):
    order, cost = quick_order(graph)
    assert order == el.greedy_order(graph, el.markowitz, last_touched=True)
    timeline = ad.Timeline(graph.state(), ad.vertex_elimination(graph.copy(), order))
    assert cost == timeline.multiplications


@settings(deadline=None, max_examples=10)
@given(st.randoms(use_true_random=False), st.sampled_from([15, 200]))
def test_quick_orders_agree_on_programs_that_are_long_and_on_vertices_with_many_neighbours(random, window):
    edges = {(max(0, j - random.randint(1, window)), j) for j in range(1, 400) for _ in range(2)}
    graph = ad.CGraph.from_edges(sorted(edges))
    assert quick_order(graph)[0] == el.greedy_order(graph, el.markowitz, last_touched=True)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_chains_are_eliminated_first_each_in_its_cheapest_order(one, other):
    """Two chains from vertex 1 to vertex 2, which have other neighbours, too."""
    places = [range(10, 10 + len(one)), range(20, 20 + len(other))]
    edges = [(0, 1), (-1, 1), (2, 3), (2, 4), (1, 2)]
    edges += [pair for places_ in places for pair in pairwise([1, *places_, 2])]
    sizes = {
        vertex: size
        for own, each in zip(places, (one, other), strict=True)
        for vertex, size in zip(own, each, strict=True)
    }
    graph = ad.CGraph.from_edges(edges, sizes=sizes)
    structure = structure_of(graph, ad.Counting("scalar"))
    found = [structure.vertices[j] for j in chains_first(structure)]
    assert sorted(found) == [*places[0], *places[1]]
    for own in places:
        order = [j for j in found if j in own]
        assert chain_cost(order, own, sizes) == min(chain_cost(each, own, sizes) for each in permutations(own))


def chain_cost(order, chain, sizes):
    """The multiplications of a chain between two vertices of one entry."""
    left, total = [1, *chain, 2], 0
    for j in order:
        place = left.index(j)
        before, behind = left[place - 1], left[place + 1]
        total += sizes.get(before, 1) * sizes[j] * sizes.get(behind, 1)
        left.remove(j)
    return total
