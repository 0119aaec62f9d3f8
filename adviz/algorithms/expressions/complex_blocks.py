"""Blocks of every kind between two vertices of a graph, and the factor subgraphs of D* beside them.

A block lies between two vertices that paths without common intermediates connect, and has no edges to the outside but
at its ends. It is *simple* if contracting chains and parallel edges leaves one edge, otherwise *complex*. A factor
subgraph of D* is all paths between two vertices of the derivative graph of one entry; there, edges of other entries do
not count as outside. So every factor subgraph that is no block is one that several entries use in different ways.

Sources: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), definitions 3.1 and 3.3; B. Guenter,
Efficient symbolic differentiation for graphics applications, SIGGRAPH 2007.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Edge, Vertex
from ..elimination.dstar import Factor, derivative_graphs
from ..elimination.dstar import factor_subgraphs as factors_of_edges
from .decomposition import Decomposition, decomposed
from .path_sets import count_between, expect_vertices
from .terms import ExpressionError

LARGEST_CORE = 400
"""All pairs of vertices of a core are tried: the most vertices for which that takes seconds."""


@dataclass(frozen=True)
class Between:
    """All paths from one vertex to another: their edges, and whether they are a block."""

    tail: Vertex
    head: Vertex
    edges: tuple[Edge, ...]
    kind: str
    """``"simple block"``, ``"complex block"`` or ``"no block"``."""
    entries: int
    """How many entries of the Jacobian use it."""


def complex_blocks(graph: CGraph) -> list[Between]:
    """Return the blocks of a graph that are not simple, small ones first.

    Raises :class:`~.terms.ExpressionError` for a core of more than 400 vertices.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> [(each.tail, each.head, each.kind) for each in complex_blocks(CGraph.from_edges(edges))]
    [(7, 1, 'complex block')]
    """
    expect(graph, CGraph)
    core = decomposed(graph)
    if len(core.vertices) > LARGEST_CORE:
        raise ExpressionError(
            f"The core has {len(core.vertices):,} vertices, more than {LARGEST_CORE}: ask for those of a part of it."
        )
    small = _graph_of(core)
    result = [between(graph, a, b) for a in small.vertices for b in small.vertices if _is_candidate(small, a, b)]
    return sorted((each for each in result if each.kind == "complex block"), key=lambda each: len(each.edges))


def _graph_of(core: Decomposition) -> CGraph:
    return CGraph(core.vertices, core.inputs, core.outputs, dict.fromkeys(core.edges, 1))


def _is_candidate(core: CGraph, tail: Vertex, head: Vertex) -> bool:
    """Return whether two vertices of a core are the ends of a block."""
    return len(core.successors(tail)) > 1 < len(core.predecessors(head)) and _is_block(core, tail, head)


def between(graph: CGraph, tail: Vertex, head: Vertex) -> Between:
    """Return all paths from one vertex to another.

    >>> between(CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]), 0, 3).kind
    'simple block'
    """
    expect_vertices(graph, tail, head)
    edges = _edges_between(graph, tail, head)
    kind = "no block"
    if _is_block(graph, tail, head):
        kind = "simple block" if decomposed(_part(graph, edges, tail, head)).is_simple else "complex block"
    return Between(tail, head, tuple(edges), kind, _entries(graph, tail, head))


def _part(graph: CGraph, edges: list[Edge], tail: Vertex, head: Vertex) -> CGraph:
    ends = {end for edge in edges for end in edge}
    return CGraph([vertex for vertex in graph.vertices if vertex in ends], [tail], [head], dict.fromkeys(edges, 1))


def _entries(graph: CGraph, tail: Vertex, head: Vertex) -> int:
    inputs = sum(count_between(graph, x, tail) > 0 for x in graph.inputs)
    outputs = sum(count_between(graph, head, y) > 0 for y in graph.outputs)
    return inputs * outputs


def _edges_between(graph: CGraph, tail: Vertex, head: Vertex) -> list[Edge]:
    after, towards = {tail}, {head}
    edges = graph.edges
    for i, j in edges:
        if i in after:
            after.add(j)
    for i, j in reversed(edges):
        if j in towards:
            towards.add(i)
    return [(i, j) for i, j in edges if i in after and j in towards]


def _is_block(graph: CGraph, tail: Vertex, head: Vertex) -> bool:
    """Whether at least two paths have no intermediate in common, and none of theirs has an edge to the outside."""
    edges = _edges_between(graph, tail, head)
    if len(edges) < 2:
        return False
    into, out = Counter(j for _, j in edges), Counter(i for i, _ in edges)
    inside = [vertex for vertex in into if vertex != head]
    if any(
        into[vertex] != len(graph.predecessors(vertex)) or out[vertex] != len(graph.successors(vertex))
        for vertex in inside
    ):
        return False
    part = _part(graph, edges, tail, head)
    paths = count_between(part, tail, head)
    return all(count_between(part, tail, v) * count_between(part, v, head) < paths for v in inside)


def factor_subgraphs(graph: CGraph) -> list[Between]:
    """Return the factor subgraphs of D* in the derivative graphs of all entries, those of most entries first.

    ``entries`` is how many derivative graphs have the same one; ``kind`` is what it is in the whole graph.

    >>> graph = CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (2, 5)])
    >>> [(each.tail, each.head, each.kind, each.entries) for each in factor_subgraphs(graph)]
    [(0, 3, 'no block', 1)]
    """
    graphs = derivative_graphs(graph)
    counts = Counter(factor for pair in graphs.pairs for factor in factors_of_edges(graphs.edges(*pair), graphs.rank))
    return list(_beside(graph, counts))


def _beside(graph: CGraph, counts: Counter[Factor]) -> Iterator[Between]:
    for (tail, head, edges), count in sorted(counts.items(), key=lambda item: (-item[1], len(item[0][2]))):
        whole = between(graph, tail, head)
        same = set(whole.edges) == edges
        ordered = tuple(edge for edge in graph.edges if edge in edges)
        yield Between(tail, head, ordered, whole.kind if same else "no block", count)
