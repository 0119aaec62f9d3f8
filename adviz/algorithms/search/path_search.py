"""The best order of edges or faces, and of vertices where products with units are free: beams and best-first search."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import permutations, product
from typing import Any, NamedTuple

from . import clock, masks
from .best_first import BestFirst, Path, TimeUp, beam
from .engines import ByLabels
from .graph_problem import FaceProblem, GraphProblem
from .greedy import AT_LEAST, starts
from .label_kinds import Constants
from .problem import Labelled, Structure, bits
from .vertex_search import KernelSearch, VertexSearch

# ---- proofs by parts ----

# The best order of vertices where labels matter, proved by parts: connected sets that are eliminated on their own.
#
# Let a connected set of vertices be eliminated while all others stay, and let v be its last. Without v it falls into
# parts which do not touch each other: each is a smaller problem of the same kind, and v meets what all of them made.
# What a set makes are *pieces*: a product for a pair of its neighbours at each elimination, which is added to the edge
# between them. They depend on the order, so that the least cost is kept for each collection of pieces that some order
# makes. The label of an edge is the sum of its pieces in the order in which they were made. Parts may take turns, so
# that all orders of the pieces are tried; where sums of different kinds come of them, the cheaper one counts. The
# least cost is therefore a lower bound, and it is the optimum if the order that it belongs to costs no more.


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
        """Return the least cost and its order; ``None`` without time or memory, or if it is above ``limit``.

        The limit must not grow from one call to the next.
        """
        self.end, self.limit = end, limit
        total, order = 0, []
        try:
            for part in self._components(self.structure.inside):
                solved = self._solve(part)
                if not solved:
                    return None
                pieces, best = min(solved.items(), key=lambda item: item[1].cost)
                total += best.cost
                order += self._order(part, pieces)
        except TimeUp:
            return None
        self.has_answer = True
        return total, order

    def _solve(self, whole: int) -> dict[Pieces, Found]:
        """Return what orders of a connected set make, with the cost of each."""
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
            outcomes: dict[Pieces, Found] = {}
            for v, own in parts.items():
                self._eliminate_last(inside, v, own, outcomes)
            self.known[inside] = outcomes
            self.states += len(outcomes) + 1
        return self.known[whole]

    def _components(self, inside: int) -> Iterator[int]:
        while inside:
            part = masks.component(self.near, self.near, inside)
            inside ^= part
            yield part

    def _eliminate_last(self, inside: int, v: int, parts: list[int], outcomes: dict[Pieces, Found]) -> None:
        """Add what orders make that end with ``v``."""
        for chosen in product(*(self.known[part].items() for part in parts)):
            paid = sum(best.cost for _, best in chosen)
            pieces = [piece for made, _ in chosen for piece in made]
            if paid > self.limit:
                continue
            before, behind = defaultdict[int, list[Any]](list), defaultdict[int, list[Any]](list)
            for i, k, label in pieces:
                if k == v:
                    before[i].append(label)
                elif i == v:
                    behind[k].append(label)
            kept = [piece for piece in pieces if v not in piece[:2]]
            for near, ends in ((before, self.structure.preds[v]), (behind, self.structure.succs[v])):
                for end in bits(ends & ~inside):
                    near.setdefault(end, [])
            tails = {i: self._kinds(i, v, made) for i, made in before.items()}
            heads = {k: self._kinds(v, k, made) for k, made in behind.items()}
            source = tuple((part, made) for part, (made, _) in zip(parts, chosen, strict=True))
            for work, products in self._products(v, tails, heads):
                cost = paid + work
                key = tuple(sorted([*kept, *products], key=repr))
                if cost <= self.limit and (key not in outcomes or cost < outcomes[key].cost):
                    outcomes[key] = Found(cost, v, source)

    def _kinds(self, i: int, k: int, made: list[Any]) -> tuple[Any, ...]:
        """Return the labels that an edge may have once these pieces were added to it."""
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
        """Yield the multiplications of eliminating ``v``, and the products, for each combination of kinds."""
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
        """Return whether an edge is multiplied some time."""
        return bool(self.structure.inside >> i & 1 or self.structure.inside >> k & 1)

    def _order(self, inside: int, pieces: Pieces) -> list[int]:
        order, waiting = [], [(inside, pieces)]
        while waiting:  # from the last to the first
            best = self.known[waiting[-1][0]][waiting[-1][1]]
            waiting.pop()
            order.append(best.last)
            waiting += best.parts
        return order[::-1]


# ---- beams and best-first search ----


STATE = 1500
"""Bytes that a state of a search takes, roughly."""
SHARES = {"anneal": 0.25, "beam": 0.5, "prove": 1.0}
"""The shares of time of the ways to search."""
LABELLED = {"anneal": 1.0, "beam": 0.25, "prove": 0.5}
"""The same where labels matter: bounds are weak then, and annealing finds more than beams."""
LARGE = 300
"""The most intermediates for which states are searched: orders of larger graphs are annealed."""
NOISE = 0.02
"""The noise in later rounds of a beam, as a part of the cost."""


class PathSearch:
    """The search for the best order of a technique.

    ``cost`` is the least so far and ``low`` a lower bound for all orders. The best order is the ``path`` through the
    states of the ``problem``; or, as long as that is ``None``, the moves of ``order``, vertices or edges. The engine
    ``annealer`` anneals orders of vertices.

    >>> from .problem import structure_of
    >>> from ...graph.linearized.cgraph import CGraph
    >>> search = PathSearch(structure_of(CGraph.from_edges([(0, 1), (1, 2), (1, 3)])), "edge")
    >>> search.cost, search.order
    (2, [('front', 0, 1)])
    """

    engine = "python"

    def __init__(
        self,
        structure: Structure,
        technique: str,
        ways: Sequence[str] = ("beam", "prove", "anneal"),
        memory: int = 1 << 30,
        seed: int = 1,
        orders: Iterable[list[int]] | None = None,
        annealer: str | None = None,
        end: float = math.inf,
    ):
        self.structure, self.technique, self.seed, self.annealer = structure, technique, seed, annealer
        self.ways, self.width, self.random = ways, 1, random.Random(seed)
        self.problem = FaceProblem(structure) if technique == "face" else GraphProblem(structure, technique)
        self.prepared = end
        orders = starts(structure, end) if orders is None else orders
        self.start = _cheapest(structure, orders)
        self.cost, order = self.annealing.cost, self.annealing.order  # begins where reductions led
        structure.algebra.limit = self.cost
        self.order: list[Any] = order if technique == "vertex" else list(_fronts(structure, order))
        self.path: Path | None = None
        if len(order) > LARGE:  # one state of such a graph may take longer than there is time
            self.ways = tuple(way for way in ways if way == "anneal")
        inner = structure, "edge", self.ways, memory // 4, seed, [order], annealer, end
        self.edges = PathSearch(*inner) if technique == "face" else None
        self.proof = BestFirst(self.problem, self.cost, memory // STATE)
        by_parts = technique == "vertex" and structure.labels and "prove" in self.ways
        self.parts = PartSearch(structure, memory // 2 // ENTRY) if by_parts else None

    @property
    def low(self) -> int:
        """Multiplications of any order, at least."""
        return min(self.proof.low, self.cost)

    @property
    def is_proved(self) -> bool:
        """Whether no order is cheaper than the best so far."""
        return self.low >= self.cost

    @property
    def states(self) -> int:
        """States that the proof has met."""
        return self.proof.states + (self.parts.states if self.parts else 0)

    def why_python(self) -> str:
        """Return why no compiled code runs, or hardly any."""
        if self.structure.labels:
            return "costs follow from labels here, and compiled code knows sizes only"
        return f"only orders of vertices are compiled, not those of {'faces' if self.technique == 'face' else 'edges'}"

    def rounds(self, end: float) -> Iterator[None]:
        """Search in turns that grow longer, until there is a proof or until the time ``end``."""
        turn, shares = 0.1, LABELLED if self.structure.labels else SHARES
        if not self.proof.is_begun:
            self.proof.begin(clock.now() + max(AT_LEAST, (end - clock.now()) / 4))
        if self.edges:
            for _ in self.edges.rounds(clock.now() + (end - clock.now()) / 8):
                path = self.edges.path  # a good order of edges is one of faces, too
                self.offer(self.edges.cost, None, self.edges.order if path is None else [move for move, _ in path])
                yield
        while self.ways and not self.is_proved and clock.now() < end:
            for way in self.ways:
                if not self.is_proved:
                    getattr(self, way)(min(end, clock.now() + turn * shares[way]))
                    yield
            if self.proof.is_full and "anneal" not in self.ways and ("beam" not in self.ways or self.problem.is_full):
                return
            turn *= 2

    def offer(self, cost: int, path: Path | None, given: list[Any] | None = None) -> None:
        """Adopt an order if it is cheaper than the best so far."""
        if cost < self.cost:
            self.cost, self.path, self.order = cost, path, given or self.order
            self.proof.cost = min(self.proof.cost, cost)
            self.structure.algebra.limit = cost

    def prove(self, end: float) -> None:
        """Continue the proof by parts, and then the best-first search."""
        if self.parts and not self.parts.is_done:
            now = clock.now()
            if known := self.parts.prove(now + (end - now) / 2, self.cost):
                low, order = known
                cost = self.structure.cost(order)
                is_least = cost == low or (isinstance(cost, float) and math.isclose(cost, low))  # sums of floats
                self.proof.low = max(self.proof.low, cost if is_least else low)
                self.offer(cost, None, order)
        try:
            self.proof.prove(end)
        finally:
            if self.proof.path is not None:
                self.offer(self.proof.cost, self.proof.path)

    @cached_property
    def annealing(self) -> KernelSearch | VertexSearch:
        """The annealing of orders of vertices: they are orders of edges, too."""
        if self.structure.labels:
            return KernelSearch(self.structure, ByLabels(self.structure), 0, self.seed, self.start)
        orders = [self.start]
        return VertexSearch(
            self.structure, ("anneal",), self.annealer, seed=self.seed, orders=orders, end=self.prepared
        )

    def anneal(self, end: float) -> None:
        """Continue simulated annealing of an order of vertices."""
        search = self.annealing
        try:
            search.anneal(end)
        finally:
            if search.cost < self.cost:
                order = search.order if self.technique == "vertex" else list(_fronts(self.structure, search.order))
                self.offer(search.cost, None, order)

    def beam(self, end: float) -> None:
        """Search by a beam twice as wide as the last one, from the second on with some noise."""
        noise = NOISE * self.cost if self.width > 1 else 0.0
        if better := beam(self.problem, self.width, end, lambda: noise * self.random.random()):
            self.offer(*better)
        self.width *= 2


def _cheapest(structure: Structure, orders: Iterable[list[int]]) -> list[int]:
    """Return the cheapest order. Where products of labels are made, those of cheap sizes are tried first."""
    if not structure.labels:
        return min(orders, key=structure.cost)
    by_size = sorted(orders, key=replace(structure, labels={}, algebra=Constants()).cost)
    best, cost = by_size[0], structure.cost(by_size[0])
    for order in by_size[1:]:
        structure.algebra.limit = cost
        price = structure.cost(order, cost)
        if price < cost:
            best, cost = order, price
    return best


def _fronts(structure: Structure, order: list[int]) -> Iterator[tuple[str, int, int]]:
    """Yield the edges that are front-eliminated in an order of vertices."""
    graph = Labelled(structure)
    for j in order:
        yield from (("front", i, j) for i in bits(graph.preds[j]))
        graph.eliminate(j)
