"""The reverse sweep that counts uses, and goes on with whatever became complete last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ....graph.graph import Graph
from ....graph.timeline import Edit, State, Step
from ..primitives import Algorithm, Backward, Edge, add, edges, put, stored_factors
from ..seeds import checked_seeds


def use_counts(graph: Graph, seeds: Mapping[int, Any] | None = None, *, in_place: bool = False) -> Algorithm:
    """The reverse sweep with a list of ready functions: Kahn's algorithm and the backward pass in one loop.

    A first sweep counts the uses of every function; a product that arrives takes one away, and the function whose last
    use that was goes to the end of the list, from which the next is taken. What rules saved is kept; a cotangent goes
    when the last reference to it does. The leaf of an input adds what it gets to a gradient of its own.

    ``in_place=True`` IS WRONG, and is there to be seen: it adds as the original did, to the very array that arrived
    first. An addition hands the same array to both operands, so that the sum of one also becomes the cotangent of the
    other. The original gives 12 for the derivative of ``x**2 + x * 2 + x * y + y`` by ``x`` at (1, 4), where 8 is
    right; later versions copy before they add, and so does the default.

    ``seeds`` are cotangents, or matrices of them, by output; ``None`` stands for 1. The result is at
    ``("cotangent", i)`` for every input ``i`` that something flows back to. Raises :class:`~.seeds.SeedError`.

    Source: PyTorch 0.1.1, ``torch/autograd/engine.py``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: x**2 + x * 2 + x * y + y, 1.0, 4.0)
    >>> right, wrong = ({}, {})
    >>> for state, in_place in ((right, False), (wrong, True)):
    ...     for step in use_counts(graph, in_place=in_place)(state):
    ...         pass
    >>> right["cotangent", 0], wrong["cotangent", 0]
    (8.0, 12.0)
    """
    start = checked_seeds(graph, seeds)

    def count(sweep: Backward) -> Iterator[Step]:
        waiting, seen = list(start.cotangents), set(start.cotangents)
        while waiting:
            for operand in graph.operand_nodes(waiting.pop()):
                yield sweep.count(operand)
                if operand not in seen:
                    seen.add(operand)
                    waiting.append(operand)

    def steps(state: State) -> Iterator[Step]:
        sweep = (InPlace if in_place else Backward)(graph, state, start)
        ready = sweep.ready
        yield sweep.seed(stored_factors(graph), *map(sweep.wait, start.cotangents))
        yield from count(sweep)
        while ready:
            node = ready.pop()
            yield sweep.visit(node)
            outgoing = edges(graph, node)
            for edge in outgoing:
                yield sweep.product(edge)
            for edge in outgoing:
                yield sweep.accumulate(edge, *sweep.arrive(edge.operand))
            yield from leaf(sweep, node) if node in sweep.inputs else sweep.free(node)

    return steps


def leaf(sweep: Backward, node: int) -> Iterator[Step]:
    """The leaf of an input adds its cotangent to a gradient that began as zeros."""
    cotangent = sweep.state["cotangent", node]
    gradient = put(sweep.state, ("cotangent", node), add(cotangent, 0.0))
    yield Step("accumulate", (gradient,), focus=(node,), additions=int(np.size(cotangent)))


class InPlace(Backward):
    """Moves that add to the array that is there, whoever else holds it."""

    def accumulate(self, edge: Edge, *edits: Edit, comparisons: int = 0) -> Step:
        """A product is added to the one that arrived first, and to all that is the same array."""
        present = self.state.get(("cotangent", edge.operand))
        step = super().accumulate(edge, *edits, comparisons=comparisons)
        same = [key for key, value in self.state.items() if value is present]
        total = self.state["cotangent", edge.operand]
        return replace(step, edits=(*step.edits, *(put(self.state, key, total) for key in same)))
