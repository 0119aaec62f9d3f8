"""What goes with the last Variable that refers to it."""

import numpy as np

import adviz as ad
from adviz.algorithms.sweeps.backward import reference_counting

from ..running import log, run


def program(x):
    shared = np.sin(x)
    forgotten = shared * shared
    forgotten = np.exp(forgotten)
    return np.cos(shared), np.tanh(shared)


GRAPH = ad.trace(program, 1.0)  # x 0, shared 1, forgotten 2 and 3, cos 4, tanh 5, outputs 6 and 7


def test_dead_nodes_have_gone_before_the_first_variable_and_shared_ones_go_after_the_last():
    assert log(reference_counting(GRAPH, [6, 7])) == [
        *("seed ", "free 3", "count 2", "free 2", "count 1", "count 1"),
        *("visit 6", "free 6", "count 4", "free 4", "count 1"),
        *("visit 7", "free 7", "count 5", "free 5", "count 1", "free 1", "count 0"),
    ]


def test_the_inputs_stay_with_the_user():
    end, _ = run(reference_counting(GRAPH, [6, 7]))
    assert end == {("stored", 0): 8, ("references", 0): 1}


def test_a_value_returned_twice_stays_while_one_of_its_variables_does():
    def twice(x):
        y = np.sin(x)
        return y, y

    graph = ad.trace(twice, 1.0)
    assert [line for line in log(reference_counting(graph, graph.outputs[:1])) if "free" in line] == ["free 2"]
    assert [line for line in log(reference_counting(graph, graph.outputs)) if "free" in line] == [
        *("free 2", "free 3", "free 1")
    ]
