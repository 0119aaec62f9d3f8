"""Greedy elimination of vertices on the structure alone, fast: the twin of :func:`~.elimination.greedy_order`.

Lists of sets of neighbours, and a queue with a bucket for each Markowitz degree. Of equal degrees the last that was
touched is next, which takes constant time and is better on programs than the first in order; that one is taken of those
that were touched together.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from .engines import has_numba


def quick_order(graph: CGraph, engine: str | None = None) -> tuple[list[Vertex], int]:
    """The order of lowest Markowitz degree, the last touched first of equal ones, and its multiplications.

    Sizes of vertices are not looked at. ``engine`` is ``"python"``, ``"numba"``, or ``None`` for the better one.

    >>> quick_order(CGraph.from_edges([(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)]))
    ([2, 3, 1], 3)
    """
    vertices = graph.vertices
    number = {vertex: k for k, vertex in enumerate(vertices)}
    before = [{number[i] for i in graph.predecessors(j)} for j in vertices]
    behind = [{number[k] for k in graph.successors(j)} for j in vertices]
    inner = [number[j] for j in graph.intermediates]
    if has_numba() and len(inner) > LARGE if engine is None else engine == "numba":
        from .greedy_compiled import compiled_markowitz

        order, cost = compiled_markowitz(before, behind, inner)
    else:
        order, cost = markowitz(before, behind, inner)
    return [vertices[j] for j in order], cost


LARGE = 20_000
"""Intermediates that plain Python eliminates about as fast as the compiled code is loaded."""


def markowitz(before: list[set[int]], behind: list[set[int]], inner: Sequence[int]) -> tuple[list[int], int]:
    """Eliminate all of ``inner`` from sets of neighbours, which are changed; the order, and its multiplications."""
    degrees = [0] * len(before)
    buckets: list[list[int]] = [[]]
    is_inner = bytearray(len(before))
    for j in reversed(inner):
        is_inner[j] = 1
        degrees[j] = degree = len(before[j]) * len(behind[j])
        while degree >= len(buckets):
            buckets.append([])
        buckets[degree].append(j)
    order, cost, lowest = [], 0, 0
    for _ in inner:
        # an entry is stale if its vertex has gone, or has another degree by now
        while True:
            while not buckets[lowest]:
                lowest += 1
            j = buckets[lowest].pop()
            if is_inner[j] and degrees[j] == lowest:
                break
        is_inner[j] = 0
        order.append(j)
        cost += lowest
        mine, theirs = before[j], behind[j]
        for i in mine:
            others = behind[i]
            others.discard(j)
            others |= theirs
        for k in theirs:
            others = before[k]
            others.discard(j)
            others |= mine
        for near in (theirs, mine):
            for i in sorted(near, reverse=True):
                if is_inner[i]:
                    degrees[i] = degree = len(before[i]) * len(behind[i])
                    if degree < lowest:
                        lowest = degree
                    while degree >= len(buckets):
                        buckets.append([])
                    buckets[degree].append(i)
    return order, cost
