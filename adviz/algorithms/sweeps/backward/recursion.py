"""The recursive reverse sweep, as a small teaching package has it: a node is followed as soon as it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from ....graph.graph import Graph
from ....graph.timeline import State, Step
from ..primitives import Algorithm, Backward, edges, stored_matrices
from ..seeds import checked_seeds


def recursion(graph: Graph, seeds: Mapping[int, Any] | None = None) -> Algorithm:
    """The reverse sweep that counts first, then recurses depth first.

    A first sweep from the outputs counts for each node the edges on which it is used (each node is entered once; the
    original entered it once per path, and could then neither end in time nor be complete). Then each node hands on its
    cotangent operand by operand, and goes into an operand at once when that was its last use. Local Jacobians were
    stored as dense matrices in the forward pass, for dead nodes as well; nothing is freed.

    The stack is a list, not Python's, so that a chain of any length works. ``seeds`` are cotangents, or matrices of
    them, by output; ``None`` stands for 1. The result is at ``("cotangent", i)`` for every input ``i`` that something
    flows back to. Raises :class:`~.seeds.SeedError`.

    Source: dragongrad 1.2 (cs207-FinalProject, commit d5ee88d2), ``define_path`` and ``Node.backward``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.kind for step in recursion(graph)({})][-5:]
    ['product', 'accumulate', 'product', 'accumulate', 'visit']
    """
    start = checked_seeds(graph, seeds)

    def define_path(sweep: Backward, node: int) -> Iterator[Step | int]:
        for operand in graph.operand_nodes(node):
            yield sweep.count(operand)
            if sweep.state["times_used", operand] == 1:
                yield operand

    def backward(sweep: Backward, node: int) -> Iterator[Step | int]:
        yield sweep.visit(node)
        for edge in edges(graph, node):
            yield sweep.dense_product(edge)
            yield sweep.accumulate(edge, sweep.use(edge.operand, 1, "times_visited"))
            if sweep.state["times_visited", edge.operand] == sweep.state["times_used", edge.operand]:
                yield edge.operand

    def steps(state: State) -> Iterator[Step]:
        sweep = Backward(graph, state, start)
        yield sweep.seed(stored_matrices(graph))
        for function in define_path, backward:
            for output in start.cotangents:
                yield from call(partial(function, sweep), output)

    return steps


def call(function: Callable[[int], Iterator[Step | int]], node: int) -> Iterator[Step]:
    """The Steps of a recursive function of a node, which yields the nodes that it calls itself with.

    >>> def countdown(node):
    ...     yield Step(f"at {node}", ())
    ...     if node:
    ...         yield node - 1
    >>> len(list(call(countdown, 100_000)))
    100001
    """
    stack = [function(node)]
    while stack:
        for move in stack[-1]:
            if isinstance(move, int):
                stack.append(function(move))
                break
            yield move
        else:
            stack.pop()
