"""The numbers of vertices: those of a trace at the example, where comparisons and choices are decided.

In such a trace comparisons are no nodes, nor is what is computed from comparisons alone, and a choice is the operand
that it takes. So orders of :func:`adviz.linearize` fit; vertices that they do not have get the numbers that follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..graph.graph import Graph
from ..graph.linearized.cgraph import CGraph
from ..graph.linearized.checked_parts import Vertex
from ..graph.linearized.labels import Label
from .blocks import INPUT, OUTPUT
from .rules import conditions

CONDITIONS = frozenset(conditions.CONDITIONS.values())
LOGIC = CONDITIONS | {conditions.CHOICE}
"""Blocks that take true and false as they are; for all others these are 1 and 0."""
NO_NODE = -1
"""Stands for what is not a node at the example."""


class Numbering(NamedTuple):
    """The vertex of each node, and three sets of nodes.

    ``between`` are the nodes on paths from inputs to outputs, without the edges into comparisons; ``returned`` those
    that are merged with an output; ``inner`` those that are intermediates at the example.
    """

    vertices: Sequence[int]
    between: set[int]
    returned: set[int]
    inner: set[int]


def numbering(graph: Graph) -> Numbering | None:
    """Number the vertices of a graph with comparisons or choices; ``None`` for one without: nodes keep their numbers.

    >>> import numpy as np
    >>> from adviz.engine.trace import record
    >>> recorded = record(lambda x: np.exp(np.where(x > 0, x, -x)), (1.0,), {}, "scalar", symbolic=True)
    >>> graph = recorded.trace().graph
    >>> [node.block.name for node in graph], numbering(graph).vertices
    (['input', 'greater', 'negative', 'where', 'exp', 'output'], [0, 4, 1, 5, 2, 3])
    """
    if not LOGIC.intersection(graph.block_table):
        return None
    alias_of: list[int] = []  # the node of the example that each node is
    reached: set[int] = set()
    for node, block in enumerate(graph.blocks):
        operands = taken = _numbers(graph, node)
        if block is conditions.CHOICE:
            condition = graph.operands(node)[0]
            holds = graph.values[condition] if condition >= 0 else graph.literal(condition)
            taken = operands[:1] if holds else operands[1:]
        if block is INPUT or not reached.isdisjoint(operands):
            reached.add(node)
        known = [alias_of[each] if each >= 0 else NO_NODE for each in taken]
        is_node = block in (INPUT, OUTPUT) or max(known, default=NO_NODE) >= 0
        alias_of.append(known[0] if block is conditions.CHOICE else node if is_node else NO_NODE)
    own = [node for node, alias in enumerate(alias_of) if node == alias]
    others = (node for node, alias in enumerate(alias_of) if node != alias)
    place = {node: number for number, node in enumerate([*own, *others])}
    needed, returned = _needed(graph, range(len(graph)), range(len(graph)))
    inner, ends = _needed(graph, own, alias_of)
    return Numbering(
        [place[node] for node in range(len(graph))],
        reached & (needed | {*graph.outputs}),
        returned,
        inner - ends - {NO_NODE, *graph.inputs},
    )


class Numbered(NamedTuple):
    """A linearized graph with the numbers of the example, and its labels; ``vertices`` is the vertex of each node.

    ``further`` are the intermediates that the linearization at the example does not have, since each choice is decided.
    """

    cgraph: CGraph
    labels: dict[tuple[Vertex, Vertex], Label]
    vertices: Sequence[int]
    further: Sequence[Vertex] = ()


def numbered(graph: Graph, cgraph: CGraph, partials: Mapping[tuple[Vertex, Vertex], Label]) -> Numbered:
    """Number the vertices of a linearized graph as at the example; only what is between inputs and outputs is kept.

    ``partials`` are labels by pairs of nodes of ``graph``.
    """
    result, inputs = numbering(graph), cgraph.inputs
    if result is None:
        whole = CGraph(cgraph.vertices, inputs, cgraph.outputs, partials, names=cgraph.names, title=graph.title)
        return Numbered(whole, dict(partials), range(len(graph)))
    merged = {y: graph.first[y] for y in graph.outputs if graph.first[y] in result.returned}
    outputs = tuple(merged.get(y, y) for y in graph.outputs)
    kept, inner = (result.between | {*inputs, *outputs}) - merged.keys(), result.inner | {*inputs, *outputs}
    called: dict[Any, int] = {j: result.vertices[j] for j in sorted(kept)}
    labels: dict[tuple[Vertex, Vertex], Label] = {
        (called[i], called[j]): label for (i, j), label in partials.items() if i in kept and j in kept
    }
    names = {called[j]: name for j, name in cgraph.names.items() if j in kept}
    ends = [called[y] for y in outputs]
    whole = CGraph(called.values(), inputs, ends, labels, names=names, title=graph.title)
    return Numbered(whole, labels, result.vertices, [called[j] for j in called if j not in inner])


def _numbers(graph: Graph, node: int) -> tuple[int, ...]:
    """Return the operands with respect to which a node has a derivative."""
    block, operands = graph.blocks[node], graph.operands(node)
    return () if block in CONDITIONS else operands[1:] if block is conditions.CHOICE else operands


def _needed(graph: Graph, nodes: Sequence[int], alias_of: Sequence[int]) -> tuple[set[int], set[int]]:
    """The nodes that results need; and which of them are merged with an output, as in :func:`adviz.linearize`."""
    returned = Counter(alias_of[graph.first[y]] for y in {*graph.outputs} if graph.first[y] >= 0)
    used: set[int] = set()
    for node in reversed(nodes):
        if node in used or node in returned:
            used.update(alias_of[each] for each in _numbers(graph, node) if each >= 0)
    once = {node for node, times in returned.items() if times == 1}
    return used | returned.keys(), once - used - {*graph.inputs}
