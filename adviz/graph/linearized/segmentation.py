"""The same Jacobian on a graph in which every edge leads to the next level."""

from __future__ import annotations

from itertools import pairwise

from .cgraph import CGraph
from .checked_parts import Edge
from .labels import Label
from .measures import direction_is_flow, levels


def segmentation(graph: CGraph, copies: str = "tail", direction: str = "data flow") -> CGraph:
    """Cut every edge that crosses levels into edges between adjacent ones, with copies of a vertex in between.

    Copies ``("copy", i, j, level)`` are of the tail, then the last edge has the partial, or of the head, then the first
    edge has it; the other edges have the partial 1. ``direction`` is that of :func:`~.measures.levels`.

    Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), section 3.

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
