"""The recursive reverse sweep, as a small teaching package has it: a node is followed as soon as it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....graph.graph import Graph
from ....graph.timeline import State, Step
from ..primitives import Backward, edges, stored_matrices
from ..seeds import GivenSeeds


def recursion(graph: Graph, seeds: GivenSeeds = None, *, state: State | None = None) -> Iterator[Step]:
    """Return the reverse sweep that counts first, then recurses depth first.

    A first sweep from the outputs counts for each node the edges on which it is used (each node is entered once; the
    original entered it once per path, and could then neither end in time nor be complete). Then each node passes its
    adjoint on, operand by operand, and recurses into an operand at once when that was its last use. Local Jacobians
    were stored as dense matrices in the forward pass, for dead nodes as well; nothing is freed.

    The stack is a list, not Python's, so that a chain of any length works. ``seeds`` and the result are those of
    :func:`~.tape_order.tape`; inputs that nothing flows back to have no adjoint.

    Source: dragongrad 1.2 (cs207-FinalProject, commit d5ee88d2), ``define_path`` and ``Node.backward``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> [step.kind for step in recursion(graph)][-5:]
    ['product', 'accumulate', 'product', 'accumulate', 'visit']
    """
    return _recursion(Backward(graph, seeds, state))


def _recursion(sweep: Backward) -> Iterator[Step]:
    returned, entered = sweep.returned(), set[int]()

    def define_path(node: int) -> Iterator[Step | int]:
        entered.add(node)
        for operand in sweep.graph.operand_nodes(node):
            yield sweep.count(operand)
            if operand not in entered:
                yield operand

    def backward(node: int) -> Iterator[Step | int]:
        yield sweep.visit(node)
        for edge in edges(sweep.graph, node):
            yield sweep.dense_product(edge)
            yield sweep.accumulate(edge, sweep.use(edge.operand, 1, "times_visited"))
            if sweep.state["times_visited", edge.operand] == sweep.state["times_used", edge.operand]:
                yield edge.operand

    yield sweep.seed(stored_matrices(sweep.graph))
    for node in returned:
        if node not in entered:
            yield from call(define_path, node)
    for output in sweep.seeds.adjoints:
        yield sweep.visit(output)
        for edge in edges(sweep.graph, output):
            yield sweep.dense_product(edge)
            yield sweep.accumulate(edge)
    for node in returned:
        if ("times_used", node) not in sweep.state:
            yield from call(backward, node)


def call(function: Callable[[int], Iterator[Step | int]], node: int) -> Iterator[Step]:
    """Yield the Steps of a recursive function of a node, which yields the nodes that it calls itself with.

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
