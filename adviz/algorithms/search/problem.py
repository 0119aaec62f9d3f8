"""What the search sees of a graph: bit masks, sizes, labels; and the smaller problems that reductions leave of it.

Vertices are numbered in topological order, and edges are bits: ``before[j]`` and ``behind[j]`` are the masks of the
predecessors and the successors of vertex ``j``. Everything here is small, plain and can be sent to other processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

from ...graph.linearized.cgraph import CGraph
from ...graph.linearized.checked_parts import Vertex
from ..elimination.counting import Counting
from . import masks
from .label_kinds import Constants, Kinds
from .masks import Room


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, from low to high.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def mask_of(places: Iterable[int]) -> int:
    """The mask in which these bits are set.

    >>> bin(mask_of([1, 3]))
    '0b1010'
    """
    mask = 0
    for k in places:
        mask |= 1 << k
    return mask


def room_for(n: int, array: Any = list) -> Room:
    """What the search of a cut in a graph of ``n`` vertices writes on."""
    return Room(*(array([0] * size) for size in (n * n, n, n, 2 * n + 2, 2 * n + 2)))


@dataclass(frozen=True)
class Structure:
    """A graph as the search sees it.

    ``inside`` are the vertices to be eliminated. ``labels`` are what is known of the labels of edges, and ``algebra``
    what is of their products and sums: constants of the program, none where products with units are counted like all
    others; or, where products cost by structure, the kinds of all labels.

    >>> structure_of(CGraph.from_edges([(0, 1), (1, 2), (1, 3)])).cost([1])
    2
    """

    vertices: tuple[Vertex, ...]
    before: tuple[int, ...]
    behind: tuple[int, ...]
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
        """The sizes of vertices as far as they tell what products cost at least, for lower bounds.

        By structure, products take one multiplication each between three vertices of one entry, and may take none
        elsewhere, or where those with units are free.
        """
        if isinstance(self.algebra, Constants):
            return self.sizes
        counting = self.algebra.counting
        return tuple(int(size == 1 and counting.units) for size in self.sizes)

    def apart(self) -> Structure:
        """The same, with nothing but itself known of labels."""
        if isinstance(self.algebra, Constants):
            return self
        return replace(self, algebra=self.algebra.first(1 + max(self.labels.values(), default=-1)))

    def cost(self, order: Iterable[int], limit: float = masks.HUGE) -> int:
        """The multiplications of eliminating all intermediates in this order, or the first sum above a limit."""
        if isinstance(self.algebra, Kinds):
            return self._cost_by_kinds(self.algebra, order, limit)
        if self.labels:
            return self._cost_without_units(order, limit)
        return masks.order_cost(list(self.before), list(self.behind), self.sizes, order, limit)

    def _cost_by_kinds(self, algebra: Kinds, order: Iterable[int], limit: float) -> int:
        """The same with the kinds of all labels, made fast for annealing, too."""
        sizes, total = self.sizes, 0
        before: list[set[int]] = [set() for _ in sizes]
        behind: list[dict[int, int]] = [{} for _ in sizes]
        for (i, k), kind in self.labels.items():
            before[k].add(i)
            behind[i][k] = kind
        for j in order:
            ahead = behind[j]
            for i in before[j]:
                row = behind[i]
                one = row.pop(j)
                for k, two in ahead.items():
                    pair = two, one
                    kind, work = algebra.products.get(pair) or algebra.product(*pair, (sizes[k], sizes[j], sizes[i]))
                    row[k] = algebra.plus(row[k], kind) if k in row else kind
                    before[k].add(i)
                    total += work
            if total > limit:
                break
            for k in ahead:
                before[k].discard(j)
        return total

    def _cost_without_units(self, order: Iterable[int], limit: float) -> int:
        """The same, made fast for annealing: only constants are followed edge by edge, by tail and head."""
        before, behind, total = list(self.before), list(self.behind), 0
        constants: list[dict[int, Any]] = [{} for _ in before]
        for (i, k), value in self.labels.items():
            constants[i][k] = value
        for j in order:
            tails, heads, ahead = before[j], behind[j], constants[j]
            for i in bits(tails):
                if row := constants[i]:
                    one = row.pop(j, None)
                    if one in (1, -1):
                        tails ^= 1 << i
                    _carry(row, one, ahead, behind[i], behind[j])
            for k, two in ahead.items():
                if two in (1, -1):
                    heads ^= 1 << k
            total += self.sizes[j] * masks.weight(tails, self.sizes) * masks.weight(heads, self.sizes)
            if total > limit:
                break
            masks.eliminate(before, behind, j)
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
        self.before, self.behind, self.sizes = list(structure.before), list(structure.behind), structure.sizes
        self.labels: dict[tuple[int, int], Any] = dict(structure.labels)
        self.algebra: Any = structure.algebra

    def multiply(self, i: int, j: int, k: int) -> int:
        """Give the edge ``(i, k)`` the product of ``(i, j)`` and ``(j, k)``; the multiplications."""
        sizes = self.sizes[k], self.sizes[j], self.sizes[i]
        label, work = self.algebra.product(self.labels.get((j, k)), self.labels.get((i, j)), sizes)
        present = self.labels.pop((i, k), None)
        if self.behind[i] >> k & 1:
            label = self.algebra.plus(present, label)
        if label is not None:
            self.labels[i, k] = label
        self.behind[i] |= 1 << k
        self.before[k] |= 1 << i
        return work

    def remove(self, i: int, j: int) -> None:
        """Take an edge away."""
        self.behind[i] &= ~(1 << j)
        self.before[j] &= ~(1 << i)
        self.labels.pop((i, j), None)

    def eliminate(self, j: int) -> int:
        """Eliminate a vertex; the multiplications."""
        pairs = [(i, k) for i in bits(self.before[j]) for k in bits(self.behind[j])]
        total = sum(self.multiply(i, j, k) for i, k in pairs)
        self._isolate(j)
        return total

    def front(self, i: int, j: int) -> int:
        """Eliminate an edge at its front; the multiplications."""
        total = sum(self.multiply(i, j, k) for k in bits(self.behind[j]))
        self.remove(i, j)
        if not self.before[j]:
            self._isolate(j)
        return total

    def back(self, i: int, j: int) -> int:
        """Eliminate an edge at its back; the multiplications."""
        total = sum(self.multiply(h, i, j) for h in bits(self.before[i]))
        self.remove(i, j)
        if not self.behind[i]:
            self._isolate(i)
        return total

    def _isolate(self, j: int) -> None:
        for i in bits(self.before[j]):
            self.remove(i, j)
        for k in bits(self.behind[j]):
            self.remove(j, k)


def structure_of(graph: CGraph, count: str = "sparse", units: bool = True, memory: int = 1 << 28) -> Structure:
    """What the search sees of a graph, by the conventions of :class:`~.counting.Counting`.

    Labels are only looked at where costs depend on them. For kinds of labels there is so much ``memory``, in bytes.
    """
    counting, edges = Counting(count, units), graph.edges
    vertices = tuple(graph.vertices)
    number = {vertex: k for k, vertex in enumerate(vertices)}
    algebra: Constants | Kinds = Constants()
    labels = {}
    if not _cost_by_size(graph, counting):
        algebra = Kinds(counting, memory)
        labels = {edge: algebra.kind(graph.partial(*edge), graph.size(edge[1])) for edge in edges}
    elif not units:
        labels = {edge: value for edge in edges if (value := _constant(graph.partial(*edge))) is not None}
    is_one = count == "block" and isinstance(algebra, Constants)
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
    """Whether all products cost what the sizes of vertices and constant factors tell."""
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


def _constant(label: Any) -> Any:
    """The value of a label that is a constant of the program, or the multiple of the identity; else ``None``."""
    return label if isinstance(label, Integral) else getattr(label, "multiple", None)


# ---- reductions ----


@dataclass(frozen=True)
class Kernel:
    """A connected problem that reductions leave, with the vertices to be eliminated first and what stays behind them.

    ``members`` are the vertices of the whole graph that each of ``inside`` stands for: twins are eliminated together.
    """

    before: tuple[int, ...]
    behind: tuple[int, ...]
    sizes: tuple[int, ...]
    inside: int
    members: tuple[tuple[int, ...], ...]

    def expand(self, order: Iterable[int]) -> list[int]:
        """An order of the kernel as one of the whole graph."""
        return [j for k in order for j in self.members[k]]

    def within(self, order: Sequence[int]) -> list[int]:
        """An order of the whole graph as one of the kernel."""
        place = {j: k for k, j in enumerate(order)}
        return sorted(bits(self.inside), key=lambda k: place[self.members[k][0]])


@dataclass(frozen=True)
class Reduced:
    """What reductions make of a structure: an order to begin with, its cost, and independent kernels."""

    cost: int
    first: tuple[int, ...]
    kernels: tuple[Kernel, ...]


def reduced(structure: Structure) -> Reduced:
    """Eliminate what can safely go first, merge twins, and split into connected components, again and again.

    An order of each kernel, best by itself, behind ``first`` is a best order: see the facts in :mod:`~.masks` for what
    goes first. *Components*: P_j(A) and S_j(A) depend only on those of A that are connected with j through
    intermediates, so costs add up. *Twins*, j and t with equal predecessors and equal successors, stay twins, and count
    as one vertex of size w_j + w_t: let an order take j, then others B, then t. Moving t up behind j, or j down before
    t, changes the cost of v in B by -w_t or by w_j less something, times the same; and the cost of the moved one by
    w_t (C' - C) or w_j (C - C'), where C' and C are w(P) w(S) at the two places. With D = C - C' and E the sum of the
    factors, that is w_t (D - E) and at most -w_j (D - E); one of them is not positive.
    """
    before, behind, sizes = list(structure.before), list(structure.behind), list(structure.sizes)
    members: dict[int, tuple[int, ...]] = {k: (k,) for k in bits(structure.inside)}
    room, inside, cost, first = room_for(len(sizes)), structure.inside, 0, []
    while True:
        gone = [0] * len(sizes)
        fees, inside, count = masks.reduce(before, behind, sizes, inside, gone, room)
        cost += fees
        first += [j for k in gone[:count] for j in members[k]]
        merged = _merge_twins(before, behind, sizes, inside, members)
        if merged == inside:
            break
        inside = merged
    kernels = []
    while inside:
        part = masks.component(before, behind, inside)
        inside ^= part
        kernels.append(_kernel(before, behind, sizes, part, members))
    return Reduced(cost, tuple(first), tuple(kernels))


def _merge_twins(
    before: list[int], behind: list[int], sizes: list[int], inside: int, members: dict[int, tuple[int, ...]]
) -> int:
    first: dict[tuple[int, int], int] = {}
    for j in bits(inside):
        twin = first.setdefault((before[j], behind[j]), j)
        if twin != j:
            sizes[twin] += sizes[j]
            members[twin] += members[j]
            for i in bits(before[j]):
                behind[i] &= ~(1 << j)
            for k in bits(behind[j]):
                before[k] &= ~(1 << j)
            inside ^= 1 << j
    return inside


def _kernel(
    before: Sequence[int], behind: Sequence[int], sizes: Sequence[int], inside: int, members: Mapping[int, Any]
) -> Kernel:
    """A component with numbers of its own; what stays is merged where it has the same neighbours."""
    own = [[j] for j in bits(inside)]
    touching = 0
    for (j,) in own:
        touching |= before[j] | behind[j]
    ends: dict[tuple[int, int], list[int]] = {}
    for i in bits(touching & ~inside):
        ends.setdefault((before[i] & inside, behind[i] & inside), []).append(i)
    count = len(own)
    own += ends.values()
    number = {v: k for k, merged in enumerate(own) for v in merged}

    def renumbered(neighbours: Sequence[int]) -> tuple[int, ...]:
        seen = [neighbours[v] if inside >> v & 1 else neighbours[v] & inside for v, *_ in own]
        return tuple(mask_of(number[v] for v in bits(mask)) for mask in seen)

    return Kernel(
        renumbered(before),
        renumbered(behind),
        tuple(sum(sizes[v] for v in merged) for merged in own),
        (1 << count) - 1,
        tuple(members[j] for (j,) in own[:count]),
    )


def markowitz_order(graph: Structure | Kernel) -> list[int]:
    """The order of lowest Markowitz degree; of equal ones the first is taken."""
    before, behind, order = list(graph.before), list(graph.behind), []
    degrees = {j: masks.cost(before, behind, graph.sizes, j) for j in bits(graph.inside)}
    while degrees:
        j = min(degrees, key=degrees.__getitem__)
        order.append(j)
        del degrees[j]
        masks.eliminate(before, behind, j)
        for i in bits(before[j] | behind[j]):
            if i in degrees:
                degrees[i] = masks.cost(before, behind, graph.sizes, i)
    return order
