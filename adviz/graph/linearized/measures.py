"""What can be read off a linearized computational graph: paths, domains, degrees, levels.

With this module you can

* compute the Jacobian by its definition, slowly: :func:`bauer`;
* ask which inputs and outputs a vertex lies between: :func:`index_domains`, :func:`index_ranges`;
* count paths: :func:`paths_into`, :func:`paths_out_of`, :func:`overlapping_degrees`, :func:`bauer_multiplications`;
* put vertices on levels, and let every edge lead to the next one: :func:`levels`, :func:`segmentation`.

Sources: F. L. Bauer, Computational graphs and rounding error, SIAM J. Numer. Anal. 11 (1974); Y. Zhou, Notes on
Computational Graph and Jacobian Accumulation (2020), sections 2 and 3, whose terminals are inputs and roots outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from .cgraph import DIRECTIONS, CGraph, CGraphError, Vertex
from .labels import Label, plus, product

Edge = tuple[Vertex, Vertex]


# ---- paths ----


def bauer(graph: CGraph, limit: int = 100_000) -> dict[Edge, Label]:
    """The derivative of each output by each input it depends on: the sum over all paths of the product of labels.

    Raises :class:`~adviz.CGraphError` if there are more than ``limit`` paths.

    >>> bauer(CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3)], partials=[2.0, 3.0, 5.0, 7.0]))
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
    """The weight of a vertex where every vertex counts once; ``graph.size`` lets each entry of a value count."""
    return 1


def paths_into(graph: CGraph, weight: Callable[[Vertex], int] = one) -> dict[Vertex, int]:
    """For each vertex the number of paths that lead to it from inputs.

    >>> paths_into(CGraph.from_edges([(0, 2), (1, 2), (2, 3)]))
    {0: 1, 1: 1, 2: 2, 3: 2}
    """
    return _counted(graph.vertices, graph.predecessors, set(graph.inputs), weight)


def paths_out_of(graph: CGraph, weight: Callable[[Vertex], int] = one) -> dict[Vertex, int]:
    """For each vertex the number of paths that lead from it to outputs.

    >>> paths_out_of(CGraph.from_edges([(0, 1), (1, 2), (1, 3)]))[0]
    2
    """
    return _counted(reversed(graph.vertices), graph.successors, set(graph.outputs), weight)


def _counted(
    order: Iterable[Vertex],
    neighbors: Callable[[Vertex], list[Vertex]],
    ends: set[Vertex],
    weight: Callable[[Vertex], int],
) -> dict[Vertex, int]:
    counts: dict[Vertex, int] = {}
    for vertex in order:
        paths = sum(counts[neighbor] for neighbor in neighbors(vertex))
        counts[vertex] = weight(vertex) * (1 if vertex in ends else paths)
    return counts


def count_paths(graph: CGraph, weight: Callable[[Vertex], int] = one) -> int:
    """The number of paths from inputs to outputs.

    >>> graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3)], sizes={0: 5})
    >>> count_paths(graph), count_paths(graph, graph.size)
    (2, 6)
    """
    into = paths_into(graph, weight)
    return sum(into[y] for y in graph.outputs)


def overlapping_degrees(graph: CGraph, weight: Callable[[Vertex], int] = one) -> dict[Edge, int]:
    """For each edge the number of paths from inputs to outputs that contain it.

    >>> overlapping_degrees(CGraph.from_edges([(0, 2), (1, 2), (2, 3)]))
    {(0, 2): 1, (1, 2): 1, (2, 3): 2}
    """
    into, out_of = paths_into(graph, weight), paths_out_of(graph, weight)
    return {(i, j): into[i] * out_of[j] for i, j in graph.edges}


def bauer_multiplications(graph: CGraph) -> int:
    """What :func:`bauer` takes without sharing: one multiplication less than edges on every path between entries.

    >>> bauer_multiplications(CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6)]))
    20
    """
    into = paths_into(graph, graph.size)
    lengths: dict[Vertex, int] = {}
    for j in graph.vertices:
        lengths[j] = graph.size(j) * sum(lengths[i] + into[i] for i in graph.predecessors(j))
    return sum(lengths[y] - into[y] for y in graph.outputs)


# ---- domains and degrees ----


def index_domains(graph: CGraph) -> dict[Vertex, frozenset[Vertex]]:
    """For each vertex the inputs that reach it; their number is its t-degree.

    >>> index_domains(CGraph.from_edges([(0, 2), (1, 2), (1, 3)]))[3]
    frozenset({1})
    """
    return _reached(graph.vertices, graph.predecessors, graph.inputs)


def index_ranges(graph: CGraph) -> dict[Vertex, frozenset[Vertex]]:
    """For each vertex the outputs that it reaches; their number is its r-degree.

    >>> index_ranges(CGraph.from_edges([(0, 2), (1, 2), (1, 3)]))[0]
    frozenset({2})
    """
    return _reached(reversed(graph.vertices), graph.successors, graph.outputs)


