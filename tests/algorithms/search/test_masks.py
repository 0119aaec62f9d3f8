"""Reductions, bounds and the search on bit masks against their definitions, in both engines."""

from dataclasses import replace
from itertools import chain, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adviz.algorithms.search import masks
from adviz.algorithms.search.engines import NumbaEngine, PythonEngine
from adviz.algorithms.search.problem import Structure, bits, mask_of, reduced, room_for
from adviz.algorithms.search.vertex_search import LARGEST, KernelSearch

from .brute import chained, structures

ENGINES = [PythonEngine, NumbaEngine]


def optimum(structure):
    """The least cost by all orders: what is left after a set of eliminations does not depend on their order."""
    known = {0: 0}

    def least(inside, preds, succs):
        if inside not in known:
            known[inside] = min(
                fee + least(inside & ~(1 << j), *after) for j, fee, after in moves(inside, preds, succs)
            )
        return known[inside]

    def moves(inside, preds, succs):
        for j in bits(inside):
            new_preds, new_succs = list(preds), list(succs)
            masks.eliminate(new_preds, new_succs, j)
            yield j, masks.cost(preds, succs, structure.sizes, j), (new_preds, new_succs)

    return least(structure.inside, list(structure.preds), list(structure.succs))


@settings(max_examples=300)
@given(structures())
def test_reductions_keep_a_best_order(structure):
    found = reduced(structure)
    rest = sum(optimum(kernel) for kernel in found.kernels)
    assert found.cost + rest == optimum(structure)
    order = [*found.first, *chain.from_iterable(kernel.expand(bits(kernel.inside)) for kernel in found.kernels)]
    assert sorted(order) == structure.intermediates


@settings(max_examples=300)
@given(chained())
def test_reductions_of_chains_keep_a_best_order(structure):
    found = reduced(structure)
    assert found.cost + sum(optimum(kernel) for kernel in found.kernels) == optimum(structure)


def corners(structure):
    room = room_for(len(structure.sizes))
    graph = list(structure.preds), list(structure.succs)
    for sides in (graph, graph[::-1]):
        for j in structure.intermediates:
            if masks.is_corner(*sides, structure.sizes, structure.inside, j, room):
                yield j


@settings(max_examples=300)
@given(chained())
def test_some_best_order_begins_with_a_corner(structure):
    for j in corners(structure):
        preds, succs = list(structure.preds), list(structure.succs)
        fee = masks.cost(preds, succs, structure.sizes, j)
        masks.eliminate(preds, succs, j)
        rest = replace(structure, preds=preds, succs=succs, inside=structure.inside & ~(1 << j))
        assert fee + optimum(rest) == optimum(structure)


def test_a_large_vertex_between_small_ones_is_a_corner_though_the_way_there_is_wider():
    """From the input of 9 two ways lead to the output of 9; the vertex of 30 is between one of 5 and one of 6."""
    preds = 0, 1, 2, 4, 3, 24
    succs = 2 | 16, 4 | 16, 8, 32, 32, 0
    structure = Structure(tuple(range(6)), preds, succs, (9, 5, 30, 6, 7, 9), 0b011110)
    assert list(corners(structure)) == [2]


@given(structures(), st.randoms(use_true_random=False))
def test_whatever_the_clusters_their_bounds_are_bounds(structure, random):
    left, clusters = structure.intermediates, []
    random.shuffle(left)
    while left:
        size = random.randint(1, 4)
        clusters.append(mask_of(left[:size]))
        del left[:size]
    preds, succs = list(structure.preds), list(structure.succs)
    room = room_for(len(structure.sizes))
    bound = masks.lower_bound(preds, succs, structure.sizes, structure.inside, clusters, room)
    singles = [1 << j for j in structure.intermediates]
    assert bound <= optimum(structure)
    assert bound >= masks.lower_bound(preds, succs, structure.sizes, structure.inside, singles, room)


@settings(deadline=None)
@given(structures(8, largest=2))
def test_clusters_that_grow_raise_the_bound_up_to_the_optimum_at_most(structure):
    for kernel in reduced(structure).kernels:
        search, lows = KernelSearch(kernel, PythonEngine(), 1 << 12), [0]
        for _ in range(LARGEST):
            search.prepare(float("inf"))
            lows.append(search.low)
            assert sorted(j for cluster in search.clusters for j in bits(cluster)) == list(bits(kernel.inside))
        assert lows == sorted(lows)
        assert lows[-1] <= optimum(kernel)


@pytest.mark.parametrize("engine", ENGINES)
@settings(deadline=None)
@given(structures(8, largest=2))
def test_the_search_proves_what_all_orders_show(engine, structure):
    for kernel in reduced(structure).kernels:
        search = KernelSearch(kernel, engine(), 1 << 12)
        search.prove(float("inf"))
        assert search.low == search.cost == optimum(kernel)
        assert search._cost(search.order) == search.cost
        assert sorted(search.order) == list(bits(kernel.inside))


@pytest.mark.numba
@given(structures(6), st.integers(1, 2**31 - 2))
def test_both_engines_anneal_alike(structure, seed):
    for kernel in reduced(structure).kernels:
        found = []
        for engine in ENGINES:
            search = KernelSearch(kernel, engine(), 0, seed)
            search.anneal_steps(500)
            found.append((search.cost, search.order))
        assert found[0] == found[1]


@given(structures(5))
def test_the_last_vertex_costs_what_reaches_it_times_what_it_reaches(structure):
    preds, succs = list(structure.preds), list(structure.succs)
    for order in permutations(structure.intermediates):
        new_preds, new_succs = list(preds), list(succs)
        for j in order[:-1]:
            masks.eliminate(new_preds, new_succs, j)
        last = masks.cost_as_last(preds, succs, structure.sizes, structure.inside, order[-1])
        assert last == masks.cost(new_preds, new_succs, structure.sizes, order[-1])
