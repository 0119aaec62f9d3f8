"""Sets of paths: how many there are without listing them, what lies on many of them, and the paths themselves.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), section 3. Its roots are the outputs
here, its terminals the inputs; of the identities for overlapping degrees, whose formulas are lost, both that hold are
given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.measures import count_paths, index_domains, index_ranges, paths_into
from .local_jacobians import levels_from_outputs
from .terms import MOST_PATHS, ExpressionError, Letter, Product


def count_between(graph: CGraph, tail: Vertex, head: Vertex) -> int:
    """Return the number of paths from one vertex to another; 1 from a vertex to itself.

    >>> count_between(CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)]), 0, 3)
    3
    """
    expect_vertices(graph, tail, head)
    return _paths_to(graph, {head})[tail]


def expect_vertices(graph: CGraph, *vertices: Vertex) -> None:
    """Raise :class:`ExpressionError` for what is no vertex of a graph, and ``TypeError`` for what is no graph."""
    expect(graph, CGraph)
    for vertex in vertices:
        if vertex not in graph:
            raise ExpressionError(f"The graph has no vertex {vertex!r}. It has {_some(graph.vertices)}.")


def _some(vertices: list[Vertex]) -> str:
    shown = ", ".join(map(repr, vertices[:6]))
    return shown if len(vertices) <= 6 else f"{shown} and {len(vertices) - 6:,} more"


def _paths_to(graph: CGraph, heads: Collection[Vertex]) -> dict[Vertex, int]:
    counts: dict[Vertex, int] = {}
    for vertex in reversed(graph.vertices):
        counts[vertex] = 1 if vertex in heads else sum(counts[other] for other in graph.successors(vertex))
    return counts


def paths_between(graph: CGraph, tail: Vertex, head: Vertex) -> Iterator[Letter | Product]:
    """Yield the paths from one vertex to another as products of letters, one at a time.

    >>> [str(path) for path in paths_between(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]), 0, 2)]
    ['e21 e10', 'e20']
    """
    expect_vertices(graph, tail, head)
    counts = _paths_to(graph, {head})
    waiting: list[tuple[Vertex, tuple[Letter, ...]]] = [(tail, ())]
    while waiting:
        vertex, letters = waiting.pop()
        if vertex == head and letters:
            yield Product(letters) if len(letters) > 1 else letters[0]
        waiting += [
            (other, (Letter(other, vertex), *letters)) for other in reversed(graph.successors(vertex)) if counts[other]
        ]


def all_paths(graph: CGraph, limit: int = MOST_PATHS) -> dict[tuple[Vertex, Vertex], list[Letter | Product]]:
    """Return the paths of every entry, under ``(output, input)``.

    Raises :class:`ExpressionError`, with their number, if there are more than ``limit``.

    >>> all_paths(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]))[2, 0][1]
    <Letter: e20>
    """
    expect(graph, CGraph)
    if (count := count_paths(graph)) > limit:
        raise ExpressionError(f"There are {count:,} paths, more than {limit:,}: count them, or take those of an entry.")
    result = {(y, x): list(paths_between(graph, x, y)) for y in graph.outputs for x in graph.inputs}
    return {entry: paths for entry, paths in result.items() if paths}


def overlapping_degrees(graph: CGraph) -> dict[Edge, int]:
    """Return the number of paths from inputs to outputs on which each edge ``(tail, head)`` lies.

    The degrees of the edges into a vertex have the same sum as those of the edges out of it, and those of the edges
    that lead across a level, as :func:`edges_across` has them, are all paths together.

    >>> overlapping_degrees(CGraph.from_edges([(0, 2), (1, 2), (2, 3), (2, 4)]))
    {(0, 2): 2, (1, 2): 2, (2, 3): 2, (2, 4): 2}
    """
    expect(graph, CGraph)
    into, onward = paths_into(graph), _paths_to(graph, set(graph.outputs))
    return {(i, j): into[i] * onward[j] for i, j in graph.edges}


def edges_across(graph: CGraph, level: int) -> list[Edge]:
    """Return the edges that lead from above a level, counted from the outputs, to it or below.

    >>> edges_across(CGraph.from_edges([(0, 1), (1, 2), (0, 2)]), 1)
    [(0, 2), (1, 2)]
    """
    at = levels_from_outputs(graph)
    return [(i, j) for i, j in graph.edges if at[j] < level <= at[i]]


def r_degrees(graph: CGraph) -> dict[Vertex, int]:
    """Return how many outputs each vertex reaches: its roots.

    >>> r_degrees(CGraph.from_edges([(0, 1), (1, 2), (1, 3)]))[1]
    2
    """
    expect(graph, CGraph)
    return {vertex: len(reached) for vertex, reached in index_ranges(graph).items()}


def t_degrees(graph: CGraph) -> dict[Vertex, int]:
    """Return how many inputs reach each vertex: its terminals.

    >>> t_degrees(CGraph.from_edges([(0, 2), (1, 2), (2, 3)]))[2]
    2
    """
    expect(graph, CGraph)
    return {vertex: len(reached) for vertex, reached in index_domains(graph).items()}
