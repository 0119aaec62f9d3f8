"""The search in pieces that other processes or machines work on, through any executor of :mod:`concurrent.futures`.

A task is a pure function of plain data, so that one that is lost with its worker is simply done again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from dataclasses import replace
from typing import Any

from .engines import choose_engine
from .masks import cost_as_last
from .structure import Kernel, Structure
from .vertex_search import KernelSearch, VertexSearch

GRACE = 5.0
"""Seconds that a task may be late, for clocks that differ and workers that start."""


def annealed(kernel: Kernel, engine: str, seed: int, end: float) -> tuple[int, list[int]]:
    """The best order of a kernel that annealing finds until the time ``end`` of the day, behind its cost."""
    search = KernelSearch(kernel, choose_engine(engine, kernel), 0, seed)
    search.anneal(_monotonic(end))
    return search.cost, search.order


def proved(structure: Structure, enough: int, engine: str, memory: int, end: float) -> tuple[int, int, list[int], int]:
    """What every order costs at least, as far as it is below ``enough``; and the best order's cost, it, and states."""
    search = VertexSearch(structure, ("prove",), engine, memory)
    for kernel in search.kernels:
        kernel.enough = enough - search.found.cost
    for _ in search.rounds(_monotonic(end)):
        for kernel in search.kernels:
            kernel.enough = enough - search.low + kernel.low
    return search.low, search.cost, search.order, search.states


def shared_rounds(search: VertexSearch, executor: Executor, memory: int, end: float) -> Iterator[None]:
    """Search in tasks: annealing from several seeds, then each choice of the last vertex as a problem of its own."""
    for kernel, own in zip(search.found.kernels, search.kernels, strict=True):
        if own.is_proved:
            continue
        soon = time.monotonic() + (end - time.monotonic()) / 10
        tasks = [(kernel, own.engine.name, seed, _time_of_day(soon)) for seed in own.seeds(RESTARTS)]
        for _, (cost, order) in gathered(executor, annealed, tasks, soon):
            own.offer(order, cost)
            yield
        while not own.is_proved and time.monotonic() < end:
            yield from _last_vertices(kernel, own, executor, memory, end)


RESTARTS = 4
"""Runs of annealing for a kernel."""


def _last_vertices(
    kernel: Kernel, own: KernelSearch, executor: Executor, memory: int, end: float
) -> Iterator[None]:
    fees = {v: cost_as_last(kernel.before, kernel.behind, kernel.sizes, kernel.inside, v) for v in own.order}
    tasks = []
    for v in sorted(own.order, key=fees.__getitem__, reverse=True):
        rest = Structure(tuple(range(len(kernel.sizes))), kernel.before, kernel.behind, kernel.sizes, kernel.inside & ~(1 << v))
        tasks.append((rest, own.cost - fees[v], own.engine.name, memory, _time_of_day(end)))
    lows = dict.fromkeys(own.order, own.low)
    for (rest, *_), (low, cost, order, states) in gathered(executor, proved, tasks, end):
        (v,) = set(own.order) - set(rest.intermediates)
        lows[v] = low + fees[v]
        own.offer([*order, v], cost + fees[v])
        own.states += states
        yield
    own.low = max(own.low, min(*lows.values(), own.cost))


def gathered(
    executor: Executor, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], end: float
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Each task with its result, as they come; a task whose worker was lost for good is done here."""
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
