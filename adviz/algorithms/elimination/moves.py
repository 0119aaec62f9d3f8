"""The verbs of elimination: one product, a vertex, an edge, a face; and why a move is not possible.

Moves are written as orders have them: a vertex ``j``; ``("front", i, j)`` or ``("back", i, j)`` for an edge; and on
the line graph a face ``(e, f)``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from ...graph.errors import AdvizError
from ...graph.linearized.cgraph import CGraph, Linearized, expect
from ...graph.linearized.checked_parts import Vertex, is_hashable
from ...graph.linearized.labels import Label, plus, product
from ...graph.linearized.line_graph import Face, LineGraph, LineNode, is_interior
from ...graph.timeline import Step
from .counting import PLAIN, Counting

Move = Any
"""A vertex, an edge with a side, or a face."""


class OrderError(AdvizError, ValueError):
    """An order, or a move of it, is not possible on this graph.

    >>> import adviz
    >>> adviz.vertex_elimination(adviz.CGraph.from_edges([(0, 1), (1, 2), (2, 3)]), [1])
    Traceback (most recent call last):
    adviz.algorithms.elimination.moves.OrderError: The order leaves v2 out: every intermediate is eliminated once.
    """


def multiply(graph: CGraph, i: Vertex, j: Vertex, k: Vertex, counting: Counting = PLAIN) -> Step:
    """Add the product c_kj c_ji to c_ki: the edge ``(i, k)`` absorbs it; where there is none it is filled in."""
    tail, head, present = graph.partial(i, j), graph.partial(j, k), graph.partial(i, k)
    gain = product(head, tail)
    total, added = (gain, 0) if present is None else summed(graph, present, gain, (i, k), counting)
    work = counting.multiplications(head, tail, (graph.size(k), graph.size(j), graph.size(i)))
    focus = ("edge", i, j), ("edge", j, k), ("edge", i, k)
    return Step("fill_in" if present is None else "absorb", (graph.set_partial(i, k, total),), focus, work, added)


def eliminate_vertex(graph: CGraph, j: Vertex, counting: Counting = PLAIN) -> Iterator[Step]:
    """Multiply each edge into ``j`` with each edge out of it, |P_j| |S_j| products, and remove ``j``.

    Raises :class:`OrderError` unless ``j`` is an intermediate.

    >>> graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3)], partials=[2.0, 3.0, 5.0])
    >>> [step.kind for step in eliminate_vertex(graph, 2)], graph.jacobian()
    (['fill_in', 'fill_in', 'remove'], {(0, 3): 10.0, (1, 3): 15.0})
    """
    refuse(why_not_vertex(graph, j))
    for k in graph.successors(j):
        for i in graph.predecessors(j):
            yield multiply(graph, i, j, k, counting)
    yield Step("remove", graph.remove_vertex(j), (("vertex", j),))


def eliminate_edge(graph: CGraph, move: Move, counting: Counting = PLAIN) -> Iterator[Step]:
    """Eliminate the edge of ``("front", i, j)`` or ``("back", i, j)``.

    Front: multiply it with each edge out of ``j``, |S_j| products. Back: with each edge into ``i``, |P_i| products.
    Then it is removed; and so is ``j`` with the edges out of it when nothing leads into ``j`` any more, or ``i`` with
    the edges into it when nothing leads out of ``i``. Raises :class:`OrderError` for a move that is not possible.

    >>> graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3)], partials=[2.0, 3.0, 5.0])
    >>> [step.kind for step in eliminate_edge(graph, ("front", 0, 2))], graph.edges
    (['fill_in', 'remove'], [(1, 2), (0, 3), (2, 3)])
    """
    refuse(why_not_edge(graph, move))
    side, i, j = move
    if side == "front":
        for k in graph.successors(j):
            yield multiply(graph, i, j, k, counting)
    else:
        for h in graph.predecessors(i):
            yield multiply(graph, h, i, j, counting)
    yield Step("remove", (graph.remove_edge(i, j),), (("edge", i, j),))
    vertex = j if side == "front" else i
    if graph.is_cut_off(vertex, side):
        yield Step("remove", graph.remove_vertex(vertex), (("vertex", vertex),))


# ---- faces ----


def eliminate_face(graph: LineGraph, face: Face, counting: Counting = PLAIN) -> Iterator[Step]:
    """Multiply the labels of the two nodes of a face, and remove the face.

    A node with the predecessors of the first and the successors of the second absorbs the product; where there is none
    it is filled in. Then nodes that nothing leads into or out of are removed, repeatedly; and nodes that have become
    twins are merged. Raises :class:`OrderError` unless it is an interior face.

    >>> from adviz import line_graph
    >>> dual = line_graph(CGraph.from_edges([(0, 1), (1, 2)], partials=[2.0, 3.0]))
    >>> [step.kind for step in eliminate_face(dual, ((0, 1), (1, 2)))], dual.jacobian()
    (['fill_in', 'remove', 'remove', 'remove'], {(0, 2): 6.0})
    """
    refuse(why_not_face(graph, face))
    e, f = face
    gain, work = face_product(graph, face, counting)
    preds, succs = graph.predecessors(e), graph.successors(f)
    if absorbing := twin(graph, preds, succs):
        yield absorb(graph, face, absorbing, gain, work, counting)
    else:
        yield fill_in(graph, face, preds, succs, gain, work)
    yield Step("remove", (graph.remove_face(e, f),), (("face", e, f),))
    yield from tidy(graph, [e, f], counting)


def face_product(graph: LineGraph, face: Face, counting: Counting) -> tuple[Label, int]:
    """Return the product of the labels of a face, and its multiplications."""
    tail, head = map(graph.label, face)
    i, j, k = face[0][0], face[1][0], face[1][1]
    return product(head, tail), counting.multiplications(head, tail, (graph.size(k), graph.size(j), graph.size(i)))


def absorb(graph: LineGraph, face: Face, k: LineNode, gain: Label, work: int, counting: Counting) -> Step:
    """Add the product of a face to the label of a node."""
    total, added = summed(graph, graph.label(k), gain, k, counting)
    return Step("absorb", (graph.set_label(k, total),), _focus(*face, k), work, added)


def summed(graph: Linearized, one: Label, other: Label, ends: Any, counting: Counting) -> tuple[Label, int]:
    """Return the sum of two labels between the same ends, a tail and a head first, and its additions."""
    total = plus(one, other)
    return total, counting.additions(one, other, total, (graph.size(ends[1]), graph.size(ends[0])))


def fill_in(
    graph: LineGraph, face: Face, preds: Iterable[LineNode], succs: Iterable[LineNode], gain: Label, work: int
) -> Step:
    """Make a new node with the product of a face."""
    k = graph.fresh(face[0][0], face[1][1])
    return Step("fill_in", graph.add_node(k, gain, preds, succs), _focus(*face, k), work)


def twin(
    graph: LineGraph, preds: tuple[LineNode, ...], succs: tuple[LineNode, ...], other_than: LineNode | None = None
) -> LineNode | None:
    """Return the first node with these predecessors and successors; ``None`` where there is none."""
    alike = (k for k in graph.successors(preds[0]) if k != other_than and graph.has_face(k, succs[0]))
    return next((k for k in alike if (graph.predecessors(k), graph.successors(k)) == (preds, succs)), None)


def tidy(graph: LineGraph, touched: list[LineNode], counting: Counting) -> Iterator[Step]:
    """Remove nodes that lost their last predecessor or successor, repeatedly, and merge twins."""
    waiting = deque(touched)
    while waiting:
        e = waiting.popleft()
        if e not in graph or not is_interior(e):
            continue
        preds, succs = graph.predecessors(e), graph.successors(e)
        if not preds or not succs:
            waiting += *preds, *succs
            yield Step("remove", graph.remove_node(e), _focus(e))
        elif other := twin(graph, preds, succs, e):
            yield _merge(graph, e, other, counting)


def _merge(graph: LineGraph, e: LineNode, other: LineNode, counting: Counting) -> Step:
    total, added = summed(graph, graph.label(e), graph.label(other), e, counting)
    edits = graph.set_label(e, total), *graph.remove_node(other)
    return Step("merge", edits, _focus(e, other), additions=added)


def _focus(*nodes: LineNode) -> tuple[tuple[str, LineNode], ...]:
    return tuple(("node", node) for node in nodes)


# ---- why not ----


def why_illegal(graph: CGraph | LineGraph, move: Move) -> str | None:
    """Return a sentence that says why a move is not possible, or ``None`` if it is.

    >>> graph = CGraph.from_edges([(0, 1), (1, 2)])
    >>> why_illegal(graph, 1), why_illegal(graph, ("front", 1, 2))
    (None, 'The edge v1 → v2 cannot be front-eliminated: v2 is an output, so no edge leads on from it.')
    """
    if isinstance(graph, LineGraph):
        return why_not_face(graph, move)
    expect(graph, CGraph)
    is_edge = isinstance(move, tuple) and len(move) == 3 and not is_known(graph, move)
    return why_not_edge(graph, move) if is_edge else why_not_vertex(graph, move)


def refuse(reason: str | None) -> None:
    """Raise an :class:`OrderError` if there is a reason."""
    if reason:
        raise OrderError(reason)


def why_not_vertex(graph: CGraph, j: Any) -> str | None:
    """Return why a vertex cannot be eliminated; ``None`` if it can."""
    if not is_known(graph, j):
        hint = "; an edge is eliminated as ('front', i, j) or ('back', i, j)" if isinstance(j, tuple) else ""
        return f"There is no vertex {j!r} in this graph{hint}."
    if graph.is_intermediate(j):
        return None
    if j not in graph:
        return f"{graph.called(j)} has been eliminated already."
    return f"{graph.called(j)} is an {_end(graph, j)}: only intermediates are eliminated."


def why_not_edge(graph: CGraph, move: Any) -> str | None:
    """Return why an edge cannot be eliminated at that side; ``None`` if it can."""
    match move:
        case ("front" | "back" as side, i, j):
            middle = j if side == "front" else i
        case _:
            hint = _beside(graph, move, "('front', i, j) for each edge into it")
            return f"{move!r} is not an edge and its side: expected ('front', i, j) or ('back', i, j){hint}."
    for vertex in (i, j):
        if not is_known(graph, vertex) or vertex not in graph:
            return why_not_vertex(graph, vertex)
    edge = f"{graph.called(i)} → {graph.called(j)}"
    if graph.partial(i, j) is None:
        return f"There is no edge {edge}, or no longer."
    if graph.is_intermediate(middle):
        return None
    nothing = "no edge leads on from it" if side == "front" else "no edge leads into it"
    end = f"{graph.called(middle)} is an {_end(graph, middle)}"
    return f"The edge {edge} cannot be {side}-eliminated: {end}, so {nothing}."


def why_not_face(graph: LineGraph, move: Any) -> str | None:
    """Return why a face cannot be eliminated; ``None`` if it can."""
    if not isinstance(move, tuple) or len(move) != 2:
        hint = _beside(graph, move, "a face (e, f) for each edge into it and each out of it")
        return f"{move!r} is not a face: expected a pair (e, f) of nodes of the line graph{hint}."
    for node in move:
        if not is_hashable(node) or node not in graph:
            return f"There is no node {node!r}, or no longer: nodes are removed and merged."
        if not is_interior(node):
            return f"{graph.node_name(node)} is a source or sink edge: only interior faces are eliminated."
    e, f = move
    if graph.has_face(e, f):
        return None
    return f"There is no face from {graph.node_name(e)} to {graph.node_name(f)}, or no longer."


def _beside(graph: CGraph | LineGraph, move: Any, instead: str) -> str:
    """Return what to write instead of a vertex."""
    return f"; to eliminate the vertex {graph.called(move)}, write {instead}" if is_known(graph, move) else ""


def is_known(graph: CGraph | LineGraph, vertex: Any) -> bool:
    """Return whether a graph has, or had, a vertex."""
    return is_hashable(vertex) and vertex in graph.rank


def _end(graph: CGraph, vertex: Vertex) -> str:
    return "input" if vertex in graph.inputs else "output"
