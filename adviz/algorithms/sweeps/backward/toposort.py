"""The reverse sweep along a topological order that is found while it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....graph.graph import Graph
from ....graph.timeline import State, Step
from ..primitives import Algorithm, Backward, edges, stored_factors
from ..seeds import checked_seeds


def toposort(graph: Graph, seeds: Mapping[int, Any] | None = None) -> Algorithm:
    """The reverse sweep that counts the uses of every node depth first, then takes the last node that became complete.

    In the forward pass a node was given a closure for its vector-Jacobian products, which holds what the rule captures
    and lives as long as something refers to the node. All products of a node are computed in one call; its own
    cotangent was popped, and goes when the next is. A first contribution is kept by reference, a second makes a fresh
    sum.

    ``seeds`` are cotangents, or matrices of them, by output; ``None`` stands for 1. The result is at
    ``("cotangent", i)`` for every input ``i`` that something flows back to (the original has one input, and returns
    what it popped last). Raises :class:`~.seeds.SeedError`.

    Source: HIPS autograd, commit 442205df, ``autograd/core.py`` (``backward_pass``) and ``autograd/util.py``
    (``toposort``).

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.focus for step in toposort(graph)({}) if step.kind == "count"]
    [(2,), (1,), (0,), (0,), (1,), (0,), (0,)]
    """
    start = checked_seeds(graph, seeds)

    def count(sweep: Backward) -> Iterator[Step]:
        stack = list(start.cotangents)
        while stack:
            node = stack.pop()
            yield sweep.count(node)
            if sweep.state["times_used", node] == 1:
                stack += graph.operand_nodes(node)

    def steps(state: State) -> Iterator[Step]:
        sweep = Backward(graph, state, start)
        childless = sweep.ready
        yield sweep.seed(stored_factors(graph), *map(sweep.wait, start.cotangents))
        yield from count(sweep)
        while childless:
            node = childless.pop()
            yield sweep.visit(node)
            outgoing = edges(graph, node)
            for edge in outgoing:
                yield sweep.product(edge)
            for edge in outgoing:
                yield sweep.accumulate(edge)
            yield from sweep.free(node)
            for edge in outgoing:
                yield Step("count", sweep.arrive(edge.operand), focus=(edge.operand,))

    return steps
