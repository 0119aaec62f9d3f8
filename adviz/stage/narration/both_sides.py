"""One elimination, seen on the graph and on its line graph at once.

Moves are made on one side, and what that is on the other follows. A product on the graph is a face elimination on its
line graph: the node of the edge that takes it up is made, or changes, and the face goes. So nodes of the line graph are
the edges of the graph at every Step, and after a whole move one is the line graph of the other. The way back is lossy:
of the graph, face elimination leaves the sums over twins, which are its edges, while which path goes where is known to
the line graph alone.

Keys are those of the Scene: vertices are numbered in topological order, so that no name of a user's is ever in a key.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
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
from ...graph.timeline import Step
from .playing import shown

MOST_ENTRIES = 16
"""Rows or columns of a Jacobian that is shown entry by entry; of a larger one whole blocks are."""

Move = Any
Change = tuple[str, Any, Any]
MOVES: dict[str, tuple[Callable[..., Iterator[Move]], Callable[..., Iterator[Step]]]] = {
    "vertex": (vertex_moves, eliminate_vertex),
    "edge": (edge_moves, eliminate_edge),
    "face": (face_moves, eliminate_face),
}
"""By technique: the moves of an order, and what makes one."""


class Things:
    """What vertices, edges, line nodes and faces are called in keys: ``3``, ``1.3``, ``1.3.2``, ``0.1/1.3``.

    >>> from adviz import CGraph
    >>> things = Things(CGraph.from_edges([("x", "v"), ("v", "y")]))
    >>> things.key(("edge", "x", "v")), things.key(("node", (SOURCE, "x")))
    ('edge/0.1', 'node/s.0')
    """

    def __init__(self, graph: CGraph):
        self.vertices = graph.vertices
        self._end: dict[Any, str] = {vertex: str(number) for number, vertex in enumerate(self.vertices)}
        self._end |= {SOURCE: "s", SINK: "t"}

    def number(self, vertex: Vertex) -> int:
        """The number of a vertex."""
        return int(self._end[vertex])

    def thing(self, e: LineNode) -> str:
        """The thing of an edge, or of a node of the line graph."""
        return ".".join([self._end[e[0]], self._end[e[1]], *map(str, e[2:])])

    def ends(self, thing: str) -> tuple[Any, ...]:
        """What a thing stands for: ``(i, j)``, ``(i, j, 2)`` for a twin, ``(j,)`` for a vertex."""
        names = thing.split(".")
        return (*(self.vertices[int(name)] for name in names[:2]), *map(int, names[2:]))

    def key(self, key: Any) -> str:
        """The key of the Scene for a key of a state."""
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
    """A Step on both sides.

    ``edits`` have keys and values of the Scene, ``factors`` (head, tail) and ``result`` are keys of the side that the
    move was made on; a merged twin is ``factors`` of one key.
    """

    step: Step
    edits: list[Change]
    factors: tuple[str, ...]
    result: str | None


class BothSides:
    """A graph and its line graph, which change together.

    ``stage`` is what there is, by keys of the Scene: vertices, edges, nodes, faces, entries of the Jacobian.
    """

    def __init__(self, graph: CGraph, technique: str, line: LineGraph | None = None):
        self.graph, self.technique = graph.copy(), technique
        self.line = line.copy() if line else line_graph(graph)
        self.things = Things(graph)
        self.rows, self.columns = spans(graph)
        self.side: CGraph | LineGraph = self.line if technique == "face" else self.graph
        states = {**self.graph.state(), **self.line.state()}
        self.stage: dict[str, Any] = {self.things.key(key): displayed(label) for key, label in states.items()}
        for key, _, after in self._cells():
            self.stage[key] = after

    def moves(self, order: Order, counting: Counting) -> Iterator[Move]:
        """The moves of an order, one after the other while they are made by :meth:`make`."""
        return MOVES[self.technique][0](self.side, order, counting)

    def make(self, move: Move, counting: Counting) -> Iterator[Seen]:
        """What a move does, Step by Step. Raises :class:`~adviz.OrderError` for one that is not possible."""
        return map(self._seen, MOVES[self.technique][1](self.side, move, counting))

    def told(self, move: Move) -> list[str]:
        """A move as the page has it: ``["vertex", "3"]``, ``["front", "1.3"]``, ``["face", "0.1", "1.3"]``."""
        things = self.things
        if self.technique == "vertex":
            return ["vertex", str(things.number(move))]
        return [move[0], things.thing(move[1:])] if self.technique == "edge" else ["face", *map(things.thing, move)]

    def meant(self, move: Any) -> Move:
        """A move as orders have it, if it is written as the page has it; any other as it is."""
        match move:
            case [("vertex" | "front" | "back" | "face") as sort, str(), *_] if isinstance(move, list):
                try:
                    found = [self.things.ends(thing) for thing in move[1:]]
                except (ValueError, IndexError, AttributeError):
                    raise OrderError(f"{move!r} is no move on this graph.") from None
                return found[0][0] if sort == "vertex" else tuple(found) if sort == "face" else (sort, *found[0])
        return move

    def _seen(self, step: Step) -> Seen:
        keys = [edit.key for edit in step.edits]
        there = self._on_graph() if self.technique == "face" else self._on_line(step)
        edits = [*self._changes([*keys, *there]), *self._cells()]
        for key, _, after in edits:
            if after is None:
                self.stage.pop(key, None)
            else:
                self.stage[key] = after
        focus = [self.things.key(key) for key in step.focus]
        if step.kind in ("fill_in", "absorb"):
            tail, head, result = focus
            return Seen(step, edits, (head, tail), result)
        if step.kind == "merge":
            return Seen(step, edits, (focus[1],), focus[0])
        return Seen(step, edits, (), None)

    def _changes(self, keys: list[Any]) -> Iterator[Change]:
        """What is different under some keys: the graph's first, then the line graph's."""
        for key in sorted(dict.fromkeys(keys), key=lambda key: key[0] in ("node", "face")):
            name, after = self.things.key(key), displayed(self._present(key))
            before = self.stage.get(name)
            if before != after:
                yield name, before, after

    def _present(self, key: Any) -> Label:
        """What is there under a key of a state."""
        match key:
            case ("vertex", j):
                return True if j in self.graph else None
            case ("edge", i, j):
                return self.graph.partial(i, j)
            case ("node", e):
                return self.line.label(e)
            case (_, e, f):
                return True if self.line.has_face(e, f) else None

    def _on_line(self, step: Step) -> list[Any]:
        """Make on the line graph what a Step was on the graph; the keys that it changed."""
        line = self.line
        if step.kind == "remove":
            keys: list[Any] = [edit.key for edit in step.edits]
            edges = [key[1:] for key in keys if key[0] == "edge"]
            return [edit.key for edge in edges for edit in line.remove_node(edge)]
        focus: Any = step.focus
        tail, head, made = (key[1:] for key in focus)
        label = self.graph.partial(*made)
        if step.kind == "absorb":
            edits = [line.set_label(made, label)]
        else:
            edits = [*line.add_node(made, label, line.predecessors(tail), line.successors(head))]
        return [edit.key for edit in (*edits, line.remove_face(tail, head))]

    def _on_graph(self) -> list[Any]:
        """Leave of the graph what is left on the line graph: sums over twins, and the vertices between them."""
        graph, sums = self.graph, self.line.sums()
        changed: list[Any] = [graph.remove_edge(*edge).key for edge in graph.edges if edge not in sums]
        changed += [graph.set_partial(*edge, label).key for edge, label in sums.items()]
        for j in graph.intermediates:
            if not graph.predecessors(j) and not graph.successors(j):
                changed += [edit.key for edit in graph.remove_vertex(j)]
        return changed

    def _cells(self) -> Iterator[Change]:
        """The entries of the Jacobian that are different now."""
        for (y, rows), (x, columns) in self.blocks():
            label = self.graph.partial(x, y)
            for place, entry in zip(cells(rows, columns), entries(label, len(rows), len(columns)), strict=False):
                if entry != (before := self.stage.get(place)):
                    yield place, before, entry

    def blocks(self) -> Iterator[tuple[tuple[Vertex, range], tuple[Vertex, range]]]:
        """Each output with its rows of the Jacobian, with each input and its columns."""
        graph = self.graph
        return pairs(zip(graph.outputs, self.rows, strict=True), zip(graph.inputs, self.columns, strict=True))


def spans(graph: CGraph) -> tuple[list[range], list[range]]:
    """The rows of the Jacobian of each output, and the columns of each input: one of each, where there are many.

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
    """The keys of a block of the Jacobian.

    >>> cells(range(2, 3), range(2))
    ['cell/2/0', 'cell/2/1']
    """
    return [f"cell/{row}/{column}" for row, column in pairs(rows, columns)]


