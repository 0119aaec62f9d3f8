"""Elimination by vertices, edges and faces, each a timeline of Steps.

* Vertices: each predecessor is joined to each successor, and the vertex is removed (A. Griewank, S. Reese, On the
  calculation of Jacobian matrices by the Markowitz rule, 1991).
* Edges: one is multiplied with all that follow it, or with all that precede it (U. Naumann, Elimination techniques for
  cheap Jacobians, 2002).
* Faces of the line graph: one product at a time (U. Naumann, Optimal accumulation of Jacobian matrices by elimination
  methods on the dual computational graph, Mathematical Programming 99, 2004). Two rules are applied strictly: removal
  cascades, and whatever a removal touches is checked for twins.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...graph.errors import OptionError
from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.line_graph import LineGraph
from ...graph.timeline import Step
from .counting import PLAIN, Counting
from .moves import eliminate_edge, eliminate_face, eliminate_vertex
from .orders import Order, edge_moves, face_moves, vertex_moves
from .splits import cover_face, reuse_face, split_face


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


WAYS = {"new": eliminate_face, "reuse": reuse_face, "split": split_face, "cover": cover_face}
"""The ways to add the product of a face, by name."""


def face_elimination(
    graph: LineGraph, order: Order = "best", counting: Counting = PLAIN, way: str = "new"
) -> Iterator[Step]:
    """Eliminate one interior face after the other until the line graph is tripartite: its labels are the Jacobian.

    ``order`` is a list of faces, pairs of nodes, a function from the line graph to the next face, ``None`` for none,
    such as :func:`~.elimination.greedy_faces` makes, or an order of vertices, by its name, as a list or by
    :func:`~.elimination.greedy`: all faces at a vertex are eliminated. A list is tried before anything changes. ``way``
    is how a product is added where no node absorbs it: as a ``"new"`` node; in place of a node that has no other face
    (``"reuse"``); after splitting off what becomes it (``"split"``); or to all nodes within its rectangle of paths
    (``"cover"``). Raises :class:`~.moves.OrderError`.

    >>> import adviz
    >>> graph = adviz.CGraph.from_edges([(0, 1), (1, 2), (1, 3)], partials=[2.0, 3.0, 5.0])
    >>> dual = adviz.line_graph(graph)
    >>> timeline = adviz.Timeline.record(dual, face_elimination(dual, "forward"))
    >>> timeline.multiplications, dual.jacobian()
    (2, {(0, 2): 6.0, (0, 3): 10.0})
    """
    if way not in WAYS:
        raise OptionError(f"way is {way!r}; expected one of {', '.join(map(repr, WAYS))}.")
    eliminate = partial(WAYS[way], counting=counting)
    return (step for face in face_moves(graph, order, counting, eliminate) for step in eliminate(graph, face))
