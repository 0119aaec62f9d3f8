"""Factorization as Steps: vertices are split until every block is simple; and the algebra of any Steps.

Backward factorization begins at the inputs. Where a vertex is used by several others, or leads to several inputs, it is
split: each use gets a copy with what is behind it. With references, what is behind it is multiplied out first and
becomes one edge, so that only this edge is copied. Forward factorization is its mirror image. In the end every block is
simple, and :func:`contraction` multiplies it out from the inside. :func:`expressions_of` reads the algebra off these
Steps, or off those of any elimination.

Source: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), section 4, figures 4.2 and 4.3. What is
left open there is decided so: with several inputs (or outputs, forward) a vertex is split for each of them, too; and
simple chains and blocks that several of them share become references at the beginning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator
from typing import Any

from ...graph.linearized.cgraph import CGraph, expect, original
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.line_graph import is_interior
from ...graph.linearized.measures import count_paths, index_domains, index_ranges
from ...graph.timeline import Edit, Step, Timeline
from ..elimination.counting import PLAIN, Counting
from ..elimination.moves import eliminate_vertex
from .decomposition import decomposed
from .sharing import Part, written_parts
from .terms import MOST_PATHS, ExpressionError, Expressions, Letter, walk


def contraction(graph: CGraph, counting: Counting = PLAIN, only: Iterable[Vertex] | None = None) -> Iterator[Step]:
    """Eliminate vertices with one edge in and one edge out until none is left: simple blocks, from the inside out.

    ``only`` some vertices, if they are given.

    >>> graph = CGraph.from_edges([(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (2, 1), (3, 1)])
    >>> sum(step.multiplications for step in contraction(graph)), graph.is_bipartite
    (5, True)
    """
    expect(graph, CGraph)
    allowed = set(graph.intermediates if only is None else only)
    waiting = deque(vertex for vertex in graph.intermediates if vertex in allowed)
    while waiting:
        j = waiting.popleft()
        if j in graph and j in allowed and len(graph.predecessors(j)) == len(graph.successors(j)) == 1:
            waiting += *graph.predecessors(j), *graph.successors(j)
            yield from eliminate_vertex(graph, j, counting)


def backward_splits(graph: CGraph, references: bool = True, counting: Counting = PLAIN) -> Iterator[Step]:
    """Split vertices behind, from the inputs on, until every block is simple.

    Without references what is behind a vertex is copied with it: raises :class:`ExpressionError` for more than 100,000
    paths.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> graph = CGraph.from_edges(edges)
    >>> [step.focus[0] for step in backward_splits(graph) if step.kind == "split"]
    [('vertex', 5), ('vertex', 6), ('vertex', 4)]
    >>> decomposed(graph).is_simple
    True
    """
    return _Splitting(graph, references, False, counting).steps()


def forward_splits(graph: CGraph, references: bool = True, counting: Counting = PLAIN) -> Iterator[Step]:
    """Split vertices in front, from the outputs on, until every block is simple; as :func:`backward_splits`.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> graph = CGraph.from_edges(edges)
    >>> [step.focus[0] for step in forward_splits(graph) if step.kind == "split"]
    [('vertex', 3), ('vertex', 2), ('vertex', 4)]
    """
    return _Splitting(graph, references, True, counting).steps()


def path_splits(graph: CGraph) -> Iterator[Step]:
    """Split vertices until each path from an input to an output has its own: the second route begins there.

    Raises :class:`ExpressionError` for more than 100,000 paths.

    >>> graph = CGraph.from_edges([(0, 1), (1, 2), (1, 3), (2, 4), (3, 4)])
    >>> len(list(path_splits(graph))), len(graph.intermediates)
    (1, 4)
    """
    expect(graph, CGraph)
    if (count := count_paths(graph)) > MOST_PATHS:
        raise ExpressionError(
            f"There are {count:,} paths, more than {MOST_PATHS:,}: backward_splits makes fewer copies."
        )
    splitting = _Splitting(graph, False, False, PLAIN)
    for vertex in graph.intermediates:
        behind = {other: [other] for other in graph.predecessors(vertex)}
        ahead = {front: [(vertex, front)] for front in graph.successors(vertex)}
        yield from splitting.split(vertex, behind, ahead)


Attached = tuple[list[Edit], list[tuple[Edge, Edge]]]
"""Edits, and the edges that were copied or moved with those that they have become."""


class _Splitting:
    """The splitting of a graph from the inputs, or from the outputs if ``forward``.

    *Behind* a vertex is what lies towards that side, *ahead* what lies towards the other.
    """

    def __init__(self, graph: CGraph, references: bool, forward: bool, counting: Counting):
        expect(graph, CGraph)
        if not references and (count := count_paths(graph)) > MOST_PATHS:
            raise ExpressionError(
                f"Without references there are {count:,} products, more than {MOST_PATHS:,}: "
                "leave references=False out."
            )
        self.graph, self.references, self.forward, self.counting = graph, references, forward, counting

    def behind(self, vertex: Vertex) -> list[Vertex]:
        """Return the neighbours towards the side where the splitting begins."""
        return self.graph.successors(vertex) if self.forward else self.graph.predecessors(vertex)

    def edge(self, behind: Vertex, vertex: Vertex) -> Edge:
        """Return the edge between a vertex and one behind it, as the graph has it."""
        return (vertex, behind) if self.forward else (behind, vertex)

    def steps(self) -> Iterator[Step]:
        """Yield the Steps: shared simple parts first, then each vertex of the core, those behind it before it."""
        if self.references:
            yield from self._share_simple_parts()
        core = decomposed(self.graph)
        ahead: dict[Vertex, dict[Vertex, list[Edge]]] = {vertex: {} for vertex in core.vertices}
        for (i, j), part in core.edges.items():
            near, far = (j, i) if self.forward else (i, j)
            ahead[near][far] = [(each.tail, each.head) for each in walk(part) if isinstance(each, Letter)]
        order = core.intermediates
        for vertex in reversed(order) if self.forward else order:
            by_end: dict[Vertex, list[Vertex]] = {}
            for other in self.behind(vertex):
                by_end.setdefault(self._end(other), []).append(other)
            if len(ahead[vertex]) > 1 and self.references:
                for end in by_end:
                    yield from self._refer(vertex, end, by_end)
            yield from self.split(vertex, by_end, ahead[vertex])

    def _share_simple_parts(self) -> Iterator[Step]:
        """Contract the chains and blocks that several ends share: their value is a reference edge."""
        ends = (index_ranges if self.forward else index_domains)(self.graph)
        for (i, j), part in decomposed(self.graph).edges.items():
            if len(ends[j if self.forward else i]) > 1 and not isinstance(part, Letter):
                letters = [each for each in walk(part) if isinstance(each, Letter)]
                inside = {vertex for each in letters for vertex in (each.head, each.tail)} - {i, j}
                yield from contraction(self.graph, self.counting, inside)
                yield Step("reference", (), (("edge", i, j),))

    def _end(self, vertex: Vertex) -> Vertex:
        """Return the only end that is behind a vertex that has been split."""
        while nearer := self.behind(vertex):
            vertex = nearer[0]
        return vertex

    def _refer(self, vertex: Vertex, end: Vertex, by_end: dict[Vertex, list[Vertex]]) -> Iterator[Step]:
        """Contract what is behind a vertex, towards one end, to one edge, which is a reference."""
        inside = [each for other in by_end[end] for each in self._tree(other)]
        if inside:
            yield from contraction(self.graph, self.counting, inside)
            by_end[end] = [end]
            yield Step("reference", (), (("edge", *self.edge(end, vertex)),))

    def _tree(self, vertex: Vertex) -> list[Vertex]:
        """Return the intermediates behind a vertex, and the vertex itself unless it is an end."""
        result, waiting = dict[Vertex, None](), [vertex]
        while waiting:
            each = waiting.pop()
            if self.graph.is_intermediate(each):
                result[each] = None
                waiting += self.behind(each)
        return list(result)

    def split(
        self, vertex: Vertex, by_end: dict[Vertex, list[Vertex]], ahead: dict[Vertex, list[Edge]]
    ) -> Iterator[Step]:
        """Split a vertex for each pair of an end and a block ahead, but the first pair.

        The first copy for an end is given what is behind towards it, others a copy of that. The copies for the first
        end are given the blocks ahead, those for others a copy of them.
        """
        holders = dict.fromkeys(ahead, vertex)  # which copy has each block ahead, of those for the first end
        for number, others in enumerate(by_end.values()):
            root = vertex  # which copy has what is behind towards this end
            for use, (far, edges) in enumerate(ahead.items()):
                if not number and not use:
                    continue
                made = self.graph.add_copy(vertex)
                copy = _added(made)
                if number:
                    there = [(holders[far] if i == vertex else i, holders[far] if j == vertex else j) for i, j in edges]
                    front = self._copied(there, {holders[far]: copy}, stop=ahead)
                else:
                    front = self._moved([edge for edge in edges if vertex in edge], vertex, copy)
                    holders[far] = copy
                if use:
                    behind = self._copied(self._edges_behind(root, others), {root: copy})
                else:
                    behind = self._moved([self.edge(other, root) for other in others], root, copy)
                    root = copy
                pairs = [("edge", *edge) for pair in [*front[1], *behind[1]] for edge in pair]
                yield Step("split", (made, *front[0], *behind[0]), (("vertex", vertex), ("vertex", copy), *pairs))

    def _edges_behind(self, vertex: Vertex, others: list[Vertex]) -> list[Edge]:
        """Return the edges from a vertex to some behind it, and all behind these."""
        pairs = [(other, vertex) for other in others]
        for other in others:
            pairs += [(nearer, each) for each in self._tree(other) for nearer in self.behind(each)]
        return [self.edge(*pair) for pair in dict.fromkeys(pairs)]

    def _moved(self, edges: list[Edge], old: Vertex, new: Vertex) -> Attached:
        """Attach edges of one vertex to another."""
        pairs = [((i, j), (new if i == old else i, new if j == old else j)) for i, j in edges]
        made = [self.graph.set_partial(*to, self.graph.partial(*of)) for of, to in pairs]
        return made + [self.graph.remove_edge(*of) for of, _ in pairs], pairs

    def _copied(self, edges: list[Edge], copies: dict[Vertex, Vertex], stop: Container[Vertex] = ()) -> Attached:
        """Copy edges with the intermediates they join, but those of ``stop``; ``copies`` has those that are there."""
        edits, pairs = list[Edit](), list[tuple[Edge, Edge]]()
        for edge in edges:
            for vertex in edge:
                if vertex not in copies and vertex not in stop and self.graph.is_intermediate(vertex):
                    edits.append(self.graph.add_copy(vertex))
                    copies[vertex] = _added(edits[-1])
            i, j = edge
            pairs.append((edge, (copies.get(i, i), copies.get(j, j))))
            edits.append(self.graph.set_partial(*pairs[-1][1], self.graph.partial(i, j)))
        return edits, pairs


def _added(edit: Edit) -> Vertex:
    key: Any = edit.key
    return key[1]


# ---- the second route ----

# All paths apart, and vertices joined again as long as every block stays simple.
#
# Which vertices are joined first is left open by Zhou: here those with the same part ahead, from the outputs on, and
# then those with the same part behind, large parts before small ones; so that the result is factored from the output,
# and blocks that follow each other are found. ``forward=True`` is the mirror image.


MOST_VERTICES = 2_000
"""Each joint is tried: the most vertices of paths for which that takes seconds."""


def path_joints(graph: CGraph, forward: bool = False) -> Iterator[Step]:
    """Join copies of the same vertex, with equal parts ahead or behind, while every block stays simple.

    ``graph`` is one whose blocks are simple, such as :func:`path_splits` leaves. Raises :class:`ExpressionError` for
    another one, and for more than 2,000 vertices.

    >>> graph = CGraph.from_edges([(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (2, 1), (3, 1)])
    >>> for step in path_splits(graph): pass
    >>> apart = graph.copy()
    >>> for step in path_joints(graph): pass
    >>> [sum(step.multiplications for step in contraction(each)) for each in (apart, graph)]
    [12, 5]
    """
    expect(graph, CGraph)
    if len(graph.vertices) > MOST_VERTICES:
        raise ExpressionError(
            f"{len(graph.vertices):,} vertices of paths are more than {MOST_VERTICES:,}: split instead."
        )
    if not decomposed(graph).is_simple:
        raise ExpressionError("This graph has complex blocks: take its paths apart first, with path_splits.")
    return _joints(graph, forward)


def _joints(graph: CGraph, forward: bool) -> Iterator[Step]:
    for towards_outputs in (not forward, forward):
        has_changed = True
        while has_changed:
            has_changed = False
            keys, sizes = _shapes(graph, towards_outputs)
            # What lies ahead is joined from the end on; of what lies behind, large parts first: small ones alone
            # may not be joined where the large one is.
            first = towards_outputs != forward
            order = sorted(keys, key=lambda vertex: sizes[vertex] if first else -sizes[vertex])
            kept: dict[int, list[Vertex]] = {}
            for vertex in order:
                if vertex not in graph or not graph.is_intermediate(vertex):
                    continue
                for other in kept.setdefault(keys[vertex], []):
                    trial = graph.copy()
                    _join(trial, other, vertex, towards_outputs)
                    if decomposed(trial).is_simple:
                        yield _join(graph, other, vertex, towards_outputs)
                        has_changed = True
                        break
                else:
                    kept[keys[vertex]].append(vertex)


def _shapes(graph: CGraph, towards_outputs: bool) -> tuple[dict[Vertex, int], dict[Vertex, int]]:
    """Return a number for each intermediate that equal parts share, and how many vertices its part has."""
    numbers: dict[object, int] = {}
    keys: dict[Vertex, int] = {}
    sizes: dict[Vertex, int] = {}
    for vertex in reversed(graph.vertices) if towards_outputs else graph.vertices:
        nearer = graph.successors(vertex) if towards_outputs else graph.predecessors(vertex)
        shape = original(vertex), tuple(sorted(keys[other] for other in nearer))
        keys[vertex] = numbers.setdefault(shape, len(numbers))
        sizes[vertex] = 1 + sum(sizes[other] for other in nearer)
    inner = graph.intermediates
    return {vertex: keys[vertex] for vertex in inner}, {vertex: sizes[vertex] for vertex in inner}


def _join(graph: CGraph, kept: Vertex, gone: Vertex, towards_outputs: bool) -> Step:
    """Join two vertices whose parts towards one side are equal: what only one of them needs there is removed."""
    if towards_outputs:
        pairs = [((other, gone), (other, kept)) for other in graph.predecessors(gone)]
    else:
        pairs = [((gone, other), (kept, other)) for other in graph.successors(gone)]
    edits = [graph.set_partial(*new, graph.partial(*old)) for old, new in pairs]
    waiting = [gone]
    while waiting:
        vertex = waiting.pop()
        nearer = graph.successors(vertex) if towards_outputs else graph.predecessors(vertex)
        edits += graph.remove_vertex(vertex)
        side = "front" if towards_outputs else "back"
        waiting += [other for other in nearer if graph.is_intermediate(other) and graph.is_cut_off(other, side)]
    keys = [("edge", *edge) for pair in pairs for edge in pair]
    return Step("join", tuple(edits), (("vertex", kept), ("vertex", gone), *keys))


# ---- the algebra of Steps ----


def expressions_of(timeline: Timeline) -> Expressions:
    """Return the expressions that the Steps of an elimination or a factorization compute.

    What several products use is a reference, so that the expressions cost what the Steps cost. On the timeline of an
    elimination of vertices, edges or faces, this is the algebra that an order means.

    >>> from adviz import vertex_elimination
    >>> graph = CGraph.from_edges([(0, 1), (1, 2), (2, 3), (0, 2), (2, 4)])
    >>> print(expressions_of(Timeline.record(graph, vertex_elimination(graph, [1, 2]))))
    X1 = e20 + e21 e10
    e30 = e32 X1
    e40 = e42 X1
    """
    if not isinstance(timeline, Timeline):
        raise TypeError(f"Expected a Timeline, not a {type(timeline).__name__}: make one with adviz.Timeline.record.")
    parts: dict[Any, Part] = {}
    order: list[Part] = []
    products: dict[tuple[Part, Part], Part] = {}

    def made(kind: str, *of: Any) -> Part:
        order.append(Part(kind, of))
        return order[-1]

    for key in timeline.start:
        if (ends := _ends(key)) is not None:
            parts[key] = made("leaf", Letter(original(ends[1]), original(ends[0])))
    for step in timeline:
        if step.kind in ("fill_in", "absorb", "reuse"):
            first, second, result = step.focus
            factors = parts[second], parts[first]
            if step.multiplications or factors not in products:  # one that is added at several places costs once
                products[factors] = made("product", *factors)
            gain = products[factors]
            parts[result] = made("sum", parts[result], gain) if step.kind == "absorb" else gain
        elif step.kind == "merge":
            one, other = step.focus
            parts[one] = made("sum", parts[one], parts[other])
        elif step.kind in ("split", "join"):
            keys = [key for key in step.focus if _ends(key) is not None]
            parts |= {new: parts[old] for old, new in zip(keys[::2], keys[1::2], strict=True)}
    entries: dict[tuple[Vertex, Vertex], list[Part]] = {}
    for key in timeline.at(len(timeline)):
        if (ends := _ends(key)) is not None:
            entries.setdefault((ends[1], ends[0]), []).append(parts[key])
    return written_parts(entries, order)


def _ends(key: Any) -> Edge | None:
    """Return the ends of an edge, or of an interior node of a line graph; ``None`` for other keys."""
    match key:
        case ("edge", tail, head):
            return tail, head
        case ("node", node) if is_interior(node):
            return node[0], node[1]
    return None
