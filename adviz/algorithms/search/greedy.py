"""Greedy orders of vertices to begin a search with, on the structure alone.

:func:`quick_markowitz` is the fast twin of :func:`~adviz.elimination.greedy_order`, which defines all greedy orders:
sets of neighbours, and a queue with a bucket for each Markowitz degree. Of equal degrees the last that was touched is
next, which takes constant time and is better on programs than the first in topological order; of those that were
touched together, the first is taken.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ..elimination.moves import eliminate_vertex
from ..elimination.orders import (
    Key,
    fill_in,
    greedy,
    markowitz,
    minimal_damage,
    overall,
    relative_markowitz,
    reverse,
)
from . import clock
from .problem import Kernel, Structure, bits, solved_chain

MANY, SOME = 2000, 200
"""The most intermediates for which keys are tried that are quick to compute, and that are not."""
AT_LEAST = 0.2
"""Seconds of preparations that a search takes whatever the limit: enough for all that is tried on small graphs."""
GREEDY: dict[tuple[Key, ...], int] = {
    (markowitz,): MANY,
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


def starts(structure: Structure, end: float = math.inf) -> Iterator[list[int]]:
    """Return orders to begin with, by the numbers of the structure: forward, reverse, and greedy ones by all keys.

    After the time ``end``, no further keys are tried.

    >>> from .problem import structure_of
    >>> next(starts(structure_of(CGraph.from_edges([(0, 1), (1, 2), (2, 3)]))))
    [1, 2]
    """
    inner = structure.intermediates
    yield inner
    yield inner[::-1]
    preds, succs = ([set(bits(mask)) for mask in side] for side in (structure.preds, structure.succs))
    yield quick_markowitz(preds, succs, inner)[0]
    for keys, most in GREEDY.items():
        if len(inner) <= most and clock.now() < end:
            yield numbered_order(structure, *keys, end=end)
    if (chained := chains_first(structure)) and clock.now() < end:
        yield numbered_order(structure, markowitz, end=end, first=chained)


def chains_first(structure: Structure) -> list[int]:
    """Return the vertices of one edge in and one out, each chain in its cheapest order while its ends stay.

    >>> from .problem import structure_of
    >>> edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    >>> chains_first(structure_of(CGraph.from_edges(edges, sizes={1: 9, 2: 5})))
    [1, 2]
    """
    preds, succs, sizes = structure.preds, structure.succs, structure.sizes
    single = {j for j in bits(structure.inside) if preds[j].bit_count() == 1 == succs[j].bit_count()}
    before, behind = ({j: mask[j].bit_length() - 1 for j in single} for mask in (preds, succs))
    order: list[int] = []
    for start in sorted(single):
        if before[start] in single:
            continue
        chain = [start]
        while behind[chain[-1]] in single:
            chain.append(behind[chain[-1]])
        if len(chain) <= SOME:
            order += solved_chain(chain, sizes, sizes[before[start]], sizes[behind[chain[-1]]])
    return order


def numbered_order(
    problem: Structure | Kernel, *keys: Key, end: float = math.inf, first: Sequence[int] = ()
) -> list[int]:
    """Return the order that begins with ``first`` and is greedy by some keys, until the time ``end``.

    >>> from .problem import structure_of
    >>> numbered_order(structure_of(CGraph.from_edges([(0, 1), (1, 2), (2, 3)])), markowitz, reverse)
    [2, 1]
    """
    count = len(problem.sizes)
    edges: dict[tuple[Vertex, Vertex], int] = {(i, j): 0 for i, heads in enumerate(problem.succs) for j in bits(heads)}
    ends = [k for k in range(count) if not problem.inside >> k & 1]
    outputs = [k for k in ends if problem.preds[k]]
    inputs = [k for k in ends if not problem.preds[k]]
    graph = CGraph(range(count), inputs, outputs, edges, dict(enumerate(problem.sizes)))
    order: list[Any] = [*first]
    for begun in first:
        deque(eliminate_vertex(graph, begun), maxlen=0)
    for j in greedy(*keys).moves(graph):
        order.append(j)
        if clock.now() > end:
            break
        deque(eliminate_vertex(graph, j), maxlen=0)
    return order + [j for j in graph.intermediates if j not in {*order}]


def quick_order(graph: CGraph) -> tuple[list[Vertex], int]:
    """Return the order of lowest Markowitz degree, the last touched first of equal ones, and its multiplications.

    Sizes of vertices are ignored. 200,000 vertices take 3 s.

    >>> quick_order(CGraph.from_edges([(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)]))
    ([2, 3, 1], 3)
    """
    vertices = graph.vertices
    number = {vertex: k for k, vertex in enumerate(vertices)}
    preds = [{number[i] for i in graph.predecessors(j)} for j in vertices]
    succs = [{number[k] for k in graph.successors(j)} for j in vertices]
    order, cost = quick_markowitz(preds, succs, [number[j] for j in graph.intermediates])
    return [vertices[j] for j in order], cost


def quick_markowitz(preds: list[set[int]], succs: list[set[int]], inner: Sequence[int]) -> tuple[list[int], int]:
    """Eliminate all of ``inner`` from sets of neighbours, which are changed; the order, and its multiplications."""
    degrees = [0] * len(preds)
    buckets: list[list[int]] = [[]]
    is_inner = bytearray(len(preds))
    for j in reversed(inner):
        is_inner[j] = 1
        degrees[j] = degree = len(preds[j]) * len(succs[j])
        while degree >= len(buckets):
            buckets.append([])
        buckets[degree].append(j)
    order, cost, lowest = [], 0, 0
    for _ in inner:
        # an entry is stale if its vertex has been eliminated, or has another degree by now
        while True:
            while not buckets[lowest]:
                lowest += 1
            j = buckets[lowest].pop()
            if is_inner[j] and degrees[j] == lowest:
                break
        is_inner[j] = 0
        order.append(j)
        cost += lowest
        mine, theirs = preds[j], succs[j]
        for i in mine:
            others = succs[i]
            others.discard(j)
            others |= theirs
        for k in theirs:
            others = preds[k]
            others.discard(j)
            others |= mine
        for near in (theirs, mine):
            for i in sorted(near, reverse=True):
                if is_inner[i]:
                    degrees[i] = degree = len(preds[i]) * len(succs[i])
                    if degree < lowest:
                        lowest = degree
                    while degree >= len(buckets):
                        buckets.append([])
                    buckets[degree].append(i)
    return order, cost
