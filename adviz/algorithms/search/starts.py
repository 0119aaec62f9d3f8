"""Orders of vertices that a search begins with: along the graph, against it, and greedy ones by all keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...graph.linearized.cgraph import CGraph
from ..elimination.orders import (
    Key,
    fill_in,
    greedy_order,
    markowitz,
    minimal_damage,
    overall,
    relative_markowitz,
    reverse,
)
from .greedy import markowitz as quick_markowitz
from .problem import Structure, bits, markowitz_order

MANY, SOME = 2000, 200
"""The most intermediates for keys that are quick to find, and for those that are not."""
GREEDY: dict[tuple[Key, ...], int] = {
    (markowitz, reverse): MANY,
    (relative_markowitz,): MANY,
    (relative_markowitz, reverse): MANY,
    (fill_in, markowitz): MANY,
    (fill_in, markowitz, reverse): MANY,
    (minimal_damage,): SOME,
    (minimal_damage, reverse): SOME,
    (overall,): SOME,
    (overall, reverse): SOME,
}
"""Keys of greedy orders, with the most intermediates for which they are tried."""


def starts(structure: Structure) -> Iterator[list[int]]:
    """Orders to begin with, by the numbers of the structure.

    >>> from .problem import structure_of
    >>> next(starts(structure_of(CGraph.from_edges([(0, 1), (1, 2), (2, 3)]))))
    [1, 2]
    """
    inner = structure.intermediates
    yield inner
    yield inner[::-1]
    before, behind = ([set(bits(mask)) for mask in side] for side in (structure.before, structure.behind))
    yield quick_markowitz(before, behind, inner)[0]
    if len(inner) <= MANY:
        yield markowitz_order(structure)
    graph = _graph(structure)
    for keys, most in GREEDY.items():
        if len(inner) <= most:
            order: list[Any] = greedy_order(graph, *keys)
            yield order


def _graph(structure: Structure) -> CGraph:
    """The structure as a graph whose labels do not matter."""
    count = len(structure.sizes)
    edges: dict[Any, int] = {(i, j): 0 for i, behind in enumerate(structure.behind) for j in bits(behind)}
    ends = [k for k in range(count) if not structure.inside >> k & 1]
    outputs = [k for k in ends if structure.before[k]]
    inputs = [k for k in ends if not structure.before[k]]
    return CGraph(range(count), inputs, outputs, edges, dict(enumerate(structure.sizes)))
