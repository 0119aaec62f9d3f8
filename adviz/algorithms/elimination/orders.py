"""Orders of elimination: lists, by name, or greedy.

An order is a list of moves, a name, or a function from the graph to the next move (``None`` when none is left). Greedy
ones are composed of keys: the move with the lowest tuple of keys is next, and the first in topological order if tuples
tie. A key maps the graph to a function of the move, so that what stays the same is computed once.

The keys are explained in :mod:`adviz.elimination`; sizes of array-valued vertices are weights throughout.

Sources: A. Griewank, S. Reese, On the calculation of Jacobian matrices by the Markowitz rule (1991); A. Albrecht,
P. Gottschling, U. Naumann, Markowitz-type heuristics for computing Jacobian matrices efficiently, ICCS 2003.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import chain
from operator import itemgetter
from typing import Any

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.line_graph import Face, LineGraph, LineNode, is_interior
from ...graph.linearized.measures import index_domains, index_ranges
from ...graph.timeline import Step
from .counting import PLAIN, Counting, expect_counting
from .moves import (
    Move,
    OrderError,
    eliminate_edge,
    eliminate_face,
    eliminate_vertex,
    is_known,
    refuse,
    twin,
    why_not_vertex,
)

Order = str | Iterable[Move] | Callable[[Any], Move]
Key = Callable[[Any], Callable[[Any], float]]


# ---- keys of vertices, edges and faces alike ----


def forward(graph: CGraph | LineGraph) -> Callable[[Move], float]:
    """Return the place of the vertex at which a move multiplies: low near the inputs."""
    return lambda move: graph.rank[middle(graph, move)]


def reverse(graph: CGraph | LineGraph) -> Callable[[Move], float]:
    """Return minus the place of the vertex at which a move multiplies: low near the outputs."""
    return lambda move: -graph.rank[middle(graph, move)]


def middle(graph: CGraph | LineGraph, move: Move) -> Vertex:
    """Return the vertex at which a move multiplies.

    >>> middle(CGraph.from_edges([(0, 1), (1, 2)]), ("back", 1, 2))
    1
    """
    if isinstance(graph, LineGraph):
        return move[0][1]
    return move if move in graph.rank else move[2] if move[0] == "front" else move[1]


def markowitz(graph: CGraph) -> Callable[[Move], float]:
    """Return multiplications that a move takes."""

    def degree(move: Move) -> float:
        tails, j, heads = _around(graph, move)
        return _sum(graph, tails) * graph.size(j) * _sum(graph, heads)

    return degree


def relative_markowitz(graph: CGraph) -> Callable[[Move], float]:
    """Return multiplications that a move takes, minus those it would take at the end of the elimination."""
    domain = {j: _sum(graph, inputs) for j, inputs in index_domains(graph).items()}
    span = {j: _sum(graph, outputs) for j, outputs in index_ranges(graph).items()}
    absolute = markowitz(graph)

    def degree(move: Move) -> float:
        tails, j, heads = _around(graph, move)
        least_tails = domain[j] if move == j or move[0] == "back" else _sum(graph, tails)
        least_heads = span[j] if move == j or move[0] == "front" else _sum(graph, heads)
        return absolute(move) - least_tails * graph.size(j) * least_heads

    return degree


def fill_in(graph: CGraph) -> Callable[[Move], float]:
    """Return the fill-in of a move: the new edges that it makes."""

    def count(move: Move) -> float:
        tails, _, heads = _around(graph, move)
        return sum(graph.partial(i, k) is None for i in tails for k in heads)

    return count


@dataclass(frozen=True)
class Damage:
    """A key: ``own`` times the Markowitz degree, plus ``weight`` times the growth of the degrees of others."""

    weight: float = 1.0
    own: float = 1.0

    def __call__(self, graph: CGraph) -> Callable[[Move], float]:
        degree = markowitz(graph)
        return lambda move: self.own * degree(move) + self.weight * _growth(graph, move)


minimal_damage = Damage()
overall = Damage(own=-1.0)


def _around(graph: CGraph, move: Move) -> tuple[list[Vertex], Vertex, list[Vertex]]:
    """Return the tails, the middle and the heads of the products that a move makes."""
    j = middle(graph, move)
    tails = [move[1]] if move != j and move[0] == "front" else graph.predecessors(j)
    heads = [move[2]] if move != j and move[0] == "back" else graph.successors(j)
    return tails, j, heads


def _growth(graph: CGraph, move: Move) -> float:
    """Return the growth of the Markowitz degrees of all vertices but the middle one."""
    tails, j, heads = _around(graph, move)
    into = graph.size(j) if heads == graph.successors(j) else 0  # then the edges into j are removed
    out = graph.size(j) if tails == graph.predecessors(j) else 0
    new_heads = {i: _sum(graph, (k for k in heads if graph.partial(i, k) is None)) for i in tails}
    new_tails = {k: _sum(graph, (i for i in tails if graph.partial(i, k) is None)) for k in heads}
    return sum(_sum(graph, graph.predecessors(i)) * graph.size(i) * (new_heads[i] - into) for i in tails) + sum(
        (new_tails[k] - out) * graph.size(k) * _sum(graph, graph.successors(k)) for k in heads
    )


def _sum(graph: CGraph, vertices: Iterable[Vertex]) -> int:
    return sum(map(graph.size, vertices))


# ---- greedy orders ----


@dataclass(frozen=True)
class Greedy:
    """The order that takes the candidate with the lowest tuple of keys; see :func:`greedy` and its like."""

    keys: tuple[Key, ...]
    candidates: Callable[[Any], list[Move]]

    def __call__(self, graph: Any) -> Move:
        """Return the next move, ``None`` if there is none."""
        keys = [key(graph) for key in self.keys]
        return min(self.candidates(graph), key=lambda move: [key(move) for key in keys], default=None)


@dataclass(frozen=True)
class GreedyVertices(Greedy):
    """The same for vertices; a whole elimination keeps the keys in a heap."""

    last_touched: bool = False

    def moves(self, graph: CGraph) -> Iterator[Vertex]:
        """Yield the moves, while the caller makes each on the graph."""
        keys, rank = [key(graph) for key in self.keys], graph.rank
        touched = dict.fromkeys(graph.intermediates, 0)

        def entry(j: Vertex) -> tuple[Any, ...]:
            return ([key(j) for key in keys], -touched[j] if self.last_touched else 0, rank[j], j)

        latest = {j: entry(j) for j in touched}
        heap = list(latest.values())
        heapify(heap)
        for turn in range(1, len(touched) + 1):
            least = heappop(heap)
            while latest.get(least[-1]) is not least:
                least = heappop(heap)
            j = least[-1]
            del latest[j]
            near = {*graph.predecessors(j), *graph.successors(j)}
            touched.update((i, turn) for i in near & latest.keys())
            further = self._further(graph, near)
            yield j
            for i in (near | further) & latest.keys():
                latest[i] = entry(i)
                heappush(heap, latest[i])

    def _further(self, graph: CGraph, near: set[Vertex]) -> set[Vertex]:
        """Return vertices beyond the neighbours of the one that is eliminated whose keys may change, too."""
        if set(self.keys) <= NEAR:
            return set()
        if all(key in NEAR or key is fill_in or isinstance(key, Damage) for key in self.keys):
            return {i for j in near for i in chain(graph.predecessors(j), graph.successors(j))}
        return set(graph.intermediates)


def greedy(key: Key, *others: Key, last_touched: bool = False) -> GreedyVertices:
    """Return the order that eliminates the vertex with the lowest keys; of equal ones the first in topological order.

    With ``last_touched``, of equal ones the vertex that had a neighbour eliminated last.

    >>> graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3), (3, 4), (3, 5)])
    >>> greedy(markowitz)(graph), greedy(markowitz, reverse)(graph)
    (2, 3)
    """
    return GreedyVertices((key, *others), lambda graph: graph.intermediates, last_touched)


def greedy_edges(key: Key, *others: Key) -> Greedy:
    """Return the order that eliminates the edge with the lowest keys, at its front or at its back.

    >>> greedy_edges(markowitz)(CGraph.from_edges([(0, 1), (1, 2), (1, 3)]))
    ('back', 1, 2)
    """
    return Greedy((key, *others), _edge_candidates)


def greedy_faces(key: Key, *others: Key) -> Greedy:
    """Return the order that eliminates the interior face with the lowest keys, such as :func:`faces_left`.

    >>> from adviz import line_graph
    >>> greedy_faces(reverse)(line_graph(CGraph.from_edges([(0, 1), (1, 2), (2, 3)])))
    ((1, 2), (2, 3))
    """
    return Greedy((key, *others), lambda graph: graph.interior_faces)


def greedy_order(graph: CGraph, key: Key, *others: Key, last_touched: bool = False) -> list[Vertex]:
    """Return all vertices in a greedy order; the graph is not changed.

    >>> greedy_order(CGraph.from_edges([(0, 1), (1, 2), (2, 3)]), markowitz, reverse)
    [2, 1]
    """
    return vertex_order(graph, greedy(key, *others, last_touched=last_touched))


def faces_left(graph: LineGraph) -> Callable[[Face], float]:
    """Return the change of the number of interior faces by eliminating a face, if no nodes merge."""

    def growth(face: Face) -> float:
        e, f = face
        preds, succs = graph.predecessors(e), graph.successors(f)
        into, out = (sum(map(is_interior, nodes)) for nodes in (preds, succs))
        removed = (len(graph.successors(e)) == 1) * into + (len(graph.predecessors(f)) == 1) * out
        return (0 if twin(graph, preds, succs) else into + out) - removed - 1

    return growth


def _edge_candidates(graph: CGraph) -> list[Move]:
    fronts = [("front", i, j) for i, j in graph.edges if graph.is_intermediate(j)]
    return fronts + [("back", i, j) for i, j in graph.edges if graph.is_intermediate(i)]


NEAR = {markowitz, relative_markowitz, forward, reverse}
"""Keys that change only at vertices whose edges change."""


# ---- the moves of any order ----

NAMES: dict[str, Callable[[CGraph], Iterable[Vertex]]] = {
    "forward": lambda graph: graph.intermediates,
    "reverse": lambda graph: reversed(graph.intermediates),
    "markowitz": greedy(markowitz).moves,
}


def vertex_moves(graph: CGraph, order: Order, counting: Counting = PLAIN) -> Iterator[Vertex]:
    """Yield the vertices of an order, while the caller eliminates each."""
    expect(graph, CGraph)
    expect_counting(counting)
    if isinstance(order, str) and order == "best":
        return iter(min((_trial(graph, name, counting) for name in NAMES), key=itemgetter(0))[1])
    if not isinstance(order, str):
        return _moves(graph, order, _checked_vertices)
    if order not in NAMES:
        raise OrderError(f"There is no order {order!r}; the names are {', '.join(NAMES)} and best.")
    return iter(NAMES[order](graph))


def edge_moves(graph: CGraph, order: Order, counting: Counting = PLAIN) -> Iterator[Move]:
    """Yield the moves of an order of edges, or of vertices, while the caller makes each."""
    expect(graph, CGraph)
    expect_counting(counting)
    order = _listed(order)
    if _is_of_vertices(graph, order):
        vertices = vertex_moves(graph, order, counting)
        return (("front", i, j) for j in vertices for i in graph.predecessors(j))
    return _moves(graph, order, partial(_checked, eliminate=eliminate_edge))


def face_moves(
    graph: LineGraph, order: Order, counting: Counting = PLAIN, eliminate: Any = eliminate_face
) -> Iterator[Face]:
    """Yield the faces of an order of faces, or of vertices, while the caller eliminates each."""
    expect(graph, LineGraph)
    expect_counting(counting)
    order = _listed(order)
    if _is_of_vertices(graph, order):
        return _faces_through(graph, vertex_order(graph.cgraph(), order, counting))
    return _moves(graph, order, partial(_checked, eliminate=eliminate))


def vertex_order(graph: CGraph, order: Order = "best", counting: Counting = PLAIN) -> list[Vertex]:
    """Return all vertices in the order of an elimination; the graph is not changed.

    >>> vertex_order(CGraph.from_edges([(0, 1), (1, 2), (2, 3)]), "reverse")
    [2, 1]
    """
    return _trial(graph if isinstance(order, str) and order == "best" else _structure(graph), order, counting)[1]


def _trial(graph: CGraph, order: Order, counting: Counting) -> tuple[int, list[Vertex]]:
    trial, vertices, cost = graph.copy(), [], 0
    for j in vertex_moves(trial, order, counting):
        vertices.append(j)
        cost += sum(step.multiplications for step in eliminate_vertex(trial, j, counting))
    return cost, vertices


def _listed(order: Any) -> Any:
    """Return an order as a list, unless it is a name or a function."""
    return list(order) if isinstance(order, Iterable) and not isinstance(order, str) else order


def _is_of_vertices(graph: CGraph | LineGraph, order: Any) -> bool:
    """Return whether an order is a name, a greedy one of vertices, or a list of vertices, known or not."""
    if isinstance(order, list):
        return bool(order) and all(not isinstance(move, tuple | list) or is_known(graph, move) for move in order)
    return isinstance(order, str | GreedyVertices)


def _moves(graph: Any, order: Any, checked: Callable[[Any, list[Move]], None]) -> Iterator[Move]:
    if isinstance(order, GreedyVertices):
        return order.moves(graph)
    if callable(order):
        return _named(graph, order)
    if not isinstance(order, Iterable):
        raise OrderError(f"{order!r} is not an order: expected a list of moves, a name, or a function from the graph.")
    moves = list(order)
    checked(graph, moves)
    return iter(moves)


def _named(graph: Any, order: Callable[[Any], Move]) -> Iterator[Move]:
    """Yield the moves that a function returns, until it returns ``None``."""
    yield from iter(lambda: order(graph), None)
    _check_end(graph)


def _checked_vertices(graph: CGraph, order: list[Vertex]) -> None:
    seen: set[Vertex] = set()
    for j in order:
        refuse(why_not_vertex(graph, j))
        if j in seen:
            raise OrderError(f"{graph.called(j)} is in the order twice: every intermediate is eliminated once.")
        seen.add(j)
    if missing := [graph.called(j) for j in graph.intermediates if j not in seen]:
        raise OrderError(f"The order leaves {_some(missing)} out: every intermediate is eliminated once.")


def _checked(graph: Any, order: list[Move], eliminate: Callable[[Any, Move], Iterator[Step]]) -> None:
    """Try the moves on a copy of the structure."""
    trial = _structure(graph)
    for number, move in enumerate(order, start=1):
        try:
            deque(eliminate(trial, move), maxlen=0)
        except OrderError as reason:
            raise OrderError(f"Move {number} of the order: {reason}") from None
    _check_end(trial)


def _check_end(graph: CGraph | LineGraph) -> None:
    if isinstance(graph, CGraph):
        left = [graph.called(j) for j in graph.intermediates]
    else:
        left = [f"the face from {graph.node_name(e)} to {graph.node_name(f)}" for e, f in graph.interior_faces]
    if left:
        raise OrderError(f"The order ends too early: {_some(left)} can still be eliminated.")


def _structure(graph: Any) -> Any:
    """Return a copy in which all labels are 0, so that products cost nothing."""
    trial = graph.copy()
    for key in [key for key in trial.state() if key[0] in ("edge", "node")]:
        trial.set_label(key[1], 0) if key[0] == "node" else trial.set_partial(*key[1:], 0)
    return trial


def _faces_through(graph: LineGraph, vertices: Iterable[Vertex]) -> Iterator[Face]:
    """Yield the faces at one vertex after the other; nodes that are made meanwhile are met at their heads."""
    into: dict[Vertex, dict[LineNode, bool]] = {vertex: {} for vertex in graph.rank}
    for e in graph.interior:
        into[e[1]][e] = True
    for j in vertices:
        tails = [e for e in into[j] if e in graph]
        preds = dict.fromkeys(d for e in tails for d in graph.predecessors(e))
        for face in [(e, f) for e in tails for f in graph.successors(e)]:
            if graph.has_face(*face):
                yield face
        for d in filter(graph.__contains__, preds):
            for e in graph.successors(d):
                into[e[1]][e] = True


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
