"""The heap of functions: ranks, ties, what is compared, what stays."""

import heapq

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import adviz as ad
from adviz.algorithms.sweeps.backward import Heap, rank_heap

from ..running import run, visits


def test_a_function_has_the_highest_rank_of_its_operands_and_its_value_one_more():
    def program(x, y):
        a = np.sin(x)  # of rank 0, as all functions of inputs
        b = np.sin(a)  # 1
        c = np.sin(y)  # 0
        return b * c, c * y  # 2 and 1, and their outputs 3 and 2

    graph = ad.trace(program, 1.0, 2.0)
    state, _ = run(rank_heap(graph, dict.fromkeys(graph.outputs, 1.0)))
    assert [state.get(("rank", node)) for node in range(len(graph))] == [None, None, 0, 1, 0, 2, 1, 3, 2]
    assert visits(rank_heap(graph, dict.fromkeys(graph.outputs, 1.0))) == [7, 8, 5, 6, 3, 4, 2]


def test_comparisons_are_those_of_the_heap():
    graph = ad.trace(lambda x: np.sin(x) * np.cos(x) + np.exp(x) * np.tanh(x), 0.5)
    compared = 0

    class Counted(tuple):
        def __lt__(self, other):
            nonlocal compared
            compared += 1
            return tuple.__lt__(self, other)

    _, steps = run(rank_heap(graph))
    heap: list[Counted] = []
    for step in steps:
        for key, before, after in step.edits:
            if key[0] == "ready" and before:
                assert heapq.heappop(heap) == before
            elif key[0] == "ready":
                heapq.heappush(heap, Counted(after))
    assert sum(step.comparisons for step in steps) == compared > 0


@given(st.lists(st.tuples(st.integers(-5, 0), st.integers(0, 99)), unique=True))
def test_the_heap_gives_the_least_priority_first(priorities):
    heap = Heap()
    for node, priority in enumerate(priorities):
        heap.push(priority, node)
    assert [priorities[heap.pop()] for _ in priorities] == sorted(priorities)
    assert len(heap) == 0
    assert heap.spent() >= len(priorities) - 1
    assert heap.spent() == 0
