"""Running a chain of unequal stages backward with few states kept: the schedule that takes the fewest operations.

A state that is kept stays until the stage after it is reversed. Among such schedules, dynamic programming finds the
cheapest; for equal stages it advances as often as :func:`~.checkpoint_schedules.revolve`.

Sources: Griewank and Walther, Evaluating Derivatives (2nd ed., 2008), section 12.4; Beaumont, Eyraud-Dubois, Herrmann,
Joly and Shilova, Optimal checkpointing for heterogeneous chains: how to train deep neural networks with limited memory,
INRIA research report 9302 (2019).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

import numpy as np

from .checkpoint_schedules import Action

NEVER = 1 << 60
"""Operations of what does not fit."""
PARTS = 256
"""Parts that a limit is divided into, at most: sizes are rounded up to them."""


def chain_schedule(works: Sequence[int], sizes: Sequence[int], limit: int) -> Iterator[Action]:
    """Yield the actions that reverse a chain, its last stage first, as :func:`~.checkpoint_schedules.revolve` does.

    ``works`` are the operations of advancing past each stage, ``sizes`` what the state before it takes of the
    ``limit`` while it is kept. The state before the first stage is always there, and takes nothing.

    >>> " ".join(f"{action} {k}" for action, k in chain_schedule([5, 1, 1], [0, 1, 1], 1))
    'advance 0 keep 1 advance 1 reverse 2 restore 1 reverse 1 restore 0 reverse 0'
    """
    sizes, limit = _in_parts(sizes, limit)
    split = _splits(works, sizes, limit)
    pending = [(0, len(works), limit, False)]
    while pending:
        start, length, left, is_later = pending.pop()
        if is_later:
            yield "restore", start
        if length == 1:
            yield "reverse", start
            continue
        ahead = int(split[length][left, start])
        for k in range(start, start + ahead):
            yield "advance", k
        pending.append((start, ahead, left, True))
        rest, size = length - ahead, 0
        if rest > 1:
            yield "keep", start + ahead
            size = sizes[start + ahead]
        pending.append((start + ahead, rest, left - size, False))


def _in_parts(sizes: Sequence[int], limit: int) -> tuple[list[int], int]:
    """Sizes and their limit in a unit that leaves few numbers; sizes are rounded up, the limit down."""
    limit = min(limit, sum(sizes))
    unit = gcd(*sizes) or 1
    if limit // unit > PARTS:
        unit = -(-limit // PARTS)
    return [-(-size // unit) for size in sizes], limit // unit


def _splits(works: Sequence[int], sizes: Sequence[int], limit: int) -> dict[int, np.ndarray]:
    """How many stages to advance first, for each number of stages, by what is left of the limit and the first stage.

    With s the state that is kept, the cost of reversing the stages from i to j is that of advancing from i to s, of
    reversing those from s to j with less of the limit, and of those from i to s - 1 with all of it.
    """
    count, begun = len(works), np.concatenate([[0], np.cumsum(works, dtype=np.int64)])
    left, size = np.arange(limit + 1)[:, None], np.asarray(sizes)
    costs = {1: np.zeros((limit + 1, count), np.int64)}
    split: dict[int, np.ndarray] = {}
    for length in range(2, count + 1):
        starts = np.arange(count - length + 1)
        best = np.full((limit + 1, len(starts)), NEVER)
        choice = np.zeros(best.shape, np.int64)
        for ahead in range(1, length):
            middle = starts + ahead
            cost = begun[middle] - begun[starts] + costs[ahead][:, starts]
            if ahead < length - 1:  # the last state of all is used at once
                after = left - size[middle]
                later = costs[length - ahead][np.maximum(after, 0), middle]
                cost = np.minimum(cost + np.where(after < 0, NEVER, later), NEVER)
            choice[cost < best], best = ahead, np.minimum(best, cost)
        costs[length], split[length] = best, choice
    return split
