"""The second route to a factorization: all paths apart, and vertices joined again as long as every block stays simple.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), section 4. Which vertices are joined
first is left open there: here those with the same part ahead, from the outputs on, and then those with the same part
behind, large parts before small ones; so that the result is factored from the output, and blocks that follow each other
are found. ``forward=True`` is the mirror image.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.linearized.cgraph import CGraph, expect, original
from ...graph.linearized.checked_parts import Vertex
from ...graph.timeline import Step
from .decomposition import decomposed
from .terms import ExpressionError

MOST_VERTICES = 2_000
"""Each joint is tried: the most vertices of paths for which that takes seconds."""


def path_joints(graph: CGraph, forward: bool = False) -> Iterator[Step]:
    """Join copies of the same vertex, with equal parts ahead or behind, while every block stays simple.

    ``graph`` is one whose blocks are simple, such as :func:`~.factorization.path_splits` leaves. Raises
    :class:`ExpressionError` for another one, and for more than 2,000 vertices.

    >>> from .factorization import contraction, path_splits
    >>> graph = CGraph.from_edges([(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (2, 1), (3, 1)])
    >>> for step in path_splits(graph): pass
    >>> apart = graph.copy()
    >>> for step in path_joints(graph): pass
    >>> [sum(step.multiplications for step in contraction(each)) for each in (apart, graph)]
    [12, 5]
    """
    expect(graph, CGraph)
    if len(graph.vertices) > MOST_VERTICES:
        raise ExpressionError(
            f"{len(graph.vertices):,} vertices of paths are more than {MOST_VERTICES:,}: split instead."
        )
    if not decomposed(graph).is_simple:
        raise ExpressionError("This graph has complex blocks: take its paths apart first, with path_splits.")
    return _joints(graph, forward)


def _joints(graph: CGraph, forward: bool) -> Iterator[Step]:
    for towards_outputs in (not forward, forward):
        has_changed = True
        while has_changed:
            has_changed = False
            keys, sizes = _shapes(graph, towards_outputs)
            # What lies ahead is joined from the end on; of what lies behind, large parts first: small ones alone
            # may not be joined where the large one is.
            first = towards_outputs != forward
            order = sorted(keys, key=lambda vertex: sizes[vertex] if first else -sizes[vertex])
            kept: dict[int, list[Vertex]] = {}
            for vertex in order:
                if vertex not in graph or not graph.is_intermediate(vertex):
                    continue
                for other in kept.setdefault(keys[vertex], []):
                    trial = graph.copy()
                    _join(trial, other, vertex, towards_outputs)
                    if decomposed(trial).is_simple:
                        yield _join(graph, other, vertex, towards_outputs)
                        has_changed = True
                        break
                else:
                    kept[keys[vertex]].append(vertex)


def _shapes(graph: CGraph, towards_outputs: bool) -> tuple[dict[Vertex, int], dict[Vertex, int]]:
    """Return a number for each intermediate that equal parts share, and how many vertices its part has."""
    numbers: dict[object, int] = {}
    keys: dict[Vertex, int] = {}
    sizes: dict[Vertex, int] = {}
    for vertex in reversed(graph.vertices) if towards_outputs else graph.vertices:
        nearer = graph.successors(vertex) if towards_outputs else graph.predecessors(vertex)
        shape = original(vertex), tuple(sorted(keys[other] for other in nearer))
        keys[vertex] = numbers.setdefault(shape, len(numbers))
        sizes[vertex] = 1 + sum(sizes[other] for other in nearer)
    inner = graph.intermediates
    return {vertex: keys[vertex] for vertex in inner}, {vertex: sizes[vertex] for vertex in inner}


def _join(graph: CGraph, kept: Vertex, gone: Vertex, towards_outputs: bool) -> Step:
    """Join two vertices whose parts towards one side are equal: what only one of them needs there is removed."""
    if towards_outputs:
        pairs = [((other, gone), (other, kept)) for other in graph.predecessors(gone)]
    else:
        pairs = [((gone, other), (kept, other)) for other in graph.successors(gone)]
    edits = [graph.set_partial(*new, graph.partial(*old)) for old, new in pairs]
    waiting = [gone]
    while waiting:
        vertex = waiting.pop()
        nearer = graph.successors(vertex) if towards_outputs else graph.predecessors(vertex)
        edits += graph.remove_vertex(vertex)
        side = "front" if towards_outputs else "back"
        waiting += [other for other in nearer if graph.is_intermediate(other) and graph.is_cut_off(other, side)]
    keys = [("edge", *edge) for pair in pairs for edge in pair]
    return Step("join", tuple(edits), (("vertex", kept), ("vertex", gone), *keys))
