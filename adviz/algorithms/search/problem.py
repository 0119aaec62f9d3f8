"""What the search sees of a graph: bit masks, sizes, labels; and the smaller problems that reductions leave of it.

Vertices are numbered in topological order, and edges are bits: ``preds[j]`` and ``succs[j]`` are the masks of the
predecessors and the successors of vertex ``j``. All objects are plain data that can be sent to other processes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from numbers import Real
from operator import or_
from typing import Any

import numpy as np

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ..elimination.counting import PLAIN, Counting, constant
from . import clock, masks
from .cuts import HUGE, Room, place, weight
from .label_kinds import Constants, Kinds

EXACT = 1 << 62
"""Costs below are whole numbers of 64 bits."""
LONGEST_CHAIN = 1000
"""The most vertices of a chain that is solved at once, which takes 4 s."""


def bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits that are set, from low to high.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def mask_of(places: Iterable[int]) -> int:
    """Return the mask in which these bits are set.

    >>> bin(mask_of([1, 3]))
    '0b1010'
    """
    mask = 0
    for k in places:
        mask |= 1 << k
    return mask


def room_for(n: int, array: Any = list) -> Room:
    """Return the arrays that the search of a cut in a graph of ``n`` vertices writes to."""
    return Room(*(array([0] * size) for size in (n * n, n, n, 2 * n + 2, 2 * n + 2)))


@dataclass(frozen=True)
class Structure:
    """A graph as the search sees it.

    ``inside`` are the vertices to be eliminated. ``labels`` is what is known of the labels of edges, and ``algebra`` of
    their products and sums: constants of the program, none where products with units are counted like all others; or
    the kinds of all labels, where the cost of a product depends on structure.

    >>> structure_of(CGraph.from_edges([(0, 1), (1, 2), (1, 3)])).cost([1])
    2
    """

    vertices: tuple[Vertex, ...]
    preds: tuple[int, ...]
    succs: tuple[int, ...]
    sizes: tuple[int, ...]
    inside: int
    labels: Mapping[tuple[int, int], Any] = field(default_factory=dict)
    algebra: Constants | Kinds = field(default_factory=Constants)

    @property
    def intermediates(self) -> list[int]:
        """The vertices to be eliminated, in topological order."""
        return list(bits(self.inside))

    @property
    def least(self) -> tuple[int, ...]:
        """Sizes of vertices for lower bounds: what products cost at least.

        By structure, a product takes one multiplication between three vertices of one entry, and may take none
        elsewhere, or where products with units are free. Of a cost of one's own nothing is known.
        """
        if isinstance(self.algebra, Constants):
            return self.sizes
        counting = self.algebra.counting
        is_known = counting.units and counting.cost is None
        return tuple(int(size == 1 and is_known) for size in self.sizes)

    def apart(self) -> Structure:
        """Return a copy whose algebra knows the labels of the structure only, and none of their products."""
        if isinstance(self.algebra, Constants):
            return self
        return replace(self, algebra=self.algebra.first(1 + max(self.labels.values(), default=-1)))

    def cost(self, order: Iterable[int], limit: float = HUGE) -> int:
        """Return the multiplications of eliminating all intermediates in this order, or the first sum above a limit."""
        if isinstance(self.algebra, Kinds):
            return self._cost_by_kinds(self.algebra, order, limit)
        if self.labels:
            return self._cost_without_units(order, limit)
        return masks.order_cost(list(self.preds), list(self.succs), self.sizes, order, limit)

    def _cost_by_kinds(self, algebra: Kinds, order: Iterable[int], limit: float) -> int:
        """Do as :meth:`Labelled.eliminate`, fast, for kinds: 0.2 ms instead of 0.7 for the transformer encoder."""
        sizes, total = self.sizes, 0
        preds: list[set[int]] = [set() for _ in sizes]
        succs: list[dict[int, int]] = [{} for _ in sizes]
        for (i, k), kind in self.labels.items():
            preds[k].add(i)
            succs[i][k] = kind
        for j in order:
            ahead = succs[j]
            for i in preds[j]:
                row = succs[i]
                one = row.pop(j)
                for k, two in ahead.items():
                    pair = two, one
                    kind, work = algebra.products.get(pair) or algebra.product(*pair, (sizes[k], sizes[j], sizes[i]))
                    row[k] = algebra.plus(row[k], kind) if k in row else kind
                    preds[k].add(i)
                    total += work
            if total > limit:
                break
            for k in ahead:
                preds[k].discard(j)
        return total

    def _cost_without_units(self, order: Iterable[int], limit: float) -> int:
        """Do the same fast for constants, which alone are followed edge by edge: 0.1 ms instead of 0.4 for the arm."""
        preds, succs, total = list(self.preds), list(self.succs), 0
        constants: list[dict[int, Any]] = [{} for _ in preds]
        for (i, k), value in self.labels.items():
            constants[i][k] = value
        for j in order:
            tails, heads, ahead = preds[j], succs[j], constants[j]
            for i in bits(tails):
                if row := constants[i]:
                    one = row.pop(j, None)
                    if one in (1, -1):
                        tails ^= 1 << i
                    _carry(row, one, ahead, succs[i], succs[j])
            for k, two in ahead.items():
                if two in (1, -1):
                    heads ^= 1 << k
            total += self.sizes[j] * weight(tails, self.sizes) * weight(heads, self.sizes)
            if total > limit:
                break
            masks.eliminate(preds, succs, j)
        return total


def _carry(row: dict[int, Any], one: Any, ahead: dict[int, Any], present: int, heads: int) -> None:
    """Change the constants of a tail for the products of its edge ``one`` with those to ``heads``."""
    for k in [k for k in row if heads >> k & 1 and (one is None or k not in ahead)]:
        del row[k]
    if one is not None:
        for k, two in ahead.items():
            if k in row or not present >> k & 1:
                row[k] = row.get(k, 0) + one * two


class Labelled:
    """A graph from which vertices are eliminated while what is known of its labels is followed."""

    def __init__(self, structure: Structure):
        self.preds, self.succs, self.sizes = list(structure.preds), list(structure.succs), structure.sizes
        self.labels: dict[tuple[int, int], Any] = dict(structure.labels)
        self.algebra: Any = structure.algebra

    def multiply(self, i: int, j: int, k: int) -> int:
        """Give the edge ``(i, k)`` the product of ``(i, j)`` and ``(j, k)``; the multiplications."""
        sizes = self.sizes[k], self.sizes[j], self.sizes[i]
        label, work = self.algebra.product(self.labels.get((j, k)), self.labels.get((i, j)), sizes)
        present = self.labels.pop((i, k), None)
        if self.succs[i] >> k & 1:
            label = self.algebra.plus(present, label)
        if label is not None:
            self.labels[i, k] = label
        self.succs[i] |= 1 << k
        self.preds[k] |= 1 << i
        return work

    def remove(self, i: int, j: int) -> None:
        """Remove an edge."""
        self.succs[i] &= ~(1 << j)
        self.preds[j] &= ~(1 << i)
        self.labels.pop((i, j), None)

    def eliminate(self, j: int) -> int:
        """Eliminate a vertex; the multiplications."""
        pairs = [(i, k) for i in bits(self.preds[j]) for k in bits(self.succs[j])]
        total = sum(self.multiply(i, j, k) for i, k in pairs)
        self._isolate(j)
        return total

    def front(self, i: int, j: int) -> int:
        """Eliminate an edge at its front; the multiplications."""
        total = sum(self.multiply(i, j, k) for k in bits(self.succs[j]))
        self.remove(i, j)
        if not self.preds[j]:
            self._isolate(j)
        return total

    def back(self, i: int, j: int) -> int:
        """Eliminate an edge at its back; the multiplications."""
        total = sum(self.multiply(h, i, j) for h in bits(self.preds[i]))
        self.remove(i, j)
        if not self.succs[i]:
            self._isolate(i)
        return total

    def _isolate(self, j: int) -> None:
        for i in bits(self.preds[j]):
            self.remove(i, j)
        for k in bits(self.succs[j]):
            self.remove(j, k)


def structure_of(graph: CGraph, counting: Counting = PLAIN, memory: int = 1 << 28) -> Structure:
    """Return what the search sees of a graph, by the conventions of :class:`~.counting.Counting`.

    Labels are used only where costs depend on them. ``memory`` bounds what is kept of kinds of labels, in bytes.
    """
    edges = graph.edges
    vertices = tuple(graph.vertices)
    number = {vertex: k for k, vertex in enumerate(vertices)}
    algebra: Constants | Kinds = Constants()
    labels = {}
    if not _cost_by_size(graph, counting):
        algebra = Kinds(counting, memory)
        labels = {edge: algebra.kind(graph.partial(*edge), graph.size(edge[1])) for edge in edges}
    elif not counting.units:
        labels = {edge: value for edge in edges if (value := constant(graph.partial(*edge))) is not None}
    is_one = counting.count == "block" and isinstance(algebra, Constants)
    return Structure(
        vertices,
        tuple(mask_of(number[i] for i in graph.predecessors(j)) for j in vertices),
        tuple(mask_of(number[k] for k in graph.successors(j)) for j in vertices),
        tuple(1 if is_one else graph.size(vertex) for vertex in vertices),
        mask_of(number[j] for j in graph.intermediates),
        {(number[i], number[j]): label for (i, j), label in labels.items()},
        algebra,
    )


def _cost_by_size(graph: CGraph, counting: Counting) -> bool:
    """Return whether the costs of all products follow from the sizes of vertices and constant factors."""
    if counting.cost is not None:
        return False
    labels = [(graph.partial(i, j), graph.size(i) * graph.size(j)) for i, j in graph.edges]
    if not counting.units and any(getattr(label, "structure", None) in MOVING for label, _ in labels):
        return False
    # a product of two Jacobians through one number costs nothing: it stays a column and a row
    wide = all(graph.size(j) > 1 for j in graph.intermediates)
    return counting.count != "sparse" or all(_is_dense(label, size, wide) for label, size in labels)


def _is_dense(label: Any, size: int, wide: bool) -> bool:
    if isinstance(label, Real):
        return size == 1
    return not hasattr(label, "normal") or (wide and label.normal().structure == "dense")


MOVING = ("selection", "broadcast", "reduction", "sparse")
"""Structures of Jacobians that only move, repeat or add entries: the product of two of them may be a unit."""


# ---- reductions ----


@dataclass(frozen=True)
class Kernel:
    """A connected problem that reductions leave; the vertices to be eliminated come first, then what stays.

    ``members`` are the vertices of the whole graph that each of ``inside`` stands for: twins are eliminated together.
    """

    preds: tuple[int, ...]
    succs: tuple[int, ...]
    sizes: tuple[int, ...]
    inside: int
    members: tuple[tuple[int, ...], ...]

    def expand(self, order: Iterable[int]) -> list[int]:
        """Return an order of the kernel as one of the whole graph."""
        return [j for k in order for j in self.members[k]]

    def within(self, order: Sequence[int]) -> list[int]:
        """Return an order of the whole graph as one of the kernel."""
        place = {j: k for k, j in enumerate(order)}
        return sorted(bits(self.inside), key=lambda k: place[self.members[k][0]])


@dataclass(frozen=True)
class Reduced:
    """What reductions make of a structure: an order to begin with, its cost, and independent kernels."""

    cost: int
    first: tuple[int, ...]
    kernels: tuple[Kernel, ...]


def reduced(structure: Structure, end: float = math.inf) -> Reduced:
    """Eliminate what can safely be first, merge twins, and split into components, repeatedly; solve chains at once.

    After the time ``end``, what was reduced so far is returned.

    *Dead vertices*, which no path between two vertices that stay goes through, cost nothing as the first, and no other
    costs more without them; the facts hold for graphs without them. The best orders of the kernels, after ``first``,
    are a best order: see the facts in :mod:`~.masks` for what can be first. *Components*: P_j(A) and S_j(A) depend only
    on those of A that are connected with j through intermediates, so costs add up. *Twins*, j and t with equal
    predecessors and equal successors, stay twins, and count as one vertex of size w_j + w_t: let an order take j, then
    others B, then t. Moving t up to j, or j down to t, changes the cost of v in B by -w_t or by w_j less something,
    times the same; and the cost of the moved one by w_t (C' - C) or w_j (C - C'), where C' and C are w(P) w(S) at the
    two places. With D = C - C' and E the sum of the factors, that is w_t (D - E) and at most -w_j (D - E); one of them
    is not positive.
    """
    preds, succs, sizes = list(structure.preds), list(structure.succs), list(structure.sizes)
    members: dict[int, tuple[int, ...]] = {k: (k,) for k in bits(structure.inside)}
    room, first = room_for(len(sizes)), _dead(structure)
    for j in first:
        masks.eliminate(preds, succs, j)
    cost, chained, parts = _solved_chains(preds, succs, sizes, structure.inside & ~mask_of(first), members)
    first += chained
    inside = sum(parts)
    while inside:
        gone = [0] * len(sizes)
        fees, inside, count = masks.reduce(preds, succs, sizes, inside, gone, room, [0, HUGE, 0, 0, end])
        cost += fees
        first += [j for k in gone[:count] for j in members[k]]
        merged = _merge_twins(preds, succs, sizes, inside, members)
        if merged == inside or clock.now() > end:
            break
        inside = merged
    fees, further, parts = _solved_chains(preds, succs, sizes, inside, members)
    kernels = tuple(_kernel(preds, succs, sizes, part, members) for part in parts)
    return Reduced(cost + fees, (*first, *further), kernels)


def _dead(structure: Structure) -> list[int]:
    """Return the vertices that no path between two that stay goes through, in an order in which none has a product."""
    order: dict[int, None] = {}
    for neighbours, places in (
        (structure.succs, structure.intermediates[::-1]),
        (structure.preds, structure.intermediates),
    ):
        for j in places:
            if all(k in order for k in bits(neighbours[j])):
                order[j] = None
    return list(order)


def _solved_chains(
    preds: list[int], succs: list[int], sizes: list[int], inside: int, members: Mapping[int, tuple[int, ...]]
) -> tuple[int, list[int], list[int]]:
    """Return the cost and the order of the components that are chains, and the other components."""
    cost, first, others = 0, [], []
    while inside:
        part = masks.component(preds, succs, inside)
        inside ^= part
        if chain := chain_of(preds, succs, part):
            order = solved_chain(chain, sizes, weight(preds[chain[0]], sizes), weight(succs[chain[-1]], sizes))
            cost += masks.order_cost(preds, succs, sizes, order, HUGE)
            first += [j for k in order for j in members[k]]
        else:
            others.append(part)
    return cost, first, others


def solved_chain(chain: list[int], sizes: Sequence[int], before: int, behind: int) -> list[int]:
    """Return the cheapest order of a chain between vertices of these sizes."""
    return [chain[k - 1] for k in best_chain_order([before, *(sizes[j] for j in chain), behind])]


def best_chain_order(sizes: Sequence[int]) -> list[int]:
    """Return the places between the first and the last of ``sizes`` in the order in which they are best eliminated.

    Eliminating a place multiplies a matrix of its size and that of the next one with a matrix of the size before it and
    its own. A dynamic program over the parts of the chain finds the best brackets in O(n³): 1,000 places take 4 s.

    Source: S. S. Godbole, On efficient computation of matrix chain products, IEEE Transactions on Computers C-22, 1973.

    >>> best_chain_order([10, 1, 5, 1])
    [2, 1]
    """
    lasts = _lasts(sizes)
    result, waiting = [], [(0, len(sizes) - 1)]
    while waiting:  # from the last to the first
        first, end = waiting.pop()
        if end - first > 1:
            last = int(lasts[first, end])
            result.append(last)
            waiting += [(first, last), (last, end)]
    return result[::-1]


def _lasts(sizes: Sequence[int]) -> np.ndarray:
    """Return for each two places which one between them is eliminated last."""
    count = len(sizes)
    width = np.array(sizes, np.int64 if count * max(sizes) ** 3 < EXACT else object)
    costs = np.zeros((count, count), width.dtype)
    lasts = np.zeros((count, count), np.int64)
    for length in range(2, count):
        for first in range(count - length):
            end = first + length
            between = slice(first + 1, end)
            totals = costs[first, between] + costs[between, end] + width[first] * width[between] * width[end]
            last = int(np.argmin(totals))
            costs[first, end] = totals[last]
            lasts[first, end] = first + 1 + last
    return lasts


def chain_of(preds: Sequence[int], succs: Sequence[int], inside: int) -> list[int]:
    """Return the vertices ``inside`` in order if each is the one successor of the one before it, else nothing.

    >>> chain_of([0, 1, 2, 4], [2, 4, 8, 0], 0b0110)
    [1, 2]
    """
    starts = [j for j in bits(inside) if not preds[j] & inside]
    if len(starts) != 1 or inside.bit_count() > LONGEST_CHAIN:
        return []
    chain = starts
    while len(chain) < inside.bit_count():
        onward = succs[chain[-1]]
        following = place(onward)
        if onward & (onward - 1) or not onward & inside or preds[following] != 1 << chain[-1]:
            return []
        chain.append(following)
    return [] if succs[chain[-1]] & inside else chain


def _merge_twins(
    preds: list[int], succs: list[int], sizes: list[int], inside: int, members: dict[int, tuple[int, ...]]
) -> int:
    first: dict[tuple[int, int], int] = {}
    for j in bits(inside):
        twin = first.setdefault((preds[j], succs[j]), j)
        if twin != j:
            sizes[twin] += sizes[j]
            members[twin] += members[j]
            for near, back in ((preds, succs), (succs, preds)):
                for i in bits(near[j]):
                    back[i] &= ~(1 << j)
            inside ^= 1 << j
    return inside


def _kernel(
    preds: Sequence[int], succs: Sequence[int], sizes: Sequence[int], inside: int, members: Mapping[int, Any]
) -> Kernel:
    """Return a component with numbers of its own; what stays is merged where it has the same neighbours."""
    own = [[j] for j in bits(inside)]
    touching = reduce(or_, (preds[j] | succs[j] for j in bits(inside)))
    ends: dict[tuple[int, int], list[int]] = {}
    for i in bits(touching & ~inside):
        ends.setdefault((preds[i] & inside, succs[i] & inside), []).append(i)
    count = len(own)
    own += ends.values()
    number = {v: k for k, merged in enumerate(own) for v in merged}

    def renumbered(neighbours: Sequence[int]) -> tuple[int, ...]:
        seen = [neighbours[v] if inside >> v & 1 else neighbours[v] & inside for v, *_ in own]
        return tuple(mask_of(number[v] for v in bits(mask)) for mask in seen)

    return Kernel(
        renumbered(preds),
        renumbered(succs),
        tuple(sum(sizes[v] for v in merged) for merged in own),
        (1 << count) - 1,
        tuple(members[j] for (j,) in own[:count]),
    )
