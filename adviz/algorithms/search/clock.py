"""What a search may spend: seconds; or steps that are counted, so that its result is the same on every machine."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from typing import Any, NamedTuple

PACE = 5_000
"""Steps that count as a second: a search divides both in the same way among what it tries."""
WEEK = 604_800.0
"""Seconds; a wait cannot be endless."""


class Steps:
    """A clock that goes on by a step whenever it is asked, which a search does for every state that it visits.

    >>> steps = Steps()
    >>> [steps.now() * PACE, steps.now() * PACE]
    [1.0, 2.0]
    """

    def __init__(self) -> None:
        self.count, self.until = 0, math.inf

    def now(self) -> float:
        """Return the time; it is up once it is up by the clock on the wall, too."""
        self.count += 1
        return math.inf if self.until < math.inf and time.monotonic() > self.until else self.count / PACE

    def left(self, end: float) -> int:
        """Return the steps until a time."""
        return int(min(max(end * PACE - self.count, 0), 1 << 40))

    def seconds_left(self) -> float:
        """Return the seconds until the time is up by the clock on the wall; a week at most."""
        return min(max(self.until - time.monotonic(), 0.0), WEEK)


class Budget(NamedTuple):
    """What a search may spend: steps, ``None`` where they are not counted, and seconds."""

    steps: float | None
    seconds: float

    @property
    def limit(self) -> float:
        """As time by the clock of the search."""
        return self.seconds if self.steps is None else self.steps / PACE

    @property
    def options(self) -> dict[str, Any]:
        """As options of :func:`~adviz.optimal_order`."""
        return {"effort": self.steps, "time_limit": self.seconds}


ENDLESS = Budget(None, math.inf)


def budget_of(time_limit: Any, effort: Any, default: float) -> Budget:
    """Return what ``time_limit`` and ``effort`` allow: the default effort if neither is given, both if both are.

    Raises ``ValueError`` for what is no limit.

    >>> budget_of(None, None, 300), budget_of(2, None, 300), budget_of(2, 100, 300)
    (Budget(steps=300, seconds=inf), Budget(steps=None, seconds=2.0), Budget(steps=100.0, seconds=2.0))
    """
    if effort is None:
        return Budget(default if time_limit is None else None, _number("time_limit", time_limit, "seconds"))
    return Budget(_number("effort", effort, "states"), _number("time_limit", time_limit, "seconds"))


def _number(name: str, limit: Any, unit: str) -> float:
    if limit is None:
        return math.inf
    if not (isinstance(limit, Real) and float(limit) >= 0):
        without = "math.inf" if name == "effort" else "None"
        raise ValueError(f"{name} is {limit!r}; expected {unit}, 0 or more, or {without} for no limit.")
    return float(limit)


_counting: ContextVar[Steps | None] = ContextVar("counting", default=None)


def now() -> float:
    """Return the time by the clock of the search that runs here."""
    steps = _counting.get()
    return time.monotonic() if steps is None else steps.now()


def counting() -> Steps | None:
    """Return the steps of the search that runs here, if it counts them."""
    return _counting.get()


@contextmanager
def counted(steps: Steps | None) -> Iterator[None]:
    """Let a search run by these steps; by seconds where they are none."""
    token = _counting.set(steps)
    try:
        yield
    finally:
        _counting.reset(token)
