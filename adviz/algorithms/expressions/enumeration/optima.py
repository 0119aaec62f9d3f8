"""What a small graph costs at best: :func:`optima`, by vertices, edges, faces, and any set of expressions.

The best order of vertices is found by trying all. If the relaxation of :mod:`~..oracle` shows that no set of
expressions is cheaper, all four are equal: an order of vertices is one of edges, one of edges is one of faces, and
eliminating faces makes a set of expressions. That is so for nearly all graphs, and takes 2 ms. For the others the 0/1
program is solved, and orders of edges are searched for until one takes its optimum, or one is proved to be the best;
then orders of faces.

Whether some optimal set of expressions is free of circles, see :mod:`~..dependencies`, follows: in the set that an
elimination makes, each product only waits for earlier ones, so that there is one where faces reach the optimum. Where
they do not, there is none, since its faces could be eliminated at its cost (Zhou's proposition 1). That is computed all
the same where vertices do not reach the optimum: the set that the program found is looked at, and if it closes a
circle, all others.

Inputs that lead to the same intermediates are one vertex of several entries for the program, and so are outputs that
come from the same: each may as well do what the cheapest of them does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ....graph.linearized.cgraph import CGraph
from ...search.optimum import Optimum, optimal_order
from ..dependencies import dependencies
from ..oracle import cheaper_expressions, cheapest_sets
from .small_graphs import SmallGraph

FIRST, MOST = 100, 50_000
"""The effort of a search, which is continued with twice as much until there is a proof: most need the first."""


class Optima(NamedTuple):
    """The fewest multiplications by ``vertex``, ``edge``, ``face``, and of any set of expressions: the ``least``.

    Where vertices take more than the least, ``mixed`` says whether the cheapest set that was found first multiplies
    something both directly and indirectly, and ``circular`` whether it closes a circle. ``has_acyclic`` says whether
    any of all cheapest sets closes none.
    """

    vertex: int
    edge: int
    face: int
    least: int
    mixed: bool = False
    circular: bool = False
    has_acyclic: bool = True

    @property
    def is_exceptional(self) -> bool:
        """Whether the best order of vertices takes more than the least."""
        return self.vertex > self.least


def optima(small: SmallGraph) -> Optima:
    """Return what a small graph costs at best, all proved.

    >>> optima(SmallGraph.parsed("01 | 0 0 | 1 1 1 01"))
    Optima(vertex=12, edge=11, face=11, least=11, mixed=True, circular=False, has_acyclic=True)
    """
    vertex = vertex_optimum(small)
    graph, merged = small.graph(), small.without_twins()
    least, found = cheaper_expressions(merged, vertex)
    if found is None:
        return Optima(vertex, vertex, vertex, vertex)
    waits = dependencies(found)
    edge = face = _best(graph, "edge", least)
    if edge.cost > least:
        face = _best(graph, "face", least)
    has_acyclic = not waits.cycle or any(not dependencies(each).cycle for each in cheapest_sets(merged))
    return Optima(vertex, edge.cost, face.cost, least, bool(waits.mixed), bool(waits.cycle), has_acyclic)


def _best(graph: CGraph, technique: str, least: int) -> Optimum:
    """Return an order that takes the least, or else one that is proved to be the best."""
    limit = FIRST
    found = optimal_order(graph, technique, units=False, effort=limit)
    while found.cost > least and not found.proved:
        limit = min(2 * limit, MOST)
        found = found.resume(effort=limit)
    return found


def vertex_optimum(small: SmallGraph) -> int:
    """Return the fewest multiplications of any order of vertices, by what was eliminated before each.

    >>> vertex_optimum(SmallGraph.parsed("01 | 0 0 | 1 1 1 01"))
    12
    """
    count = small.intermediates
    before, behind = [0] * count, [0] * count
    for i, j in small.inner:
        before[j] |= 1 << i
        behind[i] |= 1 << j
    for masks, near in ((small.inputs, before), (small.outputs, behind)):
        for end, mask in enumerate(masks, count):
            for i in range(count):
                near[i] |= (mask >> i & 1) << end
    best: list[float] = [0, *[math.inf] * ((1 << count) - 1)]
    for gone in range(1 << count):
        for v in range(count):
            if not gone >> v & 1:
                cost = best[gone] + _neighbors(before, v, gone) * _neighbors(behind, v, gone)
                best[gone | 1 << v] = min(best[gone | 1 << v], cost)
    return int(best[-1])


def _neighbors(near: list[int], vertex: int, gone: int) -> int:
    """Return how many neighbors a vertex has on one side when others are gone."""
    found, seen = near[vertex], 0
    while waiting := found & gone & ~seen:
        each = waiting.bit_length() - 1
        seen |= 1 << each
        found |= near[each]
    return (found & ~gone).bit_count()
