"""Constants of two graphs: which nodes take others, and what is said of them."""

import copy
import random
from numbers import Number

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adviz as ad

from ...agreement.programs import programs

OTHERS = 0.5, 7.25, -3, True, None, "a", slice(1, None), (2, slice(None)), np.array([1.0, 2.0]), np.float32(0.5), 2j


def before(x):
    for _ in range(5):
        x = np.sin(x) * 2.0 + x[0]
    return np.sum(x[1:] ** 2.0)


def after(x):
    for _ in range(5):
        x = np.sin(x) * 3.0 + x[1]
    return np.sum(x[:-1] ** 2.0)


def test_constants_that_differ_are_told_with_the_old_and_the_new_one():
    x = np.ones(4)
    comparison = ad.compare_graphs(ad.trace(before, x), ad.trace(after, x))
    assert {difference.kind for difference in comparison} == {"with other constants"}
    assert [(words.partition(" at ")[0], len(rows)) for words, rows in comparison.groups("with other constants")] == [
        ("multiply: 2 → 3", 5),
        ("index: 0 → 1", 5),
        ("index: 1: → :-1", 1),
    ]
    assert len(comparison) == 0  # no node was added, removed or replaced


@pytest.mark.long
@settings(max_examples=60)
@given(programs(), st.integers(0, 10**6))
def test_the_nodes_that_take_a_changed_constant_differ_and_no_others(program, seed):
    graph = ad.trace(lambda *inputs: program(np, *inputs), *program.inputs())
    other, rng = copy.copy(graph), random.Random(seed)
    places = rng.sample(range(1, len(graph.literals)), min(3, len(graph.literals) - 1))
    news = {place: rng.choice(OTHERS) for place in places}
    other.literals = [news.get(place, each) for place, each in enumerate(graph.literals)]
    comparison = ad.compare_graphs(graph, other)
    taking = [k for k in range(len(graph)) if {~place for place in changed(graph, news)} & {*graph.operands(k)}]
    assert comparison.nodes["with other constants"].tolist() == [[k, k] for k in taking]
    assert {difference.kind for difference in comparison} <= {"with other constants"}
    told = comparison.groups("with other constants")
    assert sum(len(rows) for _, rows in told) == len(taking)
    assert all(" → " in words for words, _ in told)


def changed(graph, news):
    """The places of constants that are now others."""
    return [place for place, new in news.items() if not is_same(graph.literals[place], new)]


def is_same(old, new):
    """Whether two constants are equal: numbers by their value, all others as they are written."""
    are_numbers = all(isinstance(each, Number) and not isinstance(each, bool) for each in (old, new))
    return bool(old == new) if are_numbers else repr(old) == repr(new)


def test_numbers_of_another_type_are_the_same():
    one, other = (ad.trace(lambda x, two=two: x * two + x**two, 3.0) for two in (2.0, np.float64(2.0)))
    assert list(ad.compare_graphs(one, other)) == []
    assert list(ad.compare_graphs(ad.trace(lambda x: x * 2, 3.0), ad.trace(lambda x: x * 2.0, 3.0))) == []


@pytest.mark.parametrize(
    "nan", [float("nan"), np.float32("nan"), np.float64("nan"), complex("nan"), np.array([np.nan])]
)
def test_nan_is_the_same_constant_in_two_traces(nan):
    def traced():
        return ad.trace(lambda x: np.where(x > 0.0, x, np.abs(nan * 1)), np.ones(1))

    assert not ad.compare_graphs(traced(), traced())
