"""Edge elimination: an edge is multiplied with all that follow it, or with all that precede it.

Source: U. Naumann, Elimination techniques for cheap Jacobians, in: Automatic Differentiation of Algorithms (2002).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.linearized.cgraph import CGraph
from ...graph.timeline import Step
from .counting import PLAIN, Counting
from .moves import eliminate_edge
from .orders import Order, edge_moves


def edge_elimination(graph: CGraph, order: Order = "best", counting: Counting = PLAIN) -> Iterator[Step]:
    """Eliminate one edge after the other, at its front or at its back, until the labels are the Jacobian.

    ``order`` is a list of moves ``("front", i, j)`` and ``("back", i, j)``, a function from the graph to the next move,
    ``None`` for none, such as :func:`~.elimination.greedy_edges` makes, or an order of vertices, by its name, as a list
    or by :func:`~.elimination.greedy`: all edges into a vertex are front-eliminated. A list is tried before anything
    changes. Raises :class:`~.moves.OrderError`.

    >>> import adviz
    >>> graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (1, 3)], partials=[2.0, 3.0, 5.0])
    >>> [step.kind for step in edge_elimination(graph, [("back", 1, 2), ("front", 0, 1)])]
    ['fill_in', 'remove', 'fill_in', 'remove', 'remove']
    >>> graph.jacobian()
    {(0, 2): 6.0, (0, 3): 10.0}
    """
    return (step for move in edge_moves(graph, order, counting) for step in eliminate_edge(graph, move, counting))
