"""The linearized computational graph at a point: what eliminations change.

With a :class:`CGraph` you can

* build one from edges: ``CGraph.from_edges([(0, 2), (1, 2), (2, 3)])``, or from a program: :func:`adviz.linearize`;
* ask what feeds what: ``graph.predecessors(j)``, ``graph.successors(j)``, ``graph.partial(i, j)``;
* change it: each method that does returns the :class:`~.timeline.Edit`, and ``graph.undo(step)`` takes a step back;
* read off the Jacobian when no intermediate is left: ``graph.jacobian()``;
* exchange it: ``to_json``, ``from_json``, ``to_networkx``, ``from_networkx``, ``to_graphviz``; ``summary`` in words.

Data flows from inputs to outputs. The label of an edge ``(i, j)`` is the local partial derivative c_ji of ``j`` with
respect to ``i``: a number, or a matrix (or structured Jacobian) where values are arrays. An integer label is a constant
of the program, the same at every point; so ``1`` and ``-1`` are the unit partials of sums and differences, which may be
counted or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from copy import copy
from functools import cached_property
from itertools import chain, count
from typing import Any, NamedTuple

from ..timeline import Edit, State, Step
from ..wording import counted
from .checked_parts import CGraphError, Vertex, parts_of_edges
from .exchange import digraph, from_json, from_networkx, to_json, to_networkx
from .labels import Label, text
from .measures import summary


def _standard_name(vertex: Vertex) -> str:
    return f"v{vertex}" if isinstance(vertex, int) else str(vertex)


class Copy(NamedTuple):
    """A vertex that was split off another one: the ``number``-th of its kind, the original being the first."""

    original: Vertex
    number: int


def original(vertex: Vertex) -> Vertex:
    """Return the vertex that a copy was split off; another vertex as it is.

    >>> original(Copy(4, 2)), original(4)
    (4, 4)
    """
    return vertex.original if isinstance(vertex, Copy) else vertex


class Linearized:
    """What a graph and its line graph have in common: ends, sizes and names of vertices, and undo."""

    made_by: str

    def __init__(
        self,
        rank: Mapping[Vertex, int],
        inputs: Iterable[Vertex],
        outputs: Iterable[Vertex],
        sizes: Mapping[Any, int] | None,
        names: Mapping[Any, str] | None,
        title: str,
    ):
        self.rank, self.inputs, self.outputs = rank, tuple(inputs), tuple(outputs)
        self.sizes, self.names, self.title = dict(sizes or {}), dict(names or {}), title

    def size(self, vertex: Vertex) -> int:
        """Return number of entries of a vertex's value."""
        return self.sizes.get(vertex, 1)

    def name(self, vertex: Vertex) -> str:
        """Return what a vertex is called."""
        return self.names.get(vertex, _standard_name(vertex))

    def called(self, vertex: Vertex) -> str:
        """Return the name, followed by the vertex in brackets if others have the same name.

        >>> graph = CGraph.from_edges([(0, 1), (1, 2)], names={1: "r", 2: "r"})
        >>> graph.name(1), graph.called(1), graph.called(0)
        ('r', 'r (v1)', 'v0')
        """
        name = self.name(vertex)
        return f"{name} ({_standard_name(vertex)})" if self._name_counts[name] > 1 else name

    @cached_property
    def _name_counts(self) -> Counter[str]:
        return Counter(map(self.name, self.rank))

    def in_order(self, edges: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return edges by head and then by tail in topological order, those between the same ends by their number."""
        rank = self.rank
        return sorted(edges, key=lambda e: (rank[e[1]], rank[e[0]], e[2:]))

    def undo(self, step: Step) -> None:
        """Undo the step that was made last."""
        for edit in reversed(step.edits):
            self._put(edit.key, edit.before)

    def redo(self, step: Step) -> None:
        """Make a step again that was undone."""
        for edit in step.edits:
            self._put(edit.key, edit.after)

    def _put(self, key: Any, value: Label) -> None:
        """Set what has this key; ``None`` stands for absent."""
        raise NotImplementedError


def fresh(i: Vertex, j: Vertex, known: Container[Any]) -> tuple[Any, ...]:
    """Return the next free name of an edge between two vertices: a later one has a number."""
    return next(e for e in chain([(i, j)], ((i, j, k) for k in count(2))) if e not in known)


def expect(graph: Any, kind: type[Linearized]) -> None:
    """Raise a ``TypeError`` for a graph of another kind.

    >>> expect("v1 → v2", CGraph)
    Traceback (most recent call last):
    TypeError: Expected a CGraph, not a str: make one with adviz.linearize, CGraph.from_edges, or graph() of an example.
    """
    if not isinstance(graph, kind):
        given, wanted = type(graph).__name__, kind.__name__
        raise TypeError(f"Expected a {wanted}, not a {given}: make one with {kind.made_by}.")


class CGraph(Linearized):
    """Inputs, intermediates, outputs, and a local Jacobian as the label of each edge.

    ``vertices`` are given in a topological order, which stays their order. ``sizes`` are the numbers of entries of
    array-valued vertices, 1 where none is given; ``names`` are what vertices are called. No edge leads into an input
    or out of an output. Nothing is checked here: :meth:`from_edges` does.

    >>> graph = CGraph.from_edges([(0, 2), (1, 2), (2, 3)], partials=[2.0, 3.0, 5.0])
    >>> graph, graph.inputs, graph.intermediates, graph.outputs, graph.partial(2, 3)
    (<CGraph: 2 inputs, 1 intermediate, 1 output, 3 edges>, (0, 1), [2], (3,), 5.0)
    """

    made_by = "adviz.linearize, CGraph.from_edges, or graph() of an example"

    def __init__(
        self,
        vertices: Iterable[Vertex],
        inputs: Iterable[Vertex],
        outputs: Iterable[Vertex],
        partials: Mapping[tuple[Vertex, Vertex], Label],
        sizes: Mapping[Any, int] | None = None,
        names: Mapping[Any, str] | None = None,
        title: str = "",
    ):
        rank = {vertex: place for place, vertex in enumerate(vertices)}
        super().__init__(rank, inputs, outputs, sizes, names, title)
        self._ends = frozenset(self.inputs + self.outputs)
        self._tails: dict[Vertex, dict[Vertex, Label]] = {vertex: {} for vertex in rank}
        self._heads: dict[Vertex, dict[Vertex, Label]] = {vertex: {} for vertex in rank}
        for (i, j), partial in partials.items():
            self._tails[j][i] = self._heads[i][j] = partial

    # ---- asking ----

    def __contains__(self, vertex: Vertex) -> bool:
        return vertex in self._tails

    @property
    def vertices(self) -> list[Vertex]:
        """All vertices that are left, in topological order."""
        return self._in_order(self._tails)

    @property
    def intermediates(self) -> list[Vertex]:
        """The vertices that are neither inputs nor outputs, in topological order."""
        return self._in_order(self._tails.keys() - self._ends)

    def is_intermediate(self, vertex: Vertex) -> bool:
        """Return whether a vertex is left and is neither an input nor an output."""
        return vertex in self._tails and vertex not in self._ends

    @property
    def edges(self) -> list[tuple[Vertex, Vertex]]:
        """All edges ``(i, j)``, by head and then by tail in topological order."""
        return [(i, j) for j in self.vertices for i in self.predecessors(j)]

    def predecessors(self, j: Vertex) -> list[Vertex]:
        """Return the vertices that ``j`` is computed from, P_j, in topological order."""
        return self._in_order(self._tails[j])

    def successors(self, j: Vertex) -> list[Vertex]:
        """Return the vertices that are computed from ``j``, S_j, in topological order."""
        return self._in_order(self._heads[j])

    def is_cut_off(self, j: Vertex, side: str | None = None) -> bool:
        """Tell whether nothing leads into a vertex, its ``"front"``, or out of it, its ``"back"``; or either."""
        return (side != "back" and not self._tails[j]) or (side != "front" and not self._heads[j])

    def partial(self, i: Vertex, j: Vertex) -> Label:
        """Return the label c_ji of the edge from ``i`` to ``j``; ``None`` where there is no such edge."""
        return self._tails[j].get(i) if j in self._tails else None

    def _in_order(self, vertices: Iterable[Vertex]) -> list[Vertex]:
        return sorted(vertices, key=self.rank.__getitem__)

    # ---- the end ----

    @property
    def is_bipartite(self) -> bool:
        """Whether no intermediate is left, so that the labels are the entries of the Jacobian."""
        return self._ends >= self._tails.keys()

    def jacobian(self) -> dict[tuple[Vertex, Vertex], Label]:
        """Return the derivative of each output ``y`` with respect to each input ``x`` it depends on, under ``(x, y)``.

        Raises :class:`CGraphError` while there are intermediates.

        >>> CGraph.from_edges([("x", "y")], partials=[2.0]).jacobian()
        {('x', 'y'): 2.0}
        """
        if not self.is_bipartite:
            left = ", ".join(map(self.name, self.intermediates[:5]))
            raise CGraphError(f"The labels are not the Jacobian yet: eliminate what is left between ({left}).")
        return {(i, j): self._tails[j][i] for i, j in self.edges}

    # ---- changing ----

    def set_partial(self, i: Vertex, j: Vertex, partial: Label) -> Edit:
        """Set the label of the edge from ``i`` to ``j``, which is made if there is none."""
        edit = Edit(("edge", i, j), self._tails[j].get(i), partial)
        self._tails[j][i] = self._heads[i][j] = partial
        return edit

    def add_copy(self, j: Vertex) -> Edit:
        """Add a vertex with the size and the name of ``j`` and a dash, and without edges: a :class:`Copy`.

        >>> CGraph.from_edges([(0, 1), (1, 2)]).add_copy(1).key
        ('vertex', Copy(original=1, number=2))
        """
        alike = [vertex for vertex in self.rank if original(vertex) == original(j)]
        number = len(alike) + 1
        copy = Copy(original(j), number)
        # What graphs share that were copied from each other is replaced, not changed.
        order = self._in_order(self.rank)
        order.insert(max(self.rank[vertex] for vertex in alike) + 1, copy)
        self.rank = {vertex: place for place, vertex in enumerate(order)}
        self.names = {**self.names, copy: self.name(original(j)) + "′" * (number - 1)}
        if j in self.sizes:
            self.sizes = {**self.sizes, copy: self.sizes[j]}
        self._tails[copy], self._heads[copy] = {}, {}
        return Edit(("vertex", copy), None, True)

    def remove_edge(self, i: Vertex, j: Vertex) -> Edit:
        """Remove the edge from ``i`` to ``j``."""
        del self._heads[i][j]
        return Edit(("edge", i, j), self._tails[j].pop(i), None)

    def remove_vertex(self, j: Vertex) -> tuple[Edit, ...]:
        """Remove a vertex with its edges."""
        incoming = [self.remove_edge(i, j) for i in self.predecessors(j)]
        outgoing = [self.remove_edge(j, k) for k in self.successors(j)]
        del self._tails[j], self._heads[j]
        return (*incoming, *outgoing, Edit(("vertex", j), True, None))

    def _put(self, key: Any, value: Label) -> None:
        match key:
            case ("vertex", j) if value is None:
                del self._tails[j], self._heads[j]
            case ("vertex", j):
                self._tails[j], self._heads[j] = {}, {}
            case ("edge", i, j) if value is None:
                self.remove_edge(i, j)
            case ("edge", i, j):
                self.set_partial(i, j, value)

    def state(self) -> State:
        """Return the state for Timelines: ``("vertex", j)`` is true, ``("edge", i, j)`` is the label c_ji."""
        vertices: State = {("vertex", vertex): True for vertex in self.vertices}
        return vertices | {("edge", i, j): self._tails[j][i] for i, j in self.edges}

    def copy(self) -> CGraph:
        """Return a copy, which can be changed without changing this one."""
        other = copy(self)
        other._tails = {j: dict(partials) for j, partials in self._tails.items()}
        other._heads = {i: dict(partials) for i, partials in self._heads.items()}
        return other

    def pruned(self) -> CGraph:
        """Return a copy without dead vertices, from which no path leads to an output; inputs stay.

        >>> edges = [(0, 1), (1, 2), (0, 3), (3, 4)]
        >>> CGraph.from_edges(edges, outputs=[2], prune=False).pruned().intermediates
        [1]
        """
        other = self.copy()
        for j in reversed(other.intermediates):
            if not other._heads[j]:
                other.remove_vertex(j)
        return other

    # ---- in and out ----

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[Vertex, Vertex]],
        sizes: Mapping[Any, int] | None = None,
        partials: Iterable[Label] | Mapping[tuple[Vertex, Vertex], Label] | None = None,
        outputs: Iterable[Vertex] | None = None,
        names: Mapping[Any, str] | None = None,
        title: str = "",
        seed: int = 0,
        prune: bool = True,
    ) -> CGraph:
        """Return a graph from pairs ``(i, j)``, where ``j`` is computed from ``i``.

        Inputs are the vertices without predecessors, outputs those without successors, unless ``outputs`` names them:
        then an output that feeds others, or is an input, gets a copy ``("output", y)`` with the partial 1, and what
        reaches no output is dropped, unless ``prune`` is false: then it is eliminated like all others. ``partials``,
        one for each edge or by edge, are numbers, or matrices between vertices of several entries; by default random
        ones are drawn. Those of an edge that is listed twice are added. The topological order is that of whole
        numbers, as far as the edges allow, else that of mention.

        Raises :class:`CGraphError` for anything that makes no such graph.

        >>> CGraph.from_edges([("x", "v"), ("v", "y"), ("v", "y")], partials=[2.0, 3.0, 1]).partial("v", "y")
        4.0
        >>> CGraph.from_edges([(0, 1), (1, 2)], sizes={0: 3, 1: 2}).partial(0, 1).shape
        (2, 3)
        """
        return cls(*parts_of_edges(edges, sizes, partials, outputs, names, title, seed, prune))

    def to_json(self) -> str:
        """Return the graph as a JSON document: vertices in order, edges with partials; matrices as lists of rows.

        Raises :class:`CGraphError` for vertices other than whole numbers, texts and tuples of those, and for partials
        that are not finite.

        >>> CGraph.from_json(CGraph.from_edges([("x", "y")], partials=[2]).to_json()).partial("x", "y")
        2
        """
        return to_json(self)

    @classmethod
    def from_json(cls, document: str) -> CGraph:
        """Read a document that :meth:`to_json` wrote. Raises :class:`CGraphError` that names the place."""
        return cls(*from_json(document))

    def to_networkx(self) -> Any:
        """Return the graph as a ``networkx.DiGraph``: ``name`` and ``size`` of nodes, ``partial`` of edges.

        The graph's own attributes are ``title``, ``inputs`` and ``outputs``.
        """
        return to_networkx(self)

    @classmethod
    def from_networkx(cls, graph: Any) -> CGraph:
        """Convert a directed NetworkX graph, with the attributes that :meth:`to_networkx` writes, if it has them.

        Edges of a multigraph are added. Raises :class:`CGraphError` as :meth:`from_edges` does.
        """
        return cls(*from_networkx(graph))

    def to_graphviz(self, direction: str = "data flow") -> Any:
        """Return the graph as a ``graphviz.Digraph``; names are shown as text, whatever they contain.

        ``direction="dependence"`` turns the arrows around: from what is computed to what it is computed from.
        """
        edges = [(i, j, text(self._tails[j][i])) for i, j in self.edges]
        return digraph({j: self.called(j) for j in self.vertices}, edges, direction)

    def summary(self) -> str:
        """Return sizes, levels, paths and faces, as text."""
        return summary(self)

    def __repr__(self) -> str:
        counts = [(len(self.inputs), "input"), (len(self.intermediates), "intermediate"), (len(self.outputs), "output")]
        counts.append((sum(map(len, self._tails.values())), "edge"))
        return f"<CGraph: {counted(*counts)}>"
