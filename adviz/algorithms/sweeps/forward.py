"""The forward sweep: tangents, or whole Jacobian blocks, flow along with the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ...graph.timeline import State, Step
from .primitives import Algorithm, Edge, accumulate, cost, edges, plain, product, put
from .seeds import checked_direction


def forward_flow(graph: Graph, direction: Mapping[int, Any] | None = None) -> Algorithm:
    """The forward sweep, node by node: every value with its tangent in one ``direction``, or with its Jacobian block.

    ``direction`` gives tangents of the shapes of the inputs, by input; inputs that it does not name are at rest.
    Without it every node carries the matrix of its derivatives by all entries of all inputs, ``(size, n)``; an input's
    block is its part of the identity. Below a node the blocks of its operands stand one on the other, its local
    Jacobians side by side, and its own block is their product: ``[J1 … Jk] @ [G1; …; Gk]``, one partial product
    ``Jk @ Gk`` after the other. No graph is stored: a value and its tangent go when they were used for the last time.

    The result is at ``("tangent", i)`` for every output ``i``. Raises :class:`~.seeds.SeedError` where a tangent does
    not fit.

    Source: dragongrad 1.2 (cs207-FinalProject, commit d5ee88d2), ``Block.gradient_forward``.

    >>> import adviz
    >>> graph, end = adviz.trace(lambda x, y: x * y, 3.0, 4.0), {}
    >>> for step in forward_flow(graph)(end):
    ...     pass
    >>> end["tangent", graph.outputs[0]]
    array([[4., 3.]])
    """
    tangents = _blocks(graph) if direction is None else checked_direction(graph, direction)
    columns = sum(int(np.size(graph.values[node])) for node in graph.inputs) if direction is None else None
    kept = {*graph.inputs, *graph.outputs}

    def flow(state: State, edge: Edge) -> Iterator[Step]:
        tangent = state["tangent", edge.operand]
        with np.errstate(all="ignore"):
            pushed = plain(edge.jacobian.jvp(tangent) if columns is None else edge.jacobian @ tangent)
        yield product(state, edge, pushed, cost(edge.jacobian.normal(), 1 if columns is None else columns))
        yield accumulate(state, edge, ("tangent", edge.node), (edge.node, edge.operand))

    def at_rest(node: int) -> Any:
        shape, size = np.shape(graph.values[node]), int(np.size(graph.values[node]))
        return np.zeros(shape if columns is None else (size, columns))

    def free(state: State, node: int) -> Iterator[Step]:
        if node not in kept:
            yield Step("free", (put(state, node, None), put(state, ("tangent", node), None)), focus=(node,))

    def steps(state: State) -> Iterator[Step]:
        values = [put(state, node, graph.values[node]) for node in graph.inputs]
        begun = [put(state, ("tangent", node), tangents[node]) for node in graph.inputs]
        yield Step("seed", (*values, *begun), focus=tuple(graph.inputs))
        uses_left = [len(graph.users(node)) for node in range(len(graph))]
        for node in range(len(graph)):
            if node in tangents:
                continue
            yield Step("visit", (put(state, node, graph.values[node]),), focus=(node,))
            incoming = edges(graph, node)
            for edge in incoming:
                yield from flow(state, edge)
            if not incoming:
                yield Step("accumulate", (put(state, ("tangent", node), at_rest(node)),), focus=(node,))
            for edge in incoming:
                uses_left[edge.operand] -= 1
                if not uses_left[edge.operand]:
                    yield from free(state, edge.operand)
            if not uses_left[node]:
                yield from free(state, node)

    return steps


def _blocks(graph: Graph) -> dict[int, Any]:
    """For each input its rows of the identity of all entries of all inputs."""
    sizes = [int(np.size(graph.values[node])) for node in graph.inputs]
    parts = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1]) if sizes else []
    return dict(zip(graph.inputs, parts, strict=True))
