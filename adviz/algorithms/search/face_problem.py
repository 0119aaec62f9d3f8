"""Face elimination as a problem of a search."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import masks
from .label_kinds import Constants
from .problem import Structure, bits, mask_of, room_for


class Node(NamedTuple):
    """An interior node of a line graph: its ends, what is known of its label, and the mask of nodes before it."""

    tail: int
    head: int
    label: Any
    before: int


FaceState = tuple[Node, ...]
"""The interior nodes. They have no names, so that states that differ only in the order of twins are one; and source and
sink edges need not be listed: one is before a node if its tail is an input, or behind it if its head is an output."""


class FaceProblem:
    """The elimination of faces, a product each. Moves are pairs of places in the state.

    >>> from .problem import structure_of
    >>> from ...graph.linearized.cgraph import CGraph
    >>> problem = FaceProblem(structure_of(CGraph.from_edges([(0, 1), (1, 2)])))
    >>> problem.bound(problem.start), list(problem.moves(problem.start))
    (1, [((0, 1), 1, (Node(tail=0, head=2, label=None, before=0),))])
    """

    def __init__(self, structure: Structure):
        self.structure = structure
        edges = [(i, j) for i, behind in enumerate(structure.behind) for j in bits(behind)]
        nodes = [
            Node(i, j, structure.labels.get((i, j)), mask_of(e for e, (_, head) in enumerate(edges) if head == i))
            for i, j in edges
        ]
        self.start = Faces(structure, nodes).state()

    @property
    def is_full(self) -> bool:
        """Whether no more can be found out about labels, for want of memory."""
        return self.structure.algebra.is_full

    def moves(self, state: FaceState) -> Iterator[tuple[Any, int, FaceState]]:
        """The faces, by the places of their nodes."""
        for f, node in enumerate(state):
            for e in bits(node.before):
                faces = Faces(self.structure, state)
                yield (e, f), faces.eliminate(e, f), faces.state()

    def bound(self, state: FaceState) -> int:
        """The sum over vertices of the products of their cuts, as for edges (:class:`~.graph_problem.GraphProblem`).

        A vertex counts once for each connected set of its faces: they never have to do with each other again, since
        new nodes get the predecessors and the successors of old ones. Where a node of such a set lacks a face to
        another, as many are left out as needed that each has one to each.
        """
        return Faces(self.structure, state).bound()


class Faces:
    """A line graph from which faces are eliminated."""

    def __init__(self, structure: Structure, nodes: FaceState | list[Node]):
        self.structure = structure
        self.ends = [(node.tail, node.head) for node in nodes]
        self.labels = [node.label for node in nodes]
        self.before = [node.before for node in nodes]
        self.behind = [0] * len(nodes)
        self.present = (1 << len(nodes)) - 1
        for f, before in enumerate(self.before):
            for e in bits(before):
                self.behind[e] |= 1 << f

    def state(self) -> FaceState:
        """The canonical state."""
        nodes = self.order()
        place = {e: k for k, e in enumerate(nodes)}
        return tuple(
            Node(*self.ends[e], self.labels[e], mask_of(place[d] for d in bits(self.before[e]))) for e in nodes
        )

    def order(self) -> list[int]:
        """The nodes in canonical order: told apart by their ends, then by their neighbours, again and again."""
        nodes = list(bits(self.present))
        keys: dict[int, Any] = {e: (self.ends[e], self.labels[e] is None, self.labels[e] or 0) for e in nodes}
        colors, classes = _ranks(keys), 0
        while max(colors.values(), default=-1) + 1 < len(nodes):
            if classes == len(set(colors.values())):  # those that are still alike are so by a symmetry: take one
                alike = Counter(colors.values())
                first = min((e for e in nodes if alike[colors[e]] > 1), key=lambda e: (colors[e], e))
                keys = {e: (colors[e], e != first) for e in nodes}
            else:
                classes = len(set(colors.values()))
                keys = {e: (colors[e], *self._around(e, colors)) for e in nodes}
            colors = _ranks(keys)
        return sorted(nodes, key=colors.__getitem__)

    def _around(self, e: int, colors: dict[int, int]) -> Iterator[tuple[int, ...]]:
        for side in (self.before, self.behind):
            yield tuple(sorted(colors[d] for d in bits(side[e])))

    # ---- the move ----

    def eliminate(self, e: int, f: int) -> int:
        """Eliminate a face as :func:`~.moves.eliminate_face` does; the multiplications."""
        (i, j), (_, k) = self.ends[e], self.ends[f]
        sizes = self.structure.sizes
        gain, work = self.structure.algebra.product(self.labels[f], self.labels[e], (sizes[k], sizes[j], sizes[i]))
        self._gain(self.twin((i, k), self.before[e], self.behind[f]), e, f, gain)
        self.behind[e] &= ~(1 << f)
        self.before[f] &= ~(1 << e)
        self._tidy(e, f)
        return work

    def twin(self, ends: tuple[int, int], before: int, behind: int, other_than: int = -1) -> int:
        """The node with these ends and neighbours; -1 if there is none."""
        for d in bits(self.present):
            if self.ends[d] == ends and self.before[d] == before and self.behind[d] == behind and d != other_than:
                return d
        return -1

    def _gain(self, k: int, e: int, f: int, gain: Any) -> None:
        if k >= 0:
            self._add(k, gain)
            return
        self.present |= 1 << len(self.ends)
        for d in bits(self.before[e]):
            self.behind[d] |= 1 << len(self.ends)
        for g in bits(self.behind[f]):
            self.before[g] |= 1 << len(self.ends)
        self.ends.append((self.ends[e][0], self.ends[f][1]))
        self.labels.append(gain)
        self.before.append(self.before[e])
        self.behind.append(self.behind[f])

    def _add(self, e: int, label: Any) -> None:
        self.labels[e] = self.structure.algebra.plus(self.labels[e], label)

    def _tidy(self, *touched: int) -> None:
        inside, waiting = self.structure.inside, deque(touched)
        while waiting:
            e = waiting.popleft()
            if not self.present >> e & 1:
                continue
            (i, j), before, behind = self.ends[e], self.before[e], self.behind[e]
            if (inside >> i & 1 and not before) or (inside >> j & 1 and not behind):
                waiting += *bits(before), *bits(behind)
                self._remove(e)
            elif (other := self.twin((i, j), before, behind, e)) >= 0:
                self._add(e, self.labels[other])
                self._remove(other)

    def _remove(self, e: int) -> None:
        self.present &= ~(1 << e)
        for d in bits(self.before[e]):
            self.behind[d] &= ~(1 << e)
        for f in bits(self.behind[e]):
            self.before[f] &= ~(1 << e)

    # ---- the bound ----

    def bound(self) -> int:
        """What the rest costs at least."""
        inside, sizes = self.structure.inside, list(self.structure.least)
        tails = {e: self.ends[e][0] for e in bits(self.present) if not inside >> self.ends[e][0] & 1}
        heads = {e: self.ends[e][1] for e in bits(self.present) if not inside >> self.ends[e][1] & 1}
        first = len(sizes)
        for into, out in self._bicliques():
            heads |= dict.fromkeys(bits(into), len(sizes))
            tails |= dict.fromkeys(bits(out), len(sizes))
            sizes.append(sizes[self.ends[(into & -into).bit_length() - 1][1]])
        before, behind = [0] * len(sizes), [0] * len(sizes)
        constant = [0] * len(sizes), [0] * len(sizes)
        for e in tails.keys() & heads.keys():
            i, j = tails[e], heads[e]
            before[j] |= 1 << i
            behind[i] |= 1 << j
            if self.labels[e] is not None and isinstance(self.structure.algebra, Constants):
                constant[0][j] |= 1 << i
                constant[1][i] |= 1 << j
        room, whole = room_for(len(sizes)), (1 << len(sizes)) - (1 << first)
        total = 0
        for j in range(first, len(sizes)):
            kept = before[j], behind[j]
            before[j], behind[j] = before[j] & ~constant[0][j], behind[j] & ~constant[1][j]
            total += masks.least_cost(before, behind, sizes, whole, j, room)
            before[j], behind[j] = kept
        return total

    def _bicliques(self) -> Iterator[tuple[int, int]]:
        """For each connected set of faces at a vertex, nodes before and behind it each of which has a face to each."""
        left = mask_of(e for e in bits(self.present) if self.behind[e])
        while left:
            into = left & -left
            out = self.behind[into.bit_length() - 1]
            while True:
                more = 0
                for f in bits(out):
                    more |= self.before[f]
                if more == into:
                    break
                into = more
                for e in bits(into):
                    out |= self.behind[e]
            left &= ~into
            yield max((self._biclique(e, into) for e in bits(into)), key=_faces)

    def _biclique(self, e: int, into: int) -> tuple[int, int]:
        """Those nodes of a mask that have a face to each node that ``e`` has one to; and the latter."""
        return mask_of(d for d in bits(into) if not self.behind[e] & ~self.behind[d]), self.behind[e]


def _faces(biclique: tuple[int, int]) -> int:
    return biclique[0].bit_count() * biclique[1].bit_count()


def _ranks(keys: dict[int, Any]) -> dict[int, int]:
    """The places of keys among all that differ."""
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    return {e: ranks[key] for e, key in keys.items()}