def _reached(
    order: Iterable[Vertex], neighbors: Callable[[Vertex], list[Vertex]], ends: Iterable[Vertex]
) -> dict[Vertex, frozenset[Vertex]]:
    found = {end: frozenset([end]) for end in ends}
    for vertex in order:
        found[vertex] = found.get(vertex, frozenset()).union(*(found[neighbor] for neighbor in neighbors(vertex)))
    return found


def table(graph: CGraph) -> dict[str, list[Any]]:
    """Columns over the vertices, ready for ``pandas.DataFrame``.

    >>> table(CGraph.from_edges([(0, 2), (1, 2), (2, 3)]))["Markowitz degree"]
    [0, 0, 2, 0]
    """
    vertices, domains, ranges = graph.vertices, index_domains(graph), index_ranges(graph)
    incoming, outgoing = ([len(near(v)) for v in vertices] for near in (graph.predecessors, graph.successors))
    level = levels(graph)
    return {
        "vertex": vertices,
        "name": list(map(graph.name, vertices)),
        "size": list(map(graph.size, vertices)),
        "level": [level[v] for v in vertices],
        "in-degree": incoming,
        "out-degree": outgoing,
        "Markowitz degree": [i * k for i, k in zip(incoming, outgoing, strict=True)],
        "t-degree": [len(domains[v]) for v in vertices],
        "r-degree": [len(ranges[v]) for v in vertices],
    }


# ---- levels ----


def levels(graph: CGraph, direction: str = "data flow") -> dict[Vertex, int]:
    """For each vertex the number of edges on the longest path that leads to it from an input; outputs are on the last.

    With ``direction="dependence"`` levels are counted from the outputs, and inputs are on the last, as Zhou has them.

    >>> levels(CGraph.from_edges([(0, 2), (1, 2), (2, 3), (1, 4)]))
    {0: 0, 1: 0, 2: 1, 3: 2, 4: 2}
    """
    flow = direction_is_flow(direction)
    order = graph.vertices if flow else graph.vertices[::-1]
    found: dict[Vertex, int] = {}
    for vertex in order:
        before = graph.predecessors(vertex) if flow else graph.successors(vertex)
        found[vertex] = max((found[neighbor] + 1 for neighbor in before), default=0)
    return found | dict.fromkeys(graph.outputs if flow else graph.inputs, max(found.values(), default=0))


def direction_is_flow(direction: str) -> bool:
    """Whether arrows point to what is computed. Raises ``ValueError`` for words that are no direction."""
    if direction not in DIRECTIONS:
        raise ValueError(f"direction is {direction!r}; it can be {' or '.join(map(repr, DIRECTIONS))}")
    return direction == DIRECTIONS[0]


def cross_level_edges(graph: CGraph, direction: str = "data flow") -> list[Edge]:
    """The edges that lead across a level.

    >>> cross_level_edges(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]))
    [(0, 2)]
    """
    level = levels(graph, direction)
    return [(i, j) for i, j in graph.edges if abs(level[j] - level[i]) > 1]


def segmentation(graph: CGraph, copies: str = "tail", direction: str = "data flow") -> CGraph:
    """The same Jacobian with every edge between adjacent levels: crossed levels get copies, and unit partials.

    Copies ``("copy", i, j, level)`` are of the tail, then the last edge has the partial, or of the head: the first.

    >>> segmented = segmentation(CGraph.from_edges([(0, 1), (1, 2), (0, 2)], partials=[2.0, 3.0, 5.0]))
    >>> {edge: segmented.partial(*edge) for edge in segmented.edges if ("copy", 0, 2, 1) in edge}
    {(0, ('copy', 0, 2, 1)): 1, (('copy', 0, 2, 1), 2): 5.0}
    """
    if copies not in ("tail", "head"):
        raise ValueError(f"copies is {copies!r}; they can be of the 'tail' or of the 'head'")
    level = levels(graph, direction)
    place = dict(level)
    partials: dict[Edge, Label] = {}
    sizes, names = dict(graph.sizes), dict(graph.names)
    for i, j in graph.edges:
        step = 1 if level[j] > level[i] else -1
        between = [("copy", i, j, number) for number in range(level[i] + step, level[j], step)]
        chain = [i, *between, j]
        edges = list(pairwise(chain))
        partials |= dict.fromkeys(edges, 1)
        partials[edges[-1 if copies == "tail" else 0]] = graph.partial(i, j)
        copied = i if copies == "tail" else j
        place |= {copy: copy[3] for copy in between}
        sizes |= dict.fromkeys(between, graph.size(copied))
        names |= dict.fromkeys(between, f"{graph.name(copied)} (copy)")
    flow = direction_is_flow(direction)
    order = sorted(place, key=place.__getitem__, reverse=not flow)
    return CGraph(order, graph.inputs, graph.outputs, partials, sizes, names, graph.title)


# ---- in words ----


def summary(graph: CGraph) -> str:
    """What a graph is like, as text: see :meth:`CGraph.summary`."""
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
    """A number that may be very large, as text.

    >>> amount(12345), amount(2**100)
    ('12,345', 'about 10^30')
    """
    return f"{number:,}" if number < 10**15 else f"about 10^{math.log10(number):.0f}"
