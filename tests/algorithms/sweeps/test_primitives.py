"""What products cost and what rules keep, counted by hand."""

import numpy as np
import pytest

import adviz as ad
from adviz.algorithms.sweeps.primitives import cost, stored_factors, stored_matrices, stored_values

X, M = np.array([0.5, 1.5, 2.5]), np.arange(6.0).reshape(2, 3)

# A program of one operation: multiplications and additions of its Jacobian times a vector, and of a vector times it.
COSTS = {
    "identity": (lambda x: x.copy(), X, (0, 0), (0, 0)),
    "negative": (lambda x: -x, X, (0, 0), (0, 0)),
    "scalar": (lambda x: 3 * x, X, (3, 0), (3, 0)),
    "diagonal": (lambda x: np.sin(x), X, (3, 0), (3, 0)),
    "sum": (lambda x: np.sum(x), X, (0, 2), (0, 0)),
    "sum of rows": (lambda x: np.sum(x, axis=1), M, (0, 4), (0, 0)),
    "mean": (lambda x: np.mean(x), X, (3, 2), (3, 0)),
    "broadcast": (lambda x: np.broadcast_to(x, (4, 3)), X, (0, 0), (0, 9)),
    "slice": (lambda x: x[1:], X, (0, 0), (0, 0)),
    "entries, one of them twice": (lambda x: x[np.array([0, 0, 2])], X, (0, 0), (0, 1)),
    "reshape": (lambda x: x.reshape(3, 2), M, (0, 0), (0, 0)),
    "matrix times vector": (lambda x: M @ x, X, (6, 4), (6, 3)),
    "matrix times matrix": (lambda x: M @ x, M.T, (12, 8), (12, 6)),
}


@pytest.mark.parametrize("name", COSTS)
def test_the_work_of_a_product(name):
    f, x, forward, backward = COSTS[name]
    ((_, jacobian),) = ad.trace(f, x).local_jacobians(1)
    assert cost(jacobian.normal()) == forward
    assert cost(jacobian.normal().T) == backward
    assert cost(jacobian.normal(), 5) == (5 * forward[0], 5 * forward[1])


def program(x, W):
    dead = np.exp(x)
    dead = dead * dead
    a = np.sin(x)  # keeps its partial, cos x
    b = a + x  # keeps nothing
    c = b.reshape(3, 1)  # the same memory
    return W @ c  # keeps both operands


GRAPH = ad.trace(program, X, M)


def test_values_that_share_memory_are_stored_once():
    assert list(stored_values(GRAPH, range(len(GRAPH))).values()) == [24, 48, 24, 24, 24, 24, 0, 16, 0]


def test_rules_keep_the_numbers_of_their_jacobians_and_dead_nodes_none():
    blocks = [block.name for block in GRAPH.blocks]
    kept = {blocks[node]: size for node, size in stored_factors(GRAPH).items()}
    assert kept == {"input": 0, "sin": 24, "add": 0, "reshape": 0, "matmul": 24 + 48, "output": 0}


def test_matrices_are_stored_for_every_edge_of_every_node():
    sizes = [0, 0, 9, 9 + 9, 9, 9 + 9, 9, 2 * 6 + 2 * 3, 4]
    assert list(stored_matrices(GRAPH).values()) == [8 * size for size in sizes]
