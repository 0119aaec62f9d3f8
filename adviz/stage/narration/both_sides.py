"""An elimination on the graph and on its line graph at once.

Moves are made on one side, and the other side follows the Steps. A product on the graph is a face elimination on its
line graph: the node of the edge that absorbs the product changes, or is filled in, and the face is removed. So the
nodes of the line graph are the edges of the graph at every Step, and after a whole move one is the line graph of the
other. The converse loses information: face elimination leaves only the sums over twins on the graph, as its edges;
which path leads where is known to the line graph alone.

The keys are those of the Scene: vertices are numbered in topological order, so that no key holds a name of the user's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import accumulate
from itertools import product as pairs
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.elimination import OrderError, eliminate_edge, eliminate_face, eliminate_vertex
from ...algorithms.elimination.counting import PLAIN, Counting
from ...algorithms.elimination.orders import Order, edge_moves, face_moves, vertex_moves
from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ...graph.linearized.labels import Label, dense
from ...graph.linearized.line_graph import SINK, SOURCE, LineGraph, LineNode, line_graph
from ...graph.timeline import Edit, Step
from ..scene.captions import OnStage, carried
from ..scene.document import Technique

MOST_ENTRIES = 16
"""The most rows or columns of a Jacobian that is shown entry by entry; of a larger one whole blocks are shown."""

Move = Any
Change = tuple[str, OnStage, OnStage]
MOVES: dict[Technique, tuple[Callable[..., Iterator[Move]], Callable[..., Iterator[Step]]]] = {
    "vertex": (vertex_moves, eliminate_vertex),
    "edge": (edge_moves, eliminate_edge),
    "face": (face_moves, eliminate_face),
}
"""By technique: the function that yields the moves of an order, and the one that makes a move."""


class SceneKeys:
    """The names of vertices, edges, line nodes and faces in keys: ``3``, ``1.3``, ``1.3.2``, ``0.1/1.3``.

    >>> from adviz import CGraph
    >>> keys = SceneKeys(CGraph.from_edges([("x", "v"), ("v", "y")]))
    >>> keys.key(("edge", "x", "v")), keys.key(("node", (SOURCE, "x")))
    ('edge/0.1', 'node/s.0')
    """

    def __init__(self, graph: CGraph):
        self.vertices = graph.vertices
        self._end: dict[Hashable, str] = {vertex: str(number) for number, vertex in enumerate(self.vertices)}
        self._end |= {SOURCE: "s", SINK: "t"}

    def number(self, vertex: Vertex) -> int:
        """Return the number of a vertex."""
        return int(self._end[vertex])

    def thing(self, e: LineNode) -> str:
        """Return the name of an edge, or of a node of the line graph."""
        return ".".join([self._end[e[0]], self._end[e[1]], *map(str, e[2:])])

    def ends(self, thing: str) -> tuple[Hashable, ...]:
        """Return what a name stands for: ``(i, j)``, ``(i, j, 2)`` for a twin, ``(j,)`` for a vertex."""
        names = thing.split(".")
        return (*(self.vertices[int(name)] for name in names[:2]), *map(int, names[2:]))

    def key(self, key: Any) -> str:
        """Return the key of the Scene for a key of a state."""
        match key:
            case ("vertex", j):
                return f"vertex/{self._end[j]}"
            case ("node", e):
                return f"node/{self.thing(e)}"
            case ("edge", *ends):
                return f"edge/{self.thing(tuple(ends))}"
            case ("face", e, f):
                return f"face/{self.thing(e)}/{self.thing(f)}"
            case _:
                raise KeyError(key)


class Seen(NamedTuple):
    """A Step on both sides: the Step of the side where the move was made, and its ``edits`` on both, for the Scene.

    ``factors`` (head, tail) and ``result`` are keys of the side where the move was made; for a merge, ``factors`` is
    the key of the twin alone.
    """

    step: Step
    edits: list[Change]
    factors: tuple[str, ...]
    result: str | None


class BothSides:
    """A graph and its line graph, which change together."""

    def __init__(self, graph: CGraph, technique: Technique, line: LineGraph | None = None):
        self.graph, self.technique = graph.copy(), technique
        self.line = line.copy() if line else line_graph(graph)
        self.keys = SceneKeys(graph)
        self.rows, self.columns = spans(graph)
        self.side: CGraph | LineGraph = self.line if technique == "face" else self.graph

    def stage(self) -> dict[str, OnStage]:
        """Return what there is, by keys of the Scene: vertices, edges, nodes, faces, entries of the Jacobian."""
        edits = [Edit(key, None, label) for state in (self.graph, self.line) for key, label in state.state().items()]
        return {key: after for key, _, after in self._changes(edits)}

    def moves(self, order: Order, counting: Counting) -> Iterator[Move]:
        """Yield the moves of an order, each of which :meth:`make` must make before the next is taken."""
        return MOVES[self.technique][0](self.side, order, counting)

    def make(self, move: Move, counting: Counting) -> Iterator[Seen]:
        """Make a move, Step by Step. Raises :class:`~adviz.OrderError` for an impossible move."""
        return map(self._seen, MOVES[self.technique][1](self.side, move, counting))

    def page_move(self, move: Move) -> list[str]:
        """Return a move for the page: ``["vertex", "3"]``, ``["front", "1.3"]``, ``["face", "0.1", "1.3"]``."""
        keys = self.keys
        if self.technique == "vertex":
            return ["vertex", str(keys.number(move))]
        return [move[0], keys.thing(move[1:])] if self.technique == "edge" else ["face", *map(keys.thing, move)]

    def parsed_move(self, move: object) -> Move:
        """Return the move of an order for one that is written as the page writes it; any other as it is."""
        match move:
            case [("vertex" | "front" | "back" | "face") as sort, str(), *_] if isinstance(move, list):
                try:
                    result = [self.keys.ends(thing) for thing in move[1:]]
                except (ValueError, IndexError, AttributeError):
                    raise OrderError(f"{move!r} is no move on this graph.") from None
                return result[0][0] if sort == "vertex" else tuple(result) if sort == "face" else (sort, *result[0])
        return move

    def _seen(self, step: Step) -> Seen:
        mirrored = self._on_graph() if self.technique == "face" else self._on_line(step)
        edits = list(self._changes([*step.edits, *mirrored]))
        focus = [self.keys.key(key) for key in step.focus]
        if step.kind in ("fill_in", "absorb"):
            tail, head, result = focus
            return Seen(step, edits, (head, tail), result)
        if step.kind == "merge":
            return Seen(step, edits, (focus[1],), focus[0])
        return Seen(step, edits, (), None)

    def _changes(self, edits: Iterable[Edit]) -> Iterator[Change]:
        """Yield edits for the Scene: of the graph, of the line graph, and of the Jacobian, whose entries are edges."""
        labels: dict[Any, tuple[Label, Label]] = {}
        for key, before, after in edits:
            labels[key] = (labels[key][0] if key in labels else before), after
        for key in sorted(labels, key=lambda key: key[0] in ("node", "face")):
            before, after = map(displayed, labels[key])
            if before != after:
                yield self.keys.key(key), before, after
        for (y, rows), (x, columns) in self.blocks():
            before, after = labels.get(("edge", x, y), (None, None))
            if before is after:
                continue
            old_and_new = (entries(label, len(rows), len(columns)) for label in (before, after))
            for cell, one, other in zip(cells(rows, columns), *old_and_new, strict=True):
                if one != other:
                    yield cell, one, other

    def _on_line(self, step: Step) -> Iterable[Edit]:
        """Mirror a Step of the graph on the line graph."""
        line, focus = self.line, [key[1:] for key in step.focus if isinstance(key, tuple)]
        if step.kind == "remove":
            edges = [key[1:] for key, *_ in step.edits if isinstance(key, tuple) and key[0] == "edge"]
            return [edit for edge in edges for edit in line.remove_node(edge)]
        tail, head, made = focus
        label = self.graph.partial(*made)
        if step.kind == "absorb":
            return line.set_label(made, label), line.remove_face(tail, head)
        edits = line.add_node(made, label, line.predecessors(tail), line.successors(head))
        return *edits, line.remove_face(tail, head)

    def _on_graph(self) -> Iterable[Edit]:
        """Reduce the graph to what is left on the line graph: sums over twins, and the vertices between them."""
        graph, sums = self.graph, self.line.sums()
        edits = [graph.remove_edge(*edge) for edge in graph.edges if edge not in sums]
        edits += [graph.set_partial(*edge, label) for edge, label in sums.items()]
        for j in graph.intermediates:
            if not graph.predecessors(j) and not graph.successors(j):
                edits += graph.remove_vertex(j)
        return edits

    def blocks(self) -> Iterator[tuple[tuple[Vertex, range], tuple[Vertex, range]]]:
        """Yield each output with its rows of the Jacobian, with each input and its columns."""
        graph = self.graph
        return pairs(zip(graph.outputs, self.rows, strict=True), zip(graph.inputs, self.columns, strict=True))


def spans(graph: CGraph) -> tuple[list[range], list[range]]:
    """Return the rows of the Jacobian of each output and the columns of each input; one each if there are many.

    >>> spans(CGraph.from_edges([(0, 1), (0, 2)], sizes={0: 3, 1: 2}))
    ([range(0, 2), range(2, 3)], [range(0, 3)])
    """
    sizes = [[graph.size(vertex) for vertex in side] for side in (graph.outputs, graph.inputs)]
    if max(map(sum, sizes)) > MOST_ENTRIES:
        sizes = [[1] * len(each) for each in sizes]
    rows, columns = (
        [range(end - size, end) for size, end in zip(each, accumulate(each), strict=True)] for each in sizes
    )
    return rows, columns


def cells(rows: range, columns: range) -> list[str]:
    """Return the keys of a block of the Jacobian.

    >>> cells(range(2, 3), range(2))
    ['cell/2/0', 'cell/2/1']
    """
    return [f"cell/{row}/{column}" for row, column in pairs(rows, columns)]


def entries(label: Label, rows: int, columns: int) -> list[OnStage]:
    """Return the entries of a block of the Jacobian, as the Scene holds them; a block of one entry is its label.

    >>> entries(3.0, 2, 2), entries(None, 1, 2)
    ([3.0, 0.0, 0.0, 3.0], [None, None])
    """
    if label is None:
        return [None] * (rows * columns)
    if rows * columns == 1:
        return [displayed(label)]
    label = dense(label)
    if np.ndim(label) == 0:
        label = np.where(np.eye(rows, dtype=bool), label, 0.0)
    return [displayed(entry) for entry in np.ravel(label).tolist()]


def displayed(label: Label) -> OnStage:
    """Return a label as the Scene holds it."""
    return carried(dense(label))


def page_moves(sides: BothSides, order: Iterable[object]) -> list[list[str]]:
    """Make the moves of an order, which need not be complete, on ``sides``; return them as the page writes them.

    Raises :class:`~adviz.OrderError` for an impossible move.

    >>> page_moves(BothSides(CGraph.from_edges([(0, 1), (1, 2), (2, 3)]), "edge"), [("back", 1, 2), ["front", "0.2"]])
    [['back', '1.2'], ['front', '0.2']]
    """
    written = []
    for number, given in enumerate(order, start=1):
        try:
            move = sides.parsed_move(given)
            deque(sides.make(move, PLAIN), maxlen=0)
        except OrderError as reason:
            raise OrderError(f"Move {number} of the order: {reason}") from None
        written.append(sides.page_move(move))
    return written
