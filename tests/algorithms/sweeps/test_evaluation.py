"""Evaluation as it happened, lazily along the tape, and on demand."""

import numpy as np

import adviz as ad
from adviz.algorithms.sweeps.forward import evaluation, lazy_evaluation

from .running import run


def program(x):
    a = np.sin(x)
    b = np.cos(x)
    c = np.exp(b)
    return a, c, x


GRAPH = ad.trace(program, 0.5)  # x 0, a 1, b 2, c 3, outputs 4, 5 and 6
A, C, X = GRAPH.outputs


def evaluated(algorithm):
    return [step.focus[0] for step in algorithm]


def test_values_come_in_order_of_creation():
    state, steps = run(evaluation(GRAPH))
    assert state == dict(enumerate(GRAPH.values))
    assert [step.focus for step in steps] == [(0,), (1, 0), (2, 0), (3, 2), (4, 1), (5, 3), (6, 0)]


def test_a_lazy_tape_goes_up_to_the_value_whether_it_depends_on_it_or_not():
    assert evaluated(lazy_evaluation(GRAPH, [A])) == [0, 1, A]
    assert evaluated(lazy_evaluation(GRAPH, [C])) == [0, 1, 2, 3, C]
    assert evaluated(lazy_evaluation(GRAPH, [X])) == [0, X]


def test_on_demand_only_what_the_value_depends_on_is_evaluated():
    assert evaluated(lazy_evaluation(GRAPH, [C], on_demand=True)) == [0, 2, 3, C]
    assert evaluated(lazy_evaluation(GRAPH, [C, A], on_demand=True)) == [0, 1, 2, 3, A, C]


def test_what_is_there_is_not_evaluated_again():
    state: dict = {}
    assert evaluated(lazy_evaluation(GRAPH, [A], state=state)) == [0, 1, A]
    assert evaluated(lazy_evaluation(GRAPH, [C], state=state)) == [2, 3, C]
    assert evaluated(lazy_evaluation(GRAPH, [C], state=state)) == []
    assert state == {node: GRAPH.values[node] for node in (0, 1, 2, 3, A, C)}
