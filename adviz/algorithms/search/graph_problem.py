"""Vertex and edge elimination as problems of a search, also where products with units are free."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from . import masks
from .label_kinds import Constants
from .problem import Labelled, Structure, bits, room_for


class GraphState(NamedTuple):
    """What is left of a graph: predecessors and successors, and what is known of labels."""

    before: tuple[int, ...]
    behind: tuple[int, ...]
    labels: frozenset[tuple[tuple[int, int], Any]]


class GraphProblem:
    """The elimination of vertices, or of edges, at whose front or back all products are made.

    Whichever of the two, and also for faces: of the paths through a vertex j, take as many that are disjoint before j
    as a cut of the vertices before j allows, and as many that are disjoint behind it. Every pair of them is multiplied
    at j some time, by products of different edges. So j costs at least the product of the two cuts. Where products
    with units are free, only paths whose edges at j are no constants count: what they become part of is none either.
    Where products cost by structure, only paths through vertices of one entry do.
    """

    def __init__(self, structure: Structure, technique: str):
        self.structure, self.technique = structure, technique
        self.room = room_for(len(structure.sizes))
        self.start = GraphState(structure.before, structure.behind, frozenset(structure.labels.items()))

    @property
    def is_full(self) -> bool:
        """Whether no more can be found out about labels, for want of memory."""
        return self.structure.algebra.is_full

    def moves(self, state: GraphState) -> Iterator[tuple[Any, int, GraphState]]:
        """The moves: a vertex, or ``("front", i, j)`` and ``("back", i, j)``, by numbers."""
        return self._vertices(state) if self.technique == "vertex" else self._edges(state)

    def bound(self, state: GraphState) -> int:
        """The sum over the vertices of the products of their cuts."""
        sizes, inside = self.structure.least, self.structure.inside
        free = dict(state.labels) if isinstance(self.structure.algebra, Constants) else ()
        before, behind, total = list(state.before), list(state.behind), 0
        for j in bits(inside):
            whole = before[j], behind[j]
            for i, k in free:
                if k == j:
                    before[j] &= ~(1 << i)
                elif i == j:
                    behind[j] &= ~(1 << k)
            total += masks.least_cost(before, behind, sizes, inside, j, self.room)
            before[j], behind[j] = whole
        return total

    def _graph(self, state: GraphState) -> Labelled:
        graph = Labelled(self.structure)
        graph.before, graph.behind, graph.labels = list(state.before), list(state.behind), dict(state.labels)
        return graph

    def _vertices(self, state: GraphState) -> Iterator[tuple[Any, int, GraphState]]:
        for j in bits(self.structure.inside):
            if state.before[j]:
                graph = self._graph(state)
                yield j, graph.eliminate(j), _state(graph)

    def _edges(self, state: GraphState) -> Iterator[tuple[Any, int, GraphState]]:
        for i in range(len(state.behind)):
            for j in bits(state.behind[i]):
                if self.structure.inside >> j & 1:
                    graph = self._graph(state)
                    yield ("front", i, j), graph.front(i, j), _state(graph)
                if self.structure.inside >> i & 1:
                    graph = self._graph(state)
                    yield ("back", i, j), graph.back(i, j), _state(graph)


def _state(graph: Labelled) -> GraphState:
    return GraphState(tuple(graph.before), tuple(graph.behind), frozenset(graph.labels.items()))
