"""Vertex and edge elimination as problems of a search, also where products with units are free."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import clock, masks
from .best_first import TimeUp
from .label_kinds import Constants
from .problem import Labelled, Structure, bits, room_for


class GraphState(NamedTuple):
    """What is left of a graph: predecessors and successors, and what is known of labels."""

    preds: tuple[int, ...]
    succs: tuple[int, ...]
    labels: frozenset[tuple[tuple[int, int], Any]]


class GraphProblem:
    """The elimination of vertices, or of edges, at whose front or back all products are made.

    The bound holds for vertices, edges and faces: take as many disjoint paths into a vertex j as a cut between the
    inputs and j allows, and as many disjoint paths out of it. Every pair of them is multiplied at j some time, by
    products of different edges. So j costs at least the product of the two cuts. Where products with units are free,
    only paths whose edges at j are not constants count: what these become part of is not constant either. Where the
    cost depends on structure, only paths through vertices of one entry count.
    """

    def __init__(self, structure: Structure, technique: str):
        self.structure, self.technique, self.end = structure, technique, math.inf
        self.room = room_for(len(structure.sizes))
        self.start = GraphState(structure.preds, structure.succs, frozenset(structure.labels.items()))

    @property
    def is_full(self) -> bool:
        """Whether the memory is full, so that nothing more can be learned about labels."""
        return self.structure.algebra.is_full

    def moves(self, state: GraphState) -> Iterator[tuple[Any, int, GraphState]]:
        """Return the moves: a vertex, or ``("front", i, j)`` and ``("back", i, j)``, by numbers."""
        return self._vertices(state) if self.technique == "vertex" else self._edges(state)

    def bound(self, state: GraphState) -> int:
        """Return the sum over the vertices of the products of their cuts."""
        sizes, inside = self.structure.least, self.structure.inside
        free = dict(state.labels) if isinstance(self.structure.algebra, Constants) else ()
        preds, succs, total = list(state.preds), list(state.succs), 0
        for j in bits(inside):
            if clock.now() > self.end:
                raise TimeUp(total)
            whole = preds[j], succs[j]
            for i, k in free:
                if k == j:
                    preds[j] &= ~(1 << i)
                elif i == j:
                    succs[j] &= ~(1 << k)
            total += masks.least_cost(preds, succs, sizes, inside, j, self.room)
            preds[j], succs[j] = whole
        return total

    def _graph(self, state: GraphState) -> Labelled:
        graph = Labelled(self.structure)
        graph.preds, graph.succs, graph.labels = list(state.preds), list(state.succs), dict(state.labels)
        return graph

    def _vertices(self, state: GraphState) -> Iterator[tuple[Any, int, GraphState]]:
        for j in bits(self.structure.inside):
            if state.preds[j]:
                graph = self._graph(state)
                yield j, graph.eliminate(j), _state(graph)

    def _edges(self, state: GraphState) -> Iterator[tuple[Any, int, GraphState]]:
        for i in range(len(state.succs)):
            for j in bits(state.succs[i]):
                for side, middle in (("front", j), ("back", i)):
                    if self.structure.inside >> middle & 1:
                        graph = self._graph(state)
                        yield (side, i, j), getattr(graph, side)(i, j), _state(graph)


def _state(graph: Labelled) -> GraphState:
    return GraphState(tuple(graph.preds), tuple(graph.succs), frozenset(graph.labels.items()))
