"""The best order of a chain, against all orders."""

from functools import cache
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from adviz import CGraph, optimal_order
from adviz.algorithms.elimination.chains import best_chain_order

from ..search.brute import cheapest

SIZES = st.lists(st.integers(1, 9), min_size=3, max_size=9)


def chain(sizes):
    return CGraph.from_edges([(k, k + 1) for k in range(len(sizes) - 1)], sizes=dict(enumerate(sizes)))


def cost(sizes, order):
    """The multiplications of an order of places."""
    left, total = list(range(len(sizes))), 0
    for place in order:
        k = left.index(place)
        total += sizes[left[k - 1]] * sizes[place] * sizes[left[k + 1]]
        del left[k]
    return total


def least(sizes):
    @cache
    def of(left):
        inner = range(1, len(left) - 1)
        return min((left[k - 1] * left[k] * left[k + 1] + of(left[:k] + left[k + 1 :]) for k in inner), default=0)

    return of(tuple(sizes))


@given(SIZES)
def test_no_order_of_a_chain_is_cheaper(sizes):
    order = best_chain_order(sizes)
    assert sorted(order) == list(range(1, len(sizes) - 1))
    assert cost(sizes, order) == least(sizes)


@given(SIZES)
def test_a_chain_is_proved_at_once(sizes):
    best = optimal_order(chain(sizes), effort=0)
    assert best.proved
    assert best.cost == least(sizes) == cost(sizes, best.order)


@given(st.lists(SIZES, min_size=1, max_size=3), st.integers(0, 2**30))
def test_chains_between_ends_that_they_share_are_solved_too(several, seed):
    """Chains from one input to one output: each is a component of its own."""
    edges, sizes = [], {"x": 1 + seed % 4, "y": 1 + seed // 4 % 4}
    for number, inner in enumerate(several):
        path = ["x", *((number, k) for k in range(min(len(inner), 3))), "y"]
        edges += list(pairwise(path))
        sizes |= {(number, k): size for k, size in enumerate(inner[:3])}
    graph = CGraph.from_edges(edges, sizes=sizes)
    best = optimal_order(graph, effort=0)
    assert best.proved
    if len(graph.intermediates) <= 7:
        assert best.cost == cheapest(graph, "vertex")


def test_sizes_beyond_64_bits_are_exact():
    sizes = [10**12, 10**12 + 1, 3, 10**12]
    order = best_chain_order(sizes)
    assert cost(sizes, order) == least(sizes)
