"""Bytes in memory, step by step: they are what a naive walk over the graph counts."""

import numpy as np
import pytest

import adviz as ad


def naive(graph, gradient):
    """The bytes at each step, from the definition: who needs what, and until when."""
    count = len(graph)
    memory = {}  # what owns the memory of each value
    for index in range(count):
        value = graph.values[index]
        while hasattr(getattr(value, "base", None), "nbytes"):
            value = value.base
        memory[index] = value if hasattr(value, "nbytes") else index
    owner = {i: next(j for j in range(count) if memory[j] is memory[i]) for i in range(count)}
    live = graph.live
    there = [set() for _ in range((1 + gradient) * count)]
    for index in range(count):
        users = [user for user in graph.users(index) if not gradient or live[user]]
        last = count - 1 if index in graph.outputs else max([index, *users])
        end = 2 * count - 1 - owner[index] if gradient else last
        for step in range(owner[index], end + 1):
            there[step].add(("value", owner[index]))
        if gradient and live[index] and getattr(graph.values[index], "dtype", np.dtype(float)).kind == "f":
            end = 2 * count - 1 if index in graph.inputs else 2 * count - 1 - index
            for step in range(2 * count - 1 - last, end + 1):
                there[step].add(("adjoint", index))
    sizes = {}
    for index in range(count):
        sizes["value", index] = memory[index].nbytes if hasattr(memory[index], "nbytes") else 8
        sizes["adjoint", index] = getattr(graph.values[index], "nbytes", 8)
    return [sum(sizes[each] for each in held) for held in there]


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("grain", ["array", "scalar"])
def test_bytes_are_those_of_a_naive_walk(grain, gradient):
    def f(x, w):
        h = np.tanh(x @ w)
        rows = h[1:]
        dead = h * 2.0  # noqa: F841
        for k in range(3):
            rows = rows + rows.T[k % 2] ** 2 if k else rows
        return np.sum(rows[:, ::2]) + np.sum(h), rows

    graph = ad.trace(f, np.ones((3, 2)), np.ones((2, 2)), grain=grain)
    assert list(ad.live_bytes(graph, gradient).bytes) == naive(graph, gradient)


def test_holders_are_what_is_there_the_largest_first():
    graph = ad.trace(lambda x: np.sum(np.exp(x) * x) + np.sum(x[:10]), np.ones(1000))
    live = ad.live_bytes(graph, gradient=True)
    for step in range(2 * len(graph)):
        holders = live.holders(step, most=100)
        assert sum(each.bytes for each in holders) == live.bytes[step]
        assert sorted((each.bytes for each in holders), reverse=True) == [each.bytes for each in holders]
        assert live.holding(step).tolist() == [*dict.fromkeys(each.node.index for each in holders)]
    assert live.node_at(0).index == live.node_at(2 * len(graph) - 1).index == 0
    assert repr(live) == "<LiveBytes of <lambda>, with its gradient: at most 48,000 of 48,144 bytes>"
