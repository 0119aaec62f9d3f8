"""The best order of vertices of one kernel: annealing finds it, an exact search proves it.

Both can be continued at any time, and lose nothing when the time is up or the user interrupts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import count, islice
from operator import itemgetter
from random import Random
from threading import Event, Thread
from typing import Any

from ..elimination.orders import markowitz
from . import clock
from .best_first import beam
from .clock import WEEK
from .cuts import HUGE, Room
from .engines import PLACES, NumbaEngine, PythonEngine, WideEngine, is_annealed
from .graph_problem import GraphProblem
from .greedy import numbered_order, starts
from .masks import Proof
from .problem import Kernel, Structure, bits, reduced, room_for

CLUSTER, LARGEST = 4, 7
"""The most vertices in a cluster at first, and at last: of ``n``, a bound is the tighter, and takes 2^n n cuts."""
STEPS = 3000
"""Vertices that annealing eliminates before it looks at the clock again, roughly."""
IN_STEP = 50
"""Vertices that it eliminates where a state is visited elsewhere, in about the same time."""
CUTS = 10
"""The same of cuts."""
EXACT = 1 << 53
"""Whole numbers below are floats without an error."""
TRIED, KEPT = 1500, 150
"""The most connected sets of each size that may be clusters, and how many of them, the best, are made larger."""
WORTH = 10.0
"""The time by the steps of a search from which on it waits for the compiler."""
PACKINGS = 100
"""Choices of disjoint clusters that are tried, the first by their gains, all others by gains with some noise."""


SMALL = Kernel((8, 17, 18, 0, 0, 4), (2, 4, 32, 1, 6, 0), (1, 1, 1, 2, 1, 2), 7, ((0,), (1,), (2,)))
"""A kernel whose best order takes each part of the search to be found and proved."""


class KernelSearch:
    """The search for the best order of a kernel.

    ``order`` is the best so far, ``cost`` its cost, ``low`` a lower bound for all orders, and ``states`` the number of
    nodes that were searched. The bound is not raised beyond ``enough``.
    """

    def __init__(
        self,
        kernel: Kernel | Structure,
        engine: PythonEngine,
        most: int,
        seed: int = 1,
        order: list[int] | None = None,
        end: float = math.inf,
    ):
        self.run_on(engine, kernel, most)
        self.inside = kernel.inside
        self.order = order or list(bits(kernel.inside))
        self.cost = self._cost(self.order)
        self.low, self.states, self.enough = 0, 0, HUGE
        self.steps, self.width = 500, 1
        self.restarts = count(1 + seed * 7919 % 2147483000)  # seeds of the runs of annealing
        self.clusters: Any = None
        self.bounds: dict[int, int] = {}  # of the connected sets that may be clusters
        self.frontier: list[int] = []  # the best of one size
        self.waiting: list[int] = []  # those that are larger by one, without a bound yet
        for order in (self.order[::-1], numbered_order(kernel, markowitz, end=end)):
            self.take(order)

    def run_on(self, engine: PythonEngine, kernel: Kernel | Structure, most: int) -> None:
        """Search the kernel with this engine and room for so many entries; only orders and bounds are kept."""
        self.engine, self.moves, self.most = engine, engine.moves, most
        self.preds, self.succs, self.sizes = map(engine.array, (kernel.preds, kernel.succs, kernel.sizes))
        self.run: Annealing | None = None
        self.memo: Any = None

    @property
    def is_proved(self) -> bool:
        """Whether no order is cheaper than the best so far, or than ``enough``."""
        return self.low >= min(self.cost, self.enough)

    def offer(self, order: list[int], cost: int) -> None:
        """Adopt an order if it is cheaper than the best so far."""
        if cost < self.cost:
            self.order, self.cost = order, cost

    def take(self, order: list[int]) -> None:
        """Adopt an order of unknown cost if it is cheaper than the best so far."""
        self.offer(order, self._cost(order, self.cost))

    def _cost(self, order: list[int], limit: int = HUGE) -> Any:
        array, limit = self.engine.array(order), limit if limit < EXACT else HUGE
        result: Any = self.moves.order_cost(self.preds, self.succs, self.sizes, array, float(limit))
        return result if isinstance(result, float) else int(result)  # a cost of one's own may be no whole number

    # ---- annealing ----

    def anneal(self, end: float) -> None:
        """Continue simulated annealing until the time ``end``; each run is twice as long as the last one."""
        size, counted = 1 + len(self.order), clock.counting()
        steps = 1 + (STEPS if counted is None else IN_STEP * self.engine.speed) // size
        while clock.now() < end and not self.is_proved:
            self.anneal_steps(steps)
            if counted is not None:
                counted.count += steps * size // (IN_STEP * self.engine.speed)

    def anneal_steps(self, steps: int) -> None:
        """Continue simulated annealing for a number of steps at most."""
        run, self.run = self.run, None  # what an interrupt leaves is not continued
        if run is None or run.state[3] >= run.state[4]:  # all of its steps were made
            self.steps *= 2
            run = Annealing(self, next(self.restarts), self.steps)
        graph = self.preds, self.succs, self.sizes
        try:
            self.moves.anneal(*graph, run.order, run.best, run.state, run.hot, run.hot / 30, steps)
        finally:
            self.take([int(j) for j in run.best])
        self.run = run

    def beam(self, end: float) -> None:
        """Search by a beam twice as wide as the last one."""
        self.width *= 2
        if better := beam(GraphProblem(self.structure(), "vertex"), self.width, end):
            self.offer([j for j, _ in better[1]], better[0])

    def structure(self) -> Structure:
        """Return the kernel as a structure of its own."""
        preds, succs, sizes = (tuple(map(int, masks)) for masks in (self.preds, self.succs, self.sizes))
        return Structure(tuple(range(len(sizes))), preds, succs, sizes, self.inside)

    # ---- proof ----

    def prepare(self, end: float) -> None:
        """Choose the clusters of the bounds, larger ones each time, as far as the time allows."""
        room = room_for(len(self.sizes), self.engine.array)
        if self.clusters is None:
            self.bounds = {1 << j: self._bound(1 << j, room, end) for j in bits(self.inside)}
            self.frontier, self.clusters = [*self.bounds], [*self.bounds]
            self.low = max(self.low, sum(self.bounds.values()))
            largest = CLUSTER
        else:
            largest = self._reach + 1
        known = len(self.bounds)
        while self._reach < min(largest, LARGEST) and clock.now() < end:
            self._grow(room, end)
        low, clusters = self._packed() if len(self.bounds) > known else (0, [])
        if low > sum(map(self.bounds.__getitem__, self.clusters)):
            self.low, self.clusters = max(self.low, low), clusters

    def prove(self, end: float) -> None:
        """Raise the lower bound until it meets the cost, which the search lowers where it can, or until the time is up.

        The limit is half way between the two, so that the bound is useful if the time is up before the proof.
        """
        room = room_for(len(self.sizes), self.engine.array)
        self.prepare(end if self.clusters is None else clock.now() + (end - clock.now()) / 2)
        if self.memo is None:
            self.memo = self.engine.table(self.most)
        while not self.is_proved and clock.now() < end:
            limit = (self.low + min(self.cost, self.enough)) // 2
            weight = self._weight()
            meter = self.engine.meter(self.most, end, weight)
            whole = self._proof(meter, room), self.preds, self.succs, self.inside, 0, limit
            bound = int(self.engine.timed(partial(self.moves.solve, *whole), meter, end, weight))
            self.states += int(meter[0])
            if meter[3]:
                break
            self.low = bound
            if bound <= limit:
                proof = self._proof(self.engine.meter(self.most, math.inf, 1), room)
                self.take(list(self._best_order(proof, self.preds, self.succs, self.inside, 0, self.low)))

    def _weight(self) -> int:
        """Return the steps that a node of the proof counts as: its bound takes cuts of each cluster."""
        sizes = (cluster.bit_count() for cluster in self.clusters)
        return 1 + sum(size << size for size in sizes) // (4 * CUTS)

    def _proof(self, meter: Any, room: Room) -> Proof:
        clusters = self.engine.array(self.clusters)
        return Proof(self.preds, self.succs, self.sizes, clusters, self.memo, meter, room)

    @property
    def _reach(self) -> int:
        """The size of the clusters of the frontier."""
        return self.frontier[0].bit_count() if self.frontier else LARGEST

    def _bound(self, cluster: int, room: Room, end: float) -> int:
        """Return the bound of a cluster; after the time ``end`` that of one product for each vertex."""
        if clock.now() > end:
            return sum(int(self.sizes[j]) for j in bits(cluster))
        if (counted := clock.counting()) is not None:
            size = cluster.bit_count()
            counted.count += (size << size) // (CUTS * self.engine.speed)
        return int(self.moves.cluster_bound(self.preds, self.succs, self.sizes, self.inside, cluster, room))

    def _gain(self, cluster: int) -> int:
        return self.bounds[cluster] - sum(self.bounds[1 << j] for j in bits(cluster))

    def _grow(self, room: Room, end: float) -> None:
        """Make the sets of the frontier larger by a vertex, and keep those that gain most, unless the time is up."""
        size = self._reach + 1
        if not self.waiting:
            near = {j: int(self.preds[j] | self.succs[j]) & self.inside for j in bits(self.inside)}
            grown: dict[int, None] = {}
            for cluster in self.frontier:
                grown |= {cluster | 1 << i: None for j in bits(cluster) for i in bits(near[j] & ~cluster)}
            self.waiting = list(islice(grown, TRIED))[::-1]
        while self.waiting and clock.now() < end:
            cluster = self.waiting.pop()
            self.bounds[cluster] = self._bound(cluster, room, math.inf)
        if not self.waiting:
            larger = [cluster for cluster in self.bounds if cluster.bit_count() == size]
            self.frontier = sorted(larger, key=self._gain, reverse=True)[:KEPT]

    def _packed(self) -> tuple[int, list[int]]:
        """Return the bound of the disjoint clusters that are found to raise it most, and these clusters."""
        random, gains = Random(0), {cluster: self._gain(cluster) for cluster in self.bounds}
        each = [(gain / cluster.bit_count(), cluster) for cluster, gain in gains.items() if gain > 0]
        best, chosen = 0, [1 << j for j in bits(self.inside)]
        for k in range(PACKINGS if each else 0):
            noise = 0.5 if k else 0.0
            order = sorted(((1 + noise * random.random()) * gain, cluster) for gain, cluster in each)
            left, total, clusters = self.inside, 0, []
            for _, cluster in reversed(order):
                if cluster & left == cluster:
                    left ^= cluster
                    total += gains[cluster]
                    clusters.append(cluster)
            if total > best:
                best, chosen = total, clusters + [1 << j for j in bits(left)]
        return sum(self.bounds[cluster] for cluster in chosen), chosen

    def last_vertices(self) -> dict[int, tuple[int, int]]:
        """Return for each vertex its cost if it is the last, and a lower bound for the orders that end with it."""
        graph, room = (self.preds, self.succs, self.sizes), room_for(len(self.sizes), self.engine.array)
        clusters, result = self.engine.array(self.clusters), {}
        for v in bits(self.inside):
            fee = int(self.moves.cost_as_last(*graph, self.inside, v))
            rest = self.inside & ~(1 << v)
            result[v] = fee, fee + int(self.moves.lower_bound(*graph, rest, clusters, room))
        return result

    def _best_order(self, proof: Proof, preds: Any, succs: Any, inside: int, gone: int, cost: int) -> Iterator[int]:
        """Yield an order of a connected part whose least cost is known; the last vertex is found first."""
        for v in bits(inside):
            new_preds, new_succs, rest = preds.copy(), succs.copy(), inside & ~(1 << v)
            first = self.engine.array([0] * len(self.sizes))
            total = self.moves.cost_as_last(preds, succs, self.sizes, inside, v)
            fees, left, count = self.moves.reduce(
                new_preds, new_succs, self.sizes, rest, first, proof.room, proof.meter
            )
            total, left, away, parts = total + fees, int(left), gone | rest & ~int(left), []
            while left and total <= cost:
                part = int(self.moves.component(new_preds, new_succs, left))
                left ^= part
                value = self.moves.solve(proof, new_preds, new_succs, part, away, cost - total)
                total += value
                parts.append((part, int(value)))
            if total == cost:
                yield from map(int, first[:count])
                for part, value in parts:
                    yield from self._best_order(proof, new_preds, new_succs, part, away, value)
                yield v
                return


class VertexSearch:
    """The search for the best order of vertices of a whole structure, by reductions and then kernel by kernel.

    ``cost`` and ``order`` are the best so far, ``low`` is a lower bound for all orders. ``ways`` are ``"anneal"``,
    ``"beam"`` and ``"prove"``. ``engine`` is a name, or ``None`` to choose for each kernel. ``orders`` are those to
    begin with, :func:`~.greedy.starts` by default.

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
        end: float = math.inf,
    ):
        self.ways, self.named = ways, engine
        orders = list(starts(structure, end) if orders is None else orders)
        self.given = min(((structure.cost(order), order) for order in orders), key=itemgetter(0))
        self.reduced = reduced(structure, end)
        self.share = memory // max(len(self.reduced.kernels), 1)
        python = PythonEngine()
        self.kernels = [
            KernelSearch(kernel, python, self.share // python.entry, seed, end=end) for kernel in self.reduced.kernels
        ]
        self.to_compile = [k for k, kernel in enumerate(self.reduced.kernels) if is_annealed(engine, kernel)]
        for kernel, search in zip(self.reduced.kernels, self.kernels, strict=True):
            for order in orders:
                search.take(kernel.within(order))

    @property
    def cost(self) -> int:
        """Multiplications of the best order so far."""
        return min(self.given[0], self.reduced.cost + sum(kernel.cost for kernel in self.kernels))

    @property
    def low(self) -> int:
        """Multiplications of any order, at least."""
        return self.reduced.cost + sum(kernel.low for kernel in self.kernels)

    @property
    def order(self) -> list[int]:
        """The best order so far."""
        if self.given[0] == self.cost:
            return self.given[1]
        searches = zip(self.reduced.kernels, self.kernels, strict=True)
        return [*self.reduced.first, *(j for kernel, search in searches for j in kernel.expand(search.order))]

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

    def why_python(self) -> str:
        """Return why no compiled code runs; empty where it does."""
        if not self.kernels:
            return "reductions alone led to the best order"
        if (largest := max(len(kernel.sizes) for kernel in self.reduced.kernels)) > PLACES:
            return f"reductions leave a part of {largest} vertices, and compiled code takes {PLACES} at most"
        if self.engine == "numba":
            return ""
        if not self.to_compile:
            return "costs may be too large for compiled code"
        return "it was proved before" if self.is_proved else "the time was up before Numba had compiled the code"

    def use_compiled(self, end: float) -> None:
        """Run on compiled code from now on where that is quicker, if it is compiled before the time ``end``.

        Where steps are counted, how long that takes says nothing: if it is worth a wait, it is waited for.
        """
        open_ones = [k for k in self.to_compile if not self.kernels[k].is_proved]
        wait = min(max(end - clock.now(), 0.0), WEEK)
        if (steps := clock.counting()) is not None:
            wait = steps.seconds_left() if wait > WORTH or (wait > 0 and self.named == "numba") else -1.0
        if open_ones and wait >= 0 and compilation().wait(wait):
            self.to_compile = []
            for k in open_ones:
                kernel = self.reduced.kernels[k]
                engine = NumbaEngine() if len(kernel.sizes) <= PLACES else WideEngine()
                self.kernels[k].run_on(engine, kernel, self.share // engine.entry)

    def anneal(self, end: float) -> None:
        """Continue simulated annealing, kernel by kernel, until the time ``end``."""
        self.use_compiled(0.0)
        for left, kernel in zip(range(len(self.kernels), 0, -1), self.kernels, strict=True):
            now = clock.now()
            kernel.anneal(now + (end - now) / left)

    def rounds(self, end: float) -> Iterator[None]:
        """Search in turns that grow longer, until there is a proof or until the time ``end``."""
        turn = 0.1
        now = clock.now()  # compiled code is many times quicker: worth a wait of a third of the time
        self.use_compiled(end if self.named == "numba" else now + (end - now) / 3)
        if "prove" in self.ways:
            for kernel in self.kernels:
                if kernel.clusters is None:
                    kernel.prepare(clock.now() + (end - clock.now()) / 4)
                    yield
        while not self.is_proved and clock.now() < end:
            self.use_compiled(0.0)
            for kernel in self.kernels:
                for way in self.ways:
                    if not kernel.is_proved:
                        share = turn if way == "prove" else turn / 4
                        getattr(kernel, way)(min(end, clock.now() + share))
                        yield
            turn *= 2


@cache
def compilation() -> Event:
    """Return the end of the compilation, which takes 10 s unless it is kept on disk: in a thread, once in a process."""
    done = Event()

    def compile_all() -> None:
        try:
            wide = KernelSearch(SMALL, WideEngine(), 16)
            wide.anneal_steps(2)
            search = KernelSearch(SMALL, NumbaEngine(), 16)
            search.anneal_steps(2)
            search.prove(math.inf)
            search.last_vertices()
        finally:
            done.set()

    Thread(target=compile_all).start()
    return done


class Annealing:
    """A run of simulated annealing of an order of vertices, which can be continued at any time.

    The costs of a vertex set the scale of temperatures. Every other run starts from the best order so far, less hot.
    """

    def __init__(self, search: KernelSearch, seed: int, steps: int):
        self.order, self.best = search.engine.array(search.order), search.engine.array(search.order)
        self.hot = search.cost / len(search.order) / (10 if seed % 2 else 1)
        self.state = search.engine.array([seed, search.cost, search.cost, 0, steps])
