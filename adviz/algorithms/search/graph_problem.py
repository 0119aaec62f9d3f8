"""Vertex, edge and face elimination as problems of a search, also where products with units are free."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from . import clock, masks
from .best_first import TimeUp
from .cuts import Room
from .label_kinds import Constants
from .problem import Labelled, Structure, bits, mask_of, room_for


class GraphState(NamedTuple):
    """What is left of a graph: predecessors and successors, and what is known of labels."""

    preds: tuple[int, ...]
    succs: tuple[int, ...]
    labels: frozenset[tuple[tuple[int, int], Any]]


class StructureProblem:
    """The elimination of a structure, whose labels take the memory."""

    structure: Structure

    @property
    def is_full(self) -> bool:
        """Whether the memory is full, so that nothing more can be learned about labels."""
        return self.structure.algebra.is_full


class GraphProblem(StructureProblem):
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
        self.start = _state(Labelled(structure))

    def moves(self, state: GraphState) -> Iterator[tuple[Any, int, GraphState]]:
        """Return the moves: a vertex, or ``("front", i, j)`` and ``("back", i, j)``, by numbers."""
        return self._vertices(state) if self.technique == "vertex" else self._edges(state)

    def bound(self, state: GraphState) -> int:
        """Return the sum over the vertices of the products of their cuts."""
        sizes, inside = self.structure.least, self.structure.inside
        constant = [edge for edge, _ in state.labels] if isinstance(self.structure.algebra, Constants) else []
        return sum_of_cuts([*state.preds], [*state.succs], sizes, inside, constant, self.room, self.end)

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


def sum_of_cuts(
    preds: list[int],
    succs: list[int],
    sizes: Sequence[int],
    inside: int,
    constant: Iterable[tuple[int, int]],
    room: Room,
    end: float,
) -> int:
    """Return the sum over vertices of the products of their cuts, by paths whose edges there are not ``constant``."""
    fixed, total = ([0] * len(sizes), [0] * len(sizes)), 0
    for i, j in constant:
        fixed[0][j] |= 1 << i
        fixed[1][i] |= 1 << j
    for j in bits(inside):
        if clock.now() > end:
            raise TimeUp(total)
        kept = preds[j], succs[j]
        preds[j], succs[j] = preds[j] & ~fixed[0][j], succs[j] & ~fixed[1][j]
        total += masks.least_cost(preds, succs, sizes, inside, j, room)
        preds[j], succs[j] = kept
    return total


def _state(graph: Labelled) -> GraphState:
    return GraphState(tuple(graph.preds), tuple(graph.succs), frozenset(graph.labels.items()))


# ---- faces ----


class Node(NamedTuple):
    """An interior node of a line graph: its ends, what is known of its label, and the mask of its predecessors."""

    tail: int
    head: int
    label: Any
    preds: int


FaceState = tuple[Node, ...]
"""The interior nodes. They have no names, so that states that differ only in the order of twins are one; and source and
sink edges need not be listed: one precedes a node whose tail is an input, and one follows if its head is an output."""


class FaceProblem(StructureProblem):
    """The elimination of faces, with one product each. Moves are pairs of places in the state.

    >>> from .problem import structure_of
    >>> from ...graph.linearized.cgraph import CGraph
    >>> problem = FaceProblem(structure_of(CGraph.from_edges([(0, 1), (1, 2)])))
    >>> problem.bound(problem.start), list(problem.moves(problem.start))
    (1, [((0, 1), 1, (Node(tail=0, head=2, label=None, preds=0),))])
    """

    def __init__(self, structure: Structure):
        self.structure, self.end = structure, math.inf
        edges = [(i, j) for i, succs in enumerate(structure.succs) for j in bits(succs)]
        nodes = [
            Node(i, j, structure.labels.get((i, j)), mask_of(e for e, (_, head) in enumerate(edges) if head == i))
            for i, j in edges
        ]
        self.start = Faces(structure, nodes).state()

    def moves(self, state: FaceState) -> Iterator[tuple[Any, int, FaceState]]:
        """Yield the faces, by the places of their nodes."""
        for f, node in enumerate(state):
            for e in bits(node.preds):
                faces = Faces(self.structure, state)
                yield (e, f), faces.eliminate(e, f), faces.state()

    def bound(self, state: FaceState) -> int:
        """Sum the products of the cuts of vertices, as for edges (:class:`~.graph_problem.GraphProblem`).

        A vertex counts once for each connected set of its faces: such sets stay apart, since new nodes get the
        predecessors and the successors of old ones. Where a node of such a set lacks a face to another, nodes are left
        out until each has a face to each.
        """
        return Faces(self.structure, state).bound(self.end)


class Faces:
    """A line graph from which faces are eliminated."""

    def __init__(self, structure: Structure, nodes: FaceState | list[Node]):
        self.structure = structure
        self.ends = [(node.tail, node.head) for node in nodes]
        self.labels = [node.label for node in nodes]
        self.preds = [node.preds for node in nodes]
        self.succs = [0] * len(nodes)
        self.present = (1 << len(nodes)) - 1
        for f, preds in enumerate(self.preds):
            for e in bits(preds):
                self.succs[e] |= 1 << f

    def state(self) -> FaceState:
        """Return the canonical state."""
        nodes = self.order()
        place = {e: k for k, e in enumerate(nodes)}
        return tuple(Node(*self.ends[e], self.labels[e], mask_of(place[d] for d in bits(self.preds[e]))) for e in nodes)

    def order(self) -> list[int]:
        """Return the nodes in canonical order: distinguished by their ends, then by their neighbours, repeatedly."""
        nodes = list(bits(self.present))
        keys: dict[int, Any] = {e: (self.ends[e], self.labels[e] is None, self.labels[e] or 0) for e in nodes}
        colors, classes = _ranks(keys), 0
        while max(colors.values(), default=-1) + 1 < len(nodes):
            if classes == len(set(colors.values())):  # what is still alike is so by a symmetry: take one
                alike = Counter(colors.values())
                first = min((e for e in nodes if alike[colors[e]] > 1), key=lambda e: (colors[e], e))
                keys = {e: (colors[e], e != first) for e in nodes}
            else:
                classes = len(set(colors.values()))
                keys = {e: (colors[e], *self._around(e, colors)) for e in nodes}
            colors = _ranks(keys)
        return sorted(nodes, key=colors.__getitem__)

    def _around(self, e: int, colors: dict[int, int]) -> Iterator[tuple[int, ...]]:
        for side in (self.preds, self.succs):
            yield tuple(sorted(colors[d] for d in bits(side[e])))

    # ---- the move ----

    def eliminate(self, e: int, f: int) -> int:
        """Eliminate a face as :func:`~.moves.eliminate_face` does; the multiplications."""
        (i, j), (_, k) = self.ends[e], self.ends[f]
        sizes = self.structure.sizes
        gain, work = self.structure.algebra.product(self.labels[f], self.labels[e], (sizes[k], sizes[j], sizes[i]))
        self._gain(self.twin((i, k), self.preds[e], self.succs[f]), e, f, gain)
        self.succs[e] &= ~(1 << f)
        self.preds[f] &= ~(1 << e)
        self._tidy(e, f)
        return work

    def twin(self, ends: tuple[int, int], preds: int, succs: int, other_than: int = -1) -> int:
        """Return the node with these ends and neighbours; -1 if there is none."""
        for d in bits(self.present):
            if self.ends[d] == ends and self.preds[d] == preds and self.succs[d] == succs and d != other_than:
                return d
        return -1

    def _gain(self, k: int, e: int, f: int, gain: Any) -> None:
        if k >= 0:
            self._add(k, gain)
            return
        self.present |= 1 << len(self.ends)
        for d in bits(self.preds[e]):
            self.succs[d] |= 1 << len(self.ends)
        for g in bits(self.succs[f]):
            self.preds[g] |= 1 << len(self.ends)
        self.ends.append((self.ends[e][0], self.ends[f][1]))
        self.labels.append(gain)
        self.preds.append(self.preds[e])
        self.succs.append(self.succs[f])

    def _add(self, e: int, label: Any) -> None:
        self.labels[e] = self.structure.algebra.plus(self.labels[e], label)

    def _tidy(self, *touched: int) -> None:
        inside, waiting = self.structure.inside, deque(touched)
        while waiting:
            e = waiting.popleft()
            if not self.present >> e & 1:
                continue
            (i, j), preds, succs = self.ends[e], self.preds[e], self.succs[e]
            if (inside >> i & 1 and not preds) or (inside >> j & 1 and not succs):
                waiting += *bits(preds), *bits(succs)
                self._remove(e)
            elif (other := self.twin((i, j), preds, succs, e)) >= 0:
                self._add(e, self.labels[other])
                self._remove(other)

    def _remove(self, e: int) -> None:
        self.present &= ~(1 << e)
        for d in bits(self.preds[e]):
            self.succs[d] &= ~(1 << e)
        for f in bits(self.succs[e]):
            self.preds[f] &= ~(1 << e)

    # ---- the bound ----

    def bound(self, end: float = math.inf) -> int:
        """Return a lower bound for the cost of the rest. Raises :class:`~.best_first.TimeUp` at the time ``end``."""
        inside, sizes = self.structure.inside, list(self.structure.least)
        tails = {e: self.ends[e][0] for e in bits(self.present) if not inside >> self.ends[e][0] & 1}
        heads = {e: self.ends[e][1] for e in bits(self.present) if not inside >> self.ends[e][1] & 1}
        first = len(sizes)
        for into, out in self._bicliques():
            heads |= dict.fromkeys(bits(into), len(sizes))
            tails |= dict.fromkeys(bits(out), len(sizes))
            sizes.append(sizes[self.ends[(into & -into).bit_length() - 1][1]])
        preds, succs, constant = [0] * len(sizes), [0] * len(sizes), []
        for e in tails.keys() & heads.keys():
            i, j = tails[e], heads[e]
            preds[j] |= 1 << i
            succs[i] |= 1 << j
            if self.labels[e] is not None and isinstance(self.structure.algebra, Constants):
                constant.append((i, j))
        whole = (1 << len(sizes)) - (1 << first)
        return sum_of_cuts(preds, succs, sizes, whole, constant, room_for(len(sizes)), end)

    def _bicliques(self) -> Iterator[tuple[int, int]]:
        """Return for each connected set of faces at a vertex nodes in and out, such that each has a face to each."""
        left = mask_of(e for e in bits(self.present) if self.succs[e])
        while left:
            into = left & -left
            out = self.succs[into.bit_length() - 1]
            while (more := reduce(or_, (self.preds[f] for f in bits(out)))) != into:
                into = more
                out = reduce(or_, (self.succs[e] for e in bits(into)))
            left &= ~into
            sides = [self.succs[e] for e in bits(into)]
            result = [(mask_of(d for d in bits(into) if not heads & ~self.succs[d]), heads) for heads in sides]
            yield max(result, key=lambda biclique: biclique[0].bit_count() * biclique[1].bit_count())


def _ranks(keys: dict[int, Any]) -> dict[int, int]:
    """Return the places of keys among all that differ."""
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    return {e: ranks[key] for e, key in keys.items()}
