"""The proof by parts: what it says is a bound for all orders of vertices, and the cost of the best one."""

import math
import time
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.search import path_search
from adviz.algorithms.search.path_search import PartSearch
from adviz.algorithms.search.problem import structure_of

from ...agreement.programs import SHAPES, Program, programs
from ...graph.dags import graphs
from .brute import cheapest, network

CANCELLING = Program(
    [(), (2, 3)], [("abs", (0,))] * 4 + [("arctan", (1,)), ("entry of a row", (6,)), ("exp", (7,))], [8]
)
"""Its local partials -1, 0.23 and -0.23 must not be taken for -1 and twice the same number, which would cancel."""


def check(graph, counting):
    """Compare with all orders, if the graph is small."""
    structure = structure_of(graph, counting)
    if not structure.labels or not 2 <= len(graph.intermediates) <= 6:
        return
    least = cheapest(graph, "vertex", counting)
    for limit in (math.inf, least):
        search = PartSearch(structure, 10**6)
        low, order = search.prove(math.inf, limit)
        assert low == least == structure.cost(order)
        assert sorted(order) == structure.intermediates
        assert search.is_done


@settings(max_examples=60, deadline=None)
@given(programs(SHAPES, 8), st.booleans())
@example(CANCELLING, False)
def test_programs_of_arrays_are_solved(program, units):
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        graph = ad.linearize(lambda *args: program(np, *args), *program.inputs())
    check(graph, ad.Counting(units=units))


@settings(max_examples=60, deadline=None)
@given(graphs(vertices=8, largest=2), st.sampled_from(["sparse", "scalar"]))
def test_graphs_whose_units_are_free_are_solved(graph, count):
    check(graph, ad.Counting(count, units=False))


@settings(max_examples=40, deadline=None)
@given(programs(SHAPES, 8), st.booleans())
def test_what_is_not_followed_costs_nothing_so_that_the_answer_is_still_a_bound(program, units):
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        graph = ad.linearize(lambda *args: program(np, *args), *program.inputs())
    structure = structure_of(graph, ad.Counting(units=units))
    if not structure.labels or not 2 <= len(graph.intermediates) <= 6:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_search, "MOST_PIECES", 1)
        patch.setattr(path_search, "MOST_KINDS", 1)
        low, order = PartSearch(structure, 10**6).prove(math.inf, math.inf)
    assert low <= cheapest(graph, "vertex", ad.Counting(units=units)) <= structure.cost(order)


@pytest.mark.long
def test_the_best_order_of_a_network_of_two_layers_is_proved():
    best = ad.optimal_order(network())
    assert (best.cost, best.lower_bound) == (249, 249)


def test_a_proof_by_parts_can_be_continued_and_ends_when_its_memory_is_full():
    structure = structure_of(network())
    search = PartSearch(structure, 10**6)
    assert search.prove(time.monotonic(), 249) is None
    assert not search.is_done
    assert search.prove(math.inf, 249)[0] == 249
    small = PartSearch(structure, 100)
    assert small.prove(math.inf, 249) is None
    assert small.is_done
