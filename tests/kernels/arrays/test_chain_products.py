"""Bottlenecks are what no path avoids, and plans cost what an exhaustive search finds."""

from itertools import pairwise

import numpy as np
import pytest

import adviz as ad
from adviz.kernels.arrays.matrix_lowering import MOST, best_plan, bottlenecks, narrowest

WAYS = ("forward", "reverse")


def graph_at_random(seed):
    """A function of three numbers with skips at random, and its graph."""
    rng = np.random.default_rng(seed)
    pairs = [rng.integers(max(0, k - 2), k + 1, 2) for k in range(2, 12)]

    def f(a, b, c):
        values = [a * b, b + c]
        for k, (i, j) in enumerate(pairs):
            values.append(np.sin(values[min(i, k)]) * values[min(j, k + 1)])
        return values[-1]

    return ad.trace(f, 1.0, 2.0, 3.0)


def is_cut(graph, node):
    """Whether no output depends on an input by a path without the node."""
    reached = [False] * len(graph)
    for k in range(len(graph)):
        starts = k in graph.inputs or any(reached[operand] for operand in graph.operand_nodes(k))
        reached[k] = starts and k != node
    return not any(reached[y] for y in graph.outputs)


@pytest.mark.parametrize("seed", range(40))
def test_bottlenecks_are_the_nodes_that_cut_all_paths(seed):
    graph = graph_at_random(seed)
    ends = {*graph.inputs, *graph.outputs}
    wanted = [node for node in range(len(graph)) if node not in ends and graph.live[node] and is_cut(graph, node)]
    assert bottlenecks(graph, graph.inputs, graph.outputs) == wanted


def test_the_narrowest_are_those_between_wider_ones():
    assert narrowest(range(6), [9, 4, 4, 7, 3, 8], 10) == [1, 4]
    assert narrowest(range(3), [4, 4, 4], 4) == []
    many = narrowest(range(40), [k % 4 + 1 for k in range(40)], 10)
    assert len(many) == MOST


def exhaustive(sizes, forward, reverse, i, j):
    """The least cost by all ways, without a table."""
    costs = [sizes[i] * forward(i, j), sizes[j] * reverse(i, j)]
    for k in range(i + 1, j):
        first, second = (exhaustive(sizes, forward, reverse, *pair) for pair in pairwise((i, k, j)))
        costs += [first + sizes[i] * forward(k, j), second + sizes[j] * reverse(i, k)]
        costs.append(first + second + 2 * sizes[i] * sizes[k] * sizes[j])
    return min(costs)


@pytest.mark.parametrize("seed", range(30))
def test_plans_cost_least(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 50, 6).tolist()
    costs = rng.integers(1, 5000, (2, 6, 6))
    one, other = (lambda i, j, way=way: int(costs[way, i, j]) for way in (0, 1))
    assert best_plan(sizes, one, other, WAYS).cost == exhaustive(sizes, one, other, 0, 5)
