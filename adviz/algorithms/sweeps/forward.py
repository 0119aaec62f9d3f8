"""The forward sweep: tangents, or whole Jacobian blocks, flow along with the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...graph.graph import Graph
from ...graph.timeline import State, Step
from .backward import tape_entries
from .primitives import Edge, accumulate, cost, edges, plain, product, put
from .seeds import Value, checked_direction

# ---- evaluation ----


def evaluation(graph: Graph, *, state: State | None = None) -> Iterator[Step]:
    """Evaluate a graph at once, in order of creation.

    Every Step gives one node its value, under the node's index, and looks at the node and its operands.

    >>> import adviz
    >>> graph = adviz.trace(lambda x: x * x, 3.0)
    >>> adviz.Timeline.record(graph, evaluation(graph)).at(2)
    {0: 3.0, 1: 9.0}
    """
    return _evaluated(graph, range(len(graph)), state)


def lazy_evaluation(
    graph: Graph, outputs: Sequence[int], *, on_demand: bool = False, state: State | None = None
) -> Iterator[Step]:
    """Evaluate some outputs when they are asked for, except what ``state`` has already.

    A lazy tape evaluates everything up to the last value wanted, in order of creation, whether that value depends on
    it or not. With ``on_demand`` only what the outputs depend on is evaluated, as a graph of nodes allows.

    Source: DyNet, commit 740a9626, ``dynet/exec.cc`` (``incremental_forward``).

    >>> import adviz
    >>> graph = adviz.trace(lambda x: (x + 1.0, x + 2.0), 3.0)
    >>> [[step.focus[0] for step in lazy_evaluation(graph, graph.outputs[1:], on_demand=way)] for way in (False, True)]
    [[0, 1, 2, 4], [0, 2, 4]]
    """
    entries = tape_entries(graph, outputs)
    if on_demand:
        needed = set(outputs).union(*map(graph.ancestors, outputs))
        entries = [node for node in entries if node in needed]
    return _evaluated(graph, entries, state)


def _evaluated(graph: Graph, nodes: Iterable[int], state: State | None) -> Iterator[Step]:
    state = {} if state is None else state
    for node in nodes:
        if node not in state:
            yield Step("evaluate", (put(state, node, graph.values[node]),), (node, *graph.operand_nodes(node)))


# ---- forward sweeps ----


def forward_flow(
    graph: Graph, direction: Mapping[int, ArrayLike] | None = None, *, state: State | None = None
) -> Iterator[Step]:
    """Sweep forward, node by node: every value with its tangent in one ``direction``, or with its Jacobian block.

    ``direction`` gives tangents of the shapes of the inputs, by input; inputs that it does not name have tangent zero.
    Without it every node carries the matrix of its derivatives with respect to all ``n`` entries of all inputs, of
    shape ``(size, n)``; an input's block is its part of the identity. Below a node the blocks of its operands are
    stacked, its local Jacobians stand side by side, and its own block is their product: ``[J1 … Jk] @ [G1; …; Gk]``,
    one partial product ``Jk @ Gk`` after the other. No graph is stored: a value and its tangent are freed after their
    last use.

    The result is at ``("tangent", i)`` for every output ``i``. Raises :class:`~.seeds.SeedError` where a tangent does
    not fit.

    Source: dragongrad 1.2 (cs207-FinalProject, commit d5ee88d2), ``Block.gradient_forward``.

    >>> import adviz
    >>> graph = adviz.trace(lambda x, y: x * y, 3.0, 4.0)
    >>> adviz.replay({}, forward_flow(graph))["tangent", graph.outputs[0]]
    array([[4., 3.]])
    """
    return _forward_flow(Forward(graph, direction, {} if state is None else state))


def _forward_flow(sweep: Forward) -> Iterator[Step]:
    graph = sweep.graph
    uses_left = [len(graph.users(node)) for node in range(len(graph))]
    yield sweep.seed()
    for node in range(len(graph)):
        if node in sweep.tangents:
            continue
        yield sweep.visit(node)
        incoming = edges(graph, node)
        for edge in incoming:
            yield sweep.product(edge)
            yield accumulate(sweep.state, edge, ("tangent", node), (node, edge.operand))
        if not incoming:
            yield sweep.at_rest(node)
        for edge in incoming:
            uses_left[edge.operand] -= 1
            if not uses_left[edge.operand]:
                yield from sweep.free(edge.operand)
        if not uses_left[node]:
            yield from sweep.free(node)


class Forward:
    """The moves of a forward sweep; each changes the state and returns the Step.

    ``tangents`` are those of the inputs, and ``columns`` those of Jacobian blocks, ``None`` for a single direction.
    """

    def __init__(self, graph: Graph, direction: Mapping[int, ArrayLike] | None, state: State):
        self.graph, self.state = graph, state
        self.tangents = _blocks(graph) if direction is None else checked_direction(graph, direction)
        sizes = [int(np.size(graph.values[node])) for node in graph.inputs]
        self.columns = sum(sizes) if direction is None else None
        self.kept = {*graph.inputs, *graph.outputs}

    def seed(self) -> Step:
        """Begin with the inputs and their tangents."""
        values = [put(self.state, node, self.graph.values[node]) for node in self.graph.inputs]
        begun = [put(self.state, ("tangent", node), self.tangents[node]) for node in self.graph.inputs]
        return Step("seed", (*values, *begun), focus=tuple(self.graph.inputs))

    def visit(self, node: int) -> Step:
        """Compute the value of a node."""
        return Step("visit", (put(self.state, node, self.graph.values[node]),), focus=(node,))

    def product(self, edge: Edge) -> Step:
        """Multiply the local Jacobian on an edge by the tangent of the operand."""
        tangent = self.state["tangent", edge.operand]
        with np.errstate(all="ignore"):
            pushed = plain(edge.jacobian.jvp(tangent) if self.columns is None else edge.jacobian @ tangent)
        vectors = 1 if self.columns is None else self.columns
        return product(self.state, edge, pushed, cost(edge.jacobian.normal(), vectors))

    def at_rest(self, node: int) -> Step:
        """Give a node without operands a tangent of zeros."""
        value = self.graph.values[node]
        zeros = np.zeros(np.shape(value) if self.columns is None else (int(np.size(value)), self.columns))
        return Step("accumulate", (put(self.state, ("tangent", node), zeros),), focus=(node,))

    def free(self, node: int) -> Iterator[Step]:
        """Free a value and its tangent, unless the node is an input or an output."""
        if node not in self.kept:
            yield Step("free", (put(self.state, node, None), put(self.state, ("tangent", node), None)), focus=(node,))


def _blocks(graph: Graph) -> dict[int, Value]:
    """Return for each input its rows of the identity of all entries of all inputs."""
    sizes = [int(np.size(graph.values[node])) for node in graph.inputs]
    parts = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1]) if sizes else []
    return dict(zip(graph.inputs, parts, strict=True))
