"""What can be read off a linearized computational graph: paths, domains, degrees, levels.

With this module you can

* compute the Jacobian by its definition, slowly: :func:`bauer`;
* ask which inputs and outputs a vertex lies between: :func:`index_domains`, :func:`index_ranges`;
* count paths: :func:`paths_into`, :func:`count_paths`, :func:`bauer_multiplications`;
* put vertices on levels: :func:`levels`, :func:`cross_level_edges`.

Sources: F. L. Bauer, Computational graphs and rounding error, SIAM J. Numer. Anal. 11 (1974); Y. Zhou, Notes on
Computational Graph and Jacobian Accumulation (2020), sections 2 and 3, whose terminals are inputs and roots outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol

from .checked_parts import CGraphError, Edge, Vertex
from .labels import Label, plus, product

DIRECTIONS: tuple[Literal["data flow", "dependence"], ...] = ("data flow", "dependence")
"""Where arrows point: to what is computed (Naumann), or to what it is computed from (Zhou)."""


class Linearization(Protocol):
    """What measures and documents read of a :class:`~adviz.CGraph`."""

    inputs: tuple[Vertex, ...]
    outputs: tuple[Vertex, ...]
    names: dict[Any, str]
    title: str

    @property
    def vertices(self) -> list[Vertex]: ...
    @property
    def intermediates(self) -> list[Vertex]: ...
    @property
    def edges(self) -> list[Edge]: ...
    def predecessors(self, j: Vertex) -> list[Vertex]: ...
    def successors(self, j: Vertex) -> list[Vertex]: ...
    def partial(self, i: Vertex, j: Vertex) -> Label: ...
    def size(self, vertex: Vertex) -> int: ...
    def name(self, vertex: Vertex) -> str: ...


# ---- paths ----


def bauer(graph: Linearization, limit: int = 100_000) -> dict[Edge, Label]:
    """Derive each output with respect to each input, by definition: sum the products of labels over paths.

    Raises :class:`~adviz.CGraphError` if there are more than ``limit`` paths.

    >>> import adviz
    >>> bauer(adviz.CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3)], partials=[2.0, 3.0, 5.0, 7.0]))
    {(0, 3): 31.0}
    """
    if (count := count_paths(graph)) > limit:
        raise CGraphError(f"There are {amount(count)} paths, more than {amount(limit)}: eliminate instead.")
    outputs = set(graph.outputs)
    entries: dict[Edge, Label] = {}
    for x in graph.inputs:
        waiting: list[tuple[Vertex, Label]] = [(x, 1)]
        while waiting:
            i, along = waiting.pop()
            if i in outputs:
                entries[x, i] = plus(entries[x, i], along) if (x, i) in entries else along
            waiting += [(j, product(graph.partial(i, j), along)) for j in reversed(graph.successors(i))]
    return entries


def one(vertex: Vertex) -> int:
    """Return the weight of a vertex where every vertex counts once; ``graph.size`` lets each entry of a value count."""
    return 1


def paths_into(graph: Linearization, weight: Callable[[Vertex], int] = one) -> dict[Vertex, int]:
    """Count for each vertex the paths that lead to it from inputs.

    >>> import adviz
    >>> paths_into(adviz.CGraph.from_edges([(0, 2), (1, 2), (2, 3)]))
    {0: 1, 1: 1, 2: 2, 3: 2}
    """
    inputs, counts = set(graph.inputs), dict[Vertex, int]()
    for vertex in graph.vertices:
        paths = 1 if vertex in inputs else sum(counts[predecessor] for predecessor in graph.predecessors(vertex))
        counts[vertex] = weight(vertex) * paths
    return counts


def count_paths(graph: Linearization, weight: Callable[[Vertex], int] = one) -> int:
    """Return the number of paths from inputs to outputs.

    >>> import adviz
    >>> graph = adviz.CGraph.from_edges([(0, 2), (1, 2), (2, 3)], sizes={0: 5})
    >>> count_paths(graph), count_paths(graph, graph.size)
    (2, 6)
    """
    into = paths_into(graph, weight)
    return sum(into[y] for y in graph.outputs)


def bauer_multiplications(graph: Linearization) -> int:
    """Count what :func:`bauer` takes without sharing: one less than edges on every path between entries.

    >>> import adviz
    >>> bauer_multiplications(adviz.CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6)]))
    20
    """
    into = paths_into(graph, graph.size)
    lengths: dict[Vertex, int] = {}
    for j in graph.vertices:
        lengths[j] = graph.size(j) * sum(lengths[i] + into[i] for i in graph.predecessors(j))
    return sum(lengths[y] - into[y] for y in graph.outputs)


# ---- domains and degrees ----


def index_domains(graph: Linearization) -> dict[Vertex, frozenset[Vertex]]:
    """Return for each vertex the inputs that reach it; their number is its t-degree.

    >>> import adviz
    >>> index_domains(adviz.CGraph.from_edges([(0, 2), (1, 2), (1, 3)]))[3]
    frozenset({1})
    """
    return _reached(graph.vertices, graph.predecessors, graph.inputs)


def index_ranges(graph: Linearization) -> dict[Vertex, frozenset[Vertex]]:
    """Return for each vertex the outputs that it reaches; their number is its r-degree.

    >>> import adviz
    >>> index_ranges(adviz.CGraph.from_edges([(0, 2), (1, 2), (1, 3)]))[0]
    frozenset({2})
    """
    return _reached(reversed(graph.vertices), graph.successors, graph.outputs)


def _reached(
    order: Iterable[Vertex], neighbors: Callable[[Vertex], list[Vertex]], ends: Iterable[Vertex]
) -> dict[Vertex, frozenset[Vertex]]:
    result = {end: frozenset([end]) for end in ends}
    for vertex in order:
        result[vertex] = result.get(vertex, frozenset()).union(*(result[neighbor] for neighbor in neighbors(vertex)))
    return result


def edges_between(tails: Iterable[Vertex], heads: Iterable[Vertex], edges: Sequence[Any]) -> list[Any]:
    """Return the edges on paths from some vertices to others; ``edges`` are in topological order of their heads.

    >>> edges_between([1], [4], [(0, 1), (1, 2), (1, 3), (2, 4), (4, 5)])
    [(1, 2), (2, 4)]
    """
    after, towards = set(tails), set(heads)
    for edge in edges:
        if edge[0] in after:
            after.add(edge[1])
    for edge in reversed(edges):
        if edge[1] in towards:
            towards.add(edge[0])
    return [edge for edge in edges if edge[0] in after and edge[1] in towards]


# ---- levels ----


def levels(graph: Linearization) -> dict[Vertex, int]:
    """Return for each vertex the number of edges on the longest path from an input; outputs are on the last level.

    >>> import adviz
    >>> levels(adviz.CGraph.from_edges([(0, 2), (1, 2), (2, 3), (1, 4)]))
    {0: 0, 1: 0, 2: 1, 3: 2, 4: 2}
    """
    result: dict[Vertex, int] = {}
    for vertex in graph.vertices:
        result[vertex] = max((result[predecessor] + 1 for predecessor in graph.predecessors(vertex)), default=0)
    return result | dict.fromkeys(graph.outputs, max(result.values(), default=0))


def cross_level_edges(graph: Linearization) -> list[Edge]:
    """Return the edges that skip a level.

    >>> import adviz
    >>> cross_level_edges(adviz.CGraph.from_edges([(0, 1), (1, 2), (0, 2)]))
    [(0, 2)]
    """
    level = levels(graph)
    return [(i, j) for i, j in graph.edges if level[j] - level[i] > 1]


# ---- in words ----


def summary(graph: Linearization) -> str:
    """Return what a graph is like, as text: see :meth:`CGraph.summary`."""
    level = levels(graph)
    ends = f"inputs {len(graph.inputs):,} · outputs {len(graph.outputs):,}"
    faces = sum(len(graph.predecessors(j)) * len(graph.successors(j)) for j in graph.intermediates)
    paths, products = count_paths(graph, graph.size), bauer_multiplications(graph)
    return "\n".join(
        [
            f"{graph.title or 'graph'}: {len(graph.vertices):,} vertices, {len(graph.edges):,} edges",
            f"  {ends} · intermediates {len(graph.intermediates):,} · interior faces {faces:,}",
            f"  levels {max(level.values(), default=0) + 1:,} · cross-level edges {len(cross_level_edges(graph)):,}",
            f"  paths {amount(paths)} · multiplications by Bauer's formula {amount(products)}",
        ]
    )


def amount(number: int) -> str:
    """Return a number that may be very large, as text.

    >>> amount(12345), amount(2**100)
    ('12,345', 'about 10^30')
    """
    return f"{number:,}" if number < 10**15 else f"about 10^{math.log10(number):.0f}"
