"""By their kinds, orders of arrays cost what their eliminations do, and small graphs are proved."""

import math
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.examples.known_optima import GRAPHS
from adviz.algorithms.search.label_kinds import Constants, Kinds
from adviz.algorithms.search.optimum import TECHNIQUES
from adviz.algorithms.search.path_search import PathSearch
from adviz.algorithms.search.problem import structure_of

from ...agreement.programs import SHAPES, programs
from .brute import cheapest, network, run

SQUARE = np.array([[2.0, 3.0], [5.0, 7.0]])


def linearized(program):
    with warnings.catch_warnings(action="ignore", category=ad.IndependentOutputWarning):
        return ad.linearize(lambda *args: program(np, *args), *program.inputs())


# ---- costs ----


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(programs(SHAPES, 6), st.sampled_from(list(TECHNIQUES)), st.sampled_from(["sparse", "scalar"]), st.booleans())
def test_what_is_found_costs_what_its_elimination_does(program, technique, count, units):
    graph, counting = linearized(program), ad.Counting(count, units)
    best = ad.optimal_order(graph, technique, count=count, units=units, effort=250)
    assert best.lower_bound <= best.cost == run(graph, best, counting)
    for order in ("forward", "reverse", "markowitz"):
        timeline = ad.Timeline(graph.state(), ad.vertex_elimination(graph.copy(), order, counting))
        assert best.cost <= timeline.multiplications


@settings(max_examples=60, deadline=None)
@given(programs(SHAPES, 4), st.sampled_from(list(TECHNIQUES)), st.booleans())
def test_small_programs_of_arrays_get_their_best_order(program, technique, units):
    graph = linearized(program)
    if len(graph.intermediates if technique == "vertex" else graph.edges) > 5:
        return
    best = ad.optimal_order(graph, technique, units=units)
    assert best.proved
    assert best.cost == cheapest(graph, technique, ad.Counting(units=units))


def of_structure(head, tail, sizes):
    """A cost that depends on labels, is no whole number, and no multiple of any other count."""
    constants = sum(isinstance(label, int) for label in (head, tail))
    return sizes[1] * (1.5 if hasattr(head, "normal") else 0.75) + sizes[0] / (1 + constants)


@settings(max_examples=40, deadline=None)
@given(programs(SHAPES, 4), st.sampled_from(list(TECHNIQUES)), st.booleans())
def test_small_programs_get_their_best_order_by_a_cost_of_ones_own(program, technique, units):
    graph = linearized(program)
    if len(graph.intermediates if technique == "vertex" else graph.edges) > 5:
        return
    counting = ad.Counting(units=units, cost=of_structure)
    best = ad.optimal_order(graph, technique, units=units, cost=of_structure)
    assert best.proved
    assert best.cost == pytest.approx(cheapest(graph, technique, counting))
    assert best.cost == pytest.approx(run(graph, best, counting))


def test_a_cost_that_is_the_count_finds_what_the_count_does():
    graph = GRAPHS["Naumann 2004"].graph()
    best = ad.optimal_order(graph, cost=lambda head, tail, sizes: math.prod(sizes))
    assert (best.cost, best.proved) == (ad.optimal_order(graph).cost, True)
    assert "costs by test_a_cost_that" in repr(best)


@settings(max_examples=30, deadline=None)
@given(programs(SHAPES, 6), st.randoms(use_true_random=False))
def test_any_order_costs_by_kinds_what_its_elimination_does(program, random):
    graph = linearized(program)
    structure = structure_of(graph)
    order = random.sample(structure.intermediates, len(structure.intermediates))
    steps = ad.vertex_elimination(graph, [structure.vertices[j] for j in order])
    assert structure.cost(order) == structure.apart().cost(order) == sum(step.multiplications for step in steps)


def test_where_all_jacobians_are_dense_sizes_decide_and_a_proof_holds():
    matrices = np.random.default_rng(0).normal(size=(4, 3, 3))
    graph = ad.linearize(lambda x: [m @ (matrices[0] @ x) for m in matrices] + [matrices[1] @ x], np.ones(3))
    by_structure, by_size = (ad.optimal_order(graph, count=count) for count in ("sparse", "scalar"))
    assert isinstance(structure_of(graph).algebra, Constants)
    assert by_structure.proved
    assert by_structure.cost == by_size.cost == run(graph, by_structure)


# ---- kinds ----


def labels():
    return {
        "number": 2.5,
        "another number": 3.5,
        "integer": 2,
        "array": SQUARE,
        "diagonal": ad.Diagonal(np.array([2.0, 3.0]), (2,), (2,)),
        "identity": ad.Diagonal(1.0, (2,), (2,)),
        "twice": ad.Diagonal(2.0, (2,), (2,)),
        "dense": ad.Dense(SQUARE, (2,), (2,)),
    }


def test_what_may_cost_differently_is_of_different_kinds():
    kinds = Kinds(ad.Counting())
    for _ in range(2):
        assert [kinds.kind(label, 2) for label in labels().values()] == list(range(8))
    assert kinds.kind(ad.Dense(2 * SQUARE, (2,), (2,)), 2) == 7
    assert kinds.kind(2.5, 3) == 8
    assert kinds.kind(0.1 + 0.2, 1) == kinds.kind(0.3, 1)  # they differ in the last digit
    assert kinds.kind(1.0, 1) != kinds.kind(1 + 1e-15, 1)


def test_functions_of_which_nothing_is_known_are_kinds_of_their_own():
    class Turn(ad.Jacobian):
        def jvp(self, tangent):
            return np.flip(tangent)

        vjp = jvp

    kinds = Kinds(ad.Counting())
    one, other = Turn((2,), (2,)), Turn((2,), (2,))
    assert kinds.kind(one, 2) == kinds.kind(one, 2) != kinds.kind(other, 2)


def test_products_beyond_the_limit_are_not_made():
    kinds = Kinds(ad.Counting())
    diagonal, dense = kinds.kind(labels()["diagonal"], 2), kinds.kind(labels()["dense"], 2)
    kinds.limit = 3
    assert kinds.product(diagonal, diagonal, (2, 2, 2))[1] == 2
    assert kinds.product(diagonal, dense, (2, 2, 2)) == (-1, 4)
    assert kinds.product(-1, dense, (2, 2, 2)) == (-1, 0)
    assert kinds.plus(-1, dense) == kinds.plus(dense, -1) == -1
    kinds.limit = 4
    assert kinds.product(diagonal, dense, (2, 2, 2)) == (dense, 4)


# ---- memory ----


@pytest.mark.parametrize("way", ["beam", "prove"])
def test_without_memory_for_kinds_a_search_of_states_ends(way):
    structure = structure_of(network(), memory=0)
    search = PathSearch(structure, "edge", (way,), orders=[structure.intermediates])
    start = time.process_time()
    for _ in search.rounds(time.monotonic() + 600):
        pass
    assert time.process_time() - start < 30
