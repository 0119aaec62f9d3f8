"""The recursion: counts of edges instead of paths, dense Jacobians, nothing freed."""

import math

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.sweeps.backward import recursion

from ....engine.derivatives import assert_close
from ..running import adjoints, run


def test_the_counts_of_the_documentation():
    def program(x):
        np.sin(x)
        return x + x

    state, _ = run(recursion(ad.trace(program, 3.0)))
    x, y, total = 0, 1, 2
    assert state["times_used", x] == 2
    assert ("times_used", y) not in state
    assert ("times_used", total) not in state  # it is returned, which is no use


def test_a_value_used_twice_below_which_more_was_computed():
    def program(x):
        b = np.exp(np.sin(x))
        return b * b

    (found,) = adjoints(graph := ad.trace(program, 1.0), recursion(graph))
    assert_close(found, 5.815127313951733, 1e-15)


def test_doublings_take_steps_in_proportion_to_their_number():
    def doublings(x, *, count):
        for _ in range(count):
            x = x + x
        return x

    def steps(count):
        return run(recursion(ad.trace(doublings, 1.0, count=count)))[1]

    lengths = [len(steps(count)) for count in (18, 19, 20)]
    assert lengths[2] - lengths[1] == lengths[1] - lengths[0] < 10
    state, _ = run(recursion(ad.trace(doublings, 1.0, count=18)))
    assert (state["times_used", 0], state["adjoint", 0]) == (2, 2.0**18)


@pytest.mark.parametrize(("rows", "seed"), [(1, np.ones(3)), (3, np.eye(3))])
def test_local_jacobians_are_stored_and_multiplied_as_dense_matrices(rows, seed):
    graph = ad.trace(lambda x: np.sin(x) * x, np.ones(3))  # three edges, and one to the output
    state, steps = run(recursion(graph, {graph.outputs[0]: seed}))
    assert sum(size for key, size in state.items() if key[0] == "stored") == 4 * 8 * 3 * 3
    assert sum(step.multiplications for step in steps) == rows * 4 * 3 * 3
    assert sum(step.additions for step in steps) == rows * (4 * 2 * 3 + 3)


def test_a_product_with_nothing_costs_nothing():
    _, steps = run(recursion(ad.trace(lambda x: np.sum(x[:0]), np.ones(3))))
    assert sum(step.multiplications for step in steps) == 1  # of the output
    assert sum(step.additions for step in steps) == 0


def test_no_adjoint_is_freed():
    graph = ad.trace(lambda x: math.pi * np.sin(x), 3.0)
    state, steps = run(recursion(graph))
    assert {key[1] for key in state if key[0] == "adjoint"} == set(range(len(graph)))
    assert "free" not in {step.kind for step in steps}
