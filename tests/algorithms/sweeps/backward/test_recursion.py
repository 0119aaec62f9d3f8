"""The recursion: counts of edges instead of paths, dense Jacobians, nothing freed."""

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.sweeps.backward import recursion

from ..running import run


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
