"""The best order of vertices of one kernel: annealing finds it, an exact search proves it.

Both can be continued at any time, and are broken off without loss when the time is up or the user interrupts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, islice
from operator import itemgetter
from typing import Any

from . import masks
from .best_first import beam
from .engines import PythonEngine, choose_engine
from .graph_problem import GraphProblem
from .problem import Kernel, Structure, bits, markowitz_order, reduced, room_for
from .starts import starts

CLUSTER = 4
"""The most vertices in a cluster: bounds grow tighter, and take 2^n n / 2 cuts each."""
STEPS = 3000
"""Vertices that annealing eliminates between two looks at the clock, roughly."""
EXACT = 1 << 53
"""Whole numbers below are floats without an error."""
CLUSTERS_TRIED = 4000
"""Connected sets of vertices of which the best are taken as clusters."""


class KernelSearch:
    """The search for the best order of a kernel.

    ``order`` is the best so far, ``cost`` what it costs, ``low`` what every order costs at least, and ``states`` the
    number of nodes that were searched. The bound is not raised beyond ``enough``.
    """

    def __init__(
        self,
        kernel: Kernel | Structure,
        engine: PythonEngine,
        most: int,
        seed: int = 1,
        order: list[int] | None = None,
    ):
        self.engine, self.moves, self.most = engine, engine.moves, most
        self.before, self.behind, self.sizes = map(engine.array, (kernel.before, kernel.behind, kernel.sizes))
        self.inside = kernel.inside
        self.order = order or list(bits(kernel.inside))
        self.cost = self._cost(self.order)
        self.low, self.states, self.enough = 0, 0, masks.HUGE
        self.restarts, self.steps, self.width = _restarts(seed), 500, 1
        self.run: Annealing | None = None
        self.memo: Any = None
        self.clusters: Any = None
        for order in (self.order[::-1], markowitz_order(kernel)):
            self.take(order)

    @property
    def is_proved(self) -> bool:
        """Whether no order is cheaper than the best so far, or than ``enough``."""
        return self.low >= min(self.cost, self.enough)

    def offer(self, order: list[int], cost: int) -> None:
        """Take an order over if it is cheaper than the best so far."""
        if cost < self.cost:
            self.order, self.cost = order, cost

    def take(self, order: list[int]) -> None:
        """Take an order over if it is cheaper than the best so far, whatever it costs."""
        self.offer(order, self._cost(order, self.cost))

    def _cost(self, order: list[int], limit: int = masks.HUGE) -> int:
        array, limit = self.engine.array(order), limit if limit < EXACT else masks.HUGE
        return int(self.moves.order_cost(self.before, self.behind, self.sizes, array, float(limit)))

    def seeds(self, number: int) -> list[int]:
        """Seeds for so many runs of annealing."""
        return list(islice(self.restarts, number))

    # ---- annealing ----

    def anneal(self, end: float) -> None:
        """Go on with simulated annealing until the time ``end``; each run is twice as long as the one before."""
        steps = 1 + STEPS // (1 + len(self.order))
        while time.monotonic() < end and not self.is_proved:
            self.anneal_steps(steps)

    def anneal_steps(self, steps: int) -> None:
        """Go on with simulated annealing for so many steps at most."""
        run, self.run = self.run, None  # what an interrupt leaves is not continued
        if run is None or run.is_done:
            self.steps *= 2
            run = Annealing(self, next(self.restarts), self.steps)
        try:
            run.go_on(steps)
        finally:
            self.take([int(j) for j in run.best])
        self.run = run

    def beam(self, end: float) -> None:
        """Search by a beam twice as wide as the one before."""
        self.width *= 2
        if found := beam(GraphProblem(self.structure(), "vertex"), self.width, end):
            self.offer([j for j, _ in found[1]], found[0])

    def structure(self) -> Structure:
        """The kernel as a structure of its own."""
        before, behind, sizes = (tuple(map(int, masks)) for masks in (self.before, self.behind, self.sizes))
        return Structure(tuple(range(len(sizes))), before, behind, sizes, self.inside)

    # ---- proof ----

    def prepare(self, end: float) -> None:
        """Choose the clusters of the bounds, with care until the time ``end``."""
        room = room_for(len(self.sizes), self.engine.array)
        self.clusters = self.engine.array(list(self._choose_clusters(room, end)))
        self.memo = self.engine.table(self.most)

    def prove(self, end: float) -> None:
        """Raise the lower bound until it meets the cost, which the search lowers where it can, or the time is up.

        The limit is put half way, so that the bound is worth something when time is up before the proof is whole.
        """
        room = room_for(len(self.sizes), self.engine.array)
        if self.clusters is None:
            self.prepare(end)
        while not self.is_proved and time.monotonic() < end:
            limit = (self.low + min(self.cost, self.enough)) // 2
            meter = self.engine.meter(self.most, end)
            whole = self.inside, self.before, self.behind, 0, limit, meter, room
            found = int(self.engine.timed(partial(self._solve, *whole), meter, end))
            self.states += int(meter[0])
            if meter[3]:
                break
            self.low = found
            if found <= limit:
                self._reconstruct(room)

    def _solve(self, inside: int, before: Any, behind: Any, gone: int, limit: int, meter: Any, room: Any) -> Any:
        start = self.before, self.behind
        return self.moves.solve(
            start, before, behind, self.sizes, inside, gone, limit, self.clusters, self.memo, meter, room
        )

    def _choose_clusters(self, room: Any, end: float) -> Iterator[int]:
        """Disjoint connected sets that raise the bound most for each of their vertices."""

        def bound(cluster: int) -> int:
            if time.monotonic() > end:  # what costs no time: one product each
                return sum(int(self.sizes[j]) for j in bits(cluster))
            return int(self.moves.cluster_bound(*graph, self.inside, cluster, room))

        graph, left = (self.before, self.behind, self.sizes), self.inside
        alone = {j: bound(1 << j) for j in bits(left)}
        bounds = {cluster: bound(cluster) for cluster in _connected_sets(self._neighbours(), CLUSTER, CLUSTERS_TRIED)}
        gains = ((sum(alone[j] for j in bits(cluster)) - bounds[cluster], cluster) for cluster in bounds)
        for _, cluster in sorted((gain / cluster.bit_count(), cluster) for gain, cluster in gains if gain < 0):
            if cluster & left == cluster:
                left ^= cluster
                self.low += bounds[cluster]
                yield cluster
        for j in bits(left):
            self.low += alone[j]
            yield 1 << j

    def last_vertices(self) -> dict[int, tuple[int, int]]:
        """What each vertex costs if it is the last, and what every order costs then, at least."""
        graph, room = (self.before, self.behind, self.sizes), room_for(len(self.sizes), self.engine.array)
        found = {}
        for v in bits(self.inside):
            fee = int(self.moves.cost_as_last(*graph, self.inside, v))
            rest = self.inside & ~(1 << v)
            found[v] = fee, fee + int(self.moves.lower_bound(*graph, rest, self.clusters, room))
        return found

    def _neighbours(self) -> dict[int, int]:
        return {j: int(self.before[j] | self.behind[j]) & self.inside for j in bits(self.inside)}

    def _reconstruct(self, room: Any) -> None:
        """Find the order of which the search found the cost."""
        order = list(self._best_order(self.inside, self.before, self.behind, 0, self.low, room))
        self.take(order)

    def _best_order(self, inside: int, before: Any, behind: Any, gone: int, cost: int, room: Any) -> Iterator[int]:
        """An order of a connected part, of which the least cost is known; the last vertex is found first."""
        meter = self.engine.meter(self.most, math.inf)
        for v in bits(inside):
            heads, tails, rest = before.copy(), behind.copy(), inside & ~(1 << v)
            first = self.engine.array([0] * len(self.sizes))
            total = self.moves.cost_as_last(before, behind, self.sizes, inside, v)
            fees, left, count = self.moves.reduce(heads, tails, self.sizes, rest, first, room)
            total, left, away, parts = total + fees, int(left), gone | rest & ~int(left), []
            while left and total <= cost:
                part = int(self.moves.component(heads, tails, left))
                left ^= part
                value = self._solve(part, heads, tails, away, cost - total, meter, room)
                total += value
                parts.append((part, int(value)))
            if total == cost:
                yield from map(int, first[:count])
                for part, value in parts:
                    yield from self._best_order(part, heads, tails, away, value, room)
                yield v
                return


class VertexSearch:
    """The search for the best order of vertices of a whole structure, by reductions and then kernel by kernel.

    ``cost`` and ``order`` are the best so far, ``low`` is what every order costs at least. ``ways`` are ``"anneal"``,
    ``"beam"`` and ``"prove"``. ``engine`` is a name, or ``None`` to choose for each kernel. ``orders`` are those to
    begin with, :func:`~.starts.starts` by default.

    >>> from .problem import structure_of
    >>> from ...graph.linearized.cgraph import CGraph
    >>> search = VertexSearch(structure_of(CGraph.from_edges([(0, 1), (1, 2), (2, 3), (2, 4)])))
    >>> search.cost, search.order, search.is_proved
    (3, [1, 2], True)
    """

    def __init__(
        self,
        structure: Structure,
        ways: Sequence[str] = ("anneal", "prove"),
        engine: str | None = None,
        memory: int = 1 << 28,
        seed: int = 1,
        orders: Iterable[list[int]] | None = None,
    ):
        self.ways = ways
        orders = list(starts(structure) if orders is None else orders)
        self.given = min(((structure.cost(order), order) for order in orders), key=itemgetter(0))
        self.found = reduced(structure)
        share = memory // max(len(self.found.kernels), 1)
        self.kernels = [
            KernelSearch(kernel, chosen := choose_engine(engine, kernel), share // chosen.entry, seed)
            for kernel in self.found.kernels
        ]
        for kernel, search in zip(self.found.kernels, self.kernels, strict=True):
            for order in orders:
                search.take(kernel.within(order))

    @property
    def cost(self) -> int:
        """Multiplications of the best order so far."""
        return min(self.given[0], self.found.cost + sum(kernel.cost for kernel in self.kernels))

    @property
    def low(self) -> int:
        """Multiplications of any order, at least."""
        return self.found.cost + sum(kernel.low for kernel in self.kernels)

    @property
    def order(self) -> list[int]:
        """The best order so far."""
        if self.given[0] == self.cost:
            return self.given[1]
        searches = zip(self.found.kernels, self.kernels, strict=True)
        return [*self.found.first, *(j for kernel, search in searches for j in kernel.expand(search.order))]

    @property
    def is_proved(self) -> bool:
        """Whether no order is cheaper than the best so far."""
        return all(kernel.is_proved for kernel in self.kernels)

    @property
    def states(self) -> int:
        """Nodes that were searched."""
        return sum(kernel.states for kernel in self.kernels)

    @property
    def engine(self) -> str:
        """What the search runs on."""
        return max((kernel.engine.name for kernel in self.kernels), default="python", key=("python", "numba").index)

    def anneal(self, end: float) -> None:
        """Go on with simulated annealing, kernel by kernel, until the time ``end``."""
        for left, kernel in zip(range(len(self.kernels), 0, -1), self.kernels, strict=True):
            now = time.monotonic()
            kernel.anneal(now + (end - now) / left)

    def rounds(self, end: float) -> Iterator[None]:
        """Search in turns that grow longer, until it is proved or the time ``end``."""
        turn = 0.1
        if "prove" in self.ways:
            for kernel in self.kernels:
                if kernel.clusters is None:
                    kernel.prepare(time.monotonic() + (end - time.monotonic()) / 4)
                    yield
        while not self.is_proved and time.monotonic() < end:
            for kernel in self.kernels:
                for way in self.ways:
                    if not kernel.is_proved:
                        share = turn if way == "prove" else turn / 4
                        getattr(kernel, way)(min(end, time.monotonic() + share))
                        yield
            turn *= 2


class Annealing:
    """Simulated annealing of an order of vertices, which can be continued at any time.

    The costs of a vertex set the scale of temperatures. Every other run starts from the best order so far, less hot.
    """

    def __init__(self, search: KernelSearch, seed: int, steps: int):
        self.search = search
        self.order, self.best = search.engine.array(search.order), search.engine.array(search.order)
        self.hot = search.cost / len(search.order) / (10 if seed % 2 else 1)
        self.state = search.engine.array([seed, search.cost, search.cost, 0, steps])

    @property
    def is_done(self) -> bool:
        """Whether all steps were made."""
        return bool(self.state[3] >= self.state[4])

    def go_on(self, steps: int) -> None:
        """Make some more steps."""
        search, cold = self.search, self.hot / 30
        graph = search.before, search.behind, search.sizes
        search.moves.anneal(*graph, self.order, self.best, self.state, self.hot, cold, steps)


def _restarts(seed: int) -> Iterator[int]:
    """Seeds of the runs of annealing."""
    return count(1 + seed * 7919 % 2147483000)


def _connected_sets(near: Mapping[int, int], largest: int, most: int) -> Iterator[int]:
    """Connected sets of two and more vertices, the small ones first, and at most so many."""
    sets = {1 << j for j in near}
    for _ in range(1, largest):
        grown = set()
        for cluster in sorted(sets):
            around = 0
            for j in bits(cluster):
                around |= near[j]
            grown |= {cluster | 1 << j for j in bits(around & ~cluster)}
            if len(grown) > most:
                break
        sets = grown
        yield from sorted(sets)
