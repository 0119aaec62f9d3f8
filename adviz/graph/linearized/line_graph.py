"""The line graph of a linearized computational graph: its dual, on which faces are eliminated.

Its nodes are the edges of the graph, extended by an edge into every input and an edge out of every output; its edges
are the *faces*, pairs of an edge into a vertex and an edge out of it. A node is called by its ends ``(i, j)``; a twin
that comes later is ``(i, j, 2)``, ``(i, j, 3)``, …; the source edge of an input ``x`` is ``(SOURCE, x)`` and the sink
edge of an output ``y`` is ``(y, SINK)``.

Source: U. Naumann, Optimal accumulation of Jacobian matrices by elimination methods on the dual computational graph,
Mathematical Programming 99 (2004).
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from enum import Enum
from typing import Any

from ..timeline import Edit, State
from ..wording import counted
from .cgraph import CGraph, Linearized, expect, fresh
from .checked_parts import CGraphError, Vertex
from .exchange import digraph
from .labels import Label, plus, text


class End(Enum):
    """The source before the inputs and the sink after the outputs; no vertex of a user is equal to them."""

    SOURCE = "source"
    SINK = "sink"

    def __repr__(self) -> str:
        return self.name


SOURCE, SINK = End.SOURCE, End.SINK
LineNode = tuple[Any, ...]
"""A node of a line graph: the ends of an edge, and a number for its twins."""
Face = tuple[LineNode, LineNode]


class LineGraph(Linearized):
    """Labelled nodes with sets of predecessors and successors; what face elimination changes.

    Interior nodes carry factors; source and sink edges, whose labels are 1, are never eliminated. A face is interior
    if both of its ends are. The label of a node ``(i, j)`` is c_ji, whatever became of the faces.

    >>> dual = line_graph(CGraph.from_edges([(0, 2), (1, 2), (2, 3)], partials=[2.0, 3.0, 5.0]))
    >>> dual, dual.interior, dual.interior_faces
    (<LineGraph: 6 nodes, 5 faces>, [(0, 2), (1, 2), (2, 3)], [((0, 2), (2, 3)), ((1, 2), (2, 3))])
    """

    made_by = "adviz.line_graph"

    def __init__(self, graph: CGraph):
        """Without nodes yet: :func:`line_graph` makes them."""
        rank = {SOURCE: -1, **graph.rank, SINK: len(graph.rank)}
        super().__init__(rank, graph.inputs, graph.outputs, graph.sizes, graph.names, graph.title)
        self._labels: dict[LineNode, Label] = {}
        self._preds: dict[LineNode, set[LineNode]] = {}
        self._succs: dict[LineNode, set[LineNode]] = {}

    # ---- asking ----

    def __contains__(self, e: LineNode) -> bool:
        return e in self._labels

    @property
    def nodes(self) -> list[LineNode]:
        """All nodes, by head and then by tail in topological order, twins next to each other."""
        return self.in_order(self._labels)

    @property
    def interior(self) -> list[LineNode]:
        """The nodes that carry factors: all but source and sink edges."""
        return self.in_order(filter(is_interior, self._labels))

    def label(self, e: LineNode) -> Label:
        """Return the label of a node; ``None`` where there is no such node."""
        return self._labels.get(e)

    def predecessors(self, e: LineNode) -> tuple[LineNode, ...]:
        """Return the predecessors of ``e``, P_e, in the order of :attr:`nodes`."""
        return tuple(self.in_order(self._preds[e]))

    def successors(self, e: LineNode) -> tuple[LineNode, ...]:
        """Return the successors of ``e``, S_e, in the order of :attr:`nodes`."""
        return tuple(self.in_order(self._succs[e]))

    def has_face(self, e: LineNode, f: LineNode) -> bool:
        """Return whether there is a face from ``e`` to ``f``."""
        return f in self._succs.get(e, ())

    @property
    def faces(self) -> list[Face]:
        """All faces ``(e, f)``, by ``f`` and then by ``e``."""
        return [(e, f) for f in self.nodes for e in self.predecessors(f)]

    @property
    def interior_faces(self) -> list[Face]:
        """The faces whose both ends are interior: those that are eliminated, one product each."""
        return [(e, f) for e, f in self.faces if is_interior(e) and is_interior(f)]

    def biclique(self, j: Vertex) -> tuple[tuple[LineNode, ...], tuple[LineNode, ...]] | None:
        """Return the nodes into and out of a vertex while each pair of them has a face, else ``None``.

        At first every vertex is a biclique, and every interior node is in two: out of one, into the other.
        """
        into = self.in_order(e for e in self._labels if e[1] == j)
        out = self.in_order(f for f in self._labels if f[0] == j)
        whole = into and out and all(self._succs[e] == set(out) for e in into)
        return (tuple(into), tuple(out)) if whole and all(self._preds[f] == set(into) for f in out) else None

    def node_name(self, e: LineNode) -> str:
        """Return what a node is called: by its ends, and dashes for a twin."""
        ends = " → ".join("" if isinstance(end, End) else self.called(end) for end in e[:2])
        return ends.strip() + "′" * (e[2] - 1 if len(e) > 2 else 0)

    def fresh(self, i: Vertex, j: Vertex) -> LineNode:
        """Return the next free name of a node from ``i`` to ``j``."""
        return fresh(i, j, self._labels)

    # ---- the end ----

    @property
    def is_tripartite(self) -> bool:
        """Whether every interior node is between a source and a sink edge: their labels are the Jacobian's entries."""
        return all(
            self._preds[e] == {(SOURCE, e[0])} and self._succs[e] == {(e[1], SINK)}
            for e in self._labels
            if is_interior(e)
        )

    def jacobian(self) -> dict[tuple[Vertex, Vertex], Label]:
        """Return the derivative of each output ``y`` with respect to each input ``x`` it depends on, under ``(x, y)``.

        Raises :class:`~adviz.CGraphError` while the line graph is not tripartite.

        >>> line_graph(CGraph.from_edges([("x", "y")], partials=[2.0])).jacobian()
        {('x', 'y'): 2.0}
        """
        if not self.is_tripartite:
            raise CGraphError("The labels are not the Jacobian yet: eliminate the interior faces that are left.")
        return self.sums()

    def sums(self) -> dict[tuple[Vertex, Vertex], Label]:
        """Return the sums of the labels of twins, by the ends that they share.

        >>> line_graph(CGraph.from_edges([("x", "v"), ("v", "y")], partials=[2.0, 3.0])).sums()
        {('x', 'v'): 2.0, ('v', 'y'): 3.0}
        """
        sums: dict[tuple[Vertex, Vertex], Label] = {}
        for i, j, *twin in self.interior:
            label = self._labels[i, j, *twin]
            sums[i, j] = plus(sums[i, j], label) if (i, j) in sums else label
        return sums

    def cgraph(self) -> CGraph:
        """Return the graph that this is the line graph of; after face eliminations, the graph of :meth:`sums`.

        >>> line_graph(CGraph.from_edges([("x", "v"), ("v", "y")])).cgraph()
        <CGraph: 1 input, 1 intermediate, 1 output, 2 edges>
        """
        vertices = [vertex for vertex in self.rank if not isinstance(vertex, End)]
        return CGraph(vertices, self.inputs, self.outputs, self.sums(), self.sizes, self.names, self.title)

    # ---- changing ----

    def add_node(
        self, e: LineNode, label: Label, predecessors: Iterable[LineNode] = (), successors: Iterable[LineNode] = ()
    ) -> tuple[Edit, ...]:
        """Add a new node with its faces."""
        self._labels[e], self._preds[e], self._succs[e] = label, set(), set()
        faces = [*((d, e) for d in predecessors), *((e, f) for f in successors)]
        return (Edit(("node", e), None, label), *(self.add_face(*face) for face in faces))

    def set_label(self, e: LineNode, label: Label) -> Edit:
        """Change the label of a node."""
        edit = Edit(("node", e), self._labels[e], label)
        self._labels[e] = label
        return edit

    def remove_node(self, e: LineNode) -> tuple[Edit, ...]:
        """Remove a node with its faces."""
        faces = [*((d, e) for d in self.predecessors(e)), *((e, f) for f in self.successors(e))]
        edits = [self.remove_face(*face) for face in faces]
        del self._preds[e], self._succs[e]
        return (*edits, Edit(("node", e), self._labels.pop(e), None))

    def add_face(self, e: LineNode, f: LineNode) -> Edit:
        """Add the face from ``e`` to ``f``."""
        self._succs[e].add(f)
        self._preds[f].add(e)
        return Edit(("face", e, f), None, True)

    def remove_face(self, e: LineNode, f: LineNode) -> Edit:
        """Remove the face from ``e`` to ``f``."""
        self._succs[e].remove(f)
        self._preds[f].remove(e)
        return Edit(("face", e, f), True, None)

    def _put(self, key: Any, value: Label) -> None:
        match key, value:
            case ("node", e), None:
                self.remove_node(e)
            case ("node", e), label if e in self._labels:
                self.set_label(e, label)
            case ("node", e), label:
                self.add_node(e, label)
            case ("face", e, f), None:
                self.remove_face(e, f)
            case ("face", e, f), _:
                self.add_face(e, f)

    def state(self) -> State:
        """Return the state for Timelines: ``("node", e)`` is the label of ``e``, ``("face", e, f)`` is true."""
        return {("node", e): self._labels[e] for e in self.nodes} | {("face", e, f): True for e, f in self.faces}

    def copy(self) -> LineGraph:
        """Return a copy, which can be changed without changing this one."""
        other = copy(self)
        other._labels = dict(self._labels)
        other._preds = {e: set(preds) for e, preds in self._preds.items()}
        other._succs = {e: set(succs) for e, succs in self._succs.items()}
        return other

    def to_graphviz(self, direction: str = "data flow") -> Any:
        """Return the line graph as a ``graphviz.Digraph``; see :meth:`~adviz.CGraph.to_graphviz`."""
        names = {e: f"{self.node_name(e)}\n{text(self._labels[e])}" for e in self.nodes}
        return digraph(names, [(e, f, "") for e, f in self.faces], direction)

    def __repr__(self) -> str:
        faces = sum(map(len, self._preds.values()))
        return f"<LineGraph: {counted((len(self._labels), 'node'), (faces, 'face'))}>"


