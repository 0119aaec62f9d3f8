"""The best order of vertices where labels matter, proved by parts: connected sets that are eliminated on their own.

Let a connected set of vertices be eliminated while all others stay, and let v be its last. Without v it falls into
parts which do not touch each other: each is a smaller problem of the same kind, and v meets what all of them made. What
a set makes are *pieces*: a product for a pair of its neighbours at each elimination, which is added to the edge between
them. They depend on the order, so that the least cost is kept for each collection of pieces that some order makes. The
label of an edge is the sum of its pieces in the order in which they were made. Parts may take turns, so that all orders
of the pieces are tried; where sums of different kinds come of them, the cheaper one counts. The least cost is therefore
a lower bound, and it is the optimum if the order that it belongs to costs no more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import permutations, product
from typing import Any, NamedTuple

from . import clock
from .best_first import TimeUp
from .bitmasks import masks
from .problem import Structure, bits

MOST_PIECES = 5
"""The most pieces of an edge whose orders are tried; the products of an edge with more cost nothing here."""
MOST_KINDS = 64
"""The most combinations of kinds that the edges of a vertex are tried with."""
UNKNOWN = "unknown"
"""The label of an edge with too many pieces, and of its products."""
ENTRY = 500
"""Bytes that a collection of pieces takes, roughly."""

Pieces = tuple[tuple[int, int, Any], ...]
"""Products for pairs of vertices, sorted: tail, head, label."""


class Found(NamedTuple):
    """The least cost of eliminating a set so that it makes some pieces; its last vertex, and what its parts make."""

    cost: int
    last: int
    parts: tuple[tuple[int, Pieces], ...]


class PartSearch:
    """The proof by parts, which can be continued at any time and gives up when it has met ``most`` collections.

    It is ``is_done`` when it has an answer, or nothing can be added any more.

    >>> from .problem import structure_of
    >>> from ..elimination.counting import Counting
    >>> from ...graph.linearized.cgraph import CGraph
    >>> graph = CGraph.from_edges([(0, 1), (1, 2), (2, 3), (2, 4)], partials=[1, 0.5, 2.0, 3.0])
    >>> search = PartSearch(structure_of(graph, Counting(units=False)), most=100)
    >>> search.prove(float("inf"), limit=9)
    (2, [2, 1])
    """

    def __init__(self, structure: Structure, most: int):
        self.structure, self.most, self.states, self.end = structure, most, 0, math.inf
        self.limit, self.has_answer = math.inf, False
        self.near = [(p | s) & structure.inside for p, s in zip(structure.preds, structure.succs, strict=True)]
        self.known: dict[int, dict[Pieces, Found]] = {0: {(): Found(0, -1, ())}}
        self.sums: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    @property
    def is_done(self) -> bool:
        """Whether to continue would lead nowhere."""
        return self.has_answer or self.is_full

    @property
    def is_full(self) -> bool:
        """Whether as many collections were met as there is memory for."""
        return self.states >= self.most or self.structure.algebra.is_full

    def prove(self, end: float, limit: float) -> tuple[int, list[int]] | None:
        """The least cost and its order; ``None`` if the time is up or the memory full, or if it is above ``limit``.

        The limit must not grow from one call to the next.
        """
        self.end, self.limit = end, limit
        total, order = 0, []
        try:
            for part in self._components(self.structure.inside):
                found = self._solve(part)
                if not found:
                    return None
                pieces, best = min(found.items(), key=lambda item: item[1].cost)
                total += best.cost
                order += self._order(part, pieces)
        except TimeUp:
            return None
        self.has_answer = True
        return total, order

    def _solve(self, whole: int) -> dict[Pieces, Found]:
        """What orders of a connected set make, with the cost of each."""
        waiting = [whole]
        while waiting:
            inside = waiting[-1]
            if inside in self.known:
                waiting.pop()
                continue
            if clock.now() > self.end or self.is_full:
                raise TimeUp(0)
            parts = {v: list(self._components(inside & ~(1 << v))) for v in bits(inside)}
            if missing := {part for own in parts.values() for part in own} - self.known.keys():
                waiting += missing
                continue
            found: dict[Pieces, Found] = {}
            for v, own in parts.items():
                self._eliminate_last(inside, v, own, found)
            self.known[inside] = found
            self.states += len(found) + 1
        return self.known[whole]

    def _components(self, inside: int) -> Iterator[int]:
        while inside:
            part = masks.component(self.near, self.near, inside)
            inside ^= part
            yield part

    def _eliminate_last(self, inside: int, v: int, parts: list[int], found: dict[Pieces, Found]) -> None:
        """Add what orders make that end with ``v``."""
        for chosen in product(*(self.known[part].items() for part in parts)):
            paid = sum(best.cost for _, best in chosen)
            pieces = [piece for made, _ in chosen for piece in made]
            if paid > self.limit:
                continue
            before = self._edges((i, label) for i, j, label in pieces if j == v)
            behind = self._edges((k, label) for j, k, label in pieces if j == v)
            kept = [piece for piece in pieces if v not in piece[:2]]
            for i in bits(self.structure.preds[v] & ~inside):
                before.setdefault(i, [])
            for k in bits(self.structure.succs[v] & ~inside):
                behind.setdefault(k, [])
            tails = {i: self._kinds(i, v, made) for i, made in before.items()}
            heads = {k: self._kinds(v, k, made) for k, made in behind.items()}
            source = tuple((part, made) for part, (made, _) in zip(parts, chosen, strict=True))
            for work, products in self._products(v, tails, heads):
                cost = paid + work
                key = tuple(sorted([*kept, *products], key=repr))
                if cost <= self.limit and (key not in found or cost < found[key].cost):
                    found[key] = Found(cost, v, source)

    @staticmethod
    def _edges(ends: Iterable[tuple[int, Any]]) -> dict[int, list[Any]]:
        found: dict[int, list[Any]] = {}
        for vertex, label in ends:
            found.setdefault(vertex, []).append(label)
        return found

    def _kinds(self, i: int, k: int, made: list[Any]) -> tuple[Any, ...]:
        """The labels that an edge may have once these pieces were added to it."""
        is_there = self.structure.succs[i] >> k & 1
        first = [self.structure.labels.get((i, k))] if is_there else []
        if UNKNOWN in made or len(made) > MOST_PIECES:
            return (UNKNOWN,)
        key = *first, "+", *sorted(made, key=repr)
        if key not in self.sums:
            plus = self.structure.algebra.plus
            orders = ([*first, *order] for order in permutations(made))
            self.sums[key] = tuple({reduce(plus, labels): None for labels in orders})
        return self.sums[key]

    def _products(
        self, v: int, tails: dict[int, tuple[Any, ...]], heads: dict[int, tuple[Any, ...]]
    ) -> Iterator[tuple[int, list[tuple[int, int, Any]]]]:
        """The multiplications of eliminating ``v``, and the products, for each combination of kinds."""
        if math.prod(map(len, (*tails.values(), *heads.values()))) > MOST_KINDS:
            yield 0, [(i, k, UNKNOWN) for i in tails for k in heads if self._matters(i, k)]
            return
        sizes = self.structure.sizes
        for ones in product(*tails.values()):
            for others in product(*heads.values()):
                work, products = 0, []
                for i, tail in zip(tails, ones, strict=True):
                    for k, head in zip(heads, others, strict=True):
                        label, fee = self._product(head, tail, (sizes[k], sizes[v], sizes[i]))
                        work += fee
                        if self._matters(i, k):
                            products.append((i, k, label))
                yield work, products

    def _product(self, head: Any, tail: Any, sizes: tuple[int, int, int]) -> tuple[Any, int]:
        if UNKNOWN in (head, tail):
            return UNKNOWN, 0
        label, work = self.structure.algebra.product(head, tail, sizes)
        return (UNKNOWN if label == -1 and work > self.limit else label), work

    def _matters(self, i: int, k: int) -> bool:
        """Whether an edge is multiplied some time."""
        return bool(self.structure.inside >> i & 1 or self.structure.inside >> k & 1)

    def _order(self, inside: int, pieces: Pieces) -> list[int]:
        """The order of a set that makes these pieces."""
        order, waiting = [], [(inside, pieces)]
        while waiting:  # from the last to the first
            best = self.known[waiting[-1][0]][waiting[-1][1]]
            waiting.pop()
            order.append(best.last)
            waiting += best.parts
        return order[::-1]
