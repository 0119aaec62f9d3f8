"""The reverse sweep along a topological order that is found during the sweep."""

from __future__ import annotations

from collections.abc import Iterator

from ....graph.graph import Graph
from ....graph.timeline import State, Step
from ..primitives import Backward, stored_factors
from ..seeds import GivenSeeds


def toposort(graph: Graph, seeds: GivenSeeds = None, *, state: State | None = None) -> Iterator[Step]:
    """The reverse sweep that counts the uses of every node depth first, then takes the last node that became complete.

    In the forward pass a node was given a closure for its vector-Jacobian products, which holds what the rule captures
    and lives as long as something refers to the node. All products of a node are computed in one call; its own adjoint
    has been popped, and is freed when the next one is popped. A first contribution is kept by reference, a second makes
    a fresh sum.

    ``seeds`` and the result are those of :func:`~.tape_order.tape`; inputs that nothing flows back to have no adjoint
    (the original has one input, and returns what it popped last).

    Source: HIPS autograd, commit 442205df, ``autograd/core.py`` (``backward_pass``) and ``autograd/util.py``
    (``toposort``).

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.focus for step in toposort(graph) if step.kind == "count"]
    [(0,), (0,), (0,), (0,)]
    """
    return _toposort(Backward(graph, seeds, state))


def _toposort(sweep: Backward) -> Iterator[Step]:
    outputs, childless = sweep.seeds.adjoints, sweep.ready
    yield sweep.seed(stored_factors(sweep.graph), *map(sweep.wait, outputs))
    stack, entered = [(node, False) for node in sweep.returned()], set[int]()
    while stack:
        node, is_use = stack.pop()
        if is_use:
            yield sweep.count(node)
        if node not in entered:
            entered.add(node)
            stack += [(operand, True) for operand in sweep.graph.operand_nodes(node)]
    yield from sweep.hand_over()
    while childless:
        node = childless.pop()
        yield sweep.visit(node)
        outgoing = yield from sweep.products(node)
        for edge in outgoing:
            yield sweep.accumulate(edge)
        yield from sweep.free(node)
        for edge in outgoing:
            yield Step("count", sweep.arrive(edge.operand), focus=(edge.operand,))
