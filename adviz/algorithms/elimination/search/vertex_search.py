"""The best order of vertices of one kernel: annealing finds it, an exact search proves it.

Both can be continued at any time, and are broken off without loss when the time is up or the user interrupts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from . import masks
from .engines import PythonEngine
from .structure import Kernel, bits, mask_of, room_for

CLUSTER = 4
"""The most vertices in a cluster: bounds grow tighter, and take 2^n n / 2 cuts each."""
CLUSTERS_TRIED = 4000
"""Connected sets of vertices of which the best are taken as clusters."""


class KernelSearch:
    """The search for the best order of a kernel.

    ``order`` is the best so far, ``cost`` what it costs, ``low`` what every order costs at least, and ``states`` the
    number of nodes that were searched.
    """

    def __init__(self, kernel: Kernel, engine: PythonEngine, most: int, seed: int = 1):
        self.engine, self.moves, self.most = engine, engine.moves, most
        self.before, self.behind, self.sizes = map(engine.array, map(list, (kernel.before, kernel.behind, kernel.sizes)))
        self.inside = kernel.inside
        self.order = list(bits(kernel.inside))
        self.cost = self._cost(self.order)
        self.low, self.states = 0, 0
        self.restarts = _restarts(seed)
        self.memo: Any = None
        self.clusters: Any = None
        for order in (self.order[::-1], list(self._greedy())):
            self.offer(order, self._cost(order))

    @property
    def is_proved(self) -> bool:
        """Whether no order is cheaper than the best so far."""
        return self.low >= self.cost

    def offer(self, order: list[int], cost: int) -> None:
        """Take an order over if it is cheaper than the best so far."""
        if cost < self.cost:
            self.order, self.cost = order, cost

    def _cost(self, order: list[int]) -> int:
        array = self.engine.array(order)
        return int(self.moves.order_cost(self.before, self.behind, self.sizes, array, float(masks.HUGE)))

    def _greedy(self) -> Iterator[int]:
        """The order of lowest Markowitz degree."""
        before, behind, left = self.before.copy(), self.behind.copy(), set(self.order)
        while left:
            j = min(left, key=lambda j: (self.moves.cost(before, behind, self.sizes, j), j))
            left.remove(j)
            self.moves.eliminate(before, behind, j)
            yield j

    # ---- annealing ----

    def anneal(self, steps: int, end: float) -> None:
        """Run one simulated annealing of so many steps, or until the time ``end``."""
        run = Annealing(self, next(self.restarts), steps)
        try:
            while not run.is_done and time.monotonic() < end:
                run.go_on(2000 if self.engine.name == "numba" else 50)
        finally:
            self.offer([int(j) for j in run.best], int(run.state[2]))

    # ---- proof ----

    def prove(self, end: float) -> None:
        """Raise the lower bound until it meets the cost, which the search lowers where it can, or the time is up.

        The limit is put half way, so that the bound is worth something when time is up before the proof is whole.
        """
        room = room_for(len(self.sizes), self.engine.array)
        graph = self.before, self.behind, self.sizes
        if self.clusters is None:
            self.clusters = self.engine.array(list(self._choose_clusters(room, end)))
            self.memo = self.engine.table(self.most)
            self.low = int(self.moves.lower_bound(*graph, self.inside, self.clusters, room))
        allowed = 1 << 50 if self.engine.name == "python" else 500
        while not self.is_proved and time.monotonic() < end:
            limit = (self.low + self.cost) // 2
            meter = self.engine.array([0, allowed, self.most, 0, int(min(end, 1e15)) + 1])
            start = time.monotonic()
            found = int(self._solve(self.inside, self.before, self.behind, 0, limit, meter, room))
            self.states += int(meter[0])
            if meter[3]:
                room = room_for(len(self.sizes), self.engine.array)
                allowed = allowed if time.monotonic() - start > 0.2 else 2 * allowed
            elif found > limit:
                self.low = found
            else:
                self.low = found
                self._reconstruct(room)

    def _solve(self, inside: int, before: Any, behind: Any, gone: int, limit: int, meter: Any, room: Any) -> Any:
        start = self.before, self.behind
        return self.moves.solve(
            start, before, behind, self.sizes, inside, gone, limit, self.clusters, self.memo, meter, room
        )

    def _choose_clusters(self, room: Any, end: float) -> Iterator[int]:
        """Disjoint connected sets that raise the bound most for each of their vertices."""
        graph, near = (self.before, self.behind, self.sizes), self._neighbours()
        alone = {j: int(self.moves.least_cost(*graph, self.inside, j, room)) for j in bits(self.inside)}
        gains = []
        for cluster in _connected_sets(near, CLUSTER, CLUSTERS_TRIED):
            if time.monotonic() > end:
                break
            together = int(self.moves.cluster_bound(*graph, self.inside, cluster, room))
            gain = together - sum(alone[j] for j in bits(cluster))
            if gain > 0:
                gains.append((-gain / cluster.bit_count(), cluster))
        left = self.inside
        for _, cluster in sorted(gains):
            if cluster & left == cluster:
                left ^= cluster
                yield cluster
        yield from (1 << j for j in bits(left))

    def _neighbours(self) -> dict[int, int]:
        return {j: int(self.before[j] | self.behind[j]) & self.inside for j in bits(self.inside)}

    def _reconstruct(self, room: Any) -> None:
        """Find the order of which the search found the cost."""
        order = list(self._best_order(self.inside, self.before, self.behind, 0, self.low, room))
        self.offer(order, self._cost(order))

    def _best_order(self, inside: int, before: Any, behind: Any, gone: int, cost: int, room: Any) -> Iterator[int]:
        """An order of a connected part, of which the least cost is known; the last vertex is found first."""
        meter = self.engine.array([0, masks.HUGE, self.most, 0, masks.HUGE])
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
