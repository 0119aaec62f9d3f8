"""Masks of several words cost and anneal like masks of one, in plain Python and compiled."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adviz.algorithms.search import masks
from adviz.algorithms.search.engines import WideEngine, copied, wide
from adviz.algorithms.search.problem import Structure, structure_of

from .brute import structures
from .test_optimum import hard


def spread(structure: Structure, by: int) -> Structure:
    """The same structure with its vertices so far apart that masks take several words."""
    preds, succs, sizes = ([0] * (by * len(structure.sizes)) for _ in range(3))
    for j, size in enumerate(structure.sizes):
        preds[by * j] = sum(1 << by * i for i in range(j) if structure.preds[j] >> i & 1)
        succs[by * j] = sum(1 << by * k for k in range(len(structure.sizes)) if structure.succs[j] >> k & 1)
        sizes[by * j] = size
    inside = sum(1 << by * j for j in structure.intermediates)
    return Structure(tuple(range(len(sizes))), tuple(preds), tuple(succs), tuple(sizes), inside)


WIDE = wide(copied(masks))


def in_words(structure):
    return *map(masks.words_of, (structure.preds, structure.succs)), np.array(structure.sizes)


def annealed(anneal, graph, array, order, seed, steps):
    order, best, run = array(order), array(order), array([seed, 10**6, 10**6, 0, steps])
    anneal(*graph, order, best, run, 50.0, 1.0, steps)
    return [*map(int, order)], [*map(int, best)], [*map(int, run)]


@given(structures(), st.sampled_from([1, 9, 40]), st.randoms(use_true_random=False), st.integers(0, 200))
def test_an_order_costs_the_same(structure, by, random, limit):
    structure = spread(structure, by)
    order = random.sample(structure.intermediates, len(structure.intermediates))
    expected = structure.cost(order, limit)
    assert WIDE.order_cost(*in_words(structure), order, limit) == expected


@settings(max_examples=30, deadline=None)
@given(structures(), st.sampled_from([1, 9, 40]), st.integers(1, 2**30))
def test_annealing_takes_the_same_moves(structure, by, seed):
    structure = spread(structure, by)
    narrow = [*structure.preds], [*structure.succs], structure.sizes
    one = annealed(masks.anneal, narrow, list, structure.intermediates, seed, 60)
    assert annealed(WIDE.anneal, in_words(structure), np.array, structure.intermediates, seed, 60) == one


@pytest.mark.numba
def test_compiled_annealing_takes_the_same_moves():
    structure = structure_of(hard(90, 30))
    graph = [*structure.preds], [*structure.succs], [*structure.sizes]
    order = Random(1).sample(structure.intermediates, len(structure.intermediates))
    engine = WideEngine()
    for seed in (3, 4):
        one, other = (annealed(each, graph, list, order, seed, 300) for each in (masks.anneal, engine.moves.anneal))
        assert one == other