def is_interior(e: LineNode) -> bool:
    """Return whether a node is neither a source nor a sink edge.

    >>> is_interior((0, 2)), is_interior((SOURCE, 0))
    (True, False)
    """
    return e[0] is not SOURCE and e[1] is not SINK


def line_graph(graph: CGraph) -> LineGraph:
    """Make the line graph of a linearized computational graph, with its labels; source and sink edges have 1.

    Its interior faces are as many as the sum of |P_j| |S_j| over the intermediates. Edges to dead vertices are left
    out: nothing follows them, so that no face of theirs leads anywhere.

    >>> line_graph(CGraph.from_edges([(0, 2), (1, 2), (2, 3)])).biclique(2)
    (((0, 2), (1, 2)), ((2, 3),))
    """
    expect(graph, CGraph)
    graph = graph.pruned()
    dual, inputs = LineGraph(graph), set(graph.inputs)
    for x in graph.inputs:
        dual.add_node((SOURCE, x), 1)
    for j in graph.vertices:
        into = [(SOURCE, j)] if j in inputs else [(i, j) for i in graph.predecessors(j)]
        for k in graph.successors(j):
            dual.add_node((j, k), graph.partial(j, k), into)
    for y in graph.outputs:
        dual.add_node((y, SINK), 1, [(i, y) for i in graph.predecessors(y)])
    return dual
