"""Search over the states of an elimination: best first for a proof, a beam for a good order.

A :class:`Problem` says which moves a state allows and gives a lower bound for the rest. States are canonical: two that
differ in names only are one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from heapq import heappop, heappush, nsmallest
from itertools import count
from typing import Any, Protocol

State = Any
Path = list[tuple[Any, State]]
"""Moves, each with the state it leads to."""


class Problem(Protocol):
    """An elimination as a search sees it."""

    start: State

    @property
    def is_full(self) -> bool:
        """Whether the memory is full, so that nothing more can be learned about states."""

    def moves(self, state: State) -> Iterator[tuple[Any, int, State]]:
        """The moves of a state, each with its cost and the state that it leads to; none at the end."""

    def bound(self, state: State) -> int:
        """A lower bound for the cost of the rest."""


class BestFirst:
    """The A* search for a cheapest path to the end, which can be continued at any time.

    ``cost`` and ``path`` are the best so far, ``low`` is a lower bound for every path; at most ``most`` states are
    kept, and when there are more the search stops with the bound it has.

    Source: P. Hart, N. Nilsson, B. Raphael, A formal basis for the heuristic determination of minimum cost paths,
    IEEE Transactions on Systems Science and Cybernetics 4 (1968).
    """

    def __init__(self, problem: Problem, cost: int, most: int, low: int | None = None):
        self.problem, self.cost, self.most = problem, cost, most
        self.path: Path | None = None
        self.numbers = count()
        self.low = problem.bound(problem.start) if low is None else low
        self.known: dict[State, tuple[int, Any, State]] = {problem.start: (0, None, None)}
        self.waiting = [(self.low, 0, next(self.numbers), problem.start)]

    @property
    def states(self) -> int:
        """States that were met."""
        return len(self.known)

    @property
    def is_full(self) -> bool:
        """Whether as many states are known as there is memory for."""
        return len(self.known) >= self.most or self.problem.is_full

    @property
    def is_proved(self) -> bool:
        """Whether no path is cheaper than the best so far."""
        return self.low >= self.cost

    def prove(self, end: float) -> None:
        """Continue until the lower bound meets the cost, the time ``end``, or the memory is full."""
        while not self.is_proved and time.monotonic() < end and not self.is_full:
            if not self.waiting:
                self.low = self.cost
                break
            entry, is_whole = heappop(self.waiting), False
            try:
                low, minus_paid, _, state = entry
                self.low = max(self.low, min(low, self.cost))
                is_whole = self._expand(state, -minus_paid, low, end)
            finally:
                if not is_whole:
                    heappush(self.waiting, entry)

    def _expand(self, state: State, paid: int, low: int, end: float) -> bool:
        """Visit all states that a state leads to; return false if the time was up first."""
        if paid > self.known[state][0]:
            return True
        is_end = True
        for move, price, after in self.problem.moves(state):
            is_end = False
            if time.monotonic() >= end:
                return False
            total = paid + price
            if total < self.known.get(after, (self.cost,))[0]:
                bound = max(low, total + self.problem.bound(after))
                if bound < self.cost:
                    self.known[after] = (total, move, state)
                    heappush(self.waiting, (bound, -total, next(self.numbers), after))
        if is_end and paid < self.cost:
            self.cost, self.path = paid, self._path_to(state)
        return True

    def _path_to(self, state: State) -> Path:
        path = []
        while self.known[state][1] is not None:
            _, move, previous = self.known[state]
            path.append((move, state))
            state = previous
        return path[::-1]


def beam(problem: Problem, width: int, end: float, noise: Callable[[], float] = lambda: 0.0) -> tuple[int, Path] | None:
    """The cheapest path that is found while only the ``width`` most promising states of each round are kept.

    The rest of a path is estimated by its bound, plus ``noise``, so that another beam finds another path. Returns
    ``None`` when the time is up before any path reaches the end.
    """
    layer: dict[State, tuple[float, int, tuple[Any, ...] | None]] = {problem.start: (0, 0, None)}
    best: tuple[int, tuple[Any, ...] | None] | None = None
    while layer and time.monotonic() < end:
        found: dict[State, tuple[float, int, tuple[Any, ...] | None]] = {}
        for state, (_, paid, trail) in layer.items():
            is_end = True
            for move, price, after in problem.moves(state):
                is_end = False
                if time.monotonic() >= end or problem.is_full:
                    return _found(best)
                total = paid + price
                if after not in found or total < found[after][1]:
                    bound = total + problem.bound(after)
                    if best is None or bound < best[0]:
                        found[after] = (bound + noise(), total, (trail, move, after))
            if is_end and (best is None or paid < best[0]):
                best = paid, trail
        layer = dict(nsmallest(width, found.items(), key=lambda item: item[1][:2]))
    return _found(best)


def _found(best: tuple[int, tuple[Any, ...] | None] | None) -> tuple[int, Path] | None:
    if best is None:
        return None
    path, (cost, trail) = [], best
    while trail is not None:
        trail, *move_and_state = trail
        path.append(tuple(move_and_state))
    return cost, path[::-1]
