"""The optima of small graphs are those that trying everything finds, and that the proofs of others say."""

import random
from types import SimpleNamespace

import pytest

from adviz.algorithms.examples.known_optima import GRAPHS
from adviz.algorithms.expressions import dependencies, optimal_expressions
from adviz.algorithms.expressions import enumeration as module
from adviz.algorithms.expressions.enumeration import Optima, SmallGraph, canonical, optima, small_graphs
from adviz.algorithms.expressions.oracle import cheapest_sets

from ..search.brute import cheapest

BAT = canonical(GRAPHS["scalar bat"].graph())
SIZES = [(1, 5), (2, 8), (3, 8), (3, 11), (4, 8), (4, 10)]


def some(count: int) -> list[SmallGraph]:
    every, chosen = map(list, (small_graphs(*size) for size in SIZES)), random.Random(16)
    return [small for graphs in every for small in chosen.sample(graphs, min(len(graphs), count))]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(2, 5), (2, 6), (3, 6)])
def test_brute_force_finds_the_same_optima(size):
    for small in small_graphs(*size):
        tried = tuple(cheapest(small.graph(), technique) for technique in ("vertex", "edge", "face"))
        assert optima(small)[:3] == tried


@pytest.mark.slow
def test_the_least_is_that_of_the_oracle():
    for small in some(12):
        best = optimal_expressions(small.graph())
        assert best.proved
        assert optima(small).least == best.cost


def test_the_only_optimal_set_of_a_graph_is_free_of_circles():
    """It has (e63 e32 + e62) (e21 e10) and e32 e21, which waits for one of the two brackets, not for both."""
    small = SmallGraph.parsed("01 12 | 0 0 | 1 1 02 02 12")
    assert optima(small) == Optima(17, 16, 16, 16, mixed=True, circular=False, has_acyclic=True)
    [only] = cheapest_sets(small.without_twins())
    assert dependencies(only).cycle is None


@pytest.mark.long
def test_where_the_set_that_was_found_closes_a_circle_all_others_are_looked_at(monkeypatch):
    looked_at, every = [], list(cheapest_sets(BAT.without_twins()))

    def all_but_the_last_are_circular(expressions):
        looked_at.append(expressions)
        return SimpleNamespace(mixed=[1], cycle=None if len(looked_at) > len(every) else [1])

    monkeypatch.setattr(module, "dependencies", all_but_the_last_are_circular)
    assert optima(BAT)[4:] == (True, True, True)
    assert len(set(map(str, looked_at[1:]))) == len(looked_at) - 1


def test_many_twins_cost_no_time():
    assert optima(SmallGraph.parsed("01 02 12 | 0 0 0 0 0 | 01 2 2"))[:4] == (19, 19, 19, 19)
