"""The reverse sweep that counts uses, and continues with the function that became ready last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....graph.graph import Graph
from ....graph.timeline import Edit, State, Step
from ..primitives import Backward, Edge, add, put, stored_factors
from ..seeds import GivenSeeds


def use_counts(
    graph: Graph, seeds: GivenSeeds = None, *, in_place: bool = False, state: State | None = None
) -> Iterator[Step]:
    """Return the reverse sweep with a stack of ready functions: Kahn's algorithm and the backward pass in one loop.

    A first sweep counts the uses of every function; a product that arrives takes one away, and the function whose last
    use that was is put on the stack, from which the next is taken. What rules saved is kept; an adjoint is freed with
    the last reference to it. The leaf of an input adds its adjoint to a gradient of its own.

    ``in_place=True`` IS WRONG, and is there to be seen: it adds as the original did, to the very array that arrived
    first. An addition passes the same array to both operands, so that the sum of one also becomes the adjoint of the
    other. The original gives 12 for the derivative of ``x**2 + x * 2 + x * y + y`` with respect to ``x`` at (1, 4),
    where 8 is right; later versions copy before they add, and so does the default.

    ``seeds`` and the result are those of :func:`~.tape_order.tape`; inputs that nothing flows back to have no adjoint.

    Source: PyTorch 0.1.1, ``torch/autograd/engine.py``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: x**2 + x * 2 + x * y + y, 1.0, 4.0)
    >>> [adviz.replay({}, use_counts(graph, in_place=wrong))["adjoint", 0] for wrong in (False, True)]
    [8.0, 12.0]
    """
    return _use_counts((InPlace if in_place else Backward)(graph, seeds, state))


def _use_counts(sweep: Backward) -> Iterator[Step]:
    outputs, ready = sweep.seeds.adjoints, sweep.ready
    yield sweep.seed(stored_factors(sweep.graph), *map(sweep.wait, outputs))
    waiting = sweep.returned()
    seen = set(waiting)
    while waiting:
        for operand in sweep.graph.operand_nodes(waiting.pop()):
            yield sweep.count(operand)
            if operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    yield from sweep.hand_over()
    while ready:
        node = ready.pop()
        yield sweep.visit(node)
        for edge in (yield from sweep.products(node)):
            yield sweep.accumulate(edge, *sweep.arrive(edge.operand))
        yield from leaf(sweep, node) if node in sweep.inputs else sweep.free(node)


def leaf(sweep: Backward, node: int) -> Iterator[Step]:
    """Add the adjoint of an input to a gradient that began as zeros."""
    adjoint = sweep.state["adjoint", node]
    gradient = put(sweep.state, ("adjoint", node), add(adjoint, 0.0))
    yield Step("accumulate", (gradient,), focus=(node,), additions=int(np.size(adjoint)))


class InPlace(Backward):
    """Moves that add to the array that is there, whatever else refers to it."""

    def accumulate(self, edge: Edge, *edits: Edit, comparisons: int = 0) -> Step:
        """Add a product to the one that arrived first, and to everything that is the same array."""
        present = self.state.get(("adjoint", edge.operand))
        step = super().accumulate(edge, *edits, comparisons=comparisons)
        same = [key for key, value in self.state.items() if value is present]
        total = self.state["adjoint", edge.operand]
        return replace(step, edits=(*step.edits, *(put(self.state, key, total) for key in same)))
