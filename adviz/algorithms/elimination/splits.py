"""Operations on the line graph that keep every sum over paths: splits, and what can be done with them.

The common rule: a node stands for the rectangle of its predecessors times its successors, and multiplies every path
through it by its label. A product may be added as any rectangles that together are that of its face.

Sources: A. Griewank, A. Walther, Evaluating Derivatives (2008), section 10.2 (interior vertex split); Y. Zhou, Notes on
computational graph and Jacobian accumulation (2020), section 1, for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product as pairs
from typing import Any

from ...graph.linearized.line_graph import Face, LineGraph, LineNode, is_interior
from ...graph.timeline import Step
from .counting import PLAIN, Counting
from .moves import OrderError, absorb, eliminate_face, face_product, fill_in, refuse, summed, tidy, twin, why_not_face


def split_node(
    graph: LineGraph, e: LineNode, predecessors: Iterable[LineNode] = (), successors: Iterable[LineNode] = ()
) -> Step:
    """Split a copy off an interior node, with the same label: some of its predecessors or some of its successors.

    The copy is the last node of the Step's focus. Raises :class:`~.moves.OrderError` unless some are split off and some
    stay, on one side.

    >>> from adviz import CGraph, line_graph
    >>> dual = line_graph(CGraph.from_edges([(0, 1), (1, 2), (1, 3)], partials=[2.0, 3.0, 5.0]))
    >>> split_node(dual, (0, 1), successors=[(1, 3)]).focus, dual.successors((0, 1)), dual.successors((0, 1, 2))
    ((('node', (0, 1)), ('node', (0, 1, 2))), ((1, 2),), ((1, 3),))
    """
    preds, succs = tuple(dict.fromkeys(predecessors)), tuple(dict.fromkeys(successors))
    _check_split(graph, e, preds, succs)
    copy = graph.fresh(*e[:2])
    cut = [graph.remove_face(d, e) for d in preds] + [graph.remove_face(e, f) for f in succs]
    added = graph.add_node(copy, graph.label(e), preds or graph.predecessors(e), succs or graph.successors(e))
    return Step("split", (*cut, *added), (("node", e), ("node", copy)))


def _made(step: Step) -> LineNode:
    key: Any = step.focus[-1]
    return tuple(key[1])


def _check_split(graph: LineGraph, e: LineNode, preds: tuple[LineNode, ...], succs: tuple[LineNode, ...]) -> None:
    _check_interior(graph, e)
    one_side = bool(preds) != bool(succs)
    there = set(graph.predecessors(e) if preds else graph.successors(e))
    if not one_side or not there > set(preds + succs):
        raise OrderError(f"{graph.node_name(e)} is split by some, not all, of its predecessors or of its successors.")


def _check_interior(graph: LineGraph, e: LineNode) -> None:
    if e not in graph or not is_interior(e):
        raise OrderError(f"{e!r} is not an interior node of this line graph.")


def full_splitting(graph: LineGraph) -> Iterator[Step]:
    """Split until every interior node has one predecessor and one successor: the line graph lists all paths.

    >>> from adviz import CGraph, line_graph
    >>> dual = line_graph(CGraph.from_edges([(0, 1), (1, 2), (1, 3)]))
    >>> len(list(full_splitting(dual))), len(dual.interior)
    (1, 4)
    """
    waiting = graph.interior
    while waiting:
        e = waiting.pop()
        preds, succs = graph.predecessors(e), graph.successors(e)
        if len(preds) > 1 or len(succs) > 1:
            step = split_node(graph, e, preds[1:]) if len(preds) > 1 else split_node(graph, e, (), succs[1:])
            waiting += filter(is_interior, [*preds, *succs, e, _made(step)])
            yield step


def merge_partially(graph: LineGraph, e: LineNode, k: LineNode, counting: Counting = PLAIN) -> Iterator[Step]:
    """Add the label of ``e`` to that of ``k``, and remove the faces of ``e`` that both have.

    One side of ``k`` is that of ``e`` and the other is within that of ``e``. Raises :class:`~.moves.OrderError` if not.
    """
    _check_interior(graph, e)
    _check_interior(graph, k)
    inner, outer = _sides(graph, k), _sides(graph, e)
    if e == k or not _within(inner, outer) or (inner[0] != outer[0] and inner[1] != outer[1]):
        raise OrderError(f"{graph.node_name(k)} is not within {graph.node_name(e)} with a side in common: no merge.")
    total, added = summed(graph, graph.label(k), graph.label(e), k, counting)
    same = inner[0] == outer[0]
    left = [graph.remove_face(e, f) for f in inner[1]] if same else [graph.remove_face(d, e) for d in inner[0]]
    yield Step("merge", (graph.set_label(k, total), *left), (("node", k), ("node", e)), additions=added)
    yield from tidy(graph, [e], counting)


# ---- ways to eliminate a face ----


def reuse_face(graph: LineGraph, face: Face, counting: Counting = PLAIN) -> Iterator[Step]:
    """Eliminate a face; a node that has no other face in between gives its place to the product.

    That is the first if it has no other successor, or the second if it has no other predecessor. Otherwise, or where a
    node absorbs the product, this is :func:`~.moves.eliminate_face`.
    """
    refuse(why_not_face(graph, face))
    e, f = face
    preds, succs = graph.predecessors(e), graph.successors(f)
    given = e if graph.successors(e) == (f,) else f if graph.predecessors(f) == (e,) else None
    if given is None or twin(graph, preds, succs):
        yield from eliminate_face(graph, face, counting)
        return
    gain, work = face_product(graph, face, counting)
    k = graph.fresh(e[0], f[1])
    edits = *graph.remove_node(given), *graph.add_node(k, gain, preds, succs)
    yield Step("reuse", edits, (("node", e), ("node", f), ("node", k)), work)
    yield from tidy(graph, [e, f], counting)


def split_face(graph: LineGraph, face: Face, counting: Counting = PLAIN) -> Iterator[Step]:
    """Eliminate a face after copies of both nodes have been split off that have no other face in between."""
    refuse(why_not_face(graph, face))
    e, f = face
    if len(graph.successors(e)) > 1:
        step = split_node(graph, e, successors=[f])
        e = _made(step)
        yield step
    if len(graph.predecessors(f)) > 1:
        step = split_node(graph, f, predecessors=[e])
        f = _made(step)
        yield step
    yield from reuse_face(graph, (e, f), counting)
    yield from tidy(graph, list(face), counting)


def cover_face(graph: LineGraph, face: Face, counting: Counting = PLAIN) -> Iterator[Step]:
    """Eliminate a face; nodes within its rectangle absorb the product, and new nodes cover the rest.

    It is one multiplication, however many nodes absorb it; the largest rectangles are first.
    """
    refuse(why_not_face(graph, face))
    gain, work = face_product(graph, face, counting)
    whole = graph.predecessors(face[0]), graph.successors(face[1])
    left, new = set(pairs(*whole)), []
    near = dict.fromkeys(k for d in whole[0] for k in graph.successors(d) if is_interior(k))
    inside = [k for k in near if _within(_sides(graph, k), whole)]
    for k in sorted(inside, key=lambda k: -len(list(pairs(*_sides(graph, k))))):
        if left.issuperset(rectangle := set(pairs(*_sides(graph, k)))):
            yield absorb(graph, face, k, gain, work, counting)
            left, work = left - rectangle, 0
    for preds, succs in _rectangles(left, whole):
        step = fill_in(graph, face, preds, succs, gain, work)
        new.append(_made(step))
        yield step
        work = 0
    yield Step("remove", (graph.remove_face(*face),), (("face", *face),))
    yield from tidy(graph, [*face, *new], counting)


Sides = tuple[tuple[LineNode, ...], tuple[LineNode, ...]]


def _sides(graph: LineGraph, e: LineNode) -> Sides:
    return graph.predecessors(e), graph.successors(e)


def _within(inner: Sides, outer: Sides) -> bool:
    return all(set(one) <= set(other) for one, other in zip(inner, outer, strict=True))


def _rectangles(cells: set[tuple[LineNode, LineNode]], whole: Sides) -> list[Sides]:
    """Split the cells into disjoint rectangles: successors with the predecessors that they share."""
    shared: dict[tuple[LineNode, ...], list[LineNode]] = {}
    for f in whole[1]:
        shared.setdefault(tuple(d for d in whole[0] if (d, f) in cells), []).append(f)
    return [(preds, tuple(succs)) for preds, succs in shared.items() if preds]
