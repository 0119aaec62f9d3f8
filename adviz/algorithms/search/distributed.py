"""The search in tasks for other processes or machines, through any executor of :mod:`concurrent.futures`.

A task is a pure function of plain data, so that one that is lost with its worker is simply done again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from dataclasses import replace
from itertools import islice
from typing import Any

from .engines import choose_engine
from .problem import Kernel, Structure, bits
from .vertex_search import KernelSearch, VertexSearch

RESTARTS, WARM_UP = 4, 3.0
"""Runs of annealing for a kernel, and the seconds they take at most."""
TURN = 2.0
"""Seconds of the first tasks of a proof; those of the next take twice as long, as they begin anew."""
GRACE = 5.0
"""Seconds that a task may be late, for clocks that differ and workers that start."""


def processes(workers: int) -> Executor:
    """Start worker processes. None is a fork of this one, which would lose the threads of a kernel or a library.

    They import the main module, as all processes started this way do: a script keeps its calls below
    ``if __name__ == "__main__":``.

    >>> with processes(1) as pool:
    ...     pool.submit(divmod, 7, 2).result()
    (3, 1)
    """
    from concurrent.futures import ProcessPoolExecutor  # takes a while to import
    from multiprocessing import get_context

    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def annealed(kernel: Kernel, order: list[int], engine: str, seed: int, end: float) -> tuple[int, list[int]]:
    """Return the best order of a kernel that annealing finds until the time of day ``end``, after its cost."""
    search = KernelSearch(kernel, choose_engine(engine, kernel), 0, seed)
    search.take(order)
    search.anneal(_monotonic(end))
    return search.cost, search.order


def proved(structure: Structure, enough: int, engine: str, memory: int, end: float) -> tuple[int, int, list[int], int]:
    """Return a lower bound for all orders, up to ``enough``; the cost of the best order, this order, and the states."""
    search = VertexSearch(structure, ("prove",), engine, memory, orders=[structure.intermediates])
    for kernel in search.kernels:
        kernel.enough = enough - search.reduced.cost
    for _ in search.rounds(_monotonic(end)):
        for kernel in search.kernels:
            kernel.enough = enough - search.low + kernel.low
    return search.low, search.cost, search.order, search.states


def shared_rounds(search: VertexSearch, executor: Executor, memory: int, end: float) -> Iterator[None]:
    """Search in tasks: annealing from several seeds, then each choice of the last vertex as a problem of its own."""
    search.use_compiled(end)
    for kernel, own in zip(search.reduced.kernels, search.kernels, strict=True):
        if own.is_proved:
            continue
        soon = time.monotonic() + min(WARM_UP, (end - time.monotonic()) / 10)
        seeds = islice(own.restarts, RESTARTS)
        tasks = [(kernel, own.order, own.engine.name, seed, _time_of_day(soon)) for seed in seeds]
        for _, (cost, order) in gathered(executor, annealed, tasks, soon):
            own.offer(order, cost)
            yield
        own.prepare(time.monotonic() + (end - time.monotonic()) / 4)
        turn = TURN
        while not own.is_proved and time.monotonic() < end:
            own.prepare(time.monotonic() + turn)
            yield from _proofs(own, executor, memory, min(end, time.monotonic() + turn))
            turn *= 2


def _proofs(own: KernelSearch, executor: Executor, memory: int, end: float) -> Iterator[None]:
    """Yield the whole proof as one task, and beside it one for each vertex that can be the last in a cheaper order.

    The former shares its findings between the choices of the last vertex, the latter share the work: whichever is
    done first decides.
    """
    fees, cost, whole = own.last_vertices(), own.cost, own.structure()
    lows = {v: low for v, (_, low) in fees.items()}
    choices = [v for v in sorted(lows, key=lows.__getitem__) if lows[v] < cost]
    parts = ((replace(whole, inside=whole.inside & ~(1 << v)), cost - fees[v][0]) for v in choices)
    rest = own.engine.name, memory, _time_of_day(end)
    results = gathered(executor, proved, [(*task, *rest) for task in [(whole, cost), *parts]], end)
    for (problem, *_), (low, best, order, states) in results:
        own.states += states
        last = list(bits(whole.inside & ~problem.inside))
        fee = sum(fees[v][0] for v in last)
        own.offer([*order, *last], best + fee)
        lows |= {v: max(lows[v], low + fee) for v in last or lows}
        own.low = max(own.low, min(own.cost, *lows.values()))
        yield
        if own.is_proved:
            results.close()


def gathered(
    executor: Executor, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], end: float
) -> Generator[tuple[tuple[Any, ...], Any], None, None]:
    """Yield each task with its result, as they come; a task whose worker was lost for good is done here."""
    futures, lost = {}, []
    try:
        for task in tasks:
            try:
                futures[executor.submit(function, *task)] = task
            except RuntimeError:  # the pool is broken or closed
                lost.append(task)
        for future in as_completed(futures, timeout=max(end - time.monotonic(), 0) + GRACE):
            if future.exception() is None:
                yield futures[future], future.result()
            else:
                lost.append(futures[future])
        for task in lost:
            yield task, function(*task)
    except TimeoutError:
        return
    finally:
        for future in futures:
            future.cancel()


def _time_of_day(monotonic: float) -> float:
    return time.time() + monotonic - time.monotonic()


def _monotonic(time_of_day: float) -> float:
    return time.monotonic() + time_of_day - time.time()
