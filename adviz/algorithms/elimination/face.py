"""Face elimination on the line graph: one product at a time.

Source: U. Naumann, Optimal accumulation of Jacobian matrices by elimination methods on the dual computational graph,
Mathematical Programming 99 (2004). Two rules are applied strictly: removal cascades, and whatever a removal touches is
checked for twins.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...graph.errors import OptionError
from ...graph.linearized.line_graph import LineGraph
from ...graph.timeline import Step
from .counting import PLAIN, Counting
from .moves import eliminate_face
from .orders import Order, face_moves
from .splits import cover_face, reuse_face, split_face

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
