"""Chains and blocks: what of a graph is series and parallel, as a tree, and the core that is left.

A *chain* is a path whose intermediates have one edge in and one edge out. A *block* lies between two vertices that at
least two paths without common intermediates connect, and has no edges to the outside but at its ends. Contracting
chains to edges (series) and edges between the same two vertices to one (parallel), repeatedly, leaves the *core*. A
block that is contracted is *simple*: it is two-terminal series-parallel. What stays between the ends of a core is
*complex*.

Sources: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), definitions 3.1 to 3.3; J. Valdes,
R. E. Tarjan, E. L. Lawler, The recognition of series parallel digraphs, SIAM J. Comput. 11 (1982). What Zhou's
definitions leave open is decided so: an edge beside other paths counts as one of them, a single edge is no chain, and
an *indirect* chain or block is one that holds blocks.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Edge, Vertex
from ...graph.linearized.measures import edges_between
from ..elimination.dstar import Factor, derivative_graphs
from ..elimination.dstar import factor_subgraphs as factors_of_edges
from .path_sets import count_between, expect_vertices
from .terms import Expression, ExpressionError, Letter, Product, Sum


@dataclass(frozen=True)
class Decomposition:
    """The core of a graph: its vertices, and what each edge ``(tail, head)`` of it stands for."""

    vertices: tuple[Vertex, ...]
    edges: dict[tuple[Vertex, Vertex], Expression]
    inputs: tuple[Vertex, ...]
    outputs: tuple[Vertex, ...]

    @property
    def intermediates(self) -> list[Vertex]:
        """The vertices of the core that are neither inputs nor outputs: none where all blocks are simple."""
        ends = {*self.inputs, *self.outputs}
        return [vertex for vertex in self.vertices if vertex not in ends]

    @property
    def is_simple(self) -> bool:
        """Whether the graph is a sum and product of its letters for each entry: whether nothing but entries is left."""
        return not self.intermediates

    def graph(self) -> CGraph:
        """Return the core as a graph whose labels are 1."""
        return CGraph(self.vertices, self.inputs, self.outputs, dict.fromkeys(self.edges, 1))

    def parts(self) -> Iterator[Product | Sum]:
        """Yield all chains and blocks, outer ones before those in them."""
        for expression in self.edges.values():
            waiting: list[Expression] = [expression]
            while waiting:
                each = waiting.pop()
                if isinstance(each, Product | Sum):
                    yield each
                    waiting += reversed(each.factors if isinstance(each, Product) else each.terms)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Hold back the search for cycles of objects: here are none, and it would take two thirds of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_no_collection()
def decomposed(graph: CGraph) -> Decomposition:
    """Contract chains and parallel edges until neither is left; in time linear in the number of edges.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (2, 1), (3, 1)]
    >>> core = decomposed(CGraph.from_edges(edges))
    >>> [str(each) for each in core.edges.values()]
    ['(e12 e24 + e13 e34) (e45 e57 + e46 e67)']
    """
    expect(graph, CGraph)
    tails: dict[Vertex, dict[Vertex, _Growing]] = {vertex: {} for vertex in graph.vertices}
    heads: dict[Vertex, dict[Vertex, None]] = {vertex: {} for vertex in graph.vertices}
    for i, j in graph.edges:
        tails[j][i] = Letter(j, i)
        heads[i][j] = None
    waiting = graph.intermediates[::-1]
    while waiting:
        j = waiting.pop()
        if j not in tails or len(tails[j]) != 1 or len(heads[j]) != 1:
            continue
        ((i, into),), (k,) = tails.pop(j).items(), heads.pop(j)
        whole: _Growing = (Product, tails[k].pop(j), into)
        tails[k][i] = (Sum, tails[k][i], whole) if i in tails[k] else whole
        del heads[i][j]
        heads[i][k] = None
        waiting += [vertex for vertex in (i, k) if graph.is_intermediate(vertex)]
    vertices = tuple(vertex for vertex in graph.vertices if vertex in tails)
    edges = {(i, j): _grown(tails[j][i]) for j in vertices for i in tails[j]}
    return Decomposition(vertices, edges, graph.inputs, graph.outputs)


_Growing: TypeAlias = "Letter | tuple[type[Product] | type[Sum], _Growing, _Growing]"
"""A letter, or a product or a sum of two parts, so that joining takes no time; :func:`_grown` makes one of many."""


def _grown(whole: _Growing) -> Expression:
    """Return the expression that has grown, however deep it is: products in products, and sums in sums, are one."""
    done: list[Expression] = []
    waiting: list[Any] = [(whole, None)]
    while waiting:
        each, outer = waiting.pop()
        if isinstance(each, Letter):
            done.append(each)
        elif isinstance(each, int):  # all parts of a whole are done, from this place on
            done[each:] = [outer(tuple(done[each:]))]
        else:
            kind, one, other = each
            if kind is not outer:
                waiting.append((len(done), kind))
            waiting += (other, kind), (one, kind)
    return done[0]


def chains(graph: CGraph) -> list[Product]:
    """Return the chains, outer ones before those in them; an indirect chain has blocks among its factors.

    >>> [str(each) for each in chains(CGraph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)]))]
    ['e32 e21 e10']
    """
    return [each for each in decomposed(graph).parts() if isinstance(each, Product)]


def blocks(graph: CGraph) -> list[Sum]:
    """Return the simple blocks, outer ones before those in them; an indirect block has blocks in its terms.

    >>> [str(each) for each in blocks(CGraph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)]))]
    ['e30 + e32 e21 e10']
    """
    return [each for each in decomposed(graph).parts() if isinstance(each, Sum)]


def is_direct(part: Product | Sum) -> bool:
    """Return whether a chain holds no block, or a block no block in its terms.

    >>> [is_direct(each) for each in blocks(CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 4)]))]
    [False, True]
    """
    inner: Iterable[Expression] = part.factors if isinstance(part, Product) else part.terms
    letters = [each for one in inner for each in (one.factors if isinstance(one, Product) else (one,))]
    return not any(isinstance(each, Sum) for each in letters)


# ---- complex blocks ----

# Blocks of every kind between two vertices of a graph, and the factor subgraphs of D* beside them.
#
# A block lies between two vertices that paths without common intermediates connect, and has no edges to the outside but
# at its ends. It is *simple* if contracting chains and parallel edges leaves one edge, otherwise *complex*. A factor
# subgraph of D* is all paths between two vertices of the derivative graph of one entry; there, edges of other entries
# do not count as outside. So every factor subgraph that is no block is one that several entries use in different ways.
#
# Sources: Y. Zhou, Notes on Computational Graph and Jacobian Accumulation (2020), definitions 3.1 and 3.3; B. Guenter,
# Efficient symbolic differentiation for graphics applications, SIGGRAPH 2007.


LARGEST_CORE = 400
"""All pairs of vertices of a core are tried: the most vertices for which that takes seconds."""


@dataclass(frozen=True)
class Between:
    """All paths from one vertex to another: their edges, and whether they are a block."""

    tail: Vertex
    head: Vertex
    edges: tuple[Edge, ...]
    kind: str
    """``"simple block"``, ``"complex block"`` or ``"no block"``."""
    entries: int
    """How many entries of the Jacobian use it."""


def complex_blocks(graph: CGraph) -> list[Between]:
    """Return the blocks of a graph that are not simple, small ones first.

    Raises :class:`~.terms.ExpressionError` for a core of more than 400 vertices.

    >>> edges = [(7, 5), (7, 6), (5, 4), (6, 4), (4, 2), (4, 3), (5, 2), (6, 3), (2, 1), (3, 1)]
    >>> [(each.tail, each.head, each.kind) for each in complex_blocks(CGraph.from_edges(edges))]
    [(7, 1, 'complex block')]
    """
    expect(graph, CGraph)
    core = decomposed(graph)
    if len(core.vertices) > LARGEST_CORE:
        raise ExpressionError(
            f"The core has {len(core.vertices):,} vertices, more than {LARGEST_CORE}: ask for those of a part of it."
        )
    small = core.graph()
    tails = [vertex for vertex in small.vertices if len(small.successors(vertex)) > 1]
    heads = [vertex for vertex in small.vertices if len(small.predecessors(vertex)) > 1]
    result = [between(graph, a, b) for a in tails for b in heads if _is_block(small, a, b)]
    return sorted((each for each in result if each.kind == "complex block"), key=lambda each: len(each.edges))


def between(graph: CGraph, tail: Vertex, head: Vertex) -> Between:
    """Return all paths from one vertex to another.

    >>> between(CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]), 0, 3).kind
    'simple block'
    """
    expect_vertices(graph, tail, head)
    edges = edges_between([tail], [head], graph.edges)
    kind = "no block"
    if _is_block(graph, tail, head):
        kind = "simple block" if decomposed(_part(graph, edges, tail, head)).is_simple else "complex block"
    return Between(tail, head, tuple(edges), kind, _entries(graph, tail, head))


def _part(graph: CGraph, edges: list[Edge], tail: Vertex, head: Vertex) -> CGraph:
    ends = {end for edge in edges for end in edge}
    return CGraph([vertex for vertex in graph.vertices if vertex in ends], [tail], [head], dict.fromkeys(edges, 1))


def _entries(graph: CGraph, tail: Vertex, head: Vertex) -> int:
    inputs = sum(count_between(graph, x, tail) > 0 for x in graph.inputs)
    outputs = sum(count_between(graph, head, y) > 0 for y in graph.outputs)
    return inputs * outputs


def _is_block(graph: CGraph, tail: Vertex, head: Vertex) -> bool:
    """Tell whether at least two paths share no intermediate, and no intermediate has an edge to the outside."""
    edges = edges_between([tail], [head], graph.edges)
    if len(edges) < 2:
        return False
    into, out = Counter(j for _, j in edges), Counter(i for i, _ in edges)
    inside = [vertex for vertex in into if vertex != head]
    if any(
        into[vertex] != len(graph.predecessors(vertex)) or out[vertex] != len(graph.successors(vertex))
        for vertex in inside
    ):
        return False
    part = _part(graph, edges, tail, head)
    paths = count_between(part, tail, head)
    return all(count_between(part, tail, v) * count_between(part, v, head) < paths for v in inside)


def factor_subgraphs(graph: CGraph) -> list[Between]:
    """Return the factor subgraphs of D* in the derivative graphs of all entries, those of most entries first.

    ``entries`` is how many derivative graphs have the same one; ``kind`` is what it is in the whole graph.

    >>> graph = CGraph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (2, 5)])
    >>> [(each.tail, each.head, each.kind, each.entries) for each in factor_subgraphs(graph)]
    [(0, 3, 'no block', 1)]
    """
    graphs = derivative_graphs(graph)
    counts = Counter(factor for pair in graphs.pairs for factor in factors_of_edges(graphs.edges(*pair), graphs.rank))
    return list(_beside(graph, counts))


def _beside(graph: CGraph, counts: Counter[Factor]) -> Iterator[Between]:
    for (tail, head, edges), count in sorted(counts.items(), key=lambda item: (-item[1], len(item[0][2]))):
        whole = between(graph, tail, head)
        same = set(whole.edges) == edges
        ordered = tuple(edge for edge in graph.edges if edge in edges)
        yield Between(tail, head, ordered, whole.kind if same else "no block", count)
