"""Vertex elimination: each predecessor is joined to each successor, and the vertex is removed.

Source: A. Griewank, S. Reese, On the calculation of Jacobian matrices by the Markowitz rule (1991).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.linearized.cgraph import CGraph
from ...graph.timeline import Step
from .counting import PLAIN, Counting
from .moves import eliminate_vertex
from .orders import Order, vertex_moves


def vertex_elimination(graph: CGraph, order: Order = "best", counting: Counting = PLAIN) -> Iterator[Step]:
    """Eliminate one intermediate after the other until the labels are the Jacobian.

    ``order`` is a list of all intermediates, the name of an order (``"forward"``, ``"reverse"``, ``"markowitz"``, or
    ``"best"``: the cheapest of the three), or a function from the graph to the next vertex, ``None`` for none, such as
    :func:`~.elimination.greedy` makes of the keys ``markowitz``, ``relative_markowitz``, ``fill_in``,
    ``minimal_damage`` (LMMD), ``overall`` (MOMR), ``forward`` and ``reverse``, which :mod:`adviz.elimination` explains.
    A list is checked before anything changes. Raises :class:`~.moves.OrderError`.

    >>> import adviz
    >>> graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)], partials=[2.0, 3.0, 5.0, 7.0, 11.0])
    >>> timeline = adviz.Timeline.record(graph, vertex_elimination(graph, [2, 3, 1]))
    >>> timeline.multiplications, timeline.additions, graph.jacobian()
    (3, 1, {(0, 4): 152.0})
    """
    return (step for j in vertex_moves(graph, order, counting) for step in eliminate_vertex(graph, j, counting))
