"""The compiled twin of :func:`~.quick.markowitz`; imported only where numba is installed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numba
import numpy as np

njit: Any = numba.njit


def compiled_markowitz(before: list[set[int]], behind: list[set[int]], inner: Sequence[int]) -> tuple[list[int], int]:
    """As :func:`~.quick.markowitz`; the sets stay as they are."""
    sides = (before, behind)
    counts = np.array([[len(near) for near in side] for side in sides], np.int64)
    items = [np.fromiter(chain.from_iterable(side), np.int64) for side in sides]
    order, cost = eliminate_all(counts, *items, np.array(inner, np.int64))
    return order.tolist(), int(cost)


@njit(cache=True)
def eliminate_all(counts: Any, items_before: Any, items_behind: Any, inner: Any) -> Any:  # pragma: no cover
    """Order and multiplications, from the numbers of neighbours on both sides, and the neighbours, set after set.

    Neighbours are linked lists in one pool; ``heads[side, j]`` is the first cell of one.
    """
    n = counts.shape[1]
    edges = len(items_before)
    item = np.empty(4 * edges + 16, np.int64)
    link = np.empty(4 * edges + 16, np.int64)
    heads = np.full((2, n), -1)
    used = 0
    for side in range(2):
        items = items_before if side == 0 else items_behind
        at = 0
        for j in range(n):
            for _ in range(counts[side, j]):
                item[used], link[used], heads[side, j] = items[at], heads[side, j], used
                used += 1
                at += 1
    free = -1

    # entries of the queue are linked lists too, one for each degree
    entry = np.empty(4 * len(inner) + 16, np.int64)
    below = np.empty(4 * len(inner) + 16, np.int64)
    tops = np.full(64, -1)
    entries = 0
    degrees = np.zeros(n, np.int64)
    is_inner = np.zeros(n, np.bool_)
    near = np.empty((2, n), np.int64)
    size = np.zeros(2, np.int64)
    mark = np.full(n, -1)
    order = np.empty(len(inner), np.int64)
    cost = 0
    lowest = 0
    stamp = 0
    for turn in range(-1, len(inner)):
        size[0] = size[1] = 0
        if turn < 0:
            is_inner[inner] = True
            near[0, : len(inner)] = inner
            size[0] = len(inner)
        else:
            j = -1
            while j < 0:
                while tops[lowest] < 0:
                    lowest += 1
                top = tops[lowest]
                tops[lowest] = below[top]
                if is_inner[entry[top]] and degrees[entry[top]] == lowest:
                    j = entry[top]
            is_inner[j] = False
            order[turn] = j
            cost += lowest
            for side in range(2):
                cell = heads[side, j]
                while cell >= 0:
                    near[side, size[side]] = item[cell]
                    size[side] += 1
                    following = link[cell]
                    link[cell] = free
                    free = cell
                    cell = following
                near[side, : size[side]].sort()
            for side in range(2):
                other = 1 - side
                for a in range(size[side]):
                    i = near[side, a]
                    stamp += 1
                    previous = -1
                    cell = heads[other, i]
                    while cell >= 0:
                        mark[item[cell]] = stamp
                        following = link[cell]
                        if item[cell] == j:
                            if previous < 0:
                                heads[other, i] = following
                            else:
                                link[previous] = following
                            link[cell] = free
                            free = cell
                        else:
                            previous = cell
                        cell = following
                    counts[other, i] -= 1
                    for b in range(size[other]):
                        k = near[other, b]
                        if mark[k] != stamp:
                            if free < 0:
                                if used == len(item):
                                    item = np.concatenate((item, np.empty_like(item)))
                                    link = np.concatenate((link, np.empty_like(link)))
                                free = used
                                link[free] = -1
                                used += 1
                            cell = free
                            free = link[cell]
                            item[cell], link[cell], heads[other, i] = k, heads[other, i], cell
                            counts[other, i] += 1
        for side in (1, 0):
            for a in range(size[side] - 1, -1, -1):
                i = near[side, a]
                if not is_inner[i]:
                    continue
                degree = counts[0, i] * counts[1, i]
                degrees[i] = degree
                lowest = min(lowest, degree)
                if degree >= len(tops):
                    tops = np.concatenate((tops, np.full(degree + 1, -1)))
                if entries == len(entry):
                    entry = np.concatenate((entry, np.empty_like(entry)))
                    below = np.concatenate((below, np.empty_like(below)))
                entry[entries], below[entries], tops[degree] = i, tops[degree], entries
                entries += 1
    return order, cost
