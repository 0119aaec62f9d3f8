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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...graph.linearized.cgraph import CGraph, expect
from ...graph.linearized.checked_parts import Vertex
from .terms import Expression, Letter, Product, Sum


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
