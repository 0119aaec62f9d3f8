"""Search over the states of an elimination: best first for a proof, a beam for a good order.

A :class:`Problem` says which moves a state allows and gives a lower bound for the rest. States are canonical: two that
differ in names only are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from heapq import heappop, heappush, nsmallest
from itertools import count
from typing import Any, Protocol

from . import clock


class TimeUp(Exception):
    """Raised by the bound of a problem at its time ``end``, with what was summed up by then: a lower bound, too."""

    def __init__(self, low: int):
        self.low = low


State = Any
Path = list[tuple[Any, State]]
"""Moves, each with the state it leads to."""


class Problem(Protocol):
    """An elimination as a search sees it."""

    start: State
    end: float

    @property
    def is_full(self) -> bool:
        """Whether the memory is full, so that nothing more can be learned about states."""

    def moves(self, state: State) -> Iterator[tuple[Any, int, State]]:
        """Return the moves of a state, each with its cost and the state that it leads to; none at the end."""

    def bound(self, state: State) -> int:
        """Return a lower bound for the cost of the rest. Raises :class:`TimeUp` at the time ``end``."""


class BestFirst:
    """The A* search for a cheapest path to the end, which can be continued at any time.

    ``cost`` and ``path`` are the best so far, ``low`` is a lower bound for every path; at most ``most`` states are
    kept, and when there are more the search stops with the bound it has.

    Source: P. Hart, N. Nilsson, B. Raphael, A formal basis for the heuristic determination of minimum cost paths,
    IEEE Transactions on Systems Science and Cybernetics 4 (1968).
    """

    def __init__(self, problem: Problem, cost: int, most: int):
        self.problem, self.cost, self.most = problem, cost, most
        self.path: Path | None = None
        self.numbers = count()
        self.low, self.is_begun = 0, False
        self.known: dict[State, tuple[int, Any, State]] = {problem.start: (0, None, None)}
        self.waiting = [(0, 0, next(self.numbers), problem.start)]

    def begin(self, end: float) -> None:
        """Compute the bound of the start, unless the time is up first."""
        self.problem.end = end
        try:
            self.low = max(self.low, self.problem.bound(self.problem.start))
            self.waiting = [(self.low, 0, next(self.numbers), self.problem.start)]
            self.is_begun = True
        except TimeUp as late:
            self.low = max(self.low, late.low)

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
        if not self.is_begun:
            self.begin(end)
        self.problem.end = end
        while self.is_begun and not self.is_proved and clock.now() < end and not self.is_full:
            if not self.waiting:
                self.low = self.cost
                break
            entry, is_whole = heappop(self.waiting), False
            try:
                low, minus_paid, _, state = entry
                self.low = max(self.low, min(low, self.cost))
                is_whole = self._expand(state, -minus_paid, low, end)
            except TimeUp:
                break
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
            if clock.now() >= end:
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
    """Return the cheapest path that is found while only the ``width`` most promising states of each round are kept.

    The rest of a path is estimated by its bound, plus ``noise``, so that another beam finds another path. Returns
    ``None`` when the time is up before any path reaches the end.
    """
    best: list[tuple[int, tuple[Any, ...] | None]] = []
    problem.end = end
    with suppress(TimeUp):
        _layers(problem, width, noise, best)
    if not best:
        return None
    path, (cost, trail) = [], best[-1]
    while trail is not None:
        trail, *move_and_state = trail
        path.append(tuple(move_and_state))
    return cost, path[::-1]


def _layers(
    problem: Problem, width: int, noise: Callable[[], float], best: list[tuple[int, tuple[Any, ...] | None]]
) -> None:
    """Follow the most promising states to the end; ``best`` is what reaches it, the cheapest last."""
    layer: dict[State, tuple[float, int, tuple[Any, ...] | None]] = {problem.start: (0, 0, None)}
    while layer and clock.now() < problem.end:
        following: dict[State, tuple[float, int, tuple[Any, ...] | None]] = {}
        for state, (_, paid, trail) in layer.items():
            is_end = True
            for move, price, after in problem.moves(state):
                is_end = False
                if clock.now() >= problem.end or problem.is_full:
                    return
                total = paid + price
                if after not in following or total < following[after][1]:
                    bound = total + problem.bound(after)
                    if not best or bound < best[-1][0]:
                        following[after] = (bound + noise(), total, (trail, move, after))
            if is_end and (not best or paid < best[-1][0]):
                best.append((paid, trail))
        layer = dict(nsmallest(width, following.items(), key=lambda item: item[1][:2]))
