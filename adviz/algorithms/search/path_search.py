"""The best order of edges or faces, and of vertices where products with units are free: beams and best-first search."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from . import clock
from .best_first import BestFirst, Path, beam
from .engines import ByLabels
from .face_problem import FaceProblem
from .graph_problem import GraphProblem
from .greedy import AT_LEAST, starts
from .label_kinds import Constants
from .parts import ENTRY, PartSearch
from .problem import Labelled, Structure, bits
from .vertex_search import KernelSearch, VertexSearch

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
        """Why no compiled code runs, or hardly any."""
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
        if found := beam(self.problem, self.width, end, lambda: noise * self.random.random()):
            self.offer(*found)
        self.width *= 2


def _cheapest(structure: Structure, orders: Iterable[list[int]]) -> list[int]:
    """The cheapest order. Where products of labels are made, those that are cheap by their sizes are tried first."""
    if not structure.labels:
        return min(orders, key=structure.cost)
    by_size = sorted(orders, key=replace(structure, labels={}, algebra=Constants()).cost)
    best, cost = by_size[0], structure.cost(by_size[0])
    for order in by_size[1:]:
        structure.algebra.limit = cost
        found = structure.cost(order, cost)
        if found < cost:
            best, cost = order, found
    return best


def _fronts(structure: Structure, order: list[int]) -> Iterator[tuple[str, int, int]]:
    """The edges that are front-eliminated in an order of vertices."""
    graph = Labelled(structure)
    for j in order:
        yield from (("front", i, j) for i in bits(graph.preds[j]))
        graph.eliminate(j)
