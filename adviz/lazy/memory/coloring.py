"""Buffers by coloring: values that live at the same time interfere; those of one color share a buffer.

Source: Chaitin et al., Register allocation via coloring (1981); the greedy choice by weight is that of the memory
analysis of Nervana Graph (2016), written from its definition.
"""

from __future__ import annotations

from collections.abc import Sequence

from .lifetimes import Lifetime


def interference(lifetimes: Sequence[Lifetime]) -> list[int]:
    """For each value those that live at the same time, as a mask: bit ``k`` stands for the value at place ``k``.

    >>> [bin(mask) for mask in interference([Lifetime(7, 0, 1, 8), Lifetime(8, 1, 2, 8), Lifetime(9, 2, 3, 8)])]
    ['0b10', '0b101', '0b10']
    """
    found = [0] * len(lifetimes)
    ends: list[tuple[int, int]] = []
    for k in sorted(range(len(lifetimes)), key=lambda k: lifetimes[k].first):
        ends = [(last, other) for last, other in ends if last >= lifetimes[k].first]
        for _, other in ends:
            found[k] |= 1 << other
            found[other] |= 1 << k
        ends.append((lifetimes[k].last, k))
    return found


def colored(lifetimes: Sequence[Lifetime]) -> list[list[Lifetime]]:
    """The values by color, the heaviest color first: no two of one color interfere.

    Take the heaviest value without a color, and let all others that can, by weight, take its color, too.

    >>> [[each.number for each in color] for color in colored(
    ...     [Lifetime(7, 0, 1, 8), Lifetime(8, 1, 2, 32), Lifetime(9, 2, 3, 16)])]
    [[8], [9, 7]]
    """
    neighbors = interference(lifetimes)
    waiting = sorted(range(len(lifetimes)), key=lambda k: (-lifetimes[k].bytes, k))
    colors = []
    while waiting:
        color, rest, blocked = [], [], 0
        for k in waiting:
            if blocked >> k & 1:
                rest.append(k)
            else:
                color.append(lifetimes[k])
                blocked |= neighbors[k]
        colors.append(color)
        waiting = rest
    return colors
