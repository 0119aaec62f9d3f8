"""Threads: points in spans, of which each core takes the next one until none is left.

NumPy's loops and compiled ones release Python's lock, so that several threads run them at once. A span is computed in
the same way whoever takes it: results do not depend on the number of threads, not even in the last bit.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from math import inf
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from ..program_errors import ProgramError

T = TypeVar("T")
LIMIT = "OMP_NUM_THREADS"
"""The variable by which Dask, joblib and batch systems tell a process how many of the cores are its own."""


def check_threads(threads: object) -> None:
    """Raise a :class:`~adviz.ProgramError` unless this is a number of threads, or ``None``."""
    if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
        raise ProgramError(f"threads is {threads!r}; it can be a number from 1 on, or None for all cores.")


def cores() -> int:
    """Count the cores that this process may use: those that the system lets it run on, at most ``LIMIT``."""
    result = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get(LIMIT, "")
    return min(result, int(limit)) if limit.isdecimal() and int(limit) else result


class Helpers:
    """Threads that are kept for further work, and the number of threads that are at work now, callers included.

    All programs share them. A call takes only as many helpers as there are idle cores: programs that are called in
    several threads at once do not get in each other's way.
    """

    def __init__(self, most: int | None = os.cpu_count()) -> None:
        self.lock, self.busy = Lock(), 0
        self.pool = ThreadPoolExecutor(most, "adviz")  # starts a thread when one is needed

    def take(self, threads: float) -> int:
        """Count the caller and its helpers as busy. Returns the number of both."""
        with self.lock:
            result = max(1, int(min(threads, cores() - self.busy)))
            self.busy += result
        return result

    def give_back(self, taken: int) -> None:
        """No longer count them as busy."""
        with self.lock:
            self.busy -= taken


helpers = Helpers()


def _renew() -> None:
    global helpers
    helpers = Helpers()


if hasattr(os, "register_at_fork"):  # a child process has none of the threads, and the lock may be held for ever
    os.register_at_fork(after_in_child=_renew)


def share(run: Callable[[T], Any], spans: Iterable[T], threads: float = inf) -> list[Any]:
    """Call ``run`` with each span, on this thread and others, at most ``threads``. Returns the results, in any order.

    The others have the caller's NumPy error state. If ``run`` raises an error no further span is begun, and the error
    is raised here when all threads have stopped.

    >>> sorted(share(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    if threads == 1:
        return [run(span) for span in spans]
    shared = helpers
    taken = shared.take(threads)
    end = [None] * taken
    left = deque([*spans, *end])
    settings: Any = {**np.geterr(), "call": np.geterrcall()}

    def work() -> list[Any]:
        try:
            return [run(span) for span in iter(left.popleft, None)]
        finally:
            left.extendleft(end)  # after an error the others stop, too

    def help_caller() -> list[Any]:
        with np.errstate(**settings):
            return work()

    others: list[Future[list[Any]]] = []
    try:
        with suppress(RuntimeError):  # no thread can be started: at exit, or where the system has none
            others.extend(shared.pool.submit(help_caller) for _ in range(taken - 1))
        own = work()
    finally:
        running = [each for each in others if not each.cancel()]
        wait(running)
        shared.give_back(taken)
    return [*own, *(result for each in running for result in each.result())]


def crew(threads: int | None, shares: int) -> int:
    """Return how many threads take part, of as many as were asked for, where there is work for so many.

    >>> crew(1, 10), crew(None, 0)
    (1, 1)
    """
    return max(1, min(shares, cores() if threads is None else int(threads))) if shares > 1 else 1