def entries(label: Label, rows: int, columns: int) -> list[Any]:
    """The entries of a block of the Jacobian, as the Scene carries them; a block of one entry is its label.

    >>> entries(3.0, 2, 2), entries(None, 2, 2)
    ([3.0, 0.0, 0.0, 3.0], [])
    """
    if label is None:
        return []
    if rows * columns == 1:
        return [displayed(label)]
    label = dense(label)
    if np.ndim(label) == 0:
        label = np.where(np.eye(rows, dtype=bool), label, 0.0)
    return [displayed(entry) for entry in np.ravel(label).tolist()]


def displayed(label: Label) -> Any:
    """A label as the Scene carries it."""
    return shown(dense(label))


def told_moves(sides: BothSides, order: Iterable[Any]) -> list[list[str]]:
    """The moves of an order, which need not be all, as the page has them.

    They are made on ``sides``. Raises :class:`~adviz.OrderError` for one that is not possible.

    >>> told_moves(BothSides(CGraph.from_edges([(0, 1), (1, 2), (2, 3)]), "edge"), [("back", 1, 2), ["front", "0.2"]])
    [['back', '1.2'], ['front', '0.2']]
    """
    told = []
    for number, given in enumerate(order, start=1):
        try:
            move = sides.meant(given)
            deque(sides.make(move, PLAIN), maxlen=0)
        except OrderError as reason:
            raise OrderError(f"Move {number} of the order: {reason}") from None
        told.append(sides.told(move))
    return told
